//! *SAGA*: a minibatch gradient, corrected by what each row said when it was last visited.

use crate::oracle::Batch;
use crate::oracle::{Memory, Oracle, Query, Sums, Want};
use crate::solver::estimator::{Estimator, Shuffle, StepIndex};
use crate::solver::schedule::Stage;

/// ∇_B(θ) − (what B last said) + (mean of what all rows last said).
///
/// The oracle keeps one number a row. Numbers from an earlier temperature stay valid as a correction, since
/// whatever is subtracted is added back in the mean; they are renewed within a pass.
///
/// Reference: Defazio, Bach and Lacoste-Julien (2014), `sec:method` "AGGLIO Variants".
#[derive(Clone, Debug)]
pub struct Saga {
    shuffle: Shuffle,
    mean: Vec<f64>,
}

impl Saga {
    /// Stages after which all rows are asked again.
    const RENEWAL: usize = 10;

    /// Visits the rows in the order of `shuffle`.
    pub fn new(shuffle: Shuffle) -> Saga {
        Saga { shuffle, mean: Vec::new() }
    }
}

impl Estimator for Saga {
    fn begin(&mut self, oracle: &dyn Oracle, theta: &[f64], stage: &Stage) {
        // the mean is kept by adding differences, whose rounding from large gradients would outlive them
        if stage.index.is_multiple_of(Self::RENEWAL) {
            let query = Query::new(theta, stage.tau, Batch::All, Want::Gradient);
            self.mean = oracle.ask(&Query { memory: Memory::Renew, ..query }).gradient;
        }
    }

    fn estimate(&mut self, oracle: &dyn Oracle, theta: &[f64], index: StepIndex, want: Want<'_>) -> Sums {
        let query = Query::new(theta, index.stage.tau, self.shuffle.batch(index), want);
        let mut here = oracle.ask(&Query { memory: Memory::Difference, ..query });
        let share = here.rows as f64 / oracle.rows() as f64;
        for (g, mean) in here.gradient.iter_mut().zip(&mut self.mean) {
            let change = *g;
            *g += *mean;
            *mean += share * change;
        }
        here
    }
}
