//! An *interval* of a prediction: by the delta method, from the covariance in the model.

use super::{Centre, Model};
use crate::error::{Error, Result};
use crate::inference::{Distribution, Summary};

/// The step of the derivative of a mean, relative to the deviation of the noise.
const STEP: f64 = 1e-3;

/// What an interval is to contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// The mean of the response: the curve itself.
    Confidence,
    /// A further response, of weight one.
    Prediction,
}

/// A prediction with its standard error and its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Prediction {
    /// The predicted response.
    pub value: f64,
    /// The standard error of the curve there, by the delta method.
    pub standard_error: f64,
    /// The lower and the upper end.
    pub interval: [f64; 2],
}

impl Model {
    /// `ŷ ± t·√(JᵀVJ)`, and `ŷ ± t·√(σ̂² + JᵀVJ)` for a further response, with σ̂²·ŷ·(1 − ŷ) in place of σ̂² for a likelihood
    ///
    /// Predictions with intervals of this confidence level; rows and offsets are as in [`Model::predict`]. J is the gradient of ŷ
    /// by all parameters, with free asymptotes. Under noise before φ the ends are predictions at the ends of the interval of
    /// xᵀw + b, which is that of a linear regression.
    ///
    /// # Errors
    /// If the level is not between 0 and 1, or if the model has no covariance.
    pub fn predict_intervals(
        &self,
        (values, offsets): (&[f64], Option<&[f64]>),
        centre: Centre,
        of: Of,
        level: f64,
    ) -> Result<Vec<Prediction>> {
        let summary = self.require_inference()?;
        let t = quantile(level, summary.df)?;
        let z = self.predictors(values, offsets);
        let centres = self.predict(values, offsets, centre);
        let mut x = values.chunks(self.coefficients.len().max(1));
        let mut gradient = vec![0.0; summary.names.len()];
        Ok(z.iter()
            .zip(centres)
            .map(|(&z, value)| {
                let x = x.next().unwrap_or_default();
                match self.file.deviation {
                    Some(deviation) => {
                        self.linear_gradient(summary, x, &mut gradient);
                        let error = summary.standard_error_of(&gradient);
                        let width = t * error.hypot(self.sigma(of, value));
                        // a further response has its own noise, so its ends are not means
                        let mean = centre == Centre::Mean && of == Of::Confidence;
                        let interval = self.images([z - width, z + width], mean.then_some(deviation));
                        let slope =
                            if centre == Centre::Mean { self.mean_slope(z, deviation) } else { self.phi.derivative(z) };
                        Prediction { value, standard_error: error * slope.abs(), interval }
                    }
                    None => {
                        self.gradient(summary, x, z, &mut gradient);
                        let error = summary.standard_error_of(&gradient);
                        let width = t * error.hypot(self.sigma(of, value));
                        Prediction { value, standard_error: error, interval: [value - width, value + width] }
                    }
                }
            })
            .collect())
    }

    /// As [`Model::predict_intervals`], for the linear predictor xᵀw + b + offset, whose interval contains its true value.
    ///
    /// # Errors
    /// As [`Model::predict_intervals`].
    pub fn linear_intervals(&self, (values, offsets): (&[f64], Option<&[f64]>), level: f64) -> Result<Vec<Prediction>> {
        let summary = self.require_inference()?;
        let t = quantile(level, summary.df)?;
        let mut gradient = vec![0.0; summary.names.len()];
        let mut x = values.chunks(self.coefficients.len().max(1));
        let one = |value: f64| {
            self.linear_gradient(summary, x.next().unwrap_or_default(), &mut gradient);
            let standard_error = summary.standard_error_of(&gradient);
            Prediction { value, standard_error, interval: [-1.0, 1.0].map(|side| value + side * t * standard_error) }
        };
        Ok(self.predictors(values, offsets).into_iter().map(one).collect())
    }

    /// The standard deviation of a further response of weight one about its mean, where an interval is to contain one.
    pub(super) fn sigma(&self, of: Of, mean: f64) -> f64 {
        let sigma = self.inference().map_or(f64::NAN, |summary| summary.goodness.sigma);
        if of == Of::Prediction { sigma * self.file.criterion.spread(mean) } else { 0.0 }
    }

    /// The derivative of the mean response by the linear predictor, from a difference: the mean is as smooth as the noise is
    /// wide.
    fn mean_slope(&self, z: f64, deviation: f64) -> f64 {
        let step = STEP * deviation.max(1e-3);
        let mut means = [0.0; 2];
        self.phi.average(deviation, &[z - step, z + step], &mut means);
        (means[1] - means[0]) / (2.0 * step)
    }

    /// Responses or mean responses at two linear predictors, the smaller one first.
    fn images(&self, ends: [f64; 2], deviation: Option<f64>) -> [f64; 2] {
        let mut images = [0.0; 2];
        match deviation {
            Some(sigma) => self.phi.average(sigma, &ends, &mut images),
            None => self.phi.respond(&ends, &mut images),
        }
        [images[0].min(images[1]), images[0].max(images[1])]
    }

    fn linear_gradient(&self, summary: &Summary, x: &[f64], gradient: &mut [f64]) {
        gradient.fill(0.0);
        gradient.iter_mut().zip(x).take(summary.covariates).for_each(|(g, x)| *g = *x);
        if let Some(own) = summary.intercept().and_then(|entry| gradient.get_mut(entry)) {
            *own = 1.0;
        }
    }

    /// The gradient of the response at a row by all parameters.
    fn gradient(&self, summary: &Summary, x: &[f64], z: f64, gradient: &mut [f64]) {
        let slope = self.phi.derivative(z);
        self.linear_gradient(summary, x, gradient);
        // a row at an infinite covariate is on the asymptote, whatever the coefficients are
        gradient.iter_mut().for_each(|g| *g = if slope == 0.0 { 0.0 } else { *g * slope });
        let (response, share) = (self.response(), self.activation.value(z));
        summary.set_response(gradient, |name| response.by(name, share));
    }
}

fn quantile(level: f64, df: f64) -> Result<f64> {
    match level > 0.0 && level < 1.0 {
        true => Ok(Distribution::T { df }.upper_quantile(0.5 * (1.0 - level))),
        false => Err(Error::parameter("level", level, "it must be between 0 and 1, as in 0.95")),
    }
}
