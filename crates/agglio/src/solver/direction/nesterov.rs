//! *Nesterov*'s accelerated gradient.

use crate::oracle::Sums;
use crate::solver::direction::{Direction, promised};

/// v ← μ·v − η·g, p = μ·v − η·g.
///
/// The iterates are the look-ahead points of the usual form, so the gradient is asked where θ is and no second
/// point is needed; both forms end at the same place. Reference: Nesterov (1983).
#[derive(Clone, Debug)]
pub struct Nesterov {
    /// μ in [0, 1). Default .9.
    pub mu: f64,
    velocity: Vec<f64>,
}

impl Nesterov {
    /// Starts without velocity.
    pub fn new(mu: f64) -> Nesterov {
        Nesterov { mu, velocity: Vec::new() }
    }
}

impl Direction for Nesterov {
    fn displace(&mut self, size: f64, here: &Sums, p: &mut [f64]) -> f64 {
        self.velocity.resize(p.len(), 0.0);
        for ((p, velocity), g) in p.iter_mut().zip(&mut self.velocity).zip(&here.gradient) {
            *velocity = self.mu * *velocity - size * g;
            *p = self.mu * *velocity - size * g;
        }
        promised(&here.gradient, p)
    }
}
