//! *Steepest* descent.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::solver::direction::{Direction, Point, predicted_decrease};

/// `p = −η·g`, the update of Algorithm 1
///
/// θ + p is projected into the ball, so that the predicted decrease is that of the projected step.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Steepest;

impl Direction for Steepest {
    fn displace(&mut self, size: f64, here: &Point<'_>, p: &mut [f64]) -> Result<f64> {
        p.iter_mut().zip(&here.known.gradient).for_each(|(p, g)| *p = -size * g);
        if let Some(ball) = here.ball {
            p.iter_mut().zip(here.theta).for_each(|(p, theta)| *p += theta);
            ball.project(p);
            p.iter_mut().zip(here.theta).for_each(|(p, theta)| *p -= theta);
        }
        Ok(predicted_decrease(&here.known.gradient, p))
    }
}
