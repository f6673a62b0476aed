//! The *full* estimator: all rows, every time.

use crate::oracle::{Oracle, Query, Sums, Want};
use crate::solver::estimator::{Estimator, Place};

/// ∇L̂_τ(θ) itself: AGGLIO-GD.
#[derive(Clone, Copy, Debug, Default)]
pub struct Full;

impl Full {
    fn query<'q>(&self, theta: &'q [f64], place: Place, want: Want<'q>) -> Query<'q> {
        Query::new(theta, place.stage.tau, place.stage.rows, want)
    }
}

impl Estimator for Full {
    fn question<'q>(&self, theta: &'q [f64], place: Place, want: Want<'q>) -> Option<Query<'q>> {
        Some(self.query(theta, place, want))
    }

    fn estimate(&mut self, oracle: &dyn Oracle, theta: &[f64], place: Place, want: Want<'_>) -> Sums {
        oracle.ask(&self.query(theta, place, want))
    }

    fn is_exact(&self) -> bool {
        true
    }
}
