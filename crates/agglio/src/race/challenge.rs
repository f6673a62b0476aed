//! A *challenge*: a further run that may end lower than the best so far. Restarts are challenges by way of random parts of
//! the rows.
//!
//! A part of the rows has other minima in the way than the whole, but nearly the same good one; a random start has
//! nothing to do with either. Paths begin alternately at the linear stage of a random half, and at the best point so far
//! on a random quarter: the first finds other regions, the second keeps what is good about the best and shakes the rest.

use crate::certificate::{Far, glance_along_theta};
use crate::error::Result;
use crate::fit::{Observer, Outcome};
use crate::math::rng::{Random, Stream, derive_key};
use crate::oracle::{Batch, Model, Oracle, Query, Want};
use crate::outcome::StopReason;
use crate::race::Rules;
use crate::race::best_of::{BestOf, Decision, Kept, Origin, Referee};
use crate::race::effort::Effort;
use crate::solver::preset::Course;
use crate::spec::Start;

/// Starts of the classical kind.
const STARTS: u64 = 10;

/// Steps after which a challenger must be below the best to go on.
const STEPS: usize = 40;

/// The model at the end of a run that was stopped.
fn here(oracle: &dyn Oracle, outcome: &Outcome, rows: Batch) -> Result<Model> {
    oracle.ask(&Query::at(&outcome.theta, outcome.tau, rows, Want::Stationarity))?.model()
}

impl Rules {
    /// Improves on the best by restarts, if any of them ends lower.
    pub(super) fn restart(
        &self,
        effort: Effort,
        race: &mut BestOf,
        oracle: &dyn Oracle,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        while !effort.is_done(race) {
            self.restart_once(race, oracle, observer)?;
        }
        Ok(())
    }

    /// The next restart: from the linear stage of a random half of the rows, or from the best by way of a quarter.
    pub(super) fn restart_once(
        &self,
        race: &mut BestOf,
        oracle: &dyn Oracle,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let index = race.next_restart();
        let (all, key) = (oracle.rows(), Random::new(self.settings.seed, Stream::Restarts).bits());
        let part = |share| Batch::Part { key: derive_key(key, index), start: 0, len: all.div_ceil(share) };
        let (origin, start, rows) = match index % 2 {
            0 => {
                let stage = self.linear_stage(oracle, part(2))?;
                (Origin::Independent, stage.start_by(index as usize / 2, oracle)?, part(2))
            }
            _ => (Origin::Best, race.best().theta.clone(), part(4)),
        };
        self.challenge(race, origin, oracle, start, Course::graduated(vec![rows, Batch::All]), observer)
    }

    /// Runs a path from `start` that may end lower than the best, and ends it as soon as that is decided.
    pub(super) fn challenge(
        &self,
        race: &mut BestOf,
        origin: Origin,
        oracle: &dyn Oracle,
        start: Vec<f64>,
        course: Course,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let rows = race.rows().len(oracle.rows());
        let (best, others, limit) = (race.best().clone(), race.others().to_vec(), self.epochs.min(STEPS));
        let mut run =
            |start: Vec<f64>, course: Course, watches: bool, epochs: usize| -> Result<(Outcome, Option<Decision>)> {
                let mut referee = Referee::new(&best, &others, rows, watches, observer);
                let outcome = self.path(oracle, start, Course { epochs, ..course }, &mut referee)?;
                Ok((outcome, referee.decision))
            };
        let last = Course::plain(race.rows());
        // inside a ball nothing runs to infinity
        let (mut outcome, mut decision) = run(start, course, self.settings.radius.is_none(), limit)?;
        if decision == Some(Decision::Saturated) {
            let here = Outcome { model: here(oracle, &outcome, race.rows())?, ..outcome };
            match glance_along_theta(oracle, &here, race.rows())? {
                Far::Falls(limit) if !race.count_infinite(limit, origin) => return Ok(()),
                _ => (outcome, decision) = run(here.theta, last.clone(), false, limit)?,
            }
        }
        if decision.is_none() && outcome.reason == StopReason::Limit && outcome.model.loss < best.model.loss {
            // what runs to infinity has no end
            let limit = if race.is_infinite() { limit } else { self.epochs };
            (outcome, decision) = run(outcome.theta, last, false, limit)?;
        }
        match decision {
            None => race.enter(outcome, origin, oracle)?,
            Some(Decision::Met) => race.count(true, origin),
            Some(_) => race.give_up(outcome.theta, origin),
        }
        Ok(())
    }

    /// Levenberg–Marquardt from random starts, the first of them the one asked for.
    pub(super) fn multistart(&self, oracle: &dyn Oracle, observer: &mut dyn Observer) -> Result<Kept> {
        let mut race = BestOf::new(self.single(oracle, observer)?, oracle, Batch::All)?;
        for index in 1..STARTS {
            if race.is_interrupted() {
                break;
            }
            let plan =
                Rules { start: Start::Random(None), ..self.clone() }.seeded(derive_key(self.settings.seed, index));
            race.enter(plan.single(oracle, observer)?, Origin::Independent, oracle)?;
        }
        Ok(race.end())
    }

    fn seeded(mut self, seed: u64) -> Rules {
        self.settings.seed = seed;
        self
    }
}
