//! *Normalised* descent takes steps of a given length, whatever the length of the gradient.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::solver::direction::{Direction, Point, predicted_decrease};

/// `p = −η·g/‖g‖`
///
/// It leaves a plateau as fast as any other region, but cannot get closer to an optimum than about η. Reference: NGD
/// and, on minibatches, SNGD of Hazan, Levy and Shalev-Shwartz (2015).
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Normalised;

impl Direction for Normalised {
    fn displace(&mut self, size: f64, here: &Point<'_>, p: &mut [f64]) -> Result<f64> {
        let norm = here.known.norm();
        let step = |g: &f64| if norm > 0.0 { -size * (g / norm) } else { 0.0 };
        p.iter_mut().zip(&here.known.gradient).for_each(|(p, g)| *p = step(g));
        Ok(predicted_decrease(&here.known.gradient, p))
    }
}
