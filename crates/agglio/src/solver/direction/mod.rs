//! A *direction* turns what is known at θ into a displacement of a given size.

mod adaptive;
mod momentum;
mod nesterov;
mod steepest;

pub use adaptive::{Adaptive, Second};
pub use momentum::Momentum;
pub use nesterov::Nesterov;
pub use steepest::Steepest;

use crate::oracle::Sums;

/// Proposes displacements.
pub trait Direction: std::fmt::Debug + Send {
    /// The temperature has changed, and with it the objective.
    fn warm(&mut self) {}

    /// Writes the displacement p of size `size` at a point where `here` is known, and answers with the decrease
    /// of the loss that it predicts.
    fn displace(&mut self, size: f64, here: &Sums, p: &mut [f64]) -> f64;
}

/// −gᵀp, the decrease that the gradient promises.
fn promised(g: &[f64], p: &[f64]) -> f64 {
    -g.iter().zip(p).map(|(g, p)| g * p).sum::<f64>()
}
