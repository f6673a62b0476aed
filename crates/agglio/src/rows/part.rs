//! A *part* of some rows, as rows of their own: those of a batch, or all others.

use crate::rows::{Addition, Batch, Moments, Rows, Run};

/// Some rows of a table, in the order of the table; nothing is copied.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    rows: &'a dyn Rows,
    /// The row of the table that is at each position.
    picked: Vec<usize>,
    /// Measured once, for everybody who asks.
    moments: Option<Moments>,
}

impl<'a> Part<'a> {
    /// The rows of a batch, and those that are not in it.
    pub fn split(rows: &'a dyn Rows, batch: Batch) -> (Part<'a>, Part<'a>) {
        let mut inside = vec![false; rows.len()];
        batch.with_run(rows.len(), 0, batch.len(rows.len()), |run| run.for_each(|_, row| inside[row] = true));
        // forward through the table, as memory likes to be read
        let (within, without) = (0..rows.len()).partition(|&row| inside[row]);
        (Part::new(rows, within), Part::new(rows, without))
    }

    fn new(rows: &'a dyn Rows, picked: Vec<usize>) -> Part<'a> {
        let mut part = Part { rows, picked, moments: None };
        part.moments = (!part.is_empty()).then(|| Moments::of(&part));
        part
    }

    /// Asks the table about a run of the part.
    fn ask<T>(&self, run: &Run<'_>, ask: impl FnOnce(&Run<'_>) -> T) -> T {
        match run {
            Run::Span(span) => ask(&Run::Picked(&self.picked[span.clone()])),
            Run::Picked(positions) => {
                let rows: Vec<usize> = positions.iter().map(|&position| self.picked[position]).collect();
                ask(&Run::Picked(&rows))
            }
        }
    }
}

impl Rows for Part<'_> {
    fn len(&self) -> usize {
        self.picked.len()
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

    fn square_dots(&self, run: &Run<'_>, centre: &[f64], v: &[f64], z: &mut [f64]) {
        self.ask(run, |run| self.rows.square_dots(run, centre, v, z));
    }

    fn add_rows(&self, run: &Run<'_>, centre: &[f64], additions: &mut [Addition<'_>]) {
        self.ask(run, |run| self.rows.add_rows(run, centre, additions));
    }

    fn add_rows_and_squares(&self, run: &Run<'_>, pivot: &[f64], centre: &[f64], additions: [Addition<'_>; 2]) {
        self.ask(run, |run| self.rows.add_rows_and_squares(run, pivot, centre, additions));
    }

    fn add_products(&self, run: &Run<'_>, centre: &[f64], a: &[f64], h: &mut [f64], room: &mut Vec<f64>) {
        self.ask(run, |run| self.rows.add_products(run, centre, a, h, room));
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

    fn weights(&self, run: &Run<'_>, weight: &mut [f64]) {
        self.ask(run, |run| self.rows.weights(run, weight));
    }

    fn offsets(&self, run: &Run<'_>, offset: &mut [f64]) {
        self.ask(run, |run| self.rows.offsets(run, offset));
    }
}
