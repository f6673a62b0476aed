//! The *constant* schedule has one temperature.

use serde::{Deserialize, Serialize};

use crate::oracle::Batch;
use crate::solver::schedule::{Next, Progress, Schedule, Stage};

/// `τ_t = τ`
///
/// No graduation. At τ = 1 this is the plain method, at τ = 0 it is linear least squares on φ⁻¹(y).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Constant {
    /// The temperature.
    pub tau: f64,
    /// Number of steps in a stage.
    pub steps: usize,
}

impl Schedule for Constant {
    fn first(&self) -> Stage {
        Stage { index: 0, tau: self.tau, steps: self.steps, rows: Batch::All }
    }

    fn next(&mut self, stage: &Stage, progress: &Progress) -> Next {
        match progress.accepted < stage.steps && !progress.settled {
            true => Next::Stay,
            false => Next::Advance(Stage { index: stage.index + 1, ..*stage }),
        }
    }

    fn at_cap(&self, _stage: &Stage) -> bool {
        true
    }
}
