//! *Newton-CG*: the Newton step by conjugate gradients, through products with the curvature only.

use crate::error::Result;
use crate::math::krylov;
use crate::oracle::{Hessian, Want};
use crate::solver::direction::{Direction, Point, promised};
use crate::solver::schedule::Stage;

/// H·p ≈ −g to a relative residual of min(½, √(‖g‖/‖g₀‖)), leaving off at a direction of negative curvature.
///
/// One product a round, each a pass over the rows; the d×d curvature is never formed. Reference: Dembo and Steihaug
/// (1983).
#[derive(Clone, Debug, Default)]
pub struct NewtonCg {
    /// ‖g‖ where the fit began, which the accuracy of the rounds is relative to.
    first: Option<f64>,
    /// The last step of size one and where it was taken: a trial that is refused is followed by a shorter one from there.
    last: Option<(Vec<f64>, Vec<f64>)>,
}

impl NewtonCg {
    const MOST_ROUNDS: usize = 100;
    /// Within a ball the steps for several multipliers are compared, and must be the right ones.
    const WITHIN_BALL: f64 = 1e-6;

    fn solve(&mut self, here: &Point<'_>) -> Result<Vec<f64>> {
        let (g, norm) = (&here.known.gradient, here.known.norm());
        let first = *self.first.get_or_insert(norm);
        let accuracy = if here.ball.is_some() { Self::WITHIN_BALL } else { (norm / first).sqrt().min(0.5) };
        // the order of the curvature along the slope, should there be a ball to find a multiplier for
        let scale = if here.ball.is_some() { bent(here, g)? / (norm * norm) } else { 1.0 };
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
    /// A step may end the fit, and costs many passes; to be told so costs none.
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
        Ok(promised(&here.known.gradient, p))
    }
}

/// |gᵀHg|.
fn bent(here: &Point<'_>, g: &[f64]) -> Result<f64> {
    Ok(here.curvature_times(Hessian::Full, g)?.iter().zip(g).map(|(h, g)| h * g).sum::<f64>().abs())
}
