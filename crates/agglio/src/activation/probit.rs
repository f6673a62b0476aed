//! The normal distribution function.

use super::average::Step;
use super::normal::{
    PEAK, UNDERFLOW, above_half, density, distribution, log_derivative, log_distribution, log_second_derivative, moment,
};
use super::{Activation, Preimages, Range, Shape, inverse};
use crate::math::vector::map;

/// `φ(t) = Φ(t) = ½ erfc(−t/√2)`
///
/// The probability of a probit model.
///
/// Reference: not in the paper; a sigmoid in the sense of its Table 1 (`tab:elsc-elss`), γ(τ) = τ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Probit;

impl Activation for Probit {
    fn name(&self) -> String {
        "probit".to_owned()
    }

    #[inline(always)]
    fn value(&self, t: f64) -> f64 {
        distribution(t)
    }

    #[inline(always)]
    fn derivative(&self, t: f64) -> f64 {
        density(t)
    }

    #[inline(always)]
    fn second_derivative(&self, t: f64) -> f64 {
        -moment(t)
    }

    #[inline(always)]
    fn centered(&self, t: f64) -> f64 {
        above_half(t)
    }

    fn average(&self, sigma: f64, z: &[f64], out: &mut [f64]) {
        // the sum of two normal variables is normal
        map(z, out, Step { threshold: 0.0, sigma: sigma.hypot(1.0) });
    }

    fn range(&self) -> Range {
        Range { lo: 0.0, hi: 1.0, attained: false }
    }

    fn centre(&self) -> Option<f64> {
        Some(0.5)
    }

    fn largest_slope(&self) -> Option<f64> {
        Some(PEAK)
    }

    fn is_log_concave(&self) -> bool {
        true
    }

    #[inline(always)]
    fn log_value(&self, t: f64) -> [f64; 2] {
        [log_distribution(t), log_distribution(-t)]
    }

    #[inline(always)]
    fn log_derivative(&self, t: f64) -> [f64; 2] {
        [log_derivative(t), -log_derivative(-t)]
    }

    #[inline(always)]
    fn log_second_derivative(&self, t: f64) -> [f64; 2] {
        [log_second_derivative(t), log_second_derivative(-t)]
    }

    fn shape(&self) -> Option<Shape> {
        Some(Shape::new(
            self,
            (&[], [0.0, 1.0]),
            (&[0.0], [0.0; 2]),
            (&[-1.0, 1.0], [0.0; 2]),
            // the second derivative with the other sign
            (&[-1.0, 1.0], [0.0; 2]),
        ))
    }

    fn preimages(&self, y: f64) -> Preimages {
        if !self.range().contains(y) {
            return Preimages::None;
        }
        let p = y - 0.5;
        Preimages::One(if p.abs() < 0.25 {
            // Φ − ½ is nearly linear here
            inverse::crossing((-1.0, 1.0), p / PEAK, p.abs(), |z| (self.centered(z) - p, density(z)))
        } else if p < 0.0 {
            tail(y)
        } else {
            -tail(1.0 - y)
        })
    }
}

/// Φ⁻¹(y) for y < ½. ln Φ is concave and e^{−z²/2} > Φ(z), so Newton's iteration for ln Φ starts left of the solution
/// and does not pass it.
fn tail(y: f64) -> f64 {
    inverse::crossing((-UNDERFLOW, 0.0), -(-2.0 * y.ln()).sqrt(), 1.0, |z| {
        let phi = distribution(z);
        ((phi / y).ln(), density(z) / phi)
    })
}
