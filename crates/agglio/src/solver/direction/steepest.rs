//! *Steepest* descent.

use crate::oracle::Sums;
use crate::solver::direction::{Direction, promised};

/// p = −η·g, the update of Algorithm 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Steepest;

impl Direction for Steepest {
    fn displace(&mut self, size: f64, here: &Sums, p: &mut [f64]) -> f64 {
        p.iter_mut().zip(&here.gradient).for_each(|(p, g)| *p = -size * g);
        promised(&here.gradient, p)
    }
}
