//! A *curve* is a model of one covariate between two asymptotes: its midpoint, its slope there and its effective doses.

use crate::activation::{Activation, Preimages};
use crate::inference::estimate::critical;
use crate::inference::{Estimate, Summary};
use crate::oracle::ResponseName;

/// y = a + b·φ(w·x + c) as a function of x, or of a column whose logarithm x is.
#[derive(Clone, Copy, Debug)]
pub struct Curve<'a> {
    summary: &'a Summary,
    activation: &'a dyn Activation,
    /// b.
    scale: f64,
    /// Whether the covariate is the logarithm of a column.
    is_log: bool,
    w: f64,
    limits: (f64, f64),
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
    /// The curve of a fit with this activation and scale of the response; none unless there is exactly one covariate, and the
    /// activation has two finite limits and takes every value between them once. Values of `x` are those of a column whose
    /// logarithm is the covariate if `is_log`.
    pub fn new(summary: &'a Summary, activation: &'a dyn Activation, scale: f64, is_log: bool) -> Option<Curve<'a>> {
        let limits = activation.limits();
        let w = *summary.values.first().filter(|w| summary.covariates == 1 && **w != 0.0)?;
        let curve = Curve { summary, activation, scale, is_log, w, limits };
        (has_asymptotes(activation) && summary.covariance_of(0, 0) > 0.0).then_some(curve)
    }

    /// `x = (φ⁻¹(l + p·(r − l)) − c)/w`
    ///
    /// The x at which the curve has gone `percent` percent of the way from its asymptote at small x to that at large x, so that
    /// the x of 10 % is smaller than that of 50 %. For a logarithm it is a value of the column: `exp` of the formula, with
    /// `exp` of the ends of the interval. None if the percentage is not between 0 and 100.
    ///
    /// Reference: Ritz et al. (2015), `ED` of R's package drc with its default `reference = "control"`.
    pub fn effective(&self, percent: f64) -> Option<Reading> {
        let (x, gradient) = self.position(percent)?;
        let estimate = self.summary.function(x, &gradient);
        let error = estimate.standard_error?;
        let distance = critical(self.summary.interval_level, estimate.df).ok()? * error;
        let ends = [x - distance, x + distance];
        Some(match self.is_log {
            false => Reading { estimate, interval: ends },
            true => {
                let value = x.exp();
                let estimate = Estimate { value, standard_error: Some(value * error), df: estimate.df };
                Reading { estimate, interval: ends.map(f64::exp) }
            }
        })
    }

    /// The x of half of the way, as [`Curve::effective`].
    pub fn midpoint(&self) -> Option<Reading> {
        self.effective(50.0)
    }

    /// `dy/dx = b·φ′(z)·w`, divided by the column's value for a logarithm
    ///
    /// The slope of the curve at its midpoint: change of the response for each unit of the column.
    pub fn slope(&self) -> Option<Reading> {
        let (x, by_x) = self.position(50.0)?;
        let steepness = self.scale * self.activation.derivative(self.level(50.0)?);
        let per_unit = if self.is_log { (-x).exp() } else { 1.0 };
        let value = steepness * self.w * per_unit;
        let mut gradient: Vec<f64> = by_x.iter().map(|g| if self.is_log { -value * g } else { 0.0 }).collect();
        gradient[0] += steepness * per_unit;
        let response = gradient.iter_mut().skip(self.summary.names.len() - self.summary.response.len());
        response.zip(&self.summary.response).for_each(|(g, name)| *g = value * self.relative(*name));
        let estimate = self.summary.function(value, &gradient);
        let distance = critical(self.summary.interval_level, estimate.df).ok()? * estimate.standard_error?;
        Some(Reading { estimate, interval: [value - distance, value + distance] })
    }

    /// ∂ ln|b|/∂ of a parameter of the response scale.
    fn relative(&self, name: ResponseName) -> f64 {
        let width = self.scale.abs() * (self.limits.1 - self.limits.0).abs();
        match name {
            ResponseName::Upper => 1.0 / width,
            ResponseName::Lower => -1.0 / width,
            ResponseName::Scale => 1.0 / self.scale,
            ResponseName::Offset => 0.0,
        }
    }

    /// The linear predictor at a percentage.
    fn level(&self, percent: f64) -> Option<f64> {
        let share = 0.01 * percent;
        let (left, right) = self.limits;
        let (from, to) = if self.w > 0.0 { (left, right) } else { (right, left) };
        match self.activation.preimages(from + share * (to - from)) {
            Preimages::One(z) if share > 0.0 && share < 1.0 && z.is_finite() => Some(z),
            _ => None,
        }
    }

    /// The covariate at a percentage, and its gradient by the parameters.
    fn position(&self, percent: f64) -> Option<(f64, Vec<f64>)> {
        let mut gradient = vec![0.0; self.summary.names.len()];
        let constant = self.summary.intercept();
        let c = constant.and_then(|entry| self.summary.values.get(entry)).copied().unwrap_or(0.0);
        let x = (self.level(percent)? - c) / self.w;
        *gradient.first_mut()? = -x / self.w;
        if let Some(own) = constant.and_then(|entry| gradient.get_mut(entry)) {
            *own = -1.0 / self.w;
        }
        Some((x, gradient))
    }
}

/// Whether an activation goes from one finite limit to another, and takes every value between them once.
pub fn has_asymptotes(activation: &dyn Activation) -> bool {
    let (left, right) = activation.limits();
    let once = |share: f64| matches!(activation.preimages(left + share * (right - left)), Preimages::One(_));
    left.is_finite() && right.is_finite() && left != right && [0.1, 0.5, 0.9].into_iter().all(once)
}
