//! The *full* estimator: all rows, every time.

use crate::oracle::{Oracle, Query, Sums, Want};
use crate::solver::estimator::{Estimator, Place};

/// ∇L̂_τ(θ) itself: AGGLIO-GD.
#[derive(Clone, Copy, Debug, Default)]
pub struct Full;

impl Estimator for Full {
    fn estimate(&mut self, oracle: &dyn Oracle, theta: &[f64], place: Place, want: Want<'_>) -> Sums {
        oracle.ask(&Query::new(theta, place.stage.tau, place.stage.rows, want))
    }

    fn is_exact(&self) -> bool {
        true
    }
}
