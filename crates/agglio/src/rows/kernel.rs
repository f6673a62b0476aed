//! The loops over the entries of rows, for f64 and f32 storage and for each vector unit.
//!
//! Several rows are taken at once, so that what they are multiplied by or added to is loaded and stored less often. The
//! rows that follow a run are fetched while it is worked on: the memory would be idle otherwise, and what comes next is
//! more than the machine guesses by itself. Eight partial sums per dot product, and rows added in their order, fix every
//! addition: the bits do not depend on how a loop is compiled.

use multiversion::multiversion;

use crate::rows::Run;
use crate::vector::{self, LANES};

/// Rows whose partial sums are kept before they are added up.
const PARTS: usize = 16;

/// Rows that are taken at once.
const TOGETHER: usize = 4;

/// Bytes that memory is fetched by.
const LINE: usize = 64;

/// A number as it is stored.
pub(super) trait Element: Copy + Send + Sync + std::fmt::Debug + Into<f64> {}
impl Element for f64 {}
impl Element for f32 {}

/// The rows of a run, in a table that is stored row after row.
#[derive(Clone, Copy)]
pub(super) struct Stored<'a, T> {
    pub table: &'a [T],
    pub width: usize,
    pub run: &'a Run<'a>,
}

impl<'a, T: Element> Stored<'a, T> {
    #[inline(always)]
    fn row(&self, position: usize) -> &'a [T] {
        &self.table[self.run.row(position) * self.width..][..self.width]
    }

    #[inline(always)]
    fn rows<const R: usize>(&self, first: usize) -> [&'a [T]; R] {
        // not `from_fn`, which is not always inlined
        let mut rows = [&self.table[..0]; R];
        rows.iter_mut().enumerate().for_each(|(r, row)| *row = self.row(first + r));
        rows
    }

    /// All rows, one after the other, where they are stored so.
    pub fn all(&self) -> Option<&'a [T]> {
        match self.run {
            Run::Span(span) => self.table.get(span.start * self.width..span.end * self.width),
            Run::Picked(_) => None,
        }
    }

    /// Has the half of the next run fetched that is due when a kernel is at `position` of this one: dot products come
    /// first and fetch the first half, sums the second.
    #[inline(always)]
    fn fetch(&self, position: usize, half: usize) {
        if let Run::Span(span) = self.run {
            let next = span.end + half * (span.len() / 2) + position / 2;
            let rows = self.table.get(next * self.width..(next + TOGETHER / 2) * self.width);
            rows.unwrap_or_default().chunks(LINE / size_of::<T>()).for_each(fetch);
        }
    }
}

/// Has the line of memory at the beginning of a slice fetched into the cache.
#[inline(always)]
#[allow(unsafe_code, reason = "there is no safe name for it; `agglio bench` shows what it is worth")]
fn fetch<T>(line: &[T]) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint; it reads nothing that the program can see, and faults at no address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}

/// Writes Σ_j (x_j − c_j)·v_j for each row; no centre is c = 0.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn dots<T: Element>(rows: Stored<'_, T>, centre: &[f64], v: &[f64], z: &mut [f64]) {
    match centre.is_empty() {
        true => each_sum(rows, None, v, z, |x, _, v| x * v),
        false => each_sum(rows, Some(centre), v, z, |x, c, v| (x - c) * v),
    }
}

/// Writes Σ_j (x_j − c_j)²·v_j for each row.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn square_dots<T: Element>(rows: Stored<'_, T>, centre: &[f64], v: &[f64], z: &mut [f64]) {
    match centre.is_empty() {
        true => each_sum(rows, None, v, z, |x, _, v| x * x * v),
        false => each_sum(rows, Some(centre), v, z, |x, c, v| (x - c) * (x - c) * v),
    }
}

/// Adds Σ_i a_i·(x_ij − c_j) to each sum.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn add_rows<T: Element>(rows: Stored<'_, T>, centre: &[f64], a: &[f64], sums: &mut [f64]) {
    match centre.is_empty() {
        true => each_addition(rows, None, a, sums, |a, x, _| a * x),
        false => each_addition(rows, Some(centre), a, sums, |a, x, c| a * (x - c)),
    }
}

/// Adds Σ_i a_i·(x_ij − c_j)² to each sum.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn add_squares<T: Element>(rows: Stored<'_, T>, centre: &[f64], a: &[f64], sums: &mut [f64]) {
    match centre.is_empty() {
        true => each_addition(rows, None, a, sums, |a, x, _| a * (x * x)),
        false => each_addition(rows, Some(centre), a, sums, |a, x, c| a * ((x - c) * (x - c))),
    }
}

/// Writes x_ij − c_j, rows one after the other.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn copy_rows<T: Element>(rows: Stored<'_, T>, centre: &[f64], copy: &mut [f64]) {
    for (i, copy) in copy.chunks_exact_mut(rows.width).enumerate() {
        match centre.is_empty() {
            true => copy.iter_mut().zip(rows.row(i)).for_each(|(copy, &x)| *copy = x.into()),
            false => copy.iter_mut().zip(rows.row(i)).zip(centre).for_each(|((copy, &x), c)| *copy = x.into() - c),
        }
    }
}

#[inline(always)]
fn each_sum<T: Element>(
    rows: Stored<'_, T>,
    centre: Option<&[f64]>,
    v: &[f64],
    z: &mut [f64],
    term: impl Fn(f64, f64, f64) -> f64,
) {
    let (centre, v) = (centre.map(Padded::new), Padded::new(v));
    let centre = centre.as_ref();
    // partial sums go through memory, or the compiler would take the shape of their sum for that of the loop
    let mut parts = [[0.0; LANES]; PARTS];
    for (group, z) in z.chunks_mut(PARTS).enumerate() {
        let (first, count) = (PARTS * group, z.len());
        let (together, rest) = parts[..count].as_chunks_mut::<TOGETHER>();
        for (k, parts) in together.iter_mut().enumerate() {
            rows.fetch(first + TOGETHER * k, 0);
            *parts = partial_sums(rows.rows(first + TOGETHER * k), centre, &v, &term);
        }
        for (part, i) in rest.iter_mut().zip(count - count % TOGETHER..) {
            [*part] = partial_sums(rows.rows(first + i), centre, &v, &term);
        }
        z.iter_mut().zip(&parts).for_each(|(z, part)| *z = vector::total(part));
    }
}

/// A vector that is multiplied with rows: whole chunks, and a last one for the last entries of a row, zero where these
/// are in a chunk before it. So a row is visited in whole chunks only, the last two of which may overlap.
struct Padded<'a> {
    whole: &'a [[f64; LANES]],
    last: [f64; LANES],
    rest: usize,
}

impl<'a> Padded<'a> {
    #[inline(always)]
    fn new(v: &'a [f64]) -> Padded<'a> {
        let (whole, rest) = v.as_chunks();
        let mut last = [0.0; LANES];
        last[LANES - rest.len()..].copy_from_slice(rest);
        Padded { whole, last, rest: rest.len() }
    }
}

/// Zeros where there is no centre.
#[inline(always)]
fn chunk(centre: Option<&Padded<'_>>, j: usize) -> [f64; LANES] {
    centre.map_or([0.0; LANES], |centre| centre.whole[j])
}

#[inline(always)]
fn last_chunk(centre: Option<&Padded<'_>>) -> [f64; LANES] {
    centre.map_or([0.0; LANES], |centre| centre.last)
}

/// The last chunk of a row; where that is shorter, it follows zeros.
#[inline(always)]
fn last_of<T: Element>(x: &[T]) -> [f64; LANES] {
    if let Some(last) = x.last_chunk::<LANES>() {
        return last.map(Into::into);
    }
    let mut last = [0.0; LANES];
    last[LANES - x.len()..].iter_mut().zip(x).for_each(|(last, &x)| *last = x.into());
    last
}

#[inline(always)]
fn partial_sums<T: Element, const R: usize>(
    x: [&[T]; R],
    centre: Option<&Padded<'_>>,
    v: &Padded<'_>,
    term: impl Fn(f64, f64, f64) -> f64,
) -> [[f64; LANES]; R] {
    let whole = x.map(|x| &x.as_chunks::<LANES>().0[..v.whole.len()]);
    let mut sums = [[0.0; LANES]; R];
    for (j, v) in v.whole.iter().enumerate() {
        let c = chunk(centre, j);
        for r in 0..R {
            for k in 0..LANES {
                sums[r][k] += term(whole[r][j][k].into(), c[k], v[k]);
            }
        }
    }
    if v.rest > 0 {
        let c = last_chunk(centre);
        for r in 0..R {
            let x = last_of(x[r]);
            for k in 0..LANES {
                sums[r][k] += term(x[k], c[k], v.last[k]);
            }
        }
    }
    sums
}

#[inline(always)]
fn each_addition<T: Element>(
    rows: Stored<'_, T>,
    centre: Option<&[f64]>,
    a: &[f64],
    sums: &mut [f64],
    term: impl Fn(f64, f64, f64) -> f64,
) {
    let rest = sums.len() % LANES;
    let (whole, rest) = sums.split_at_mut(sums.len() - rest);
    // the last entries are summed by themselves, in a chunk that begins before them
    let begin = if rest.is_empty() { rows.width } else { rows.width.saturating_sub(LANES) };
    let mut last = [0.0; LANES];
    let last = &mut last[..rows.width - begin];
    let (together, single) = a.as_chunks::<TOGETHER>();
    for (group, a) in together.iter().enumerate() {
        rows.fetch(TOGETHER * group, 1);
        let x = rows.rows(TOGETHER * group);
        add(x, centre, *a, whole, &term);
        add(x.map(|x| &x[begin..]), centre.map(|centre| &centre[begin..]), *a, last, &term);
    }
    for (i, a) in single.iter().enumerate() {
        let x = rows.rows(TOGETHER * together.len() + i);
        add(x, centre, [*a], whole, &term);
        add(x.map(|x| &x[begin..]), centre.map(|centre| &centre[begin..]), [*a], last, &term);
    }
    rest.iter_mut().zip(&last[whole.len() - begin.min(whole.len())..]).for_each(|(sum, last)| *sum += last);
}

#[inline(always)]
fn add<T: Element, const R: usize>(
    x: [&[T]; R],
    centre: Option<&[f64]>,
    a: [f64; R],
    sums: &mut [f64],
    term: impl Fn(f64, f64, f64) -> f64,
) {
    let width = sums.len();
    let (x, centre) = (x.map(|x| &x[..width]), centre.map(|centre| &centre[..width]));
    for j in 0..width {
        let (mut sum, c) = (sums[j], centre.map_or(0.0, |centre| centre[j]));
        for r in 0..R {
            sum += term(a[r], x[r][j].into(), c);
        }
        sums[j] = sum;
    }
}
