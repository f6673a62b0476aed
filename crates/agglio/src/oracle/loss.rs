//! The *loss* ρ(φ(z), y) of a row: its value, and the coefficients of the row in gradient and curvature.
//!
//! Least squares is the only loss so far. All formulas that are specific to squares belong in this file.

use multiversion::multiversion;
use serde::{Deserialize, Serialize};

use crate::math::vector::{self, sum_of};

/// The function whose gradient is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Objective {
    /// The graduated least-squares loss: gradient (2/n) Σ ω r φ̂′ x.
    #[default]
    Squares,
    /// The matching loss of φ, whose gradient has no factor φ̂′: gradient (2/n) Σ ω r x, curvature (2/n) Σ ω φ̂′ x xᵀ.
    /// The reported loss is that of `Squares`.
    Matching,
}

/// Weighted sums of squares.
pub(super) struct Squares {
    /// Sum over the residuals.
    pub loss: f64,
    /// Sum over the labels.
    pub label: f64,
    /// The largest weighted square of a residual.
    pub largest: f64,
}

impl Objective {
    /// a = ω r φ̂′, or ω r: the coefficients of the gradient.
    pub(super) fn weigh_gradient(self, weight: &[f64], r: &[f64], derivative: &[f64], a: &mut [f64]) {
        match self {
            Objective::Squares => multiply(a, weight, r, derivative),
            Objective::Matching => vector::zip(weight, r, a, |weight, r| weight * r),
        }
    }

    /// b = ω φ̂′², or ω: the coefficients of the squared column norms of J.
    pub(super) fn weigh_norms(self, weight: &[f64], derivative: &[f64], b: &mut [f64]) {
        match self {
            Objective::Squares => vector::zip(weight, derivative, b, |weight, d| weight * (d * d)),
            Objective::Matching => b.copy_from_slice(weight),
        }
    }

    /// h = ω φ̂′², or ω φ̂′: the coefficients of the Gauss–Newton curvature.
    pub(super) fn weigh_curvature(self, weight: &[f64], derivative: &[f64], h: &mut [f64]) {
        match self {
            Objective::Squares => multiply(h, weight, derivative, derivative),
            Objective::Matching => vector::zip(weight, derivative, h, |weight, d| weight * d),
        }
    }

    /// Whether the exact curvature has a residual term in addition to the Gauss–Newton term.
    pub(super) fn has_residual_curvature(self) -> bool {
        self == Objective::Squares
    }
}

/// Replaces values of φ by the residuals φ − y. A row without weight contributes zero, even if its value overflows.
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

/// Sets entries of rows without weight to zero.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn mask(weight: &[f64], x: &mut [f64]) {
    x.iter_mut().zip(weight).for_each(|(x, &weight)| *x = if weight > 0.0 { *x } else { 0.0 });
}

/// Writes the products of three factors.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
fn multiply(product: &mut [f64], a: &[f64], b: &[f64], c: &[f64]) {
    let factors = a.iter().zip(b).zip(c);
    product.iter_mut().zip(factors).for_each(|(product, ((a, b), c))| *product = a * b * c);
}
