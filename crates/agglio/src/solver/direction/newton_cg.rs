//! *Newton-CG* computes the Newton step by conjugate gradients, from products with the curvature.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::math::krylov;
use crate::oracle::{Hessian, Want};
use crate::solver::direction::{Direction, Point, predicted_decrease};
use crate::solver::schedule::Stage;

/// `H·p ≈ −g` to a relative residual of min(½, √(‖g‖/‖g₀‖))
///
/// The iteration ends at a direction of negative curvature. Each iteration needs one product, which is a pass over the
/// rows; the d×d curvature is never formed. Reference: Dembo and Steihaug (1983).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct NewtonCg {
    /// ‖g₀‖ at the start of the fit, the scale of the accuracy.
    first: Option<f64>,
    /// The last point and the step of size one from it. After a rejected trial, a shorter multiple is tried without new
    /// products.
    last: Option<(Vec<f64>, Vec<f64>)>,
}

impl NewtonCg {
    const MOST_ROUNDS: usize = 100;
    /// Relative residual within a ball. The steps for several multipliers are compared, so they must be accurate.
    const WITHIN_BALL: f64 = 1e-6;

    fn solve(&mut self, here: &Point<'_>) -> Result<Vec<f64>> {
        let (g, norm) = (&here.known.gradient, here.known.norm());
        let first = *self.first.get_or_insert(norm);
        let accuracy = if here.ball.is_some() { Self::WITHIN_BALL } else { (norm / first).sqrt().min(0.5) };
        // the size of the curvature along the gradient, for the search for a multiplier of the ball
        let scale = if here.ball.is_some() { curvature_along(here, g)? / (norm * norm) } else { 1.0 };
        let layout = here.oracle.facts().layout;
        here.minimise(scale, |mu, down| {
            let times = |v: &[f64]| {
                let mut product = here.curvature_times(Hessian::Full, v)?;
                product.iter_mut().zip(layout.coefficients(v)).for_each(|(h, v)| *h += mu * v);
                Ok(product)
            };
            let goal = accuracy * down.iter().map(|g| g * g).sum::<f64>().sqrt();
            krylov::conjugate_gradients(times, down, goal, Self::MOST_ROUNDS)
        })
    }
}

impl Direction for NewtonCg {
    /// A step needs many passes. Stationarity costs no extra pass, and may end the fit before the step.
    fn want(&self) -> Want<'static> {
        Want::Stationarity
    }

    fn on_new_objective(&mut self, _: &Stage) {
        self.last = None;
    }

    fn displace(&mut self, size: f64, here: &Point<'_>, p: &mut [f64]) -> Result<f64> {
        let last = self.last.take().filter(|(theta, _)| theta == here.theta);
        let (theta, step) = match last {
            Some(last) => last,
            None => (here.theta.to_vec(), self.solve(here)?),
        };
        p.iter_mut().zip(&step).for_each(|(p, step)| *p = size * step);
        self.last = Some((theta, step));
        Ok(predicted_decrease(&here.known.gradient, p))
    }
}

/// |gᵀHg|.
fn curvature_along(here: &Point<'_>, g: &[f64]) -> Result<f64> {
    Ok(here.curvature_times(Hessian::Full, g)?.iter().zip(g).map(|(h, g)| h * g).sum::<f64>().abs())
}
