//! The *noise* strategy: both ends of the temperature path, and the choice between them.

use std::f64::consts::PI;

use crate::fit::Outcome;
use crate::oracle::{Fold, Oracle, Query, Sums, Want};
use crate::rows::Batch;
use crate::stop::StopReason;
use crate::strategy::linear::Line;

/// Log-likelihoods of the two noise models at their maxima, where both were fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogLikelihoods {
    /// Gaussian noise before φ; none where a label has no preimage, so that there is no such model.
    pub pre: Option<f64>,
    /// Gaussian noise after φ.
    pub post: f64,
}

impl LogLikelihoods {
    /// How far ahead noise before φ must be to be believed.
    const MARGIN: f64 = 3.0;

    /// The same on so many times the rows.
    pub(super) fn scaled(&self, times: f64) -> LogLikelihoods {
        LogLikelihoods { pre: self.pre.map(|pre| times * pre), post: times * self.post }
    }

    /// Whether noise before φ is clearly the better model.
    pub fn favour_pre(&self) -> bool {
        self.pre.is_some_and(|pre| pre > self.post + Self::MARGIN)
    }
}

/// Maximum log-likelihood of `rows` labels under Gaussian noise of the given mean square.
pub(super) fn gaussian(rows: usize, mean_square: f64) -> f64 {
    -0.5 * rows as f64 * ((2.0 * PI * mean_square).ln() + 1.0)
}

/// A fit under noise before φ.
pub(super) struct Pre {
    pub outcome: Outcome,
    /// Standard deviation of the noise.
    pub deviation: f64,
    pub log_likelihood: f64,
}

/// Rounds after which the mixture over two preimages is left as it is.
const MOST_ROUNDS: usize = 500;

/// Maximum likelihood for y = φ(xᵀw + ε): least squares on φ⁻¹(y) where φ is one-to-one, else by expectation and
/// maximisation over which preimage each row came from, one pass a round.
pub(super) fn pre(oracle: &mut Fold<'_>, line: &Line) -> Pre {
    let mut theta = line.unclipped(oracle);
    let mut deviation = 1.0;
    let mut here = expect(oracle, &theta, deviation, line.rows);
    let mut settled = oracle.labels().ambiguous() == 0;
    for _ in 0..MOST_ROUNDS {
        if settled {
            break;
        }
        let improved =
            here.right_sides.first().map_or_else(|| theta.clone(), |right| line.solve(oracle, right, &theta));
        let moved = improved.iter().zip(&theta).fold(0.0, |most: f64, (new, old)| most.max((new - old).abs()));
        theta = improved;
        deviation = positive(here.loss.sqrt());
        let there = expect(oracle, &theta, deviation, line.rows);
        // in standardised units a standard error is deviation/√n: this is far below it for any n
        settled = moved <= 1e-10 * deviation;
        here = there;
    }
    let outcome = end(oracle, line, theta, &here, settled);
    // at the deviation that belongs to this θ, the expected square over the variance is one
    let variance = positive(deviation * deviation);
    let moved = 0.5 * (here.loss / variance - 1.0) - 0.5 * (here.loss / variance).ln();
    let log_likelihood = line.rows.len(oracle.rows()) as f64 * (here.log_likelihood + moved);
    Pre { outcome, deviation: here.loss.sqrt(), log_likelihood }
}

fn expect(oracle: &dyn Oracle, theta: &[f64], deviation: f64, rows: Batch) -> Sums {
    oracle.ask(&Query::new(theta, 0.0, rows, Want::Mixture(deviation)))
}

fn positive(value: f64) -> f64 {
    value.max(f64::MIN_POSITIVE.sqrt())
}

/// The gradient is that of the expected squares, which vanishes where the rounds end.
fn end(oracle: &dyn Oracle, line: &Line, theta: Vec<f64>, here: &Sums, settled: bool) -> Outcome {
    let mut sums = oracle.ask(&Query::new(&theta, 0.0, line.rows, Want::Stationarity));
    let mut multiplier = 0.0;
    if let Some(right) = here.right_sides.first() {
        (sums.gradient, multiplier) = line.gradient(oracle, right, &theta);
    }
    let reason = if settled { StopReason::Settled } else { StopReason::Limit };
    Outcome { theta, tau: 0.0, reason, steps: 1, first_loss: sums.loss, sums, multiplier }
}
