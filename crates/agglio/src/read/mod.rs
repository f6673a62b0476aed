//! *Reading* turns files into tables of numbers, or into an error that says where and what to do.

mod csv;
mod selection;

pub use self::csv::read_csv;
pub use selection::{Features, Selection};

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
}

impl Table {
    /// The table as rows to fit.
    ///
    /// # Errors
    /// If there is nothing to fit, or weights are negative.
    pub fn into_rows(self) -> Result<Dense> {
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
