//! The *improvement* rule: steps that are worth it.

use serde::{Deserialize, Serialize};

use crate::oracle::Known;
use crate::solver::step::StepRule;

/// Full steps, until one promises less than a share of the loss: for steps that keep what they promise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Improvement {
    /// The share of the loss that a step must promise.
    pub share: f64,
}

impl StepRule for Improvement {
    fn size(&self) -> f64 {
        1.0
    }

    fn judges(&self) -> bool {
        true
    }

    fn is_settled(&self, here: &Known, predicted: f64) -> bool {
        predicted.is_nan() || predicted <= here.rounding().max(self.share * here.loss)
    }
}
