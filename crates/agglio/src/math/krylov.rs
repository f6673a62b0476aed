//! *Krylov* methods solve equations and find eigenvalues of a symmetric matrix from its products with vectors. The
//! matrix itself may be too large to be formed.

use crate::error::Result;
use crate::math::linalg::{Symmetric, dot};
use crate::math::rng::{Random, Stream};

/// A Rayleigh quotient below this fraction of the largest one is rounding: the matrix has no curvature in that
/// direction.
const FLAT: f64 = 1e-13;

/// Solves A·p ≈ `right` by conjugate gradients.
///
/// Starts from p = 0, and ends when the norm of the residual is at most `goal` or after `rounds` products. A direction
/// of zero or negative curvature ends the iteration with the current p; in the first round p is then `right`.
///
/// Reference: Hestenes and Stiefel (1952); the end at negative curvature: Steihaug (1983).
pub(crate) fn conjugate_gradients(
    mut times: impl FnMut(&[f64]) -> Result<Vec<f64>>,
    right: &[f64],
    goal: f64,
    rounds: usize,
) -> Result<Vec<f64>> {
    let mut p = vec![0.0; right.len()];
    let (mut residual, mut along) = (right.to_vec(), right.to_vec());
    let (mut square, mut steepest) = (dot(right, right), 0.0_f64);
    for round in 0..rounds {
        if square.sqrt() <= goal {
            break;
        }
        let product = times(&along)?;
        let (curvature, length) = (dot(&along, &product), dot(&along, &along));
        steepest = steepest.max(curvature / length);
        if curvature.is_nan() || curvature <= FLAT * steepest * length {
            if round == 0 {
                p.copy_from_slice(&along);
            }
            break;
        }
        let alpha = square / curvature;
        p.iter_mut().zip(&along).for_each(|(p, d)| *p += alpha * d);
        residual.iter_mut().zip(&product).for_each(|(r, h)| *r -= alpha * h);
        let next = dot(&residual, &residual);
        along.iter_mut().zip(&residual).for_each(|(d, r)| *d = r + next / square * *d);
        square = next;
    }
    Ok(p)
}

/// Ritz values of A after `products` products, in increasing order. They are the eigenvalues once there are as many as
/// A has rows. Before that, the outermost ones approximate the outermost eigenvalues, from the inside.
///
/// Reference: Lanczos (1950), with full orthogonalisation.
///
/// # Errors
/// Those of `times`.
pub(crate) fn ritz_values(
    mut times: impl FnMut(&[f64]) -> Result<Vec<f64>>,
    order: usize,
    products: usize,
) -> Result<Vec<f64>> {
    let mut random = Random::new(0, Stream::Lanczos);
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut next: Vec<f64> = (0..order).map(|_| random.normal()).collect();
    let (mut diagonal, mut beside) = (Vec::new(), Vec::new());
    for _ in 0..products.min(order) {
        let length = dot(&next, &next).sqrt();
        let known: f64 = diagonal.iter().fold(0.0, |most: f64, d: &f64| most.max(d.abs()));
        // the Krylov space of the start vector is exhausted
        if length <= f64::EPSILON * known || !length.is_finite() || length == 0.0 {
            break;
        }
        beside.push(length);
        next.iter_mut().for_each(|v| *v /= length);
        let mut product = times(&next)?;
        diagonal.push(dot(&product, &next));
        basis.push(next);
        // against the whole basis, twice: rounding would bring earlier directions back
        for v in basis.iter().chain(&basis) {
            let along = dot(&product, v);
            product.iter_mut().zip(v).for_each(|(p, v)| *p -= along * v);
        }
        next = product;
    }
    Ok(eigenvalues_of_tridiagonal(&diagonal, &beside))
}

/// The smallest and the largest eigenvalue of a matrix; none if the eigenvalue iteration fails.
///
/// For a large positive definite matrix they are approximated by a few products with it and with its inverse.
pub(crate) fn outermost(matrix: &Symmetric) -> Option<(f64, f64)> {
    const PRODUCTS: usize = 30;
    let order = matrix.order();
    let factor = if order > PRODUCTS { matrix.factor(&vec![0.0; order]) } else { None };
    match factor {
        None => {
            let values = matrix.eigen()?.values;
            Some((*values.first()?, *values.last()?))
        }
        Some(factor) => {
            let inverse = ritz_values(|v| Ok(factor.solve(v)), order, PRODUCTS).ok()?;
            let own = ritz_values(|v| Ok(matrix.times(v)), order, PRODUCTS).ok()?;
            Some((1.0 / inverse.last()?, *own.last()?))
        }
    }
}

/// `beside[k]` is the off-diagonal entry between `diagonal[k − 1]` and `diagonal[k]`; `beside[0]` is not used.
fn eigenvalues_of_tridiagonal(diagonal: &[f64], beside: &[f64]) -> Vec<f64> {
    let mut matrix = Symmetric::zero(diagonal.len());
    for (k, &value) in diagonal.iter().enumerate() {
        matrix.set(k, k, value);
        if k > 0 {
            matrix.set(k, k - 1, beside[k]);
        }
    }
    matrix.eigen().map(|eigen| eigen.values).unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// diag(1, …, n), of rank `rank`.
    fn product(v: &[f64], rank: usize) -> Vec<f64> {
        v.iter().enumerate().map(|(j, v)| if j < rank { (j + 1) as f64 * v } else { 0.0 }).collect()
    }

    #[test]
    fn conjugate_gradients_solve_within_as_many_products_as_rows() {
        let right: Vec<f64> = (1..=20).map(f64::from).collect();
        let p = conjugate_gradients(|v| Ok(product(v, 20)), &right, 1e-12, 20).unwrap();
        assert!(p.iter().all(|p| (p - 1.0).abs() < 1e-10), "{p:?}");
    }

    #[test]
    fn conjugate_gradients_leave_alone_what_the_matrix_does_not_see() {
        let mut right = vec![1.0; 20];
        right[19] = 1e-17;
        let p = conjugate_gradients(|v| Ok(product(v, 19)), &right, 0.0, 1000).unwrap();
        assert!(p.iter().all(|p| p.abs() <= 1.0 + 1e-9), "{p:?}");
    }

    #[test]
    fn conjugate_gradients_end_at_negative_curvature() {
        let p = conjugate_gradients(|v| Ok(v.iter().map(|v| -v).collect()), &[1.0, 2.0], 0.0, 10).unwrap();
        assert_eq!(p, [1.0, 2.0]);
    }

    #[test]
    fn ritz_values_are_exact_after_as_many_products_as_rows() {
        let values = ritz_values(|v| Ok(product(v, 12)), 12, 12).unwrap();
        assert!(values.iter().zip(1..).all(|(value, k)| (value - f64::from(k)).abs() < 1e-9), "{values:?}");
    }

    #[test]
    fn ritz_values_lie_within_the_spectrum() {
        let values = ritz_values(|v| Ok(product(v, 300)), 300, 40).unwrap();
        assert!(values[0] >= 1.0 - 1e-9 && values[0] < 5.0 && values[39] <= 300.0 + 1e-9 && values[39] > 295.0);
    }
}
