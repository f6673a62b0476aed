//! The *damped* step of Levenberg and Marquardt, on the Gauss–Newton curvature or on the full one.

use crate::error::Result;
use crate::math::linalg::{Symmetric, dot};
use crate::oracle::{Hessian, Want};
use crate::solver::direction::{Direction, Point, promised};

/// (H + diag(H)/size)·p = −g: the Gauss–Newton or Newton step for an infinite size, short and steep for a small one.
///
/// Where H is singular the step of least norm is taken. Reference: Marquardt (1963); scaled by the diagonal, so that
/// the units of the columns do not matter.
#[derive(Clone, Copy, Debug)]
pub struct LevenbergMarquardt {
    hessian: Hessian,
    ends_in_full: bool,
}

impl LevenbergMarquardt {
    /// Near the end, when a step promises less than this share of the loss, the full curvature is asked for.
    const NEAR: f64 = 1e-3;

    /// The curvature `hessian` throughout.
    pub fn new(hessian: Hessian) -> LevenbergMarquardt {
        LevenbergMarquardt { hessian, ends_in_full: false }
    }

    /// Gauss–Newton on the way, the full curvature near the end.
    pub fn ending_in_full() -> LevenbergMarquardt {
        LevenbergMarquardt { hessian: Hessian::GaussNewton, ends_in_full: true }
    }
}

impl Direction for LevenbergMarquardt {
    fn want(&self) -> Want<'static> {
        Want::Curvature(self.hessian)
    }

    fn displace(&mut self, size: f64, here: &Point<'_>, p: &mut [f64]) -> Result<f64> {
        let Some(curvature) = here.known.curvature() else { return Ok(0.0) };
        let predicted = damped_step(curvature, size, here, p)?;
        if self.ends_in_full && predicted <= Self::NEAR * here.known.loss {
            self.hessian = Hessian::Full;
        }
        Ok(predicted)
    }
}

/// Writes the step of this size on a curvature, within the ball, and answers with the decrease that it predicts.
pub(super) fn damped_step(curvature: &Symmetric, size: f64, here: &Point<'_>, p: &mut [f64]) -> Result<f64> {
    let damping: Vec<f64> = (0..curvature.order()).map(|j| damping(curvature, j, size)).collect();
    let layout = here.oracle.facts().layout;
    p.copy_from_slice(&here.minimise(curvature.largest_diagonal(), |mu, down| {
        let mut shift = damping.clone();
        layout.coefficients_mut(&mut shift).iter_mut().for_each(|shift| *shift += mu);
        Ok(curvature.solve_safely(&shift, down).unwrap_or_else(|| down.to_vec()))
    })?);
    Ok(promised(&here.known.gradient, p) - 0.5 * dot(&curvature.times(p), p))
}

/// A coordinate that the curvature does not see at all is held where it is.
fn damping(curvature: &Symmetric, j: usize, size: f64) -> f64 {
    let own = curvature.at(j, j).abs();
    if own > 0.0 { own / size } else { f64::MIN_POSITIVE.sqrt() }
}
