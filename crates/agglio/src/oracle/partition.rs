//! A *partition* is a table in several shards that answer as one.

use crate::activation::Range;
use crate::error::{Error, Result};
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

    fn measure(&self, range: Range, columns: bool) -> Result<Measured> {
        let parts = self.0.iter().map(|part| part.measure(range, columns)).collect::<Result<Vec<_>>>()?;
        merge(parts, &|left, right| left.merge(right))
    }

    fn prepare(&mut self, frame: &Frame) -> Result<Tally> {
        let parts = self.0.iter_mut().map(|part| part.prepare(frame)).collect::<Result<Vec<_>>>()?;
        merge(parts, &|left, right| Ok(left.merge(right)))
    }

    fn answer(&self, queries: &[Query<'_>]) -> Result<Vec<PartialSums>> {
        let parts = self.0.iter().map(|part| part.answer(queries)).collect::<Result<Vec<_>>>()?;
        merge(parts, &|left, right| Ok(left.into_iter().zip(right).map(|(left, right)| left.merge(right)).collect()))
    }

    fn answer_one(&self, query: &Query<'_>) -> Result<PartialSums> {
        let parts = self.0.iter().map(|part| part.answer_one(query)).collect::<Result<Vec<_>>>()?;
        merge(parts, &|left, right| Ok(left.merge(right)))
    }
}

/// Merges in the binary tree whose left child has the largest possible power of two of parts.
fn merge<T>(mut parts: Vec<T>, two: &dyn Fn(T, T) -> Result<T>) -> Result<T> {
    if parts.len() > 1 {
        let right = parts.split_off(parts.len().next_power_of_two() / 2);
        return two(merge(parts, two)?, merge(right, two)?);
    }
    parts.pop().ok_or_else(|| Error::data("a table without parts has no rows"))
}
