//! The *baseline* of a fit is the model without covariates.

use serde::Serialize;

use crate::activation::Preimages;
use crate::error::Result;
use crate::oracle::driver::Problem;
use crate::oracle::facts::Measured;
use crate::oracle::labels::Tally;

/// The model without covariates, φ(b + offset), and whether the responses fit into the range of φ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Baseline {
    /// Its loss at τ = 1.
    pub loss: f64,
    /// Its intercept; none if the model has none or if it is infinite.
    pub intercept: Option<f64>,
    /// Whether the model has finite coefficients.
    pub is_finite: bool,
    /// Whether the loss is the lowest one: a closed form does not reach it if offsets differ.
    pub is_exact: bool,
    /// The loss of the mean of the responses, for least squares their variance, even if it is outside the range of φ. Without an
    /// intercept, or with offsets, it is `loss`.
    pub mean_loss: f64,
    /// Whether the weighted median of the responses lies strictly outside the range of φ.
    pub median_is_outside: bool,
}

impl Baseline {
    /// Finds the baseline in closed form. If offsets differ it finds only a point near the baseline. `loss_at` returns the
    /// loss at an intercept.
    pub(super) fn of(
        problem: &Problem,
        measured: &Measured,
        tally: &Tally,
        loss_at: &dyn Fn(f64) -> Result<f64>,
    ) -> Result<Baseline> {
        let (intercept, labels) = (problem.intercept, &measured.labels);
        let weight = measured.rows as f64 * measured.mean_weight();
        let is_exact = !intercept || measured.offset_bounds.0 == measured.offset_bounds.1;
        let (loss, best) = match intercept {
            false => (loss_at(0.0)?, None),
            true if is_exact => constant(problem, measured, measured.offset_bounds.0),
            true => {
                let near = tally.preimage_sum / weight;
                (loss_at(near)?, Some(near))
            }
        };
        let share = |outside: f64| outside / weight;
        Ok(Baseline {
            loss,
            intercept: best,
            is_finite: best.is_some() || !intercept,
            is_exact,
            mean_loss: if intercept && !measured.has_offsets {
                problem.loss.of_constant(labels, labels.mean)
            } else {
                loss
            },
            median_is_outside: share(measured.below) > 0.5 || share(measured.above) > 0.5,
        })
    }
}

impl Baseline {
    /// The baseline of a model with a free response scale, which can take every constant value.
    pub(super) fn of_mean(measured: &Measured) -> Baseline {
        let loss = measured.labels.variance();
        Baseline { loss, intercept: None, is_finite: true, is_exact: true, mean_loss: loss, median_is_outside: false }
    }
}

/// The loss of the best constant in the range of φ, and its intercept for this offset, if it is finite.
fn constant(problem: &Problem, measured: &Measured, offset: f64) -> (f64, Option<f64>) {
    let range = problem.activation.range();
    let constant = measured.labels.mean.clamp(range.lo, range.hi);
    let intercept = match problem.activation.preimages(constant) {
        Preimages::One(b) | Preimages::Two { right: b, .. } => Some(b - offset),
        Preimages::None => None,
    };
    (problem.loss.of_constant(&measured.labels, constant), intercept)
}
