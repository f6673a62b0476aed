//! Dense *linear algebra*. No other file names the crate that implements it.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::solvers::{Llt, Solve};
use faer::linalg::triangular_solve;
use faer::{Accum, Mat, MatMut, MatRef, Par, Side};
use serde::{Deserialize, Serialize};

use crate::math::vector;

/// Smallest pivot of a Cholesky factor, relative to its diagonal entry in the matrix.
const PIVOT: f64 = 1e-13;

/// Eigenvalues and eigenvectors of a symmetric matrix.
#[derive(Clone, Debug)]
pub(crate) struct Eigen {
    pub values: Vec<f64>,
    pub vectors: Vec<Vec<f64>>,
}

/// A symmetric matrix of order n. Only its lower triangle is maintained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Symmetric {
    order: usize,
    /// Column-major, order × order. Entries above the diagonal are never read.
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

    /// The entry in row `i` and column `j`; the order of `i` and `j` does not matter.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.entries[i.min(j) * self.order + i.max(j)]
    }

    /// Sets the entry in row `i` and column `j`, and so its mirror image.
    pub fn set(&mut self, i: usize, j: usize, value: f64) {
        self.entries[i.min(j) * self.order + i.max(j)] = value;
    }

    /// The largest entry of the diagonal, or zero if all are negative.
    pub(crate) fn largest_diagonal(&self) -> f64 {
        (0..self.order).fold(0.0, |most, j| most.max(self.at(j, j)))
    }

    /// The columns. Their entries above the diagonal have no meaning.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &[f64]> {
        self.entries.chunks_exact(self.order.max(1))
    }

    /// The columns. Write only entries on and below the diagonal.
    pub(crate) fn columns_mut(&mut self) -> impl Iterator<Item = &mut [f64]> {
        self.entries.chunks_exact_mut(self.order.max(1))
    }

    /// The entries, column-major. Add only to entries on and below the diagonal.
    pub(crate) fn lower_mut(&mut self) -> &mut [f64] {
        &mut self.entries
    }

    /// The product with a vector.
    pub fn times(&self, v: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; self.order];
        for (j, column) in self.columns().enumerate() {
            // a column below the diagonal is also a row right of it
            let below = &column[j + 1..];
            product[j] += column[j] * v[j] + dot(below, &v[j + 1..]);
            product[j + 1..].iter_mut().zip(below).for_each(|(product, a)| *product += a * v[j]);
        }
        product
    }

    /// The Cholesky factor of A + diag(`shift`); none if that is not safely positive definite.
    pub(crate) fn factor(&self, shift: &[f64]) -> Option<Factor> {
        if !self.is_finite() {
            return None;
        }
        let mut shifted = MatRef::from_column_major_slice(&self.entries, self.order, self.order).to_owned();
        (0..self.order).for_each(|i| shifted[(i, i)] += shift[i]);
        let factor = shifted.llt(Side::Lower).ok()?;
        // a pivot at the rounding level of its diagonal entry means a collinear direction
        let safe = |i: usize| factor.L()[(i, i)].powi(2) > PIVOT * shifted[(i, i)];
        (0..self.order).all(safe).then_some(Factor(factor))
    }

    /// Solves (A + diag(`shift`))·p = `right`.
    ///
    /// If the matrix is not safely positive definite, returns the minimum-norm solution of |A + diag(`shift`)|·p ≈
    /// `right` without the eigenvectors whose eigenvalues are rounding. |·| replaces eigenvalues by their absolute
    /// values, so that p is never an ascent direction. None if the eigenvalue iteration fails.
    pub(crate) fn solve_safely(&self, shift: &[f64], right: &[f64]) -> Option<Vec<f64>> {
        match self.factor(shift) {
            Some(factor) => Some(factor.solve(right)),
            None => self.solve_least_norm(shift, right),
        }
    }

    fn solve_least_norm(&self, shift: &[f64], right: &[f64]) -> Option<Vec<f64>> {
        let mut shifted = self.clone();
        (0..self.order).for_each(|j| shifted.set(j, j, self.at(j, j) + shift[j]));
        let eigen = shifted.eigen()?;
        let largest = eigen.values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let kept = |value: f64| value.abs() > self.order as f64 * f64::EPSILON * largest && largest > 0.0;
        let mut p = vec![0.0; self.order];
        for (value, vector) in eigen.values.iter().zip(&eigen.vectors).filter(|(value, _)| kept(**value)) {
            let along = vector.iter().zip(right).map(|(u, b)| u * b).sum::<f64>() / value.abs();
            p.iter_mut().zip(vector).for_each(|(p, u)| *p += along * u);
        }
        Some(p)
    }

    /// Whether every entry is finite. Otherwise the eigenvalue iteration would never end.
    pub(crate) fn is_finite(&self) -> bool {
        (0..self.order).all(|j| self.entries[j * self.order + j..(j + 1) * self.order].iter().all(|h| h.is_finite()))
    }

    /// Eigenvalues in increasing order with their eigenvectors; none if the iteration fails.
    pub(crate) fn eigen(&self) -> Option<Eigen> {
        if !self.is_finite() {
            return None;
        }
        eigen(&Mat::from_fn(self.order, self.order, |i, j| self.at(i, j)))
    }

    /// Solves A·v = λ·B·v for this matrix A and a positive definite B = `other`: eigenvalues in increasing order with
    /// their eigenvectors. None if B is not safely positive definite, or if the iteration fails.
    pub(crate) fn eigen_beside(&self, other: &Symmetric) -> Option<Eigen> {
        let Factor(factor) = other.factor(&vec![0.0; self.order])?;
        let mut matrix = Mat::from_fn(self.order, self.order, |i, j| self.at(i.max(j), i.min(j)));
        // L⁻¹·A·L⁻ᵀ: one triangular solve from each side
        for _ in 0..2 {
            triangular_solve::solve_lower_triangular_in_place(factor.L(), matrix.as_mut(), Par::Seq);
            matrix = matrix.transpose().to_owned();
        }
        let mut eigen = eigen(&matrix)?;
        for vector in &mut eigen.vectors {
            let column = MatMut::from_column_major_slice_mut(vector, self.order, 1);
            triangular_solve::solve_upper_triangular_in_place(factor.L().transpose(), column, Par::Seq);
        }
        Some(eigen)
    }

    /// The smallest eigenvalue; none if an entry is not finite, or if the iteration fails.
    pub(crate) fn least_eigenvalue(&self) -> Option<f64> {
        if !self.is_finite() {
            return None;
        }
        let matrix = MatRef::from_column_major_slice(&self.entries, self.order, self.order);
        matrix.self_adjoint_eigenvalues(Side::Lower).ok()?.first().copied()
    }

    /// The sum of the diagonal.
    pub(crate) fn trace(&self) -> f64 {
        (0..self.order).map(|j| self.at(j, j)).sum()
    }

    /// A − `times`·B.
    pub(crate) fn less(mut self, times: f64, other: &Symmetric) -> Symmetric {
        self.entries.iter_mut().zip(&other.entries).for_each(|(a, b)| *a -= times * b);
        self
    }

    /// D·A·D with a diagonal D such that the diagonal is `diagonal`. Rows with a diagonal entry ≤ 0 are not scaled.
    pub(crate) fn with_diagonal(mut self, diagonal: &[f64]) -> Symmetric {
        let unit =
            |(j, &wanted): (usize, &f64)| if self.at(j, j) > 0.0 { (wanted / self.at(j, j)).sqrt() } else { 1.0 };
        let units: Vec<f64> = diagonal.iter().enumerate().map(unit).collect();
        for (column, unit) in self.entries.chunks_exact_mut(self.order.max(1)).zip(&units) {
            column.iter_mut().zip(&units).for_each(|(a, other)| *a *= unit * other);
        }
        self
    }

    /// Shrinks the off-diagonal entries towards zero by the fraction of them that is sampling noise in a mean over
    /// `rows` rows. In units with a unit diagonal, the noise has the variance (1 + h_ij²)/rows.
    ///
    /// Reference: Ledoit and Wolf (2004), with the variance of Gaussian rows.
    pub(crate) fn shrunk(mut self, rows: f64) -> Symmetric {
        let diagonal: Vec<f64> = (0..self.order).map(|j| self.at(j, j)).collect();
        let (mut chance, mut all) = (0.0, 0.0);
        for (j, column) in self.columns().enumerate() {
            for (h, own) in column[j + 1..].iter().zip(&diagonal[j + 1..]).filter(|(_, own)| **own * diagonal[j] > 0.0)
            {
                let square = h * h / (own * diagonal[j]);
                all += square;
                chance += (1.0 + square) / rows;
            }
        }
        let kept = 1.0 - (chance / all).min(1.0);
        for (j, column) in self.columns_mut().enumerate() {
            column[j + 1..].iter_mut().for_each(|h| *h *= kept);
        }
        self
    }

    /// Adds `scale`·v·vᵀ.
    pub(crate) fn add_outer(&mut self, scale: f64, v: &[f64]) {
        for (j, column) in self.columns_mut().enumerate() {
            let factor = scale * v[j];
            column[j..].iter_mut().zip(&v[j..]).for_each(|(a, v)| *a += factor * v);
        }
    }

    /// A + y·yᵀ/(yᵀs) − A·s·sᵀA/(sᵀA·s)
    ///
    /// The update of Broyden, Fletcher, Goldfarb and Shanno (BFGS): the smallest change after which A·s = y. A does not
    /// change if the update would make it indefinite.
    pub(crate) fn bfgs_update(&mut self, s: &[f64], y: &[f64]) {
        let image = self.times(s);
        let (measured, known) = (dot(y, s), dot(&image, s));
        if measured > f64::EPSILON.sqrt() * known && known > 0.0 {
            self.add_outer(1.0 / measured, y);
            self.add_outer(-1.0 / known, &image);
        }
    }

    /// vᵀA·v.
    pub(crate) fn quadratic(&self, v: &[f64]) -> f64 {
        dot(&self.times(v), v)
    }

    /// c·A.
    pub(crate) fn scaled(mut self, factor: f64) -> Symmetric {
        self.entries.iter_mut().for_each(|a| *a *= factor);
        self
    }

    /// The rows and columns at these indices.
    pub(crate) fn select(&self, indices: &[usize]) -> Symmetric {
        let mut out = Symmetric::zero(indices.len());
        for (j, column) in out.columns_mut().enumerate() {
            column.iter_mut().zip(indices).skip(j).for_each(|(a, &i)| *a = self.at(i, indices[j]));
        }
        out
    }

    /// The matrix of this order whose rows and columns at these indices are A, and whose other entries are zero.
    pub(crate) fn embed(&self, indices: &[usize], order: usize) -> Symmetric {
        let mut out = Symmetric::zero(order);
        for (i, &row) in indices.iter().enumerate() {
            indices.iter().take(i + 1).enumerate().for_each(|(j, &column)| out.set(row, column, self.at(i, j)));
        }
        out
    }

    /// Adds another matrix of the same order.
    pub(crate) fn add(&mut self, other: &Symmetric) {
        self.entries.iter_mut().zip(&other.entries).for_each(|(a, b)| *a += b);
    }
}

/// Eigenvalues in increasing order with their eigenvectors. Only the lower triangle is read.
fn eigen(matrix: &Mat<f64>) -> Option<Eigen> {
    let (eigen, order) = (matrix.self_adjoint_eigen(Side::Lower).ok()?, matrix.nrows());
    let vector = |k: usize| (0..order).map(|i| eigen.U()[(i, k)]).collect();
    Some(Eigen { values: (0..order).map(|k| eigen.S()[k]).collect(), vectors: (0..order).map(vector).collect() })
}

/// The symmetric matrix with the mean of the two triangles.
fn symmetric(matrix: &Mat<f64>) -> Symmetric {
    let mut out = Symmetric::zero(matrix.nrows());
    for (j, column) in out.columns_mut().enumerate() {
        column.iter_mut().enumerate().skip(j).for_each(|(i, a)| *a = 0.5 * (matrix[(i, j)] + matrix[(j, i)]));
    }
    out
}

/// A Cholesky factor.
#[derive(Debug)]
pub(crate) struct Factor(Llt<f64>);

impl Factor {
    /// Vectors u with Σ u·uᵀ = A⁻¹: the columns of L⁻ᵀ.
    pub fn inverse_roots(&self) -> Vec<Vec<f64>> {
        let order = self.0.L().nrows();
        let mut roots = Mat::<f64>::identity(order, order);
        triangular_solve::solve_upper_triangular_in_place(self.0.L().transpose(), roots.as_mut(), Par::Seq);
        (0..order).map(|k| (0..order).map(|i| roots[(i, k)]).collect()).collect()
    }

    /// A⁻¹.
    pub fn inverse(&self) -> Symmetric {
        let order = self.0.L().nrows();
        let mut inverse = Mat::<f64>::identity(order, order);
        self.0.solve_in_place(inverse.as_mut());
        symmetric(&inverse)
    }

    /// A⁻¹·B·A⁻¹ for a symmetric B.
    pub fn sandwich(&self, filling: &Symmetric) -> Symmetric {
        let order = filling.order();
        let mut matrix = Mat::from_fn(order, order, |i, j| filling.at(i, j));
        for _ in 0..2 {
            self.0.solve_in_place(matrix.as_mut());
            matrix = matrix.transpose().to_owned();
        }
        symmetric(&matrix)
    }

    pub fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut p = right.to_vec();
        self.0.solve_in_place(MatMut::from_column_major_slice_mut(&mut p, right.len(), 1));
        p
    }
}

/// aᵀb.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    vector::sum_of(a, b, |a, b| a * b)
}

/// ‖v‖₂, without overflow or underflow of the squares.
pub(crate) fn norm(v: &[f64]) -> f64 {
    let most = v.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    let scale = if most > 0.0 { most } else { 1.0 };
    scale * v.iter().map(|v| (v / scale) * (v / scale)).sum::<f64>().sqrt()
}

/// Adds Σ_i a_i·x_i x_iᵀ to the lower triangle of `h` (column-major), for the rows x_i of the row-major `x`.
///
/// It runs on one thread. The caller splits the rows, so the order of the additions does not depend on the number of
/// threads. `scaled` is scratch memory of the length of `x`.
pub(crate) fn add_weighted_gram(x: &[f64], a: &[f64], h: &mut [f64], scaled: &mut [f64]) {
    let rows = a.len();
    let width = x.len().checked_div(rows).unwrap_or(0);
    for ((scaled, x), a) in scaled.chunks_mut(width.max(1)).zip(x.chunks(width.max(1))).zip(a) {
        scaled.iter_mut().zip(x).for_each(|(scaled, x)| *scaled = a * x);
    }
    triangular::matmul(
        MatMut::from_column_major_slice_mut(h, width, width),
        BlockStructure::TriangularLower,
        Accum::Add,
        MatRef::from_column_major_slice(x, width, rows),
        BlockStructure::Rectangular,
        MatRef::from_row_major_slice(scaled, rows, width),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}

/// Writes the dot products of the rows x_i with several vectors: all rows with the first vector, then all with the
/// second. Rows and vectors are stored one after the other. The result for a vector depends on the number of vectors,
/// because the order of the additions in a matrix product depends on its shape. It does not depend on the other vectors
/// or their order.
pub(crate) fn multiply_rows(x: &[f64], width: usize, vectors: &[f64], products: &mut [f64]) {
    let (rows, count) = (x.len() / width.max(1), vectors.len() / width.max(1));
    matmul(
        MatMut::from_column_major_slice_mut(products, rows, count),
        Accum::Replace,
        MatRef::from_row_major_slice(x, rows, width),
        MatRef::from_column_major_slice(vectors, width, count),
        1.0,
        Par::Seq,
    );
}

/// Adds Σ a_i·x_i to several sums. Sums and coefficients are stored one after the other; otherwise as
/// [`multiply_rows`].
pub(crate) fn add_rows_times(x: &[f64], width: usize, coefficients: &[f64], sums: &mut [f64]) {
    let rows = x.len() / width.max(1);
    let count = coefficients.len() / rows.max(1);
    matmul(
        MatMut::from_column_major_slice_mut(sums, width, count),
        Accum::Add,
        MatRef::from_column_major_slice(x, width, rows),
        MatRef::from_column_major_slice(coefficients, rows, count),
        1.0,
        Par::Seq,
    );
}

/// Writes the product A·B of two matrices of `width` rows, A column-major and B row-major, on one thread. It is the
/// yardstick for the speed of the curvature.
pub(crate) fn multiply(a: &[f64], b: &[f64], width: usize, product: &mut [f64]) {
    let inner = a.len() / width.max(1);
    matmul(
        MatMut::from_column_major_slice_mut(product, width, width),
        Accum::Replace,
        MatRef::from_column_major_slice(a, width, inner),
        MatRef::from_row_major_slice(b, inner, width),
        1.0,
        Par::Seq,
    );
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn symmetric(rows: [[f64; 3]; 3]) -> Symmetric {
        let mut matrix = Symmetric::zero(3);
        (0..3).for_each(|i| (0..=i).for_each(|j| matrix.set(i, j, rows[i][j])));
        matrix
    }

    /// A·v = λ·B·v, with vᵀ·B·v = 1.
    #[test]
    fn eigenvectors_are_in_units_of_the_other_matrix() {
        let a = symmetric([[1.0, 0.5, -2.0], [0.5, -3.0, 0.0], [-2.0, 0.0, 4.0]]);
        let b = symmetric([[2.0, 0.3, 0.1], [0.3, 5.0, -1.0], [0.1, -1.0, 1.0]]);
        let Eigen { values, vectors } = a.eigen_beside(&b).unwrap();
        assert!(values.is_sorted());
        for (value, v) in values.iter().zip(&vectors) {
            let (left, right) = (a.times(v), b.times(v));
            let off = left.iter().zip(&right).map(|(left, right)| (left - value * right).abs()).fold(0.0, f64::max);
            assert!(off <= 1e-12 && (dot(v, &right) - 1.0).abs() <= 1e-12, "{value}: {off}");
        }
        assert!(a.eigen_beside(&a).is_none());
    }
}
