//! A *problem* on which methods are compared: data for each seed, and the error of a model.

use std::sync::Arc;

use agglio::activation::{Activation, named};
use agglio::rows::{Dense, Scaling};
use agglio::{Noise, Options, Solver, Start};

use crate::error::Result;
use crate::request::Request;

/// Where data comes from.
pub trait Problem {
    /// φ.
    fn activation(&self) -> &'static str;

    /// The data of a seed.
    ///
    /// # Errors
    /// If it cannot be had.
    fn draw(&self, seed: u64) -> Result<Drawn>;

    /// Its title: φ, n, d and the noise.
    fn title(&self) -> String;

    /// Its description.
    fn described(&self) -> String;

    /// What [`Drawn::miss`] is, as an axis calls it.
    fn measured(&self) -> &'static str;
}

/// Data to be fitted, and what tells a good model from a bad one.
#[derive(Debug)]
pub struct Drawn {
    /// Covariates and labels.
    pub rows: Dense,
    /// The truth that is hidden from the fit.
    pub aim: Aim,
}

/// The truth that a model is compared with.
#[derive(Debug)]
pub enum Aim {
    /// w_*: its distance counts.
    Truth(Vec<f64>),
    /// Held-out rows: the error is the root mean square of the residuals on them.
    Unseen {
        /// φ.
        activation: Arc<dyn Activation>,
        /// Covariates, row by row.
        values: Vec<f64>,
        /// Labels.
        labels: Vec<f64>,
    },
}

impl Drawn {
    /// The error of w.
    pub fn miss(&self, w: &[f64]) -> f64 {
        match &self.aim {
            Aim::Truth(truth) => w.iter().zip(truth).map(|(w, truth)| (w - truth).powi(2)).sum::<f64>().sqrt(),
            Aim::Unseen { activation, values, labels } => {
                let dot = |x: &[f64]| x.iter().zip(w).map(|(x, w)| x * w).sum::<f64>();
                let square = |(x, y): (&[f64], &f64)| (activation.value(dot(x)) - y).powi(2);
                let squares = values.chunks(w.len().max(1)).zip(labels).map(square).sum::<f64>();
                (squares / labels.len() as f64).sqrt()
            }
        }
    }
}

/// The paper's setting for a solver: columns as they are, no intercept, a random start, least squares at τ = 1.
///
/// # Errors
/// If there is no such activation.
pub fn options(problem: &dyn Problem, solver: Solver, seed: u64, request: &Request) -> Result<Options> {
    let options = Options::new(named(problem.activation())?).solver(solver).intercept(false).scaling(Scaling::None);
    let options = options.seed(seed).threads(request.threads).interrupt(request.interrupt.clone());
    Ok(match solver {
        Solver::Auto => options.noise(Noise::Post),
        // begins in a way of its own
        Solver::Irls => options,
        _ => options.start(Start::Random(None)),
    })
}

/// The error of the start of all methods.
///
/// # Errors
/// If there is no such activation.
pub fn start(problem: &dyn Problem, data: &Drawn, seed: u64, request: &Request) -> Result<f64> {
    let plan = options(problem, Solver::Gd, seed, request)?.epochs(0).build()?;
    Ok(data.miss(&plan.fit(&data.rows)?.coefficients))
}
