//! *Tests* of hypotheses: a statistic, its distribution, and comparisons of nested models.

use crate::error::{Error, Result};
use crate::math::distribution::Distribution;

/// The result of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Test {
    /// The statistic.
    pub statistic: f64,
    /// Its distribution if the hypothesis is true.
    pub distribution: Distribution,
    /// The probability of a larger statistic if the hypothesis is true.
    pub p_value: f64,
}

impl Test {
    pub(super) fn new(statistic: f64, distribution: Distribution) -> Test {
        Test { statistic, distribution, p_value: distribution.survival(statistic) }
    }
}

/// `F = ((RSS₀ − RSS₁)/(df₀ − df₁)) / (RSS₁/df₁)`
///
/// Tests the smaller of two nested models, by the residual sums of squares and the residual degrees of freedom of both. For
/// curved models the distribution is an approximation.
///
/// # Errors
/// If the smaller model does not have more degrees of freedom, or a number is not positive.
///
/// ```
/// use agglio::inference::f_test;
///
/// let test = f_test([12.0, 20.0], [9.0, 18.0])?;
/// assert_eq!(test.statistic, 3.0);
/// assert!((test.p_value - 0.0751).abs() < 1e-4);
/// # Ok::<(), agglio::Error>(())
/// ```
///
/// Reference: Seber and Wild (1989), section 5.3.
pub fn f_test([rss, df]: [f64; 2], [larger_rss, larger_df]: [f64; 2]) -> Result<Test> {
    require(rss >= 0.0 && larger_rss > 0.0, "residual sum of squares", larger_rss.min(rss), "it must be positive")?;
    f_of([rss, df], [larger_rss, larger_df], larger_rss / larger_df)
}

/// The test by deviances, their degrees of freedom, and the dispersion of the larger model.
fn f_of([deviance, df]: [f64; 2], [larger, larger_df]: [f64; 2], dispersion: f64) -> Result<Test> {
    require(
        df > larger_df && larger_df > 0.0,
        "degrees of freedom",
        df - larger_df,
        "the smaller model must have more",
    )?;
    let (numerator, denominator) = (df - larger_df, larger_df);
    // rounding, or another minimum, may put the smaller model below the larger one
    let statistic = ((deviance - larger) / numerator / dispersion).max(0.0);
    Ok(Test::new(statistic, Distribution::F { numerator, denominator }))
}

/// How far the responses are from the predictions of a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Deviance {
    /// D: the residual sum of squares, or −2·ln L of a quasi-likelihood.
    pub deviance: f64,
    /// The residual degrees of freedom n − p.
    pub df_residual: usize,
    /// σ̂²: RSS/(n − p), or Pearson's statistic divided by n − p.
    pub dispersion: f64,
    /// ln L.
    pub log_likelihood: f64,
    /// Whether ln L is the logarithm of a likelihood. A quasi-likelihood is none, unless every response is zero or one.
    pub has_likelihood: bool,
}

impl Deviance {
    /// `F = ((D₀ − D₁)/(df₀ − df₁)) / σ̂₁²`
    ///
    /// Tests this model against a larger one that contains it, fitted to the same observations. For least squares it is [`f_test`];
    /// for a quasi-likelihood it is the analysis of deviance, which assumes that variances are proportional to μ(1 − μ).
    ///
    /// # Errors
    /// As [`f_test`].
    ///
    /// Reference: McCullagh and Nelder (1989), section 4.5.
    pub fn f_test(&self, larger: &Deviance) -> Result<Test> {
        let [df, larger_df] = [self.df_residual, larger.df_residual].map(|df| df as f64);
        f_of([self.deviance, df], [larger.deviance, larger_df], larger.dispersion)
    }

    /// `2·(ln L₁ − ln L₀)`
    ///
    /// Tests this model against a larger one that contains it, by [`likelihood_ratio_test`]. None without a likelihood: the
    /// ratio of quasi-likelihoods does not have the distribution χ².
    ///
    /// # Errors
    /// As [`likelihood_ratio_test`].
    pub fn likelihood_ratio_test(&self, larger: &Deviance) -> Result<Option<Test>> {
        let coefficients = self.df_residual.saturating_sub(larger.df_residual);
        let has_likelihood = self.has_likelihood && larger.has_likelihood;
        let test = || likelihood_ratio_test(self.log_likelihood, larger.log_likelihood, coefficients);
        has_likelihood.then(test).transpose()
    }
}

/// `2·(ln L₁ − ln L₀)`
///
/// Tests the smaller of two nested models, by the log-likelihoods of the smaller and of the larger one and the number of
/// coefficients by which they differ.
///
/// # Errors
/// If they do not differ by a coefficient.
///
/// Reference: Wilks (1938).
pub fn likelihood_ratio_test(log_likelihood: f64, larger_log_likelihood: f64, coefficients: usize) -> Result<Test> {
    require(coefficients > 0, "the number of coefficients", 0.0, "the models must differ by at least one")?;
    let statistic = (2.0 * (larger_log_likelihood - log_likelihood)).max(0.0);
    Ok(Test::new(statistic, Distribution::ChiSquared { df: coefficients as f64 }))
}

fn require(holds: bool, name: &str, value: f64, allowed: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::parameter(name, value, allowed)) }
}
