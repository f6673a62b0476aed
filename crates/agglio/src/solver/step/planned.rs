//! The *planned* step: a size for each stage, worked out beforehand.

use crate::solver::schedule::Stage;
use crate::solver::step::StepRule;

/// η_t of the t-th stage, and that of the last one thereafter. It accepts without asking.
///
/// Reference: `thm:conv-main-sigmoid` asks for η_t = 1/Λ_{r_t}, `thm:conv-sgd-sigmoid` for less.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    sizes: Vec<f64>,
    size: f64,
}

impl Planned {
    /// These sizes, one for each stage.
    pub fn new(sizes: Vec<f64>) -> Planned {
        Planned { size: sizes.first().copied().unwrap_or(0.0), sizes }
    }
}

impl StepRule for Planned {
    fn begin(&mut self, stage: &Stage) {
        self.size = self.sizes.get(stage.index).copied().unwrap_or(self.size);
    }

    fn size(&self) -> f64 {
        self.size
    }
}
