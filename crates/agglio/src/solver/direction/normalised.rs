//! *Normalised* descent: steps of a given length, whatever the gradient's.

use crate::error::Result;
use crate::solver::direction::{Direction, Point, promised};

/// p = −η·g/‖g‖.
///
/// A plateau is left as fast as anything else, and no optimum is reached closer than η allows. Reference: NGD and, on
/// minibatches, SNGD of Hazan, Levy and Shalev-Shwartz (2015).
#[derive(Clone, Copy, Debug, Default)]
pub struct Normalised;

impl Direction for Normalised {
    fn displace(&mut self, size: f64, here: &Point<'_>, p: &mut [f64]) -> Result<f64> {
        let norm = here.known.norm();
        let step = |g: &f64| if norm > 0.0 { -size * (g / norm) } else { 0.0 };
        p.iter_mut().zip(&here.known.gradient).for_each(|(p, g)| *p = step(g));
        Ok(promised(&here.known.gradient, p))
    }
}
