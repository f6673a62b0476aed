//! The *baseline* of a fit: the model without covariates.

use crate::activation::{Activation, Preimages};
use crate::error::Result;
use crate::oracle::facts::Measured;
use crate::oracle::labels::Tally;

/// The model without covariates, φ(b + offset), and whether φ can take values like the labels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Baseline {
    /// Its loss at τ = 1.
    pub loss: f64,
    /// Its intercept; none without one, and where it is infinite.
    pub intercept: Option<f64>,
    /// Whether that model has finite coefficients.
    pub is_finite: bool,
    /// Whether the loss is the lowest: a closed form does not reach that where offsets differ.
    pub is_exact: bool,
    /// Loss of the mean of the labels, be it in the range of φ or not; without an intercept, or with offsets, the loss of
    /// the model without covariates.
    pub mean_loss: f64,
    /// Whether the median label, by weight, lies strictly outside the range of φ.
    pub median_is_outside: bool,
}

impl Baseline {
    /// Finds it in closed form: for rows with different offsets, only a point near it. `loss_at` gives the loss at an
    /// intercept.
    pub(super) fn of(
        activation: &dyn Activation,
        intercept: bool,
        measured: &Measured,
        tally: &Tally,
        loss_at: &dyn Fn(f64) -> Result<f64>,
    ) -> Result<Baseline> {
        let weight = measured.rows as f64 * measured.mean_weight();
        let is_exact = !intercept || measured.offset_bounds.0 == measured.offset_bounds.1;
        let (loss, best) = match intercept {
            false => (loss_at(0.0)?, None),
            true if is_exact => constant(activation, measured, measured.offset_bounds.0),
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
            mean_loss: if intercept && !measured.has_offsets { measured.labels.variance() } else { loss },
            median_is_outside: share(measured.below) > 0.5 || share(measured.above) > 0.5,
        })
    }
}

/// The loss of the best constant that φ can take, and its intercept beside this offset, where that is finite.
fn constant(activation: &dyn Activation, measured: &Measured, offset: f64) -> (f64, Option<f64>) {
    let range = activation.range();
    let constant = measured.labels.mean.clamp(range.lo, range.hi);
    let intercept = match activation.preimages(constant) {
        Preimages::One(b) | Preimages::Two { right: b, .. } => Some(b - offset),
        Preimages::None => None,
    };
    (measured.labels.about(constant), intercept)
}
