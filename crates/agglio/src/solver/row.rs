//! A *row* of the registry: the parts of a solver, its defaults, and the options that it takes.

use crate::solver::Keep;
use crate::solver::direction::{Direction, LevenbergMarquardt, Steepest};
use crate::solver::estimator::{Estimator, Full, Minibatch};
use crate::solver::parts::Parts;
use crate::solver::preset::Settings;
use crate::solver::step::Smoothness;

/// Solvers that go through the same temperatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// An adaptive path of temperatures.
    Adaptive,
    /// The paper's first-order methods: the temperature grows by the factor β a stage.
    Graduated,
    /// The last temperature only.
    Plain,
    /// τ = 0 only.
    Linear,
    /// The temperatures of the paper's theorems.
    Theory,
}

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    TrustRegion,
    Armijo,
    /// η, or 1/Λ.
    Smoothness,
    /// η, or 1/Λ, or a line search where the activation has no largest slope.
    SmoothnessOrSearch,
    /// η, or α.
    Alpha,
}

/// A row of the registry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub family: Family,
    pub estimator: fn(&Parts<'_>) -> Box<dyn Estimator>,
    pub direction: fn(&Parts<'_>) -> Box<dyn Direction>,
    pub step: Step,
    /// Which point is kept, unless the steps are of constant length.
    pub keep: Keep,
    /// Whether steps shorten once they gain nothing, unless that was chosen.
    pub decays: fn(&Settings) -> bool,
    /// Whether Λ is measured.
    pub measures: fn(&Settings) -> bool,
    /// Λ of its loss over a batch of this size.
    pub lambda: fn(&Smoothness, usize) -> f64,
    /// Whether every step asks one question, for the gradient over all rows or a minibatch, and nothing else.
    pub asks_once: bool,
    /// Whether it closes in on a noisy optimum at a fixed rate; the others must decay their step.
    pub converges_linearly: bool,
    /// Whether it forms the curvature of any number of coefficients.
    pub forms_curvature: bool,
    /// Whether it fits free entries of the response scale: it searches for its step, on all rows.
    pub fits_response: bool,
    /// Whether it minimises losses other than least squares: at the last temperature, by steps that no Λ of squares decides.
    pub fits_any_loss: bool,
    /// Rows in a minibatch unless given; none for all rows.
    pub batch: Option<usize>,
    /// Passes in a stage unless given. GradOpt must come as close as the next, smaller ball demands.
    pub passes: usize,
    /// Stages without a smaller gradient after which none is expected. Momentum needs many steps to swing back.
    pub patience: usize,
    /// T of the outer loop unless given.
    pub epochs: usize,
    /// The keys that it takes, of those that only some solvers take.
    pub accepts: &'static [&'static [&'static str]],
    /// The keys that it does not take, of those that the others take, and why.
    pub refuses: &'static [(&'static str, &'static str)],
}

/// Rows in a minibatch unless given.
pub(crate) const BATCH: usize = 50;

/// Keys of the schedule of temperatures.
pub(super) const SCHEDULE: &[&str] = &["tau0", "beta", "branch"];
/// Keys of running means of the gradient.
pub(super) const MOMENTS: &[&str] = &["beta1", "beta2", "epsilon", "decay"];

/// Levenberg–Marquardt at the last temperature.
pub(super) const PLAIN: Row = Row {
    family: Family::Plain,
    estimator: |_| Box::new(Full),
    direction: |_| Box::new(LevenbergMarquardt::ending_in_full()),
    step: Step::TrustRegion,
    keep: Keep::Last,
    decays: |_| false,
    measures: |_| false,
    lambda: Smoothness::of_batch,
    asks_once: false,
    converges_linearly: true,
    forms_curvature: true,
    fits_response: true,
    fits_any_loss: false,
    batch: None,
    passes: 1,
    patience: 100,
    epochs: 3000,
    accepts: &[],
    refuses: &[],
};

/// Gradient steps of length 1/Λ on all rows.
pub(super) const GRADUATED: Row = Row {
    family: Family::Graduated,
    direction: |_| Box::new(Steepest),
    step: Step::Smoothness,
    measures: |settings| settings.eta.is_none(),
    asks_once: true,
    forms_curvature: false,
    accepts: &[SCHEDULE, &["eta"]],
    fits_response: false,
    ..PLAIN
};

/// Gradient steps on minibatches.
pub(super) const STOCHASTIC: Row = Row {
    estimator: |parts| parts.batched(|shuffle| Box::new(Minibatch(shuffle))),
    converges_linearly: false,
    batch: Some(BATCH),
    patience: 20,
    epochs: 500,
    accepts: &[SCHEDULE, &["eta", "batch"]],
    ..GRADUATED
};

/// Gradient steps on minibatches whose noise vanishes at the optimum.
pub(super) const REDUCED: Row = Row { asks_once: false, converges_linearly: true, ..STOCHASTIC };

/// Steps along running means of the gradient.
pub(super) const ADAPTIVE: Row = Row {
    step: Step::Alpha,
    keep: Keep::Average,
    // the textbook's ε comes with the textbook's constant step
    decays: |settings| settings.epsilon.is_none(),
    measures: |settings| settings.eta.is_none() || settings.epsilon.is_none(),
    accepts: &[SCHEDULE, &["eta", "batch"], MOMENTS],
    ..STOCHASTIC
};
