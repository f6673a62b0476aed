//! *Vector* loops are loops over slices, compiled once for each vector instruction set. The choice is made at run time.
//!
//! The functions that they call must be inlined, and should have no branches. Fused multiply–add is never used, and
//! sums have eight parts, so every instruction set gives the same bits.

use multiversion::multiversion;

/// Number of partial sums.
pub(crate) const LANES: usize = 8;

/// A function of one number. Closures implement it. The compiler does not inline a long closure, which then is not
/// vectorised; such functions are types with an `#[inline(always)]` method instead.
pub(crate) trait Function {
    fn at(&self, x: f64) -> f64;
}

impl<F: Fn(f64) -> f64> Function for F {
    #[inline(always)]
    fn at(&self, x: f64) -> f64 {
        self(x)
    }
}

/// Writes f(x) for each x.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(crate) fn map(x: &[f64], out: &mut [f64], f: impl Function) {
    for (out, &x) in out.iter_mut().zip(x) {
        *out = f.at(x);
    }
}

/// Writes f(x) and g(x) for each x. Common subexpressions are computed once.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(crate) fn map_both(x: &[f64], first: &mut [f64], second: &mut [f64], f: impl Function, g: impl Function) {
    for ((first, second), &x) in first.iter_mut().zip(second).zip(x) {
        (*first, *second) = (f.at(x), g.at(x));
    }
}

/// Adds `weight`·f(x) for each x.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(crate) fn accumulate(x: &[f64], out: &mut [f64], weight: f64, f: impl Function) {
    for (out, &x) in out.iter_mut().zip(x) {
        *out += weight * f.at(x);
    }
}

/// Writes f(x, y) for each pair.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(crate) fn zip(x: &[f64], y: &[f64], out: &mut [f64], f: impl Fn(f64, f64) -> f64) {
    for ((out, &x), &y) in out.iter_mut().zip(x).zip(y) {
        *out = f(x, y);
    }
}

/// Adds y + `constant` to each x.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(crate) fn add(x: &mut [f64], y: &[f64], constant: f64) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += constant + y);
}

/// Σ f(x, y).
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(crate) fn sum_of(x: &[f64], y: &[f64], f: impl Fn(f64, f64) -> f64) -> f64 {
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
    let mut sums = [0.0; LANES];
    for (x, y) in x.iter().zip(y) {
        for k in 0..LANES {
            sums[k] += f(x[k], y[k]);
        }
    }
    for ((sum, &x), &y) in sums.iter_mut().zip(x_rest).zip(y_rest) {
        *sum += f(x, y);
    }
    total(&sums)
}

/// The sum of the partial sums, adding halves first, as vector instructions do.
#[inline(always)]
pub(crate) fn total(parts: &[f64; LANES]) -> f64 {
    let [a, b, c, d, e, f, g, h] = parts;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// Σ x.
pub(crate) fn sum(x: &[f64]) -> f64 {
    sum_of(x, x, |x, _| x)
}
