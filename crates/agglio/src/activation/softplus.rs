//! The softplus curve, a smooth ReLU.

use std::f64::consts::{LN_2, SQRT_2};

use super::average::{self, Ramp};
use super::elementary::{exp, exp_m1, ln_1p};
use super::{Activation, Envelope, Fall, Preimages, Range, Shape, Sigmoid};

/// From here on e^{−t} is below the rounding error of one, and softplus equals t to the last digit.
const STRAIGHT: f64 = 40.0;

/// `φ(t) = ln(1 + e^t)`
///
/// A smooth ReLU: close to zero far to the left and to t far to the right.
///
/// Reference: Table 1 of the paper (`tab:elsc-elss`), row "softplus".
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Softplus;

impl Activation for Softplus {
    fn name(&self) -> String {
        "softplus".to_owned()
    }

    #[inline(always)]
    fn value(&self, t: f64) -> f64 {
        t.max(0.0) + ln_1p(exp(-t.abs()))
    }

    #[inline(always)]
    fn derivative(&self, t: f64) -> f64 {
        Sigmoid.value(t)
    }

    #[inline(always)]
    fn second_derivative(&self, t: f64) -> f64 {
        Sigmoid.derivative(t)
    }

    #[inline(always)]
    fn centered(&self, t: f64) -> f64 {
        // ln((1 + e^t)/2) = ln1p(expm1(t)/2). It equals t/2 + ln cosh(t/2), but does not cancel for either sign of t:
        // expm1(t)/2 stays above −½, where ln1p is well conditioned. Left of zero it tends to −ln 2.
        let curved = ln_1p(0.5 * exp_m1(t.min(STRAIGHT)));
        if t < STRAIGHT { curved } else { t - LN_2 }
    }

    fn average(&self, sigma: f64, z: &[f64], out: &mut [f64]) {
        average::vanishing(self, sigma, z, out, |threshold| Ramp { threshold, sigma });
    }

    fn range(&self) -> Range {
        Range { lo: 0.0, hi: f64::INFINITY, attained: false }
    }

    fn largest_slope(&self) -> Option<f64> {
        Some(1.0)
    }

    fn envelope(&self) -> Option<Envelope> {
        let widest_noise = 0.145;
        let lowest_label = self.value(-SQRT_2) - widest_noise;
        Some(Envelope {
            fall: Fall::Jensen,
            factor: 1.0,
            // σ(t)² + σ(−t)² ≤ 1, and covariates are symmetric
            most: 1.0,
            largest_slope: 1.0,
            largest_second_derivative: 0.25,
            // φ′ = 1 − e^{−φ}
            inverse_lipschitz: -1.0 / (-lowest_label).exp_m1(),
            widest_noise,
        })
    }

    fn shape(&self) -> Option<Shape> {
        Some(Shape::new(
            self,
            (&[], [0.0, f64::INFINITY]),
            (&[], [0.0, 1.0]),
            (&[0.0], [0.0; 2]),
            // tφ′(t) is SiLU
            (&[-1.2784645427610737], [0.0, f64::INFINITY]),
        ))
    }

    fn preimages(&self, y: f64) -> Preimages {
        if !self.range().contains(y) {
            return Preimages::None;
        }
        Preimages::One(if y < STRAIGHT { y.exp_m1().ln() } else { y })
    }
}
