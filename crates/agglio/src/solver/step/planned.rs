//! The *planned* step rule has one size for each stage, computed before the fit.

use serde::{Deserialize, Serialize};

use crate::solver::schedule::Stage;
use crate::solver::step::StepRule;

/// `η_t` for stage t, and the last one for all later stages
///
/// Every step is accepted. Reference: `thm:conv-main-sigmoid` requires η_t = 1/Λ_{r_t}, and `thm:conv-sgd-sigmoid`
/// less.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Planned {
    sizes: Vec<f64>,
    size: f64,
}

impl Planned {
    /// Uses these sizes, one for each stage.
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
