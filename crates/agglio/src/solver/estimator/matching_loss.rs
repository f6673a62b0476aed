//! The *matching-loss* estimator uses the gradient of the loss that matches φ, which has no factor φ′.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::oracle::{Known, Objective, Oracle, Query, Want};
use crate::solver::estimator::{Estimator, StepIndex};

/// `(2/n) Σ ω (φ(z) − y)·x` over all rows, and `(2/n) Σ ω φ′(z)·x xᵀ` for the curvature
///
/// It is the gradient of the matching loss (2/n) Σ ω ∫^z (φ(t) − y) dt, which is convex for an increasing φ. GLMtron
/// and iteratively reweighted least squares minimise it. Without noise the gradient vanishes at w_*; with noise its
/// zero is not that of least squares.
///
/// Reference: Auer, Herbster and Warmuth (1996); Kakade, Kalai, Kanade and Shamir (2011).
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct MatchingLoss;

impl MatchingLoss {
    fn query<'q>(&self, theta: &'q [f64], index: StepIndex, want: Want<'q>) -> Query<'q> {
        Query::at(theta, index.stage.tau, index.stage.rows, want).of(Objective::Matching)
    }
}

impl Estimator for MatchingLoss {
    fn question<'q>(&self, theta: &'q [f64], index: StepIndex, want: Want<'q>) -> Option<Query<'q>> {
        Some(self.query(theta, index, want))
    }

    fn estimate(&mut self, oracle: &dyn Oracle, theta: &[f64], index: StepIndex, want: Want<'_>) -> Result<Known> {
        oracle.ask(&self.query(theta, index, want))?.try_into()
    }

    fn objective(&self) -> Objective {
        Objective::Matching
    }
}
