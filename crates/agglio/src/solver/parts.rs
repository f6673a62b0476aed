//! The *parts* that a solver by name is put together from.

use crate::error::Result;
use crate::oracle::{Hessian, Oracle};
use crate::solver::direction::{
    Adaptive, Direction, Lbfgs, LevenbergMarquardt, Momentum, Nesterov, NewtonCg, Normalised, Second, Steepest,
    SuffixAveraging,
};
use crate::solver::estimator::{Estimator, Full, MatchingLoss, Minibatch, Saga, Shuffle, Smoothed, Smoothing, Svrg};
use crate::solver::preset::Settings;
use crate::solver::schedule::{Constant, Geometric, Schedule};
use crate::solver::step::{self, Armijo, Decay, Smoothness, StepRule, TrustRegion};
use crate::solver::{Keep, Solver};

/// The first temperature of a graduated fit, unless the start is so far out that τ₀·distance would exceed one: the
/// basin of strong convexity has a radius of the order of 1/τ (`lem:sigmoid-elsc`).
const TAU0: f64 = 0.01;

/// No start is so far out that a first temperature below this helps: the path to one would take longer than the fit.
const COLDEST: f64 = 1e-9;

/// α of Adam, Yogi and NGD in standardised units, for a start up to ten away from the labels' predictors.
const ALPHA: f64 = 0.3;

/// Rows in a minibatch unless given.
pub(crate) const BATCH: usize = 50;

/// A cap of zero leaves nothing to graduate.
pub(super) fn graduated(
    settings: &Settings,
    steps: usize,
    oracle: &dyn Oracle,
    start: &[f64],
) -> Result<Box<dyn Schedule>> {
    let Settings { tau0, beta, tau_max, .. } = *settings;
    if tau_max == 0.0 {
        return Ok(Box::new(Constant { tau: tau_max, steps }));
    }
    let tau0 = match tau0 {
        Some(tau0) => tau0,
        None => TAU0.min(tau_max).min((1.0 / oracle.rms_preimage_error(start)?).max(COLDEST)),
    };
    Ok(Box::new(Geometric { tau0, beta, tau_max, steps }))
}

/// What the parts of a solver are made of.
pub(super) struct Parts<'a> {
    solver: Solver,
    settings: &'a Settings,
    /// How minibatches visit the rows, where there are any.
    pub shuffle: Option<Shuffle>,
    /// Λ of the batch; none where it was not needed or the activation has no largest slope.
    lambda: Option<f64>,
    /// α of Adam, Yogi and NGD unless given.
    alpha: f64,
    smoothing: Smoothing,
}

impl<'a> Parts<'a> {
    pub fn new(solver: Solver, settings: &'a Settings, oracle: &dyn Oracle, start: &[f64]) -> Result<Parts<'a>> {
        let shuffle = settings
            .batch
            .or(solver.uses_batches().then_some(BATCH))
            .map(|batch| Shuffle::new(settings.seed, batch, oracle.rows()));
        let gradopt = solver == Solver::Gradopt;
        let measured = solver.uses_eta() && solver != Solver::Ngd && settings.eta.is_none();
        let measured = measured || (solver.is_adaptive() && settings.epsilon.is_none()) || gradopt;
        let smoothness = if measured { Smoothness::measure(oracle, settings.tau_max)? } else { None };
        let lambda = smoothness.map(|smooth| match solver {
            Solver::Glmtron => smooth.of_matching(),
            _ => smooth.of_batch(shuffle.map_or(oracle.rows(), |shuffle| shuffle.size())),
        });
        let far = (solver.is_adaptive() || solver == Solver::Ngd) && settings.eta.is_none();
        let far = far || (gradopt && settings.delta.or(settings.radius).is_none());
        let distance = if far { oracle.rms_preimage_error(start)? } else { 0.0 };
        let delta =
            settings.delta.or(settings.radius).unwrap_or_else(|| distance / smoothness.map_or(1.0, |s| s.spread()));
        // in steps of α the way must not be longer than a few dozen of them
        let alpha = ALPHA * (0.1 * distance).max(1.0);
        Ok(Parts { solver, settings, shuffle, lambda, alpha, smoothing: Smoothing { first: delta } })
    }

    pub fn estimator(&self) -> Box<dyn Estimator> {
        match (self.solver, self.shuffle) {
            (Solver::Glmtron, _) => Box::new(MatchingLoss),
            (_, None) => Box::new(Full),
            (Solver::Svrg, Some(shuffle)) => Box::new(Svrg::new(shuffle)),
            (Solver::Saga, Some(shuffle)) => Box::new(Saga::new(shuffle)),
            (Solver::Gradopt, Some(shuffle)) => Box::new(Smoothed::new(shuffle, self.smoothing, self.settings.seed)),
            (_, Some(shuffle)) => Box::new(Minibatch(shuffle)),
        }
    }

    pub fn direction(&self) -> Result<Box<dyn Direction>> {
        let Settings { mu, betas, .. } = *self.settings;
        Ok(match self.solver {
            Solver::Auto | Solver::Lm | Solver::Multistart | Solver::Irls | Solver::Linear => {
                Box::new(LevenbergMarquardt::ending_in_full())
            }
            Solver::Newton => Box::new(LevenbergMarquardt::new(Hessian::Full)),
            Solver::NewtonCg => Box::new(NewtonCg::default()),
            Solver::Lbfgs => Box::new(Lbfgs::default()),
            Solver::Gd | Solver::Sgd | Solver::Svrg | Solver::Saga | Solver::Glmtron | Solver::Theory => {
                Box::new(Steepest)
            }
            Solver::Momentum => Box::new(Momentum::new(mu)),
            Solver::Nesterov => Box::new(Nesterov::new(mu)),
            Solver::Adam => Box::new(Adaptive::new(Second::Adam, self.floor()?, betas)),
            Solver::Yogi => Box::new(Adaptive::new(Second::Yogi, self.floor()?, betas).with_v0(self.settings.v0)),
            Solver::Ngd => Box::new(Normalised),
            Solver::Gradopt => Box::new(SuffixAveraging::new(self.smoothing)),
        })
    }

    pub fn step(&self) -> Result<Box<dyn StepRule>> {
        match self.solver {
            Solver::NewtonCg | Solver::Lbfgs => return Ok(Box::new(Armijo::natural())),
            solver if !solver.uses_eta() => return Ok(Box::new(TrustRegion::default())),
            _ if self.searches() => return Ok(Box::new(Armijo::new(1.0))),
            _ => {}
        }
        let size = self.size()?;
        Ok(match self.decays() {
            true => Box::new(Decay::new(size)),
            false => Box::new(step::Constant(size)),
        })
    }

    /// Whether it must search for the length of its steps, since the activation has no largest slope.
    fn searches(&self) -> bool {
        self.solver == Solver::Gd && self.settings.eta.is_none() && self.lambda.is_none()
    }

    /// The length of the first step; none where it is searched for.
    pub fn first_size(&self) -> Result<Option<f64>> {
        if self.searches() { Ok(None) } else { self.size().map(Some) }
    }

    /// The length of the first step.
    fn size(&self) -> Result<f64> {
        match (self.solver, self.settings.eta) {
            (_, Some(eta)) => Ok(eta),
            (Solver::Adam | Solver::Yogi | Solver::Ngd, None) => Ok(self.alpha),
            (_, None) => Ok(1.0 / self.smoothness()?),
        }
    }

    /// Whether steps are to shorten once they gain nothing: not those of competitors as their papers have them.
    fn decays(&self) -> bool {
        let unless_given = match self.solver {
            Solver::Ngd => self.settings.eta.is_none(),
            Solver::Adam | Solver::Yogi => self.settings.epsilon.is_none(),
            solver => solver.can_decay(),
        };
        self.settings.decay.unwrap_or(unless_given)
    }

    pub fn keep(&self) -> Keep {
        match self.solver {
            Solver::Ngd if self.settings.decay != Some(false) => Keep::Best,
            _ if self.decays() => Keep::Average,
            _ => Keep::Last,
        }
    }

    /// The textbook's ε, or α₀·Λ.
    fn floor(&self) -> Result<f64> {
        self.settings.epsilon.map_or_else(|| Ok(self.settings.eta.unwrap_or(self.alpha) * self.smoothness()?), Ok)
    }

    /// Λ; one where every covariate is zero and any step will do.
    fn smoothness(&self) -> Result<f64> {
        let lambda = self.lambda.ok_or_else(|| self.solver.refuse_unbounded())?;
        Ok(if lambda > 0.0 { lambda } else { 1.0 })
    }
}
