//! The loops over the entries of rows, for f64 and f32 storage and for each vector unit.
//!
//! Dot products, for which rows come from memory, take one row after the other, as the machine fetches ahead; sums of
//! rows, which are in the cache by then, take several at once, so that what is written is loaded and stored less often.
//! Eight partial sums per dot product, and rows added in their order, fix every addition: the bits do not depend on how
//! a loop is compiled.

use multiversion::multiversion;

use crate::vector::{self, LANES};

/// Rows whose partial sums are kept before they are added up.
const PARTS: usize = 16;

/// Rows that are added at once.
const TOGETHER: usize = 4;

/// A number as it is stored.
pub(super) trait Element: Copy + Send + Sync + std::fmt::Debug + Into<f64> {}
impl Element for f64 {}
impl Element for f32 {}

/// Writes Σ_j (x_j − c_j)·v_j for each row; no centre is c = 0.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn dots<'a, T: Element + 'a>(row: impl Fn(usize) -> &'a [T], centre: &[f64], v: &[f64], z: &mut [f64]) {
    match centre.is_empty() {
        true => each_sum(row, v, v, z, |x, _, v| x * v),
        false => each_sum(row, centre, v, z, |x, c, v| (x - c) * v),
    }
}

/// Writes Σ_j (x_j − c_j)²·v_j for each row.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn square_dots<'a, T: Element + 'a>(
    row: impl Fn(usize) -> &'a [T],
    centre: &[f64],
    v: &[f64],
    z: &mut [f64],
) {
    match centre.is_empty() {
        true => each_sum(row, v, v, z, |x, _, v| x * x * v),
        false => each_sum(row, centre, v, z, |x, c, v| (x - c) * (x - c) * v),
    }
}

/// Adds Σ_i a_i·(x_ij − c_j) to each sum.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn add_rows<'a, T: Element + 'a>(
    row: impl Fn(usize) -> &'a [T],
    centre: &[f64],
    a: &[f64],
    sums: &mut [f64],
) {
    match centre.is_empty() {
        true => each_addition(row, a, sums, |a, x, _| a * x),
        false => {
            let centre = &centre[..sums.len()];
            each_addition(row, a, sums, |a, x, j| a * (x - centre[j]));
        }
    }
}

/// Adds Σ_i a_i·(x_ij − c_j)² to each sum.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn add_squares<'a, T: Element + 'a>(
    row: impl Fn(usize) -> &'a [T],
    centre: &[f64],
    a: &[f64],
    sums: &mut [f64],
) {
    match centre.is_empty() {
        true => each_addition(row, a, sums, |a, x, _| a * (x * x)),
        false => {
            let centre = &centre[..sums.len()];
            each_addition(row, a, sums, |a, x, j| a * ((x - centre[j]) * (x - centre[j])));
        }
    }
}

/// Writes x_ij − c_j, rows one after the other.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn copy_rows<'a, T: Element + 'a>(row: impl Fn(usize) -> &'a [T], centre: &[f64], copy: &mut [f64]) {
    let width = row(0).len();
    for (i, copy) in copy.chunks_exact_mut(width).enumerate() {
        match centre.is_empty() {
            true => copy.iter_mut().zip(row(i)).for_each(|(copy, &x)| *copy = x.into()),
            false => copy.iter_mut().zip(row(i)).zip(centre).for_each(|((copy, &x), c)| *copy = x.into() - c),
        }
    }
}

#[inline(always)]
fn each_sum<'a, T: Element + 'a>(
    row: impl Fn(usize) -> &'a [T],
    centre: &[f64],
    v: &[f64],
    z: &mut [f64],
    term: impl Fn(f64, f64, f64) -> f64,
) {
    // partial sums go through memory, or the compiler would take the shape of their sum for that of the loop
    let mut parts = [[0.0; LANES]; PARTS];
    for (group, z) in z.chunks_mut(PARTS).enumerate() {
        for (i, part) in parts[..z.len()].iter_mut().enumerate() {
            *part = partial_sums(row(PARTS * group + i), centre, v, &term);
        }
        z.iter_mut().zip(&parts).for_each(|(z, part)| *z = vector::total(part));
    }
}

#[inline(always)]
fn partial_sums<T: Element>(x: &[T], centre: &[f64], v: &[f64], term: impl Fn(f64, f64, f64) -> f64) -> [f64; LANES] {
    let ((x, x_rest), (c, c_rest)) = (x.as_chunks::<LANES>(), centre.as_chunks::<LANES>());
    let (v, v_rest) = v.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for ((x, c), v) in x.iter().zip(c).zip(v) {
        for k in 0..LANES {
            sums[k] += term(x[k].into(), c[k], v[k]);
        }
    }
    for (((sum, &x), &c), &v) in sums.iter_mut().zip(x_rest).zip(c_rest).zip(v_rest) {
        *sum += term(x.into(), c, v);
    }
    sums
}

#[inline(always)]
fn each_addition<'a, T: Element + 'a>(
    row: impl Fn(usize) -> &'a [T],
    a: &[f64],
    sums: &mut [f64],
    term: impl Fn(f64, f64, usize) -> f64,
) {
    let (together, rest) = a.as_chunks::<TOGETHER>();
    for (group, a) in together.iter().enumerate() {
        add(std::array::from_fn(|r| row(TOGETHER * group + r)), *a, sums, &term);
    }
    for (i, a) in rest.iter().enumerate() {
        add([row(TOGETHER * together.len() + i)], [*a], sums, &term);
    }
}

#[inline(always)]
fn add<T: Element, const R: usize>(
    rows: [&[T]; R],
    a: [f64; R],
    sums: &mut [f64],
    term: impl Fn(f64, f64, usize) -> f64,
) {
    let width = sums.len();
    let rows = rows.map(|row| &row[..width]);
    for (j, sum) in sums.iter_mut().enumerate() {
        for r in 0..R {
            *sum += term(a[r], rows[r][j].into(), j);
        }
    }
}
