//! The *Levenberg–Marquardt* direction: a damped step on the Gauss–Newton or the full curvature.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::math::linalg::{Symmetric, dot};
use crate::oracle::{Hessian, Want};
use crate::solver::direction::{Direction, Point, predicted_decrease};

/// `(H + diag(H)/size)·p = −g`
///
/// For an infinite size it is the Gauss–Newton or Newton step; for a small size it is a short step of scaled steepest
/// descent. If H is singular, p is the minimum-norm step. The damping is scaled by the diagonal of H, so that the units
/// of the columns do not matter. Reference: Marquardt (1963).
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct LevenbergMarquardt {
    hessian: Hessian,
    ends_in_full: bool,
}

impl LevenbergMarquardt {
    /// If the predicted decrease is below this fraction of the loss, the fit is near its end and uses the full
    /// curvature.
    const NEAR_END: f64 = 1e-3;

    /// Uses one kind of curvature for the whole fit.
    pub fn new(hessian: Hessian) -> LevenbergMarquardt {
        LevenbergMarquardt { hessian, ends_in_full: false }
    }

    /// Uses the Gauss–Newton curvature first, and the full curvature near the end.
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
        if self.ends_in_full && predicted <= Self::NEAR_END * here.known.loss {
            self.hessian = Hessian::Full;
        }
        Ok(predicted)
    }
}

/// Writes the damped step on a curvature, within the ball. Returns the predicted decrease of the loss.
pub(super) fn damped_step(curvature: &Symmetric, size: f64, here: &Point<'_>, p: &mut [f64]) -> Result<f64> {
    let damping: Vec<f64> = (0..curvature.order()).map(|j| damping(curvature, j, size)).collect();
    let layout = here.oracle.facts().layout;
    p.copy_from_slice(&here.minimise(curvature.largest_diagonal(), |mu, down| {
        let mut shift = damping.clone();
        layout.coefficients_mut(&mut shift).iter_mut().for_each(|shift| *shift += mu);
        Ok(curvature.solve_safely(&shift, down).unwrap_or_else(|| down.to_vec()))
    })?);
    Ok(predicted_decrease(&here.known.gradient, p) - 0.5 * dot(&curvature.times(p), p))
}

/// The damping of coordinate j. A coordinate without curvature gets a tiny one, which keeps the matrix positive
/// definite.
fn damping(curvature: &Symmetric, j: usize, size: f64) -> f64 {
    let own = curvature.at(j, j).abs();
    if own > 0.0 { own / size } else { f64::MIN_POSITIVE.sqrt() }
}
