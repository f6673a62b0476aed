//! An *estimator* computes the sums at θ: exactly from all rows, or approximately from a batch and earlier results.

mod full;
mod matching_loss;
mod minibatch;
mod minibatch_full_loss;
mod mixture;
mod saga;
mod smoothed;
mod svrg;

pub use full::Full;
pub use matching_loss::MatchingLoss;
pub use minibatch::{Minibatch, Shuffle};
pub use minibatch_full_loss::MinibatchFullLoss;
pub(crate) use mixture::Mixture;
pub use saga::Saga;
pub use smoothed::{Smoothed, Smoothing};
pub use svrg::Svrg;

use crate::error::Result;
use crate::oracle::{Known, Objective, Oracle, Query, Want};
use crate::solver::Part;
use crate::solver::schedule::Stage;

/// The position of a step in the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepIndex {
    /// The stage.
    pub stage: Stage,
    /// The number of the step in the stage, from 0.
    pub step: usize,
}

/// Estimates loss and gradient at θ.
pub trait Estimator: Part {
    /// Called when a new stage begins at θ.
    ///
    /// # Errors
    /// Those of the oracle. The other methods have the same errors.
    fn begin(&mut self, _oracle: &dyn Oracle, _theta: &[f64], _stage: &Stage) -> Result<()> {
        Ok(())
    }

    /// The query whose answer is the estimate, if a single query is enough. Default: none.
    fn question<'q>(&self, _theta: &'q [f64], _index: StepIndex, _want: Want<'q>) -> Option<Query<'q>> {
        None
    }

    /// Loss and gradient at θ, as accurate as this estimator can be. Calls with the same step use the same rows.
    ///
    /// # Errors
    /// Those of the oracle.
    fn estimate(&mut self, oracle: &dyn Oracle, theta: &[f64], index: StepIndex, want: Want<'_>) -> Result<Known>;

    /// The loss whose gradient it estimates, which the fit minimises. Default: that of the problem.
    fn objective(&self) -> Objective {
        Objective::Loss
    }

    /// Mean log-likelihood of the labels at the last point, if that is what the steps maximise. Default: it is not.
    fn log_likelihood(&self) -> Option<f64> {
        None
    }

    /// Whether estimates are exact over all rows of the stage and of the loss of the problem, so that they can be compared.
    fn is_exact(&self) -> bool {
        false
    }
}
