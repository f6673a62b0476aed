//! A *shard* holds some rows of a table and answers queries about them with sums that can be merged.
//!
//! It does not depend on other shards. In addition to its rows it stores only the preimages of its labels, which it can
//! compute again.

use std::iter::repeat_n;
use std::ops;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::activation::Range;
use crate::error::{Error, Result};
use crate::math::rng::{Permutation, resample};
use crate::math::tree::fold;
use crate::oracle::facts::Measured;
use crate::oracle::frame::Frame;
use crate::oracle::labels::{LabelPreimages, Tally};
use crate::oracle::many::MultiQuery;
use crate::oracle::partial_sums::PartialSums;
use crate::oracle::query::{Ask, At, Batch, Query, Want};
use crate::oracle::row_pass::RowPass;
use crate::rows::{Rows, Run};

/// One shard, or several that answer as one.
///
/// The order of calls is `measure`, then `prepare`, then queries. `prepare` may be called again, and the answers must
/// then be the same: this is how a lost shard is replaced.
pub trait Shards: std::fmt::Debug + Send + Sync {
    /// Number of rows in this process, whose threads share the work. Default: none.
    fn rows_here(&self) -> usize {
        0
    }

    /// Takes the flag that ends a pass over the rows when it is set: with an error, once a pass takes long. Default: passes are
    /// not ended.
    fn heed(&mut self, _interrupt: &Arc<AtomicBool>) {}

    /// Whether the rows are read again in every pass, so that solvers must not visit them in minibatches. Default: no.
    fn is_streamed(&self) -> bool {
        false
    }

    /// Measures responses, weights and offsets, and the columns if `columns` is true.
    ///
    /// # Errors
    /// If rows are lost or cannot be read. The other methods have the same error.
    fn measure(&self, range: Range, columns: bool) -> Result<Measured>;

    /// Receives the frame, which depends on all rows.
    ///
    /// # Errors
    /// As [`Shards::measure`].
    fn prepare(&mut self, frame: &Frame) -> Result<Tally>;

    /// Answers queries. An answer does not depend on the other queries, with one exception: several gradients are
    /// computed by matrix products, and differ from single ones in the last bits.
    ///
    /// # Errors
    /// As [`Shards::measure`].
    fn answer(&self, queries: &[Query<'_>]) -> Result<Vec<PartialSums>>;

    /// Answers one query.
    ///
    /// # Errors
    /// As [`Shards::measure`].
    fn answer_one(&self, query: &Query<'_>) -> Result<PartialSums>;
}

/// A shard whose rows are in this process.
#[derive(Debug)]
pub struct Shard {
    rows: Arc<dyn Rows>,
    held: Held,
    prepared: Option<Prepared>,
}

/// Which rows of the whole table a shard has.
#[derive(Clone, Copy, Debug)]
pub(super) enum Held {
    /// Consecutive rows from this one on.
    From(usize),
    /// The rows at consecutive positions of a permutation from this one on, in this order.
    Sample { key: u64, permutation: Permutation, from: usize },
}

impl Held {
    /// The row of the table that is this one of the shard.
    pub fn row(&self, index: usize) -> usize {
        match self {
            Held::From(first) => first + index,
            Held::Sample { permutation, from, .. } => permutation.at(from + index),
        }
    }
}

/// The frame, and the preimages that depend on it.
#[derive(Debug)]
pub(super) struct Prepared {
    pub frame: Arc<Frame>,
    pub labels: LabelPreimages,
    pub held: Held,
}

impl Shard {
    /// A shard of all rows of a table.
    pub fn new(rows: Arc<dyn Rows>) -> Shard {
        Shard { rows, held: Held::From(0), prepared: None }
    }

    /// Sets the position of the first row in a larger table.
    pub fn beginning_at(self, first: usize) -> Shard {
        Shard { held: Held::From(first), ..self }
    }

    /// A shard that is prepared. `labels` are the preimages of its labels, if its queries need them.
    pub(super) fn prepared_with(rows: Arc<dyn Rows>, held: Held, frame: &Arc<Frame>, labels: LabelPreimages) -> Shard {
        Shard { rows, held, prepared: Some(Prepared { frame: frame.clone(), labels, held }) }
    }

    fn prepared(&self) -> Result<&Prepared> {
        self.prepared.as_ref().ok_or_else(|| Error::data("a shard was asked before it was prepared"))
    }

    /// The rows of this shard that belong to a batch.
    fn asked(&self, batch: Batch, all: usize) -> Asked {
        let first = match self.held {
            Held::From(first) => first,
            Held::Sample { key, from, .. } => return self.asked_of_sample(key, from, batch, all),
        };
        let own = first..first + self.rows.len();
        match batch {
            Batch::Resample { key } => {
                let counts = resample(key, all);
                let before: usize = counts[..own.start].iter().map(|count| *count as usize).sum();
                let drawn = counts[own].iter().enumerate();
                let rows: Vec<usize> = drawn.flat_map(|(row, &count)| repeat_n(row, count as usize)).collect();
                Asked::Picked { positions: (before..before + rows.len()).collect(), rows }
            }
            Batch::All => Asked::Span { rows: 0..self.rows.len(), first },
            Batch::Part { key, start, .. } if self.rows.len() == all => {
                Asked::Permuted { permutation: Permutation::new(key, all), start, len: batch.len(all) }
            }
            Batch::Part { key, start, .. } => {
                let permutation = Permutation::new(key, all);
                let end = start + batch.len(all);
                // iterate over the shorter of the two: the rows of the shard, or the positions of the batch
                let mut picked: Vec<(usize, usize)> = match own.len() < end - start {
                    true => own.clone().map(|row| (permutation.position(row), row - first)).collect(),
                    false => (start..end).zip(permutation.run(start, end - start)).collect(),
                };
                match own.len() < end - start {
                    true => picked.retain(|(position, _)| (start..end).contains(position)),
                    false => {
                        picked.retain(|(_, row)| own.contains(row));
                        picked.iter_mut().for_each(|(_, row)| *row -= first);
                    }
                }
                picked.sort_unstable();
                let (positions, rows) = picked.into_iter().map(|(position, row)| (position - start, row)).unzip();
                Asked::Picked { rows, positions }
            }
        }
    }

    /// The rows of a sample that belong to a batch: a span of them, if the batch is a part of the same permutation.
    fn asked_of_sample(&self, own_key: u64, from: usize, batch: Batch, all: usize) -> Asked {
        match batch {
            Batch::Part { key, start, .. } if key == own_key => {
                let begin = start.clamp(from, from + self.rows.len());
                let end = (start + batch.len(all)).clamp(begin, from + self.rows.len());
                Asked::Span { rows: begin - from..end - from, first: begin.saturating_sub(start) }
            }
            _ => Asked::Span { rows: 0..0, first: 0 },
        }
    }

    /// Answers queries of one kind about the same rows in one pass.
    fn sum_together(&self, queries: &[&Query<'_>]) -> Result<Vec<PartialSums>> {
        let (prepared, Some(first)) = (self.prepared()?, queries.first()) else { return Ok(Vec::new()) };
        let asked = self.asked(first.batch, prepared.frame.rows);
        let passes: Vec<RowPass<'_>> =
            queries.iter().map(|query| RowPass::new(self.rows.as_ref(), prepared, query, &asked)).collect();
        let merge = |left: Vec<PartialSums>, right: Vec<PartialSums>| {
            left.into_iter().zip(right).map(|(left, right)| left.merge(right)).collect()
        };
        Ok(match kind(first, prepared.frame.response.is_some()) {
            Kind::Gradient => {
                let many = MultiQuery::new(&passes);
                fold(&|leaf| many.sum(leaf), &merge, 0..asked.len())
            }
            // a leaf is read once and stays in the cache for the other queries
            _ => fold(&|leaf| passes.iter().map(|pass| pass.sum(leaf.clone())).collect(), &merge, 0..asked.len()),
        })
    }
}

/// The kinds of queries; several of kind `Loss` or `Gradient` can be answered in one pass.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Loss,
    Gradient,
    Other,
}

fn kind(query: &Query<'_>, has_response: bool) -> Kind {
    match &query.ask {
        Ask::At(At { want: Want::Gradient, .. }) if has_response => Kind::Other,
        Ask::At(At { want: Want::Loss, .. }) => Kind::Loss,
        Ask::At(At { want: Want::Gradient, .. }) => Kind::Gradient,
        _ => Kind::Other,
    }
}

impl Shards for Shard {
    fn rows_here(&self) -> usize {
        self.rows.len()
    }

    fn measure(&self, range: Range, columns: bool) -> Result<Measured> {
        Ok(Measured::of(self.rows.as_ref(), range, columns))
    }

    fn prepare(&mut self, frame: &Frame) -> Result<Tally> {
        let (labels, tally) = LabelPreimages::of(self.rows.as_ref(), frame, false);
        self.prepared = Some(Prepared { frame: Arc::new(frame.clone()), labels, held: self.held });
        Ok(tally)
    }

    fn answer_one(&self, query: &Query<'_>) -> Result<PartialSums> {
        let prepared = self.prepared()?;
        let asked = self.asked(query.batch, prepared.frame.rows);
        Ok(RowPass::new(self.rows.as_ref(), prepared, query, &asked).sum(0..asked.len()))
    }

    fn answer(&self, queries: &[Query<'_>]) -> Result<Vec<PartialSums>> {
        let has_response = self.prepared()?.frame.response.is_some();
        let kind = |query: &Query<'_>| kind(query, has_response);
        let mut answers = vec![PartialSums::default(); queries.len()];
        let mut open: Vec<usize> = (0..queries.len()).collect();
        while let Some(&first) = open.first() {
            let alike = |i: &usize| {
                let (query, first_query) = (&queries[*i], &queries[first]);
                let same = kind(query) == kind(first_query) && query.batch == first_query.batch;
                *i == first || (same && kind(query) != Kind::Other)
            };
            let (group, rest): (Vec<usize>, Vec<usize>) = open.into_iter().partition(alike);
            for group in group.chunks(MultiQuery::MOST) {
                let asked: Vec<&Query<'_>> = group.iter().map(|&i| &queries[i]).collect();
                group.iter().zip(self.sum_together(&asked)?).for_each(|(&i, answer)| answers[i] = answer);
            }
            open = rest;
        }
        Ok(answers)
    }
}

/// The rows of a shard that belong to a batch, in the order of the batch.
pub(super) enum Asked {
    /// Consecutive rows of this shard, and the position of the first one in the batch.
    Span { rows: ops::Range<usize>, first: usize },
    /// A part of a permutation, if the shard has all rows.
    Permuted { permutation: Permutation, start: usize, len: usize },
    /// The rows of this shard in a part of a permutation, and their positions in the batch.
    Picked { rows: Vec<usize>, positions: Vec<usize> },
}

impl Asked {
    pub fn len(&self) -> usize {
        match self {
            Asked::Permuted { len, .. } => *len,
            Asked::Span { rows, .. } => rows.len(),
            Asked::Picked { rows, .. } => rows.len(),
        }
    }

    /// Appends the positions in the batch of the rows at these indices.
    pub fn append_positions(&self, indices: ops::Range<usize>, to: &mut Vec<usize>) {
        match self {
            Asked::Span { first, .. } => to.extend(first + indices.start..first + indices.end),
            Asked::Permuted { .. } => to.extend(indices),
            Asked::Picked { positions, .. } => to.extend_from_slice(&positions[indices]),
        }
    }

    /// The rows at these indices. `picked` is memory for their numbers.
    pub fn run<'a>(&'a self, indices: ops::Range<usize>, picked: &'a mut Vec<usize>) -> Run<'a> {
        match self {
            Asked::Span { rows, .. } => Run::Span(rows.start + indices.start..rows.start + indices.end),
            Asked::Permuted { permutation, start, .. } => {
                *picked = permutation.run(start + indices.start, indices.len());
                Run::Picked(picked)
            }
            Asked::Picked { rows, .. } => Run::Picked(&rows[indices]),
        }
    }
}
