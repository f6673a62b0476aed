//! The *runs* of the loop that a fit makes, one after the other.

use std::ops::ControlFlow;

use crate::error::Result;
use crate::fit::{FitLoop, Observer, Outcome, Step, Stop};
use crate::oracle::Oracle;
use crate::race::journal::Journal;
use crate::race::referee::Referee;
use crate::solver::Method;

/// The runs of a fit, with the observer that hears of every step, and the journal of a fit that can be resumed.
pub(crate) struct Runs<'r> {
    observer: &'r mut dyn Observer,
    /// Whether the observer has ended the fit, and every later run with it.
    is_ended: bool,
    journal: Option<Journal>,
}

impl<'r> Runs<'r> {
    pub fn new(observer: &'r mut dyn Observer) -> Runs<'r> {
        Runs { observer, is_ended: false, journal: None }
    }

    pub fn with_journal(self, journal: Option<Journal>) -> Runs<'r> {
        Runs { journal, ..self }
    }

    pub fn into_journal(self) -> Option<Journal> {
        self.journal
    }

    /// A run to its end, or until a referee ends it. A run that is in the journal is not made again.
    pub(super) fn run(
        &mut self,
        oracle: &dyn Oracle,
        method: Method,
        start: Vec<f64>,
        stop: Stop,
        mut referee: Option<&mut Referee<'_>>,
    ) -> Result<Outcome> {
        let known = self.journal.as_mut().and_then(|journal| journal.next(oracle, referee.as_deref_mut()));
        if let Some(outcome) = known {
            return Ok(outcome);
        }
        let saved = self.journal.as_mut().and_then(|journal| journal.running(oracle, referee.as_deref_mut()));
        let mut run = match saved {
            Some(state) => FitLoop::resume(oracle, method, &state)?,
            None => FitLoop::begin(oracle, method, start, stop)?,
        };
        loop {
            let ending = run.step(&mut Heard { runs: self, referee: referee.as_deref_mut() })?;
            let judgement = referee.as_ref().map(|referee| referee.judgement).unwrap_or_default();
            let journal = self.journal.as_mut().filter(|_| !self.is_ended && !oracle.is_interrupted());
            match (ending, journal) {
                (Some(ending), journal) => {
                    let outcome = run.end(ending)?;
                    journal.into_iter().for_each(|journal| journal.enter(&outcome, judgement.decision, oracle));
                    return Ok(outcome);
                }
                (None, Some(journal)) if run.begins_stage() => journal.offer(&run, judgement, oracle),
                (None, _) => {}
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
