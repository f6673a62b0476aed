//! The *fixed curvature*: Newton steps with the curvature at τ = 0, which is the same at every θ.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::oracle::Want;
use crate::solver::direction::{Direction, Point, predicted_decrease};
use crate::solver::linear_system::LinearSystem;

/// p = H⁻¹(Hθ − g) − θ, within the ball, with H the curvature at τ = 0.
///
/// One step solves linear least squares on φ⁻¹(y). Where labels have two preimages each step chooses the nearer one for
/// every row again, so that several are needed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FixedCurvature(pub Arc<LinearSystem>);

impl Direction for FixedCurvature {
    fn want(&self) -> Want<'static> {
        Want::Stationarity
    }

    fn displace(&mut self, size: f64, here: &Point<'_>, p: &mut [f64]) -> Result<f64> {
        let image = self.0.times(here.oracle, here.theta)?;
        let right: Vec<f64> = image.iter().zip(&here.known.gradient).map(|(h, g)| h - g).collect();
        let there = self.0.solve(here.oracle, &right, [here.theta, &image])?;
        p.iter_mut().zip(there.iter().zip(here.theta)).for_each(|(p, (there, theta))| *p = size * (there - theta));
        // at the surface of a ball p is tangential, and its product with the part that points outward is rounding
        let mut gradient = here.known.gradient.clone();
        here.ball.iter().for_each(|ball| _ = ball.reduce(here.theta, &mut gradient));
        // of a quadratic function, half of what its gradient promises
        Ok(0.5 * predicted_decrease(&gradient, p))
    }
}
