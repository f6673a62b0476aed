//! The *smoothed* estimator evaluates the gradient at a random point near θ.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::math::linalg::norm;
use crate::math::rng::{Random, Stream, derive_key};
use crate::oracle::{Known, Oracle, Query, Want};
use crate::solver::estimator::{Estimator, Shuffle, StepIndex};
use crate::solver::schedule::Stage;

/// `δ_m = δ_0/2^m`, the radius over which the loss is smoothed in stage m
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Smoothing {
    /// δ_0.
    pub first: f64,
}

impl Smoothing {
    /// δ_m = δ_0/2^m.
    pub fn radius(&self, stage: &Stage) -> f64 {
        self.first * 0.5_f64.powf(stage.index as f64)
    }
}

/// `∇_B(θ + δ_m·u)`, u uniform in the unit ball
///
/// Its expectation is the gradient of the loss smoothed over a ball of radius δ_m.
///
/// Reference: the gradient oracle of GradOpt, Hazan, Levy and Shalev-Shwartz (2016).
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Smoothed {
    shuffle: Shuffle,
    smoothing: Smoothing,
    key: u64,
}

impl Smoothed {
    /// Visits the rows in the order of `shuffle`, at points that depend on `seed`.
    pub fn new(shuffle: Shuffle, smoothing: Smoothing, seed: u64) -> Smoothed {
        Smoothed { shuffle, smoothing, key: Random::new(seed, Stream::Smoothing).bits() }
    }

    /// u of a step: uniform in the unit ball.
    fn direction(&self, index: StepIndex, dim: usize) -> Vec<f64> {
        let key = derive_key(derive_key(self.key, index.stage.index as u64), index.step as u64);
        let mut random = Random::new(key, Stream::Smoothing);
        let u: Vec<f64> = (0..dim).map(|_| random.normal()).collect();
        let length = libm::pow(random.uniform(), 1.0 / dim as f64) / norm(&u);
        u.into_iter().map(|u| length * u).collect()
    }
}

impl Estimator for Smoothed {
    fn estimate(&mut self, oracle: &dyn Oracle, theta: &[f64], index: StepIndex, want: Want<'_>) -> Result<Known> {
        let (radius, u) = (self.smoothing.radius(&index.stage), self.direction(index, theta.len()));
        let nearby: Vec<f64> = theta.iter().zip(u).map(|(theta, u)| theta + radius * u).collect();
        let query = Query::at(&nearby, index.stage.tau, self.shuffle.batch(index), want);
        oracle.ask(&query)?.gradient().map(Known::Estimate)
    }
}
