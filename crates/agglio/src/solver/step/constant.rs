//! The *constant* step rule uses one learning rate.

use serde::{Deserialize, Serialize};

use crate::solver::step::StepRule;

/// `η_t = η`
///
/// η is the learning rate of the user, or 1/Λ. Every step is accepted.
///
/// Reference: `thm:conv-main-sigmoid` requires η ≤ 1/Λ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Constant(pub f64);

impl StepRule for Constant {
    fn size(&self) -> f64 {
        self.0
    }
}
