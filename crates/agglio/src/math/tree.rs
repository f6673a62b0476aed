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

/// Merges parts in the order in which they arrive, in the tree whose left child has the largest possible power of two of
/// parts. None without parts.
///
/// A node is merged as soon as both of its children are complete, so that at most one node for each level of the tree waits.
/// Parts of a power of two of leaves, of which only the last may be shorter, give the nodes of [`fold`] over all leaves.
///
/// # Errors
/// The first error of a part or of a merge.
pub(crate) fn merge<T>(
    parts: impl IntoIterator<Item = Result<T>>,
    mut two: impl FnMut(T, T) -> Result<T>,
) -> Result<Option<T>> {
    // complete nodes with their levels, as the ones in a binary number
    let mut nodes: Vec<(usize, T)> = Vec::new();
    for part in parts {
        let (mut level, mut node) = (0, part?);
        while let Some((_, left)) = nodes.pop_if(|(other, _)| *other == level) {
            (level, node) = (level + 1, two(left, node)?);
        }
        nodes.push((level, node));
    }
    let mut nodes = nodes.into_iter().rev().map(|(_, node)| node);
    let Some(last) = nodes.next() else { return Ok(None) };
    nodes.try_fold(last, |right, left| two(left, right)).map(Some)
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    /// The tree over some positions, in brackets.
    fn drawn(node: Range<usize>, first: usize) -> String {
        let leaf = |leaf: Range<usize>| format!("{}..{}", first + leaf.start, first + leaf.end);
        fold(&leaf, &|left, right| format!("({left} {right})"), node)
    }

    #[test]
    fn blocks_are_merged_in_the_nodes_of_the_whole_tree() {
        for leaves in 1..=50 {
            for rows in [LEAF * leaves, LEAF * (leaves - 1) + 1, LEAF * leaves - 7] {
                for block in (0..7).map(|power| LEAF << power) {
                    let blocks = (0..rows).step_by(block).map(|first| Ok(drawn(0..block.min(rows - first), first)));
                    let merged = merge(blocks, |left, right| Ok(format!("({left} {right})"))).unwrap();
                    assert_eq!(merged, Some(drawn(0..rows, 0)), "{rows} rows in blocks of {block}");
                }
            }
        }
    }

    #[test]
    fn few_nodes_wait_and_the_first_error_ends_the_merge() {
        let mut read = 0;
        let parts = (0..9).map(|part| {
            read += 1;
            if part == 5 { Err(Error::data("lost")) } else { Ok(part) }
        });
        assert_eq!(merge(parts, |left, right| Ok(left + right)).unwrap_err().to_string(), "lost");
        assert_eq!(read, 6);
        assert_eq!(merge(Vec::<Result<u8>>::new(), |left, _| Ok(left)).unwrap(), None);
    }
}
