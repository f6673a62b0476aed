//! *SAGA* corrects a minibatch gradient by the last gradient term of each row.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::math::rng::Permutation;
use crate::oracle::{Batch, Known, Memory, Oracle, Query, Want};
use crate::solver::estimator::{Estimator, Shuffle, StepIndex};
use crate::solver::schedule::Stage;

/// `∇_B(θ) − (mean of the last terms of B) + (mean of the last terms of all rows)`
///
/// The term of a row is the row times one number, and a table stores these numbers. Numbers from an earlier temperature
/// are still a valid correction, because the mean adds back everything that is subtracted. An epoch replaces all of
/// them.
///
/// Reference: Defazio, Bach and Lacoste-Julien (2014), `sec:method` "AGGLIO Variants".
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Saga {
    shuffle: Shuffle,
    mean: Vec<f64>,
    /// The stored number of each row.
    table: Vec<f64>,
}

impl Saga {
    /// Number of stages after which the table is computed again on all rows.
    const RENEWAL: usize = 10;

    /// Visits the rows in the order of `shuffle`.
    pub fn new(shuffle: Shuffle) -> Saga {
        Saga { shuffle, mean: Vec::new(), table: Vec::new() }
    }
}

impl Estimator for Saga {
    fn begin(&mut self, oracle: &dyn Oracle, theta: &[f64], stage: &Stage) -> Result<()> {
        // the mean is updated by differences: rounding errors from early, large gradients would stay in it
        if stage.index.is_multiple_of(Self::RENEWAL) {
            let query = Query::at(theta, stage.tau, Batch::All, Want::Gradient).remembering(Memory::Renew);
            let all = oracle.ask(&query)?.gradient()?;
            (self.mean, self.table) = (all.gradient, all.remembered);
        }
        Ok(())
    }

    fn estimate(&mut self, oracle: &dyn Oracle, theta: &[f64], index: StepIndex, want: Want<'_>) -> Result<Known> {
        let batch = self.shuffle.batch(index);
        let rows = rows_of(batch, oracle.rows());
        let before: Vec<f64> = rows.iter().map(|&row| self.table.get(row).copied().unwrap_or(0.0)).collect();
        let query = Query::at(theta, index.stage.tau, batch, want);
        let mut here = oracle.ask(&query.remembering(Memory::Difference(Cow::Borrowed(&before))))?.gradient()?;
        for (row, number) in rows.into_iter().zip(&here.remembered) {
            self.table.get_mut(row).into_iter().for_each(|kept| *kept = *number);
        }
        let share = here.rows as f64 / oracle.rows() as f64;
        for (g, mean) in here.gradient.iter_mut().zip(&mut self.mean) {
            let change = *g;
            *g += *mean;
            *mean += share * change;
        }
        Ok(Known::Estimate(here))
    }
}

/// The rows of a batch, in order.
fn rows_of(batch: Batch, all: usize) -> Vec<usize> {
    match batch {
        Batch::All => (0..all).collect(),
        Batch::Part { key, start, .. } => Permutation::new(key, all).run(start, batch.len(all)),
        // no solver with minibatches sees a bootstrap sample
        Batch::Resample { .. } => Vec::new(),
    }
}
