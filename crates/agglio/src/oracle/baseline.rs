//! The *baseline* of a fit: the model without covariates, and what else the labels alone tell.

use crate::activation::Preimages;
use crate::math::tree::sum_of;
use crate::oracle::fold::Fold;
use crate::rows::Run;
use crate::rows::column;

/// What the labels alone tell: the model without covariates, and whether φ can take values like theirs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Baseline {
    /// Loss at τ = 1 of the model without covariates.
    pub loss: f64,
    /// Its intercept; none without one, and where it is infinite.
    pub intercept: Option<f64>,
    /// Whether that model has finite coefficients.
    pub is_finite: bool,
    /// Loss of the mean of the labels, be it in the range of φ or not; without an intercept, or with offsets, the loss of
    /// the model without covariates.
    pub mean_loss: f64,
    /// Whether the median label, by weight, lies strictly outside the range of φ.
    pub median_is_outside: bool,
    /// The smallest label, those without weight left out.
    pub smallest: f64,
    /// The largest.
    pub largest: f64,
}

/// A model without covariates.
struct Constant {
    loss: f64,
    intercept: Option<f64>,
}

/// A sum of squares of one variable, half of its derivative, and half of its Gauss–Newton curvature.
struct Square {
    loss: f64,
    gradient: f64,
    curvature: f64,
}

/// Where damped Gauss–Newton steps from `b` lead.
fn least_square(mut b: f64, at: impl Fn(f64) -> Square) -> Constant {
    let (mut here, mut size) = (at(b), 1.0);
    for _ in 0..50 {
        let trial = b - size * here.gradient / here.curvature;
        let there = at(trial);
        if there.loss < here.loss {
            (b, here, size) = (trial, there, 1.0);
        } else {
            size *= 0.25;
        }
    }
    Constant { loss: here.loss, intercept: Some(b) }
}

impl Fold<'_> {
    /// Fits the model without covariates and looks at the labels.
    pub(super) fn fit_baseline(&self) -> Baseline {
        let n = self.rows.len();
        let y = column(n, |run, y| self.rows.labels(run, y));
        let weight = self.rows.has_weights().then(|| column(n, |run, weight| self.rows.weights(run, weight)));
        let offset = self.rows.has_offsets().then(|| column(n, |run, offset| self.rows.offsets(run, offset)));
        let z = |i: usize| offset.as_ref().map_or(0.0, |offset| offset[i]);
        let mean = |values: &(dyn Fn(usize) -> f64 + Sync)| {
            let sum = match &weight {
                // a row without weight counts for nothing, even if its square overflows
                Some(weight) => sum_of(n, |i| if weight[i] > 0.0 { weight[i] * values(i) } else { 0.0 }),
                None => sum_of(n, values),
            };
            sum / (n as f64 * self.mean_weight)
        };
        let activation = self.labels.activation();
        let range = activation.range();
        let average = mean(&|i| y[i]);
        let constant = average.clamp(range.lo, range.hi);
        let beyond = |outside: &(dyn Fn(f64) -> bool + Sync)| mean(&|i| f64::from(u8::from(outside(y[i]))));
        let median_is_outside = beyond(&|y| y < range.lo) > 0.5 || beyond(&|y| y > range.hi) > 0.5;
        let baseline = match self.coordinates.intercept() {
            false => Constant { loss: mean(&|i| (activation.value(z(i)) - y[i]).powi(2)), intercept: None },
            true if (1..n).all(|i| z(i) == z(0)) => {
                let z = z(0);
                let intercept = match activation.preimages(constant) {
                    Preimages::One(b) | Preimages::Two { right: b, .. } => Some(b - z),
                    Preimages::None => None,
                };
                Constant { loss: mean(&|i| (constant - y[i]).powi(2)), intercept }
            }
            true => {
                let mut preimages = vec![0.0; y.len()];
                self.labels.preimages(0, &Run::Span(0..n), &mut preimages);
                least_square(mean(&|i| preimages[i] - z(i)), |b| Square {
                    loss: mean(&|i| (activation.value(b + z(i)) - y[i]).powi(2)),
                    gradient: mean(&|i| (activation.value(b + z(i)) - y[i]) * activation.derivative(b + z(i))),
                    curvature: mean(&|i| activation.derivative(b + z(i)).powi(2)),
                })
            }
        };
        let Constant { loss, intercept } = baseline;
        let plain = self.coordinates.intercept() && offset.is_none();
        let mean_loss = if plain { mean(&|i| (average - y[i]).powi(2)) } else { loss };
        let is_finite = intercept.is_some() || !self.coordinates.intercept();
        let counts = |i: &usize| weight.as_ref().is_none_or(|weight| weight[*i] > 0.0);
        let (smallest, largest) = (0..n)
            .filter(counts)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), i| (least.min(y[i]), most.max(y[i])));
        Baseline { loss, intercept, is_finite, mean_loss, median_is_outside, smallest, largest }
    }
}
