//! *Rows* are where the data sits: covariates, and with each row a label, a weight and an offset.
//!
//! A storage answers questions about a run of rows: dot products of the rows, or of their squares, with a vector; sums of
//! the rows, of their squares and of their outer products, with one coefficient a row; and labels, weights and offsets.
//! Everything above asks these and nothing else, so no solver knows how numbers are stored.

mod column;
mod coordinates;
mod dense;
mod kernel;
mod moments;
mod part;
mod unit;

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

pub(crate) use column::column;
pub(crate) use coordinates::Predictor;
pub use coordinates::{Coordinates, Scaling};
pub use dense::Dense;
pub use moments::Moments;
pub(crate) use part::Part;

/// Vectors that rows are multiplied with at once, and no other number of them: on it depends in which order a product of
/// matrices is added up.
pub const BLOCK: usize = 4;

/// A short run of rows, as one thread visits it.
#[derive(Clone, Debug)]
pub enum Run<'a> {
    /// Consecutive rows.
    Span(Range<usize>),
    /// Rows picked by a permutation.
    Picked(&'a [usize]),
}

impl Run<'_> {
    /// How many rows.
    pub fn len(&self) -> usize {
        match self {
            Run::Span(span) => span.len(),
            Run::Picked(rows) => rows.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The row at a position of the run.
    #[inline(always)]
    pub fn row(&self, position: usize) -> usize {
        match self {
            Run::Span(span) => span.start + position,
            Run::Picked(rows) => rows[position],
        }
    }

    /// Calls `visit(position in the run, row)` for each row in order.
    #[inline(always)]
    pub fn for_each(&self, mut visit: impl FnMut(usize, usize)) {
        match self {
            Run::Span(span) => span.clone().enumerate().for_each(|(i, row)| visit(i, row)),
            Run::Picked(rows) => rows.iter().enumerate().for_each(|(i, &row)| visit(i, row)),
        }
    }

    /// Copies the entries of `column` that belong to these rows.
    pub fn gather(&self, column: &[f64], out: &mut [f64]) {
        match self {
            Run::Span(span) => out.copy_from_slice(&column[span.clone()]),
            Run::Picked(rows) => out.iter_mut().zip(*rows).for_each(|(out, &row)| *out = column[row]),
        }
    }
}

/// What is to be added up over a run of rows.
#[derive(Debug)]
pub struct Addition<'a> {
    /// One coefficient a_i for each row of the run.
    pub coefficients: &'a [f64],
    /// One sum for each column.
    pub sums: &'a mut [f64],
}

/// A table of covariates x_i with labels y_i, weights and offsets, wherever it is kept.
///
/// In every method `centre` is a vector c that is subtracted from each row first, or empty for none: the
/// difference is formed entry by entry, so that columns with a large mean lose nothing. Slices are as long
/// as the run, or as the rows are wide.
pub trait Rows: Debug + Send + Sync {
    /// The same rows, owned together with this value: nothing is copied.
    fn share(&self) -> Arc<dyn Rows>;

    /// A copy of these rows, in this order.
    fn gather(&self, order: &[usize]) -> Arc<dyn Rows>;

    /// Number of rows, n.
    fn len(&self) -> usize;

    /// Number of covariates in a row.
    fn width(&self) -> usize;

    /// Whether there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a centre can be subtracted without destroying what makes the storage worth having.
    fn can_centre(&self) -> bool;

    /// What the columns were divided by before they were stored, or empty for nothing. Every other method speaks of the
    /// numbers as stored.
    ///
    /// A storage divides columns by powers of two whose squares would overflow or underflow otherwise. Default: nothing.
    fn units(&self) -> &[f64] {
        &[]
    }

    /// Means and variances of the columns, by weight, where the storage knows them already. Default: it does not.
    fn moments(&self) -> Option<&Moments> {
        None
    }

    /// Writes z_i = Σ_j (x_ij − c_j)·v_j.
    fn dots(&self, run: &Run<'_>, centre: &[f64], v: &[f64], z: &mut [f64]);

    /// As [`Rows::dots`] for several vectors, a multiple of [`BLOCK`], that stand one after the other in `v`, as their
    /// products do in `z`; what a vector gives does not depend on the others. `room` is as in [`Rows::add_products`].
    ///
    /// Default: one after the other.
    fn dots_many(&self, run: &Run<'_>, centre: &[f64], v: &[f64], z: &mut [f64], _room: &mut Vec<f64>) {
        let pairs = v.chunks_exact(self.width()).zip(z.chunks_exact_mut(run.len()));
        pairs.for_each(|(v, z)| self.dots(run, centre, v, z));
    }

    /// Writes z_i = Σ_j (x_ij − c_j)²·v_j.
    fn square_dots(&self, run: &Run<'_>, centre: &[f64], v: &[f64], z: &mut [f64]);

    /// Adds Σ_i a_i·(x_ij − c_j) to each sum, for every addition.
    fn add_rows(&self, run: &Run<'_>, centre: &[f64], additions: &mut [Addition<'_>]);

    /// As [`Rows::add_rows`] for several additions, whose coefficients stand one after the other, as their sums do; otherwise
    /// as [`Rows::dots_many`].
    ///
    /// Default: one after the other.
    fn add_many(&self, run: &Run<'_>, centre: &[f64], a: &[f64], sums: &mut [f64], _room: &mut Vec<f64>) {
        let pairs = a.chunks_exact(run.len()).zip(sums.chunks_exact_mut(self.width()));
        pairs.for_each(|(coefficients, sums)| self.add_rows(run, centre, &mut [Addition { coefficients, sums }]));
    }

    /// Adds Σ_i a_i·(x_ij − p_j) to each sum of the first addition, and Σ_i a_i·(x_ij − c_j)² to each of the second. The
    /// `pivot` p is empty or the centre.
    fn add_rows_and_squares(&self, run: &Run<'_>, pivot: &[f64], centre: &[f64], additions: [Addition<'_>; 2]);

    /// Adds Σ_i a_i·(x_i − c)(x_i − c)ᵀ to the lower triangle of the square matrix `h`, stored by columns; `room` is memory
    /// to work in, which grows as needed and is worth keeping.
    fn add_products(&self, run: &Run<'_>, centre: &[f64], a: &[f64], h: &mut [f64], room: &mut Vec<f64>);

    /// Writes the labels y_i.
    fn labels(&self, run: &Run<'_>, y: &mut [f64]);

    /// Whether rows have weights of their own: where not, nobody needs to ask for them. Default: they may.
    fn has_weights(&self) -> bool {
        true
    }

    /// Whether rows have offsets of their own. Default: they may.
    fn has_offsets(&self) -> bool {
        true
    }

    /// What a weight of one stands for as written by [`Rows::weights`]: a source may store weights in other units, in which
    /// their products with squares do not overflow. Default: one.
    fn weight_unit(&self) -> f64 {
        1.0
    }

    /// Writes the weights, one for each row where none were given.
    fn weights(&self, run: &Run<'_>, weight: &mut [f64]);

    /// Writes the offsets that are added to xᵀw, zero where none were given.
    fn offsets(&self, run: &Run<'_>, offset: &mut [f64]);
}
