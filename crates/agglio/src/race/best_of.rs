//! A *race* between runs of the loop: the first comes from the linear stage, challengers begin elsewhere, and the lowest is
//! kept, a finite minimum before an optimum at infinity.

use std::ops::ControlFlow;

use crate::certificate::{Certificate, Far, glance_along_theta};
use crate::error::Result;
use crate::fit::{Observer, Outcome, Step};
use crate::math::linalg::norm;
use crate::oracle::{Batch, Oracle};
use crate::outcome::{Status, StopReason};

/// Losses this close, relatively, are the same minimum.
const SAME: f64 = 1e-6;
/// Losses this close, relatively, differ by where paths leave off.
const TIE: f64 = 1e-7;
/// θ this close to the best, relatively, is on its way there.
const NEAR: f64 = 1e-2;
/// A challenger is clearly behind where a step gains less than this share of what it lacks.
const SLOW: f64 = 0.01;
/// The same for a single step.
const SLOWEST: f64 = 1e-4;
/// Steps in a row that must be so slow.
const SLOW_STEPS: usize = 3;
/// Share of saturated rows from which on a challenger may be on its way to infinity.
const SATURATED: f64 = 0.5;

/// Share of saturated rows from which on a challenger is asked where it is going.
const ALL_SATURATED: f64 = 0.95;

/// Where a run began: one that began at the best and returns there is no witness for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// At a place that has nothing to do with the best.
    Independent,
    /// At the best.
    Best,
}

/// Outcomes of several runs of which one is kept.
pub(super) struct BestOf {
    best: Outcome,
    /// Whether the best is an optimum at infinity.
    infinite: bool,
    /// The lowest loss that is approached at infinity.
    at_infinity: Option<f64>,
    runs: Vec<Run>,
    /// Whether one of them was ended from outside, and all with it.
    interrupted: bool,
    /// The rows that all of them end on.
    rows: Batch,
    /// Where runs have ended, or were given up, above the best.
    others: Vec<Vec<f64>>,
    /// Restarts so far.
    restarts: u64,
}

/// The run that is kept.
pub(super) struct Kept {
    pub outcome: Outcome,
    /// Of the other runs, how many ended as low, and how many there are.
    pub agreed: (usize, usize),
    /// The loss at infinity, where that is lower.
    pub lower_at_infinity: Option<f64>,
}

/// What counts of a run once it is over.
struct Run {
    loss: f64,
    origin: Origin,
}

impl BestOf {
    pub fn new(first: Outcome, oracle: &dyn Oracle, rows: Batch) -> Result<BestOf> {
        let runs = vec![Run { loss: first.model.loss, origin: Origin::Independent }];
        let interrupted = first.reason == StopReason::Interrupted;
        let limit = limit_of(&first, oracle, rows)?;
        Ok(BestOf {
            runs,
            interrupted,
            best: first,
            infinite: limit.is_some(),
            at_infinity: limit,
            rows,
            others: Vec::new(),
            restarts: 0,
        })
    }

    /// Takes in how a challenger ended.
    pub fn enter(&mut self, outcome: Outcome, origin: Origin, oracle: &dyn Oracle) -> Result<()> {
        self.interrupted |= outcome.reason == StopReason::Interrupted;
        self.runs.push(Run { loss: outcome.model.loss, origin });
        let (theta, before) = (outcome.theta.clone(), self.best.theta.clone());
        self.decide(outcome, oracle)?;
        self.others.push(if self.best.theta == theta { before } else { theta });
        Ok(())
    }

    /// Keeps the outcome or the best.
    fn decide(&mut self, outcome: Outcome, oracle: &dyn Oracle) -> Result<()> {
        // of equals the first is kept: on a sample of the rows they may differ in what it does not see
        let lower = outcome.model.loss < self.best.model.loss * (1.0 - TIE);
        if !lower && !self.infinite {
            return Ok(());
        }
        match limit_of(&outcome, oracle, self.rows)? {
            Some(limit) => {
                self.note_infinity(limit);
                if self.infinite && lower {
                    self.best = outcome;
                }
            }
            None if lower => self.replace(outcome, oracle)?,
            None if self.infinite => self.prefer(outcome, oracle)?,
            None => {}
        }
        Ok(())
    }

    /// Takes in a loss that is approached at infinity.
    fn note_infinity(&mut self, loss: f64) {
        self.at_infinity = Some(self.at_infinity.map_or(loss, |known| known.min(loss)));
    }

    /// Puts a certified minimum in the place of an optimum at infinity.
    fn prefer(&mut self, outcome: Outcome, oracle: &dyn Oracle) -> Result<()> {
        let converged = Status::from(outcome.reason) == Status::Converged;
        if converged && Certificate::examine(oracle, &outcome)?.certified() {
            (self.best, self.infinite) = (outcome, false);
        }
        Ok(())
    }

    /// Puts a lower run in the place of the best, unless its optimum is at infinity and the best is a certified minimum.
    fn replace(&mut self, lower: Outcome, oracle: &dyn Oracle) -> Result<()> {
        let infinite = Certificate::examine(oracle, &lower)?.status == Status::Diverging;
        if infinite && !self.infinite && Certificate::examine(oracle, &self.best)?.certified() {
            self.note_infinity(lower.model.loss);
        } else {
            (self.best, self.infinite) = (lower, infinite);
        }
        Ok(())
    }

    /// Takes in a challenger that was given up on its way to the best, or somewhere above it.
    pub fn count(&mut self, met: bool, origin: Origin) {
        let loss = if met { self.best.model.loss } else { f64::INFINITY };
        self.runs.push(Run { loss, origin });
    }

    /// Takes in a challenger that was given up above the best.
    pub fn give_up(&mut self, theta: Vec<f64>, origin: Origin) {
        self.count(false, origin);
        self.others.push(theta);
    }

    /// Where runs have ended, or were given up, above the best.
    pub fn others(&self) -> &[Vec<f64>] {
        &self.others
    }

    /// Takes in a challenger that runs to infinity, where its loss comes to `limit`; answers whether it is worth following.
    pub fn count_infinite(&mut self, limit: f64, origin: Origin) -> bool {
        let known = self.at_infinity.unwrap_or(f64::INFINITY);
        let lower = limit + self.best.model.rounding() < known * (1.0 - TIE);
        self.note_infinity(limit);
        if self.infinite && lower {
            return true;
        }
        self.count(self.infinite && limit <= known * (1.0 + SAME) + self.best.model.rounding(), origin);
        false
    }

    /// Looks at the best with all that a certificate asks for, which may find that its optimum is at infinity.
    pub fn examine(&mut self, oracle: &dyn Oracle) -> Result<Certificate> {
        let certificate = Certificate::examine(oracle, &self.best)?;
        if certificate.status == Status::Diverging {
            self.infinite = true;
            self.note_infinity(self.best.model.loss);
        }
        Ok(certificate)
    }

    /// Whether the best so far is an optimum at infinity.
    pub fn is_infinite(&self) -> bool {
        self.infinite
    }

    /// The rows that all runs end on.
    pub fn rows(&self) -> Batch {
        self.rows
    }

    /// The run that is kept if no better one comes.
    pub fn best(&self) -> &Outcome {
        &self.best
    }

    /// Whether no further run can matter: the best is exact, or they were ended from outside.
    pub fn is_over(&self) -> bool {
        self.interrupted || self.best.model.is_rounding()
    }

    pub fn is_interrupted(&self) -> bool {
        self.interrupted
    }

    /// The number of the restart that comes next.
    pub fn next_restart(&mut self) -> u64 {
        self.restarts += 1;
        self.restarts - 1
    }

    /// Challengers so far.
    pub fn tried(&self) -> usize {
        self.runs.len() - 1
    }

    /// Of the runs that began independently, how many have ended at the best, and how many there are.
    pub fn witnesses(&self) -> (usize, usize) {
        let own = || self.runs.iter().filter(|run| run.origin == Origin::Independent);
        (own().filter(|run| self.is_lowest(run)).count(), own().count())
    }

    /// Whether a run has ended at the best. One that has ended lower than a finite best has run to infinity.
    fn is_lowest(&self, run: &Run) -> bool {
        let best = self.best.model.loss;
        run.loss <= best * (1.0 + SAME) && (self.infinite || run.loss >= best * (1.0 - SAME))
    }

    /// What is kept.
    pub fn end(mut self) -> Kept {
        if self.interrupted {
            self.best.reason = StopReason::Interrupted;
        }
        // the run that is kept agrees with itself
        let lowest = self.runs.iter().filter(|run| self.is_lowest(run)).count();
        let agreed = (lowest.saturating_sub(1), self.tried());
        let lower = self.at_infinity.filter(|&limit| !self.infinite && limit < self.best.model.loss * (1.0 - TIE));
        Kept { outcome: self.best, agreed, lower_at_infinity: lower }
    }
}

/// The loss that an outcome comes to at infinity, where it is on its way there.
fn limit_of(outcome: &Outcome, oracle: &dyn Oracle, rows: Batch) -> Result<Option<f64>> {
    if outcome.model.saturated < SATURATED || outcome.tau < 1.0 || outcome.multiplier > 0.0 {
        return Ok(None);
    }
    Ok(match glance_along_theta(oracle, outcome, rows)? {
        Far::Falls(limit) => Some(limit),
        _ => None,
    })
}

/// Why a challenger was stopped on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// It came close to the best.
    Met,
    /// Its steps gain too little of what it lacks.
    Behind,
    /// It came close to where another run has ended above the best.
    MetAnother,
    /// Nearly all slopes have vanished: it may be on its way to infinity.
    Saturated,
}

/// Stops a challenger as soon as its end can be told.
pub(super) struct Referee<'a> {
    best: &'a Outcome,
    known: &'a [Vec<f64>],
    rows: usize,
    /// Whether saturated rows are a reason to stop.
    watches_slopes: bool,
    last_loss: f64,
    slow: usize,
    pub decision: Option<Decision>,
    others: &'a mut dyn Observer,
}

impl<'a> Referee<'a> {
    /// For a challenger of `best` that ends on this number of `rows`.
    pub fn new(
        best: &'a Outcome,
        known: &'a [Vec<f64>],
        rows: usize,
        watches_slopes: bool,
        others: &'a mut dyn Observer,
    ) -> Referee<'a> {
        Referee { best, known, rows, watches_slopes, last_loss: f64::INFINITY, slow: 0, decision: None, others }
    }

    fn is_slow(&mut self, loss: f64) -> bool {
        let (gain, lack) = (self.last_loss - loss, loss - self.best.model.loss);
        self.last_loss = loss;
        self.slow = if lack > 0.0 && gain < SLOW * lack { self.slow + 1 } else { 0 };
        self.slow >= SLOW_STEPS || (lack > 0.0 && gain < SLOWEST * lack)
    }
}

impl Observer for Referee<'_> {
    fn step(&mut self, step: &Step<'_>) -> ControlFlow<()> {
        self.others.step(step)?;
        // judged where the best has ended, on the same rows
        if !step.accepted || step.tau != self.best.tau || step.rows != self.rows {
            return ControlFlow::Continue(());
        }
        self.decision = if are_near(step.theta, &self.best.theta) {
            Some(Decision::Met)
        } else if self.is_slow(step.loss) {
            Some(Decision::Behind)
        } else if step.loss > self.best.model.loss && self.known.iter().any(|known| are_near(step.theta, known)) {
            Some(Decision::MetAnother)
        } else {
            (self.watches_slopes && step.saturated >= ALL_SATURATED).then_some(Decision::Saturated)
        };
        if self.decision.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn are_near(theta: &[f64], known: &[f64]) -> bool {
    let away: Vec<f64> = theta.iter().zip(known).map(|(theta, known)| theta - known).collect();
    norm(&away) <= NEAR * norm(known)
}
