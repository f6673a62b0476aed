//! An *enclosure* is the ranges of φ and its derivatives over an interval of z, for each of some rows.

use multiversion::multiversion;

use super::{Activation, PiecewiseMonotone, Shape};

/// Each end of a range is moved outward by this share of it, more than the rounding errors of φ and of its derivatives.
pub(crate) const MARGIN: f64 = 16.0 * f64::EPSILON;
/// Up to this |z| a function may be a difference of larger numbers, so that its error is relative to its largest value.
const CANCELLING: f64 = 40.0;
/// From this |z| on, exponentials of z underflow or overflow.
const SATURATED: f64 = 1e4;

/// One interval of z for each row. Its ends may be infinite.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Intervals<'a> {
    pub from: &'a [f64],
    pub to: &'a [f64],
    /// The share by which ends of ranges are moved outward: [`MARGIN`].
    pub margin: f64,
}

/// Writes the ranges of φ and φ′.
pub(crate) fn enclose(
    phi: &dyn Activation,
    shape: &Shape,
    z: Intervals<'_>,
    value: [&mut [f64]; 2],
    derivative: [&mut [f64]; 2],
) {
    let ([value_lo, value_hi], [lo, hi]) = (value, derivative);
    phi.respond_with_derivative(z.from, value_lo, lo);
    phi.respond_with_derivative(z.to, value_hi, hi);
    range_between(&shape.value, z, [value_lo, value_hi]);
    range_between(&shape.derivative, z, [lo, hi]);
}

/// Writes the ranges of φ″.
pub(crate) fn enclose_second_derivative(
    phi: &dyn Activation,
    shape: &Shape,
    z: Intervals<'_>,
    [lo, hi]: [&mut [f64]; 2],
) {
    phi.graduate_second_derivative(1.0, z.from, lo);
    phi.graduate_second_derivative(1.0, z.to, hi);
    range_between(&shape.second_derivative, z, [lo, hi]);
}

/// Writes the ranges of zφ′(z), where the derivative at the ends of finite intervals is `derivative`.
pub(crate) fn enclose_radial_derivative(
    phi: &dyn Activation,
    shape: &Shape,
    z: Intervals<'_>,
    [lo, hi]: [&mut [f64]; 2],
) {
    phi.graduate_derivative(1.0, z.from, lo);
    phi.graduate_derivative(1.0, z.to, hi);
    lo.iter_mut().zip(z.from).for_each(|(lo, z)| *lo *= z);
    hi.iter_mut().zip(z.to).for_each(|(hi, z)| *hi *= z);
    range_between(&shape.radial_derivative, z, [lo, hi]);
}

/// Replaces the values at the ends of intervals by the range between them.
pub(crate) fn range_between(function: &PiecewiseMonotone, z: Intervals<'_>, [lo, hi]: [&mut [f64]; 2]) {
    order(z.from, z.to, lo, hi, function.limits());
    for &(at, value) in function.turns() {
        include(z.from, z.to, lo, hi, [at, value]);
    }
    widen(z, lo, hi, z.margin * function.size());
}

#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
fn order(from: &[f64], to: &[f64], lo: &mut [f64], hi: &mut [f64], limits: [f64; 2]) {
    for (((lo, hi), &from), &to) in lo.iter_mut().zip(hi).zip(from).zip(to) {
        let first = if from == f64::NEG_INFINITY { limits[0] } else { *lo };
        let last = if to == f64::INFINITY { limits[1] } else { *hi };
        (*lo, *hi) = if first < last { (first, last) } else { (last, first) };
    }
}

#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
fn include(from: &[f64], to: &[f64], lo: &mut [f64], hi: &mut [f64], [at, value]: [f64; 2]) {
    for (((lo, hi), &from), &to) in lo.iter_mut().zip(hi).zip(from).zip(to) {
        let inside = (from < at) & (at < to);
        *lo = if inside & (value < *lo) { value } else { *lo };
        *hi = if inside & (value > *hi) { value } else { *hi };
    }
}

#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
fn widen(z: Intervals<'_>, lo: &mut [f64], hi: &mut [f64], error: f64) {
    for (((lo, hi), from), to) in lo.iter_mut().zip(hi).zip(z.from).zip(z.to) {
        let cancels = (from.abs() < CANCELLING) | (to.abs() < CANCELLING);
        // an underflow has no relative error
        let error = if cancels { error } else { f64::MIN_POSITIVE };
        // the rounding error of kz is relative to z
        let margin = z.margin * (1.0 + from.abs().max(to.abs()).min(SATURATED) / CANCELLING);
        // a value that overflows is not below the largest double
        let (least, most) = (lo.min(f64::MAX), hi.max(-f64::MAX));
        (*lo, *hi) = (least - (margin * least.abs() + error), most + (margin * most.abs() + error));
    }
}
