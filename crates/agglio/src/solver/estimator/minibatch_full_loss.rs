//! The *watched* estimator: a minibatch for the gradient, all rows for the loss.

use crate::error::Result;
use crate::oracle::{Gradient, Known, Oracle, Query, Value, Want};
use crate::solver::estimator::{Estimator, Minibatch, StepIndex};

/// The gradient of a minibatch with L̂_τ(θ) of all rows beside it, which the stopping time of Algorithm 2 looks at.
///
/// It costs a pass over the rows a step, so it is for checks of the theory and not for fits. Reference: the proof of
/// `thm:conv-sgd-sigmoid`.
#[derive(Clone, Copy, Debug)]
pub struct MinibatchFullLoss(pub Minibatch);

impl Estimator for MinibatchFullLoss {
    fn estimate(&mut self, oracle: &dyn Oracle, theta: &[f64], index: StepIndex, want: Want<'_>) -> Result<Known> {
        let few = self.0.gradient(oracle, theta, index, want)?;
        let all = oracle.ask(&Query::at(theta, index.stage.tau, index.stage.rows, Want::Loss))?.value()?;
        let value = Value { loss: all.loss, label_square: all.label_square, ..few.value };
        Ok(Known::Estimate(Gradient { value, ..few }))
    }
}
