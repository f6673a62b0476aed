//! A *schedule* is the sequence of stages that a fit goes through, each with one temperature.
//!
//! One stage is one iteration of Algorithm 1 (`algo:main`) for a solver that sees all rows at each step, and
//! one epoch of Algorithm 2 for a solver that visits them in minibatches.

mod adaptive;
mod constant;
mod geometric;
mod planned;

use crate::oracle::Batch;

pub use adaptive::Adaptive;
pub use constant::Constant;
pub use geometric::Geometric;
pub use planned::{Planned, PlannedStage};

/// A stretch of the fit at one temperature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// Which one, from 0.
    pub index: usize,
    /// The temperature τ.
    pub tau: f64,
    /// Accepted steps in it.
    pub steps: usize,
    /// The rows that a full estimate is over.
    pub rows: Batch,
}

/// What a schedule decides after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Next {
    /// The stage goes on.
    Stay,
    /// The stage is over; the next one begins where it ended.
    Advance(Stage),
    /// The stage failed; another one begins where it began.
    Retreat(Stage),
}

/// What a schedule is told after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Accepted steps in this stage so far.
    pub accepted: usize,
    /// L̂_τ of the estimate at the point that the step left.
    pub loss: f64,
    /// The step rule has nothing left to do in this stage.
    pub settled: bool,
    /// The step gained less than a hundredth of the loss.
    pub small: bool,
}

/// Decides the temperatures.
pub trait Schedule: std::fmt::Debug + Send {
    /// Where to begin.
    fn first(&self) -> Stage;

    /// What follows a step of `stage`.
    fn next(&mut self, stage: &Stage, progress: &Progress) -> Next;

    /// Whether a stage is at the last temperature, τ_max.
    fn at_cap(&self, stage: &Stage) -> bool;
}
