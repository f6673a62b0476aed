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
    require(
        df > larger_df && larger_df > 0.0,
        "degrees of freedom",
        df - larger_df,
        "the smaller model must have more",
    )?;
    require(rss >= 0.0 && larger_rss > 0.0, "residual sum of squares", larger_rss.min(rss), "it must be positive")?;
    let (numerator, denominator) = (df - larger_df, larger_df);
    // rounding, or another minimum, may put the smaller model below the larger one
    let statistic = ((rss - larger_rss) / numerator / (larger_rss / denominator)).max(0.0);
    Ok(Test::new(statistic, Distribution::F { numerator, denominator }))
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
