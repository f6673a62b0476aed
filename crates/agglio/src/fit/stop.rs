//! When a fit is over, and why.
//!
//! A fit stops on its gradient relative to the gradient's own scale, `max_j |J_jᵀr|/(‖J_j‖‖r‖) ≤ tol`, on a
//! residual that is only rounding, on steps that can gain nothing any more, on a limit, or on numbers that are not
//! finite; never on the length of a step. The relative gradient is exact, over all rows, at the point that is
//! returned; it is asked for only when the sums of the ordinary steps say that it may be small enough.

use serde::{Deserialize, Serialize};

use crate::oracle::{Gradient, Model, Value};
use crate::outcome::StopReason;

/// The rule: a tolerance, a limit, and what has been seen so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stop {
    tolerance: f64,
    /// The relative gradient at which the steps themselves end, no larger than the tolerance.
    aim: f64,
    limit: usize,
    /// Confirm once a stage's scale-free gradient is this small.
    due: f64,
    since_confirmed: usize,
    lowest: f64,
    since_lowest: usize,
    /// Stages without a new smallest gradient after which it counts as no longer falling.
    patience: usize,
}

/// How a stage ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All its steps were taken.
    Full,
    /// The step rule had nothing left to do.
    Settled,
    /// It was the last one allowed.
    Limit,
}

/// Mean of what a stage's steps saw, which costs nothing extra.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StageMean {
    steps: f64,
    loss: f64,
    label_square: f64,
    gradient: Vec<f64>,
    predicted: f64,
}

impl StageMean {
    /// Takes in one step's sums and the decrease it promised.
    pub fn add(&mut self, sums: &Gradient, predicted: f64) {
        self.steps += 1.0;
        self.loss += sums.loss;
        self.label_square += sums.label_square;
        self.predicted += predicted;
        self.gradient.resize(sums.gradient.len(), 0.0);
        self.gradient.iter_mut().zip(&sums.gradient).for_each(|(mean, g)| *mean += g);
    }

    /// Whether no step has been taken in.
    pub fn is_empty(&self) -> bool {
        self.steps == 0.0
    }

    /// Mean loss along the stage.
    pub fn loss(&self) -> f64 {
        self.loss / self.steps
    }

    fn largest_gradient(&self) -> f64 {
        self.gradient.iter().fold(0.0, |most: f64, g| most.max(g.abs())) / self.steps
    }

    fn is_rounding(&self) -> bool {
        Value { loss: self.loss, label_square: self.label_square, ..Value::default() }.is_rounding()
    }

    fn gains_nothing(&self) -> bool {
        self.predicted.abs() <= 0.25 * f64::EPSILON * self.loss
    }
}

impl Stop {
    /// Stages after which the relative gradient is asked for in any case.
    const CHECKUP: usize = 50;
    /// The relative gradient that a settled fit must have; the square root of rounding with room for conditioning.
    const SETTLED: f64 = 1e-6;

    /// Stops once the relative gradient is `tolerance`, or after `limit` stages.
    pub fn new(tolerance: f64, limit: usize) -> Stop {
        let (due, lowest) = (f64::INFINITY, f64::INFINITY);
        Stop { tolerance, aim: tolerance, limit, due, since_confirmed: 0, lowest, since_lowest: 0, patience: 20 }
    }

    /// Goes on to a hundredth of the tolerance: for steps that converge linearly two digits more cost little, and the
    /// coefficients are farther from the optimum than the gradient from zero by the condition of the problem.
    pub fn beyond_tolerance(mut self) -> Stop {
        self.aim = 0.01 * self.tolerance;
        self
    }

    /// Waits `patience` stages for a smaller gradient before it counts as no longer falling. Default: 20.
    pub fn patience(mut self, patience: usize) -> Stop {
        self.patience = patience;
        self
    }

    /// Whether `stages` stages are as many as there may be.
    pub fn at_limit(&self, stages: usize) -> bool {
        stages >= self.limit
    }

    /// Takes in a stage at the last temperature; answers whether the exact relative gradient is worth a pass.
    pub fn review(&mut self, mean: &StageMean, end: End) -> bool {
        let gradient = mean.largest_gradient();
        self.since_confirmed += 1;
        self.since_lowest += 1;
        if gradient < self.lowest * (1.0 - 1e-3) {
            (self.lowest, self.since_lowest) = (gradient, 0);
        }
        let stalled = self.stalled() && (mean.is_rounding() || mean.gains_nothing());
        end != End::Full
            || stalled
            || gradient <= self.due * mean.loss().sqrt()
            || self.since_confirmed >= Self::CHECKUP
    }

    /// The verdict of the exact sums at the point that a stage ended at; `own` are those of the loss that is minimised,
    /// where it is not squares.
    pub fn confirm(&mut self, exact: &Model, own: Option<&Model>, mean: &StageMean, end: End) -> Option<StopReason> {
        self.since_confirmed = 0;
        let Some(relative) = own.unwrap_or(exact).relative_gradient() else { return Some(StopReason::Plateau) };
        let reached = relative <= self.aim || (end == End::Limit && relative <= self.tolerance);
        let elsewhere = own.is_some() && exact.relative_gradient().is_none_or(|squares| squares > self.tolerance);
        if reached && !elsewhere {
            return Some(StopReason::Gradient);
        }
        // a fit that is exact is so at the limit too, even if the gradient has not had the time to stall
        if (self.stalled() || end != End::Full) && exact.is_rounding() {
            return Some(StopReason::Rounding);
        }
        if end == End::Settled || (self.stalled() && mean.gains_nothing()) {
            return Some(match relative <= Self::SETTLED {
                true if elsewhere => StopReason::Matching,
                true => StopReason::Settled,
                false => StopReason::Plateau,
            });
        }
        if reached {
            return Some(StopReason::Matching);
        }
        // the statistic of the steps is taken to be proportional to the exact one from here on
        self.due = mean.largest_gradient() / mean.loss().sqrt() * (self.aim / relative);
        None
    }

    fn stalled(&self) -> bool {
        self.since_lowest >= self.patience
    }
}
