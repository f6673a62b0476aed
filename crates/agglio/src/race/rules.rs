//! The *rules* of a race: the runs that each solver stands for.

use crate::error::Result;
use crate::fit::{Outcome, Stop};
use crate::math::rng::derive_key;
use crate::oracle::{Batch, Oracle, Query, Want};
use crate::outcome::{Noise, StopReason};
use crate::race::best_of::Origin;
use crate::race::noise::unbiased;
use crate::race::starts::linear::LinearStage;
use crate::race::{Found, Race, Runs};
use crate::solver::preset::{self, Course, Settings};
use crate::solver::{Method, Solver};
use crate::spec::{Restarts, Start};
use crate::theory;

/// The relative gradient at which a path over a sample of the rows ends.
const ROUGH: f64 = 1e-4;
/// Starts of solver `multistart`.
const STARTS: u64 = 10;

/// The solver, its settings, the start of the runs and the limits at which they end.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub solver: Solver,
    pub settings: Settings,
    /// The course of solver `theory`.
    pub theory: Option<theory::Course>,
    pub noise: Noise,
    /// Whether both noise models are fitted, so that they can be compared.
    pub compares: bool,
    /// Maximum number of stages of a run.
    pub epochs: usize,
    pub tolerance: f64,
    pub start: Start,
    /// Whether the start is the fit of other rows, from which the default solver goes on.
    pub is_warm: bool,
    pub restarts: Restarts,
}

impl Rules {
    /// Makes the runs of the loop that the solver stands for, and keeps one.
    pub fn find(&self, oracle: &dyn Oracle, runs: &mut Runs<'_>) -> Result<Found> {
        match self.solver {
            Solver::Auto if self.settings.tau_max == 0.0 => self.pre(oracle),
            Solver::Auto if self.is_warm => self.go_on(oracle, runs),
            Solver::Auto => {
                let ladder = preset::samples(oracle);
                let first = self.climb(&ladder, oracle, runs)?;
                if ladder.len() > 1 { self.retry_on_all_rows(first, oracle, runs) } else { Ok(first) }
            }
            Solver::Multistart => self.multistart(oracle, runs),
            Solver::Linear => self.linear(oracle),
            Solver::Irls => {
                let start = self.matching_start(oracle, runs)?;
                Ok(Found::new(self.single(start, oracle, runs)?, oracle.labels()))
            }
            _ => Ok(Found::new(self.single(self.begin(oracle)?, oracle, runs)?, oracle.labels())),
        }
    }

    /// The start that was asked for, in the oracle's units.
    pub fn begin(&self, oracle: &dyn Oracle) -> Result<Vec<f64>> {
        let facts = oracle.facts();
        let mut theta = self.start.theta(&facts.coordinates, facts.layout.coefficients, self.settings.seed)?;
        theta.extend(facts.response.iter().filter_map(|response| response.starts().next()).flatten());
        Ok(theta)
    }

    /// The end of the loop from the fit of other rows. Where that is no certified minimum, also a fit without it, and the lower
    /// of both.
    fn go_on(&self, oracle: &dyn Oracle, runs: &mut Runs<'_>) -> Result<Found> {
        let mut warm = Found::new(self.descend_from(self.begin(oracle)?, oracle, runs)?, oracle.labels());
        if warm.certificate(oracle)?.certified() || oracle.is_interrupted() {
            return Ok(warm);
        }
        let mut cold = Rules { is_warm: false, ..self.clone() }.find(oracle, runs)?;
        let lower = warm.outcome.model.loss < cold.outcome.model.loss && !cold.certificate(oracle)?.certified();
        Ok(if lower { warm } else { cold })
    }

    /// One run of the loop.
    fn single(&self, start: Vec<f64>, oracle: &dyn Oracle, runs: &mut Runs<'_>) -> Result<Outcome> {
        let (method, stop) = self.method(oracle, &start)?;
        let outcome = runs.run(oracle, method, start.clone(), stop, None)?;
        self.judge(oracle, &start, outcome)
    }

    /// Runs from random starts. The first start is the one that the user asked for.
    fn multistart(&self, oracle: &dyn Oracle, runs: &mut Runs<'_>) -> Result<Found> {
        let first = self.single(self.begin(oracle)?, oracle, runs)?;
        let mut race = Race::new(self, oracle, runs, first, Batch::All)?;
        for index in 1..STARTS {
            if race.best_of.is_interrupted() {
                break;
            }
            let mut rules = Rules { start: Start::Random(None), ..self.clone() };
            rules.settings.seed = derive_key(self.settings.seed, index);
            let outcome = rules.single(rules.begin(oracle)?, oracle, race.runs)?;
            race.best_of.enter(outcome, Origin::Independent, oracle)?;
        }
        Ok(race.end())
    }

    /// The parts of the default solver on a course, and when they are to stop.
    pub(super) fn path(&self, oracle: &dyn Oracle, course: Course) -> (Method, Stop) {
        let epochs = course.epochs.min(self.epochs);
        let stop = match course.samples[..] {
            // the optimum of a sample is no closer to that of all rows
            [.., Batch::Part { .. }] => Stop::new(self.tolerance.max(ROUGH), epochs),
            // on many rows two more digits cost a pass
            [_, _, ..] => Stop::new(self.tolerance, epochs),
            _ => Stop::new(self.tolerance, epochs).beyond_tolerance(),
        };
        (preset::path(&self.settings, oracle, course), stop.patience(self.solver.patience()))
    }

    /// The end of the loop from a point near a minimum.
    pub fn descend_from(&self, start: Vec<f64>, oracle: &dyn Oracle, runs: &mut Runs<'_>) -> Result<Outcome> {
        let (method, stop) = self.path(oracle, Course::plain(Batch::All));
        runs.run(oracle, method, start, stop, None)
    }

    /// The linear stage over these rows.
    pub(super) fn linear_stage(&self, oracle: &dyn Oracle, rows: Batch) -> Result<LinearStage> {
        LinearStage::of(oracle, rows, self.settings.ball(oracle))
    }

    /// Standard deviation of noise before φ, by degrees of freedom, if the fit ends at τ = 0.
    pub fn sigma(&self, oracle: &dyn Oracle, found: &Found) -> Result<Option<f64>> {
        let residual = match found.sigma {
            None if self.settings.tau_max == 0.0 => Some(oracle.rms_preimage_error(&found.outcome.theta)?),
            known => known,
        };
        Ok(residual.map(|residual| unbiased(residual, oracle, Batch::All)))
    }

    /// The solver's parts, and when they are to stop.
    pub(crate) fn method(&self, oracle: &dyn Oracle, start: &[f64]) -> Result<(Method, Stop)> {
        let stages = self.solver.stages(&self.settings, self.epochs);
        let method = match &self.theory {
            Some(course) => course.method(oracle, stages, self.settings.batch, self.settings.seed)?,
            None => self.solver.method(&self.settings, oracle, start)?,
        };
        let stop = Stop::new(self.tolerance, stages).patience(self.solver.patience());
        Ok((method, if self.solver.converges_linearly() { stop.beyond_tolerance() } else { stop }))
    }

    /// Replaces the stop reason of steps of a given length if they led uphill, and of steps that the theory plans if they
    /// overflowed.
    pub(crate) fn judge(&self, oracle: &dyn Oracle, start: &[f64], outcome: Outcome) -> Result<Outcome> {
        let overshot = self.settings.eta.is_some() && led_away(oracle, start, &outcome)?;
        let reason = match outcome.reason {
            _ if overshot => StopReason::Overshot,
            StopReason::NotFinite if self.theory.is_some() => StopReason::Planned,
            reason => reason,
        };
        Ok(Outcome { reason, ..outcome })
    }
}

/// Whether a fit ended above its start, or overflowed.
fn led_away(oracle: &dyn Oracle, start: &[f64], outcome: &Outcome) -> Result<bool> {
    let query = Query::at(start, outcome.tau, Batch::All, Want::Loss);
    let loss = match outcome.reason {
        StopReason::NotFinite | StopReason::Plateau | StopReason::Limit => oracle.ask(&query)?.value()?.loss,
        _ => return Ok(false),
    };
    Ok(match outcome.reason {
        StopReason::NotFinite => loss.is_finite(),
        _ => outcome.model.loss > loss * (1.0 + 1e-9),
    })
}
