//! The *minibatch estimator with full loss* uses a minibatch for the gradient and all rows for the loss.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::oracle::{Gradient, Known, Oracle, Query, Value, Want};
use crate::solver::estimator::{Estimator, Minibatch, StepIndex};

/// The gradient of a minibatch, with L̂_τ(θ) over all rows, on which the stopping time of Algorithm 2 depends.
///
/// Each step costs a pass over the rows, so it is for tests of the theory and for solver `theory`. Reference: the proof
/// of `thm:conv-sgd-sigmoid`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct MinibatchFullLoss(pub Minibatch);

impl Estimator for MinibatchFullLoss {
    fn estimate(&mut self, oracle: &dyn Oracle, theta: &[f64], index: StepIndex, want: Want<'_>) -> Result<Known> {
        let few = self.0.gradient(oracle, theta, index, want)?;
        let all = oracle.ask(&Query::at(theta, index.stage.tau, index.stage.rows, Want::Loss))?.value()?;
        let value = Value { loss: all.loss, square: all.square, label_square: all.label_square, ..few.value };
        Ok(Known::Estimate(Gradient { value, ..few }))
    }
}
