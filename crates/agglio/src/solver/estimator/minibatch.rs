//! The *minibatch* estimator uses a few rows at a time, and each row once in an epoch.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::math::rng::{Random, Stream, derive_key};
use crate::oracle::{Batch, Gradient, Known, Oracle, Query, Want};
use crate::solver::estimator::{Estimator, StepIndex};

/// The order in which minibatches visit the rows: a new permutation for each epoch, split into batches of nearly equal
/// size.
///
/// Equal sizes matter because the step length is chosen for them: a short last batch would have a larger curvature.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Shuffle {
    key: u64,
    batches: usize,
    rows: usize,
}

impl Shuffle {
    /// Batches of at most `size` of `rows` rows, in an order that depends on `seed`.
    pub fn new(seed: u64, size: usize, rows: usize) -> Shuffle {
        Shuffle { key: Random::new(seed, Stream::Batches).bits(), batches: rows.div_ceil(size.max(1)).max(1), rows }
    }

    /// Number of rows in the smallest batch.
    pub fn size(&self) -> usize {
        self.rows / self.batches
    }

    /// Number of batches in an epoch.
    pub fn batches(&self) -> usize {
        self.batches
    }

    /// The rows of a step. A stage that is longer than an epoch continues with the next permutation.
    pub(super) fn batch(&self, index: StepIndex) -> Batch {
        let (epoch, batch) = (index.step / self.batches, index.step % self.batches);
        let key = derive_key(derive_key(self.key, index.stage.index as u64), epoch as u64);
        let bound = |batch: usize| (batch as u128 * self.rows as u128 / self.batches as u128) as usize;
        Batch::Part { key, start: bound(batch), len: bound(batch + 1) - bound(batch) }
    }
}

/// The mean gradient over a batch: AGGLIO-SGD, Algorithm 2. A batch of one row is its single-point form.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Minibatch(pub Shuffle);

impl Minibatch {
    fn query<'q>(&self, theta: &'q [f64], index: StepIndex, want: Want<'q>) -> Query<'q> {
        Query::at(theta, index.stage.tau, self.0.batch(index), want)
    }

    pub(super) fn gradient(
        &self,
        oracle: &dyn Oracle,
        theta: &[f64],
        index: StepIndex,
        want: Want<'_>,
    ) -> Result<Gradient> {
        oracle.ask(&self.query(theta, index, want))?.gradient()
    }
}

impl Estimator for Minibatch {
    fn question<'q>(&self, theta: &'q [f64], index: StepIndex, want: Want<'q>) -> Option<Query<'q>> {
        Some(self.query(theta, index, want))
    }

    fn estimate(&mut self, oracle: &dyn Oracle, theta: &[f64], index: StepIndex, want: Want<'_>) -> Result<Known> {
        self.gradient(oracle, theta, index, want).map(Known::Estimate)
    }
}
