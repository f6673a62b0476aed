//! The *linear system* H·θ = b of the stage at τ = 0, whose curvature H does not depend on θ.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::math::krylov;
use crate::math::linalg::{Factor, Symmetric};
use crate::oracle::{Batch, Hessian, Oracle};
use crate::solver::Ball;

/// Products with the curvature for a solution without forming it, and the residual to reach, relatively.
const MOST_PRODUCTS: usize = 200;
const RESIDUAL: f64 = 1e-10;

/// The curvature at τ = 0 over some rows, and solutions of systems with it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LinearSystem {
    pub rows: Batch,
    /// None where θ is so wide that it is not formed.
    pub curvature: Option<Symmetric>,
    /// The ball that solutions are kept in.
    pub ball: Option<Ball>,
    /// Of the curvature, for one right-hand side after the other; none where it is not safely positive definite.
    /// It follows from the curvature, so it is not saved.
    #[serde(skip)]
    factor: OnceLock<Option<Factor>>,
}

impl LinearSystem {
    pub fn new(rows: Batch, curvature: Option<Symmetric>, ball: Option<Ball>) -> LinearSystem {
        LinearSystem { rows, curvature, ball, factor: OnceLock::new() }
    }

    /// The solution for a right-hand side, within the ball; of least norm where there are several. `near` is a θ where
    /// it is expected to be, for the sake of speed, and H·θ.
    pub fn solve(&self, oracle: &dyn Oracle, right: &[f64], near: [&[f64]; 2]) -> Result<Vec<f64>> {
        let Some(ball) = self.ball else { return self.solve_pulled(oracle, right, near, 0.0) };
        let origin = vec![0.0; right.len()];
        let scale = self.curvature.as_ref().map_or(1.0, Symmetric::largest_diagonal);
        ball.minimise(&origin, scale, |mu| self.solve_pulled(oracle, right, near, mu))
    }

    /// The solution with μ/2·‖w‖² added to the function that is minimised, whatever the ball.
    pub fn solve_pulled(&self, oracle: &dyn Oracle, right: &[f64], near: [&[f64]; 2], mu: f64) -> Result<Vec<f64>> {
        let layout = oracle.facts().layout;
        if let Some(curvature) = &self.curvature {
            let mut shift = layout.zero();
            layout.coefficients_mut(&mut shift).fill(mu);
            let factor = || self.factor.get_or_init(|| curvature.factor(&shift)).as_ref();
            let found = if mu == 0.0 { factor().map(|factor| factor.solve(right)) } else { None };
            let found = found.or_else(|| curvature.solve_safely(&shift, right));
            let found = found.filter(|theta| theta.iter().all(|t| t.is_finite()));
            // no path begins at a point that is not finite
            return Ok(found.unwrap_or_else(|| vec![0.0; right.len()]));
        }
        let times = |v: &[f64]| {
            let mut product = self.times(oracle, v)?;
            product.iter_mut().zip(layout.coefficients(v)).for_each(|(h, v)| *h += mu * v);
            Ok(product)
        };
        let mut left: Vec<f64> = near[1].iter().zip(right).map(|(h, b)| b - h).collect();
        left.iter_mut().zip(layout.coefficients(near[0])).for_each(|(left, w)| *left -= mu * w);
        let goal = RESIDUAL * right.iter().map(|b| b * b).sum::<f64>().sqrt();
        let p = krylov::conjugate_gradients(times, &left, goal, MOST_PRODUCTS)?;
        Ok(near[0].iter().zip(&p).map(|(near, p)| near + p).collect())
    }

    /// H·θ.
    pub fn times(&self, oracle: &dyn Oracle, theta: &[f64]) -> Result<Vec<f64>> {
        match &self.curvature {
            Some(curvature) => Ok(curvature.times(theta)),
            None => oracle.curvature_times(&vec![0.0; theta.len()], 0.0, self.rows, Hessian::GaussNewton, theta),
        }
    }
}
