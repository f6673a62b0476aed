//! The *ball* that iterates may be kept in.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::math::linalg::norm;
use crate::oracle::Layout;

/// ‖w‖₂ ≤ R in the solver's coordinates; the intercept is left alone.
///
/// Steps along the gradient are projected onto it. Steps that know a curvature are instead the best ones within it,
/// since the projection of a Newton step need not lead downhill. Reference: the theory assumes ‖w_*‖ ≤ R
/// (`lem:elsc-elss`), and the published runs projected after every step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ball {
    /// R.
    pub radius: f64,
    /// How θ is cut into parts.
    pub layout: Layout,
}

impl Ball {
    /// Searches for a multiplier, each the cost of a solution.
    const MOST_TRIALS: usize = 60;
    /// A solution this close to the surface, relatively, is on it.
    const SURFACE: f64 = 1e-12;

    /// Takes out of a gradient at θ what the ball takes out of every step: at its surface, the part that points outward.
    /// Answers with the multiplier μ: the gradient that is left is g + μw.
    pub fn reduce(&self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        let (w, norm) = (self.layout.coefficients(theta), self.norm(theta));
        // along w/‖w‖, since in a tiny ball squares of w underflow
        let outward: f64 = w.iter().zip(&*gradient).map(|(w, g)| -w / norm * g).sum();
        if outward.is_nan() || outward <= 0.0 || norm < self.radius * (1.0 - 1e-9) {
            return 0.0;
        }
        gradient.iter_mut().zip(w).for_each(|(g, w)| *g += outward * (w / norm));
        outward / norm
    }

    /// Moves θ to the nearest point of the ball.
    pub fn project(&self, theta: &mut [f64]) {
        let norm = self.norm(theta);
        if norm > self.radius {
            self.layout.coefficients_mut(theta).iter_mut().for_each(|w| *w *= self.radius / norm);
        }
    }

    /// The step p from θ that minimises a quadratic model within the ball.
    ///
    /// `solve(μ)` is the step that minimises the model with the penalty μ/2·‖w + p‖² added: the one for μ = 0 if it stays
    /// in the ball, else the one for the μ that ends on its surface, which is found by bisection sped up by interpolating
    /// 1/‖w‖, nearly a line in μ. `scale` is the order of the model's curvature. Reference: Moré and Sorensen (1983).
    pub(crate) fn minimise(
        &self,
        theta: &[f64],
        scale: f64,
        mut solve: impl FnMut(f64) -> Result<Vec<f64>>,
    ) -> Result<Vec<f64>> {
        let mut beyond = |mu: f64| -> Result<(Vec<f64>, f64)> {
            let p = solve(mu)?;
            let there: Vec<f64> = theta.iter().zip(&p).map(|(theta, p)| theta + p).collect();
            let excess = 1.0 - self.radius / self.norm(&there);
            Ok((p, if excess.is_nan() { f64::INFINITY } else { excess.max(-1.0) }))
        };
        let (mut best, excess) = beyond(0.0)?;
        let (mut low, mut high) = ((0.0, excess), (scale, -1.0_f64));
        let (mut bracketed, mut growth) = (false, 10.0_f64);
        for trial in 0..Self::MOST_TRIALS {
            if low.1 <= Self::SURFACE || high.1.abs() <= Self::SURFACE {
                break;
            }
            let between = low.0 + (high.0 - low.0) * low.1 / (low.1 - high.1);
            let mu = match bracketed {
                false => high.0,
                true if trial % 3 == 0 || !between.is_finite() => 0.5 * (low.0 + high.0),
                true => between,
            };
            let (p, excess) = beyond(mu)?;
            match excess > Self::SURFACE {
                true if bracketed => low = (mu, excess),
                // ever faster, since a tiny ball needs a huge multiplier
                true => (low, high, growth) = ((mu, excess), (growth * mu, -1.0), growth.powi(2).min(1e100)),
                false => (high, bracketed, best) = ((mu, excess), true, p),
            }
        }
        Ok(best)
    }

    fn norm(&self, theta: &[f64]) -> f64 {
        norm(self.layout.coefficients(theta))
    }
}
