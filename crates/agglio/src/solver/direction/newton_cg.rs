//! *Newton-CG*: the Newton step by conjugate gradients, through products with the curvature only.

use crate::oracle::Hessian;
use crate::solver::direction::{Direction, Point, promised};

/// H·p ≈ −g to a relative residual of min(½, √(‖g‖/‖g₀‖)), leaving off at a direction of negative curvature.
///
/// One product a round, each a pass over the rows; the d×d curvature is never formed. Reference: Dembo and Steihaug
/// (1983).
#[derive(Clone, Copy, Debug, Default)]
pub struct NewtonCg {
    /// ‖g‖ where the fit began, which the accuracy of the rounds is relative to.
    first: Option<f64>,
}

impl NewtonCg {
    const MOST_ROUNDS: usize = 100;
}

impl Direction for NewtonCg {
    fn displace(&mut self, size: f64, here: &Point<'_>, p: &mut [f64]) -> f64 {
        let g = &here.sums.gradient;
        let norm = here.sums.gradient_norm();
        let first = *self.first.get_or_insert(norm);
        let goal = (norm / first).sqrt().min(0.5) * norm;
        p.fill(0.0);
        let mut residual: Vec<f64> = g.iter().map(|g| -g).collect();
        let mut along = residual.clone();
        let mut square = norm * norm;
        for round in 0..Self::MOST_ROUNDS {
            let product = here.curvature_times(Hessian::Full, &along);
            let bent: f64 = along.iter().zip(&product).map(|(d, h)| d * h).sum();
            if bent <= 0.0 {
                // downhill for ever as far as the model knows: take the slope, or what has been found so far
                if round == 0 {
                    p.copy_from_slice(&along);
                }
                break;
            }
            let alpha = square / bent;
            p.iter_mut().zip(&along).for_each(|(p, d)| *p += alpha * d);
            residual.iter_mut().zip(&product).for_each(|(r, h)| *r -= alpha * h);
            let next: f64 = residual.iter().map(|r| r * r).sum();
            if next.sqrt() <= goal {
                break;
            }
            along.iter_mut().zip(&residual).for_each(|(d, r)| *d = r + next / square * *d);
            square = next;
        }
        p.iter_mut().for_each(|p| *p *= size);
        promised(g, p)
    }
}
