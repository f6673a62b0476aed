//! The complementary log-log curve.

use super::elementary::exp;
use super::gumbel::{self, PEAK};
use super::{Activation, Preimages, Range, Shape};

/// `φ(t) = 1 − exp(−e^t)`
///
/// The probability of an event within a fixed time, if its rate is e^t: a grouped proportional-hazards model. It leaves 0
/// slowly, like e^t, and arrives at 1 fast. The mirror image is [`Gompertz`](super::Gompertz).
///
/// Reference: not in the paper; a sigmoid in the sense of its Table 1 (`tab:elsc-elss`), γ(τ) = τ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cloglog;

impl Activation for Cloglog {
    fn name(&self) -> String {
        "cloglog".to_owned()
    }

    #[inline(always)]
    fn value(&self, t: f64) -> f64 {
        gumbel::distribution(t)
    }

    #[inline(always)]
    fn derivative(&self, t: f64) -> f64 {
        gumbel::density(t)
    }

    #[inline(always)]
    fn second_derivative(&self, t: f64) -> f64 {
        gumbel::density_derivative(t)
    }

    #[inline(always)]
    fn centered(&self, t: f64) -> f64 {
        gumbel::above_zero(t)
    }

    fn average(&self, sigma: f64, z: &[f64], out: &mut [f64]) {
        gumbel::average_of_distribution(sigma, z, out);
    }

    fn range(&self) -> Range {
        Range { lo: 0.0, hi: 1.0, attained: false }
    }

    fn largest_slope(&self) -> Option<f64> {
        Some(PEAK)
    }

    fn is_log_concave(&self) -> bool {
        true
    }

    #[inline(always)]
    fn log_value(&self, t: f64) -> [f64; 2] {
        [gumbel::log_distribution(t), -exp(t)]
    }

    #[inline(always)]
    fn log_derivative(&self, t: f64) -> [f64; 2] {
        [gumbel::log_derivative(t), -exp(t)]
    }

    #[inline(always)]
    fn log_second_derivative(&self, t: f64) -> [f64; 2] {
        [gumbel::log_second_derivative(t), -exp(t)]
    }

    fn shape(&self) -> Option<Shape> {
        Some(Shape::new(
            self,
            (&[], [0.0, 1.0]),
            (&[0.0], [0.0; 2]),
            // e^t = (3 ± √5)/2 there
            (&[-0.9624236501192069, 0.9624236501192069], [0.0; 2]),
            // t(e^t − 1) = 1 there
            (&[-1.3499764854011254, 0.8064659942363268], [0.0; 2]),
        ))
    }

    fn preimages(&self, y: f64) -> Preimages {
        if self.range().contains(y) { Preimages::One((-(-y).ln_1p()).ln()) } else { Preimages::None }
    }
}
