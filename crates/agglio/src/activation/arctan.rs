//! The arctangent.

use std::f64::consts::FRAC_PI_2;

use super::elementary::arctan;
use super::{Activation, Preimages, Range, Shape, average};

/// `φ(t) = arctan t`
///
/// A response between −π/2 and π/2 that approaches its bounds slowly, like 1/t. The `cauchit` link is ½ + arctan(t)/π,
/// which this curve is up to offset and scale.
///
/// Reference: not in the paper; a sigmoid in the sense of its Table 1 (`tab:elsc-elss`) up to scale, γ(τ) = τ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Arctan;

impl Activation for Arctan {
    fn name(&self) -> String {
        "arctan".to_owned()
    }

    #[inline(always)]
    fn value(&self, t: f64) -> f64 {
        arctan(t)
    }

    #[inline(always)]
    fn derivative(&self, t: f64) -> f64 {
        1.0 / (1.0 + t * t)
    }

    #[inline(always)]
    fn second_derivative(&self, t: f64) -> f64 {
        let slope = self.derivative(t);
        let product = -2.0 * t * slope * slope;
        // ∞·0 would be NaN
        if slope == 0.0 { 0.0 } else { product }
    }

    #[inline(always)]
    fn centered(&self, t: f64) -> f64 {
        arctan(t)
    }

    fn average(&self, sigma: f64, z: &[f64], out: &mut [f64]) {
        // φ is an average of steps over the Cauchy distribution, whose tails are too long for a rule over thresholds
        average::refined(self, sigma, z, out);
        out.iter_mut().for_each(|out| *out = out.clamp(-FRAC_PI_2, FRAC_PI_2));
    }

    fn range(&self) -> Range {
        Range { lo: -FRAC_PI_2, hi: FRAC_PI_2, attained: false }
    }

    fn centre(&self) -> Option<f64> {
        Some(0.0)
    }

    fn largest_slope(&self) -> Option<f64> {
        Some(1.0)
    }

    fn shape(&self) -> Option<Shape> {
        Some(Shape::new(
            self,
            (&[], [-FRAC_PI_2, FRAC_PI_2]),
            (&[0.0], [0.0; 2]),
            // 3t² = 1 there
            (&[-0.5773502691896257, 0.5773502691896257], [0.0; 2]),
            (&[-1.0, 1.0], [0.0; 2]),
        ))
    }

    fn preimages(&self, y: f64) -> Preimages {
        if self.range().contains(y) { Preimages::One(y.tan()) } else { Preimages::None }
    }
}
