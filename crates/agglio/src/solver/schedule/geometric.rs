//! The *geometric* schedule multiplies the temperature by β after each stage.

use serde::{Deserialize, Serialize};

use crate::oracle::Batch;
use crate::solver::schedule::{Next, Progress, Schedule, Stage};

/// `τ_{t+1} = min(β·τ_t, τ_max)`
///
/// With one step per stage it is Algorithm 1; with the steps of one epoch per stage it is Algorithm 2.
///
/// Reference: `algo:main`, "Cap temperature at unity"; a cap below one is that of `thm:conv-noisy-sigmoid`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Geometric {
    /// The first temperature τ_0.
    pub tau0: f64,
    /// The increment β > 1.
    pub beta: f64,
    /// The last temperature τ_max.
    pub tau_max: f64,
    /// Number of steps in a stage.
    pub steps: usize,
}

impl Schedule for Geometric {
    fn first(&self) -> Stage {
        Stage { index: 0, tau: self.tau0.min(self.tau_max), steps: self.steps, rows: Batch::All }
    }

    fn next(&mut self, stage: &Stage, progress: &Progress) -> Next {
        match progress.accepted < stage.steps && !progress.settled {
            true => Next::Stay,
            false => Next::Advance(Stage {
                index: stage.index + 1,
                tau: (self.beta * stage.tau).min(self.tau_max),
                ..*stage
            }),
        }
    }

    fn at_cap(&self, stage: &Stage) -> bool {
        stage.tau >= self.tau_max
    }
}
