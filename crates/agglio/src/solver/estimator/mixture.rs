//! The *mixture* estimator takes expectations over which preimage each label came from, under noise before φ.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::oracle::{Ask, Gradient, Known, Model, Oracle, Query, Value, Want};
use crate::solver::estimator::{Estimator, StepIndex};
use crate::solver::linear_system::LinearSystem;

/// `Hθ − b`, with H the curvature at τ = 0 and b the right-hand side for the preimages expected at θ and σ
///
/// Full steps with the curvature H are expectation and maximisation. The loss is φ′(0)² times the expected square of ẑ − z,
/// and σ² is that square at the point before.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Mixture {
    pub system: Arc<LinearSystem>,
    pub sigma: f64,
    pub log_likelihood: Option<f64>,
}

impl Estimator for Mixture {
    fn estimate(&mut self, oracle: &dyn Oracle, theta: &[f64], index: StepIndex, _: Want<'_>) -> Result<Known> {
        let ask = Ask::Mixture { theta: Cow::Borrowed(theta), sigma: self.sigma };
        let here = oracle.ask(&Query::new(index.stage.rows, ask))?.mixture()?;
        self.sigma = here.square.sqrt().max(f64::MIN_POSITIVE.sqrt());
        self.log_likelihood = Some(here.log_likelihood);
        let image = self.system.times(oracle, theta)?;
        let gradient = image.iter().zip(&here.right_side).map(|(h, b)| h - b).collect();
        let derivative = oracle.facts().activation.derivative_at_zero;
        let (rows, loss) = (index.stage.rows.len(oracle.rows()), derivative * derivative * here.square);
        let value = Value { rows, loss, unpenalised: loss, square: loss, ..Value::default() };
        let first_order = Gradient { value, gradient, ..Gradient::default() };
        // in standardised units all columns of J have this norm
        Ok(Known::Exact(Model { first_order, column_norms: vec![derivative; theta.len()], ..Model::default() }))
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn log_likelihood(&self) -> Option<f64> {
        self.log_likelihood
    }
}
