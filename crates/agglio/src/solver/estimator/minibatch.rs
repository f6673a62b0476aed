//! The *minibatch* estimator: a few rows at a time, each row once in a pass.

use crate::error::Result;
use crate::math::rng::{Random, Stream, derive_key};
use crate::oracle::{Batch, Gradient, Known, Oracle, Query, Want};
use crate::solver::estimator::{Estimator, StepIndex};

/// The order in which minibatches visit the rows: a fresh permutation for each pass, cut into batches as equal as can be.
///
/// A short last batch would be steeper than the step that the others allow.
#[derive(Clone, Copy, Debug)]
pub struct Shuffle {
    key: u64,
    batches: usize,
    rows: usize,
}

impl Shuffle {
    /// Batches of at most `size` of `rows` rows, drawn by `seed`.
    pub fn new(seed: u64, size: usize, rows: usize) -> Shuffle {
        Shuffle { key: Random::new(seed, Stream::Batches).bits(), batches: rows.div_ceil(size.max(1)).max(1), rows }
    }

    /// Rows in the smallest batch.
    pub fn size(&self) -> usize {
        self.rows / self.batches
    }

    /// Batches in a pass.
    pub fn batches(&self) -> usize {
        self.batches
    }

    /// The rows of a step: stages longer than a pass go on with the next permutation.
    pub(super) fn batch(&self, index: StepIndex) -> Batch {
        let (pass, batch) = (index.step / self.batches, index.step % self.batches);
        let key = derive_key(derive_key(self.key, index.stage.index as u64), pass as u64);
        let bound = |batch: usize| (batch as u128 * self.rows as u128 / self.batches as u128) as usize;
        Batch::Part { key, start: bound(batch), len: bound(batch + 1) - bound(batch) }
    }
}

/// The mean gradient over a batch: AGGLIO-SGD, Algorithm 2; a batch of one is its single-point form.
#[derive(Clone, Copy, Debug)]
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
