//! A *column* beside the covariates: one number a row, such as the labels.

use rayon::prelude::*;

use crate::math::tree::{LEAF, in_pool};
use crate::rows::Run;

/// A column of one number a row, read a leaf at a time.
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
