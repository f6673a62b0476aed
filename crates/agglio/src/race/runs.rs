//! The *runs* of the loop that a fit makes, one after the other.

use std::ops::ControlFlow;

use crate::error::Result;
use crate::fit::{FitLoop, Observer, Outcome, Step, Stop};
use crate::oracle::Oracle;
use crate::prove::Progress;
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

    /// Tells the observer of the search of a proof. Returns whether it goes on.
    pub fn hear_proof(&mut self, progress: &Progress<'_>) -> bool {
        self.observer.proof(progress).is_continue()
    }

    /// A run to its end, or until a referee ends it. Then its last step is all that is known of it. A run that is in
    /// the journal is not made again.
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
                    let outcome = if judgement.decision.is_some() { run.leave()? } else { run.end(ending)? };
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::activation::named;
    use crate::fit::{Silent, Watch, fit};
    use crate::oracle::{Batch, Hessian, Problem};
    use crate::race::best_of::BestOf;
    use crate::race::referee::Decision;
    use crate::rows::Dense;
    use crate::solver::Keep;
    use crate::solver::direction::LevenbergMarquardt;
    use crate::solver::estimator::Full;
    use crate::solver::schedule::Constant;
    use crate::solver::step::TrustRegion;

    fn method() -> Method {
        Method {
            schedule: Box::new(Constant { tau: 1.0, steps: 1 }),
            estimator: Box::new(Full),
            direction: Box::new(LevenbergMarquardt::new(Hessian::GaussNewton)),
            step: Box::new(TrustRegion::default()),
            ball: None,
            keep: Keep::Last,
        }
    }

    #[test]
    fn no_row_is_visited_after_the_referee_has_ended_a_run() {
        let x = (0..60).map(|k| f64::from(k * 37 % 60) / 20.0 - 1.5).collect();
        let y = (0..30).map(|k| f64::from(k * 11 % 30) / 30.0).collect();
        let rows = Dense::new(x, 2, y).unwrap();
        let oracle = Problem::new(named("sigmoid").unwrap()).on(&rows).unwrap();
        let stop = || Stop::new(1e-9, 50);
        let first = fit(&oracle, method(), vec![0.0; 3], stop(), &mut Silent).unwrap();
        let best_of = BestOf::new(first, &oracle, Batch::All).unwrap();
        let (mut referee, mut passes) = (Referee::new(&best_of, 30, true), 0.0);
        let mut watch = Watch(|step: &Step<'_>| passes = step.passes);
        let start = vec![0.5, -1.0, 1.0];
        let left = Runs::new(&mut watch).run(&oracle, method(), start, stop(), Some(&mut referee)).unwrap();
        assert_eq!(referee.judgement.decision, Some(Decision::Met));
        assert!(left.model.loss < 1.01 * best_of.best().model.loss);
        assert_eq!(oracle.visited() as f64 / 30.0, passes);
    }
}
