//! A *partition* is a table in several shards that answer as one.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::activation::Range;
use crate::error::{Error, Result};
use crate::math::tree;
use crate::oracle::facts::Measured;
use crate::oracle::frame::Frame;
use crate::oracle::labels::Tally;
use crate::oracle::partial_sums::PartialSums;
use crate::oracle::query::Query;
use crate::oracle::shard::Shards;

/// Shards of consecutive rows, in order. Their answers are merged in a fixed binary tree, so the bits depend only on
/// the partition, not on the location of the shards or on the order of their answers.
#[derive(Debug)]
pub struct Partition<S>(Vec<S>);

impl<S: Shards> Partition<S> {
    /// A table of these parts.
    ///
    /// # Errors
    /// If there are no parts.
    pub fn new(parts: Vec<S>) -> Result<Partition<S>> {
        match parts.is_empty() {
            true => Err(Error::data("a table without parts has no rows")),
            false => Ok(Partition(parts)),
        }
    }
}

impl<S: Shards> Shards for Partition<S> {
    fn rows_here(&self) -> usize {
        self.0.iter().map(|part| part.rows_here()).sum()
    }

    fn heed(&mut self, interrupt: &Arc<AtomicBool>) {
        self.0.iter_mut().for_each(|part| part.heed(interrupt));
    }

    fn is_streamed(&self) -> bool {
        self.0.iter().any(|part| part.is_streamed())
    }

    fn measure(&self, range: Range, columns: bool) -> Result<Measured> {
        merge(self.0.iter().map(|part| part.measure(range, columns)), |left, right| left.merge(right))
    }

    fn prepare(&mut self, frame: &Frame) -> Result<Tally> {
        merge(self.0.iter_mut().map(|part| part.prepare(frame)), |left, right| Ok(left.merge(right)))
    }

    fn answer(&self, queries: &[Query<'_>]) -> Result<Vec<PartialSums>> {
        merge(self.0.iter().map(|part| part.answer(queries)), |left, right| {
            Ok(left.into_iter().zip(right).map(|(left, right)| left.merge(right)).collect())
        })
    }

    fn answer_one(&self, query: &Query<'_>) -> Result<PartialSums> {
        merge(self.0.iter().map(|part| part.answer_one(query)), |left, right| Ok(left.merge(right)))
    }
}

/// Merges what consecutive shards return, of which there is at least one.
pub(super) fn merge<T>(parts: impl Iterator<Item = Result<T>>, two: impl FnMut(T, T) -> Result<T>) -> Result<T> {
    tree::merge(parts, two)?.ok_or_else(|| Error::data("a table without parts has no rows"))
}
