//! *Inverse prediction* (calibration): the covariate, or the dose, at which a model has a given response.

use super::{Model, Of, Prediction};
use crate::activation::far_left;
use crate::error::{Error, Result};
use crate::inference::Curve;
use crate::table::Term;

/// The curve of a model with one covariate, read from the response to the covariate.
#[derive(Clone, Debug)]
pub struct Inverse<'a> {
    model: &'a Model,
    curve: Curve<'a>,
    column: String,
    of: Of,
}

impl Model {
    /// `x = (φ⁻¹((y − a)/b) − c − offset)/w ± t·√V(x)`
    ///
    /// The covariate of a response, with an interval by the delta method. For [`Of::Confidence`] the response is a mean that is
    /// known exactly, and for [`Of::Prediction`] one further observation of weight one with its own error. If the covariate is
    /// `log(x)` the result is x, and the interval is transformed. Under noise before φ all of this is about the regression of
    /// φ⁻¹(y).
    ///
    /// # Errors
    /// If the model has not exactly one covariate, has no covariance, or its activation is not monotone; or if the level is not
    /// between 0 and 1.
    ///
    /// Reference: Seber and Wild (1989), section 5.9; `invest(interval = "Wald")` of R's package investr.
    pub fn inverse(&self, of: Of, level: f64) -> Result<Inverse<'_>> {
        let names = self.names();
        let [name] = names.as_slice() else {
            let count = names.len();
            return Err(Error::data(format!(
                "only a model with exactly one covariate has an inverse: this has {count}"
            )));
        };
        if far_left(self.activation.as_ref()).is_some() {
            let activation = self.activation();
            return Err(Error::data(format!(
                "`{activation}` takes some values twice, so a response has no single covariate"
            )));
        }
        let summary = self.require_inference()?;
        let term = Term::parse(name).ok();
        let logarithm = term.as_ref().and_then(Term::logarithm_of);
        let affine = self.affine();
        let curve = Curve::new(summary, self.activation.as_ref(), [affine.offset, affine.scale], logarithm.is_some());
        let flat = || Error::data("the covariate has no coefficient, so the response does not depend on it");
        let curve = curve.ok_or_else(flat)?.with_level(level)?;
        Ok(Inverse { model: self, curve, column: logarithm.unwrap_or(name).to_owned(), of })
    }
}

impl Inverse<'_> {
    /// The name of what it gives: the covariate, or the column whose logarithm that is.
    pub fn column(&self) -> &str {
        &self.column
    }

    /// The covariates of responses; none for a response at an asymptote of the curve, or beyond.
    pub fn predict(&self, responses: &[f64], offsets: Option<&[f64]>) -> Vec<Option<Prediction>> {
        let offset = |i: usize| offsets.and_then(|offsets| offsets.get(i)).copied().unwrap_or(0.0);
        let one = |(i, &response): (usize, &f64)| {
            let z = self.curve.predictor(response)?;
            let reading = self.curve.inverse(z, offset(i), self.error(z));
            let (value, standard_error) = (reading.estimate.value, reading.estimate.standard_error?);
            let is_finite = value.is_finite() && standard_error.is_finite();
            is_finite.then_some(Prediction { value, standard_error, interval: reading.interval })
        };
        responses.iter().enumerate().map(one).collect()
    }

    /// The standard deviation of a linear predictor that is computed from one response.
    fn error(&self, z: f64) -> f64 {
        match (self.of, self.model.file.deviation) {
            (Of::Confidence, _) => 0.0,
            // the noise is that of the linear predictor
            (Of::Prediction, Some(_)) => self.model.sigma(self.of, 0.0),
            (Of::Prediction, None) => self.model.sigma(self.of, self.model.phi.value(z)) / self.model.phi.derivative(z),
        }
    }
}
