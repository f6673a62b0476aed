//! The *noise* strategy: both ends of the temperature path, and the choice between them.

use std::f64::consts::PI;

use crate::fit::Outcome;
use crate::oracle::Batch;
use crate::oracle::{Fold, Oracle, Query, Sums, Want};
use crate::outcome::{LogLikelihoods, StopReason};
use crate::strategy::Found;
use crate::strategy::linear::NormalEquations;
use crate::strategy::single::parameters;

/// Log-likelihoods of a fit under noise before φ, if there is one, and one under noise after it, both to these rows.
pub(super) fn log_likelihoods(oracle: &Fold<'_>, rows: Batch, pre: Option<&Pre>, post: &Found) -> LogLikelihoods {
    let post = gaussian(weight(oracle, rows), post.outcome.sums.loss);
    LogLikelihoods { pre: pre.map(|pre| pre.log_likelihood), post }
}

/// Maximum log-likelihood of labels of this weight under Gaussian noise of the given mean square.
fn gaussian(weight: f64, mean_square: f64) -> f64 {
    -0.5 * weight * ((2.0 * PI * mean_square).ln() + 1.0)
}

/// Standard deviation of noise before φ from the root mean square of what it left in these rows, less the degrees of freedom
/// that the fit took. Weights that sum to less than the number of their rows are no counts; the rows count then.
pub(super) fn unbiased(sigma: f64, oracle: &Fold<'_>, rows: Batch) -> f64 {
    let counted = share(oracle, rows) * oracle.labels().counted() as f64;
    let observations = weight(oracle, rows).max(counted);
    let free = (observations - parameters(oracle) as f64).max(1.0);
    sigma * (observations / free).sqrt()
}

/// The weight of these rows: the number of observations that they stand for.
pub(super) fn weight(oracle: &Fold<'_>, rows: Batch) -> f64 {
    share(oracle, rows) * oracle.total_weight()
}

fn share(oracle: &Fold<'_>, rows: Batch) -> f64 {
    let all = oracle.rows();
    rows.len(all) as f64 / all as f64
}

/// A fit under noise before φ.
pub(super) struct Pre {
    mixture: Mixture,
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
    pub fn found(self, oracle: &dyn Oracle, line: &NormalEquations) -> Found {
        Found { sigma: Some(self.sigma), ..self.mixture.end(oracle, line).into() }
    }
}

/// Rounds after which the mixture over two preimages is left as it is.
const MOST_ROUNDS: usize = 500;
/// Rounds from either side of the dip after which the less likely one is given up.
const TRIAL: usize = 5;

/// Maximum likelihood for y = φ(xᵀw + ε): least squares on φ⁻¹(y) where φ is one-to-one, else by expectation and
/// maximisation over which preimage each row came from, one pass a round, from the right and from the left of the dip.
pub(super) fn pre(oracle: &mut Fold<'_>, line: &NormalEquations) -> Pre {
    let theta = line.unclipped(oracle);
    let mut mixture = Mixture::at(oracle, line, theta);
    if oracle.labels().argmin().is_some() {
        let left = line.left(oracle).map(|theta| Mixture::at(oracle, line, theta).after(TRIAL, oracle, line));
        mixture = mixture.after(TRIAL, oracle, line);
        mixture = left.filter(|left| left.here.log_likelihood > mixture.here.log_likelihood).unwrap_or(mixture);
        mixture = mixture.after(MOST_ROUNDS, oracle, line);
    } else {
        mixture.settled = true;
    }
    let (sigma, loss, log_density) = mixture.at_own_deviation(oracle, line);
    // at the deviation that belongs to this θ, the expected square over the variance is one
    let variance = positive(sigma * sigma);
    let moved = 0.5 * (loss / variance - 1.0) - 0.5 * (loss / variance).ln();
    let log_likelihood = weight(oracle, line.rows) * (log_density + moved);
    Pre { mixture, sigma: loss.sqrt(), log_likelihood }
}

/// A point of the mixture over preimages: θ, the deviation of the noise, and what is expected there.
struct Mixture {
    theta: Vec<f64>,
    sigma: f64,
    here: Sums,
    settled: bool,
}

impl Mixture {
    fn at(oracle: &dyn Oracle, line: &NormalEquations, theta: Vec<f64>) -> Mixture {
        let here = expect(oracle, &theta, 1.0, line.rows);
        Mixture { theta, sigma: 1.0, here, settled: false }
    }

    /// A deviation, and the expected square and the mean log density at it: at that which belongs to θ where this one is
    /// far too small, since in the log density the exponent would leave no digits of the rest.
    fn at_own_deviation(&self, oracle: &dyn Oracle, line: &NormalEquations) -> (f64, f64, f64) {
        let own = positive(self.here.loss).sqrt();
        if own <= 1e3 * self.sigma {
            return (self.sigma, self.here.loss, self.here.log_likelihood);
        }
        let there = expect(oracle, &self.theta, own, line.rows);
        (own, there.loss, there.log_likelihood)
    }

    /// This one after so many rounds, or fewer if it settles before.
    fn after(mut self, rounds: usize, oracle: &dyn Oracle, line: &NormalEquations) -> Mixture {
        for _ in 0..rounds {
            if self.settled || oracle.is_interrupted() {
                break;
            }
            let Some(right) = self.here.right_sides.first() else { break };
            let improved = line.solve(oracle, right, &self.theta);
            let moved = improved.iter().zip(&self.theta).fold(0.0, |most: f64, (new, old)| most.max((new - old).abs()));
            self.theta = improved;
            self.sigma = positive(self.here.loss.sqrt());
            self.here = expect(oracle, &self.theta, self.sigma, line.rows);
            // in standardised units a standard error is deviation/√n: this is far below it for any n
            self.settled = moved <= 1e-10 * self.sigma;
        }
        self
    }

    /// The gradient is that of the expected squares, which vanishes where the rounds end.
    fn end(&self, oracle: &dyn Oracle, line: &NormalEquations) -> Outcome {
        let theta = self.theta.clone();
        let mut sums = oracle.ask(&Query::new(&theta, 0.0, line.rows, Want::Stationarity));
        let mut multiplier = 0.0;
        if let Some(right) = self.here.right_sides.first() {
            (sums.gradient, multiplier) = line.gradient(oracle, right, &theta);
        }
        let reason = match self.settled {
            _ if !sums.is_finite() => StopReason::NotFinite,
            true => StopReason::Settled,
            false => StopReason::Limit,
        };
        Outcome { theta, tau: 0.0, reason, steps: 1, first_loss: sums.loss, sums, multiplier, matching_gradient: None }
    }
}

fn expect(oracle: &dyn Oracle, theta: &[f64], sigma: f64, rows: Batch) -> Sums {
    oracle.ask(&Query::new(theta, 0.0, rows, Want::Mixture(sigma)))
}

fn positive(value: f64) -> f64 {
    value.max(f64::MIN_POSITIVE.sqrt())
}
