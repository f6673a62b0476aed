//! The *runs* of the loop that a fit makes, one after the other.

use std::ops::ControlFlow;

use crate::error::Result;
use crate::fit::{FitLoop, Observer, Outcome, Step, Stop};
use crate::oracle::Oracle;
use crate::race::referee::Referee;
use crate::solver::Method;

/// The runs of a fit, with the observer that hears of every step.
pub(crate) struct Runs<'r> {
    observer: &'r mut dyn Observer,
    /// Whether the observer has ended the fit, and every later run with it.
    is_ended: bool,
}

impl<'r> Runs<'r> {
    pub fn new(observer: &'r mut dyn Observer) -> Runs<'r> {
        Runs { observer, is_ended: false }
    }

    /// A run to its end, or until a referee ends it.
    pub(super) fn run(
        &mut self,
        oracle: &dyn Oracle,
        method: Method,
        start: Vec<f64>,
        stop: Stop,
        referee: Option<&mut Referee<'_>>,
    ) -> Result<Outcome> {
        let mut run = FitLoop::begin(oracle, method, start, stop)?;
        let mut heard = Heard { runs: self, referee };
        loop {
            if let Some(ending) = run.step(&mut heard)? {
                return run.end(ending);
            }
        }
    }
}

/// A step is heard by the observer, then by the referee.
struct Heard<'h, 'r, 'b> {
    runs: &'h mut Runs<'r>,
    referee: Option<&'h mut Referee<'b>>,
}

impl Observer for Heard<'_, '_, '_> {
    fn step(&mut self, step: &Step<'_>) -> ControlFlow<()> {
        self.runs.is_ended = self.runs.is_ended || self.runs.observer.step(step).is_break();
        match &mut self.referee {
            _ if self.runs.is_ended => ControlFlow::Break(()),
            Some(referee) => referee.step(step),
            None => ControlFlow::Continue(()),
        }
    }
}
