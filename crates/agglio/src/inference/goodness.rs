//! The *goodness* of a fit: the size of its residuals, and criteria that compare models.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

use crate::fit::Outcome;
use crate::inference::sandwich::Counts;
use crate::math::linalg::Symmetric;
use crate::oracle::Facts;

/// Statistics of a whole fit.
///
/// Under noise before φ they are those of the linear regression of φ⁻¹(y), so their likelihoods must not be compared with
/// those of noise after φ: [`Report::log_likelihoods`](crate::Report::log_likelihoods) can be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Goodness {
    /// n: the number of rows whose weight is not zero.
    pub observations: usize,
    /// p: the number of coefficients that were fitted, the intercept included.
    pub parameters: usize,
    /// n − p.
    pub df_residual: usize,
    /// RSS = Σ ω r², with the weights as they were given. For a quasi-likelihood, Pearson's statistic Σ ω r²/(μ(1 − μ)).
    pub residual_sum: f64,
    /// σ̂ = √(RSS/(n − p)): the standard deviation of an error of weight one. For a quasi-likelihood, the root of the
    /// dispersion.
    pub sigma: f64,
    /// ln of the Gaussian likelihood at its maximum, `−n/2·(ln(2π·RSS/n) + 1) + ½·Σ ln ω`, or the quasi-log-likelihood.
    pub log_likelihood: f64,
    /// Akaike's criterion `2k − 2·ln L`, where k = p + 1 counts σ too, as in R; k = p for a quasi-likelihood.
    pub aic: f64,
    /// The same with the correction 2k(k + 1)/(n − k − 1) for small samples; none if n ≤ k + 1.
    pub aicc: Option<f64>,
    /// The Bayesian criterion `k·ln n − 2·ln L`.
    pub bic: f64,
    /// R² = 1 − RSS/Σ ω(y − ȳ)²; against φ(offset) without an intercept, and against the best constant with offsets. None
    /// for a constant response.
    pub r_squared: Option<f64>,
    /// 1 − (1 − R²)·(n − 1)/(n − p), with n in place of n − 1 without an intercept.
    pub adjusted_r_squared: Option<f64>,
}

impl Goodness {
    /// From the end point of a fit and the mean of ω JJᵀ there.
    pub(super) fn new(facts: &Facts, outcome: &Outcome, counts: Counts, bread: &Symmetric, square: f64) -> Goodness {
        let Counts { observations: n, parameters: p } = counts;
        // at τ = 0 residuals and slopes are φ′(0) times those of the linear regression
        let unit = if outcome.tau == 0.0 { facts.activation.derivative_at_zero.powi(2) } else { 1.0 };
        // for a likelihood, Pearson's statistic, of which `square` is half
        let residual_sum = facts.total_weight * if facts.is_convex { 2.0 * square } else { square / unit };
        let (log_likelihood, k) = match facts.is_convex {
            true => (-facts.total_weight * outcome.model.unpenalised, p),
            false => (-0.5 * n * ((2.0 * PI * residual_sum / n).ln() + 1.0) + 0.5 * facts.log_weights, p + 1.0),
        };
        let aic = 2.0 * (k - log_likelihood);
        let all = match outcome.tau == 0.0 {
            true => linear_variance(facts, outcome, bread),
            false => facts.baseline.mean_loss,
        };
        let r_squared = (all > 0.0).then(|| 1.0 - outcome.model.unpenalised / all);
        let has_mean = facts.layout.intercept || facts.layout.has_response();
        let about = n - f64::from(u8::from(has_mean));
        Goodness {
            observations: n as usize,
            parameters: p as usize,
            df_residual: (n - p) as usize,
            residual_sum,
            sigma: (residual_sum / (n - p)).sqrt(),
            log_likelihood,
            aic,
            aicc: (n > k + 1.0).then(|| aic + 2.0 * k * (k + 1.0) / (n - k - 1.0)),
            bic: k * n.ln() - 2.0 * log_likelihood,
            r_squared,
            adjusted_r_squared: r_squared.map(|r_squared| 1.0 - (1.0 - r_squared) * about / (n - p)),
        }
    }
}

/// The variance of φ⁻¹(y) − offset, times φ′(0)²: by Pythagoras the loss plus the variance of the fitted values.
fn linear_variance(facts: &Facts, outcome: &Outcome, bread: &Symmetric) -> f64 {
    let products = bread.times(&outcome.theta);
    let square: f64 = products.iter().zip(&outcome.theta).map(|(product, theta)| product * theta).sum();
    let mean_square = match facts.layout.intercept_entry() {
        Some(entry) => products[entry] * products[entry] / bread.at(entry, entry),
        None => 0.0,
    };
    outcome.model.unpenalised + square - mean_square
}
