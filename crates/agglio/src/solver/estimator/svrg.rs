//! *SVRG* corrects a minibatch gradient by the gradients at an anchor, over the same rows and over all rows.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::oracle::{Batch, Known, Oracle, Query, Want};
use crate::solver::estimator::{Estimator, Shuffle, StepIndex};
use crate::solver::schedule::Stage;

/// `∇_B(θ) − ∇_B(θ̃) + ∇(θ̃)`, with the anchor θ̃ at the start of the stage
///
/// A stage has one anchor and one temperature.
///
/// Reference: Johnson and Zhang (2013), `sec:method` "AGGLIO Variants".
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Svrg {
    shuffle: Shuffle,
    anchor: Vec<f64>,
    at_anchor: Vec<f64>,
}

impl Svrg {
    /// Visits the rows in the order of `shuffle`.
    pub fn new(shuffle: Shuffle) -> Svrg {
        Svrg { shuffle, anchor: Vec::new(), at_anchor: Vec::new() }
    }
}

impl Estimator for Svrg {
    fn begin(&mut self, oracle: &dyn Oracle, theta: &[f64], stage: &Stage) -> Result<()> {
        self.anchor = theta.to_vec();
        let query = Query::at(theta, stage.tau, Batch::All, Want::Gradient);
        self.at_anchor = oracle.ask(&query)?.gradient()?.gradient;
        Ok(())
    }

    fn estimate(&mut self, oracle: &dyn Oracle, theta: &[f64], index: StepIndex, want: Want<'_>) -> Result<Known> {
        let batch = self.shuffle.batch(index);
        let ask = |theta: &[f64]| oracle.ask(&Query::at(theta, index.stage.tau, batch, want.clone()))?.gradient();
        let (mut here, before) = (ask(theta)?, ask(&self.anchor)?);
        for ((g, before), full) in here.gradient.iter_mut().zip(&before.gradient).zip(&self.at_anchor) {
            *g += full - before;
        }
        Ok(Known::Estimate(here))
    }
}
