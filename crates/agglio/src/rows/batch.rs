//! A *batch* says which rows are asked, as a rule that any holder of rows can evaluate.

use crate::rng::Permutation;
use crate::rows::Run;

/// Which rows a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Batch {
    /// Every row, in order.
    All,
    /// The rows π_key(`start`) … π_key(`start` + `len` − 1) of the keyed permutation of all rows.
    Part {
        /// Names the permutation.
        key: u64,
        /// First position.
        start: usize,
        /// Number of positions.
        len: usize,
    },
}

impl Batch {
    /// Number of rows asked, of `rows` in all.
    pub fn len(&self, rows: usize) -> usize {
        match *self {
            Batch::All => rows,
            Batch::Part { start, len, .. } => len.min(rows.saturating_sub(start)),
        }
    }

    /// Calls `visit` with the run of rows at positions `from` … `from + count` of this batch.
    pub(crate) fn with_run<T>(&self, rows: usize, from: usize, count: usize, visit: impl FnOnce(Run<'_>) -> T) -> T {
        match *self {
            Batch::All => visit(Run::Span(from..from + count)),
            Batch::Part { key, start, .. } => visit(Run::Picked(&Permutation::new(key, rows).run(start + from, count))),
        }
    }
}
