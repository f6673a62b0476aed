//! The loops over the entries of rows, for f64 and f32 storage and for each vector unit.
//!
//! Several rows are taken at once, so that what they are multiplied by or added to is loaded and stored less often. The
//! rows that follow a run are fetched while it is worked on: the memory would be idle otherwise, and what comes next is
//! more than the machine guesses by itself. Eight partial sums per dot product, and rows added in their order, fix every
//! addition: the bits do not depend on how a loop is compiled.

use multiversion::multiversion;

use crate::math::vector::{self, LANES};
use crate::rows::{Addition, Run};

/// Rows whose partial sums are kept before they are added up.
const PARTS: usize = 16;

/// Rows that are taken at once.
const TOGETHER: usize = 4;

/// Numbers that are fetched for each chunk of rows that are taken at once: half as many, since rows are visited twice.
const SHARE: usize = TOGETHER * LANES / 2;

/// Picked rows between the one that is fetched and the one that is worked on.
const AHEAD: usize = 12;

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

    /// What is to be fetched while a kernel is at the rows from `position` on, a share for each chunk: a half of the next
    /// run. Dot products come first and fetch the first half, sums the second. In small shares, since few lines can be on
    /// their way at a time, and all wait for one that is too many.
    #[inline(always)]
    fn next(&self, position: usize, half: usize) -> &'a [[T; SHARE]] {
        let Run::Span(span) = self.run else { return &[] };
        let next = span.end + half * (span.len() / 2) + position / 2;
        self.table.get(next * self.width..).unwrap_or_default().as_chunks().0
    }

    /// Has some of the picked rows fetched that follow in this run.
    #[inline(always)]
    fn fetch_picked(&self, position: usize) {
        if let Run::Picked(rows) = self.run {
            let next = rows.get(position + AHEAD..position + AHEAD + TOGETHER).unwrap_or_default();
            next.iter().for_each(|&row| fetch(&self.table[row * self.width..][..self.width]));
        }
    }
}

/// Has numbers fetched into the cache.
#[inline(always)]
fn fetch<T>(numbers: &[T]) {
    numbers.chunks(LINE / size_of::<T>()).for_each(fetch_line);
}

/// Has the line of memory at the beginning of a slice fetched into the cache.
#[inline(always)]
#[allow(
    unsafe_code,
    reason = "there is no safe name for it, and without it the memory is idle while rows are worked on"
)]
fn fetch_line<T>(line: &[T]) {
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

/// Adds Σ_i a_i·(x_ij − p_j) to the sums of the first addition, and Σ_i a_i·(x_ij − c_j)² to those of the second; the pivot
/// p is nothing or the centre c.
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
            let position = first + TOGETHER * k;
            rows.fetch_picked(position);
            *parts = partial_sums(rows.rows(position), rows.next(position, 0), centre, &v, &term);
        }
        for (part, i) in rest.iter_mut().zip(count - count % TOGETHER..) {
            [*part] = partial_sums(rows.rows(first + i), &[], centre, &v, &term);
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
    next: &[[T; SHARE]],
    centre: Option<&Padded<'_>>,
    v: &Padded<'_>,
    term: impl Fn(f64, f64, f64) -> f64,
) -> [[f64; LANES]; R] {
    let whole = x.map(|x| &x.as_chunks::<LANES>().0[..v.whole.len()]);
    let mut sums = [[0.0; LANES]; R];
    for (j, v) in v.whole.iter().enumerate() {
        let c = chunk(centre, j);
        fetch(next.get(j).map_or(&[], <[T; SHARE]>::as_slice));
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

/// Adds term(k, a, x, c) for each row, in their order, to each sum of the k-th addition.
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
    let coefficients = additions.each_ref().map(|addition| addition.coefficients.as_chunks::<TOGETHER>());
    let mut sums = additions.map(|addition| addition.sums.as_chunks_mut());
    let groups = coefficients.map(|(groups, _)| groups.len()).into_iter().min().unwrap_or(0);
    let singles = coefficients.map(|(_, singles)| singles.len()).into_iter().min().unwrap_or(0);
    for group in 0..groups {
        let a = coefficients.map(|(groups, _)| groups[group]);
        let position = TOGETHER * group;
        add(rows.rows(position), rows.next(position, 1), centre, a, &mut sums, &mut last, &term);
    }
    for i in 0..singles {
        let a = coefficients.map(|(_, singles)| [singles[i]]);
        add(rows.rows(TOGETHER * groups + i), &[], centre, a, &mut sums, &mut last, &term);
    }
    for ((_, rest), last) in sums.into_iter().zip(&last) {
        let own = &last[LANES - rest.len()..];
        rest.iter_mut().zip(own).for_each(|(sum, last)| *sum += last);
    }
}

/// The sums of an addition: whole chunks, and the rest.
type Sums<'a> = (&'a mut [[f64; LANES]], &'a mut [f64]);

/// Adds R rows at once. Where there is a rest, the last entries of a row are summed by themselves, in a chunk that may begin
/// before it.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "several slices are indexed alike")]
fn add<T: Element, const R: usize, const K: usize>(
    x: [&[T]; R],
    next: &[[T; SHARE]],
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
        fetch(next.get(j).map_or(&[], <[T; SHARE]>::as_slice));
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
