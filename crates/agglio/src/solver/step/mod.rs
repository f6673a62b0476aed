//! A *step rule* chooses the size of a step, and accepts or rejects a trial.

mod armijo;
mod constant;
mod decay;
mod improvement;
mod planned;
mod smoothness;
mod trust_region;

pub use armijo::Armijo;
pub use constant::Constant;
pub use decay::Decay;
pub use improvement::Improvement;
pub use planned::Planned;
pub use smoothness::Smoothness;
pub use trust_region::TrustRegion;

use crate::oracle::Known;
use crate::solver::Part;
use crate::solver::schedule::Stage;

/// The decision on a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// θ moves to the trial.
    Accept,
    /// θ stays, and another trial follows.
    Reject,
    /// θ stays. The possible decrease of the loss is below its rounding error, or no size works.
    Settled,
}

/// Chooses step sizes and judges trials.
pub trait StepRule: Part {
    /// Called when a new stage begins.
    fn begin(&mut self, _stage: &Stage) {}

    /// The size of the next step.
    fn size(&self) -> f64;

    /// Whether trials are judged. Otherwise every step is accepted. Default: no.
    fn judges(&self) -> bool {
        false
    }

    /// Whether nothing is left to do, so that no trial is made. Default: trials decide.
    fn is_settled(&self, _here: &Known, _predicted: f64) -> bool {
        false
    }

    /// The decision on a trial whose predicted decrease is `predicted`.
    fn judge(&mut self, _here: &Known, _there: &Known, _predicted: f64) -> Verdict {
        Verdict::Accept
    }

    /// Whether the size has begun to decay, so that the mean of the iterates is closer to the optimum than the last
    /// one.
    fn decays(&self) -> bool {
        false
    }

    /// Called when a stage at the last temperature ends, with the mean loss of the stage.
    fn observe(&mut self, _mean_loss: f64) {}
}
