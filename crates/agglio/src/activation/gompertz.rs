//! The Gompertz curve of growth.

use super::gumbel::{self, PEAK};
use super::{Activation, Preimages, Range, Shape};

/// `φ(t) = exp(−e^{−t})`
///
/// Growth that starts fast and slows down early: the curve is steepest at 1/e ≈ 37 % of its height. It is the log-log
/// link of a generalised linear model, and the mirror image of [`Cloglog`](super::Cloglog): φ(t) = 1 − cloglog(−t).
///
/// Reference: not in the paper; a sigmoid in the sense of its Table 1 (`tab:elsc-elss`), γ(τ) = τ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gompertz;

impl Activation for Gompertz {
    fn name(&self) -> String {
        "gompertz".to_owned()
    }

    #[inline(always)]
    fn value(&self, t: f64) -> f64 {
        gumbel::survival(-t)
    }

    #[inline(always)]
    fn derivative(&self, t: f64) -> f64 {
        gumbel::density(-t)
    }

    #[inline(always)]
    fn second_derivative(&self, t: f64) -> f64 {
        0.0 - gumbel::density_derivative(-t)
    }

    #[inline(always)]
    fn centered(&self, t: f64) -> f64 {
        0.0 - gumbel::above_zero(-t)
    }

    fn average(&self, sigma: f64, z: &[f64], out: &mut [f64]) {
        gumbel::average_of_mirrored_survival(sigma, z, out);
    }

    fn range(&self) -> Range {
        Range { lo: 0.0, hi: 1.0, attained: false }
    }

    fn largest_slope(&self) -> Option<f64> {
        Some(PEAK)
    }

    fn shape(&self) -> Option<Shape> {
        Some(Shape::new(
            self,
            (&[], [0.0, 1.0]),
            (&[0.0], [0.0; 2]),
            // e^t = (3 ± √5)/2 there
            (&[-0.9624236501192069, 0.9624236501192069], [0.0; 2]),
            // t(1 − e^{−t}) = 1 there
            (&[-0.8064659942363268, 1.3499764854011254], [0.0; 2]),
        ))
    }

    fn preimages(&self, y: f64) -> Preimages {
        if self.range().contains(y) { Preimages::One(-(-y.ln()).ln()) } else { Preimages::None }
    }
}
