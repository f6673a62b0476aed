//! An *estimator* is how the sums at θ are got: from all rows, or from few of them and what is known already.

mod full;
mod matching_loss;
mod minibatch;
mod minibatch_full_loss;
mod saga;
mod smoothed;
mod svrg;

pub use full::Full;
pub use matching_loss::MatchingLoss;
pub use minibatch::{Minibatch, Shuffle};
pub use minibatch_full_loss::MinibatchFullLoss;
pub use saga::Saga;
pub use smoothed::{Smoothed, Smoothing};
pub use svrg::Svrg;

use crate::error::Result;
use crate::oracle::{Known, Objective, Oracle, Query, Want};
use crate::solver::schedule::Stage;

/// A step's place in the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepIndex {
    /// The stage.
    pub stage: Stage,
    /// The step's number in the stage, from 0.
    pub step: usize,
}

/// Estimates loss and gradient at θ.
pub trait Estimator: std::fmt::Debug + Send {
    /// A new stage begins at θ.
    ///
    /// # Errors
    /// Those of the oracle, here and below.
    fn begin(&mut self, _oracle: &dyn Oracle, _theta: &[f64], _stage: &Stage) -> Result<()> {
        Ok(())
    }

    /// The question whose answer is the estimate, where it is one and nothing else. Default: it is not.
    fn question<'q>(&self, _theta: &'q [f64], _index: StepIndex, _want: Want<'q>) -> Option<Query<'q>> {
        None
    }

    /// Loss and gradient at θ, as well as this estimator gets them; the same step asks the same rows.
    ///
    /// # Errors
    /// Those of the oracle.
    fn estimate(&mut self, oracle: &dyn Oracle, theta: &[f64], index: StepIndex, want: Want<'_>) -> Result<Known>;

    /// The loss whose gradient it estimates, which is the one that the fit minimises. Default: squares.
    fn objective(&self) -> Objective {
        Objective::Squares
    }

    /// Whether estimates are over all rows, so that they can be compared and kept.
    fn is_exact(&self) -> bool {
        false
    }
}
