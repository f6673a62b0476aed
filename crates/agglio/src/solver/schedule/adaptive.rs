//! The *adaptive* schedule: the last temperature at once, and back half way where that fails.

use crate::oracle::Batch;
use crate::solver::schedule::{Next, Progress, Schedule, Stage};

/// Tries τ_max at once. If the first trial there is rejected, it goes back to where it came from and half way down in
/// log τ, towards the last temperature that worked; once a step is accepted there it tries τ_max again.
///
/// A good start needs no path at all, and a bad one gets as fine a path as it needs. Samples of the rows come first
/// where there are any: a stage at τ_max that gains little on one sample is followed by the next, larger one.
#[derive(Clone, Debug)]
pub struct Adaptive {
    tau_max: f64,
    /// Rows of the stages, smallest first; the last is where the fit ends.
    samples: Vec<Batch>,
    /// The highest temperature at which a step was accepted on the way.
    reached: f64,
    /// Whether a step has been accepted at τ_max.
    arrived: bool,
    retreats: usize,
}

impl Adaptive {
    /// Below this share of the cap the problem is a line as far as paths are concerned.
    const FLOOR: f64 = 0.01;
    /// Retreats after which it stays and lets the step rule find the way.
    const MOST: usize = 12;

    /// A path to `tau_max` over growing `samples`, which end in the rows that are to be fitted.
    pub fn new(tau_max: f64, samples: Vec<Batch>) -> Adaptive {
        Adaptive { tau_max, samples, reached: 0.0, arrived: false, retreats: 0 }
    }

    /// The same without going back to lower temperatures.
    pub fn staying(self) -> Adaptive {
        Adaptive { retreats: Self::MOST, ..self }
    }

    fn half_way(&self, tau: f64) -> f64 {
        let middle = self.reached.max(Self::FLOOR * self.tau_max).sqrt() * tau.sqrt();
        // τ = 0 is another end, not a place on the way
        middle.max(f64::MIN_POSITIVE.min(tau))
    }

    /// The sample that follows `rows`, if there is one.
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
            // on a sample a step that gains less than its rows can tell is enough
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
