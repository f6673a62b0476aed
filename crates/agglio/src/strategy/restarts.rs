//! The *restarts* strategy: graduated paths on random parts of the rows, ended on all of them, and the best kept.
//!
//! A part of the rows has other minima in the way than the whole, but nearly the same good one; a random start has
//! nothing to do with either. By turns a path begins at the linear stage of a random half, and at the best point so far
//! on a random quarter: the first finds other regions, the second keeps what is good about the best and shakes the rest.

use std::ops::ControlFlow;

use crate::error::Result;
use crate::fit::Outcome;
use crate::observe::{Observer, Step};
use crate::oracle::{Fold, Oracle};
use crate::rng::{Random, Stream, derive_key};
use crate::rows::Batch;
use crate::stop::StopReason;
use crate::strategy::{Plan, Start};

/// How many further paths to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restarts {
    /// So many.
    Count(usize),
    /// Until half of those that begin by themselves have ended as low as the lowest, at least eight and at most forty paths;
    /// none for an exact fit.
    Auto,
}

/// Losses this close, relatively, are the same minimum.
const SAME: f64 = 1e-6;
/// Losses this close, relatively, differ by where paths leave off.
const TIE: f64 = 1e-7;
/// θ this close to the best, relatively, is on its way there.
const NEAR: f64 = 1e-2;
/// With automatic restarts: fewest and most of them.
const LEAST: usize = 8;
const MOST: usize = 40;
/// Starts of the classical kind.
const STARTS: u64 = 10;

/// Outcomes of several runs of which the lowest is kept.
pub(super) struct Contest {
    best: Outcome,
    runs: Vec<Run>,
    /// Whether one of them was ended from outside, and all with it.
    interrupted: bool,
}

/// What counts of a run once it is over.
struct Run {
    loss: f64,
    origin: Origin,
}

/// Where a run began: one that began at the best and returns there is no witness for it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Own,
    Best,
}

impl Contest {
    pub fn new(first: Outcome) -> Contest {
        let runs = vec![Run { loss: first.sums.loss, origin: Origin::Own }];
        Contest { runs, interrupted: first.reason == StopReason::Interrupted, best: first }
    }

    pub fn enter(&mut self, outcome: Outcome, origin: Origin) {
        self.runs.push(Run { loss: outcome.sums.loss, origin });
        self.interrupted |= outcome.reason == StopReason::Interrupted;
        // of equals the first is kept: on a sample of the rows they may differ in what it does not see
        if outcome.sums.loss < self.best.sums.loss * (1.0 - TIE) {
            self.best = outcome;
        }
    }

    /// The lowest so far.
    pub fn best(&self) -> &Outcome {
        &self.best
    }

    /// Whether no further run can matter: the lowest is exact, or they were ended from outside.
    pub fn is_over(&self) -> bool {
        self.interrupted || self.best.sums.is_rounding()
    }

    /// A run that was seen to be on its way to the best.
    fn meet(&mut self, origin: Origin) {
        self.runs.push(Run { loss: self.best.sums.loss, origin });
    }

    fn is_lowest(&self, run: &Run) -> bool {
        run.loss <= self.best.sums.loss * (1.0 + SAME)
    }

    /// Whether half of the runs that began by themselves have ended at the lowest.
    fn has_witnesses(&self) -> bool {
        let own = || self.runs.iter().filter(|run| run.origin == Origin::Own);
        2 * own().filter(|run| self.is_lowest(run)).count() >= own().count()
    }

    /// Whether enough has been tried.
    fn is_decided(&self, restarts: Restarts) -> bool {
        let tried = self.runs.len() - 1;
        match restarts {
            _ if self.interrupted => true,
            Restarts::Count(count) => tried >= count,
            Restarts::Auto if self.is_over() => true,
            Restarts::Auto => tried >= MOST || (tried >= LEAST && self.has_witnesses()),
        }
    }

    /// The lowest outcome, and how many of how many are as low.
    pub fn end(mut self) -> (Outcome, (usize, usize)) {
        if self.interrupted {
            self.best.reason = StopReason::Interrupted;
        }
        let agreed = (self.runs.iter().filter(|run| self.is_lowest(run)).count(), self.runs.len());
        (self.best, agreed)
    }
}

/// Ends a path that has come close to a point where another has already ended.
struct Reunion<'a> {
    known: &'a [f64],
    tau: f64,
    rows: usize,
    met: bool,
    others: &'a mut dyn Observer,
}

impl Observer for Reunion<'_> {
    fn step(&mut self, step: &Step<'_>) -> ControlFlow<()> {
        self.others.step(step)?;
        let square = |w: &mut dyn Iterator<Item = f64>| w.map(|w| w * w).sum::<f64>();
        let away = square(&mut step.theta.iter().zip(self.known).map(|(theta, known)| theta - known));
        let near = away <= NEAR * NEAR * square(&mut self.known.iter().copied());
        self.met = near && step.accepted && step.tau == self.tau && step.rows == self.rows;
        if self.met { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Plan {
    /// Improves on `first` by further paths, if any of them ends lower.
    pub(super) fn restart(
        &self,
        first: Outcome,
        oracle: &mut Fold<'_>,
        observer: &mut dyn Observer,
    ) -> (Outcome, (usize, usize)) {
        let (all, key) = (oracle.rows(), Random::new(self.settings.seed, Stream::Restarts).bits());
        let mut contest = Contest::new(first);
        for index in 0.. {
            if contest.is_decided(self.restarts) {
                break;
            }
            let part = |share| Batch::Part { key: derive_key(key, index), start: 0, len: all.div_ceil(share) };
            let (origin, start, rows) = match index % 2 {
                0 => (Origin::Own, self.line(oracle, part(2)).start(oracle), part(2)),
                _ => (Origin::Best, contest.best.theta.clone(), part(4)),
            };
            match self.rival(&contest.best, oracle, start, vec![rows, Batch::All], observer) {
                None => contest.meet(origin),
                Some(outcome) => contest.enter(outcome, origin),
            }
        }
        contest.end()
    }

    /// A path that may end lower than the best; none if it is on its way there.
    pub(super) fn rival(
        &self,
        best: &Outcome,
        oracle: &Fold<'_>,
        start: Vec<f64>,
        samples: Vec<Batch>,
        observer: &mut dyn Observer,
    ) -> Option<Outcome> {
        let rows = samples.last().map_or(0, |last| last.len(oracle.rows()));
        let tau = best.tau;
        let mut reunion = Reunion { known: &best.theta, tau, rows, met: false, others: observer };
        let outcome = self.path(oracle, start, samples, None, &mut reunion);
        (!reunion.met).then_some(outcome)
    }

    /// Levenberg–Marquardt from random starts, the first of them the one asked for.
    pub(super) fn multistart(
        &self,
        oracle: &Fold<'_>,
        observer: &mut dyn Observer,
    ) -> Result<(Outcome, (usize, usize))> {
        let mut contest = Contest::new(self.single(oracle, observer)?);
        for index in 1..STARTS {
            if contest.interrupted {
                break;
            }
            let plan =
                Plan { start: Start::Random(None), ..self.clone() }.seeded(derive_key(self.settings.seed, index));
            contest.enter(plan.single(oracle, observer)?, Origin::Own);
        }
        Ok(contest.end())
    }

    fn seeded(mut self, seed: u64) -> Plan {
        self.settings.seed = seed;
        self
    }
}
