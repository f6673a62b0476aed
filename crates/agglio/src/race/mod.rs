//! A *race* between runs of the loop: which ones to make, from where, and which result to keep.
//!
//! The first run begins at the linear stage. Challengers begin elsewhere ([`starts`]) where a lower minimum is possible
//! ([`challengers`]). A challenger ends as soon as it meets the best run or is clearly behind ([`referee`]).

mod auto;
mod best_of;
mod challengers;
mod checkpoint;
mod found;
mod from_starts;
mod journal;
mod noise;
mod noise_choice;
mod referee;
mod rules;
mod runs;
mod starts;

pub(crate) use checkpoint::Checkpoint;
pub(crate) use found::Found;
pub(crate) use journal::{CheckpointFile, Journal, Saved};
pub(crate) use rules::Rules;
pub(crate) use runs::Runs;
pub(crate) use starts::constant::improve as improve_baseline;

use crate::certificate::{Far, glance_along_theta};
use crate::error::Result;
use crate::fit::Outcome;
use crate::math::rng::{Random, Stream, derive_key};
use crate::oracle::{Batch, Oracle};
use crate::outcome::StopReason;
use crate::solver::preset::Course;
use best_of::{BestOf, Origin};
use referee::{Decision, Referee};

/// The most stages of a challenger that is not yet below the best.
const CHALLENGE: usize = 40;

/// A run that may end lower than the best so far.
struct Contender {
    start: Vec<f64>,
    course: Course,
    origin: Origin,
}

impl Contender {
    /// From a start that is no solution of a lower temperature.
    fn plain(start: Vec<f64>, rows: Batch) -> Contender {
        Contender { start, course: Course::plain(rows), origin: Origin::Independent }
    }

    /// Along the temperature path, over growing samples.
    fn graduated(start: Vec<f64>, samples: &[Batch]) -> Contender {
        Contender { start, course: Course::graduated(samples.to_vec()), origin: Origin::Independent }
    }

    /// The same for a start at, or beside, the best.
    fn beside_best(self) -> Contender {
        Contender { origin: Origin::Best, ..self }
    }
}

/// A race under way: its rules, the rows, and the best run so far.
struct Race<'a, 'r> {
    rules: &'a Rules,
    oracle: &'a dyn Oracle,
    runs: &'a mut Runs<'r>,
    best_of: BestOf,
}

impl<'a, 'r> Race<'a, 'r> {
    /// A race whose first run has ended, on these rows.
    fn new(
        rules: &'a Rules,
        oracle: &'a dyn Oracle,
        runs: &'a mut Runs<'r>,
        first: Outcome,
        rows: Batch,
    ) -> Result<Race<'a, 'r>> {
        let best_of = BestOf::new(first, oracle, rows)?;
        Ok(Race { rules, oracle, runs, best_of })
    }

    /// Runs a contender, and ends it as soon as it is decided whether it ends lower than the best.
    fn challenge(&mut self, contender: Contender) -> Result<()> {
        let (last, origin) = (Course::plain(self.best_of.rows()), contender.origin);
        let limit = self.rules.epochs.min(CHALLENGE);
        // inside a ball nothing runs to infinity
        let watches = self.rules.settings.radius.is_none();
        let (mut outcome, mut decision) = self.contend(contender.start, contender.course, watches, limit)?;
        if decision == Some(Decision::Saturated) {
            match glance_along_theta(self.oracle, &outcome, self.best_of.rows())? {
                Far::Falls(loss) if !self.best_of.count_infinite(loss, origin) => return Ok(()),
                _ => (outcome, decision) = self.contend(outcome.theta, last.clone(), false, limit)?,
            }
        }
        let is_lower = outcome.model.loss < self.best_of.best().model.loss;
        if decision.is_none() && outcome.reason == StopReason::Limit && is_lower {
            // a run to infinity has no end
            let limit = if self.best_of.is_infinite() { limit } else { self.rules.epochs };
            (outcome, decision) = self.contend(outcome.theta, last, false, limit)?;
        }
        match decision {
            None => self.best_of.enter(outcome, origin, self.oracle)?,
            Some(Decision::Met) => self.best_of.count(true, origin),
            Some(_) => self.best_of.give_up(outcome.theta, origin),
        }
        Ok(())
    }

    /// A run beside the best, with a referee.
    fn contend(
        &mut self,
        start: Vec<f64>,
        course: Course,
        watches_slopes: bool,
        epochs: usize,
    ) -> Result<(Outcome, Option<Decision>)> {
        let (method, stop) = self.rules.path(self.oracle, Course { epochs, ..course });
        let mut referee = Referee::new(&self.best_of, self.oracle.rows(), watches_slopes);
        let outcome = self.runs.run(self.oracle, method, start, stop, Some(&mut referee))?;
        Ok((outcome, referee.judgement.decision))
    }

    /// The next restart.
    ///
    /// A part of the rows has nearly the same good minimum as all rows, but other poor ones. Restarts alternate between two
    /// starts: the linear stage of a random half, which finds other regions, and the best point on a random quarter, which
    /// finds other minima near the best.
    fn restart(&mut self) -> Result<()> {
        let index = self.best_of.next_restart();
        let (all, key) = (self.oracle.rows(), Random::new(self.rules.settings.seed, Stream::Restarts).bits());
        let part = |share| Batch::Part { key: derive_key(key, index), start: 0, len: all.div_ceil(share) };
        let contender = match index % 2 {
            0 => {
                let stage = self.rules.linear_stage(self.oracle, part(2))?;
                Contender::graduated(stage.start_by(index as usize / 2, self.oracle)?, &[part(2), Batch::All])
            }
            _ => Contender::graduated(self.best_of.best().theta.clone(), &[part(4), Batch::All]).beside_best(),
        };
        self.challenge(contender)
    }

    /// The run that is kept.
    fn end(self) -> Found {
        self.best_of.end(self.oracle.labels())
    }
}
