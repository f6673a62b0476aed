//! The *full* estimator uses all rows of the stage at every step.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::oracle::{Known, Oracle, Query, Want};
use crate::solver::estimator::{Estimator, StepIndex};

/// `∇L̂_τ(θ)`, exact: AGGLIO-GD
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Full;

impl Estimator for Full {
    fn question<'q>(&self, theta: &'q [f64], index: StepIndex, want: Want<'q>) -> Option<Query<'q>> {
        Some(Query::at(theta, index.stage.tau, index.stage.rows, want))
    }

    fn estimate(&mut self, oracle: &dyn Oracle, theta: &[f64], index: StepIndex, want: Want<'_>) -> Result<Known> {
        oracle.ask(&Query::at(theta, index.stage.tau, index.stage.rows, want))?.try_into()
    }

    fn is_exact(&self) -> bool {
        true
    }
}
