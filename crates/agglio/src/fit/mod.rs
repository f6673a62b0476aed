//! The *fit loop* is the only loop over θ. Every solver is this loop with other parts.
//!
//! ```text
//! here  = the estimate at (θ, τ)
//! trial = project(θ + p),  p from the direction
//! accept, reject or settle;  observe;  stop;  stay, advance or retreat
//! ```
//!
//! Reference: Algorithm 1 (`algo:main`) with one step a stage, Algorithm 2 with one pass a stage.

mod observe;
mod resume;
mod state;
mod stop;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::oracle::{Known, Model, Oracle, Query};
use crate::outcome::StopReason;
use crate::solver::direction::Point;
use crate::solver::estimator::StepIndex;
use crate::solver::schedule::Progress;
use crate::solver::step::Verdict;
use crate::solver::{Keep, Method};
pub use observe::{Observer, Silent, Step, Watch};
use state::{LoopState, StepRecord};
pub use stop::{End, StageMean, Stop};

/// Where a fit ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// θ in the solver's coordinates.
    pub theta: Vec<f64>,
    /// The last temperature.
    pub tau: f64,
    /// Why it ended.
    pub reason: StopReason,
    /// Steps taken.
    pub steps: usize,
    /// Loss at the start, at the temperature and over the rows of the first stage. Without any step, the loss at the end.
    pub first_loss: f64,
    /// Loss, gradient and column norms at θ and `tau`, over all rows. The gradient is without the part that a ball holds back.
    pub model: Model,
    /// μ, if a ball holds w back: the point is stationary for the loss plus μ/2·‖w‖². Zero inside the ball and without one.
    pub multiplier: f64,
    /// The relative gradient of the matching loss at θ, if this loss was minimised.
    pub matching_gradient: Option<f64>,
}

/// The largest entry of θ that stays finite in the units of the user.
pub(crate) const FARTHEST: f64 = 1e290;

/// Runs a method from `start` until `stop` says so or `observer` ends it.
///
/// Not converging is a [`StopReason`], never an error.
///
/// # Errors
/// Those of the oracle.
pub fn fit(
    oracle: &dyn Oracle,
    method: Method,
    start: Vec<f64>,
    stop: Stop,
    observer: &mut dyn Observer,
) -> Result<Outcome> {
    let mut run = FitLoop::begin(oracle, method, start, stop)?;
    loop {
        if let Some(ending) = run.step(observer)? {
            return run.end(ending);
        }
    }
}

/// A fit on its way: the loop, a step at a time, so that several can run on the same rows.
pub(crate) struct FitLoop<'o> {
    oracle: &'o dyn Oracle,
    pub method: Method,
    stop: Stop,
    state: LoopState,
    /// The last displacement, and room for the next.
    p: Vec<f64>,
}

/// Why a fit has ended, with the exact model if it is known.
pub(crate) struct Ending {
    pub reason: StopReason,
    pub exact: Option<Model>,
}

impl From<StopReason> for Ending {
    fn from(reason: StopReason) -> Ending {
        Ending { reason, exact: None }
    }
}

/// Looks at the trial point, if the step rule judges trials, and decides on the step.
fn attempt(
    oracle: &dyn Oracle,
    method: &mut Method,
    trial: &[f64],
    index: StepIndex,
    here: &Known,
    predicted: f64,
) -> Result<(Option<Known>, Verdict)> {
    if !method.step.judges() {
        return Ok((None, Verdict::Accept));
    }
    let there = match method.step.is_settled(here, predicted) {
        true => None,
        false => Some(method.estimator.estimate(oracle, trial, index, method.direction.want())?),
    };
    let verdict = there.as_ref().map_or(Verdict::Settled, |there| method.step.judge(here, there, predicted));
    // an exact fit has nothing left to gain, even after a refresh
    let refreshes = verdict == Verdict::Settled && !here.is_rounding() && method.direction.wants_refresh();
    Ok((there, if refreshes { Verdict::Reject } else { verdict }))
}

impl<'o> FitLoop<'o> {
    pub fn begin(oracle: &'o dyn Oracle, mut method: Method, mut start: Vec<f64>, stop: Stop) -> Result<FitLoop<'o>> {
        method.ball.iter().for_each(|ball| ball.project(&mut start));
        let state = LoopState::new(start, method.schedule.first(), &method);
        let p = vec![0.0; state.theta.len()];
        if !stop.at_limit(0) {
            method.begin(oracle, &state.theta, &state.stage)?;
        }
        Ok(FitLoop { oracle, method, stop, state, p })
    }

    /// The query of the next step, if it is a single one. Its answer goes to [`FitLoop::tell`]. So the queries of several runs
    /// can be answered together.
    pub fn question(&self) -> Option<Query<'_>> {
        if self.state.known.is_some() || self.stop.at_limit(0) {
            return None;
        }
        self.method.question(&self.state.theta, self.state.index())
    }

    /// Takes the answer to its question.
    pub fn tell(&mut self, answer: Known) {
        self.state.known = Some(answer);
    }

    /// Takes a step. Returns why the fit has ended, if it has.
    pub fn step(&mut self, observer: &mut dyn Observer) -> Result<Option<Ending>> {
        let FitLoop { oracle, method, stop, state, p } = self;
        if stop.at_limit(0) {
            return Ok(Some(StopReason::Limit.into()));
        }
        let here = match state.known.take() {
            Some(known) => known,
            None => method.estimator.estimate(*oracle, &state.theta, state.index(), method.direction.want())?,
        };
        oracle.facts().layout.adopt(&mut state.theta, here.response);
        if !state.is_finite(&here) {
            return Ok(Some(StopReason::NotFinite.into()));
        }
        if oracle.is_interrupted() {
            return Ok(Some(StopReason::Interrupted.into()));
        }
        let point = Point { theta: &state.theta, known: &here, stage: state.stage, ball: state.ball, oracle: *oracle };
        let predicted = method.direction.displace(method.step.size(), &point, p)?;
        let trial = state.trial(p);
        let (there, verdict) = attempt(*oracle, method, &trial, state.index(), &here, predicted)?;
        state.mean.add(&here, predicted);
        if state.keep == Keep::Best && method.schedule.at_cap(&state.stage) {
            state.best.take_lower(&state.theta, here.loss);
        }
        let record = StepRecord::new(&here, verdict);
        state.take(verdict, trial, here, there, *oracle);
        if observer.step(&state.report(*oracle, &record)).is_break() || oracle.is_interrupted() {
            return Ok(Some(StopReason::Interrupted.into()));
        }
        let (settled, small) = (verdict == Verdict::Settled, predicted <= 0.01 * record.loss);
        let progress = Progress { accepted: state.accepted, loss: record.loss, settled, small };
        let next = method.schedule.next(&state.stage, &progress);
        state.follow(next, *oracle, method, stop, settled)
    }

    /// The outcome of a run that was left on its way, from its last step alone and without a further pass.
    pub fn leave(self) -> Result<Outcome> {
        self.state.leave(self.oracle)
    }

    /// Where it has ended.
    pub fn end(self, ending: Ending) -> Result<Outcome> {
        self.state.end(self.oracle, ending)
    }
}
