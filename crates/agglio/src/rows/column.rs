//! A *column* holds one number per row in addition to the covariates, such as the label.

use rayon::prelude::*;

use crate::math::tree::{LEAF, in_pool};
use crate::rows::Run;

/// Reads a column of `len` rows, one leaf at a time and in parallel inside a thread pool.
pub(crate) fn column(len: usize, read: impl Fn(&Run<'_>, &mut [f64]) + Sync) -> Vec<f64> {
    let mut column = vec![0.0; len];
    if !in_pool() {
        read(&Run::Span(0..len), &mut column);
        return column;
    }
    let leaves = column.par_chunks_mut(LEAF).enumerate();
    leaves.for_each(|(leaf, part)| read(&Run::Span(leaf * LEAF..leaf * LEAF + part.len()), part));
    column
}
