//! A *split* of the rows into those that are fitted and those that are held out.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::math::rng::{Permutation, Random, Stream};
use crate::oracle::Batch;

/// Which rows are held out of a fit: a rule that any holder of the rows can follow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    kind: Kind,
    seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Holdout(f64),
    Folds(usize),
}

impl Split {
    /// Holds a share of the rows out, between 0 and 1, drawn by `seed`; one row at least.
    ///
    /// # Errors
    /// If the share is not between 0 and 1.
    pub fn holdout(share: f64, seed: u64) -> Result<Split> {
        match share > 0.0 && share < 1.0 {
            true => Ok(Split { kind: Kind::Holdout(share), seed }),
            false => Err(Error::parameter("holdout", share, "it must be above 0 and below 1 (a share of the rows)")),
        }
    }

    /// Holds each of `count` parts of the rows out in turn, drawn by `seed`. Their sizes differ by at most one row.
    ///
    /// # Errors
    /// If there are less than two.
    pub fn folds(count: usize, seed: u64) -> Result<Split> {
        match count >= 2 {
            true => Ok(Split { kind: Kind::Folds(count), seed }),
            false => Err(Error::parameter("folds", count, "it must be at least 2")),
        }
    }

    /// The rows that are held out of each fit, of `rows` in all.
    ///
    /// # Errors
    /// If there are too few of them.
    pub fn held_out(&self, rows: usize) -> Result<Vec<Batch>> {
        let key = self.key();
        let batch = |fold: Range<usize>| Batch::Part { key, start: fold.start, len: fold.len() };
        Ok(self.spans(rows)?.into_iter().map(batch).collect())
    }

    /// The rows so that every fold is in one piece.
    pub(super) fn order(&self, rows: usize) -> Vec<usize> {
        Permutation::new(self.key(), rows).run(0, rows)
    }

    /// Names the permutation of that order.
    fn key(&self) -> u64 {
        Random::new(self.seed, Stream::Holdout).bits()
    }

    /// The positions in that order that are held out of each fit.
    pub(super) fn spans(&self, rows: usize) -> Result<Vec<Range<usize>>> {
        match self.kind {
            _ if rows < 3 => {
                Err(Error::data(format!("{rows} rows are too few to hold some out; at least 3 are needed")))
            }
            Kind::Holdout(share) => {
                let held_out = ((share * rows as f64).round() as usize).clamp(1, rows - 2);
                Ok(std::iter::once(0..held_out).collect())
            }
            Kind::Folds(count) if count > rows => {
                Err(Error::parameter("folds", count, &format!("there are only {rows} rows")))
            }
            Kind::Folds(count) => {
                let edge = |fold: usize| (fold as u128 * rows as u128 / count as u128) as usize;
                Ok((0..count).map(|fold| edge(fold)..edge(fold + 1)).collect())
            }
        }
    }
}
