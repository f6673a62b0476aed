//! *Nesterov*'s accelerated gradient.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::solver::direction::{Direction, Point, predicted_decrease};

/// `v ← μ·v − η·g,  p = μ·v − η·g`
///
/// The iterates are the look-ahead points of the usual form, so the gradient is needed only at θ. Both forms converge
/// to the same point. Reference: Nesterov (1983).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Nesterov {
    /// μ in [0, 1); 0.9 in the presets.
    pub mu: f64,
    velocity: Vec<f64>,
}

impl Nesterov {
    /// Starts with velocity zero.
    pub fn new(mu: f64) -> Nesterov {
        Nesterov { mu, velocity: Vec::new() }
    }
}

impl Direction for Nesterov {
    fn displace(&mut self, size: f64, here: &Point<'_>, p: &mut [f64]) -> Result<f64> {
        self.velocity.resize(p.len(), 0.0);
        for ((p, velocity), g) in p.iter_mut().zip(&mut self.velocity).zip(&here.known.gradient) {
            *velocity = self.mu * *velocity - size * g;
            *p = self.mu * *velocity - size * g;
        }
        Ok(predicted_decrease(&here.known.gradient, p))
    }
}
