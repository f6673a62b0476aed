//! The *full* estimator: all rows, every time.

use crate::oracle::{Oracle, Query, Sums, Want};
use crate::solver::estimator::{Estimator, StepIndex};

/// ∇L̂_τ(θ) itself: AGGLIO-GD.
#[derive(Clone, Copy, Debug, Default)]
pub struct Full;

impl Full {
    fn query<'q>(&self, theta: &'q [f64], index: StepIndex, want: Want<'q>) -> Query<'q> {
        Query::new(theta, index.stage.tau, index.stage.rows, want)
    }
}

impl Estimator for Full {
    fn question<'q>(&self, theta: &'q [f64], index: StepIndex, want: Want<'q>) -> Option<Query<'q>> {
        Some(self.query(theta, index, want))
    }

    fn estimate(&mut self, oracle: &dyn Oracle, theta: &[f64], index: StepIndex, want: Want<'_>) -> Sums {
        oracle.ask(&self.query(theta, index, want))
    }

    fn is_exact(&self) -> bool {
        true
    }
}
