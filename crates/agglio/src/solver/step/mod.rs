//! A *step rule* gives the size of a step, and the verdict on a trial.

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
use crate::solver::schedule::Stage;

/// What becomes of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// θ moves there.
    Accept,
    /// θ stays, and the next trial is another one.
    Reject,
    /// What a step could still gain is below what rounding does to the loss.
    Settled,
}

/// Sizes steps and judges them.
pub trait StepRule: std::fmt::Debug + Send {
    /// A new stage begins.
    fn begin(&mut self, _stage: &Stage) {}

    /// The size of the next step.
    fn size(&self) -> f64;

    /// Whether trials are judged; a blind rule accepts without asking.
    fn judges(&self) -> bool {
        false
    }

    /// Whether there is nothing left to do, whatever a trial would tell: none is then made. Default: trials decide.
    fn is_settled(&self, _here: &Known, _predicted: f64) -> bool {
        false
    }

    /// The verdict on a trial that promised the decrease `predicted`.
    fn judge(&mut self, _here: &Known, _there: &Known, _predicted: f64) -> Verdict {
        Verdict::Accept
    }

    /// Whether the size has begun to fall, so that the mean of the iterates is nearer to the optimum than the last.
    fn decays(&self) -> bool {
        false
    }

    /// A stage at the last temperature is over, with this mean loss along it.
    fn observe(&mut self, _mean_loss: f64) {}
}
