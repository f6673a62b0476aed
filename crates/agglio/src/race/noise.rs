//! *Noise* before φ: the fit that ends at τ = 0, and the log-likelihoods of both noise models.

use std::borrow::Cow;
use std::f64::consts::PI;

use crate::error::Result;
use crate::fit::Outcome;
use crate::oracle::{Ask, Batch, LabelChoice, Margin, Mixture, Oracle, OracleClient, Query, Want};
use crate::outcome::{LogLikelihoods, StopReason};
use crate::race::Found;
use crate::race::starts::linear::LinearStage;

/// Log-likelihoods of a fit under noise before φ, if there is one, and one under noise after it, both to these rows.
pub(super) fn log_likelihoods(oracle: &dyn Oracle, rows: Batch, pre: Option<&Pre>, post: &Found) -> LogLikelihoods {
    let post = gaussian(weight(oracle, rows), post.outcome.model.loss);
    LogLikelihoods { pre: pre.map(|pre| pre.log_likelihood), post }
}

/// Maximum log-likelihood of labels of this weight under Gaussian noise of the given mean square.
fn gaussian(weight: f64, mean_square: f64) -> f64 {
    -0.5 * weight * ((2.0 * PI * mean_square).ln() + 1.0)
}

/// Standard deviation of noise before φ from the root mean square of what it left in these rows, less the degrees of freedom
/// that the fit took. Weights that sum to less than the number of their rows are no counts; the rows count then.
pub(super) fn unbiased(sigma: f64, oracle: &dyn Oracle, rows: Batch) -> f64 {
    let counted = share(oracle, rows) * oracle.facts().counted as f64;
    let observations = weight(oracle, rows).max(counted);
    let free = (observations - oracle.facts().parameters() as f64).max(1.0);
    sigma * (observations / free).sqrt()
}

/// The weight of these rows: the number of observations that they stand for.
pub(super) fn weight(oracle: &dyn Oracle, rows: Batch) -> f64 {
    share(oracle, rows) * oracle.facts().total_weight
}

fn share(oracle: &dyn Oracle, rows: Batch) -> f64 {
    let all = oracle.rows();
    rows.len(all) as f64 / all as f64
}

/// A fit under noise before φ.
pub(super) struct Pre {
    mixture: MixturePoint,
    labels: LabelChoice,
    /// Standard deviation of the noise.
    sigma: f64,
    pub log_likelihood: f64,
}

impl Pre {
    /// The point.
    pub fn theta(&self) -> &[f64] {
        &self.mixture.theta
    }

    /// Root mean square of the residuals of φ⁻¹(y).
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// What is kept of it, at the price of a pass.
    pub fn found(self, oracle: &dyn Oracle, stage: &LinearStage) -> Result<Found> {
        let outcome = self.mixture.end(&OracleClient::new(oracle, self.labels), stage)?;
        Ok(Found { sigma: Some(self.sigma), ..Found::new(outcome, self.labels) })
    }
}

/// Rounds after which the mixture over two preimages is left as it is.
const MOST_ROUNDS: usize = 500;
/// Rounds from either side of the minimum of φ after which the less likely one is given up.
const TRIAL: usize = 5;

/// Maximum likelihood for y = φ(xᵀw + ε): least squares on φ⁻¹(y) where φ is one-to-one, else by expectation and
/// maximisation over which preimage each row came from, one pass a round, from the right and from the left.
pub(super) fn pre(oracle: &dyn Oracle, stage: &LinearStage) -> Result<Pre> {
    let labels = LabelChoice { margin: Margin::None, ..oracle.labels() };
    let oracle = &OracleClient::new(oracle, labels);
    let mut mixture = MixturePoint::at(oracle, stage, stage.unclipped(oracle)?)?;
    if oracle.facts().activation.argmin.is_some() {
        let left = match stage.left(oracle)? {
            Some(theta) => Some(MixturePoint::at(oracle, stage, theta)?.after(TRIAL, oracle, stage)?),
            None => None,
        };
        mixture = mixture.after(TRIAL, oracle, stage)?;
        mixture = left.filter(|left| left.here.log_likelihood > mixture.here.log_likelihood).unwrap_or(mixture);
        mixture = mixture.after(MOST_ROUNDS, oracle, stage)?;
    } else {
        mixture.settled = true;
    }
    let (sigma, square, log_density) = mixture.at_own_sigma(oracle, stage)?;
    // at the sigma that belongs to this θ, the expected square over the variance is one
    let variance = positive(sigma * sigma);
    let moved = 0.5 * (square / variance - 1.0) - 0.5 * (square / variance).ln();
    let log_likelihood = weight(oracle, stage.rows()) * (log_density + moved);
    Ok(Pre { mixture, labels, sigma: square.sqrt(), log_likelihood })
}

/// A point of the mixture over preimages: θ, the deviation of the noise, and the expectations there.
struct MixturePoint {
    theta: Vec<f64>,
    sigma: f64,
    here: Mixture,
    settled: bool,
}

impl MixturePoint {
    fn at(oracle: &dyn Oracle, stage: &LinearStage, theta: Vec<f64>) -> Result<MixturePoint> {
        let here = expect(oracle, &theta, 1.0, stage.rows())?;
        Ok(MixturePoint { theta, sigma: 1.0, here, settled: false })
    }

    /// A sigma, and the expected square and the mean log density at it: at that which belongs to θ where this one is far too
    /// small, since in the log density the exponent would leave no digits of the rest.
    fn at_own_sigma(&self, oracle: &dyn Oracle, stage: &LinearStage) -> Result<(f64, f64, f64)> {
        let own = positive(self.here.square).sqrt();
        if own <= 1e3 * self.sigma {
            return Ok((self.sigma, self.here.square, self.here.log_likelihood));
        }
        let there = expect(oracle, &self.theta, own, stage.rows())?;
        Ok((own, there.square, there.log_likelihood))
    }

    /// The point after this number of rounds, or fewer if it settles before.
    fn after(mut self, rounds: usize, oracle: &dyn Oracle, stage: &LinearStage) -> Result<MixturePoint> {
        for _ in 0..rounds {
            if self.settled || oracle.is_interrupted() {
                break;
            }
            let improved = stage.solve(oracle, &self.here.right_side, &self.theta)?;
            let moved = improved.iter().zip(&self.theta).fold(0.0, |most: f64, (new, old)| most.max((new - old).abs()));
            self.theta = improved;
            self.sigma = positive(self.here.square.sqrt());
            self.here = expect(oracle, &self.theta, self.sigma, stage.rows())?;
            // in standardised units a standard error is sigma/√n: this is far below it for any n
            self.settled = moved <= 1e-10 * self.sigma;
        }
        Ok(self)
    }

    /// The gradient is that of the expected squares, which vanishes where the rounds end.
    fn end(&self, oracle: &dyn Oracle, stage: &LinearStage) -> Result<Outcome> {
        let theta = self.theta.clone();
        let mut model = oracle.ask(&Query::at(&theta, 0.0, stage.rows(), Want::Stationarity))?.model()?;
        let (gradient, multiplier) = stage.gradient(oracle, &self.here.right_side, &theta)?;
        model.gradient = gradient;
        let reason = match self.settled {
            _ if !model.is_finite() => StopReason::NotFinite,
            true => StopReason::Settled,
            false => StopReason::Limit,
        };
        let first_loss = model.loss;
        Ok(Outcome { theta, tau: 0.0, reason, steps: 1, first_loss, model, multiplier, matching_gradient: None })
    }
}

fn expect(oracle: &dyn Oracle, theta: &[f64], sigma: f64, rows: Batch) -> Result<Mixture> {
    oracle.ask(&Query::new(rows, Ask::Mixture { theta: Cow::Borrowed(theta), sigma }))?.mixture()
}

fn positive(value: f64) -> f64 {
    value.max(f64::MIN_POSITIVE.sqrt())
}
