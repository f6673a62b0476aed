//! The *minibatch* estimator: a few rows at a time, each row once in a pass.

use crate::oracle::{Oracle, Query, Sums, Want};
use crate::rng::{Random, Stream, derive_key};
use crate::rows::Batch;
use crate::solver::estimator::{Estimator, Place};

/// The order in which minibatches visit the rows: a fresh permutation for each pass.
#[derive(Clone, Copy, Debug)]
pub struct Shuffle {
    key: u64,
    size: usize,
    rows: usize,
}

impl Shuffle {
    /// Batches of `size` of `rows` rows, drawn by `seed`.
    pub fn new(seed: u64, size: usize, rows: usize) -> Shuffle {
        Shuffle { key: Random::new(seed, Stream::Batches).bits(), size: size.clamp(1, rows.max(1)), rows }
    }

    /// Rows in a batch.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Batches in a pass; the last one may be short.
    pub fn batches(&self) -> usize {
        self.rows.div_ceil(self.size)
    }

    /// The rows of a step: stages longer than a pass go on with the next permutation.
    pub(super) fn batch(&self, place: Place) -> Batch {
        let (pass, batch) = (place.step / self.batches(), place.step % self.batches());
        let key = derive_key(derive_key(self.key, place.stage.index as u64), pass as u64);
        let start = batch * self.size;
        Batch::Part { key, start, len: self.size.min(self.rows - start) }
    }
}

/// The mean gradient over a batch: AGGLIO-SGD, Algorithm 2; a batch of one is its single-point form.
#[derive(Clone, Copy, Debug)]
pub struct Minibatch(pub Shuffle);

impl Estimator for Minibatch {
    fn estimate(&mut self, oracle: &dyn Oracle, theta: &[f64], place: Place) -> Sums {
        oracle.ask(&Query::new(theta, place.stage.tau, self.0.batch(place), Want::Gradient))
    }
}
