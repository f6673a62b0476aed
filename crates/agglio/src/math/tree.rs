//! The *tree* in which sums over rows merge.
//!
//! A leaf is 1024 consecutive positions, summed in order by one thread. Leaves merge in the one binary tree whose left child
//! holds the largest power of two of leaves, so that the additions, and with them the bits of the answer, do not depend on
//! the number of threads.

use crate::error::{Error, Result};

/// Positions in a leaf: fewer rows than this are summed by one thread.
pub const LEAF: usize = 1024;

/// Sums the leaves of `asked` positions and merges them in the one tree.
pub(crate) fn fold<T: Send>(
    leaf: &(impl Fn(usize, usize) -> T + Sync),
    merge: &(impl Fn(T, T) -> T + Sync),
    asked: usize,
) -> T {
    tree(leaf, merge, asked, 0, asked.div_ceil(LEAF))
}

fn tree<T: Send>(
    leaf: &(impl Fn(usize, usize) -> T + Sync),
    merge: &(impl Fn(T, T) -> T + Sync),
    asked: usize,
    from: usize,
    to: usize,
) -> T {
    if to - from <= 1 {
        return leaf(from * LEAF, asked.min(to * LEAF));
    }
    let left = usize::MAX.count_ones() - (to - from - 1).leading_zeros() - 1;
    let middle = from + (1 << left);
    let (left, right) = (|| tree(leaf, merge, asked, from, middle), || tree(leaf, merge, asked, middle, to));
    // no threads but those that were asked for
    let (left, right) = if in_pool() { rayon::join(left, right) } else { (left(), right()) };
    merge(left, right)
}

/// Whether this is one of the threads of a pool, which then share the work.
pub(crate) fn in_pool() -> bool {
    rayon::current_thread_index().is_some()
}

/// Runs `work` in a pool of so many threads, or of one for each core: on the calling one where that is enough, and on those
/// of the pool that it is one of.
///
/// # Errors
/// If the threads cannot be started.
pub(crate) fn install<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> Result<T> {
    if threads == Some(1) || in_pool() {
        return Ok(work());
    }
    let threads = threads.unwrap_or(0);
    let failed = |why: rayon::ThreadPoolBuildError| {
        let asked = if threads == 0 { "one a core".to_owned() } else { threads.to_string() };
        Error::parameter("threads", asked, &format!("they cannot be started ({why}); use fewer"))
    };
    Ok(rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(failed)?.install(work))
}

/// Σ f(i) over the positions 0 … `len`.
pub(crate) fn sum_of(len: usize, f: impl Fn(usize) -> f64 + Sync) -> f64 {
    fold(&|from, to| (from..to).map(&f).sum::<f64>(), &|left, right| left + right, len)
}
