//! The *damped* step of Levenberg and Marquardt, on the Gauss–Newton curvature or on the full one.

use crate::linalg::Symmetric;
use crate::oracle::{Hessian, Want};
use crate::solver::direction::{Direction, Point, promised};

/// (H + diag(H)/size)·p = −g: the Gauss–Newton or Newton step for an infinite size, short and steep for a small one.
///
/// Where H is singular the step of least norm is taken. Reference: Marquardt (1963); scaled by the diagonal, so that
/// the units of the columns do not matter.
#[derive(Clone, Copy, Debug)]
pub struct Damped {
    hessian: Hessian,
    ends_in_full: bool,
}

impl Damped {
    /// Near the end, when a step promises less than this share of the loss, the full curvature is asked for.
    const NEAR: f64 = 1e-3;

    /// The curvature `hessian` throughout.
    pub fn new(hessian: Hessian) -> Damped {
        Damped { hessian, ends_in_full: false }
    }

    /// Gauss–Newton on the way, the full curvature near the end.
    pub fn ending_in_full() -> Damped {
        Damped { hessian: Hessian::GaussNewton, ends_in_full: true }
    }
}

impl Direction for Damped {
    fn want(&self) -> Want<'static> {
        Want::Curvature(self.hessian)
    }

    fn displace(&mut self, size: f64, here: &Point<'_>, p: &mut [f64]) -> f64 {
        let Some(curvature) = &here.sums.curvature else { return 0.0 };
        let down: Vec<f64> = here.sums.gradient.iter().map(|g| -g).collect();
        let shift: Vec<f64> = (0..curvature.order()).map(|j| damping(curvature, j, size)).collect();
        let step = curvature.solve(&shift, &down).or_else(|| least_norm(curvature, &shift, &down));
        p.copy_from_slice(&step.unwrap_or(down));
        let bent: f64 = curvature.times(p).iter().zip(&*p).map(|(h, p)| h * p).sum();
        let predicted = promised(&here.sums.gradient, p) - 0.5 * bent;
        if self.ends_in_full && predicted <= Self::NEAR * here.sums.loss {
            self.hessian = Hessian::Full;
        }
        predicted
    }
}

/// A coordinate that the curvature does not see at all is held where it is.
fn damping(curvature: &Symmetric, j: usize, size: f64) -> f64 {
    let own = curvature.at(j, j).abs();
    if own > 0.0 { own / size } else { f64::MIN_POSITIVE.sqrt() }
}

fn least_norm(curvature: &Symmetric, shift: &[f64], down: &[f64]) -> Option<Vec<f64>> {
    let mut shifted = curvature.clone();
    (0..shift.len()).for_each(|j| shifted.set(j, j, curvature.at(j, j) + shift[j]));
    shifted.solve_least_norm(down).map(|(p, _)| p)
}
