//! *Reading* turns files into tables of numbers, or into an error that says where and what to do.

mod block;
mod cell;
mod csv;
mod decimal;
mod pieces;
mod records;
mod selection;
mod signature;
mod survey;

pub use self::csv::{Csv, Missing};
pub use pieces::Pieces;
pub use selection::{Features, Selection};

use std::collections::TryReserveError;

use crate::error::Result;
use crate::rows::Dense;

/// The columns of a file that a problem uses, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Names of the features, in the file's order (or in the order asked for).
    pub names: Vec<String>,
    /// Features, row by row.
    pub values: Vec<f64>,
    /// Labels; empty where no target was asked for.
    pub labels: Vec<f64>,
    /// Weights, where asked for.
    pub weights: Option<Vec<f64>>,
    /// Offsets, where asked for.
    pub offsets: Option<Vec<f64>>,
    /// Rows that were kept.
    pub rows: usize,
    /// Rows that were left out because of a missing value.
    pub dropped: usize,
    /// Columns of the file, used or not.
    pub columns: usize,
}

impl Table {
    /// Numbers that a fit keeps beside each row, preimages above all.
    const BESIDE: u64 = 12;

    /// Bytes that its numbers and those of so many more rows take, with those of a fit.
    fn bytes(&self, more: usize) -> u64 {
        let columns = self.names.len() as u64 + Self::BESIDE;
        8 * columns * (self.rows as u64 + more as u64)
    }

    /// Asks for the memory of so many more rows.
    fn try_reserve(&mut self, more: usize) -> std::result::Result<(), TryReserveError> {
        grow(&mut self.values, more * self.names.len())?;
        let single = [Some(&mut self.labels), self.weights.as_mut(), self.offsets.as_mut()];
        single.into_iter().flatten().try_for_each(|numbers| grow(numbers, more))
    }

    /// Takes its rows out and keeps the memory for others.
    pub fn clear(&mut self) {
        (self.rows, self.dropped) = (0, 0);
        self.truncate();
    }

    /// Takes back what was appended of a row that is not kept.
    fn truncate(&mut self) {
        self.values.truncate(self.rows * self.names.len());
        for numbers in [Some(&mut self.labels), self.weights.as_mut(), self.offsets.as_mut()].into_iter().flatten() {
            numbers.truncate(self.rows);
        }
    }

    /// Rows without weight count for nothing: whatever stands there for a missing value, its size is not to decide how
    /// others are stored.
    fn clear_weightless(&mut self) {
        let width = self.names.len().max(1);
        let rows = self.values.chunks_mut(width).zip(self.weights.iter().flatten());
        rows.filter(|(_, weight)| **weight == 0.0).for_each(|(x, _)| x.fill(0.0));
    }

    /// The table as rows to fit.
    ///
    /// # Errors
    /// If there is nothing to fit, or weights are negative.
    pub fn into_rows(mut self) -> Result<Dense> {
        self.clear_weightless();
        let mut rows = Dense::new(self.values, self.names.len(), self.labels)?;
        if let Some(weights) = self.weights {
            rows = rows.with_weights(weights)?;
        }
        if let Some(offsets) = self.offsets {
            rows = rows.with_offsets(offsets)?;
        }
        Ok(rows)
    }
}

/// Asks for the memory of so many more numbers. A quarter more than there are, where that can be had: often enough to be
/// quick, and little enough where all that is asked for counts, used or not.
fn grow(numbers: &mut Vec<f64>, more: usize) -> std::result::Result<(), TryReserveError> {
    if numbers.capacity() - numbers.len() >= more {
        return Ok(());
    }
    let quarter = numbers.len() / 4;
    numbers.try_reserve_exact(more.max(quarter)).or_else(|_| numbers.try_reserve_exact(more))
}
