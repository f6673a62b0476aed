//! The *stop rule* decides when a fit ends, and why.
//!
//! A fit stops on its gradient relative to the gradient's own scale, `max_j |J_jᵀr|/(‖J_j‖‖r‖) ≤ tol`, on a
//! residual that is only rounding, on steps that can gain nothing any more, on a limit, or on numbers that are not
//! finite; never on the length of a step. The relative gradient is exact, over all rows, at the point that is
//! returned; it is asked for only when the sums of the ordinary steps say that it may be small enough.

use serde::{Deserialize, Serialize};

use crate::oracle::{Gradient, Model, Value};
use crate::outcome::StopReason;

/// The stop rule: a tolerance, a limit, and the history of the gradient.
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

/// Means over the steps of a stage, which cost nothing extra.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StageMean {
    steps: f64,
    loss: f64,
    square: f64,
    label_square: f64,
    gradient: Vec<f64>,
    predicted: f64,
}

impl StageMean {
    /// Adds the sums of a step and the decrease that it predicted.
    pub fn add(&mut self, sums: &Gradient, predicted: f64) {
        self.steps += 1.0;
        self.loss += sums.loss;
        self.square += sums.square;
        self.label_square += sums.label_square;
        self.predicted += predicted;
        self.gradient.resize(sums.gradient.len(), 0.0);
        self.gradient.iter_mut().zip(&sums.gradient).for_each(|(mean, g)| *mean += g);
    }

    /// Whether no step has been added.
    pub fn is_empty(&self) -> bool {
        self.steps == 0.0
    }

    /// Mean loss along the stage.
    pub fn loss(&self) -> f64 {
        self.loss / self.steps
    }

    /// Root of the mean square of the residuals along the stage.
    fn residual(&self) -> f64 {
        (self.square / self.steps).sqrt()
    }

    fn largest_gradient(&self) -> f64 {
        self.gradient.iter().fold(0.0, |most: f64, g| most.max(g.abs())) / self.steps
    }

    fn is_rounding(&self) -> bool {
        let (loss, square, label_square) = (self.loss, self.square, self.label_square);
        Value { loss, square, label_square, ..Value::default() }.is_rounding()
    }

    fn gains_nothing(&self) -> bool {
        self.predicted.abs() <= 0.25 * f64::EPSILON * self.loss
    }
}

impl Stop {
    /// After this number of stages the relative gradient is computed in any case.
    const CHECKUP: usize = 50;
    /// The largest relative gradient of a settled fit: the square root of rounding, with room for ill-conditioned problems.
    const SETTLED: f64 = 1e-6;

    /// Stops once the relative gradient is `tolerance`, or after `limit` stages.
    pub fn new(tolerance: f64, limit: usize) -> Stop {
        let (due, lowest) = (f64::INFINITY, f64::INFINITY);
        Stop { tolerance, aim: tolerance, limit, due, since_confirmed: 0, lowest, since_lowest: 0, patience: 20 }
    }

    /// Continues to a hundredth of the tolerance. For steps that converge linearly, two more digits cost little. The condition
    /// number of the problem multiplies the error of the gradient in that of the coefficients.
    pub fn beyond_tolerance(mut self) -> Stop {
        self.aim = 0.01 * self.tolerance;
        self
    }

    /// Waits `patience` stages for a smaller gradient before it counts as no longer falling. Default: 20.
    pub fn patience(mut self, patience: usize) -> Stop {
        self.patience = patience;
        self
    }

    /// Whether `stages` stages are the limit.
    pub fn at_limit(&self, stages: usize) -> bool {
        stages >= self.limit
    }

    /// Adds a stage at the last temperature. Returns whether the exact relative gradient is worth a pass.
    pub fn review(&mut self, mean: &StageMean, end: End) -> bool {
        let gradient = mean.largest_gradient();
        self.since_confirmed += 1;
        self.since_lowest += 1;
        if gradient < self.lowest * (1.0 - 1e-3) {
            (self.lowest, self.since_lowest) = (gradient, 0);
        }
        let stalled = self.stalled() && (mean.is_rounding() || mean.gains_nothing());
        end != End::Full || stalled || gradient <= self.due * mean.residual() || self.since_confirmed >= Self::CHECKUP
    }

    /// The stop reason from the exact sums at the end of a stage. `own` are those of the loss that is minimised, if it is not
    /// squares.
    pub fn confirm(&mut self, exact: &Model, own: Option<&Model>, mean: &StageMean, end: End) -> Option<StopReason> {
        self.since_confirmed = 0;
        let Some(relative) = own.unwrap_or(exact).relative_gradient() else { return Some(StopReason::Plateau) };
        let reached = relative <= self.aim || (end == End::Limit && relative <= self.tolerance);
        let elsewhere = own.is_some() && exact.relative_gradient().is_none_or(|squares| squares > self.tolerance);
        if reached && !elsewhere {
            return Some(StopReason::Gradient);
        }
        // at the limit an exact fit counts as exact, even if the gradient has not yet stalled
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
        // from here on the gradient of the steps is assumed to be proportional to the exact one
        self.due = mean.largest_gradient() / mean.residual() * (self.aim / relative);
        None
    }

    fn stalled(&self) -> bool {
        self.since_lowest >= self.patience
    }
}
