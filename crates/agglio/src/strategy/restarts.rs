//! The *restarts* strategy: graduated paths on random halves of the rows, ended on all of them, and the best kept.
//!
//! A half of the rows has other minima in the way than the whole, but nearly the same good one; a random start has
//! nothing to do with either.

use crate::error::Result;
use crate::fit::Outcome;
use crate::observe::Observer;
use crate::oracle::{Fold, Oracle};
use crate::rng::{Random, Stream, derive_key};
use crate::rows::Batch;
use crate::stop::StopReason;
use crate::strategy::linear::Line;
use crate::strategy::{Plan, Restarts, Start};

/// Losses this close, relatively, are the same minimum.
const SAME: f64 = 1e-6;
/// With automatic restarts: fewest and most of them, and how many must end as low as the lowest.
const LEAST: usize = 8;
const MOST: usize = 40;
const ENOUGH: usize = 3;
/// Starts of the classical kind.
const STARTS: u64 = 10;

/// Outcomes of several runs of which the lowest is kept.
pub(super) struct Contest {
    best: Outcome,
    losses: Vec<f64>,
}

impl Contest {
    pub fn new(first: Outcome) -> Contest {
        Contest { losses: vec![first.sums.loss], best: first }
    }

    pub fn enter(&mut self, outcome: Outcome) {
        self.losses.push(outcome.sums.loss);
        if outcome.sums.loss < self.best.sums.loss {
            self.best = outcome;
        }
    }

    /// How many of the outcomes are as low as the lowest.
    fn agreed(&self) -> usize {
        let lowest = self.best.sums.loss * (1.0 + SAME);
        self.losses.iter().filter(|&&loss| loss <= lowest).count()
    }

    /// Whether enough has been tried.
    fn is_decided(&self, restarts: Restarts) -> bool {
        let tried = self.losses.len() - 1;
        match restarts {
            Restarts::Count(count) => tried >= count,
            Restarts::Auto if self.best.sums.is_rounding() => true,
            Restarts::Auto => tried >= MOST || (tried >= LEAST && self.agreed() >= ENOUGH),
        }
    }

    /// The lowest outcome, and how many of how many are as low.
    pub fn end(self) -> (Outcome, (usize, usize)) {
        let agreed = (self.agreed(), self.losses.len());
        (self.best, agreed)
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
        let key = Random::new(self.settings.seed, Stream::Restarts).bits();
        let mut interrupted = first.reason == StopReason::Interrupted;
        let mut contest = Contest::new(first);
        for index in 0.. {
            if interrupted || contest.is_decided(self.restarts) {
                break;
            }
            let half = Batch::Part { key: derive_key(key, index), start: 0, len: oracle.rows().div_ceil(2) };
            let start = Line::of(oracle, half).start(oracle, half);
            let outcome = self.path(oracle, start, vec![half, Batch::All], observer);
            interrupted = outcome.reason == StopReason::Interrupted;
            contest.enter(outcome);
        }
        contest.end()
    }

    /// Levenberg–Marquardt from random starts, the first of them the one asked for.
    pub(super) fn multistart(
        &self,
        oracle: &Fold<'_>,
        observer: &mut dyn Observer,
    ) -> Result<(Outcome, (usize, usize))> {
        let mut contest = Contest::new(self.single(oracle, observer)?);
        for index in 1..STARTS {
            let plan =
                Plan { start: Start::Random(None), ..self.clone() }.seeded(derive_key(self.settings.seed, index));
            contest.enter(plan.single(oracle, observer)?);
        }
        Ok(contest.end())
    }

    fn seeded(mut self, seed: u64) -> Plan {
        self.settings.seed = seed;
        self
    }
}
