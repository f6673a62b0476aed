//! *Kernels* are the loops over the entries of rows, for f64 and f32 storage and for each vector instruction set.
//!
//! A kernel processes several rows together, so that it loads and stores the other operand less often. Meanwhile it
//! prefetches the rows of the next run, because the hardware prefetcher does not look that far ahead. Each dot product
//! has eight partial sums, and rows are added in their order. This fixes the order of all additions, so the bits do not
//! depend on the instruction set.

use multiversion::multiversion;

use crate::math::vector::{self, LANES};
use crate::rows::{Addition, Run};

/// Number of rows whose partial sums are stored before they are added.
const BUFFERED_ROWS: usize = 16;

/// Number of rows that are processed together.
const ROWS_AT_ONCE: usize = 4;

/// Numbers that are prefetched for each chunk of [`ROWS_AT_ONCE`] rows: half a chunk, since two kernels visit each row.
const PREFETCHED: usize = ROWS_AT_ONCE * LANES / 2;

/// Distance, in picked rows, between the row that is prefetched and the row that is processed.
const PREFETCH_DISTANCE: usize = 12;

/// Bytes of a cache line.
const CACHE_LINE: usize = 64;

/// A number in storage.
pub(super) trait Element: Copy + Send + Sync + std::fmt::Debug + Into<f64> {}
impl Element for f64 {}
impl Element for f32 {}

/// The rows of a run in a row-major table.
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

    /// All rows as one slice, if they are consecutive.
    pub fn all(&self) -> Option<&'a [T]> {
        match self.run {
            Run::Span(span) => self.table.get(span.start * self.width..span.end * self.width),
            Run::Picked(_) => None,
        }
    }

    /// The numbers that a kernel prefetches while it processes the rows from `position` on, one share for each chunk.
    /// The dot products, which come first, prefetch the first half of the next run, and the sums prefetch the second
    /// half. The shares are small because a processor can load only a few cache lines at a time, and one more would
    /// stall all of them.
    #[inline(always)]
    fn next(&self, position: usize, half: usize) -> &'a [[T; PREFETCHED]] {
        let Run::Span(span) = self.run else { return &[] };
        let next = span.end + half * (span.len() / 2) + position / 2;
        self.table.get(next * self.width..).unwrap_or_default().as_chunks().0
    }

    /// Prefetches some of the picked rows that follow in this run.
    #[inline(always)]
    fn prefetch_picked(&self, position: usize) {
        if let Run::Picked(rows) = self.run {
            let next =
                rows.get(position + PREFETCH_DISTANCE..position + PREFETCH_DISTANCE + ROWS_AT_ONCE).unwrap_or_default();
            next.iter().for_each(|&row| prefetch(&self.table[row * self.width..][..self.width]));
        }
    }
}

/// Prefetches numbers into the cache.
#[inline(always)]
fn prefetch<T>(numbers: &[T]) {
    numbers.chunks(CACHE_LINE / size_of::<T>()).for_each(prefetch_line);
}

/// Prefetches the cache line at the start of a slice.
#[inline(always)]
#[allow(
    unsafe_code,
    reason = "there is no safe name for it, and without it the memory is idle while rows are worked on"
)]
fn prefetch_line<T>(line: &[T]) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is only a hint. It has no effect that the program can observe, and no address makes it fault.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}

/// Writes Σ_j (x_j − c_j)·v_j for each row; an empty centre means c = 0.
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

/// Adds Σ_i a_i·(x_ij − c_j) to the sums of each addition, two at a time.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn add_rows<T: Element>(rows: Stored<'_, T>, centre: &[f64], additions: &mut [Addition<'_>]) {
    let (pairs, single) = additions.as_chunks_mut::<2>();
    match centre.is_empty() {
        true => {
            pairs.iter_mut().for_each(|pair| each_addition(rows, None, pair.each_mut(), |_, a, x, _| a * x));
            single.iter_mut().for_each(|single| each_addition(rows, None, [single], |_, a, x, _| a * x));
        }
        false => {
            let centre = Some(centre);
            pairs.iter_mut().for_each(|pair| each_addition(rows, centre, pair.each_mut(), |_, a, x, c| a * (x - c)));
            single.iter_mut().for_each(|single| each_addition(rows, centre, [single], |_, a, x, c| a * (x - c)));
        }
    }
}

/// Adds Σ_i a_i·(x_ij − p_j) to the sums of the first addition, and Σ_i a_i·(x_ij − c_j)² to those of the second. The
/// pivot p is empty or equal to the centre c.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn add_rows_and_squares<T: Element>(
    rows: Stored<'_, T>,
    pivot: &[f64],
    centre: &[f64],
    mut additions: [Addition<'_>; 2],
) {
    let additions = additions.each_mut();
    match (pivot.is_empty(), centre.is_empty()) {
        (_, true) => each_addition(rows, None, additions, |k, a, x, _| if k == 0 { a * x } else { a * (x * x) }),
        (true, false) => {
            let term = |k, a, x, c| if k == 0 { a * x } else { a * ((x - c) * (x - c)) };
            each_addition(rows, Some(centre), additions, term);
        }
        (false, false) => {
            let term = |k, a, x, c| if k == 0 { a * (x - c) } else { a * ((x - c) * (x - c)) };
            each_addition(rows, Some(centre), additions, term);
        }
    }
}

/// Writes x_ij − c_j, row-major.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn copy_rows<T: Element>(rows: Stored<'_, T>, centre: &[f64], copy: &mut [f64]) {
    for (i, copy) in copy.chunks_exact_mut(rows.width.max(1)).enumerate() {
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
    // the partial sums go through memory: otherwise the compiler vectorises their sum instead of the loop
    let mut parts = [[0.0; LANES]; BUFFERED_ROWS];
    for (group, z) in z.chunks_mut(BUFFERED_ROWS).enumerate() {
        let (first, count) = (BUFFERED_ROWS * group, z.len());
        let (together, rest) = parts[..count].as_chunks_mut::<ROWS_AT_ONCE>();
        for (k, parts) in together.iter_mut().enumerate() {
            let position = first + ROWS_AT_ONCE * k;
            rows.prefetch_picked(position);
            *parts = partial_sums(rows.rows(position), rows.next(position, 0), centre, &v, &term);
        }
        for (part, i) in rest.iter_mut().zip(count - count % ROWS_AT_ONCE..) {
            [*part] = partial_sums(rows.rows(first + i), &[], centre, &v, &term);
        }
        z.iter_mut().zip(&parts).for_each(|(z, part)| *z = vector::total(part));
    }
}

/// A vector that is multiplied with rows, as whole chunks and one last chunk. The last chunk belongs to the last
/// entries of a row, and is zero where an earlier chunk covers them. Thus a row is read in whole chunks, and the last
/// two may overlap.
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

/// Zeros if there is no centre.
#[inline(always)]
fn chunk(centre: Option<&Padded<'_>>, j: usize) -> [f64; LANES] {
    centre.map_or([0.0; LANES], |centre| centre.whole[j])
}

#[inline(always)]
fn last_chunk(centre: Option<&Padded<'_>>) -> [f64; LANES] {
    centre.map_or([0.0; LANES], |centre| centre.last)
}

/// The last chunk of a row. A shorter row is preceded by zeros.
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
    next: &[[T; PREFETCHED]],
    centre: Option<&Padded<'_>>,
    v: &Padded<'_>,
    term: impl Fn(f64, f64, f64) -> f64,
) -> [[f64; LANES]; R] {
    let whole = x.map(|x| &x.as_chunks::<LANES>().0[..v.whole.len()]);
    let mut sums = [[0.0; LANES]; R];
    for (j, v) in v.whole.iter().enumerate() {
        let c = chunk(centre, j);
        prefetch(next.get(j).map_or(&[], <[T; PREFETCHED]>::as_slice));
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

/// Adds term(k, a, x, c) for each row, in row order, to each sum of the k-th addition.
#[inline(always)]
fn each_addition<T: Element, const K: usize>(
    rows: Stored<'_, T>,
    centre: Option<&[f64]>,
    additions: [&mut Addition<'_>; K],
    term: impl Fn(usize, f64, f64, f64) -> f64,
) {
    let centre = centre.map(Padded::new);
    let centre = centre.as_ref();
    let mut last = [[0.0; LANES]; K];
    let coefficients = additions.each_ref().map(|addition| addition.coefficients.as_chunks::<ROWS_AT_ONCE>());
    let mut sums = additions.map(|addition| addition.sums.as_chunks_mut());
    let groups = coefficients.map(|(groups, _)| groups.len()).into_iter().min().unwrap_or(0);
    let singles = coefficients.map(|(_, singles)| singles.len()).into_iter().min().unwrap_or(0);
    for group in 0..groups {
        let a = coefficients.map(|(groups, _)| groups[group]);
        let position = ROWS_AT_ONCE * group;
        add(rows.rows(position), rows.next(position, 1), centre, a, &mut sums, &mut last, &term);
    }
    for i in 0..singles {
        let a = coefficients.map(|(_, singles)| [singles[i]]);
        add(rows.rows(ROWS_AT_ONCE * groups + i), &[], centre, a, &mut sums, &mut last, &term);
    }
    for ((_, rest), last) in sums.into_iter().zip(&last) {
        let own = &last[LANES - rest.len()..];
        rest.iter_mut().zip(own).for_each(|(sum, last)| *sum += last);
    }
}

/// The sums of an addition, as whole chunks and the remaining entries.
type Sums<'a> = (&'a mut [[f64; LANES]], &'a mut [f64]);

/// Adds R rows together. If the width is not a multiple of the chunk size, the last entries of a row are summed
/// separately, in a chunk that may overlap the one before.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "several slices are indexed alike")]
fn add<T: Element, const R: usize, const K: usize>(
    x: [&[T]; R],
    next: &[[T; PREFETCHED]],
    centre: Option<&Padded<'_>>,
    a: [[f64; R]; K],
    sums: &mut [Sums<'_>; K],
    last: &mut [[f64; LANES]; K],
    term: impl Fn(usize, f64, f64, f64) -> f64,
) {
    let chunks = sums.each_ref().map(|(whole, _)| whole.len()).into_iter().min().unwrap_or(0);
    let whole = x.map(|x| &x.as_chunks::<LANES>().0[..chunks]);
    for j in 0..chunks {
        let c = chunk(centre, j);
        prefetch(next.get(j).map_or(&[], <[T; PREFETCHED]>::as_slice));
        for k in 0..K {
            let mut sum = sums[k].0[j];
            for r in 0..R {
                for l in 0..LANES {
                    sum[l] += term(k, a[k][r], whole[r][j][l].into(), c[l]);
                }
            }
            sums[k].0[j] = sum;
        }
    }
    if sums.iter().any(|(_, rest)| !rest.is_empty()) {
        let c = last_chunk(centre);
        for r in 0..R {
            let x = last_of(x[r]);
            for k in 0..K {
                for l in 0..LANES {
                    last[k][l] += term(k, a[k][r], x[l], c[l]);
                }
            }
        }
    }
}
