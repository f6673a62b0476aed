//! *Momentum* adds a fraction of the last step to the next.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::solver::direction::{Direction, Point, predicted_decrease};

/// `p ← μ·p − η·g`, the heavy-ball method of Polyak (1964)
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Momentum {
    /// μ in [0, 1), the fraction of the last displacement that is kept; 0.9 in the presets.
    pub mu: f64,
    velocity: Vec<f64>,
}

impl Momentum {
    /// Starts with velocity zero.
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
        Ok(predicted_decrease(&here.known.gradient, p))
    }
}
