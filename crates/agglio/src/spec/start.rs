//! The *start* of a fit, and its restarts.

use crate::error::{Error, Result};
use crate::fit::FARTHEST;
use crate::math::rng::{Random, Stream};
use crate::rows::Coordinates;

/// Where a fit begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Start {
    /// θ = 0. The default.
    #[default]
    Zero,
    /// S·N(0, I) in the solver's coordinates, with S = 10/√d unless given.
    ///
    /// Reference: the paper's experiments start at 10·N(0, I)/√d (`sec:exps`).
    Random(Option<f64>),
    /// A point in the user's units.
    At {
        /// One coefficient for each covariate.
        coefficients: Vec<f64>,
        /// The intercept; ignored in a model without one.
        intercept: f64,
    },
}

/// How many restarts to make, after the challengers that solver `auto` makes by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restarts {
    /// This number.
    Count(usize),
    /// Until half of the challengers that begin independently have ended as low as the lowest, with at least eight and at
    /// most forty in all; none for an exact fit.
    Auto,
}

/// Whether a fit is proven to have the lowest minimum of all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Prove {
    /// By solver `auto`, for up to four parameters, within a fixed number of evaluations. The default.
    #[default]
    Auto,
    /// Never.
    None,
    /// To this gap between loss and lower bound, relative to the loss.
    Gap(f64),
}

impl Prove {
    /// Whether its gap is above zero and below one.
    pub(super) fn is_allowed(&self) -> bool {
        !matches!(self, Prove::Gap(gap) if !(*gap > 0.0 && *gap < 1.0))
    }
}

impl Start {
    /// Whether its numbers are finite, and the scale of a random start not negative.
    pub(super) fn is_finite(&self) -> bool {
        match self {
            Start::Zero | Start::Random(None) => true,
            Start::Random(Some(scale)) => scale.is_finite() && *scale >= 0.0,
            Start::At { coefficients, intercept } => coefficients.iter().chain([intercept]).all(|w| w.is_finite()),
        }
    }

    /// θ in the solver's coordinates.
    pub(crate) fn theta(&self, coordinates: &Coordinates, coefficients: usize, seed: u64) -> Result<Vec<f64>> {
        match self {
            Start::Zero => Ok(vec![0.0; coordinates.dim()]),
            Start::Random(scale) => {
                let scale = scale.unwrap_or(10.0 / (coefficients.max(1) as f64).sqrt());
                let mut random = Random::new(seed, Stream::Start);
                let theta: Vec<f64> = (0..coordinates.dim()).map(|_| scale * random.normal()).collect();
                match theta.iter().all(|t| t.abs() <= FARTHEST) {
                    true => Ok(theta),
                    false => Err(Error::parameter(
                        "init",
                        format!("random:{scale:e}"),
                        "such a start overflows; use a smaller S",
                    )),
                }
            }
            Start::At { coefficients: given, .. } if given.len() != coefficients => Err(Error::data(format!(
                "the start has {} coefficients, but the data has {coefficients} covariates",
                given.len()
            ))),
            Start::At { coefficients, intercept } => {
                let theta = coordinates.from_user(coefficients, *intercept);
                match theta.iter().all(|t| t.abs() <= FARTHEST) {
                    true => Ok(theta),
                    false => Err(Error::data("a coefficient of the start is too large")),
                }
            }
        }
    }
}
