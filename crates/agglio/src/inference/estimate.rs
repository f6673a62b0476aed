//! An *estimate* is a number with a standard error: a coefficient, or a function of coefficients.

use crate::error::{Error, Result};
use crate::math::distribution::Distribution;

/// A value with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Its standard error; none for the coefficient of a constant column, which is not estimated.
    pub standard_error: Option<f64>,
    /// The degrees of freedom of t.
    pub df: f64,
}

/// A confidence interval. An end is none if the interval is open there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub lower: Option<f64>,
    /// The upper end.
    pub upper: Option<f64>,
}

impl Estimate {
    /// `t = value/standard error`
    ///
    /// The test statistic of the hypothesis that the true value is zero.
    pub fn t(&self) -> Option<f64> {
        self.standard_error.map(|error| self.value / error)
    }

    /// `P(|T| > |t|)` for Student's t: the two-sided p-value.
    pub fn p_value(&self) -> Option<f64> {
        self.t().map(|t| Distribution::T { df: self.df }.two_sided(t))
    }

    /// `value ± t_{(1 + level)/2}·standard error`
    ///
    /// Wald's confidence interval; none without a standard error.
    ///
    /// # Errors
    /// If the level is not between 0 and 1.
    pub fn interval(&self, level: f64) -> Result<Option<Interval>> {
        let quantile = critical(level, self.df)?;
        let around = |error: f64| Interval {
            lower: Some(self.value - quantile * error),
            upper: Some(self.value + quantile * error),
        };
        Ok(self.standard_error.map(around))
    }
}

/// The quantile of t that is exceeded in absolute value with probability 1 − level.
pub(super) fn critical(level: f64, df: f64) -> Result<f64> {
    match level > 0.0 && level < 1.0 {
        true => Ok(Distribution::T { df }.upper_quantile(0.5 * (1.0 - level))),
        false => Err(Error::parameter("level", level, "it must be between 0 and 1, as in 0.95")),
    }
}
