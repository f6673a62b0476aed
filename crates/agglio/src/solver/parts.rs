//! The *parts* that a solver by name is put together from.

use crate::error::Result;
use crate::oracle::Oracle;
use crate::solver::direction::{Adaptive, Second};
use crate::solver::estimator::{Estimator, Full, Shuffle, Smoothing};
use crate::solver::preset::Settings;
use crate::solver::row::{Row, Step};
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
    pub row: &'static Row,
    pub settings: &'a Settings,
    /// How minibatches visit the rows, where there are any.
    pub shuffle: Option<Shuffle>,
    /// Λ of the batch; none where it was not needed or the activation has no largest slope.
    lambda: Option<f64>,
    /// α of Adam, Yogi and NGD unless given.
    alpha: f64,
    pub smoothing: Smoothing,
}

impl<'a> Parts<'a> {
    pub fn new(solver: Solver, settings: &'a Settings, oracle: &dyn Oracle, start: &[f64]) -> Result<Parts<'a>> {
        let row = solver.row();
        let shuffle = settings.batch.or(row.batch).map(|batch| Shuffle::new(settings.seed, batch, oracle.rows()));
        let smoothness = match (row.measures)(settings) {
            true => Smoothness::measure(oracle, settings.tau_max)?,
            false => None,
        };
        let batch = shuffle.map_or(oracle.rows(), |shuffle| shuffle.size());
        let lambda = smoothness.map(|smoothness| (row.lambda)(&smoothness, batch));
        let far = row.step == Step::Alpha && settings.eta.is_none();
        let far = far || (solver.accepts("delta") && settings.delta.or(settings.radius).is_none());
        let distance = if far { oracle.rms_preimage_error(start)? } else { 0.0 };
        let delta =
            settings.delta.or(settings.radius).unwrap_or_else(|| distance / smoothness.map_or(1.0, |s| s.spread()));
        // in steps of α the way must not be longer than a few dozen of them
        let alpha = ALPHA * (0.1 * distance).max(1.0);
        Ok(Parts { row, settings, shuffle, lambda, alpha, smoothing: Smoothing { first: delta } })
    }

    /// An estimator by minibatches; by all rows where there are none.
    pub fn batched(&self, estimator: impl Fn(Shuffle) -> Box<dyn Estimator>) -> Box<dyn Estimator> {
        self.shuffle.map_or_else(|| Box::new(Full) as Box<dyn Estimator>, estimator)
    }

    /// Adam or Yogi.
    pub fn adaptive(&self, second: Second) -> Adaptive {
        Adaptive::new(second, self.floor(), self.settings.betas)
    }

    pub fn step(&self) -> Box<dyn StepRule> {
        match self.row.step {
            Step::TrustRegion => Box::new(TrustRegion::default()),
            Step::Armijo => Box::new(Armijo::natural()),
            _ if self.searches() => Box::new(Armijo::new(1.0)),
            _ if self.decays() => Box::new(Decay::new(self.size())),
            _ => Box::new(step::Constant(self.size())),
        }
    }

    /// Whether it must search for the length of its steps, since the activation has no largest slope.
    fn searches(&self) -> bool {
        let may = self.row.step == Step::SmoothnessOrSearch;
        may && self.settings.eta.is_none() && self.lambda.is_none()
    }

    /// The length of the first step; none where it is searched for.
    pub fn first_size(&self) -> Option<f64> {
        (!self.searches()).then(|| self.size())
    }

    /// The length of the first step.
    fn size(&self) -> f64 {
        self.settings.eta.unwrap_or(match self.row.step {
            Step::Alpha => self.alpha,
            _ => 1.0 / self.smoothness(),
        })
    }

    /// Whether steps are to shorten once they gain nothing: not those of competitors as their papers have them.
    fn decays(&self) -> bool {
        self.settings.decay.unwrap_or_else(|| (self.row.decays)(self.settings))
    }

    pub fn keep(&self) -> Keep {
        match self.row.keep {
            Keep::Best if self.settings.decay != Some(false) => Keep::Best,
            Keep::Average if self.decays() => Keep::Average,
            _ => Keep::Last,
        }
    }

    /// The textbook's ε, or α₀·Λ.
    fn floor(&self) -> f64 {
        self.settings.epsilon.unwrap_or_else(|| self.settings.eta.unwrap_or(self.alpha) * self.smoothness())
    }

    /// Λ, without which no plan is built that needs it; one where every covariate is zero and any step will do.
    fn smoothness(&self) -> f64 {
        self.lambda.filter(|&lambda| lambda > 0.0).unwrap_or(1.0)
    }
}
