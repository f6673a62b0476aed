//! *The* loop: every solver of this crate is these lines with other parts.
//!
//! ```text
//! here  = what is known at (θ, τ), else estimated
//! trial = project(θ + p),  p from the direction
//! accept, reject or settle;  observe;  stop;  stay, advance or retreat
//! ```
//!
//! Reference: Algorithm 1 (`algo:main`) with one step a stage, Algorithm 2 with one pass a stage.

use crate::oracle::Batch;
use crate::oracle::{Objective, Oracle, Query, Sums, Want};
use crate::outcome::StopReason;
use crate::solver::direction::Point;
use crate::solver::estimator::StepIndex;
use crate::solver::schedule::{Next, Progress, Stage};
use crate::solver::step::Verdict;
use crate::solver::{Ball, Keep, Method};
use stop::{End, StageMean};

pub mod observe;
pub mod stop;

pub use observe::{Observer, Silent, Step, Watch};
pub use stop::Stop;

/// Where a fit ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// θ in the solver's coordinates.
    pub theta: Vec<f64>,
    /// The last temperature.
    pub tau: f64,
    /// Why it ended.
    pub reason: StopReason,
    /// Steps taken.
    pub steps: usize,
    /// Loss where the first step began, at the temperature and over the rows of the first stage; without any, where it
    /// ended.
    pub first_loss: f64,
    /// Loss, gradient and column norms at θ and `tau`, over all rows; of the gradient, what a ball leaves.
    pub sums: Sums,
    /// μ where a ball holds w back: the fit is stationary for the loss with μ/2·‖w‖² added. Zero inside and without one.
    pub multiplier: f64,
    /// The relative gradient of the matching loss at θ, where this is the loss that was minimised.
    pub matching_gradient: Option<f64>,
}

/// The largest entry of θ that other units than the solver's leave finite.
pub(crate) const FARTHEST: f64 = 1e290;

/// What the loop owns: θ, where the stage began, and what is known at (θ, τ).
struct LoopState {
    theta: Vec<f64>,
    /// θ before the last accepted step, and where the stage began: what remains if a step leads out of the numbers.
    before: Vec<f64>,
    begun: Vec<f64>,
    ball: Option<Ball>,
    objective: Objective,
    stage: Stage,
    known: Option<Sums>,
    mean: StageMean,
    keep: Keep,
    kept: BestPoint,
    steps: usize,
    first_loss: f64,
    accepted: usize,
}

/// A point that may be better than the last; none before anything was put in.
#[derive(Default)]
struct BestPoint {
    theta: Vec<f64>,
    loss: Option<f64>,
    stages: f64,
}

impl BestPoint {
    /// Takes in where a stage ended: the mean of those, later ones counting more, the k-th with k².
    ///
    /// Reference: Shamir and Zhang (2013), polynomial-decay averaging.
    fn average(&mut self, theta: &[f64]) {
        self.stages += 1.0;
        self.theta.resize(theta.len(), 0.0);
        let share = 3.0 / (self.stages + 2.0);
        self.theta.iter_mut().zip(theta).for_each(|(mean, theta)| *mean += share * (theta - *mean));
    }

    /// Takes in a point if its loss is the lowest so far.
    fn best(&mut self, theta: &[f64], loss: f64) {
        if self.loss.is_none_or(|lowest| loss < lowest) {
            self.loss = Some(loss);
            self.theta.clear();
            self.theta.extend_from_slice(theta);
        }
    }
}

/// Runs a method from `start` until `stop` says so or `observer` ends it.
///
/// Not converging is a [`StopReason`], never an error.
pub fn fit(oracle: &dyn Oracle, method: Method, start: Vec<f64>, stop: Stop, observer: &mut dyn Observer) -> Outcome {
    let mut fitting = FitLoop::begin(oracle, method, start, stop);
    loop {
        if let Some(over) = fitting.step(observer) {
            return fitting.end(over);
        }
    }
}

/// A fit on its way: the loop, a step at a time, for whoever has several of them on the same rows.
pub(crate) struct FitLoop<'o> {
    oracle: &'o dyn Oracle,
    method: Method,
    stop: Stop,
    state: LoopState,
    /// Room for the displacement.
    p: Vec<f64>,
}

/// Why a fit is over, with the exact sums where they were asked for.
pub(crate) type Ending = (StopReason, Option<Sums>);

impl<'o> FitLoop<'o> {
    pub fn begin(oracle: &'o dyn Oracle, mut method: Method, mut start: Vec<f64>, stop: Stop) -> FitLoop<'o> {
        method.ball.iter().for_each(|ball| ball.project(&mut start));
        let state = LoopState::new(start, method.schedule.first(), &method);
        let p = vec![0.0; state.theta.len()];
        if !stop.at_limit(0) {
            method.begin(oracle, &state.theta, &state.stage);
        }
        FitLoop { oracle, method, stop, state, p }
    }

    /// What the next step asks first, where it is a question that others may answer with theirs: see [`FitLoop::tell`].
    pub fn question(&self) -> Option<Query<'_>> {
        if self.state.known.is_some() || self.stop.at_limit(0) {
            return None;
        }
        self.method.question(&self.state.theta, self.state.index())
    }

    /// Takes the answer to its question.
    pub fn tell(&mut self, answer: Sums) {
        self.state.known = Some(answer);
    }

    /// Takes a step; answers why the fit is over, if it is.
    pub fn step(&mut self, observer: &mut dyn Observer) -> Option<Ending> {
        let FitLoop { oracle, method, stop, state, p } = self;
        if stop.at_limit(0) {
            return Some((StopReason::Limit, None));
        }
        let here = state.known.take().unwrap_or_else(|| method.estimate(*oracle, &state.theta, state.index()));
        if !state.is_finite(&here) {
            return Some((StopReason::NotFinite, None));
        }
        if oracle.is_interrupted() {
            return Some((StopReason::Interrupted, None));
        }
        let point = Point { theta: &state.theta, sums: &here, stage: state.stage, ball: state.ball, oracle: *oracle };
        let predicted = method.direction.displace(method.step.size(), &point, p);
        let trial = state.trial(p);
        let there = method.step.judges().then(|| method.estimate(*oracle, &trial, state.index()));
        let verdict = match there.as_ref().map_or(Verdict::Accept, |there| method.step.judge(&here, there, predicted)) {
            // an exact fit has nothing left to gain, whatever a new look would tell
            Verdict::Settled if !here.is_rounding() && method.direction.wants_refresh() => Verdict::Reject,
            verdict => verdict,
        };
        state.mean.add(&here, predicted);
        if state.keep == Keep::Best && method.schedule.at_cap(&state.stage) {
            state.kept.best(&state.theta, here.loss);
        }
        let step = StepRecord {
            rows: here.rows,
            loss: here.loss,
            gradient: here.gradient_norm(),
            saturated: here.saturated,
            verdict,
        };
        state.take(verdict, trial, here, there);
        if observer.step(&state.report(*oracle, &step)).is_break() || oracle.is_interrupted() {
            return Some((StopReason::Interrupted, None));
        }
        let (settled, small) = (verdict == Verdict::Settled, predicted <= 0.01 * step.loss);
        let progress = Progress { accepted: state.accepted, loss: step.loss, settled, small };
        let next = method.schedule.next(&state.stage, &progress);
        state.follow(next, *oracle, method, stop, settled)
    }

    /// Where it has ended.
    pub fn end(self, (reason, sums): Ending) -> Outcome {
        self.state.end(self.oracle, reason, sums)
    }
}

/// What an observer hears of a step besides where it led.
struct StepRecord {
    rows: usize,
    loss: f64,
    gradient: f64,
    saturated: f64,
    verdict: Verdict,
}

impl LoopState {
    fn new(theta: Vec<f64>, stage: Stage, method: &Method) -> LoopState {
        let (before, begun) = (theta.clone(), theta.clone());
        LoopState {
            theta,
            before,
            begun,
            ball: method.ball,
            objective: method.estimator.objective(),
            stage,
            known: None,
            mean: StageMean::default(),
            keep: method.keep,
            kept: BestPoint::default(),
            steps: 0,
            first_loss: f64::NAN,
            accepted: 0,
        }
    }

    fn index(&self) -> StepIndex {
        StepIndex { stage: self.stage, step: self.accepted }
    }

    /// Whether θ and what was found there are numbers: where φ is flat, a θ beyond them has a loss like any other.
    fn is_finite(&self, sums: &Sums) -> bool {
        sums.is_finite() && self.theta.iter().all(|theta| theta.abs() <= FARTHEST)
    }

    fn trial(&self, p: &[f64]) -> Vec<f64> {
        let mut trial: Vec<f64> = self.theta.iter().zip(p).map(|(theta, p)| theta + p).collect();
        self.ball.iter().for_each(|ball| ball.project(&mut trial));
        trial
    }

    fn take(&mut self, verdict: Verdict, trial: Vec<f64>, here: Sums, there: Option<Sums>) {
        if self.steps == 0 {
            self.first_loss = here.loss;
        }
        self.steps += 1;
        if verdict == Verdict::Accept {
            self.before = std::mem::replace(&mut self.theta, trial);
            self.known = there;
            self.accepted += 1;
        } else {
            self.known = Some(here);
        }
    }

    fn report(&self, oracle: &dyn Oracle, seen: &StepRecord) -> Step<'_> {
        Step {
            step: self.steps,
            stage: self.stage.index,
            tau: self.stage.tau,
            rows: seen.rows,
            passes: oracle.visited() as f64 / oracle.rows() as f64,
            loss: seen.loss,
            gradient: seen.gradient,
            saturated: seen.saturated,
            accepted: seen.verdict == Verdict::Accept,
            theta: &self.theta,
        }
    }

    /// Goes where the schedule says; answers why the fit is over, if it is.
    fn follow(
        &mut self,
        next: Next,
        oracle: &dyn Oracle,
        method: &mut Method,
        stop: &mut Stop,
        settled: bool,
    ) -> Option<Ending> {
        match next {
            Next::Stay => return None,
            Next::Advance(stage) => {
                let over = self.review(oracle, method, stop, settled);
                if over.is_some() {
                    return over;
                }
                self.enter(stage, oracle, method);
            }
            Next::Retreat(stage) => {
                self.theta.clone_from(&self.begun);
                self.enter(stage, oracle, method);
            }
        }
        None
    }

    /// Whether the fit is over now that a stage is, with the exact sums where they were asked for.
    fn review(&mut self, oracle: &dyn Oracle, method: &mut Method, stop: &mut Stop, settled: bool) -> Option<Ending> {
        let end = match stop.at_limit(self.stage.index + 1) {
            true => End::Limit,
            false if settled => End::Settled,
            false => End::Full,
        };
        if method.schedule.at_cap(&self.stage) {
            method.step.observe(self.mean.loss());
            if self.keep == Keep::Average && method.step.decays() {
                self.kept.average(&self.theta);
            }
            // the exact sums may have come with the last trial
            let told = self.known.as_ref().is_some_and(|known| !known.column_norms.is_empty());
            if stop.review(&self.mean, end) || told {
                let exact = match self.known.take() {
                    Some(known) if !known.column_norms.is_empty() => known,
                    _ => self.ask(oracle),
                };
                if !self.is_finite(&exact) {
                    return Some((StopReason::NotFinite, None));
                }
                let mut reduced = exact.clone();
                self.reduce(&mut reduced);
                let own = self.own_sums(oracle);
                if let Some(reason) = stop.confirm(&reduced, own.as_ref(), &self.mean, end) {
                    return Some((reason, Some(exact)));
                }
                self.known = method.estimator.is_exact().then_some(exact);
            }
        }
        (end == End::Limit).then(|| (StopReason::Limit, self.known.take()))
    }

    /// A change of temperature forgets what is known.
    fn enter(&mut self, stage: Stage, oracle: &dyn Oracle, method: &mut Method) {
        if stage.tau != self.stage.tau || stage.rows != self.stage.rows {
            self.known = None;
            method.direction.on_new_objective(&stage);
        }
        self.stage = stage;
        self.begun.clone_from(&self.theta);
        self.mean = StageMean::default();
        self.accepted = 0;
        method.begin(oracle, &self.theta, &self.stage);
    }

    /// Leaves of the gradient what the ball does not hold back, and answers with its multiplier.
    fn reduce(&self, sums: &mut Sums) -> f64 {
        self.ball.map_or(0.0, |ball| ball.reduce(&self.theta, &mut sums.gradient))
    }

    /// What the stop rule compares of the loss that is minimised, where it is not squares.
    fn own_sums(&self, oracle: &dyn Oracle) -> Option<Sums> {
        if self.objective == Objective::Squares {
            return None;
        }
        let query = Query::new(&self.theta, self.stage.tau, self.stage.rows, Want::Stationarity);
        let mut own = oracle.ask(&Query { objective: self.objective, ..query });
        self.reduce(&mut own);
        Some(own)
    }

    fn ask(&self, oracle: &dyn Oracle) -> Sums {
        oracle.ask(&Query::new(&self.theta, self.stage.tau, self.stage.rows, Want::Stationarity))
    }

    fn end(mut self, oracle: &dyn Oracle, reason: StopReason, known: Option<Sums>) -> Outcome {
        use StopReason::{Interrupted, Limit, NotFinite};
        // a fit that was ended on its way, on a sample of the rows, is reported on all of them
        let elsewhere = matches!(reason, Limit | Interrupted | NotFinite) && self.stage.rows != Batch::All;
        if elsewhere {
            self.stage.rows = Batch::All;
        }
        let told = |sums: &Sums| !elsewhere && !sums.column_norms.is_empty();
        let mut sums = known.filter(told).unwrap_or_else(|| self.ask(oracle));
        // the stop rule has confirmed the last point, not another
        if !self.kept.theta.is_empty() && matches!(reason, Limit | Interrupted) {
            let last = std::mem::replace(&mut self.theta, std::mem::take(&mut self.kept.theta));
            let kept = self.ask(oracle);
            match kept.loss < sums.loss {
                true => sums = kept,
                false => self.theta = last,
            }
        }
        for fallback in [self.before.clone(), self.begun.clone()] {
            if self.is_finite(&sums) {
                break;
            }
            self.theta = fallback;
            sums = self.ask(oracle);
        }
        let multiplier = self.reduce(&mut sums);
        let matching_gradient = self.own_sums(oracle).and_then(|own| own.relative_gradient());
        let LoopState { theta, stage: Stage { tau, .. }, steps, .. } = self;
        let first_loss = if steps > 0 { self.first_loss } else { sums.loss };
        Outcome { theta, tau, reason, steps, first_loss, sums, multiplier, matching_gradient }
    }
}
