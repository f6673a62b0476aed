//! A *schedule* is the sequence of stages of a fit. Each stage has one temperature.
//!
//! A stage is one iteration of Algorithm 1 (`algo:main`) for a solver that uses all rows at each step, and one epoch of
//! Algorithm 2 for a solver that uses minibatches.

mod adaptive;
mod constant;
mod geometric;
mod planned;

use serde::{Deserialize, Serialize};

use crate::oracle::Batch;
use crate::solver::Part;

pub use adaptive::Adaptive;
pub use constant::Constant;
pub use geometric::Geometric;
pub use planned::{Planned, PlannedStage};

/// A part of the fit at one temperature.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Number of the stage, from 0.
    pub index: usize,
    /// The temperature τ.
    pub tau: f64,
    /// Number of accepted steps after which it ends.
    pub steps: usize,
    /// The rows of a full estimate.
    pub rows: Batch,
}

/// The decision of a schedule after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Next {
    /// The stage continues.
    Stay,
    /// The stage ends, and the next one begins at the current point.
    Advance(Stage),
    /// The stage failed, and another one begins at the point where it began.
    Retreat(Stage),
}

/// The result of a step, as input for a schedule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Number of accepted steps in this stage so far.
    pub accepted: usize,
    /// The estimate of L̂_τ at the starting point of the step.
    pub loss: f64,
    /// Whether the step rule can make no more progress in this stage.
    pub settled: bool,
    /// Whether the step reduced the loss by less than a hundredth.
    pub small: bool,
}

/// Chooses the temperatures.
pub trait Schedule: Part {
    /// The first stage.
    fn first(&self) -> Stage;

    /// The decision after a step of `stage`.
    fn next(&mut self, stage: &Stage, progress: &Progress) -> Next;

    /// Whether a stage is at the last temperature, τ_max, and on the last sample of rows.
    fn at_cap(&self, stage: &Stage) -> bool;
}
