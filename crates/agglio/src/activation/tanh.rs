//! The hyperbolic tangent.

use std::f64::consts::FRAC_PI_2;

use super::elementary::{exp, tanh};
use super::normal::above_half;
use super::{Activation, Preimages, Range, Shape, average};
use crate::math::vector::Function;

/// `φ(t) = tanh t`
///
/// The scaled sigmoid 2σ(2t) − 1, for responses between −1 and 1.
///
/// Reference: the sigmoid of the paper (Table 1, `tab:elsc-elss`) up to scale; γ(τ) = τ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tanh;

impl Activation for Tanh {
    fn name(&self) -> String {
        "tanh".to_owned()
    }

    #[inline(always)]
    fn value(&self, t: f64) -> f64 {
        tanh(t)
    }

    #[inline(always)]
    fn derivative(&self, t: f64) -> f64 {
        // 1 − tanh² would cancel, and 1/cosh² would overflow
        let e = exp(-2.0 * t.abs());
        4.0 * e / ((1.0 + e) * (1.0 + e))
    }

    #[inline(always)]
    fn second_derivative(&self, t: f64) -> f64 {
        -2.0 * tanh(t) * self.derivative(t)
    }

    #[inline(always)]
    fn centered(&self, t: f64) -> f64 {
        tanh(t)
    }

    fn average(&self, sigma: f64, z: &[f64], out: &mut [f64]) {
        average::logistic(self, FRAC_PI_2, sigma, z, out, |threshold| Sign { threshold: 0.5 * threshold, sigma });
    }

    fn range(&self) -> Range {
        Range { lo: -1.0, hi: 1.0, attained: false }
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
            (&[], [-1.0, 1.0]),
            (&[0.0], [0.0; 2]),
            // tanh² t = 1/3 there
            (&[-0.6584789484624084, 0.6584789484624084], [0.0; 2]),
            // 2t·tanh t = 1 there
            (&[-0.7717023192091043, 0.7717023192091043], [0.0; 2]),
        ))
    }

    fn preimages(&self, y: f64) -> Preimages {
        if !self.range().contains(y) {
            return Preimages::None;
        }
        // |y|, because for y near −1 the argument of ln1p would cancel
        let a = y.abs();
        Preimages::One((0.5 * (2.0 * a / (1.0 - a)).ln_1p()).copysign(y))
    }
}

/// `z ↦ E sign(z + ε − threshold) = 2Φ((z − threshold)/σ) − 1`
struct Sign {
    threshold: f64,
    sigma: f64,
}

impl Function for Sign {
    #[inline(always)]
    fn at(&self, z: f64) -> f64 {
        2.0 * above_half((z - self.threshold) / self.sigma)
    }
}
