//! A *group* of questions about the same rows, each at a point and a temperature of its own, answered in one visit of them.
//!
//! Rows are multiplied with some points at once, by `gemm`, which takes less time than one point after the other. Numbers are
//! added up in another order then than for a question by itself. With which others a question stands in a group makes no
//! difference: blocks of points are filled up with zeros, so that all products are of the same shape.

use crate::math::vector::{self, sum};
use crate::oracle::leaf::{PartialSums, RowPass, Scratch, stride};
use crate::rows::{BLOCK, Run};

/// Most questions of a group: with more there is little to gain.
pub(crate) const MOST_AT_ONCE: usize = 32;

/// Questions for the gradient over the same rows.
pub(super) struct MultiQuery<'a> {
    tasks: &'a [RowPass<'a>],
    /// The points as the rows see them, one after the other, and zeros that fill the last block up.
    points: Vec<f64>,
    /// How many of both.
    columns: usize,
}

/// Working memory: for a run of rows predictors and coefficients, a column of them for each question; and the sums so far.
struct Columns {
    z: Vec<f64>,
    a: Vec<f64>,
    sums: Vec<f64>,
    products: Vec<f64>,
}

impl<'a> MultiQuery<'a> {
    pub fn new(tasks: &'a [RowPass<'a>]) -> MultiQuery<'a> {
        let mut points: Vec<f64> = tasks.iter().flat_map(|task| task.at.v.iter().copied()).collect();
        let (width, columns) = (points.len() / tasks.len().max(1), tasks.len().next_multiple_of(BLOCK));
        points.resize(width * columns, 0.0);
        MultiQuery { tasks, points, columns }
    }

    /// The sums over positions `from` … `to` of the asked rows, for each question.
    pub fn sum(&self, from: usize, to: usize) -> Vec<PartialSums> {
        let mut partials: Vec<PartialSums> = self.tasks.iter().map(RowPass::nothing).collect();
        let Some(first) = self.tasks.first() else { return partials };
        let (rows, batch) = (first.fold.rows, first.query.batch);
        let stride = stride(rows.width()).min(to - from);
        let (mut room, mut columns) = (Scratch::new(stride), Columns::new(self.points.len()));
        for start in (from..to).step_by(stride.max(1)) {
            let count = stride.min(to - start);
            let visit = |run: Run<'_>| self.visit(first, &run, &mut room, &mut columns, &mut partials);
            batch.with_run(rows.len(), start, count, visit);
        }
        for (partial, sums) in partials.iter_mut().zip(columns.sums.chunks_exact(rows.width())) {
            partial.gradient.rows.copy_from_slice(sums);
        }
        partials
    }

    fn visit(
        &self,
        first: &RowPass<'_>,
        run: &Run<'_>,
        room: &mut Scratch,
        columns: &mut Columns,
        partials: &mut [PartialSums],
    ) {
        let (rows, pivot, count) = (first.fold.rows, first.fold.coordinates.pivot(), run.len());
        let Columns { z, a, sums, products } = columns;
        z.resize(self.columns * count, 0.0);
        a.resize(self.columns * count, 0.0);
        rows.dots_many(run, pivot, &self.points, z, products);
        let visit = first.enter(room, run);
        let [label, residual, slope, b, h, bend, ..] = visit.columns;
        let columns = z.chunks_exact_mut(count).zip(a.chunks_exact_mut(count));
        for ((task, partial), (z, a)) in self.tasks.iter().zip(partials).zip(columns) {
            vector::add(z, visit.offset, task.at.constant);
            task.compare(run, visit.weight, z, [label, residual, slope], [b, h, bend], partial);
            task.weigh_gradient(run, visit.weight, residual, slope, a);
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
