//! *Residuals* of a run of rows, and the products that sums over the rows are made of.

use multiversion::multiversion;

use crate::math::vector::sum_of;

/// Weighted sums of squares.
pub(super) struct Squares {
    /// Of the residuals.
    pub loss: f64,
    /// Of the labels.
    pub label: f64,
    /// The largest one of a residual.
    pub largest: f64,
}

/// Turns what φ gives into residuals, φ − y. A row without weight has no say, not even by overflowing.
pub(super) fn compare(weight: &[f64], label: &mut [f64], value: &mut [f64]) -> Squares {
    subtract(value, label);
    mask(weight, value);
    mask(weight, label);
    let square = |weight: f64, x: f64| weight * (x * x);
    let largest = largest(weight, value);
    Squares { loss: sum_of(weight, value, square), label: sum_of(weight, label, square), largest }
}

/// The largest weighted square.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
fn largest(weight: &[f64], x: &[f64]) -> f64 {
    let squares = x.iter().zip(weight).map(|(x, weight)| weight * (x * x));
    squares.fold(0.0, |most, square| if square > most { square } else { most })
}

#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
fn subtract(value: &mut [f64], label: &[f64]) {
    value.iter_mut().zip(label).for_each(|(value, label)| *value -= label);
}

/// Puts zero where a row has no weight.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn mask(weight: &[f64], x: &mut [f64]) {
    x.iter_mut().zip(weight).for_each(|(x, &weight)| *x = if weight > 0.0 { *x } else { 0.0 });
}

/// Writes the products of three factors.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn multiply(product: &mut [f64], a: &[f64], b: &[f64], c: &[f64]) {
    let factors = a.iter().zip(b).zip(c);
    product.iter_mut().zip(factors).for_each(|(product, ((a, b), c))| *product = a * b * c);
}
