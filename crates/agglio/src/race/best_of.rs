//! The *best of* several runs: the lowest is kept, a finite minimum before an optimum at infinity.

use crate::certificate::{Certificate, Far, glance_along_theta};
use crate::error::Result;
use crate::fit::Outcome;
use crate::oracle::{Batch, LabelChoice, Oracle};
use crate::outcome::{Status, StopReason};
use crate::race::Found;

/// Losses this close, relatively, are the same minimum.
const SAME: f64 = 1e-6;
/// Losses this close, relatively, differ only because paths stop at different distances from the minimum.
const TIE: f64 = 1e-7;
/// A run with at least this share of saturated rows may be on its way to infinity.
const SATURATED: f64 = 0.5;

/// Where a run began. A run that began at the best and returns there does not count as agreement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// At a point that does not depend on the best.
    Independent,
    /// At the best.
    Best,
}

/// Outcomes of several runs of which one is kept.
pub(super) struct BestOf {
    best: Outcome,
    /// The certificate of the best, once it was asked for.
    certificate: Option<Certificate>,
    /// Whether the best is an optimum at infinity.
    infinite: bool,
    /// The lowest loss that is approached at infinity.
    at_infinity: Option<f64>,
    runs: Vec<Run>,
    /// Whether one of them was interrupted, which ends all of them.
    interrupted: bool,
    /// The rows on which all of them end.
    rows: Batch,
    /// The end points of runs that ended, or were given up, above the best.
    others: Vec<Vec<f64>>,
    /// Restarts so far.
    restarts: u64,
}

/// The record of a run that has ended.
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
            certificate: None,
            infinite: limit.is_some(),
            at_infinity: limit,
            rows,
            others: Vec::new(),
            restarts: 0,
        })
    }

    /// Enters the outcome of a challenger.
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
        // of equal runs the first is kept: they may differ in directions that a sample of the rows does not determine
        let lower = outcome.model.loss < self.best.model.loss * (1.0 - TIE);
        if !lower && !self.infinite {
            return Ok(());
        }
        match limit_of(&outcome, oracle, self.rows)? {
            Some(limit) => {
                self.note_infinity(limit);
                if self.infinite && lower {
                    self.take(outcome, true, None);
                }
            }
            None if lower => self.replace(outcome, oracle)?,
            None => self.prefer(outcome, oracle)?,
        }
        Ok(())
    }

    /// Enters a loss that is approached at infinity.
    fn note_infinity(&mut self, loss: f64) {
        self.at_infinity = Some(self.at_infinity.map_or(loss, |known| known.min(loss)));
    }

    /// Replaces an optimum at infinity by a certified minimum.
    fn prefer(&mut self, outcome: Outcome, oracle: &dyn Oracle) -> Result<()> {
        if Status::from(outcome.reason) != Status::Converged {
            return Ok(());
        }
        let certificate = Certificate::examine(oracle, &outcome)?;
        if certificate.certified() {
            self.take(outcome, false, Some(certificate));
        }
        Ok(())
    }

    /// Replaces the best by a lower run, unless that has its optimum at infinity and the best is a certified minimum.
    fn replace(&mut self, lower: Outcome, oracle: &dyn Oracle) -> Result<()> {
        let certificate = Certificate::examine(oracle, &lower)?;
        let infinite = certificate.status == Status::Diverging;
        if infinite && !self.infinite && self.certificate(oracle)?.certified() {
            self.note_infinity(lower.model.loss);
        } else {
            self.take(lower, infinite, Some(certificate));
        }
        Ok(())
    }

    fn take(&mut self, best: Outcome, infinite: bool, certificate: Option<Certificate>) {
        (self.best, self.infinite, self.certificate) = (best, infinite, certificate);
    }

    /// The certificate of the best, which is examined once.
    fn certificate(&mut self, oracle: &dyn Oracle) -> Result<Certificate> {
        let certificate = match self.certificate.take() {
            Some(known) => known,
            None => Certificate::examine(oracle, &self.best)?,
        };
        Ok(self.certificate.insert(certificate).clone())
    }

    /// Counts a challenger that was given up. `met`: on its way to the best, and not above it.
    pub fn count(&mut self, met: bool, origin: Origin) {
        let loss = if met { self.best.model.loss } else { f64::INFINITY };
        self.runs.push(Run { loss, origin });
    }

    /// Counts a challenger that was given up above the best, at θ.
    pub fn give_up(&mut self, theta: Vec<f64>, origin: Origin) {
        self.count(false, origin);
        self.others.push(theta);
    }

    /// The end points of runs that ended, or were given up, above the best.
    pub fn others(&self) -> &[Vec<f64>] {
        &self.others
    }

    /// Counts a challenger that runs to infinity, where its loss is `limit`, or returns true if the run should go on.
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

    /// The certificate of the best. It may find that the optimum is at infinity.
    pub fn examine(&mut self, oracle: &dyn Oracle) -> Result<Certificate> {
        let certificate = self.certificate(oracle)?;
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

    /// The rows on which all runs end.
    pub fn rows(&self) -> Batch {
        self.rows
    }

    /// The best run so far.
    pub fn best(&self) -> &Outcome {
        &self.best
    }

    /// Whether no further run is useful: the best is exact, or the fit was interrupted.
    pub fn is_over(&self) -> bool {
        self.interrupted || self.best.model.is_rounding()
    }

    pub fn is_interrupted(&self) -> bool {
        self.interrupted
    }

    /// The number of the next restart.
    pub fn next_restart(&mut self) -> u64 {
        self.restarts += 1;
        self.restarts - 1
    }

    /// Challengers so far.
    pub fn tried(&self) -> usize {
        self.runs.len() - 1
    }

    /// The number of independent runs that ended at the best, and the number of all independent runs.
    pub fn witnesses(&self) -> (usize, usize) {
        let own = || self.runs.iter().filter(|run| run.origin == Origin::Independent);
        (own().filter(|run| self.is_lowest(run)).count(), own().count())
    }

    /// Whether a run ended at the best. A run that ended lower than a finite best went to infinity.
    fn is_lowest(&self, run: &Run) -> bool {
        let best = self.best.model.loss;
        run.loss <= best * (1.0 + SAME) && (self.infinite || run.loss >= best * (1.0 - SAME))
    }

    /// The run that is kept, with these graduated labels.
    pub fn end(self, labels: LabelChoice) -> Found {
        // the run that is kept agrees with itself
        let lowest = self.runs.iter().filter(|run| self.is_lowest(run)).count();
        let agreed = (lowest.saturating_sub(1), self.tried());
        let lower = self.at_infinity.filter(|&limit| !self.infinite && limit < self.best.model.loss * (1.0 - TIE));
        let reason = if self.interrupted { StopReason::Interrupted } else { self.best.reason };
        Found {
            restarts: (self.tried() > 0).then_some(agreed),
            lower_at_infinity: lower,
            certificate: self.certificate.filter(|_| !self.interrupted),
            ..Found::new(Outcome { reason, ..self.best }, labels)
        }
    }
}

/// The loss that a run approaches at infinity, if it is on its way there.
fn limit_of(outcome: &Outcome, oracle: &dyn Oracle, rows: Batch) -> Result<Option<f64>> {
    if outcome.model.saturated < SATURATED || outcome.tau < 1.0 || outcome.multiplier > 0.0 {
        return Ok(None);
    }
    Ok(match glance_along_theta(oracle, outcome, rows)? {
        Far::Falls(limit) => Some(limit),
        _ => None,
    })
}
