//! *SVRG*: a minibatch gradient, corrected by what the same rows said at an anchor where all rows were asked.

use crate::oracle::Batch;
use crate::oracle::{Oracle, Query, Sums, Want};
use crate::solver::estimator::{Estimator, Shuffle, StepIndex};
use crate::solver::schedule::Stage;

/// ∇_B(θ) − ∇_B(θ̃) + ∇(θ̃), with the anchor θ̃ where the stage began.
///
/// Anchor and temperature stay together: a stage has one of each.
///
/// Reference: Johnson and Zhang (2013), `sec:method` "AGGLIO Variants".
#[derive(Clone, Debug)]
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
    fn begin(&mut self, oracle: &dyn Oracle, theta: &[f64], stage: &Stage) {
        self.anchor = theta.to_vec();
        self.at_anchor = oracle.ask(&Query::new(theta, stage.tau, Batch::All, Want::Gradient)).gradient;
    }

    fn estimate(&mut self, oracle: &dyn Oracle, theta: &[f64], index: StepIndex, want: Want<'_>) -> Sums {
        let batch = self.shuffle.batch(index);
        let ask = |theta| oracle.ask(&Query::new(theta, index.stage.tau, batch, want));
        let (mut here, before) = (ask(theta), ask(&self.anchor));
        for ((g, before), full) in here.gradient.iter_mut().zip(&before.gradient).zip(&self.at_anchor) {
            *g += full - before;
        }
        here
    }
}
