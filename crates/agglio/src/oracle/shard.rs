//! A *shard* holds some rows of a table and answers questions about them with sums that merge.
//!
//! It knows nothing of the other shards. Beside its rows it keeps only what it can compute from them again: the preimages of
//! its labels.

use std::sync::Arc;

use crate::activation::Range;
use crate::error::{Error, Result};
use crate::math::rng::Permutation;
use crate::math::tree::fold;
use crate::oracle::facts::Measured;
use crate::oracle::frame::Frame;
use crate::oracle::labels::{LabelPreimages, Tally};
use crate::oracle::many::MultiQuery;
use crate::oracle::partial_sums::PartialSums;
use crate::oracle::query::{Ask, At, Batch, Query, Want};
use crate::oracle::row_pass::RowPass;
use crate::rows::{Rows, Run};

/// One holder of rows, or several that answer as one.
///
/// The order of calls is `measure`, then `prepare`, then questions. `prepare` may come again, and must then lead to the same
/// answers: so a holder that was lost is replaced.
pub trait Shards: std::fmt::Debug + Send + Sync {
    /// Looks at labels, weights and offsets, and at the columns where `columns` says so.
    ///
    /// # Errors
    /// If rows are lost or cannot be read; here and below.
    fn measure(&self, range: Range, columns: bool) -> Result<Measured>;

    /// Takes in what is known of all rows.
    ///
    /// # Errors
    /// As [`Shards::measure`].
    fn prepare(&mut self, frame: &Frame) -> Result<Tally>;

    /// Answers questions. The answer to one does not depend on the others, but for gradients: several are computed by
    /// products of matrices, and differ from single ones in their last bits.
    ///
    /// # Errors
    /// As [`Shards::measure`].
    fn answer(&self, queries: &[Query<'_>]) -> Result<Vec<PartialSums>>;

    /// Answers one question.
    ///
    /// # Errors
    /// As [`Shards::measure`].
    fn answer_one(&self, query: &Query<'_>) -> Result<PartialSums>;
}

/// Rows in this process.
#[derive(Debug)]
pub struct Shard {
    rows: Arc<dyn Rows>,
    /// The place of its first row among all rows.
    first: usize,
    prepared: Option<Prepared>,
}

/// The frame, and the preimages that follow from it.
#[derive(Debug)]
pub(super) struct Prepared {
    pub frame: Frame,
    pub labels: LabelPreimages,
}

impl Shard {
    /// All rows of a table.
    pub fn new(rows: Arc<dyn Rows>) -> Shard {
        Shard { rows, first: 0, prepared: None }
    }

    /// Rows of a larger table, the first of which has this place in it.
    pub fn beginning_at(self, first: usize) -> Shard {
        Shard { first, ..self }
    }

    fn prepared(&self) -> Result<&Prepared> {
        self.prepared.as_ref().ok_or_else(|| Error::data("a shard was asked before it was prepared"))
    }

    /// Which of its rows a batch asks.
    fn asked(&self, batch: Batch, all: usize) -> Asked {
        match batch {
            Batch::All => Asked::Span { len: self.rows.len(), first: self.first },
            Batch::Part { key, start, .. } if self.rows.len() == all => {
                Asked::Permuted { permutation: Permutation::new(key, all), start, len: batch.len(all) }
            }
            Batch::Part { key, start, .. } => {
                let permutation = Permutation::new(key, all);
                let (end, own) = (start + batch.len(all), self.first..self.first + self.rows.len());
                // whichever is shorter: its own rows, or the positions of the batch
                let mut picked: Vec<(usize, usize)> = match own.len() < end - start {
                    true => own.clone().map(|row| (permutation.position(row), row - self.first)).collect(),
                    false => (start..end).zip(permutation.run(start, end - start)).collect(),
                };
                match own.len() < end - start {
                    true => picked.retain(|(position, _)| (start..end).contains(position)),
                    false => {
                        picked.retain(|(_, row)| own.contains(row));
                        picked.iter_mut().for_each(|(_, row)| *row -= self.first);
                    }
                }
                picked.sort_unstable();
                let (positions, rows) = picked.into_iter().map(|(position, row)| (position - start, row)).unzip();
                Asked::Picked { rows, positions }
            }
        }
    }

    fn sum(&self, query: &Query<'_>) -> Result<PartialSums> {
        let prepared = self.prepared()?;
        let asked = self.asked(query.batch, prepared.frame.rows);
        let pass = RowPass::new(self.rows.as_ref(), prepared, query, &asked);
        Ok(fold(&|from, to| pass.sum(from, to), &PartialSums::merge, asked.len()))
    }

    /// Answers questions of one kind about the same rows, in one visit of these.
    fn sum_together(&self, queries: &[&Query<'_>]) -> Result<Vec<PartialSums>> {
        let (prepared, Some(first)) = (self.prepared()?, queries.first()) else { return Ok(Vec::new()) };
        let asked = self.asked(first.batch, prepared.frame.rows);
        let passes: Vec<RowPass<'_>> =
            queries.iter().map(|query| RowPass::new(self.rows.as_ref(), prepared, query, &asked)).collect();
        let merge = |left: Vec<PartialSums>, right: Vec<PartialSums>| {
            left.into_iter().zip(right).map(|(left, right)| left.merge(right)).collect()
        };
        Ok(match kind(first) {
            Kind::Gradient => {
                let many = MultiQuery::new(&passes);
                fold(&|from, to| many.sum(from, to), &merge, asked.len())
            }
            // a leaf is read once and stays in the cache for the other points
            _ => fold(&|from, to| passes.iter().map(|pass| pass.sum(from, to)).collect(), &merge, asked.len()),
        })
    }
}

/// Questions that several of can be answered in one visit of the rows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Loss,
    Gradient,
    Other,
}

fn kind(query: &Query<'_>) -> Kind {
    match &query.ask {
        Ask::At(At { want: Want::Loss, .. }) => Kind::Loss,
        Ask::At(At { want: Want::Gradient, .. }) => Kind::Gradient,
        _ => Kind::Other,
    }
}

impl Shards for Shard {
    fn measure(&self, range: Range, columns: bool) -> Result<Measured> {
        Ok(Measured::of(self.rows.as_ref(), range, columns))
    }

    fn prepare(&mut self, frame: &Frame) -> Result<Tally> {
        let (labels, tally) = LabelPreimages::of(self.rows.as_ref(), frame);
        self.prepared = Some(Prepared { frame: frame.clone(), labels });
        Ok(tally)
    }

    fn answer_one(&self, query: &Query<'_>) -> Result<PartialSums> {
        self.sum(query)
    }

    fn answer(&self, queries: &[Query<'_>]) -> Result<Vec<PartialSums>> {
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

/// The rows of a shard that a batch asks, in the order of the batch.
pub(super) enum Asked {
    /// All of them.
    Span { len: usize, first: usize },
    /// A part of a permutation, where the shard holds all rows.
    Permuted { permutation: Permutation, start: usize, len: usize },
    /// Its share of such a part: its own rows, and their positions in the batch.
    Picked { rows: Vec<usize>, positions: Vec<usize> },
}

impl Asked {
    pub fn len(&self) -> usize {
        match self {
            Asked::Span { len, .. } | Asked::Permuted { len, .. } => *len,
            Asked::Picked { rows, .. } => rows.len(),
        }
    }

    /// The position in the batch of the row at this index among those asked here.
    pub fn position(&self, index: usize) -> usize {
        match self {
            Asked::Span { first, .. } => first + index,
            Asked::Permuted { .. } => index,
            Asked::Picked { positions, .. } => positions[index],
        }
    }

    /// Calls `visit` with `count` of the rows from an index on.
    pub fn with_run<T>(&self, from: usize, count: usize, visit: impl FnOnce(Run<'_>) -> T) -> T {
        match self {
            Asked::Span { .. } => visit(Run::Span(from..from + count)),
            Asked::Permuted { permutation, start, .. } => visit(Run::Picked(&permutation.run(start + from, count))),
            Asked::Picked { rows, .. } => visit(Run::Picked(&rows[from..from + count])),
        }
    }
}
