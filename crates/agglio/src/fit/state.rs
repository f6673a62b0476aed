//! The *state* of the loop: θ, the start of the stage, and the estimate at (θ, τ) if it is known.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::fit::observe::Step;
use crate::fit::stop::{End, StageMean, Stop};
use crate::fit::{Ending, FARTHEST, Outcome};
use crate::oracle::{Batch, Gradient, Known, Model, Objective, Oracle, Query, Want};
use crate::outcome::StopReason;
use crate::solver::estimator::StepIndex;
use crate::solver::schedule::{Next, Stage};
use crate::solver::step::Verdict;
use crate::solver::{Ball, Keep, Method};

/// Everything that a step depends on, except the oracle, the stop rule and the parts.
#[derive(Serialize, Deserialize)]
pub(super) struct LoopState {
    pub theta: Vec<f64>,
    /// θ before the last accepted step, and at the start of the stage. They are used if a step overflows.
    theta_before_step: Vec<f64>,
    theta_at_stage_start: Vec<f64>,
    pub ball: Option<Ball>,
    objective: Objective,
    pub stage: Stage,
    pub known: Option<Known>,
    pub mean: StageMean,
    pub keep: Keep,
    pub best: BestPoint,
    steps: usize,
    first_loss: f64,
    pub accepted: usize,
}

/// A point that may be better than the last. It begins empty.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct BestPoint {
    theta: Vec<f64>,
    loss: Option<f64>,
    stages: f64,
}

impl BestPoint {
    /// Adds the end of a stage to the mean of these points, in which the k-th has the weight k².
    ///
    /// Reference: Shamir and Zhang (2013), polynomial-decay averaging.
    fn average(&mut self, theta: &[f64]) {
        self.stages += 1.0;
        self.theta.resize(theta.len(), 0.0);
        let share = 3.0 / (self.stages + 2.0);
        self.theta.iter_mut().zip(theta).for_each(|(mean, theta)| *mean += share * (theta - *mean));
    }

    /// Takes a point if its loss is the lowest so far.
    pub fn take_lower(&mut self, theta: &[f64], loss: f64) {
        if self.loss.is_none_or(|lowest| loss < lowest) {
            self.loss = Some(loss);
            self.theta.clear();
            self.theta.extend_from_slice(theta);
        }
    }
}

/// The numbers of a step that an observer gets, except where it led.
pub(super) struct StepRecord {
    rows: usize,
    pub loss: f64,
    gradient: f64,
    saturated: f64,
    verdict: Verdict,
}

impl StepRecord {
    pub fn new(here: &Known, verdict: Verdict) -> StepRecord {
        let saturated = here.model().map_or(0.0, |model| model.saturated);
        StepRecord { rows: here.rows, loss: here.loss, gradient: here.norm(), saturated, verdict }
    }
}

impl LoopState {
    pub fn new(theta: Vec<f64>, stage: Stage, method: &Method) -> LoopState {
        let (theta_before_step, theta_at_stage_start) = (theta.clone(), theta.clone());
        LoopState {
            theta,
            theta_before_step,
            theta_at_stage_start,
            ball: method.ball,
            objective: method.estimator.objective(),
            stage,
            known: None,
            mean: StageMean::default(),
            keep: method.keep,
            best: BestPoint::default(),
            steps: 0,
            first_loss: f64::NAN,
            accepted: 0,
        }
    }

    /// Whether no step has been made in this stage, and it is not the first one.
    pub fn begins_stage(&self) -> bool {
        self.stage.index > 0 && self.mean.is_empty()
    }

    /// Whether its points have this number of entries.
    pub fn has_dim(&self, dim: usize) -> bool {
        [&self.theta, &self.theta_before_step, &self.theta_at_stage_start].iter().all(|theta| theta.len() == dim)
    }

    pub fn index(&self) -> StepIndex {
        StepIndex { stage: self.stage, step: self.accepted }
    }

    /// Whether θ and the sums there are finite. If φ is flat, the loss at a θ that overflows can be finite.
    pub fn is_finite(&self, sums: &Gradient) -> bool {
        sums.is_finite() && self.theta.iter().all(|theta| theta.abs() <= FARTHEST)
    }

    pub fn trial(&self, p: &[f64]) -> Vec<f64> {
        let mut trial: Vec<f64> = self.theta.iter().zip(p).map(|(theta, p)| theta + p).collect();
        self.ball.iter().for_each(|ball| ball.project(&mut trial));
        trial
    }

    pub fn take(
        &mut self,
        verdict: Verdict,
        mut trial: Vec<f64>,
        here: Known,
        there: Option<Known>,
        oracle: &dyn Oracle,
    ) {
        if self.steps == 0 {
            self.first_loss = here.loss;
        }
        self.steps += 1;
        if verdict == Verdict::Accept {
            // with the response scale that the estimate there is about
            oracle.facts().layout.adopt(&mut trial, there.as_ref().and_then(|there| there.response));
            self.theta_before_step = std::mem::replace(&mut self.theta, trial);
            self.known = there;
            self.accepted += 1;
        } else {
            self.known = Some(here);
        }
    }

    pub fn report<'a>(&'a self, oracle: &'a dyn Oracle, record: &StepRecord) -> Step<'a> {
        Step {
            step: self.steps,
            stage: self.stage.index,
            tau: self.stage.tau,
            rows: record.rows,
            passes: oracle.visited() as f64 / oracle.rows() as f64,
            loss: record.loss,
            gradient: record.gradient,
            saturated: record.saturated,
            accepted: record.verdict == Verdict::Accept,
            theta: &self.theta,
            coordinates: &oracle.facts().coordinates,
        }
    }

    /// Follows the schedule. Returns why the fit has ended, if it has.
    pub fn follow(
        &mut self,
        next: Next,
        oracle: &dyn Oracle,
        method: &mut Method,
        stop: &mut Stop,
        settled: bool,
    ) -> Result<Option<Ending>> {
        match next {
            Next::Stay => {}
            Next::Advance(stage) => {
                let ending = self.review(oracle, method, stop, settled)?;
                if ending.is_some() {
                    return Ok(ending);
                }
                self.enter(stage, oracle, method)?;
            }
            Next::Retreat(stage) => {
                self.theta.clone_from(&self.theta_at_stage_start);
                self.enter(stage, oracle, method)?;
            }
        }
        Ok(None)
    }

    /// At the end of a stage: whether the fit has ended, with the exact model if it is known.
    fn review(
        &mut self,
        oracle: &dyn Oracle,
        method: &mut Method,
        stop: &mut Stop,
        settled: bool,
    ) -> Result<Option<Ending>> {
        let end = match stop.at_limit(self.stage.index + 1) {
            true => End::Limit,
            false if settled => End::Settled,
            false => End::Full,
        };
        if method.schedule.at_cap(&self.stage) {
            method.step.observe(self.mean.loss());
            if self.keep == Keep::Average && method.step.decays() {
                self.best.average(&self.theta);
            }
            // the exact model may have come with the last trial
            let is_known = matches!(self.known, Some(Known::Exact(_)));
            if stop.review(&self.mean, end) || is_known {
                let exact = match self.known.take() {
                    Some(Known::Exact(model)) => model,
                    _ => self.ask(oracle)?,
                };
                if !self.is_finite(&exact) {
                    return Ok(Some(StopReason::NotFinite.into()));
                }
                let mut reduced = exact.clone();
                self.reduce(&mut reduced);
                let own = self.own_model(oracle)?;
                if let Some(reason) = stop.confirm(&reduced, own.as_ref(), &self.mean, end) {
                    return Ok(Some(Ending { reason, exact: Some(exact) }));
                }
                self.known = method.estimator.is_exact().then_some(Known::Exact(exact));
            }
        }
        let exact = |state: &mut LoopState| state.known.take().and_then(Known::into_model);
        Ok((end == End::Limit).then(|| Ending { reason: StopReason::Limit, exact: exact(self) }))
    }

    /// Enters a stage. A new temperature invalidates the estimate.
    fn enter(&mut self, stage: Stage, oracle: &dyn Oracle, method: &mut Method) -> Result<()> {
        if stage.tau != self.stage.tau || stage.rows != self.stage.rows {
            self.known = None;
            method.direction.on_new_objective(&stage);
        }
        self.stage = stage;
        self.theta_at_stage_start.clone_from(&self.theta);
        self.mean = StageMean::default();
        self.accepted = 0;
        method.begin(oracle, &self.theta, &self.stage)
    }

    /// Removes the part of the gradient that the ball holds back, and returns its multiplier.
    fn reduce(&self, model: &mut Model) -> f64 {
        self.ball.map_or(0.0, |ball| ball.reduce(&self.theta, &mut model.gradient))
    }

    /// The model of the loss that is minimised, if it is not squares.
    fn own_model(&self, oracle: &dyn Oracle) -> Result<Option<Model>> {
        if self.objective == Objective::Loss {
            return Ok(None);
        }
        let query = Query::at(&self.theta, self.stage.tau, self.stage.rows, Want::Stationarity);
        let mut own = oracle.ask(&query.of(self.objective))?.model()?;
        self.reduce(&mut own);
        Ok(Some(own))
    }

    fn ask(&mut self, oracle: &dyn Oracle) -> Result<Model> {
        let query = Query::at(&self.theta, self.stage.tau, self.stage.rows, Want::Stationarity);
        let model = oracle.ask(&query)?.model()?;
        oracle.facts().layout.adopt(&mut self.theta, model.response);
        Ok(model)
    }

    pub fn end(mut self, oracle: &dyn Oracle, Ending { reason, exact }: Ending) -> Result<Outcome> {
        use StopReason::{Interrupted, Limit, NotFinite};
        // a fit that was ended on its way, on a sample of the rows, is reported on all of them
        let elsewhere = matches!(reason, Limit | Interrupted | NotFinite) && self.stage.rows != Batch::All;
        if elsewhere {
            self.stage.rows = Batch::All;
        }
        let mut model = match exact.filter(|_| !elsewhere) {
            Some(exact) => exact,
            None => self.ask(oracle)?,
        };
        // the stop rule has confirmed the last point, not another
        if !self.best.theta.is_empty() && matches!(reason, Limit | Interrupted) {
            let last = std::mem::replace(&mut self.theta, std::mem::take(&mut self.best.theta));
            let best = self.ask(oracle)?;
            match best.loss < model.loss {
                true => model = best,
                false => self.theta = last,
            }
        }
        for fallback in [self.theta_before_step.clone(), self.theta_at_stage_start.clone()] {
            if self.is_finite(&model) {
                break;
            }
            self.theta = fallback;
            model = self.ask(oracle)?;
        }
        self.outcome(oracle, reason, model)
    }

    /// The outcome of a run that was left on its way, from its last step.
    pub fn leave(mut self, oracle: &dyn Oracle) -> Result<Outcome> {
        let model = match self.known.take().and_then(Known::into_model) {
            Some(known) => known,
            None => self.ask(oracle)?,
        };
        self.outcome(oracle, StopReason::Interrupted, model)
    }

    fn outcome(self, oracle: &dyn Oracle, reason: StopReason, mut model: Model) -> Result<Outcome> {
        let multiplier = self.reduce(&mut model);
        let matching_gradient = self.own_model(oracle)?.and_then(|own| own.relative_gradient());
        let first_loss = if self.steps > 0 { self.first_loss } else { model.loss };
        let (theta, tau, steps) = (self.theta, self.stage.tau, self.steps);
        Ok(Outcome { theta, tau, reason, steps, first_loss, model, multiplier, matching_gradient })
    }
}
