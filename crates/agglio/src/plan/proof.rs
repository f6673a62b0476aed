//! The *proof* of a fit: when one is sought, and what becomes of a lower minimum that the search finds.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::certificate::Certificate;
use crate::error::Result;
use crate::fit::Outcome;
use crate::oracle::Oracle;
use crate::outcome::{Status, StopReason};
use crate::plan::Plan;
use crate::prove::{Caller, Claim, End, Ended, Progress, Proof, Unprovable};
use crate::race::{Found, Runs};
use crate::solver::Solver;
use crate::spec::Prove;

/// The gap that solver `auto` proves by itself.
const GAP: f64 = 1e-6;
/// The most parameters for which it does.
const FEW_PARAMETERS: usize = 4;
/// The most evaluations of a row in a region. It is a number and not a time, so that every machine gives the same result.
const BUDGET: u64 = 20_000_000;
/// A region of few rows takes as long as one of this number.
const FEW_ROWS: usize = 32;
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
        if found.outcome.reason == StopReason::Interrupted || oracle.is_interrupted() {
            return Ok(None);
        }
        if !is_end(found) {
            return Ok(Some(Err(Unprovable::Unfinished)).filter(|_| self.proves_explicitly()));
        }
        let Some(wanted) = self.wanted(oracle, found)? else { return Ok(None) };
        if oracle.facts().is_convex {
            let certificate = found.certificate(oracle)?;
            let left = certificate.left_to_gain.filter(|_| certificate.certified());
            return Ok(Some(Ok(Proof::of_convex(found.outcome.model.loss, left, wanted.gap))));
        }
        let activation = &self.response.activation;
        let keeps_finite = found.certificate(oracle)?.status != Status::Diverging;
        let claim = Claim { oracle, activation, theta: &found.outcome.theta, gap: wanted.gap, threads: self.threads };
        let mut search = Search {
            plan: self,
            oracle,
            runs,
            wanted: &wanted,
            begun: Instant::now(),
            keeps_finite,
            at_infinity: None,
            last: None,
        };
        let (mut proof, best) = match claim.prove(&mut search)? {
            Ok(proven) => proven,
            Err(why) => return Ok(Some(Err(why)).filter(|_| self.proves_explicitly())),
        };
        if proof.improved_from.is_some() {
            // the search computes losses in other coordinates, with other rounding errors
            proof.improved_from = Some(found.outcome.model.loss);
            let outcome = search.end_at(best)?;
            found.replace(outcome, oracle);
        }
        let lower = search.at_infinity.filter(|limit| *limit < found.outcome.model.loss);
        found.lower_at_infinity = found.lower_at_infinity.into_iter().chain(lower).reduce(f64::min);
        Ok(Some(Ok(proof)))
    }

    fn proves_explicitly(&self) -> bool {
        matches!(self.spec.prove, Some(Prove::Gap(_)))
    }

    fn wanted(&self, oracle: &dyn Oracle, found: &mut Found) -> Result<Option<Wanted>> {
        // a time that does not fit is no limit
        let seconds = self.spec.prove_seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Ok(match self.spec.prove.unwrap_or_default() {
            Prove::None => None,
            Prove::Gap(gap) => Some(Wanted { gap, regions: u64::MAX, seconds }),
            Prove::Auto => {
                let regions = BUDGET / oracle.rows().max(FEW_ROWS) as u64;
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

/// Whether a fit has ended at τ = 1, and not on the surface of a ball.
fn is_end(found: &Found) -> bool {
    found.outcome.tau == 1.0 && found.sigma.is_none() && found.outcome.multiplier == 0.0
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
    /// The loss at infinity, if a lower point has led there.
    at_infinity: Option<f64>,
    /// The end of the last fit from a point that the search has found.
    last: Option<Outcome>,
}

impl Search<'_, '_> {
    /// The end of a fit that is at this point.
    fn end_at(&mut self, theta: Vec<f64>) -> Result<Outcome> {
        match self.last.take().filter(|outcome| outcome.theta == theta) {
            Some(outcome) => Ok(outcome),
            None => self.plan.rules.descend_from(theta, self.oracle, self.runs),
        }
    }
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

    fn goes_on(&mut self, progress: &Progress<'_>) -> ControlFlow<Ended> {
        // the observer first: it may take an interrupt for the end of the search alone
        if !self.runs.hear_proof(progress) || self.oracle.is_interrupted() {
            return ControlFlow::Break(Ended::Interrupted);
        }
        if self.wanted.seconds.is_some_and(|seconds| self.begun.elapsed() >= seconds) {
            return ControlFlow::Break(Ended::Time);
        }
        match progress.boxes < self.wanted.regions {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(Ended::Effort),
        }
    }
}
