//! A *split* divides the rows into those that are fitted and those that are held out.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::math::rng::{Permutation, Random, Stream};
use crate::oracle::Batch;

/// A rule that determines the held-out rows. Every process that holds some of the rows can evaluate it.
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
    /// Holds out a share of the rows, drawn with `seed`; at least one row.
    ///
    /// # Errors
    /// If the share is not between 0 and 1.
    pub fn holdout(share: f64, seed: u64) -> Result<Split> {
        match share > 0.0 && share < 1.0 {
            true => Ok(Split { kind: Kind::Holdout(share), seed }),
            false => Err(Error::parameter("holdout", share, "it must be above 0 and below 1 (a share of the rows)")),
        }
    }

    /// Holds out each of `count` parts of the rows in turn, drawn with `seed`. Their sizes differ by at most one row.
    ///
    /// # Errors
    /// If `count` is below 2.
    pub fn folds(count: usize, seed: u64) -> Result<Split> {
        match count >= 2 {
            true => Ok(Split { kind: Kind::Folds(count), seed }),
            false => Err(Error::parameter("folds", count, "it must be at least 2")),
        }
    }

    /// The held-out rows of each fit, out of `rows` rows in all.
    ///
    /// # Errors
    /// If there are too few rows.
    pub fn held_out(&self, rows: usize) -> Result<Vec<Batch>> {
        let key = self.key();
        let batch = |fold: Range<usize>| Batch::Part { key, start: fold.start, len: fold.len() };
        Ok(self.spans(rows)?.into_iter().map(batch).collect())
    }

    /// The rows in an order in which every fold is contiguous.
    pub(super) fn order(&self, rows: usize) -> Vec<usize> {
        Permutation::new(self.key(), rows).run(0, rows)
    }

    /// The key of the permutation that gives this order.
    fn key(&self) -> u64 {
        Random::new(self.seed, Stream::Holdout).bits()
    }

    /// The positions in this order that are held out of each fit.
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
