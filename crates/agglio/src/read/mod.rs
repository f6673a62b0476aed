//! *Reading* converts files to tables of numbers. An error gives the position of the problem and says what to do.

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
    /// Names of the covariates, in the order of the file or in the order of the selection.
    pub names: Vec<String>,
    /// Covariates, row by row.
    pub values: Vec<f64>,
    /// Responses; empty if no target was selected.
    pub labels: Vec<f64>,
    /// Weights, if selected.
    pub weights: Option<Vec<f64>>,
    /// Offsets, if selected.
    pub offsets: Option<Vec<f64>>,
    /// Number of rows that were kept.
    pub rows: usize,
    /// Number of rows that were dropped because of a missing value.
    pub dropped: usize,
    /// Number of columns of the file, selected or not.
    pub columns: usize,
}

impl Table {
    /// Numbers that a fit stores per row in addition to the covariates, mainly preimages.
    const BESIDE: u64 = 12;

    /// Bytes for the numbers of the table and of `more` further rows, including those that a fit stores.
    fn bytes(&self, more: usize) -> u64 {
        let columns = self.names.len() as u64 + Self::BESIDE;
        8 * columns * (self.rows as u64 + more as u64)
    }

    /// Reserves the memory for `more` further rows.
    fn try_reserve(&mut self, more: usize) -> std::result::Result<(), TryReserveError> {
        grow(&mut self.values, more * self.names.len())?;
        let single = [Some(&mut self.labels), self.weights.as_mut(), self.offsets.as_mut()];
        single.into_iter().flatten().try_for_each(|numbers| grow(numbers, more))
    }

    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        (self.rows, self.dropped) = (0, 0);
        self.truncate();
    }

    /// Removes the numbers of an incomplete row.
    fn truncate(&mut self) {
        self.values.truncate(self.rows * self.names.len());
        for numbers in [Some(&mut self.labels), self.weights.as_mut(), self.offsets.as_mut()].into_iter().flatten() {
            numbers.truncate(self.rows);
        }
    }

    /// Sets the covariates of rows without weight to zero. They may be codes for missing values, whose size must not
    /// influence the units of a column.
    fn clear_weightless(&mut self) {
        let width = self.names.len().max(1);
        let rows = self.values.chunks_mut(width).zip(self.weights.iter().flatten());
        rows.filter(|(_, weight)| **weight == 0.0).for_each(|(x, _)| x.fill(0.0));
    }

    /// Converts the table to rows for a fit.
    ///
    /// # Errors
    /// If there is nothing to fit, or a weight is negative.
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

/// Reserves memory for `more` numbers. Grows by at least 25 % if possible: enough for amortised constant-time appends,
/// and small enough under a memory limit, which also counts unused memory.
fn grow(numbers: &mut Vec<f64>, more: usize) -> std::result::Result<(), TryReserveError> {
    if numbers.capacity() - numbers.len() >= more {
        return Ok(());
    }
    let quarter = numbers.len() / 4;
    numbers.try_reserve_exact(more.max(quarter)).or_else(|_| numbers.try_reserve_exact(more))
}
