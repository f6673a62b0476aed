//! The SiLU (swish) curve, which has one minimum.

use super::inverse::{self, Minimum};
use super::normal::{density, distribution};
use super::{Activation, Preimages, Range, Shape, Sigmoid, average};
use crate::math::vector::Function;

/// The minimum, where φ(z) = z + 1; digits and series from `tests/it/golden/activations.py`.
const MINIMUM: Minimum = Minimum {
    at: -1.2784645427610737,
    value: -0.2784645427610738,
    value_rest: 1.5523606315812798e-18,
    series: [
        3.0302216013580994,
        -2.0607476511124148,
        2.9008178055701452,
        -3.9864452806038697,
        6.03466916846034,
        -9.459839580173238,
        15.285847390635515,
    ],
};

/// `φ(t) = t·σ(t)`, σ the [`Sigmoid`]
///
/// A smooth ReLU that decreases to −0.2785 and tends to 0 on the left, so negative responses have two preimages.
///
/// Reference: Table 1 of the paper (`tab:elsc-elss`), row "SiLU"; its graduation is z·σ(τz).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Silu;

impl Activation for Silu {
    fn name(&self) -> String {
        "silu".to_owned()
    }

    #[inline(always)]
    fn value(&self, t: f64) -> f64 {
        damped(t, Sigmoid.value(t))
    }

    #[inline(always)]
    fn derivative(&self, t: f64) -> f64 {
        // σ(1 + tσ(−t)): digits cancel only at the minimum, where the derivative is zero
        damped(1.0 + damped(t, Sigmoid.value(-t)), Sigmoid.value(t))
    }

    #[inline(always)]
    fn second_derivative(&self, t: f64) -> f64 {
        damped(2.0 - 2.0 * t * Sigmoid.centered(t), Sigmoid.derivative(t))
    }

    #[inline(always)]
    fn centered(&self, t: f64) -> f64 {
        self.value(t)
    }

    fn average(&self, sigma: f64, z: &[f64], out: &mut [f64]) {
        average::vanishing(self, sigma, z, out, |threshold| Gate { threshold, sigma });
    }

    fn range(&self) -> Range {
        Range { lo: MINIMUM.value, hi: f64::INFINITY, attained: true }
    }

    fn limits(&self) -> (f64, f64) {
        // the lower bound of the range is a minimum, not a limit
        (0.0, f64::INFINITY)
    }

    fn largest_slope(&self) -> Option<f64> {
        // at t = 2.3993572805154675, where t·tanh(t/2) = 2
        Some(1.099839320128867)
    }

    fn shape(&self) -> Option<Shape> {
        Some(Shape::new(
            self,
            (&[MINIMUM.at], [0.0, f64::INFINITY]),
            // t·tanh(t/2) = 2 there
            (&[-2.3993572805154675, 2.3993572805154675], [0.0, 1.0]),
            (&[-3.435840993535111, 0.0, 3.435840993535111], [0.0; 2]),
            (&[-2.937235635097357, -0.552581208485091], [0.0, f64::INFINITY]),
        ))
    }

    fn preimages(&self, y: f64) -> Preimages {
        if !self.range().contains(y) {
            return Preimages::None;
        }
        if y >= 0.0 {
            return Preimages::One(inverse::rising(self, y / Sigmoid.value(y), y));
        }
        // far to the left φ(t) = t·e^t, so t = ln(−y) − ln(−t)
        let depth = -(-y).ln();
        MINIMUM.preimages(self, -depth - depth.ln(), y)
    }
}

/// t·decay, which is 0 if `decay` is, even for infinite t.
#[inline(always)]
fn damped(t: f64, decay: f64) -> f64 {
    let product = t * decay;
    if decay == 0.0 { 0.0 } else { product }
}

/// `z ↦ E (z + ε)·[z + ε > threshold] = zΦ(x) + σΦ′(x), x = (z − threshold)/σ`
struct Gate {
    threshold: f64,
    sigma: f64,
}

impl Function for Gate {
    #[inline(always)]
    fn at(&self, z: f64) -> f64 {
        let x = (z - self.threshold) / self.sigma;
        // −∞·0 would be NaN
        z.max(f64::MIN) * distribution(x) + self.sigma * density(x)
    }
}
