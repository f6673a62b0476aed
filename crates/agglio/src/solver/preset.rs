//! *Presets*: every solver by name, each a choice of parts.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, ErrorKind, Result};
use crate::math::linalg::Symmetric;
use crate::oracle::Batch;
use crate::oracle::{Oracle, WIDE};
use crate::solver::direction::{Direction, GaussNewtonBfgs, LevenbergMarquardt, NewtonCg, V0};
use crate::solver::estimator::Full;
use crate::solver::parts::{Parts, graduated};
use crate::solver::schedule::{self, Constant};
use crate::solver::step::{Armijo, StepRule, TrustRegion};
use crate::solver::{Ball, Keep, Method};
use crate::text::suggest::nearest;

/// A solver by name: the default, the graduated variants of the paper, each its plain namesake with τ₀ = 1, and baselines
/// without graduation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Solver {
    /// The default: a start in closed form, then Levenberg–Marquardt along an adaptive temperature path.
    Auto,
    /// Gradient descent on all rows: Algorithm 1.
    Gd,
    /// Minibatch gradient descent: Algorithm 2, single points included.
    Sgd,
    /// Minibatches with SVRG's variance reduction.
    Svrg,
    /// Minibatches with SAGA's variance reduction.
    Saga,
    /// Gradient descent with a heavy ball.
    Momentum,
    /// Nesterov's accelerated gradient.
    Nesterov,
    /// Adam on minibatches.
    Adam,
    /// Yogi on minibatches.
    Yogi,
    /// L-BFGS, without graduation.
    Lbfgs,
    /// Newton's method with damping, without graduation.
    Newton,
    /// Newton's method by conjugate gradients, without graduation.
    NewtonCg,
    /// Levenberg–Marquardt, without graduation.
    Lm,
    /// Levenberg–Marquardt from ten random starts, without graduation; the best is kept.
    Multistart,
    /// Normalised gradient descent on all rows, or on minibatches if a batch size is given, without graduation.
    Ngd,
    /// Stochastic descent on the loss smoothed over ever smaller balls, without graduation.
    Gradopt,
    /// Gradient descent on the matching loss, without graduation.
    Glmtron,
    /// Iteratively reweighted least squares on the matching loss, then Levenberg–Marquardt, without graduation.
    Irls,
    /// Linear least squares on φ⁻¹(y): the stage at τ = 0 and no other.
    Linear,
    /// Algorithm 1 or 2 with the temperatures, steps and epochs that its theorem asks for.
    Theory,
}

/// The numbers that a preset is made with, all checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Settings {
    /// The first temperature; found from the start where not given.
    pub tau0: Option<f64>,
    pub beta: f64,
    pub tau_max: f64,
    pub eta: Option<f64>,
    /// How much of the last displacement momentum and Nesterov keep.
    pub mu: f64,
    /// β₁ and β₂ of Adam and Yogi.
    pub betas: (f64, f64),
    /// The textbook's ε of Adam and Yogi in the place of α₀·Λ.
    pub epsilon: Option<f64>,
    /// Whether steps shorten once they gain nothing; the solver's own choice where not given.
    pub decay: Option<bool>,
    /// What Yogi's second moment begins with.
    pub v0: V0,
    /// Passes in a stage of GradOpt; ten where not given.
    pub passes: Option<usize>,
    /// δ₀ of GradOpt; found from the start where not given.
    pub delta: Option<f64>,
    pub batch: Option<usize>,
    pub radius: Option<f64>,
    pub seed: u64,
}

impl Settings {
    /// What θ must stay in, if anything.
    pub fn ball(&self, oracle: &dyn Oracle) -> Option<Ball> {
        self.radius.map(|radius| Ball { radius, layout: oracle.facts().layout })
    }
}

impl Solver {
    /// All of them, in the order in which they are listed to users.
    pub const ALL: [Solver; 20] = [
        Solver::Auto,
        Solver::Gd,
        Solver::Sgd,
        Solver::Svrg,
        Solver::Saga,
        Solver::Momentum,
        Solver::Nesterov,
        Solver::Adam,
        Solver::Yogi,
        Solver::Lbfgs,
        Solver::Newton,
        Solver::NewtonCg,
        Solver::Lm,
        Solver::Multistart,
        Solver::Ngd,
        Solver::Gradopt,
        Solver::Glmtron,
        Solver::Irls,
        Solver::Linear,
        Solver::Theory,
    ];

    /// Entries of θ up to which a solver that forms their curvature may do so.
    const FORMED: usize = 5000;

    /// The name as a user types it.
    pub fn name(self) -> &'static str {
        match self {
            Solver::Auto => "auto",
            Solver::Gd => "gd",
            Solver::Sgd => "sgd",
            Solver::Svrg => "svrg",
            Solver::Saga => "saga",
            Solver::Momentum => "momentum",
            Solver::Nesterov => "nesterov",
            Solver::Adam => "adam",
            Solver::Yogi => "yogi",
            Solver::Lbfgs => "lbfgs",
            Solver::Newton => "newton",
            Solver::NewtonCg => "newton-cg",
            Solver::Lm => "lm",
            Solver::Multistart => "multistart",
            Solver::Ngd => "ngd",
            Solver::Gradopt => "gradopt",
            Solver::Glmtron => "glmtron",
            Solver::Irls => "irls",
            Solver::Linear => "linear",
            Solver::Theory => "theory",
        }
    }

    /// Whether it visits the rows in minibatches.
    pub fn uses_batches(self) -> bool {
        use Solver::{Adam, Gradopt, Saga, Sgd, Svrg, Yogi};
        matches!(self, Sgd | Svrg | Saga | Adam | Yogi | Gradopt)
    }

    /// Whether it can visit the rows in minibatches.
    pub fn takes_batches(self) -> bool {
        self.uses_batches() || matches!(self, Solver::Ngd | Solver::Theory)
    }

    /// Whether it is a first-order variant of the paper, with a temperature schedule to set.
    pub fn is_graduated(self) -> bool {
        use Solver::{Adam, Gd, Momentum, Nesterov, Saga, Sgd, Svrg, Yogi};
        matches!(self, Gd | Sgd | Svrg | Saga | Momentum | Nesterov | Adam | Yogi)
    }

    /// The graduated first-order variants of the paper.
    pub fn paper() -> impl Iterator<Item = Solver> {
        Solver::ALL.into_iter().filter(|solver| solver.is_graduated())
    }

    /// Whether it has a step length to set.
    pub fn uses_eta(self) -> bool {
        self.is_graduated() || matches!(self, Solver::Ngd | Solver::Gradopt | Solver::Glmtron)
    }

    /// Whether it cannot do without Λ, and so without the activation's largest slope: for the length of its steps, or for
    /// the floor of Adam and Yogi. `gd` searches for its step where there is none.
    pub(crate) fn needs_slope(self, eta: Option<f64>, epsilon: Option<f64>) -> bool {
        match self {
            Solver::Gd | Solver::Ngd => false,
            Solver::Adam | Solver::Yogi => epsilon.is_none(),
            _ => self.uses_eta() && eta.is_none(),
        }
    }

    /// The error for an activation that has no largest slope.
    pub(crate) fn refuse_unbounded(self) -> Error {
        let reason = match self.is_adaptive() {
            true => "it needs the largest slope; use solver `auto` or `gd`, or give epsilon",
            false => "no step is safe for it; use solver `auto`, or `gd`, which searches for its step, or give eta",
        };
        ErrorKind::Incompatible {
            one: format!("solver `{self}`"),
            other: "an activation of unbounded slope".into(),
            reason: reason.into(),
        }
        .into()
    }

    /// Whether every step asks one question, for the gradient over all rows or a minibatch, and nothing else.
    pub(crate) fn asks_once(self) -> bool {
        use Solver::{Adam, Gd, Glmtron, Momentum, Nesterov, Ngd, Sgd, Yogi};
        matches!(self, Gd | Sgd | Momentum | Nesterov | Adam | Yogi | Ngd | Glmtron)
    }

    /// Whether it scales each coordinate by its own gradients.
    pub fn is_adaptive(self) -> bool {
        matches!(self, Solver::Adam | Solver::Yogi)
    }

    /// Whether its steps remember the ones before.
    pub fn has_momentum(self) -> bool {
        matches!(self, Solver::Momentum | Solver::Nesterov)
    }

    /// Whether it closes in on a noisy optimum at a fixed rate; the others must decay their step.
    pub fn converges_linearly(self) -> bool {
        !matches!(self, Solver::Sgd | Solver::Adam | Solver::Yogi | Solver::Ngd | Solver::Gradopt)
    }

    /// Whether its steps can shorten once they gain nothing: those that do not close in on a noisy optimum otherwise.
    pub fn can_decay(self) -> bool {
        matches!(self, Solver::Sgd | Solver::Adam | Solver::Yogi | Solver::Ngd)
    }

    /// Stages without a smaller gradient after which none is expected: passes, or steps, of which momentum needs many to
    /// swing back.
    pub(crate) fn patience(self) -> usize {
        if self.uses_batches() { 20 } else { 100 }
    }

    /// T of the outer loop unless given: 3000 steps on all rows, or 500 passes of minibatches.
    pub fn default_epochs(self) -> usize {
        if self.uses_batches() { 500 } else { 3000 }
    }

    /// Passes of minibatches in a stage. GradOpt needs enough of them to come as close as the next, smaller ball demands.
    fn passes_of_stage(self, settings: &Settings) -> usize {
        settings.passes.unwrap_or(if self == Solver::Gradopt { 10 } else { 1 })
    }

    /// Stages that so many epochs allow.
    pub(crate) fn stages(self, settings: &Settings, epochs: usize) -> usize {
        epochs.div_ceil(self.passes_of_stage(settings))
    }

    /// Puts the parts together for the rows of an oracle.
    pub(crate) fn method(self, settings: &Settings, oracle: &dyn Oracle, start: &[f64]) -> Result<Method> {
        if self == Solver::Auto {
            return Ok(path(settings, oracle, Course::graduated(samples(oracle))));
        }
        self.require_room(oracle.dim())?;
        let parts = Parts::new(self, settings, oracle, start)?;
        let steps = parts.shuffle.map_or(1, |shuffle| self.passes_of_stage(settings).saturating_mul(shuffle.batches()));
        Ok(Method {
            schedule: match self.is_graduated() {
                true => graduated(settings, steps, oracle, start)?,
                false => Box::new(Constant { tau: settings.tau_max, steps }),
            },
            estimator: parts.estimator(),
            direction: parts.direction()?,
            step: parts.step()?,
            ball: settings.ball(oracle),
            keep: parts.keep(),
        })
    }

    /// The length of its first step where none is given; none for a solver that has no length to set, or searches for it.
    pub(crate) fn default_step(self, settings: &Settings, oracle: &dyn Oracle, start: &[f64]) -> Result<Option<f64>> {
        let settings = Settings { eta: None, ..*settings };
        if self.uses_eta() { Parts::new(self, &settings, oracle, start)?.first_size() } else { Ok(None) }
    }

    /// Whether it forms the curvature of so many coefficients.
    pub(crate) fn forms_curvature(self, dim: usize) -> bool {
        match self {
            Solver::Lm | Solver::Multistart | Solver::Newton | Solver::Irls => true,
            // the certificate of every fit looks at it where it is small
            _ => dim <= WIDE,
        }
    }

    /// Refuses to form a curvature of more rows than can be factored in minutes.
    fn require_room(self, dim: usize) -> Result<()> {
        if !self.forms_curvature(dim) || dim <= Self::FORMED {
            return Ok(());
        }
        Err(ErrorKind::Incompatible {
            one: format!("solver `{self}`"),
            other: format!("{dim} coefficients"),
            reason: format!(
                "it forms their curvature, {:.1} GB of it; use solver `auto`, `newton-cg` or `lbfgs`",
                8e-9 * (dim as f64).powi(2)
            ),
        }
        .into())
    }
}

/// Coefficients up to which their curvature costs little more than the gradient.
const NARROW: usize = 32;

/// Coefficients beyond which forming the curvature of some rows costs more than five gradients of them.
const COSTLY: usize = 64;

/// How the default solver goes from a start to its end.
#[derive(Clone, Debug)]
pub(crate) struct Course {
    /// Growing samples of the rows, the last of which is where it ends.
    pub samples: Vec<Batch>,
    /// Whether it may go back to lower temperatures.
    pub graduated: bool,
    /// The curvature at τ = 0 over the first sample, if it is known.
    pub line: Option<Symmetric>,
    /// Most stages.
    pub epochs: usize,
}

impl Course {
    /// Along the temperature path, as far as it is needed, over growing samples.
    pub fn graduated(samples: Vec<Batch>) -> Course {
        Course { samples, graduated: true, line: None, epochs: usize::MAX }
    }

    /// At the last temperature alone, over these rows: for a start that is no solution of a lower one.
    pub fn plain(rows: Batch) -> Course {
        Course { graduated: false, ..Course::graduated(vec![rows]) }
    }

    pub fn with_line(self, line: Option<Symmetric>) -> Course {
        Course { line, ..self }
    }
}

/// The default solver on a course.
pub(crate) fn path(settings: &Settings, oracle: &dyn Oracle, course: Course) -> Method {
    let trust = Box::new(TrustRegion::default());
    let (direction, step): (Box<dyn Direction>, Box<dyn StepRule>) = match oracle.is_wide() {
        true => (Box::new(NewtonCg::default()), Box::new(Armijo::natural())),
        false if oracle.dim() > COSTLY => (Box::new(GaussNewtonBfgs::sparing(course.line)), trust),
        false if oracle.dim() > NARROW => (Box::new(GaussNewtonBfgs::default()), trust),
        false => (Box::new(LevenbergMarquardt::ending_in_full()), trust),
    };
    let schedule = schedule::Adaptive::new(settings.tau_max, course.samples);
    Method {
        schedule: Box::new(if course.graduated { schedule } else { schedule.staying() }),
        estimator: Box::new(Full),
        direction,
        step,
        ball: settings.ball(oracle),
        keep: Keep::Last,
    }
}

/// Rows for the early stages of a large problem: a twentieth of them, or as many as are enough for d where these are at most
/// a quarter; and a twentieth of those first where they are still enough.
pub(crate) fn samples(oracle: &dyn Oracle) -> Vec<Batch> {
    // rows of little weight tell little
    let (n, enough) =
        (oracle.rows(), (200.0 * oracle.dim() as f64 / oracle.facts().effective_fraction).ceil() as usize);
    let (most, few) = ((n / 20).max(enough), n / 400);
    let part = |len: usize| Batch::Part { key: SAMPLE_KEY, start: 0, len };
    let sizes = [few, most].into_iter().filter(|&len| enough <= len && len <= n / 4);
    sizes.map(part).chain([Batch::All]).collect()
}

/// The permutation whose beginnings are the samples of early stages: one for all seeds, since it is no choice.
pub(crate) const SAMPLE_KEY: u64 = 0x6167_676c_696f;

impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Solver {
    type Err = Error;

    fn from_str(name: &str) -> Result<Solver> {
        let names = Solver::ALL.map(Solver::name);
        Solver::ALL.into_iter().find(|solver| solver.name() == name).ok_or_else(|| {
            let hint = nearest(name, &names).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            Error::parameter("solver", format!("`{name}`"), &format!("{hint}there are {}", names.join(", ")))
        })
    }
}
