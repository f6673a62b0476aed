//! A *curve* is a model of one covariate: its midpoint, its slope there, its effective doses, and the dose of a response.

use crate::activation::{Activation, Preimages, far_left};
use crate::error::Result;
use crate::inference::estimate::critical;
use crate::inference::response::ScaledResponse;
use crate::inference::{Estimate, Summary};

/// y = a + b·φ(w·x + c) as a function of x, or of a column whose logarithm x is.
#[derive(Clone, Copy, Debug)]
pub struct Curve<'a> {
    summary: &'a Summary,
    activation: &'a dyn Activation,
    response: ScaledResponse,
    /// Whether the covariate is the logarithm of a column.
    is_log: bool,
    w: f64,
    /// The quantile of t for the intervals.
    quantile: f64,
}

/// A quantity that is read off a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Its value and standard error.
    pub estimate: Estimate,
    /// The ends of its confidence interval.
    pub interval: [f64; 2],
}

impl<'a> Curve<'a> {
    /// The curve a + b·φ of a fit with this activation φ; none unless there is exactly one covariate, whose coefficient has a
    /// standard error and is not zero, and φ takes no value twice. Values of `x` are those of a column whose logarithm is the
    /// covariate if `is_log`. Intervals have the level of the summary.
    pub fn new(
        summary: &'a Summary,
        activation: &'a dyn Activation,
        [offset, scale]: [f64; 2],
        is_log: bool,
    ) -> Option<Curve<'a>> {
        let w = *summary.values.first().filter(|w| summary.covariates == 1 && **w != 0.0)?;
        let quantile = critical(summary.interval_level, summary.df).ok()?;
        let response = ScaledResponse::new(activation, offset, scale);
        let is_estimated = summary.covariance_of(0, 0) > 0.0 && far_left(activation).is_none();
        is_estimated.then_some(Curve { summary, activation, response, is_log, w, quantile })
    }

    /// The same with intervals of another confidence level.
    ///
    /// # Errors
    /// If the level is not between 0 and 1.
    pub fn with_level(self, level: f64) -> Result<Curve<'a>> {
        Ok(Curve { quantile: critical(level, self.summary.df)?, ..self })
    }

    /// `x = (φ⁻¹(l + p·(r − l)) − c)/w`
    ///
    /// The x at which the curve has gone `percent` percent of the way from its asymptote at small x to that at large x, so that
    /// the x of 10 % is smaller than that of 50 %. For a logarithm it is a value of the column: `exp` of the formula, with
    /// `exp` of the ends of the interval. None if the percentage is not between 0 and 100, or there are no two asymptotes.
    ///
    /// Reference: Ritz et al. (2015), `ED` of R's package drc with its default `reference = "control"`.
    pub fn effective(&self, percent: f64) -> Option<Reading> {
        // the level is a share of the way, so it does not depend on the asymptotes
        let (x, gradient) = self.position(self.level(percent)?, 0.0);
        Some(self.reading(x, self.summary.standard_error_of(&gradient)))
    }

    /// The x of half of the way, as [`Curve::effective`].
    pub fn midpoint(&self) -> Option<Reading> {
        self.effective(50.0)
    }

    /// `dy/dx = b·φ′(z)·w`, divided by the column's value for a logarithm
    ///
    /// The slope of the curve at its midpoint: change of the response for each unit of the column.
    pub fn slope(&self) -> Option<Reading> {
        let z = self.level(50.0)?;
        let (x, by_x) = self.position(z, 0.0);
        let steepness = self.response.scale * self.activation.derivative(z);
        let per_unit = if self.is_log { (-x).exp() } else { 1.0 };
        let value = steepness * self.w * per_unit;
        let mut gradient: Vec<f64> = by_x.iter().map(|g| if self.is_log { -value * g } else { 0.0 }).collect();
        *gradient.first_mut()? += steepness * per_unit;
        self.summary.set_response(&mut gradient, |name| value * self.response.relative(name));
        let estimate = self.summary.function(value, &gradient);
        let distance = self.quantile * estimate.standard_error?;
        Some(Reading { estimate, interval: [value - distance, value + distance] })
    }

    /// `z = φ⁻¹((y − a)/b)`
    ///
    /// The linear predictor of a response; none if it is at an asymptote of the curve, or beyond.
    pub fn predictor(&self, response: f64) -> Option<f64> {
        self.preimage((response - self.response.offset) / self.response.scale)
    }

    /// `x = (z − c − offset)/w`
    ///
    /// The x at which the curve has the response whose [linear predictor](Curve::predictor) is z, in a row with this offset.
    /// `error` is the standard deviation of the response divided by b·φ′(z): zero for a mean that is known exactly. For a
    /// logarithm it is a value of the column, as in [`Curve::effective`].
    ///
    /// Reference: Seber and Wild (1989), section 5.9.
    pub fn inverse(&self, z: f64, offset: f64, error: f64) -> Reading {
        let (x, mut gradient) = self.position(z, offset);
        let steepness = self.response.scale * self.activation.derivative(z) * self.w;
        let share = self.activation.value(z);
        self.summary.set_response(&mut gradient, |name| -self.response.by(name, share) / steepness);
        self.reading(x, self.summary.standard_error_of(&gradient).hypot(error / self.w))
    }

    /// A value of the covariate with its standard error, or that of the column whose logarithm it is.
    fn reading(&self, x: f64, error: f64) -> Reading {
        let distance = self.quantile * error;
        let ends = [x - distance, x + distance];
        let (value, error, interval) = match self.is_log {
            false => (x, error, ends),
            true => (x.exp(), x.exp() * error, ends.map(f64::exp)),
        };
        Reading { estimate: Estimate { value, standard_error: Some(error), df: self.summary.df }, interval }
    }

    /// The linear predictor at a percentage.
    fn level(&self, percent: f64) -> Option<f64> {
        level(self.activation, self.w > 0.0, percent)
    }

    /// φ⁻¹ at a value, if that is finite.
    fn preimage(&self, value: f64) -> Option<f64> {
        preimage(self.activation, value)
    }

    /// The covariate at a linear predictor, and its gradient by coefficient and intercept.
    fn position(&self, z: f64, offset: f64) -> (f64, Vec<f64>) {
        let constant = self.summary.intercept().and_then(|entry| self.summary.values.get(entry)).copied();
        let (x, mut gradient) = position(self.w, constant, z - offset);
        gradient.resize(self.summary.names.len(), 0.0);
        (x, gradient)
    }
}

/// `x = (z − c)/w`
///
/// The covariate at a linear predictor, and its gradient by the coefficient w and, if there is one, the intercept c.
pub(crate) fn position(w: f64, intercept: Option<f64>, z: f64) -> (f64, Vec<f64>) {
    let x = (z - intercept.unwrap_or(0.0)) / w;
    let gradient = [-x / w].into_iter().chain(intercept.map(|_| -1.0 / w));
    (x, gradient.collect())
}

/// The linear predictor at a percentage of the way from the asymptote at small x to that at large x; none if the activation has
/// no two asymptotes. `rises`: it is larger at large x.
pub(crate) fn level(activation: &dyn Activation, rises: bool, percent: f64) -> Option<f64> {
    let share = 0.01 * percent;
    let (left, right) = activation.limits();
    let (from, to) = if rises { (left, right) } else { (right, left) };
    let is_inside = share > 0.0 && share < 1.0 && has_asymptotes(activation);
    is_inside.then(|| preimage(activation, from + share * (to - from)))?
}

/// φ⁻¹ at a value, if that is finite.
fn preimage(activation: &dyn Activation, value: f64) -> Option<f64> {
    match activation.preimages(value) {
        Preimages::One(z) if z.is_finite() && activation.derivative(z) != 0.0 => Some(z),
        _ => None,
    }
}

/// Whether an activation goes from one finite limit to another, and takes every value between them once.
pub fn has_asymptotes(activation: &dyn Activation) -> bool {
    let (left, right) = activation.limits();
    let once = |share: f64| matches!(activation.preimages(left + share * (right - left)), Preimages::One(_));
    left.is_finite() && right.is_finite() && left != right && [0.1, 0.5, 0.9].into_iter().all(once)
}
