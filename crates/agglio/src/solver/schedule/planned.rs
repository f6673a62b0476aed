//! The *planned* schedule is a list of stages that was computed before the fit.

use serde::{Deserialize, Serialize};

use crate::oracle::Batch;
use crate::solver::schedule::{Next, Progress, Schedule, Stage};

/// A planned stage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedStage {
    /// The temperature τ.
    pub tau: f64,
    /// Number of accepted steps after which it ends.
    pub steps: usize,
    /// The loss L̂_τ at which it ends earlier.
    pub enough: f64,
}

/// Runs a list of stages; the last one is repeated.
///
/// A stage ends after its steps, or after a step whose starting point had a low enough loss. This is the stopping time
/// in the proof of `thm:conv-sgd-sigmoid`, plus one step. Reference: `thm:conv-main-sigmoid` plans a temperature for
/// every step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Planned(pub Vec<PlannedStage>);

impl Planned {
    /// The stage of an empty plan: no graduation.
    const UNPLANNED: PlannedStage = PlannedStage { tau: 1.0, steps: 1, enough: 0.0 };

    fn at(&self, index: usize) -> PlannedStage {
        self.0.get(index).or(self.0.last()).copied().unwrap_or(Self::UNPLANNED)
    }

    fn stage(&self, index: usize) -> Stage {
        let PlannedStage { tau, steps, .. } = self.at(index);
        Stage { index, tau, steps, rows: Batch::All }
    }
}

impl Schedule for Planned {
    fn first(&self) -> Stage {
        self.stage(0)
    }

    fn next(&mut self, stage: &Stage, progress: &Progress) -> Next {
        let enough = progress.loss <= self.at(stage.index).enough;
        match progress.accepted < stage.steps && !progress.settled && !enough {
            true => Next::Stay,
            false => Next::Advance(self.stage(stage.index + 1)),
        }
    }

    fn at_cap(&self, stage: &Stage) -> bool {
        self.0.last().is_none_or(|last| stage.tau >= last.tau)
    }
}
