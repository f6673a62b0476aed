//! The *tree* is the order in which sums over rows are merged.
//!
//! A leaf is a run of 1024 consecutive positions, summed in order by one thread. Leaves are merged in a binary tree
//! whose left child has the largest possible power of two of leaves. The tree fixes the order of all additions, so the
//! bits of the result do not depend on the number of threads.

use std::ops::Range;

use rayon::ThreadPool;

use crate::error::{Error, Result};

/// Number of positions in a leaf. One thread sums a leaf.
pub const LEAF: usize = 1024;

/// The children of a node of the tree, which has these positions. None for a leaf.
pub(crate) fn children(node: &Range<usize>) -> Option<[Range<usize>; 2]> {
    let leaves = node.len().div_ceil(LEAF);
    (leaves > 1).then(|| {
        let middle = node.start + LEAF * (leaves.next_power_of_two() / 2);
        [node.start..middle, middle..node.end]
    })
}

/// Evaluates the children of a node: in parallel, but only inside the thread pool that the caller asked for.
pub(crate) fn join<T: Send>([left, right]: [impl FnOnce() -> T + Send; 2]) -> (T, T) {
    if in_pool() { rayon::join(left, right) } else { (left(), right()) }
}

/// Evaluates the leaves of a node and merges them in the tree.
pub(crate) fn fold<T: Send>(
    leaf: &(impl Fn(Range<usize>) -> T + Sync),
    merge: &(impl Fn(T, T) -> T + Sync),
    node: Range<usize>,
) -> T {
    let Some(children) = children(&node) else { return leaf(node) };
    let (left, right) = join(children.map(|child| move || fold(leaf, merge, child)));
    merge(left, right)
}

/// Whether the calling thread belongs to a thread pool.
pub(crate) fn in_pool() -> bool {
    rayon::current_thread_index().is_some()
}

/// A thread pool of `threads` threads, by default one for each core. None for one thread and inside a pool.
///
/// # Errors
/// If the threads cannot be started.
pub(crate) fn pool(threads: Option<usize>) -> Result<Option<ThreadPool>> {
    if threads == Some(1) || in_pool() {
        return Ok(None);
    }
    let threads = threads.unwrap_or(0);
    let failed = |why: rayon::ThreadPoolBuildError| {
        let asked = if threads == 0 { "one a core".to_owned() } else { threads.to_string() };
        Error::parameter("threads", asked, &format!("they cannot be started ({why}); use fewer"))
    };
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(failed).map(Some)
}

/// Σ f(i) over the positions 0 … `len`.
pub(crate) fn sum_of(len: usize, f: impl Fn(usize) -> f64 + Sync) -> f64 {
    fold(&|leaf| leaf.map(&f).sum::<f64>(), &|left, right| left + right, 0..len)
}
