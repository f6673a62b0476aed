//! A *recorder* writes down which minibatches a solver asks for, and a *track* where its steps lead.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use agglio::fit::{Observer, Step};
use agglio::rows::{Addition, Dense, Rows, Run};

/// Rows that write down which minibatches are asked for, and where.
#[derive(Clone, Debug)]
pub struct Recorder {
    pub rows: Dense,
    pub asked: Arc<Mutex<Vec<Asked>>>,
}

/// The rows of a minibatch, and the point that they were multiplied with.
pub type Asked = (Vec<usize>, Vec<f64>);

impl Rows for Recorder {
    fn share(&self) -> Arc<dyn Rows> {
        Arc::new(self.clone())
    }

    fn gather(&self, order: &[usize]) -> Arc<dyn Rows> {
        self.rows.gather(order)
    }

    fn len(&self) -> usize {
        self.rows.len()
    }

    fn width(&self) -> usize {
        self.rows.width()
    }

    fn can_centre(&self) -> bool {
        self.rows.can_centre()
    }

    fn dots(&self, run: &Run<'_>, centre: &[f64], v: &[f64], z: &mut [f64]) {
        if let Run::Picked(rows) = run {
            self.asked.lock().unwrap().push((rows.to_vec(), v.to_vec()));
        }
        self.rows.dots(run, centre, v, z);
    }

    fn square_dots(&self, run: &Run<'_>, centre: &[f64], v: &[f64], z: &mut [f64]) {
        self.rows.square_dots(run, centre, v, z);
    }

    fn add_rows(&self, run: &Run<'_>, centre: &[f64], additions: &mut [Addition<'_>]) {
        self.rows.add_rows(run, centre, additions);
    }

    fn add_rows_and_squares(&self, run: &Run<'_>, pivot: &[f64], centre: &[f64], additions: [Addition<'_>; 2]) {
        self.rows.add_rows_and_squares(run, pivot, centre, additions);
    }

    fn add_products(&self, run: &Run<'_>, centre: &[f64], a: &[f64], h: &mut [f64], room: &mut Vec<f64>) {
        self.rows.add_products(run, centre, a, h, room);
    }

    fn labels(&self, run: &Run<'_>, y: &mut [f64]) {
        self.rows.labels(run, y);
    }

    fn weights(&self, run: &Run<'_>, weight: &mut [f64]) {
        self.rows.weights(run, weight);
    }

    fn offsets(&self, run: &Run<'_>, offset: &mut [f64]) {
        self.rows.offsets(run, offset);
    }
}

/// Writes down where each step led.
pub struct Track(pub Vec<Vec<f64>>);

impl Observer for Track {
    fn step(&mut self, step: &Step<'_>) -> ControlFlow<()> {
        self.0.push(step.theta.to_vec());
        ControlFlow::Continue(())
    }
}
