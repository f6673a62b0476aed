//! *Steepest* descent.

use crate::error::Result;
use crate::solver::direction::{Direction, Point, promised};

/// p = −η·g, the update of Algorithm 1, as far as a ball allows: what is predicted must be of the step that is taken.
#[derive(Clone, Copy, Debug, Default)]
pub struct Steepest;

impl Direction for Steepest {
    fn displace(&mut self, size: f64, here: &Point<'_>, p: &mut [f64]) -> Result<f64> {
        p.iter_mut().zip(&here.known.gradient).for_each(|(p, g)| *p = -size * g);
        if let Some(ball) = here.ball {
            p.iter_mut().zip(here.theta).for_each(|(p, theta)| *p += theta);
            ball.project(p);
            p.iter_mut().zip(here.theta).for_each(|(p, theta)| *p -= theta);
        }
        Ok(promised(&here.known.gradient, p))
    }
}
