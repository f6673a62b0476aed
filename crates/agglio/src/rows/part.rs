//! A *part* is a table made of some rows of another: a span of rows, or all other rows.

use std::ops::Range;
use std::sync::Arc;

use crate::rows::{Addition, Moments, Rows, Run};

/// The rows of a table without those of a gap. Nothing is copied.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    rows: Arc<dyn Rows>,
    len: usize,
    /// The rows that are left out.
    gap: Range<usize>,
    /// Measured once, at construction.
    moments: Option<Moments>,
}

impl Part {
    /// The rows of `span`.
    pub fn within(rows: &dyn Rows, span: Range<usize>) -> Part {
        Part::new(rows, span.len(), 0..span.start)
    }

    /// All rows except those of `span`.
    pub fn without(rows: &dyn Rows, span: Range<usize>) -> Part {
        Part::new(rows, rows.len() - span.len(), span)
    }

    /// The rows of `span`, whose moments are not needed.
    pub fn block(rows: &Arc<dyn Rows>, span: Range<usize>) -> Part {
        Part { rows: rows.clone(), len: span.len(), gap: 0..span.start, moments: None }
    }

    fn new(rows: &dyn Rows, len: usize, gap: Range<usize>) -> Part {
        let mut part = Part { rows: rows.share(), len, gap, moments: None };
        part.moments = Some(Moments::of(&part));
        part
    }

    fn row(&self, position: usize) -> usize {
        if position < self.gap.start { position } else { position + self.gap.len() }
    }

    /// Calls `ask` with the rows of the table that belong to a run of the part: as a span if the gap is not inside the
    /// run, which is faster.
    fn ask<T>(&self, run: &Run<'_>, ask: impl FnOnce(&Run<'_>) -> T) -> T {
        let rows: Vec<usize> = match run {
            Run::Span(span) if span.end <= self.gap.start => return ask(run),
            Run::Span(span) if span.start >= self.gap.start => {
                return ask(&Run::Span(span.start + self.gap.len()..span.end + self.gap.len()));
            }
            Run::Span(span) => span.clone().map(|position| self.row(position)).collect(),
            Run::Picked(positions) => positions.iter().map(|&position| self.row(position)).collect(),
        };
        ask(&Run::Picked(&rows))
    }
}

impl Rows for Part {
    fn share(&self) -> Arc<dyn Rows> {
        Arc::new(self.clone())
    }

    fn gather(&self, order: &[usize]) -> Arc<dyn Rows> {
        self.rows.gather(&order.iter().map(|&position| self.row(position)).collect::<Vec<_>>())
    }

    fn len(&self) -> usize {
        self.len
    }

    fn width(&self) -> usize {
        self.rows.width()
    }

    fn can_centre(&self) -> bool {
        self.rows.can_centre()
    }

    fn units(&self) -> &[f64] {
        self.rows.units()
    }

    fn moments(&self) -> Option<&Moments> {
        self.moments.as_ref()
    }

    fn dots(&self, run: &Run<'_>, centre: &[f64], v: &[f64], z: &mut [f64]) {
        self.ask(run, |run| self.rows.dots(run, centre, v, z));
    }

    fn dots_many(&self, run: &Run<'_>, centre: &[f64], v: &[f64], z: &mut [f64], scratch: &mut Vec<f64>) {
        self.ask(run, |run| self.rows.dots_many(run, centre, v, z, scratch));
    }

    fn square_dots(&self, run: &Run<'_>, centre: &[f64], v: &[f64], z: &mut [f64]) {
        self.ask(run, |run| self.rows.square_dots(run, centre, v, z));
    }

    fn add_rows(&self, run: &Run<'_>, centre: &[f64], additions: &mut [Addition<'_>]) {
        self.ask(run, |run| self.rows.add_rows(run, centre, additions));
    }

    fn add_many(&self, run: &Run<'_>, centre: &[f64], a: &[f64], sums: &mut [f64], scratch: &mut Vec<f64>) {
        self.ask(run, |run| self.rows.add_many(run, centre, a, sums, scratch));
    }

    fn add_rows_and_squares(&self, run: &Run<'_>, pivot: &[f64], centre: &[f64], additions: [Addition<'_>; 2]) {
        self.ask(run, |run| self.rows.add_rows_and_squares(run, pivot, centre, additions));
    }

    fn add_products(&self, run: &Run<'_>, centre: &[f64], a: &[f64], h: &mut [f64], scratch: &mut Vec<f64>) {
        self.ask(run, |run| self.rows.add_products(run, centre, a, h, scratch));
    }

    fn labels(&self, run: &Run<'_>, y: &mut [f64]) {
        self.ask(run, |run| self.rows.labels(run, y));
    }

    fn has_weights(&self) -> bool {
        self.rows.has_weights()
    }

    fn has_offsets(&self) -> bool {
        self.rows.has_offsets()
    }

    fn has_limits(&self) -> bool {
        self.rows.has_limits()
    }

    fn limits(&self, run: &Run<'_>, limit: &mut [f64]) {
        self.ask(run, |run| self.rows.limits(run, limit));
    }

    fn has_clusters(&self) -> bool {
        self.rows.has_clusters()
    }

    fn clusters(&self, run: &Run<'_>, cluster: &mut [u32]) {
        self.ask(run, |run| self.rows.clusters(run, cluster));
    }

    fn weight_unit(&self) -> f64 {
        self.rows.weight_unit()
    }

    fn weights(&self, run: &Run<'_>, weight: &mut [f64]) {
        self.ask(run, |run| self.rows.weights(run, weight));
    }

    fn offsets(&self, run: &Run<'_>, offset: &mut [f64]) {
        self.ask(run, |run| self.rows.offsets(run, offset));
    }
}
