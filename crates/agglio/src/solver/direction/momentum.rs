//! *Momentum*: steps remember the ones before.

use crate::error::Result;
use crate::solver::direction::{Direction, Point, promised};

/// p ← μ·p − η·g, the heavy ball of Polyak (1964).
#[derive(Clone, Debug)]
pub struct Momentum {
    /// μ in [0, 1), how much of the last displacement is kept; .9 in the presets.
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
    fn displace(&mut self, size: f64, here: &Point<'_>, p: &mut [f64]) -> Result<f64> {
        self.velocity.resize(p.len(), 0.0);
        for ((p, velocity), g) in p.iter_mut().zip(&mut self.velocity).zip(&here.known.gradient) {
            *velocity = self.mu * *velocity - size * g;
            *p = *velocity;
        }
        Ok(promised(&here.known.gradient, p))
    }
}
