//! The *columns* of some rows of a larger table, and the *units* of that table.

use crate::rows::unit::{power_of_two, unit};

/// The numbers of some rows. Columns that the table does not have are empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// The covariates, one row after the other.
    pub values: Vec<f64>,
    /// The responses.
    pub labels: Vec<f64>,
    /// The weights.
    pub weights: Vec<f64>,
    /// The offsets.
    pub offsets: Vec<f64>,
    /// The codes of the clusters.
    pub clusters: Vec<u32>,
}

impl Columns {
    /// Appends further rows.
    pub(crate) fn append(&mut self, mut other: Columns) {
        if self.labels.is_empty() {
            *self = other;
            return;
        }
        self.values.append(&mut other.values);
        self.labels.append(&mut other.labels);
        self.weights.append(&mut other.weights);
        self.offsets.append(&mut other.offsets);
        self.clusters.append(&mut other.clusters);
    }

    /// Takes the first rows, each of `width` covariates.
    pub(crate) fn split_to(&mut self, rows: usize, width: usize) -> Columns {
        fn split<T>(column: &mut Vec<T>, len: usize) -> Vec<T> {
            let rest = column.split_off(len.min(column.len()));
            std::mem::replace(column, rest)
        }
        Columns {
            values: split(&mut self.values, rows * width),
            labels: split(&mut self.labels, rows),
            weights: split(&mut self.weights, rows),
            offsets: split(&mut self.offsets, rows),
            clusters: split(&mut self.clusters, rows),
        }
    }
}

/// The units by which the columns and the weights of a table are divided, so that their squares neither overflow nor
/// underflow. All blocks of a table have the same.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Units {
    /// One for each covariate, or empty if all are one.
    pub columns: Vec<f64>,
    pub weight: f64,
}

impl Units {
    /// The units of a table with these largest absolute values of its covariates, and this largest weight.
    pub fn of(largest: &[f64], largest_weight: Option<f64>) -> Units {
        let columns: Vec<f64> = largest.iter().map(|&largest| unit(largest)).collect();
        let columns = if columns.iter().all(|&unit| unit == 1.0) { Vec::new() } else { columns };
        Units { columns, weight: largest_weight.map_or(1.0, power_of_two) }
    }
}
