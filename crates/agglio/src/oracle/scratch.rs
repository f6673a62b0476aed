//! The *scratch* memory of a pass over rows.

/// Scratch memory for runs of rows: columns with one number per row, and memory for products of rows.
pub(super) struct Scratch {
    pub rows: usize,
    /// Weights (default one), offsets (default zero) and linear predictors, then all other columns. They are one allocation: if columns
    /// were separate and their addresses differed by nearly a multiple of the page size, loads would wait for unrelated
    /// stores.
    pub columns: Vec<f64>,
    pub products: Vec<f64>,
}

/// The part of the scratch memory that a run uses.
pub(super) struct ScratchView<'a> {
    pub weight: &'a [f64],
    pub offset: &'a [f64],
    /// The linear predictors, if the query has a point.
    pub z: &'a mut [f64],
    pub columns: [&'a mut [f64]; Scratch::COLUMNS],
    pub products: &'a mut Vec<f64>,
}

impl Scratch {
    /// Number of columns in addition to weights, offsets and linear predictors.
    const COLUMNS: usize = 7;

    pub fn new(rows: usize) -> Scratch {
        let mut columns = vec![0.0; (3 + Self::COLUMNS) * rows];
        columns[..rows].fill(1.0);
        Scratch { rows, columns, products: Vec::new() }
    }
}
