//! The *referee* ends a challenger as soon as it is clear how it compares with the best run.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::fit::{Outcome, Step};
use crate::math::linalg::norm;
use crate::race::best_of::BestOf;

/// θ this close to that of another run, relatively, is on its way there.
const NEAR: f64 = 1e-2;
/// A challenger is clearly behind if each of `SLOW_STEPS` steps gains less than this share of its lag.
const SLOW: f64 = 0.01;
const SLOW_STEPS: usize = 3;
/// The same for a single step.
const SLOWEST: f64 = 1e-4;
/// A challenger with at least this share of saturated rows may be on its way to infinity.
const ALL_SATURATED: f64 = 0.95;

/// Why a challenger was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Decision {
    /// It came close to the best.
    Met,
    /// Its steps gain too small a share of its lag.
    Behind,
    /// It came close to where another run has ended above the best.
    MetAnother,
    /// Nearly all slopes have vanished: it may be on its way to infinity.
    Saturated,
}

/// Compares a challenger with the best, step by step.
pub(super) struct Referee<'b> {
    best: &'b Outcome,
    others: &'b [Vec<f64>],
    rows: usize,
    watches_slopes: bool,
    pub judgement: Judgement,
}

/// The memory of a referee.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Judgement {
    last_loss: f64,
    /// Slow steps in a row.
    slow: usize,
    /// Why the challenger was ended, if it was.
    pub decision: Option<Decision>,
}

impl Default for Judgement {
    fn default() -> Judgement {
        Judgement { last_loss: f64::INFINITY, slow: 0, decision: None }
    }
}

impl<'b> Referee<'b> {
    /// For a challenger of the best. `watches_slopes`: whether saturated rows are a reason to end it.
    pub fn new(best_of: &'b BestOf, rows: usize, watches_slopes: bool) -> Referee<'b> {
        let (best, others, rows) = (best_of.best(), best_of.others(), best_of.rows().len(rows));
        Referee { best, others, rows, watches_slopes, judgement: Judgement::default() }
    }

    pub fn step(&mut self, step: &Step<'_>) -> ControlFlow<()> {
        // only points at the last temperature and on the same rows compare with the best
        if !step.accepted || step.tau != self.best.tau || step.rows != self.rows {
            return ControlFlow::Continue(());
        }
        let decision = if are_near(step.theta, &self.best.theta) {
            Some(Decision::Met)
        } else if self.is_slow(step.loss) {
            Some(Decision::Behind)
        } else if step.loss > self.best.model.loss && self.others.iter().any(|other| are_near(step.theta, other)) {
            Some(Decision::MetAnother)
        } else {
            (self.watches_slopes && step.saturated >= ALL_SATURATED).then_some(Decision::Saturated)
        };
        self.judgement.decision = decision;
        if decision.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn is_slow(&mut self, loss: f64) -> bool {
        let Judgement { last_loss, slow, .. } = &mut self.judgement;
        let (gain, lack) = (*last_loss - loss, loss - self.best.model.loss);
        *last_loss = loss;
        *slow = if lack > 0.0 && gain < SLOW * lack { *slow + 1 } else { 0 };
        *slow >= SLOW_STEPS || (lack > 0.0 && gain < SLOWEST * lack)
    }
}

fn are_near(theta: &[f64], known: &[f64]) -> bool {
    let away: Vec<f64> = theta.iter().zip(known).map(|(theta, known)| theta - known).collect();
    norm(&away) <= NEAR * norm(known)
}
