//! A *track*: where a fit was after every step, and when.

use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::time::Instant;

use agglio::fit::{Observer, Step};

/// The points of a fit. They are looked at when it is over, so that looking takes none of its time.
#[derive(Debug)]
pub struct Track {
    begun: Instant,
    width: usize,
    rows: usize,
    seconds: Vec<f64>,
    passes: Vec<f64>,
    epochs: Vec<f64>,
    thetas: Vec<f64>,
}

/// A quantity along a fit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// Time since the fit began.
    pub seconds: Vec<f64>,
    /// Rows visited ÷ n until then, preparations and looks at the whole included.
    pub passes: Vec<f64>,
    /// Rows in the gradients of the steps until then, ÷ n.
    pub epochs: Vec<f64>,
    /// The quantity there, after the first step and each that follows.
    pub values: Vec<f64>,
}

/// The quantity on the horizontal axis of a course.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// Time.
    Seconds,
    /// Passes over the rows, all that was looked at.
    Passes,
    /// Epochs: rows visited by the steps alone, divided by n.
    Epochs,
}

impl Over {
    /// Its name on an axis.
    pub fn words(self) -> &'static str {
        match self {
            Over::Seconds => "seconds",
            Over::Passes => "passes over the rows",
            Over::Epochs => "epochs (rows in gradients ÷ n)",
        }
    }
}

impl Track {
    /// Begins now, for points of `width` numbers and data of `rows` rows.
    pub fn new(width: usize, rows: usize) -> Track {
        let [seconds, passes, epochs, thetas] = [(); 4].map(|()| Vec::new());
        Track { begun: Instant::now(), width, rows, seconds, passes, epochs, thetas }
    }

    /// A quantity along the points.
    pub fn course(&self, quantity: impl Fn(&[f64]) -> f64) -> Course {
        let values = self.thetas.chunks_exact(self.width).map(quantity).collect();
        Course { seconds: self.seconds.clone(), passes: self.passes.clone(), epochs: self.epochs.clone(), values }
    }
}

impl Observer for Track {
    fn step(&mut self, step: &Step<'_>) -> ControlFlow<()> {
        self.seconds.push(self.begun.elapsed().as_secs_f64());
        self.passes.push(step.passes);
        let before = self.epochs.last().copied().unwrap_or(0.0);
        self.epochs.push(before + step.rows as f64 / self.rows.max(1) as f64);
        self.thetas.extend(step.theta.iter().take(self.width));
        ControlFlow::Continue(())
    }
}

impl Course {
    /// The coordinates of its points.
    pub fn over(&self, over: Over) -> &[f64] {
        match over {
            Over::Seconds => &self.seconds,
            Over::Passes => &self.passes,
            Over::Epochs => &self.epochs,
        }
    }

    /// Adds where it ends, which is not always where the last step led, at the same time.
    pub fn end(&mut self, value: f64) {
        for column in [&mut self.seconds, &mut self.passes, &mut self.epochs] {
            column.push(column.last().copied().unwrap_or(0.0));
        }
        self.values.push(value);
    }

    /// Where the quantity is first at most `goal`; infinite if it never is.
    pub fn reaches(&self, goal: f64, over: Over) -> f64 {
        self.point(self.values.iter().position(|&value| value <= goal), over)
    }

    /// Where the quantity has come down to `goal` for good; infinite if it never does.
    pub fn settles(&self, goal: f64, over: Over) -> f64 {
        let above = |value: &f64| !matches!(value.partial_cmp(&goal), Some(Ordering::Less | Ordering::Equal));
        self.point(Some(self.values.iter().rposition(above).map_or(0, |last| last + 1)), over)
    }

    fn point(&self, index: Option<usize>, over: Over) -> f64 {
        index.and_then(|index| self.over(over).get(index)).copied().unwrap_or(f64::INFINITY)
    }

    /// How many steps it takes to be at most `goal`; infinite if it never is.
    pub fn steps_to(&self, goal: f64) -> f64 {
        self.values.iter().position(|&value| value <= goal).map_or(f64::INFINITY, |first| (first + 1) as f64)
    }

    /// Where it ends.
    pub fn last(&self) -> f64 {
        self.values.last().copied().unwrap_or(f64::NAN)
    }

    /// The last value at or before `x`; before all of them not a number.
    pub fn at(&self, x: f64, over: Over) -> f64 {
        let passed = self.over(over).partition_point(|&point| point <= x);
        passed.checked_sub(1).and_then(|last| self.values.get(last)).copied().unwrap_or(f64::NAN)
    }
}
