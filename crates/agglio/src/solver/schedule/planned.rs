//! The *planned* schedule: stages that were worked out beforehand, one after the other.

use crate::oracle::Batch;
use crate::solver::schedule::{Next, Progress, Schedule, Stage};

/// A stage as planned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlannedStage {
    /// The temperature τ.
    pub tau: f64,
    /// Accepted steps after which it is over.
    pub steps: usize,
    /// The loss L̂_τ at which it is over earlier.
    pub enough: f64,
}

/// Goes through a list of stages; the last one is repeated.
///
/// A stage is left after its steps, or once a step began at a loss that is low enough: the stopping time of the proof of
/// `thm:conv-sgd-sigmoid`, but for the step that was under way. Reference: `thm:conv-main-sigmoid` plans a temperature for
/// every step.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned(pub Vec<PlannedStage>);

impl Planned {
    /// Where nothing is planned there is no graduation.
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
