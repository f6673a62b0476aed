//! The straight line.

use super::{Activation, Preimages, Shape};

/// `φ(t) = t`
///
/// Linear least squares. Graduation does not change it, so it is the baseline for every other fit.
///
/// Reference: the leaky softplus of the paper (Table 1, `tab:elsc-elss`) at k = 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Identity;

impl Activation for Identity {
    fn name(&self) -> String {
        "identity".to_owned()
    }

    #[inline(always)]
    fn value(&self, t: f64) -> f64 {
        t
    }

    #[inline(always)]
    fn derivative(&self, _t: f64) -> f64 {
        1.0
    }

    #[inline(always)]
    fn second_derivative(&self, _t: f64) -> f64 {
        0.0
    }

    #[inline(always)]
    fn centered(&self, t: f64) -> f64 {
        t
    }

    fn average(&self, _sigma: f64, z: &[f64], out: &mut [f64]) {
        self.respond(z, out);
    }

    fn centre(&self) -> Option<f64> {
        Some(0.0)
    }

    fn tells_apart(&self, offset: bool, scale: bool) -> bool {
        !offset && !scale
    }

    fn largest_slope(&self) -> Option<f64> {
        Some(1.0)
    }

    fn shape(&self) -> Option<Shape> {
        Some(Shape::new(
            self,
            (&[], [f64::NEG_INFINITY, f64::INFINITY]),
            (&[], [1.0; 2]),
            (&[], [0.0; 2]),
            (&[], [f64::NEG_INFINITY, f64::INFINITY]),
        ))
    }

    fn preimages(&self, y: f64) -> Preimages {
        if y.is_finite() { Preimages::One(y) } else { Preimages::None }
    }

    fn graduate(&self, _tau: f64, z: &[f64], out: &mut [f64]) {
        // (τz)/τ is z up to rounding
        for (out, &z) in out.iter_mut().zip(z) {
            *out = z;
        }
    }
}
