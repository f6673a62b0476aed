//! *Many* queries about the same rows, each with its own point and temperature, answered in one pass.
//!
//! The rows are multiplied with several points at once by `gemm`, which is faster than one point after the other. The
//! order of the additions differs from that of a single query. An answer does not depend on the other queries: blocks
//! of points are padded with zeros, so that all products have the same shape.

use std::ops::Range;

use crate::math::vector::{self, sum};
use crate::oracle::partial_sums::PartialSums;
use crate::oracle::query::Ask;
use crate::oracle::row_pass::{RowPass, stride};
use crate::oracle::scratch::Scratch;
use crate::rows::{BLOCK, Run};

/// Gradient queries about the same rows.
pub(crate) struct MultiQuery<'a> {
    passes: &'a [RowPass<'a>],
    /// The points in the units of the rows, one after the other, and zeros that pad the last block.
    points: Vec<f64>,
    /// Number of points, with the padding.
    columns: usize,
}

/// Scratch memory: for each query, the predictors and coefficients of a run of rows, and the sums so far.
struct Columns {
    z: Vec<f64>,
    a: Vec<f64>,
    sums: Vec<f64>,
    products: Vec<f64>,
}

impl MultiQuery<'_> {
    /// Maximum number of queries that are answered together. More would not be faster.
    pub const MOST: usize = 32;
}

impl<'a> MultiQuery<'a> {
    pub(super) fn new(passes: &'a [RowPass<'a>]) -> MultiQuery<'a> {
        let mut points: Vec<f64> =
            passes.iter().filter_map(|pass| pass.at.as_ref()).flat_map(|at| at.v.iter().copied()).collect();
        let (width, columns) = (points.len() / passes.len().max(1), passes.len().next_multiple_of(BLOCK));
        points.resize(width * columns, 0.0);
        MultiQuery { passes, points, columns }
    }

    /// The sums over a leaf of the rows, for each query.
    pub(super) fn sum(&self, positions: Range<usize>) -> Vec<PartialSums> {
        let mut partials: Vec<PartialSums> = self.passes.iter().map(RowPass::no_rows).collect();
        let Some(first) = self.passes.first() else { return partials };
        let width = first.rows.width();
        let stride = stride(width).min(positions.len()).max(1);
        let (mut scratch, mut columns, mut picked) =
            (Scratch::new(stride), Columns::new(self.points.len()), Vec::new());
        for start in positions.clone().step_by(stride) {
            let run = first.asked.run(start..positions.end.min(start + stride), &mut picked);
            self.visit(first, start, &run, &mut scratch, &mut columns, &mut partials);
        }
        for (partial, sums) in partials.iter_mut().zip(columns.sums.chunks_exact(width.max(1))) {
            partial.gradient.rows.copy_from_slice(sums);
        }
        partials
    }

    fn visit(
        &self,
        first: &RowPass<'_>,
        start: usize,
        run: &Run<'_>,
        scratch: &mut Scratch,
        columns: &mut Columns,
        partials: &mut [PartialSums],
    ) {
        let (rows, pivot, count) = (first.rows, first.pivot(), run.len());
        let Columns { z, a, sums, products } = columns;
        z.resize(self.columns * count, 0.0);
        a.resize(self.columns * count, 0.0);
        rows.dots_many(run, pivot, &self.points, z, products);
        let view = first.enter(scratch, run);
        let [label, residual, derivative, b, h, second, ..] = view.columns;
        let columns = z.chunks_exact_mut(count).zip(a.chunks_exact_mut(count));
        for ((pass, partial), (z, a)) in self.passes.iter().zip(partials).zip(columns) {
            let (Ask::At(at), Some(point)) = (&pass.query.ask, &pass.at) else { continue };
            partial.rows += count;
            vector::add(z, view.offset, point.constant);
            pass.place_limits(run, &point.v, z);
            pass.compare(at, run, [view.weight, z], [label, residual, derivative], [b, h, second], partial);
            pass.weigh_gradient(at, start, [view.weight, residual, derivative], a, partial);
            partial.gradient.total += sum(a);
        }
        rows.add_many(run, pivot, a, sums, products);
    }
}

impl Columns {
    fn new(sums: usize) -> Columns {
        Columns { z: Vec::new(), a: Vec::new(), sums: vec![0.0; sums], products: Vec::new() }
    }
}
