//! *Rows* are the data of a fit: each row has covariates, a label, a weight, an offset and perhaps a cluster.
//!
//! A storage works on a run of rows. It computes dot products of the rows, or of their squares, with a vector. It
//! computes sums of the rows, of their squares and of their outer products, with one coefficient per row. It also
//! returns labels, weights and offsets. All other modules use only these methods, so no solver depends on how the
//! numbers are stored.

mod blocks;
mod column;
mod columns;
mod coordinates;
mod dense;
mod kernel;
mod moments;
mod part;
mod unit;

use std::any::Any;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

pub(crate) use blocks::require_block_rows;
pub use blocks::{Blocks, Cut};
pub(crate) use column::column;
pub use columns::Columns;
pub(crate) use columns::Units;
pub(crate) use coordinates::Predictor;
pub use coordinates::{Coordinates, Scaling};
pub use dense::Dense;
pub(crate) use moments::MomentSums;
pub use moments::Moments;
pub(crate) use part::Part;

/// Number of vectors that are multiplied with the rows together. It is fixed because the order of the additions in a
/// matrix product depends on it.
pub const BLOCK: usize = 4;

/// A short run of rows that one thread processes.
#[derive(Clone, Debug)]
pub enum Run<'a> {
    /// Consecutive rows.
    Span(Range<usize>),
    /// Rows picked by a permutation.
    Picked(&'a [usize]),
}

impl Run<'_> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Run::Span(span) => span.len(),
            Run::Picked(rows) => rows.len(),
        }
    }

    /// Whether the run has no rows.
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

    /// Copies the entries of `column` for these rows.
    pub fn gather<T: Copy>(&self, column: &[T], out: &mut [T]) {
        match self {
            Run::Span(span) => out.copy_from_slice(&column[span.clone()]),
            Run::Picked(rows) => out.iter_mut().zip(*rows).for_each(|(out, &row)| *out = column[row]),
        }
    }
}

/// A weighted sum over a run of rows: Σ_i a_i·x_i, or the same for squares.
#[derive(Debug)]
pub struct Addition<'a> {
    /// One coefficient a_i for each row of the run.
    pub coefficients: &'a [f64],
    /// One sum for each column.
    pub sums: &'a mut [f64],
}

/// A table of covariates x_i with labels y_i, weights and offsets, in any storage.
///
/// In every method `centre` is a vector c that is subtracted from each row first, or empty for none. The difference is
/// computed for each entry, so that columns with a large mean lose no digits. The length of a slice is that of the run,
/// or the number of covariates.
pub trait Rows: Any + Debug + Send + Sync {
    /// Shares the rows without copying them.
    fn share(&self) -> Arc<dyn Rows>;

    /// A copy of these rows, in this order.
    fn gather(&self, order: &[usize]) -> Arc<dyn Rows>;

    /// A copy of rows of several tables, in this order: each is the index of a table and a row of it. None if the tables do not
    /// have the storage, the columns and the units of this one. Samples of a table that is read block by block are made
    /// with it. Default: none.
    fn assemble(&self, _tables: &[Arc<dyn Rows>], _order: &[(usize, usize)]) -> Option<Arc<dyn Rows>> {
        None
    }

    /// Number of rows, n.
    fn len(&self) -> usize;

    /// Number of covariates in a row.
    fn width(&self) -> usize;

    /// Whether the table has no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a centre can be subtracted. A sparse storage returns false, because its zeros would become nonzero.
    fn can_centre(&self) -> bool;

    /// The units by which the columns were divided before they were stored, or empty. All other methods refer to the
    /// stored numbers.
    ///
    /// A storage divides a column by a power of two if its squares would overflow or underflow. Default: empty.
    fn units(&self) -> &[f64] {
        &[]
    }

    /// Weighted means and variances of the columns, if the storage already has them. Default: none.
    fn moments(&self) -> Option<&Moments> {
        None
    }

    /// Writes z_i = Σ_j (x_ij − c_j)·v_j.
    fn dots(&self, run: &Run<'_>, centre: &[f64], v: &[f64], z: &mut [f64]);

    /// As [`Rows::dots`] for several vectors. Their number is a multiple of [`BLOCK`]. They are stored one after the
    /// other in `v`, and their products in `z`. The result for a vector does not depend on the others. `scratch` is as
    /// in [`Rows::add_products`].
    ///
    /// Default: calls [`Rows::dots`] for each vector.
    fn dots_many(&self, run: &Run<'_>, centre: &[f64], v: &[f64], z: &mut [f64], _scratch: &mut Vec<f64>) {
        if self.width() == 0 {
            return z.fill(0.0);
        }
        let pairs = v.chunks_exact(self.width()).zip(z.chunks_exact_mut(run.len()));
        pairs.for_each(|(v, z)| self.dots(run, centre, v, z));
    }

    /// Writes z_i = Σ_j (x_ij − c_j)²·v_j.
    fn square_dots(&self, run: &Run<'_>, centre: &[f64], v: &[f64], z: &mut [f64]);

    /// Adds Σ_i a_i·(x_ij − c_j) to the sums of every addition.
    fn add_rows(&self, run: &Run<'_>, centre: &[f64], additions: &mut [Addition<'_>]);

    /// As [`Rows::add_rows`] for several additions, whose coefficients and sums are stored one after the other.
    /// Otherwise as [`Rows::dots_many`].
    ///
    /// Default: calls [`Rows::add_rows`] for each addition.
    fn add_many(&self, run: &Run<'_>, centre: &[f64], a: &[f64], sums: &mut [f64], _scratch: &mut Vec<f64>) {
        // without covariates there is nothing to add
        let pairs = a.chunks_exact(run.len()).zip(sums.chunks_exact_mut(self.width().max(1)));
        pairs.for_each(|(coefficients, sums)| self.add_rows(run, centre, &mut [Addition { coefficients, sums }]));
    }

    /// Adds Σ_i a_i·(x_ij − p_j) to the sums of the first addition, and Σ_i a_i·(x_ij − c_j)² to those of the second.
    /// The `pivot` p is empty or equal to the centre.
    fn add_rows_and_squares(&self, run: &Run<'_>, pivot: &[f64], centre: &[f64], additions: [Addition<'_>; 2]);

    /// Adds Σ_i a_i·(x_i − c)(x_i − c)ᵀ to the lower triangle of the square matrix `h`, stored by columns. `scratch` is
    /// working memory that grows as needed; pass the same vector again to avoid allocations.
    fn add_products(&self, run: &Run<'_>, centre: &[f64], a: &[f64], h: &mut [f64], scratch: &mut Vec<f64>);

    /// Writes the labels y_i.
    fn labels(&self, run: &Run<'_>, y: &mut [f64]);

    /// Whether the rows have weights. If not, callers skip [`Rows::weights`]. Default: true.
    fn has_weights(&self) -> bool {
        true
    }

    /// Whether the rows have offsets. If not, callers skip [`Rows::offsets`]. Default: true.
    fn has_offsets(&self) -> bool {
        true
    }

    /// Whether the rows belong to clusters, within which errors may be correlated. Default: false.
    fn has_clusters(&self) -> bool {
        false
    }

    /// Writes the code of the cluster that each row belongs to, or zeros if there are no clusters. Default: zeros.
    fn clusters(&self, _run: &Run<'_>, cluster: &mut [u32]) {
        cluster.fill(0);
    }

    /// The unit of the weights. The weight of a row is this number times the value that [`Rows::weights`] writes. A
    /// storage may divide weights by a unit so that their products with squares do not overflow. Default: one.
    fn weight_unit(&self) -> f64 {
        1.0
    }

    /// Writes the weights, or ones if there are none.
    fn weights(&self, run: &Run<'_>, weight: &mut [f64]);

    /// Whether some rows lie at minus infinity: the logarithm of zero. Default: no.
    fn has_limits(&self) -> bool {
        false
    }

    /// Writes −∞ for rows whose only covariate, or whose offset if there is none, is minus infinity, and zero for all others.
    /// Covariate and offset of such a row are stored as any finite numbers. Default: zeros.
    fn limits(&self, _run: &Run<'_>, limit: &mut [f64]) {
        limit.fill(0.0);
    }

    /// Writes the offsets that are added to xᵀw, or zeros if there are none.
    fn offsets(&self, run: &Run<'_>, offset: &mut [f64]);
}
