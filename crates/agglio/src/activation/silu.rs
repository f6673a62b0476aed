//! The SiLU (swish) curve, which turns once.

use super::average;
use super::inverse::{self, Turn};
use super::normal::{density, distribution};
use super::{Activation, Preimages, Range, Sigmoid};
use crate::math::vector::Function;

/// The minimum, where φ(z) = z + 1; digits and series from `tests/it/golden/activations.py`.
const TURN: Turn = Turn {
    at: -1.2784645427610737,
    low: -0.2784645427610738,
    low_rest: 1.5523606315812798e-18,
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
/// A smooth ReLU that dips to −0.2785 before it vanishes on the left, so labels in the dip have two preimages.
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
        // σ(1 + tσ(−t)): the only subtraction is the one that makes the zero at the minimum.
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
        average::vanishing(self, sigma, z, out, |place| Gate { place, sigma });
    }

    fn range(&self) -> Range {
        Range { lo: TURN.low, hi: f64::INFINITY, attained: true }
    }

    fn largest_slope(&self) -> Option<f64> {
        // at t = 2.3993572805154675, where t·tanh(t/2) = 2
        Some(1.099839320128867)
    }

    fn preimages(&self, y: f64) -> Preimages {
        if !self.range().contains(y) {
            return Preimages::None;
        }
        if y >= 0.0 {
            return Preimages::One(inverse::rising(self, y / Sigmoid.value(y), y));
        }
        // Far to the left φ = t·e^t, so t = ln(−y) − ln(−t).
        let depth = -(-y).ln();
        TURN.preimages(self, -depth - depth.ln(), y)
    }
}

/// t·decay, and nothing once the decay is: at infinite t too.
#[inline(always)]
fn damped(t: f64, decay: f64) -> f64 {
    let product = t * decay;
    if decay == 0.0 { 0.0 } else { product }
}

/// `z ↦ E (z + ε)·[z + ε > place] = zΦ(x) + σΦ′(x), x = (z − place)/σ`
struct Gate {
    place: f64,
    sigma: f64,
}

impl Function for Gate {
    #[inline(always)]
    fn at(&self, z: f64) -> f64 {
        let x = (z - self.place) / self.sigma;
        // −∞·0 would be no number
        z.max(f64::MIN) * distribution(x) + self.sigma * density(x)
    }
}
