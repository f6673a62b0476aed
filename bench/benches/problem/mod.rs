//! A *problem* to measure on: sigmoid labels of a known model, with noise after the activation or without.

use agglio::Result;
use agglio::activation::named;
use agglio::math::rng::{Random, Stream};
use agglio::oracle::{Driver, LEAF, Oracle, Problem};
use agglio::rows::Dense;
use agglio::simulate::{LabelNoise, Shape, Simulated, Simulation};

/// Noise after φ, as in the comparison with peers.
pub const NOISE: LabelNoise = LabelNoise::Post(0.05, Shape::Uniform);

/// The paper's experiment: N(0, I)/√d covariates and a model from N(0, I).
pub fn draw(rows: usize, width: usize, noise: LabelNoise) -> Result<Simulated> {
    Simulation::new(named("sigmoid")?, rows, width).noise(noise).draw()
}

/// The oracle that a fit with default options asks.
pub fn oracle(rows: &Dense) -> Result<Driver> {
    Problem::new(named("sigmoid")?).on(rows)
}

/// A point with predictors of order one, where no row is saturated and none is at rest.
pub fn point(oracle: &Driver) -> Vec<f64> {
    let scale = 1.0 / (oracle.dim() as f64).sqrt();
    (0..oracle.dim()).map(|j| scale * (j as f64 + 1.0).sin()).collect()
}

/// As many predictors as a leaf has rows, in no order that a branch could learn.
pub fn predictors() -> Vec<f64> {
    let mut random = Random::new(0, Stream::Covariates);
    (0..LEAF).map(|_| 3.0 * random.normal()).collect()
}
