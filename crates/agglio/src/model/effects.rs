//! *Marginal effects* of a model over a table that is read in pieces.

use super::Model;
use crate::error::{Error, Result};
use crate::inference::{Estimate, Summary, Unavailable};

/// Sums over the rows so far, from which average marginal effects follow. Rows are added one after the other, so the bits do
/// not depend on the pieces.
#[derive(Clone, Debug)]
pub struct MarginalEffects<'a> {
    model: &'a Model,
    summary: &'a Summary,
    /// Number of rows, and of those whose slope is not finite.
    rows: usize,
    overflown: usize,
    /// Σ ω, Σ ω·bφ′(z), and Σ ω·bφ″(z) times the covariates and one for the intercept.
    weight: f64,
    slope: f64,
    bend: Vec<f64>,
}

impl Model {
    /// `mean_i ∂(a + b·φ(z_i))/∂x_ij = w_j·b·mean_i φ′(z_i)`
    ///
    /// Average marginal effects over rows that are still to be [added](MarginalEffects::add). A term counts as a covariate.
    ///
    /// # Errors
    /// If the noise is before the activation, or the model has no covariance.
    ///
    /// Reference: Greene (2012), section 17.3.2; `get_margeff(at="overall", method="dydx")` of statsmodels.
    pub fn marginal_effects(&self) -> Result<MarginalEffects<'_>> {
        if self.file.deviation.is_some() {
            return Err(Error::from(Unavailable::NoiseBefore));
        }
        let summary = self.require_inference()?;
        let entries = summary.covariates + usize::from(summary.has_intercept());
        let (rows, overflown, weight, slope) = (0, 0, 0.0, 0.0);
        Ok(MarginalEffects { model: self, summary, rows, overflown, weight, slope, bend: vec![0.0; entries] })
    }
}

impl MarginalEffects<'_> {
    /// Adds rows; values and offsets are as in [`Model::predict`]. Without weights all rows count the same.
    pub fn add(&mut self, (values, offsets): (&[f64], Option<&[f64]>), weights: Option<&[f64]>) {
        let mut x = values.chunks(self.model.coefficients.len().max(1));
        for (i, z) in self.model.predictors(values, offsets).into_iter().enumerate() {
            let weight = weights.and_then(|weights| weights.get(i)).copied().unwrap_or(1.0);
            let x = x.next().unwrap_or_default();
            self.rows += 1;
            // whatever its covariates are
            if weight > 0.0 {
                self.add_row(x, z, weight);
            }
        }
    }

    fn add_row(&mut self, x: &[f64], z: f64, weight: f64) {
        let (slope, bend) = (self.model.phi.derivative(z), self.model.phi.second_derivative(z));
        self.weight += weight;
        self.slope += weight * slope;
        self.overflown += usize::from(!slope.is_finite());
        // a row at an infinite covariate is on the asymptote, whatever the coefficients are
        if bend != 0.0 {
            let entries = x.iter().copied().chain(std::iter::repeat(1.0));
            self.bend.iter_mut().zip(entries).for_each(|(sum, x)| *sum += weight * bend * x);
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of rows whose slope is infinite or NaN.
    pub fn overflown(&self) -> usize {
        self.overflown
    }

    /// The effects of the covariates, in the order of the model, with standard errors by the delta method; none for a constant
    /// column.
    ///
    /// # Errors
    /// If no row has a weight above zero.
    pub fn estimates(&self) -> Result<Vec<Estimate>> {
        match self.weight > 0.0 {
            true => Ok((0..self.summary.covariates).map(|entry| self.estimate(entry)).collect()),
            false => Err(Error::data("no row has a weight above zero, so there is no average effect")),
        }
    }

    fn estimate(&self, entry: usize) -> Estimate {
        let (slope, w) = (self.slope / self.weight, self.model.coefficients.get(entry).copied().unwrap_or(0.0));
        let value = w * slope;
        let mut gradient: Vec<f64> = self.bend.iter().map(|bend| w * (bend / self.weight)).collect();
        gradient.resize(self.summary.names.len(), 0.0);
        gradient.iter_mut().skip(entry).take(1).for_each(|own| *own += slope);
        let response = self.model.response();
        self.summary.set_response(&mut gradient, |name| value * response.relative(name));
        let estimate = self.summary.function(value, &gradient);
        match self.summary.covariance_of(entry, entry) > 0.0 {
            true => estimate,
            false => Estimate { standard_error: None, ..estimate },
        }
    }
}
