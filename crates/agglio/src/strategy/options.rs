//! The *options* of a fit, checked once into a plan that cannot be wrong.

use std::sync::Arc;

use crate::activation::Activation;
use crate::error::{Error, ErrorKind, Result};
use crate::rows::Scaling;
use crate::solver::Solver;
use crate::solver::preset::Settings;
use crate::strategy::Start;

/// Where the noise enters, and so where the temperature ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Noise {
    /// y = φ(xᵀw + ε): ends at τ = 0, least squares on φ⁻¹(y).
    Pre,
    /// y = φ(xᵀw) + ε: ends at τ = 1, least squares on y. The default.
    #[default]
    Post,
}

impl Noise {
    /// The name as a user types it.
    pub fn name(self) -> &'static str {
        match self {
            Noise::Pre => "pre",
            Noise::Post => "post",
        }
    }
}

/// How to fit: a builder, to be turned into a [`Plan`].
///
/// ```
/// use std::sync::Arc;
/// use agglio::{Options, Solver, activation::Sigmoid};
/// let plan = Options::new(Arc::new(Sigmoid)).solver(Solver::Sgd).batch(20).seed(7).build()?;
/// # let _ = plan;
/// # Ok::<(), agglio::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    activation: Arc<dyn Activation>,
    solver: Solver,
    intercept: bool,
    scaling: Scaling,
    noise: Noise,
    tau_max: Option<f64>,
    tau0: Option<f64>,
    beta: Option<f64>,
    eta: Option<f64>,
    batch: Option<usize>,
    epochs: Option<usize>,
    tolerance: f64,
    start: Start,
    radius: Option<f64>,
    seed: u64,
    threads: Option<usize>,
}

/// Options that have been checked.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) activation: Arc<dyn Activation>,
    pub(super) solver: Solver,
    pub(super) intercept: bool,
    pub(super) scaling: Scaling,
    pub(super) settings: Settings,
    pub(super) epochs: usize,
    pub(super) tolerance: f64,
    pub(super) start: Start,
    pub(super) threads: Option<usize>,
}

impl Options {
    /// All defaults, for this activation.
    pub fn new(activation: Arc<dyn Activation>) -> Options {
        Options {
            activation,
            solver: Solver::Gd,
            intercept: true,
            scaling: Scaling::Standard,
            noise: Noise::Post,
            tau_max: None,
            tau0: None,
            beta: None,
            eta: None,
            batch: None,
            epochs: None,
            tolerance: 1e-10,
            start: Start::Zero,
            radius: None,
            seed: 0,
            threads: None,
        }
    }

    /// Which solver. Default: `gd`.
    pub fn solver(mut self, solver: Solver) -> Options {
        self.solver = solver;
        self
    }

    /// Whether an intercept b is fitted beside w. Default: yes.
    pub fn intercept(mut self, intercept: bool) -> Options {
        self.intercept = intercept;
        self
    }

    /// The units that the solver works in. Default: standardised.
    pub fn scaling(mut self, scaling: Scaling) -> Options {
        self.scaling = scaling;
        self
    }

    /// Where the noise enters. Default: after the activation.
    pub fn noise(mut self, noise: Noise) -> Options {
        self.noise = noise;
        self
    }

    /// The last temperature, in [0, 1]. Default: 0 under pre-activation noise, 1 under post-activation noise.
    pub fn tau_max(mut self, tau_max: f64) -> Options {
        self.tau_max = Some(tau_max);
        self
    }

    /// The first temperature, in (0, τ_max]. At 1 there is no graduation. Default: .01, or lower where the start is
    /// more than 100 away from the predictors that the labels ask for.
    pub fn tau0(mut self, tau0: f64) -> Options {
        self.tau0 = Some(tau0);
        self
    }

    /// The temperature's increment a stage, > 1. Default: 1.05.
    pub fn beta(mut self, beta: f64) -> Options {
        self.beta = Some(beta);
        self
    }

    /// The step length, in the solver's units. Default: 1/Λ; .3 for Adam and Yogi.
    ///
    /// The paper's step of η/τ² (bounded activations) or η is this η at every temperature.
    pub fn eta(mut self, eta: f64) -> Options {
        self.eta = Some(eta);
        self
    }

    /// Rows in a minibatch. Default: 50. An error for a solver without minibatches.
    pub fn batch(mut self, batch: usize) -> Options {
        self.batch = Some(batch);
        self
    }

    /// Most stages: steps of a solver on all rows, passes of one with minibatches. Default: 3000 and 500.
    pub fn epochs(mut self, epochs: usize) -> Options {
        self.epochs = Some(epochs);
        self
    }

    /// The relative gradient to stop at. Default: 1e-10.
    pub fn tolerance(mut self, tolerance: f64) -> Options {
        self.tolerance = tolerance;
        self
    }

    /// Where to begin. Default: zero.
    pub fn start(mut self, start: Start) -> Options {
        self.start = start;
        self
    }

    /// Keeps ‖w‖ ≤ R in the solver's units. Default: no bound.
    pub fn radius(mut self, radius: f64) -> Options {
        self.radius = Some(radius);
        self
    }

    /// Draws random starts and minibatches. Default: 0. Changes nothing where nothing is drawn.
    pub fn seed(mut self, seed: u64) -> Options {
        self.seed = seed;
        self
    }

    /// Number of threads, ≥ 1. Default: as many as there are cores. Changes no result.
    pub fn threads(mut self, threads: usize) -> Options {
        self.threads = Some(threads);
        self
    }

    /// Checks everything that can be checked without data.
    ///
    /// # Errors
    /// For a number outside its range, and for choices that do not go together, naming both.
    pub fn build(self) -> Result<Plan> {
        self.check_numbers()?;
        let cap = self.cap()?;
        let (tau0, beta) = self.temperatures(cap)?;
        if self.batch.is_some() && !self.solver.uses_batches() {
            return Err(ErrorKind::Incompatible {
                one: format!("solver `{}`", self.solver),
                other: "a batch size".into(),
                reason: "it sees all rows at every step; use sgd, svrg, saga, adam or yogi".into(),
            }
            .into());
        }
        Ok(Plan {
            settings: Settings {
                tau0,
                beta,
                cap,
                eta: self.eta,
                batch: self.batch.unwrap_or(50),
                radius: self.radius,
                seed: self.seed,
            },
            epochs: self.epochs.unwrap_or(self.solver.default_epochs()),
            activation: self.activation,
            solver: self.solver,
            intercept: self.intercept,
            scaling: self.scaling,
            tolerance: self.tolerance,
            start: self.start,
            threads: self.threads,
        })
    }

    fn check_numbers(&self) -> Result<()> {
        let positive = |name: &str, value: Option<f64>| match value {
            Some(v) if !(v.is_finite() && v > 0.0) => Err(Error::parameter(name, v, "it must be finite and positive")),
            _ => Ok(()),
        };
        positive("eta", self.eta)?;
        positive("radius", self.radius)?;
        if !(self.tolerance.is_finite() && self.tolerance >= 0.0) {
            return Err(Error::parameter("tol", self.tolerance, "it must be finite and not negative"));
        }
        if self.batch == Some(0) {
            return Err(Error::parameter("batch", 0, "it must be at least 1"));
        }
        if self.threads == Some(0) {
            return Err(Error::parameter("threads", 0, "it must be at least 1"));
        }
        self.start.check()
    }

    /// Noise model = temperature cap; an explicit cap wins.
    fn cap(&self) -> Result<f64> {
        match (self.tau_max, self.noise) {
            (Some(cap), _) if (0.0..=1.0).contains(&cap) => Ok(cap),
            (Some(cap), _) => Err(Error::parameter("tau-max", cap, "it must be between 0 and 1")),
            (None, Noise::Pre) => Ok(0.0),
            (None, Noise::Post) => Ok(1.0),
        }
    }

    fn temperatures(&self, cap: f64) -> Result<(Option<f64>, f64)> {
        if cap == 0.0 && (self.tau0.is_some() || self.beta.is_some()) {
            return Err(ErrorKind::Incompatible {
                one: "tau0 or beta".into(),
                other: "a last temperature of 0".into(),
                reason: "the fit begins and ends at τ = 0, so there is nothing to graduate".into(),
            }
            .into());
        }
        if let Some(tau0) = self.tau0.filter(|&tau0| !(tau0 > 0.0 && tau0 <= cap)) {
            return Err(Error::parameter(
                "tau0",
                tau0,
                &format!("it must be above 0 and at most {cap}, the last temperature"),
            ));
        }
        let beta = self.beta.unwrap_or(1.05);
        if !(beta > 1.0 && beta.is_finite()) {
            return Err(Error::parameter(
                "beta",
                beta,
                "it must be finite and above 1, or the temperature never rises",
            ));
        }
        Ok((self.tau0, beta))
    }
}
