//! A plain *table*, from which a storage is built and to which its answers are compared.

use crate::rows::Run;

/// Covariates by rows, with labels and perhaps weights, offsets and clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// One row after the other.
    pub values: Vec<f64>,
    /// Covariates in a row.
    pub width: usize,
    /// One a row.
    pub labels: Vec<f64>,
    /// One a row, not negative and not all zero; or none.
    pub weights: Option<Vec<f64>>,
    /// One a row; or none.
    pub offsets: Option<Vec<f64>>,
    /// The code of a cluster for each row; or none.
    pub clusters: Option<Vec<u32>>,
}

impl Table {
    /// A table whose columns have a large mean, are mostly zero, are constant, or are nothing of the kind, in turn. All its
    /// numbers are multiples of 1/8 of less than 25 bits.
    pub(super) fn mixed(rows: usize, width: usize, weights: bool, offsets: bool) -> Table {
        let eighths = |i: usize, j: usize| ((i * 37 + j * 11 + i * i * (j + 3)) % 61) as f64 / 8.0 - 3.75;
        let entry = |i: usize, j: usize| match j % 4 {
            1 => 1_048_576.0 + eighths(i, j),
            2 if i % 3 != j % 3 => 0.0,
            3 if j % 8 == 3 => -2.5,
            _ => eighths(i, j),
        };
        Table {
            values: (0..rows).flat_map(|i| (0..width).map(move |j| entry(i, j))).collect(),
            width,
            labels: (0..rows).map(|i| eighths(i, 7) / 4.0).collect(),
            // the last one is not zero, and so not all of them
            weights: weights.then(|| (0..rows).map(|i| ((rows - i) % 5) as f64 * 0.75).collect()),
            offsets: offsets.then(|| (0..rows).map(|i| eighths(i, 2)).collect()),
            clusters: (weights == offsets).then(|| (0..rows).map(|i| (i * i % 7) as u32).collect()),
        }
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.labels.len()
    }

    /// The entries of a row, divided by `units` and less `centre`, where there are any.
    pub(super) fn row(&self, row: usize, units: &[f64], centre: &[f64]) -> Vec<f64> {
        let stored = self.values.iter().skip(row * self.width).take(self.width).enumerate();
        let of = |column: &[f64], j: usize, none: f64| column.get(j).copied().unwrap_or(none);
        stored.map(|(j, x)| x / of(units, j, 1.0) - of(centre, j, 0.0)).collect()
    }

    /// The entries of a column of labels, weights or offsets that belong to a run.
    pub(super) fn column(column: Option<&[f64]>, run: &Run<'_>, none: f64) -> Vec<f64> {
        let rows = (0..run.len()).map(|i| run.row(i));
        rows.map(|row| column.and_then(|column| column.get(row)).copied().unwrap_or(none)).collect()
    }
}
