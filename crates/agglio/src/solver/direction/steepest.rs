//! *Steepest* descent.

use crate::solver::direction::{Direction, Point, promised};

/// p = −η·g, the update of Algorithm 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Steepest;

impl Direction for Steepest {
    fn displace(&mut self, size: f64, here: &Point<'_>, p: &mut [f64]) -> f64 {
        p.iter_mut().zip(&here.sums.gradient).for_each(|(p, g)| *p = -size * g);
        promised(&here.sums.gradient, p)
    }
}
