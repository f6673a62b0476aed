//! *Small* vectors and symmetric matrices of fixed size, without allocation: a search has millions of them.

use crate::math::linalg::Symmetric;

/// The most dimensions of a search. Its work grows four to seven times with each, so more could not be searched.
pub(super) const MOST: usize = 12;

/// A vector whose entries beyond the order of its problem are zero.
pub(super) type Vector = [f64; MOST];

/// A symmetric matrix whose entries beyond the order of its problem are zero.
pub(super) type Matrix = [Vector; MOST];

pub(super) const ZERO: Vector = [0.0; MOST];

/// The rotations of Jacobi's method end after this many sweeps.
const SWEEPS: usize = 30;
/// The off-diagonal square, relative to the diagonal one, at which they end.
const SMALL: f64 = 1e-24;
/// For each dimension, eigenvalues are off by at most this share of the largest.
const EIGENVALUE: f64 = 64.0 * f64::EPSILON;

pub(super) fn dot(a: &Vector, b: &Vector) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The length of a vector, whose squares may overflow.
pub(super) fn norm(a: &[f64]) -> f64 {
    let largest = a.iter().fold(0.0, |largest: f64, a| largest.max(a.abs()));
    let unit = if largest > 0.0 { largest } else { 1.0 };
    a.iter().map(|a| (a / unit) * (a / unit)).sum::<f64>().sqrt() * unit
}

/// The product of a matrix of this order with a vector.
pub(super) fn times(matrix: &Matrix, vector: &Vector, order: usize) -> Vector {
    let mut product = ZERO;
    product.iter_mut().zip(matrix).take(order).for_each(|(product, row)| *product = dot(row, vector));
    product
}

/// The product of two matrices.
pub(super) fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let mut product = [ZERO; MOST];
    for (row, a) in product.iter_mut().zip(a) {
        for (a, b) in a.iter().zip(b).filter(|(a, _)| **a != 0.0) {
            row.iter_mut().zip(b).for_each(|(entry, b)| *entry += a * b);
        }
    }
    product
}

/// The symmetric matrix with this lower triangle.
pub(super) fn mirrored(lower: &Matrix) -> Matrix {
    let mut whole = *lower;
    for (i, row) in lower.iter().enumerate() {
        (0..i).for_each(|j| whole[j][i] = row[j]);
    }
    whole
}

/// The sum of two matrices.
pub(super) fn sum(a: &Matrix, b: &Matrix) -> Matrix {
    let mut sum = *a;
    sum.iter_mut().flatten().zip(b.iter().flatten()).for_each(|(a, b)| *a += b);
    sum
}

/// Σ |a_i·M_ij·b_j|.
pub(super) fn absolute_form(matrix: &Matrix, a: &Vector, b: &Vector) -> f64 {
    let of_row = |row: &Vector| row.iter().zip(b).map(|(entry, b)| (entry * b).abs()).sum::<f64>();
    matrix.iter().zip(a).map(|(row, a)| a.abs() * of_row(row)).sum()
}

pub(super) fn transposed(matrix: &Matrix) -> Matrix {
    let mut transposed = [ZERO; MOST];
    for (i, row) in matrix.iter().enumerate() {
        row.iter().zip(&mut transposed).for_each(|(entry, column)| column[i] = *entry);
    }
    transposed
}

/// The inverse of a lower triangular matrix.
pub(super) fn inverse_of_lower(factor: &Matrix, order: usize) -> Matrix {
    let mut inverse = [ZERO; MOST];
    for j in 0..order {
        inverse[j][j] = 1.0 / factor[j][j];
        for i in j + 1..order {
            let sum: f64 = (j..i).map(|k| factor[i][k] * inverse[k][j]).sum();
            inverse[i][j] = -sum / factor[i][i];
        }
    }
    inverse
}

/// The norm of |A||A⁻¹|: by how much the coordinates of A multiply relative errors of rows.
pub(super) fn conditioning(matrix: &Matrix, inverse: &Matrix) -> f64 {
    let absolute = |matrix: &Matrix| matrix.map(|row| row.map(f64::abs));
    product(&absolute(matrix), &absolute(inverse)).iter().map(|row| dot(row, row)).sum::<f64>().sqrt()
}

/// The inverse of a matrix, by elimination; none if a pivot is zero.
pub(super) fn inverse(matrix: &Matrix, order: usize) -> Option<Matrix> {
    let (mut left, mut right) = (*matrix, [ZERO; MOST]);
    (0..order).for_each(|i| right[i][i] = 1.0);
    for i in 0..order {
        let pivot = (i..order).max_by(|&a, &b| left[a][i].abs().total_cmp(&left[b][i].abs()))?;
        left.swap(i, pivot);
        right.swap(i, pivot);
        let scale = 1.0 / left[i][i];
        if !scale.is_finite() {
            return None;
        }
        left[i].iter_mut().chain(&mut right[i]).for_each(|entry| *entry *= scale);
        let (own, image) = (left[i], right[i]);
        for k in (0..order).filter(|&k| k != i) {
            let factor = left[k][i];
            left[k].iter_mut().zip(&own).for_each(|(entry, own)| *entry -= factor * own);
            right[k].iter_mut().zip(&image).for_each(|(entry, own)| *entry -= factor * own);
        }
    }
    Some(right)
}

/// The eigenvectors of the leading part of a matrix, row by row; none if its entries are not finite.
pub(super) fn axes(matrix: &Matrix, order: usize) -> Option<Matrix> {
    let mut symmetric = Symmetric::zero(order);
    for (i, row) in matrix.iter().enumerate().take(order) {
        row.iter().enumerate().take(i + 1).for_each(|(j, entry)| symmetric.set(i, j, *entry));
    }
    let eigen = if symmetric.is_finite() { symmetric.eigen()? } else { return None };
    let mut axes = [ZERO; MOST];
    for (row, vector) in axes.iter_mut().zip(&eigen.vectors) {
        row.iter_mut().zip(vector).for_each(|(entry, value)| *entry = *value);
    }
    Some(axes)
}

/// The smallest eigenvalue or a little less, by Jacobi's method; NaN if an entry is not finite.
pub(super) fn least_eigenvalue(matrix: &Matrix, order: usize) -> f64 {
    if !matrix.iter().flatten().all(|entry| entry.is_finite()) {
        return f64::NAN;
    }
    let mut a = *matrix;
    for _ in 0..SWEEPS {
        let (mut off, mut diagonal) = (0.0, 0.0);
        for i in 0..order {
            diagonal += a[i][i] * a[i][i];
            off += a[i][..i].iter().map(|entry| entry * entry).sum::<f64>();
        }
        if off <= SMALL * diagonal {
            break;
        }
        for i in 0..order {
            for j in 0..i {
                rotate(&mut a, i, j, order);
            }
        }
    }
    let least = (0..order).map(|i| a[i][i]).fold(f64::INFINITY, f64::min);
    let largest = (0..order).map(|i| a[i][i].abs()).fold(0.0, f64::max);
    least - EIGENVALUE * order as f64 * largest
}

/// Makes the entry in row i and column j zero.
fn rotate(a: &mut Matrix, i: usize, j: usize, order: usize) {
    if a[i][j] == 0.0 {
        return;
    }
    let theta = (a[j][j] - a[i][i]) / (2.0 * a[i][j]);
    let tangent = if theta == 0.0 { 1.0 } else { theta.signum() / (theta.abs() + theta.hypot(1.0)) };
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = tangent * cosine;
    for row in a.iter_mut().take(order) {
        (row[i], row[j]) = (cosine * row[i] - sine * row[j], sine * row[i] + cosine * row[j]);
    }
    let (first, second) = (a[i], a[j]);
    for (k, (own, other)) in first.iter().zip(second).enumerate().take(order) {
        (a[i][k], a[j][k]) = (cosine * own - sine * other, sine * own + cosine * other);
    }
}

/// `½·bᵀA⁻¹b` or a little more, by a Cholesky factor; none if the matrix is not positive definite up to rounding.
pub(super) fn most_half_inverse_form(matrix: &Matrix, b: &Vector, order: usize) -> Option<f64> {
    let (mut factor, mut y) = ([ZERO; MOST], ZERO);
    // the computed factor is that of a matrix which differs by less than this
    let rounding = EIGENVALUE * order as f64 * (0..order).map(|i| matrix[i][i].abs()).fold(0.0, f64::max);
    for i in 0..order {
        for j in 0..=i {
            let entry = if i == j { matrix[i][j] - rounding } else { matrix[i][j] };
            let rest = entry - factor[i][..j].iter().zip(&factor[j][..j]).map(|(a, b)| a * b).sum::<f64>();
            if i == j && rest <= 0.0 {
                return None;
            }
            factor[i][j] = if i == j { rest.sqrt() } else { rest / factor[j][j] };
        }
        y[i] = (b[i] - factor[i][..i].iter().zip(&y[..i]).map(|(a, b)| a * b).sum::<f64>()) / factor[i][i];
    }
    Some(0.5 * dot(&y, &y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_eigenvalue_and_the_inverse_form_are_those_of_a_known_matrix() {
        let mut a = [ZERO; MOST];
        // eigenvalues 1, 2 and 4 in a rotated basis
        let (c, s) = (0.6, 0.8);
        (a[0][0], a[1][1], a[2][2]) = (c * c + 4.0 * s * s, s * s + 4.0 * c * c, 2.0);
        (a[0][1], a[1][0]) = (-3.0 * c * s, -3.0 * c * s);
        assert!((least_eigenvalue(&a, 3) - 1.0).abs() < 1e-12);
        let mut b = ZERO;
        (b[0], b[1], b[2]) = (c, s, 2.0);
        let form = most_half_inverse_form(&a, &b, 3).unwrap_or(f64::NAN);
        assert!((form - 0.5 * (1.0 + 2.0)).abs() < 1e-12);
        a[2][2] = -1.0;
        assert!(most_half_inverse_form(&a, &b, 3).is_none() && (least_eigenvalue(&a, 3) + 1.0).abs() < 1e-12);
    }
}
