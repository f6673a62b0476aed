//! The *sums* over rows of which bounds are made, and the loops over slices that compute them.

use multiversion::multiversion;

use super::response::Term;
use crate::math::vector;

/// An interval for each row, or for a block of rows.
pub(super) type Ends<'a> = [&'a [f64]; 2];
/// The same, to be written.
pub(super) type EndsMut<'a> = [&'a mut [f64]; 2];

/// A few operations are off by at most this share of the sizes of their operands.
pub(super) const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// A product in which zero times infinity is zero: an end of an interval that is infinite is not reached.
#[inline(always)]
fn product(a: f64, b: f64) -> f64 {
    let product = a * b;
    if product.is_nan() { 0.0 } else { product }
}

#[inline(always)]
fn least(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

#[inline(always)]
fn most(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// The range of the product of two intervals.
#[inline(always)]
fn times([a, b]: [f64; 2], [c, d]: [f64; 2]) -> [f64; 2] {
    let (ac, ad, bc, bd) = (product(a, c), product(a, d), product(b, c), product(b, d));
    [least(least(ac, ad), least(bc, bd)), most(most(ac, ad), most(bc, bd))]
}

/// Σ u·a.
pub(super) fn along(u: &[f64], a: &[f64]) -> f64 {
    vector::sum_of(u, a, |u, a| u * a)
}

/// Σ |u|·a.
pub(super) fn along_absolute(u: &[f64], a: &[f64]) -> f64 {
    vector::sum_of(u, a, |u, a| u.abs() * a)
}

/// Σ u²·a.
pub(super) fn along_square(u: &[f64], a: &[f64]) -> f64 {
    vector::sum_of(u, a, |u, a| u * u * a)
}

/// Adds u·(centre ± radius) to middles and radii.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn add_interval(u: &[f64], centre: f64, radius: f64, middle: &mut [f64], spread: &mut [f64]) {
    for ((middle, spread), u) in middle.iter_mut().zip(spread).zip(u) {
        *middle += u * centre;
        *spread += u.abs() * radius;
    }
}

/// The linear predictors of a box: offset + middle ± (spread + slack·length).
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn predictors_of_box(
    [length, offset]: [&[f64]; 2],
    slack: f64,
    middle: &mut [f64],
    spread: &[f64],
    [from, to]: EndsMut<'_>,
) {
    let rows = middle.iter_mut().zip(spread).zip(length).zip(offset).zip(from).zip(to);
    for (((((middle, spread), length), offset), from), to) in rows {
        *middle += offset;
        let spread = spread + (slack * length + f64::EPSILON * offset.abs());
        (*from, *to) = (*middle - spread, *middle + spread);
    }
}

/// The linear predictors of a part of a cone: offset + (middle ± (spread + slack·length))/t.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn predictors_of_cone(
    [length, offset]: [&[f64]; 2],
    slack: f64,
    [near, far]: [f64; 2],
    [middle, spread]: Ends<'_>,
    [from, to]: EndsMut<'_>,
) {
    let rows = middle.iter().zip(spread).zip(length).zip(offset).zip(from).zip(to);
    // `far` is 1/t at the smallest t, infinite there at zero
    let scaled = |end: f64, scale: f64| if end == 0.0 { 0.0 } else { end * scale };
    for (((((middle, spread), length), offset), from), to) in rows {
        let spread = spread + slack * length;
        let (low, high) = (middle - spread, middle + spread);
        let low = scaled(low, if low >= 0.0 { near } else { far });
        let high = scaled(high, if high <= 0.0 { near } else { far });
        let slack = 4.0 * f64::EPSILON;
        // an infinite end has no rounding error
        let (slack_low, slack_high) = (slack * (low.abs() + offset.abs()), slack * (high.abs() + offset.abs()));
        *from = if low.is_finite() { low + offset - slack_low } else { low };
        *to = if high.is_finite() { high + offset + slack_high } else { high };
    }
}

/// Writes residuals with the response φ itself.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn subtract([lo, hi]: Ends<'_>, label: &[f64], [first, last]: EndsMut<'_>) {
    let rows = first.iter_mut().zip(last).zip(lo).zip(hi).zip(label);
    for ((((first, last), lo), hi), label) in rows {
        (*first, *last) = (lo - label, hi - label);
    }
}

/// Writes α + β·φ − y with the errors of rounding.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn enclose_residuals(phi: &[f64], term: Term, label: &[f64], [lo, hi]: EndsMut<'_>) {
    for (((lo, hi), phi), label) in lo.iter_mut().zip(hi).zip(phi).zip(label) {
        let residual = term.alpha + term.beta * phi - label;
        let error = ROUNDING * (term.size(*phi) + label.abs());
        (*lo, *hi) = (residual - error, residual + error);
    }
}

/// Adds the range of (α + β·φ)·ρ, for an interval of ρ, with the errors of rounding.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn add_term(phi: &[f64], term: Term, range: [f64; 2], [lo, hi]: EndsMut<'_>) {
    let reach = most(range[0].abs(), range[1].abs());
    for ((lo, hi), phi) in lo.iter_mut().zip(hi).zip(phi) {
        let factor = term.alpha + term.beta * phi;
        let (a, b) = (product(factor, range[0]), product(factor, range[1]));
        let error = ROUNDING * product(term.size(*phi), reach);
        *lo += least(a, b) - (error + ROUNDING * lo.abs());
        *hi += most(a, b) + (error + ROUNDING * hi.abs());
    }
}

/// Takes other ends into intervals.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn join([lo, hi]: EndsMut<'_>, [other_lo, other_hi]: Ends<'_>) {
    for (((lo, hi), a), b) in lo.iter_mut().zip(hi).zip(other_lo).zip(other_hi) {
        (*lo, *hi) = (least(*lo, *a), most(*hi, *b));
    }
}

/// Σ ω·min r².
pub(super) fn least_squares(weight: &[f64], [lo, hi]: Ends<'_>, squares: &mut [f64]) -> f64 {
    vector::zip(lo, hi, squares, |lo, hi| {
        let nearest = if lo > 0.0 {
            lo
        } else if hi < 0.0 {
            hi
        } else {
            0.0
        };
        nearest * nearest
    });
    vector::sum_of(weight, squares, |weight, square| weight * square)
}

/// Writes ω times the range of r·b·s as middle and spread, for a slope s.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn pull(
    weight: &[f64],
    scale: [f64; 2],
    [residual_lo, residual_hi]: Ends<'_>,
    [slope_lo, slope_hi]: Ends<'_>,
    [middle, spread]: EndsMut<'_>,
) {
    let rows = middle.iter_mut().zip(spread).zip(weight).zip(residual_lo).zip(residual_hi).zip(slope_lo).zip(slope_hi);
    for ((((((middle, spread), weight), &r), &r_hi), &s), &s_hi) in rows {
        let [lo, hi] = times([r, r_hi], times(scale, [s, s_hi]));
        let half = 0.5 * weight;
        (*middle, *spread) = (half * (lo + hi), half * (hi - lo));
    }
}

/// Writes ω times the smallest r·b·s, for a slope s.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn least_product(
    weight: &[f64],
    scale: [f64; 2],
    [residual_lo, residual_hi]: Ends<'_>,
    [slope_lo, slope_hi]: Ends<'_>,
    out: &mut [f64],
) {
    let rows = out.iter_mut().zip(weight).zip(residual_lo).zip(residual_hi).zip(slope_lo).zip(slope_hi);
    for (((((out, weight), &r), &r_hi), &s), &s_hi) in rows {
        *out = weight * times([r, r_hi], times(scale, [s, s_hi]))[0];
    }
}

/// Writes ω times the smallest and the largest (bφ′)² + r·b·φ″: half of the second derivative of a row by z.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn bend(
    weight: &[f64],
    scale: [f64; 2],
    [residual_lo, residual_hi]: Ends<'_>,
    [slope_lo, slope_hi]: Ends<'_>,
    [bend_lo, bend_hi]: EndsMut<'_>,
) {
    let rows =
        bend_lo.iter_mut().zip(bend_hi).zip(weight).zip(residual_lo).zip(residual_hi).zip(slope_lo).zip(slope_hi);
    for ((((((lo, hi), weight), &r), &r_hi), &s), &s_hi) in rows {
        let [slope, slope_hi] = times(scale, [s, s_hi]);
        let (a, b) = (slope * slope, slope_hi * slope_hi);
        let square = if slope > 0.0 || slope_hi < 0.0 { least(a, b) } else { 0.0 };
        let [bend, bend_most] = times([r, r_hi], times(scale, [*lo, *hi]));
        (*lo, *hi) = (weight * (square + bend), weight * (most(a, b) + bend_most));
    }
}

/// Writes ω times the range of φ′·(B·F + r·β) as middle and spread: half of the second derivative by z and by an entry of
/// the response with the factor F = α + β·φ.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn cross(
    weight: &[f64],
    scale: [f64; 2],
    beta: f64,
    [residual, slope, factor]: [Ends<'_>; 3],
    [middle, spread]: EndsMut<'_>,
) {
    for i in 0..weight.len().min(middle.len()).min(spread.len()) {
        let at = |ends: Ends<'_>| [ends[0][i], ends[1][i]];
        let [first, second] = [times(scale, at(factor)), times([beta; 2], at(residual))];
        let [lo, hi] = times(at(slope), [first[0] + second[0], first[1] + second[1]]);
        (middle[i], spread[i]) = (0.5 * weight[i] * (lo + hi), 0.5 * weight[i] * (hi - lo));
    }
}

/// Writes ω times the range of the product of two factors α + β·φ as middle and spread.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn products(weight: &[f64], terms: [Term; 2], value: Ends<'_>, [middle, spread]: EndsMut<'_>) {
    for i in 0..weight.len().min(middle.len()).min(spread.len()) {
        let [first, second] = terms.map(|term| {
            let (a, b) = (term.alpha + term.beta * value[0][i], term.alpha + term.beta * value[1][i]);
            [least(a, b), most(a, b)]
        });
        let [lo, hi] = times(first, second);
        (middle[i], spread[i]) = (0.5 * weight[i] * (lo + hi), 0.5 * weight[i] * (hi - lo));
    }
}

/// Writes the ranges of α + β·φ.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn factor(Term { alpha, beta }: Term, value: Ends<'_>, [lo, hi]: EndsMut<'_>) {
    for (((lo, hi), first), last) in lo.iter_mut().zip(hi).zip(value[0]).zip(value[1]) {
        let (a, b) = (alpha + beta * first, alpha + beta * last);
        (*lo, *hi) = (least(a, b), most(a, b));
    }
}

/// Writes α + β·φ − y.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn residuals(Term { alpha, beta }: Term, value: &[f64], label: &[f64], residual: &mut [f64]) {
    for ((residual, value), label) in residual.iter_mut().zip(value).zip(label) {
        *residual = alpha + beta * value - label;
    }
}

/// Writes the errors of φ: a share of it, and that of z times φ′.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn errors_of_values(
    [value, slope]: Ends<'_>,
    [length, offset]: Ends<'_>,
    [ulps, shift]: [f64; 2],
    error: &mut [f64],
) {
    for ((((error, value), slope), length), offset) in error.iter_mut().zip(value).zip(slope).zip(length).zip(offset) {
        // twice, for what φ′ changes meanwhile
        *error = ulps * value.abs() + 2.0 * slope.abs() * error_of_predictor(*length, *offset, shift);
    }
}

#[inline(always)]
fn error_of_predictor(length: f64, offset: f64, shift: f64) -> f64 {
    shift * length + f64::EPSILON * offset.abs()
}

/// Writes the errors of α + β·φ − y, for |α| and |β| or more, from those of φ.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn errors_of_residuals([value_error, label]: Ends<'_>, size: Term, ulps: f64, error: &mut [f64]) {
    for ((error, value_error), label) in error.iter_mut().zip(value_error).zip(label) {
        *error = ulps * (size.alpha + label.abs()) + size.beta * value_error;
    }
}

/// The error of Σ ω·r², from those of r.
pub(super) fn error_of_squares(weight: &[f64], residual: &[f64], error: &[f64]) -> f64 {
    let rows = weight.iter().zip(residual).zip(error);
    rows.map(|((weight, r), error)| weight * (2.0 * r.abs() + error) * error).sum()
}

/// The error of Σ ω·r·φ′·‖u‖, from those of r and φ′.
pub(super) fn error_of_slopes([weight, length]: Ends<'_>, [residual, slope, error]: [&[f64]; 3], ulps: f64) -> f64 {
    let rows = weight.iter().zip(length).zip(residual).zip(slope).zip(error);
    rows.map(|((((weight, length), r), slope), error)| weight * length * slope.abs() * (error + ulps * r.abs())).sum()
}

/// The error of Σ ω·r·(α + β·φ), from those of r and φ.
pub(super) fn error_of_terms(
    weight: &[f64],
    [residual, value, value_error, error]: [&[f64]; 4],
    term: Term,
    ulps: f64,
) -> f64 {
    let rows = weight.iter().zip(residual).zip(value).zip(value_error).zip(error);
    rows.map(|((((weight, r), value), value_error), error)| {
        let size = term.size(*value);
        weight * (error * size + r.abs() * (ulps * size + term.beta.abs() * value_error))
    })
    .sum()
}

/// The error of the gradient from those of linear predictors, where the second derivative of a row by z is `bend`.
pub(super) fn drift([length, offset]: Ends<'_>, bend: &[f64], shift: f64) -> f64 {
    let rows = length.iter().zip(offset).zip(bend);
    rows.map(|((length, offset), bend)| length * bend * error_of_predictor(*length, *offset, shift)).sum()
}

/// Adds u times a factor.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn add(u: &[f64], factor: f64, sums: &mut [f64]) {
    sums.iter_mut().zip(u).for_each(|(sum, u)| *sum += u * factor);
}

/// Σ |a|.
pub(super) fn total_absolute(a: &[f64]) -> f64 {
    vector::sum_of(a, a, |a, _| a.abs())
}
