//! The logistic curve, on which softplus and SiLU are built.

use super::average::{self, Step};
use super::elementary::{exp, exp_m1, ln_1p};
use super::{Activation, Envelope, Fall, Preimages, Range, Shape};

/// `φ(t) = 1/(1 + e^{−t})`
///
/// The probability in a logistic model. The paper graduates it without the factor 1/τ, so γ(τ) = τ.
///
/// Reference: Table 1 of the paper (`tab:elsc-elss`), row "sigmoid".
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sigmoid;

impl Activation for Sigmoid {
    fn name(&self) -> String {
        "sigmoid".to_owned()
    }

    #[inline(always)]
    fn value(&self, t: f64) -> f64 {
        // both signs use e^{−|t|}, which underflows where e^{|t|} would overflow
        let e = exp(-t.abs());
        let top = if t < 0.0 { e } else { 1.0 };
        top / (1.0 + e)
    }

    #[inline(always)]
    fn derivative(&self, t: f64) -> f64 {
        let e = exp(-t.abs());
        e / ((1.0 + e) * (1.0 + e))
    }

    #[inline(always)]
    fn second_derivative(&self, t: f64) -> f64 {
        // 1 − 2φ(t) = −2·centered(t), which keeps its digits near t = 0
        -2.0 * self.centered(t) * self.derivative(t)
    }

    #[inline(always)]
    fn centered(&self, t: f64) -> f64 {
        // tanh(t/2)/2, from the e^{−|t|} that value and derivative use too
        let below = exp_m1(-t.abs());
        (-0.5 * below / (2.0 + below)).copysign(t)
    }

    fn average(&self, sigma: f64, z: &[f64], out: &mut [f64]) {
        average::vanishing(self, sigma, z, out, |threshold| Step { threshold, sigma });
    }

    fn range(&self) -> Range {
        Range { lo: 0.0, hi: 1.0, attained: false }
    }

    fn centre(&self) -> Option<f64> {
        Some(0.5)
    }

    fn largest_slope(&self) -> Option<f64> {
        Some(0.25)
    }

    fn is_log_concave(&self) -> bool {
        true
    }

    #[inline(always)]
    fn log_value(&self, t: f64) -> [f64; 2] {
        // −softplus(−t) and −softplus(t)
        let common = ln_1p(exp(-t.abs()));
        [t.min(0.0) - common, (-t).min(0.0) - common]
    }

    #[inline(always)]
    fn log_derivative(&self, t: f64) -> [f64; 2] {
        [self.value(-t), -self.value(t)]
    }

    #[inline(always)]
    fn log_second_derivative(&self, t: f64) -> [f64; 2] {
        [-self.derivative(t); 2]
    }

    fn envelope(&self) -> Option<Envelope> {
        Some(Envelope {
            fall: Fall::Exponential,
            factor: 0.125,
            most: 0.125,
            largest_slope: 0.25,
            largest_second_derivative: 0.1,
            // responses of |z| ≤ √2 and this noise stay within [0.05, 0.95]
            inverse_lipschitz: 22.0,
            widest_noise: 0.145,
        })
    }

    fn shape(&self) -> Option<Shape> {
        Some(Shape::new(
            self,
            (&[], [0.0, 1.0]),
            (&[0.0], [0.0; 2]),
            // φ‴ = φ′(1 − 6φ′), so φ = (1 ± 1/√3)/2 there
            (&[-1.3169578969248168, 1.3169578969248168], [0.0; 2]),
            // t·tanh(t/2) = 1 there
            (&[-1.5434046384182085, 1.5434046384182085], [0.0; 2]),
        ))
    }

    fn preimages(&self, y: f64) -> Preimages {
        if !self.range().contains(y) {
            return Preimages::None;
        }
        // 1 − y is exact for y ≥ ½, where the quotient is sensitive to it
        Preimages::One((y / (1.0 - y)).ln())
    }
}
