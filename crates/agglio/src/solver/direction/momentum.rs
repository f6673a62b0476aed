//! *Momentum*: steps remember the ones before.

use crate::oracle::Sums;
use crate::solver::direction::{Direction, promised};

/// p ← μ·p − η·g, the heavy ball of Polyak (1964).
#[derive(Clone, Debug)]
pub struct Momentum {
    /// μ in [0, 1), how much of the last displacement is kept. Default .9.
    pub mu: f64,
    velocity: Vec<f64>,
}

impl Momentum {
    /// A ball at rest.
    pub fn new(mu: f64) -> Momentum {
        Momentum { mu, velocity: Vec::new() }
    }
}

impl Direction for Momentum {
    fn displace(&mut self, size: f64, here: &Sums, p: &mut [f64]) -> f64 {
        self.velocity.resize(p.len(), 0.0);
        for ((p, velocity), g) in p.iter_mut().zip(&mut self.velocity).zip(&here.gradient) {
            *velocity = self.mu * *velocity - size * g;
            *p = *velocity;
        }
        promised(&here.gradient, p)
    }
}
