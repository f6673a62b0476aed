//! The *proof* of a fit: when one is sought, and what becomes of a lower minimum that the search finds.

use std::time::{Duration, Instant};

use crate::certificate::Certificate;
use crate::error::Result;
use crate::fit::Outcome;
use crate::oracle::Oracle;
use crate::outcome::{Status, StopReason};
use crate::plan::Plan;
use crate::prove::{Caller, Claim, End, Progress, Proof, Unprovable};
use crate::race::{Found, Runs};
use crate::solver::Solver;
use crate::spec::Prove;

/// The gap that solver `auto` proves by itself.
const GAP: f64 = 1e-6;
/// The most parameters for which it does.
const FEW_PARAMETERS: usize = 4;
/// The most evaluations of a row in a region. It is a number and not a time, so that every machine gives the same result.
const BUDGET: u64 = 20_000_000;
/// A search that can afford fewer regions than this is not begun.
const FEW_REGIONS: u64 = 2_000;

/// A search that is wanted.
struct Wanted {
    gap: f64,
    /// The most regions.
    regions: u64,
    seconds: Option<Duration>,
}

impl Plan {
    /// Seeks the proof that the point has the lowest minimum, if one is wanted. A lower minimum takes its place.
    ///
    /// # Errors
    /// If rows are lost.
    pub(super) fn prove(
        &self,
        oracle: &dyn Oracle,
        found: &mut Found,
        runs: &mut Runs<'_>,
    ) -> Result<Option<std::result::Result<Proof, Unprovable>>> {
        let Some(wanted) = self.wanted(oracle, found)? else { return Ok(None) };
        if oracle.facts().is_convex {
            let certificate = found.certificate(oracle)?;
            let left = certificate.left_to_gain.filter(|_| certificate.certified());
            return Ok(Some(Ok(Proof::of_convex(found.outcome.model.loss, left, wanted.gap))));
        }
        let theta = found.outcome.theta.clone();
        let claim = Claim {
            oracle,
            activation: &self.response.activation,
            theta: &theta,
            gap: wanted.gap,
            threads: self.threads,
        };
        let keeps_finite = found.certificate(oracle)?.status != Status::Diverging;
        let begun = Instant::now();
        let mut search = Search {
            plan: self,
            oracle,
            runs,
            wanted: &wanted,
            begun,
            keeps_finite,
            interrupted: false,
            at_infinity: None,
            last: None,
        };
        let proven = claim.prove(&mut search)?;
        let (at_infinity, interrupted) = (search.at_infinity, search.interrupted);
        let (mut proof, best) = match proven {
            Ok(proven) => proven,
            Err(why) => return Ok(Some(Err(why)).filter(|_| self.proves_explicitly())),
        };
        proof.interrupted = interrupted;
        if proof.improved_from.is_some() {
            let outcome = match search.last.take().filter(|outcome| outcome.theta == best) {
                Some(outcome) => outcome,
                None => self.rules.descend_from(best, oracle, search.runs)?,
            };
            // what the search compares includes rounding of its own
            proof.improved_from = Some(found.outcome.model.loss);
            found.replace(outcome, oracle);
        }
        let lower = at_infinity.filter(|limit| *limit < found.outcome.model.loss);
        found.lower_at_infinity = found.lower_at_infinity.into_iter().chain(lower).reduce(f64::min);
        Ok(Some(Ok(proof)))
    }

    fn proves_explicitly(&self) -> bool {
        matches!(self.spec.prove, Some(Prove::Gap(_)))
    }

    fn wanted(&self, oracle: &dyn Oracle, found: &mut Found) -> Result<Option<Wanted>> {
        // a time that does not fit is no limit
        let seconds = self.spec.prove_seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let is_end = found.outcome.tau == 1.0 && found.sigma.is_none() && found.outcome.multiplier == 0.0;
        if !is_end || found.outcome.reason == StopReason::Interrupted || oracle.is_interrupted() {
            return Ok(None);
        }
        Ok(match self.spec.prove.unwrap_or_default() {
            Prove::None => None,
            Prove::Gap(gap) => Some(Wanted { gap, regions: u64::MAX, seconds }),
            Prove::Auto => {
                let regions = BUDGET / oracle.rows() as u64;
                let few = oracle.facts().parameters() <= FEW_PARAMETERS && regions >= FEW_REGIONS;
                let sought = self.proves_by_itself
                    && few
                    && found.outcome.reason != StopReason::Limit
                    && self.rules.solver == Solver::Auto
                    && !oracle.facts().is_convex
                    && self.rules.settings.radius.is_none()
                    && !matches!(found.certificate(oracle)?.status, Status::NotIdentified | Status::WrongScale);
                sought.then_some(Wanted { gap: GAP, regions, seconds })
            }
        })
    }
}

/// A search under way.
struct Search<'s, 'r> {
    plan: &'s Plan,
    oracle: &'s dyn Oracle,
    runs: &'s mut Runs<'r>,
    wanted: &'s Wanted,
    begun: Instant,
    /// Whether the fit is a finite minimum, which is kept even if the loss is lower at infinity.
    keeps_finite: bool,
    /// Whether an observer or an interrupt has ended it.
    interrupted: bool,
    /// The loss at infinity, if a lower point has led there.
    at_infinity: Option<f64>,
    /// The end of the last fit from a point that the search has found.
    last: Option<Outcome>,
}

impl Caller for Search<'_, '_> {
    fn improve(&mut self, start: Vec<f64>) -> Result<End> {
        let outcome = self.plan.rules.descend_from(start, self.oracle, self.runs)?;
        if self.keeps_finite && Certificate::examine(self.oracle, &outcome)?.status == Status::Diverging {
            let limit = *self.at_infinity.insert(outcome.model.loss);
            return Ok(End::Infinity(limit));
        }
        Ok(End::Minimum(self.last.insert(outcome).theta.clone()))
    }

    fn goes_on(&mut self, progress: &Progress<'_>) -> bool {
        let in_time = self.wanted.seconds.is_none_or(|seconds| self.begun.elapsed() < seconds);
        // the observer first: it may take an interrupt for the end of the search alone
        self.interrupted = !self.runs.hear_proof(progress) || self.oracle.is_interrupted();
        in_time && !self.interrupted && progress.boxes < self.wanted.regions
    }
}
