//! A *task* of the paper: simulated data with a known model, to be recovered from a random start.

use agglio::activation::named;
use agglio::rows::{Dense, Scaling};
use agglio::simulate::{LabelNoise, Shape, Simulation};
use agglio::{Noise, Options, Solver, Start};

use crate::error::Result;
use crate::settings::Settings;

/// What is drawn, and how methods begin on it.
///
/// Reference: "Experimental Setting" (`sec:exps`): x ~ N(0, I)/√d, w_* ~ N(0, I), w_0 ~ 10·N(0, I)/√d.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Task {
    /// φ.
    pub activation: &'static str,
    /// n.
    pub rows: usize,
    /// d.
    pub features: usize,
    /// What is done to the labels.
    pub noise: LabelNoise,
}

/// Data with the model that made it.
#[derive(Debug)]
pub struct Drawn {
    /// Covariates and labels.
    pub rows: Dense,
    /// w_*.
    pub truth: Vec<f64>,
}

impl Task {
    /// The paper's usual size, without noise.
    pub fn usual(activation: &'static str) -> Task {
        Task { activation, rows: 1000, features: 50, noise: LabelNoise::None }
    }

    /// The same with noise before φ, N(0, σ²).
    pub fn pre(self, sigma: f64) -> Task {
        Task { noise: LabelNoise::Pre(sigma, Shape::Gauss), ..self }
    }

    /// The same with noise after φ, N(0, σ²).
    pub fn post(self, sigma: f64) -> Task {
        Task { noise: LabelNoise::Post(sigma, Shape::Gauss), ..self }
    }

    /// Draws the data of a seed.
    ///
    /// # Errors
    /// If labels overflow.
    pub fn draw(&self, seed: u64) -> Result<Drawn> {
        let simulation = Simulation::new(named(self.activation)?, self.rows, self.features);
        let data = simulation.noise(self.noise).seed(seed).draw()?;
        Ok(Drawn { rows: Dense::new(data.values, self.features, data.labels)?, truth: data.truth })
    }

    /// The paper's setting for a solver: columns as they are, no intercept, a random start, least squares at τ = 1.
    ///
    /// # Errors
    /// If there is no such activation.
    pub fn options(&self, solver: Solver, seed: u64, settings: &Settings) -> Result<Options> {
        let options = Options::new(named(self.activation)?).solver(solver).intercept(false).scaling(Scaling::None);
        let options = options.seed(seed).interrupt(settings.interrupt.clone());
        let options = match solver {
            // these begin in a way of their own
            Solver::Auto | Solver::Linear | Solver::Irls => options,
            _ => options.start(Start::Random(None)),
        };
        let options = if solver == Solver::Auto { options.noise(Noise::Post) } else { options };
        let projected = settings.as_published && !matches!(solver, Solver::Lbfgs);
        Ok(if projected { options.radius(self.published_radius()) } else { options })
    }

    /// What the published run kept ‖w‖ below.
    fn published_radius(&self) -> f64 {
        if self.activation == "softplus" { 50.0 } else { 10.0 }
    }

    /// n, d, φ and noise in words.
    pub fn described(&self) -> String {
        let noise = match self.noise {
            LabelNoise::None => "no noise".to_owned(),
            LabelNoise::Pre(sigma, _) => format!("noise before φ, σ = {sigma}"),
            LabelNoise::Post(sigma, _) => format!("noise after φ, σ = {sigma}"),
            LabelNoise::Multiplicative(sigma) => format!("noise in proportion, σ = {sigma}"),
        };
        format!("{}, n = {}, d = {}, {noise}", self.activation, self.rows, self.features)
    }
}
