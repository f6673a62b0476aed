//! The GELU curve with the exact normal distribution, which has one minimum.

use std::f64::consts::SQRT_2;

use super::inverse::{self, Minimum};
use super::normal::{PEAK, UNDERFLOW, density, distribution, moment};
use super::{Activation, Preimages, Range, Shape};
use crate::math::vector::{Function, map};

/// The minimum; digits and series from `tests/it/golden/activations.py`.
const MINIMUM: Minimum = Minimum {
    at: -0.7517915246935645,
    value: -0.16997120747990366,
    value_rest: -4.060510732350249e-18,
    series: [
        2.1529186559712192,
        -1.390304180188793,
        2.349787534087325,
        -3.9107846087024516,
        7.343514648211575,
        -14.369409413840508,
        29.154667467586965,
    ],
};

/// `φ(t) = t·Φ(t)`, Φ the normal distribution function
///
/// A smooth ReLU that decreases to −0.17 and tends to 0 on the left, so negative responses have two preimages.
///
/// Reference: not in the paper; SiLU (Table 1, `tab:elsc-elss`) with the normal distribution in place of the logistic
/// one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gelu;

impl Activation for Gelu {
    fn name(&self) -> String {
        "gelu".to_owned()
    }

    #[inline(always)]
    fn value(&self, t: f64) -> f64 {
        if t < -UNDERFLOW { 0.0 } else { t * distribution(t) }
    }

    #[inline(always)]
    fn derivative(&self, t: f64) -> f64 {
        distribution(t) + moment(t)
    }

    #[inline(always)]
    fn second_derivative(&self, t: f64) -> f64 {
        // (√2 − t)(√2 + t) in place of 2 − t², which loses digits near its zeros
        if t.abs() > UNDERFLOW { 0.0 } else { (SQRT_2 - t) * (SQRT_2 + t) * density(t) }
    }

    #[inline(always)]
    fn centered(&self, t: f64) -> f64 {
        self.value(t)
    }

    fn average(&self, sigma: f64, z: &[f64], out: &mut [f64]) {
        map(z, out, Average { sigma, both: sigma.hypot(1.0) });
    }

    fn range(&self) -> Range {
        Range { lo: MINIMUM.value, hi: f64::INFINITY, attained: true }
    }

    fn limits(&self) -> (f64, f64) {
        // the lower bound of the range is a minimum, not a limit
        (0.0, f64::INFINITY)
    }

    fn largest_slope(&self) -> Option<f64> {
        // at t = √2
        Some(1.1289041451851547)
    }

    fn shape(&self) -> Option<Shape> {
        Some(Shape::new(
            self,
            (&[MINIMUM.at], [0.0, f64::INFINITY]),
            (&[-SQRT_2, SQRT_2], [0.0, 1.0]),
            // t³ = 4t there
            (&[-2.0, 0.0, 2.0], [0.0; 2]),
            // Φ = (t³ − 3t)Φ′ there
            (&[-1.6447598977727003, -0.3381304973120675], [0.0, f64::INFINITY]),
        ))
    }

    fn preimages(&self, y: f64) -> Preimages {
        if !self.range().contains(y) {
            return Preimages::None;
        }
        if y >= 0.0 {
            return Preimages::One(inverse::rising(self, y / distribution(y), y));
        }
        // |t|Φ(t) is smaller than the density, so the point with this density lies left of the solution
        let density_ratio = (-y / PEAK).min(1.0);
        MINIMUM.preimages(self, -(-2.0 * density_ratio.ln()).sqrt(), y)
    }
}

/// `z ↦ zΦ(z/s) + σ²/s·Φ′(z/s), s = √(1 + σ²)`, by Stein's identity E εf(ε) = σ²·E f′(ε).
struct Average {
    sigma: f64,
    both: f64,
}

impl Function for Average {
    #[inline(always)]
    fn at(&self, z: f64) -> f64 {
        let x = z / self.both;
        // −∞·0 would be NaN
        z.max(f64::MIN) * distribution(x) + self.sigma * (self.sigma / self.both) * density(x)
    }
}
