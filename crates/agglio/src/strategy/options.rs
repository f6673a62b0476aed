//! The *options* of a fit, checked once into a plan that cannot be wrong.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::activation::Activation;
use crate::error::{Error, ErrorKind, Result};
use crate::outcome::Noise;
use crate::rows::Scaling;
use crate::solver::Solver;
use crate::solver::preset::Settings;
use crate::strategy::printed::Printed;
use crate::strategy::{Plan, Restarts, Start};

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
    pub(super) activation: Arc<dyn Activation>,
    pub(super) solver: Solver,
    pub(super) intercept: bool,
    pub(super) scaling: Option<Scaling>,
    pub(super) noise: Option<Noise>,
    pub(super) tau_max: Option<f64>,
    pub(super) tau0: Option<f64>,
    pub(super) beta: Option<f64>,
    eta: Option<f64>,
    mu: Option<f64>,
    beta1: Option<f64>,
    beta2: Option<f64>,
    epsilon: Option<f64>,
    delta: Option<f64>,
    pub(super) batch: Option<usize>,
    epochs: Option<usize>,
    tolerance: Option<f64>,
    pub(super) start: Start,
    pub(super) radius: Option<f64>,
    pub(super) l2: f64,
    pub(super) printed: Printed,
    restarts: Restarts,
    seed: u64,
    threads: Option<usize>,
    interrupt: Arc<AtomicBool>,
}

impl Options {
    /// All defaults, for this activation.
    pub fn new(activation: Arc<dyn Activation>) -> Options {
        Options {
            activation,
            solver: Solver::Auto,
            intercept: true,
            scaling: None,
            noise: None,
            tau_max: None,
            tau0: None,
            beta: None,
            eta: None,
            mu: None,
            beta1: None,
            beta2: None,
            epsilon: None,
            delta: None,
            batch: None,
            epochs: None,
            tolerance: None,
            start: Start::Zero,
            radius: None,
            l2: 0.0,
            printed: Printed::default(),
            restarts: Restarts::Count(0),
            seed: 0,
            threads: None,
            interrupt: Arc::default(),
        }
    }

    /// Which solver. Default: `auto`.
    pub fn solver(mut self, solver: Solver) -> Options {
        self.solver = solver;
        self
    }

    /// Whether an intercept b is fitted beside w. Default: yes.
    pub fn intercept(mut self, intercept: bool) -> Options {
        self.intercept = intercept;
        self
    }

    /// The units that the solver works in. Default: standardised; for `theory` as they are.
    pub fn scaling(mut self, scaling: Scaling) -> Options {
        self.scaling = Some(scaling);
        self
    }

    /// Where the noise enters. Default: after the activation. [`Noise::Auto`] is for solver `auto` only.
    pub fn noise(mut self, noise: Noise) -> Options {
        self.noise = Some(noise);
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

    /// The step length, in the solver's units: η, α of Adam, Yogi and GradOpt. Default: 1/Λ; .3 for Adam, Yogi and NGD.
    ///
    /// The paper's step of η/τ² (bounded activations) or η is this η at every temperature. NGD with a length that is given
    /// keeps it; with its own it shortens it once nothing is gained.
    pub fn eta(mut self, eta: f64) -> Options {
        self.eta = Some(eta);
        self
    }

    /// How much of the last displacement is kept, in [0, 1). Default: .9. Only for `momentum` and `nesterov`.
    pub fn mu(mut self, mu: f64) -> Options {
        self.mu = Some(mu);
        self
    }

    /// β₁, how much of the mean gradient is kept, in [0, 1). Default: .9. Only for `adam` and `yogi`.
    pub fn beta1(mut self, beta1: f64) -> Options {
        self.beta1 = Some(beta1);
        self
    }

    /// β₂, how much of the mean squared gradient is kept, in [0, 1). Default: .99. Only for `adam` and `yogi`.
    pub fn beta2(mut self, beta2: f64) -> Options {
        self.beta2 = Some(beta2);
        self
    }

    /// The textbook's ε > 0 in p = −α·m̂/(√v̂ + ε), with which α stays as it is. Default: α₀·Λ, and α decays once nothing is
    /// gained. Only for `adam` and `yogi`.
    pub fn epsilon(mut self, epsilon: f64) -> Options {
        self.epsilon = Some(epsilon);
        self
    }

    /// δ₀ > 0, the radius that the loss is smoothed over in the first stage; it halves with each, see [`Options::passes`].
    /// Default: the radius that w is kept in, or else about the distance to w_*. Only for `gradopt`.
    pub fn delta(mut self, delta: f64) -> Options {
        self.delta = Some(delta);
        self
    }

    /// Rows in a minibatch. Default: 50; for `ngd` all rows. An error for a solver without minibatches, such as `theory` with
    /// Algorithm 1.
    pub fn batch(mut self, batch: usize) -> Options {
        self.batch = Some(batch);
        self
    }

    /// Most stages: steps of a solver on all rows, passes of one with minibatches. Default: 3000 and 500; 100 epochs for
    /// Algorithm 2 of `theory`.
    pub fn epochs(mut self, epochs: usize) -> Options {
        self.epochs = Some(epochs);
        self
    }

    /// The relative gradient to stop at. Default: 1e-10.
    pub fn tolerance(mut self, tolerance: f64) -> Options {
        self.tolerance = Some(tolerance);
        self
    }

    /// Where to begin. Default: zero.
    pub fn start(mut self, start: Start) -> Options {
        self.start = start;
        self
    }

    /// Keeps ‖w‖ ≤ R in the solver's units. Default: no bound. Not for `lbfgs`. For `theory` it is a bound on the length of the
    /// true w that must be given, and nothing is projected.
    pub fn radius(mut self, radius: f64) -> Options {
        self.radius = Some(radius);
        self
    }

    /// Adds λ‖w‖² to the loss, in the solver's units and not on the intercept. Default: 0. Not for `saga`.
    pub fn l2(mut self, l2: f64) -> Options {
        self.l2 = l2;
        self
    }

    /// Further graduated paths, each by way of a random part of the rows; the lowest is kept. Default: 0. Only for
    /// solver `auto`.
    pub fn restarts(mut self, restarts: Restarts) -> Options {
        self.restarts = restarts;
        self
    }

    /// Draws random starts, minibatches and the parts of restarts. Default: 0. Changes nothing where nothing is drawn.
    pub fn seed(mut self, seed: u64) -> Options {
        self.seed = seed;
        self
    }

    /// Number of threads, ≥ 1. Default: as many as there are cores; on a thread of a rayon pool, always those of that pool.
    /// Changes no result.
    pub fn threads(mut self, threads: usize) -> Options {
        self.threads = Some(threads);
        self
    }

    /// A flag that ends the fit, within a few passes over the rows, once somebody raises it: the report then has the best
    /// so far and the status `interrupted`. Default: a flag that nobody raises.
    pub fn interrupt(mut self, flag: Arc<AtomicBool>) -> Options {
        self.interrupt = flag;
        self
    }

    /// Checks everything that can be checked without data.
    ///
    /// # Errors
    /// For a number outside its range, and for choices that do not go together, naming both.
    pub fn build(self) -> Result<Plan> {
        self.check_numbers()?;
        let tau_max = self.last_temperature()?;
        let (tau0, beta) = self.temperatures(tau_max)?;
        self.check_parts()?;
        self.check_printed()?;
        // at τ = 0 every activation is a line
        if tau_max > 0.0 && self.activation.largest_slope().is_none() && self.solver.needs_slope(self.eta, self.epsilon)
        {
            return Err(self.solver.refuse_unbounded());
        }
        let (theory, scaling, epochs) = (self.course()?, self.units(), self.default_epochs());
        // an explicit cap says where to end
        let noise = self.noise.filter(|_| self.tau_max.is_none()).unwrap_or_default();
        Ok(Plan {
            noise,
            compares: self.compares(),
            settings: Settings {
                tau0,
                beta,
                tau_max,
                eta: self.eta,
                mu: self.mu.unwrap_or(0.9),
                betas: (self.beta1.unwrap_or(0.9), self.beta2.unwrap_or(0.99)),
                epsilon: self.epsilon,
                decay: self.printed.decay,
                v0: self.printed.v0.unwrap_or_default(),
                passes: self.printed.passes,
                delta: self.delta,
                batch: self.batch,
                radius: self.radius,
                seed: self.seed,
            },
            branch: self.printed.branch.unwrap_or_default(),
            theory,
            epochs: self.epochs.unwrap_or(epochs),
            activation: self.activation,
            solver: self.solver,
            intercept: self.intercept,
            scaling,
            tolerance: self.tolerance.unwrap_or(1e-10),
            start: self.start,
            restarts: self.restarts,
            l2: self.l2,
            threads: self.threads,
            interrupt: self.interrupt,
        })
    }

    /// A setting that the solver does not use is an error that names both.
    fn check_parts(&self) -> Result<()> {
        let solver = self.solver;
        let (graduated, adaptive) = (solver.is_graduated(), solver.is_adaptive());
        let (auto, linear) = (solver == Solver::Auto, solver == Solver::Linear);
        let adaptive_only = "only `adam` and `yogi` have it";
        let refused = [
            (self.batch.is_some() && !solver.takes_batches(), "a batch size", "it sees all rows at every step"),
            (self.eta.is_some() && !solver.uses_eta(), "eta", "it finds the length of its steps itself"),
            (self.tau0.is_some() && !graduated, "tau0", "it has no schedule of temperatures to set"),
            (self.beta.is_some() && !graduated, "beta", "it has no schedule of temperatures to set"),
            (self.mu.is_some() && !solver.has_momentum(), "mu", "only `momentum` and `nesterov` have it"),
            (self.beta1.is_some() && !adaptive, "beta1", adaptive_only),
            (self.beta2.is_some() && !adaptive, "beta2", adaptive_only),
            (self.epsilon.is_some() && !adaptive, "epsilon", adaptive_only),
            (self.delta.is_some() && solver != Solver::Gradopt, "delta", "only `gradopt` smooths the loss"),
            (
                linear && (self.noise == Some(Noise::Post) || self.tau_max.is_some()),
                "noise post or a last temperature",
                "it is the stage at τ = 0; use `auto` for what follows",
            ),
            (linear && self.epochs.is_some(), "epochs", "it is one solution of linear equations"),
            (linear && self.tolerance.is_some(), "a tolerance", "it is one solution of linear equations"),
            (linear && self.start != Start::Zero, "a start", "it is one solution of linear equations"),
            (
                solver == Solver::Irls && self.start != Start::Zero,
                "a start",
                "its rounds, which nothing damps, begin at zero; use `lm` from other places",
            ),
            (self.noise == Some(Noise::Auto) && !auto, "noise auto", "only `auto` fits both ends; choose pre or post"),
            (
                self.radius.is_some() && solver == Solver::Lbfgs,
                "a radius",
                "its curvature is a guess that no ball can be put around; use `auto`, or any other solver",
            ),
            (self.restarts != Restarts::Count(0) && !auto, "restarts", "only `auto` makes them"),
            (
                self.restarts != Restarts::Count(0) && self.last_temperature().is_ok_and(|tau_max| tau_max == 0.0),
                "restarts",
                "at a last temperature of 0 there is no path to repeat; leave them out, or fit with noise `post`",
            ),
            (self.l2 > 0.0 && solver == Solver::Saga, "l2", "its memory is of rows, and a penalty belongs to none"),
        ];
        match refused.into_iter().find(|(wrong, _, _)| *wrong) {
            None => Ok(()),
            Some((_, other, reason)) => Err(ErrorKind::Incompatible {
                one: format!("solver `{solver}`"),
                other: other.into(),
                reason: reason.into(),
            }
            .into()),
        }
    }

    fn check_numbers(&self) -> Result<()> {
        let positive = |name: &str, value: Option<f64>| match value {
            Some(v) if !(v.is_finite() && v > 0.0) => Err(Error::parameter(name, v, "it must be finite and positive")),
            _ => Ok(()),
        };
        positive("eta", self.eta)?;
        positive("radius", self.radius)?;
        positive("epsilon", self.epsilon)?;
        positive("delta", self.delta)?;
        let share = |name: &str, value: Option<f64>, why: &str| match value {
            Some(v) if !(0.0..1.0).contains(&v) => {
                Err(Error::parameter(name, v, &format!("it must be at least 0 and below 1{why}")))
            }
            _ => Ok(()),
        };
        share("tol", self.tolerance, ", being a cosine")?;
        share("mu", self.mu, "")?;
        share("beta1", self.beta1, "")?;
        share("beta2", self.beta2, "")?;
        if !(self.l2.is_finite() && self.l2 >= 0.0) {
            return Err(Error::parameter("l2", self.l2, "it must be finite and not negative"));
        }
        if self.batch == Some(0) {
            return Err(Error::parameter("batch", 0, "it must be at least 1"));
        }
        if self.threads == Some(0) {
            return Err(Error::parameter("threads", 0, "it must be at least 1"));
        }
        self.start.check()
    }
}
