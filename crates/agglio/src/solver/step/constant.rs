//! The *constant* step.

use crate::solver::step::StepRule;

/// η_t = η: the user's, or 1/Λ. It accepts without asking.
///
/// Reference: `thm:conv-main-sigmoid` asks for η ≤ 1/Λ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constant(pub f64);

impl StepRule for Constant {
    fn size(&self) -> f64 {
        self.0
    }
}
