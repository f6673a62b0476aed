//! Dense linear algebra. This file alone names the library that does it.

use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatMut, MatRef, Par, Side};

/// A symmetric matrix of order n; only its lower triangle is kept up to date.
#[derive(Clone, Debug, PartialEq)]
pub struct Symmetric {
    order: usize,
    /// By columns, order × order; what is above the diagonal is never read.
    entries: Vec<f64>,
}

impl Symmetric {
    /// The zero matrix.
    pub fn zero(order: usize) -> Symmetric {
        Symmetric { order, entries: vec![0.0; order * order] }
    }

    /// Number of rows and of columns.
    pub fn order(&self) -> usize {
        self.order
    }

    /// The entry in row `i` and column `j`, in either order.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.entries[i.min(j) * self.order + i.max(j)]
    }

    /// Sets the entry in row `i` and column `j`, and so its mirror image.
    pub fn set(&mut self, i: usize, j: usize, value: f64) {
        self.entries[i.min(j) * self.order + i.max(j)] = value;
    }

    /// The entries by columns, to be added to below the diagonal.
    pub(crate) fn lower_mut(&mut self) -> &mut [f64] {
        &mut self.entries
    }

    /// Adds another matrix of the same order.
    pub(crate) fn add(&mut self, other: &Symmetric) {
        self.entries.iter_mut().zip(&other.entries).for_each(|(a, b)| *a += b);
    }
}

/// Adds Σ_i a_i·x_i x_iᵀ to the lower triangle of `h` (by columns), for the rows x_i of `x`, one after the other.
///
/// One thread: the caller splits the rows, so that the additions do not depend on the number of threads.
pub(crate) fn add_weighted_gram(x: &[f64], a: &[f64], h: &mut [f64]) {
    let rows = a.len();
    let width = x.len().checked_div(rows).unwrap_or(0);
    let scaled: Vec<f64> = x.chunks(width.max(1)).zip(a).flat_map(|(x, a)| x.iter().map(move |x| a * x)).collect();
    triangular::matmul(
        MatMut::from_column_major_slice_mut(h, width, width),
        BlockStructure::TriangularLower,
        Accum::Add,
        MatRef::from_column_major_slice(x, width, rows),
        BlockStructure::Rectangular,
        MatRef::from_row_major_slice(&scaled, rows, width),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}

/// Nodes and weights of the Gauss–Hermite rule for E f(ε), ε ~ N(0, 1), with `order` nodes.
///
/// They are the eigenvalues and squared first components of the eigenvectors of the Jacobi matrix of the Hermite
/// polynomials (Golub and Welsch, 1969). Empty if the eigenvalue iteration fails.
pub(crate) fn gauss_hermite(order: usize) -> Vec<(f64, f64)> {
    let entry = |i: usize, j: usize| if i.abs_diff(j) == 1 { (i.max(j) as f64).sqrt() } else { 0.0 };
    let Ok(eigen) = Mat::from_fn(order, order, entry).self_adjoint_eigen(Side::Lower) else { return Vec::new() };
    (0..order).map(|k| (eigen.S()[k], eigen.U()[(0, k)] * eigen.U()[(0, k)])).collect()
}
