//! A *task* of the paper: simulated data with a known model, to be recovered from a random start.

use agglio::activation::named;
use agglio::rows::Dense;
use agglio::simulate::{LabelNoise, Shape, Simulation};

use crate::error::Result;
use crate::problem::{Aim, Drawn, Problem};

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
}

/// An activation as it is written.
fn written(activation: &str) -> &str {
    match activation {
        "silu" => "SiLU",
        "leaky-softplus" => "leaky softplus, k = 0.2",
        other => other,
    }
}

impl Problem for Task {
    fn activation(&self) -> &'static str {
        self.activation
    }

    fn draw(&self, seed: u64) -> Result<Drawn> {
        let simulation = Simulation::new(named(self.activation)?, self.rows, self.features);
        let data = simulation.noise(self.noise).seed(seed).draw()?;
        let rows = Dense::new(data.values, self.features, data.labels)?;
        Ok(Drawn { rows, aim: Aim::Truth(data.truth) })
    }

    fn title(&self) -> String {
        let noise = match self.noise {
            LabelNoise::None => "no noise".to_owned(),
            LabelNoise::Pre(sigma, _) => format!("noise before φ, σ = {sigma}"),
            LabelNoise::Post(sigma, _) => format!("noise after φ, σ = {sigma}"),
            LabelNoise::Multiplicative(sigma) => format!("noise in proportion, σ = {sigma}"),
        };
        format!("{}, n = {}, d = {}, {noise}", written(self.activation), self.rows, self.features)
    }

    fn described(&self) -> String {
        format!("{}; x ~ N(0, I)/√d, w* ~ N(0, I)", self.title())
    }

    fn measured(&self) -> &'static str {
        "‖w − w*‖"
    }
}
