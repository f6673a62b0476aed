//! *Presets*: the parts of a solver, put together for the rows of an oracle.

use crate::error::{ErrorKind, Result};
use crate::math::linalg::Symmetric;
use crate::oracle::{Batch, Oracle, WIDE};
use crate::solver::direction::{Direction, GaussNewtonBfgs, LevenbergMarquardt, NewtonCg, V0};
use crate::solver::estimator::Full;
use crate::solver::parts::{Parts, graduated};
use crate::solver::registry::Solver;
use crate::solver::row::Step;
use crate::solver::schedule::{self, Constant};
use crate::solver::step::{Armijo, StepRule, TrustRegion};
use crate::solver::{Ball, Keep, Method};

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
    /// Entries of θ up to which a solver that forms their curvature may do so.
    const FORMED: usize = 5000;

    /// Whether it cannot do without Λ, and so without the activation's largest slope: for the length of its steps, or for
    /// the floor of Adam and Yogi.
    pub(crate) fn needs_slope(self, eta: Option<f64>, epsilon: Option<f64>) -> bool {
        match self.row().step {
            Step::Smoothness => eta.is_none(),
            _ => self.is_adaptive() && epsilon.is_none(),
        }
    }

    /// Passes of minibatches in a stage.
    fn passes_of_stage(self, settings: &Settings) -> usize {
        settings.passes.unwrap_or(self.row().passes)
    }

    /// The number of stages in this number of epochs.
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
            estimator: (parts.row.estimator)(&parts),
            direction: (parts.row.direction)(&parts),
            step: parts.step(),
            ball: settings.ball(oracle),
            keep: parts.keep(),
        })
    }

    /// The length of its first step where none is given; none for a solver that has no length to set, or searches for it.
    pub(crate) fn default_step(self, settings: &Settings, oracle: &dyn Oracle, start: &[f64]) -> Result<Option<f64>> {
        let settings = Settings { eta: None, ..*settings };
        Ok(if self.uses_eta() { Parts::new(self, &settings, oracle, start)?.first_size() } else { None })
    }

    /// Whether it forms the curvature of this number of coefficients.
    pub(crate) fn forms_curvature(self, dim: usize) -> bool {
        // the certificate of every fit looks at it where it is small
        self.row().forms_curvature || dim <= WIDE
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
                "their Hessian takes {:.1} GB; use solver `auto`, `newton-cg` or `lbfgs`",
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
