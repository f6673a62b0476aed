//! The saturating exponential curve.

use super::elementary::{exp, exp_m1};
use super::{Activation, Preimages, Range, Shape};
use crate::math::vector::map;

/// `φ(t) = 1 − e^{−t}`
///
/// First-order approach to a limit, as of a charge or of oxygen demand: φ(0) = 0, φ(+∞) = 1. To the left it falls
/// without bound, and so does its derivative, so only solvers with a step search can fit it. It is `−expm1(−t)` in terms
/// of the library function expm1, and the mirror image of [`Exp`](super::Exp).
///
/// Reference: not in the paper; it is graduated like the half-bounded activations of the paper, with γ(τ) = 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expm1;

impl Activation for Expm1 {
    fn name(&self) -> String {
        "expm1".to_owned()
    }

    #[inline(always)]
    fn value(&self, t: f64) -> f64 {
        0.0 - exp_m1(-t)
    }

    #[inline(always)]
    fn derivative(&self, t: f64) -> f64 {
        exp(-t)
    }

    #[inline(always)]
    fn second_derivative(&self, t: f64) -> f64 {
        0.0 - exp(-t)
    }

    #[inline(always)]
    fn centered(&self, t: f64) -> f64 {
        0.0 - exp_m1(-t)
    }

    fn average(&self, sigma: f64, z: &[f64], out: &mut [f64]) {
        let shift = 0.5 * sigma * sigma;
        // ∞ − ∞ would be NaN
        map(z, out, |z: f64| 0.0 - exp_m1(shift - z.min(f64::MAX)));
    }

    fn tells_apart(&self, offset: bool, scale: bool) -> bool {
        // a + b − b·e^{−c}·e^{−z} has two parameters besides z, not three
        !(offset && scale)
    }

    fn range(&self) -> Range {
        Range { lo: f64::NEG_INFINITY, hi: 1.0, attained: false }
    }

    fn shape(&self) -> Option<Shape> {
        Some(Shape::new(
            self,
            (&[], [f64::NEG_INFINITY, 1.0]),
            (&[], [f64::INFINITY, 0.0]),
            (&[], [f64::NEG_INFINITY, 0.0]),
            (&[1.0], [f64::NEG_INFINITY, 0.0]),
        ))
    }

    fn preimages(&self, y: f64) -> Preimages {
        // 1 − y is exact for y ≥ ½, where the logarithm is sensitive to it
        if self.range().contains(y) { Preimages::One(0.0 - (-y).ln_1p()) } else { Preimages::None }
    }
}
