//! The exponential curve.

use super::elementary::{exp, exp_m1};
use super::{Activation, Preimages, Range, Shape};
use crate::math::vector::map;

/// `φ(t) = e^t`
///
/// The curve of exponential growth. Its derivative has no bound, so only solvers with a step search can fit it.
///
/// Reference: not in the paper; it is graduated like the half-bounded activations of the paper, with γ(τ) = 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Exp;

impl Activation for Exp {
    fn name(&self) -> String {
        "exp".to_owned()
    }

    #[inline(always)]
    fn value(&self, t: f64) -> f64 {
        exp(t)
    }

    #[inline(always)]
    fn derivative(&self, t: f64) -> f64 {
        exp(t)
    }

    #[inline(always)]
    fn second_derivative(&self, t: f64) -> f64 {
        exp(t)
    }

    #[inline(always)]
    fn centered(&self, t: f64) -> f64 {
        exp_m1(t)
    }

    fn average(&self, sigma: f64, z: &[f64], out: &mut [f64]) {
        let shift = 0.5 * sigma * sigma;
        // −∞ + ∞ would be NaN
        map(z, out, |z: f64| exp(z.max(f64::MIN) + shift));
    }

    fn tells_apart(&self, _offset: bool, scale: bool) -> bool {
        // b·e^z = e^{z + ln b}
        !scale
    }

    fn range(&self) -> Range {
        Range { lo: 0.0, hi: f64::INFINITY, attained: false }
    }

    fn shape(&self) -> Option<Shape> {
        Some(Shape::new(
            self,
            (&[], [0.0, f64::INFINITY]),
            (&[], [0.0, f64::INFINITY]),
            (&[], [0.0, f64::INFINITY]),
            (&[-1.0], [0.0, f64::INFINITY]),
        ))
    }

    fn preimages(&self, y: f64) -> Preimages {
        if self.range().contains(y) { Preimages::One(y.ln()) } else { Preimages::None }
    }
}
