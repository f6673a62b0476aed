//! The *baseline* of a fit is the model without covariates.

use crate::activation::{Activation, Preimages};
use crate::error::Result;
use crate::oracle::facts::Measured;
use crate::oracle::labels::Tally;

/// The model without covariates, φ(b + offset), and whether the responses fit into the range of φ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Baseline {
    /// Its loss at τ = 1.
    pub loss: f64,
    /// Its intercept; none if the model has none or if it is infinite.
    pub intercept: Option<f64>,
    /// Whether the model has finite coefficients.
    pub is_finite: bool,
    /// The variance of the responses: the loss of their mean, even if it is outside the range of φ. Without an
    /// intercept, or with offsets, it is `loss`.
    pub mean_loss: f64,
    /// Whether the weighted median of the responses lies strictly outside the range of φ.
    pub median_is_outside: bool,
}

/// Returns Σ ω r², Σ ω r φ′ and Σ ω φ′² over all rows, r = φ(b + offset) − y, as a function of the intercept b.
pub(super) type Constant<'a> = &'a dyn Fn(f64) -> Result<[f64; 3]>;

impl Baseline {
    /// Finds the baseline. `at` is used for rows with different offsets and for models without an intercept.
    pub(super) fn of(
        activation: &dyn Activation,
        intercept: bool,
        measured: &Measured,
        tally: &Tally,
        at: Constant<'_>,
    ) -> Result<Baseline> {
        let weight = measured.rows as f64 * measured.mean_weight();
        let (loss, best) = match intercept {
            false => (at(0.0)?[0] / weight, None),
            true if measured.offset_bounds.0 == measured.offset_bounds.1 => {
                constant(activation, measured, measured.offset_bounds.0)
            }
            true => least_square(tally.preimage_sum / weight, &|b| Ok(at(b)?.map(|sum| sum / weight)))?,
        };
        let share = |outside: f64| outside / weight;
        Ok(Baseline {
            loss,
            intercept: best,
            is_finite: best.is_some() || !intercept,
            mean_loss: if intercept && !measured.has_offsets { measured.labels.variance() } else { loss },
            median_is_outside: share(measured.below) > 0.5 || share(measured.above) > 0.5,
        })
    }
}

/// The loss of the best constant in the range of φ, and its intercept for this offset, if it is finite.
fn constant(activation: &dyn Activation, measured: &Measured, offset: f64) -> (f64, Option<f64>) {
    let range = activation.range();
    let constant = measured.labels.mean.clamp(range.lo, range.hi);
    let intercept = match activation.preimages(constant) {
        Preimages::One(b) | Preimages::Two { right: b, .. } => Some(b - offset),
        Preimages::None => None,
    };
    (measured.labels.about(constant), intercept)
}

/// Minimises over b by damped Gauss–Newton steps.
fn least_square(mut b: f64, at: Constant<'_>) -> Result<(f64, Option<f64>)> {
    let (mut here, mut size) = (at(b)?, 1.0);
    for _ in 0..50 {
        let trial = b - size * here[1] / here[2];
        let there = at(trial)?;
        if there[0] < here[0] {
            (b, here, size) = (trial, there, 1.0);
        } else {
            size *= 0.25;
        }
    }
    Ok((here[0], Some(b)))
}
