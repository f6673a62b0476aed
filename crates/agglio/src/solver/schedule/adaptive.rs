//! The *adaptive* schedule tries the last temperature first, and lower temperatures only if that fails.

use serde::{Deserialize, Serialize};

use crate::oracle::Batch;
use crate::solver::schedule::{Next, Progress, Schedule, Stage};

/// Starts at τ_max. If the first trial there is rejected, it returns to the starting point and tries the geometric mean
/// of this temperature and the highest one that worked. After an accepted step it tries τ_max again.
///
/// A good starting point needs no path, and a bad one gets as fine a path as it needs. If there are samples of the
/// rows, the fit begins on the smallest one. When a stage at τ_max gains little on a sample, the next larger sample
/// follows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Adaptive {
    tau_max: f64,
    /// Rows of the stages, smallest sample first. The fit ends on the last one.
    samples: Vec<Batch>,
    /// The highest temperature at which a step was accepted.
    reached: f64,
    /// Whether a step has been accepted at τ_max.
    arrived: bool,
    retreats: usize,
}

impl Adaptive {
    /// Below this fraction of τ_max the problem is nearly linear, so lower temperatures are not tried.
    const FLOOR: f64 = 0.01;
    /// Maximum number of retreats. After that the temperature stays, and the step rule must find a step.
    const MOST: usize = 12;

    /// A path to `tau_max` over growing `samples`. The last sample is the rows to fit.
    pub fn new(tau_max: f64, samples: Vec<Batch>) -> Adaptive {
        Adaptive { tau_max, samples, reached: 0.0, arrived: false, retreats: 0 }
    }

    /// The same schedule without retreats to lower temperatures.
    pub fn staying(self) -> Adaptive {
        Adaptive { retreats: Self::MOST, ..self }
    }

    fn half_way(&self, tau: f64) -> f64 {
        let middle = self.reached.max(Self::FLOOR * self.tau_max).sqrt() * tau.sqrt();
        // never τ = 0, which would be the linear problem
        middle.max(f64::MIN_POSITIVE.min(tau))
    }

    /// The sample after `rows`, if there is one.
    fn larger(&self, rows: Batch) -> Option<Batch> {
        let at = self.samples.iter().position(|&sample| sample == rows)?;
        self.samples.get(at + 1).copied()
    }
}

impl Schedule for Adaptive {
    fn first(&self) -> Stage {
        Stage { index: 0, tau: self.tau_max, steps: 1, rows: self.samples.first().copied().unwrap_or(Batch::All) }
    }

    fn next(&mut self, stage: &Stage, progress: &Progress) -> Next {
        let index = stage.index + 1;
        if progress.accepted >= stage.steps || progress.settled {
            let at_cap = stage.tau == self.tau_max;
            self.reached = self.reached.max(stage.tau);
            self.arrived = at_cap;
            // a step on a sample with a gain below the accuracy of the sample is the last one on it
            let done = at_cap && (progress.settled || progress.small);
            let rows = if done { self.larger(stage.rows).unwrap_or(stage.rows) } else { stage.rows };
            return Next::Advance(Stage { index, tau: self.tau_max, steps: stage.steps, rows });
        }
        let lower = self.half_way(stage.tau);
        if self.arrived || self.retreats >= Self::MOST || lower > 0.9 * stage.tau {
            return Next::Stay;
        }
        self.retreats += 1;
        Next::Retreat(Stage { index, tau: lower, ..*stage })
    }

    fn at_cap(&self, stage: &Stage) -> bool {
        stage.tau >= self.tau_max && self.larger(stage.rows).is_none()
    }
}
