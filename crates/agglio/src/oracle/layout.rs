//! The *layout* of θ says which entries are coefficients, intercept, response offset and response scale.

use serde::{Deserialize, Serialize};

/// θ = (w_1 … w_d), followed by the intercept, the response offset α and the response scale β, as far as there are any. No
/// other module splits θ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// Number of coefficients, d.
    pub coefficients: usize,
    /// Whether an intercept follows.
    pub intercept: bool,
    /// Whether a free response offset and a free response scale follow.
    pub response: [bool; 2],
}

impl Layout {
    /// Number of entries of θ.
    pub fn dim(&self) -> usize {
        self.predictor_dim() + self.response.iter().filter(|free| **free).count()
    }

    /// Number of entries that the linear predictor depends on: coefficients and intercept.
    pub fn predictor_dim(&self) -> usize {
        self.coefficients + usize::from(self.intercept)
    }

    /// Whether the response scale has a free entry.
    pub fn has_response(&self) -> bool {
        self.response != [false, false]
    }

    /// θ = 0.
    pub fn zero(&self) -> Vec<f64> {
        vec![0.0; self.dim()]
    }

    /// The unit vector of an entry of θ.
    pub fn unit(&self, entry: usize) -> Vec<f64> {
        (0..self.dim()).map(|j| f64::from(u8::from(j == entry))).collect()
    }

    /// The entry of the intercept, if there is one.
    pub fn intercept_entry(&self) -> Option<usize> {
        self.intercept.then_some(self.coefficients)
    }

    /// The layout of θ without one of its entries.
    pub fn without(&self, entry: usize) -> Layout {
        if entry < self.coefficients {
            return Layout { coefficients: self.coefficients - 1, ..*self };
        }
        if entry < self.predictor_dim() {
            return Layout { intercept: false, ..*self };
        }
        let [offset, scale] = self.response;
        // the response offset comes first, if it is free
        match entry == self.predictor_dim() && offset {
            true => Layout { response: [false, scale], ..*self },
            false => Layout { response: [offset, false], ..*self },
        }
    }

    /// The model without covariates: all coefficients are zero, and the intercept is set if there is one.
    pub fn constant(&self, intercept: f64) -> Vec<f64> {
        let mut theta = self.zero();
        self.set_intercept(&mut theta, intercept);
        theta
    }

    /// w, the part of θ that penalty and ball refer to.
    pub fn coefficients<'t>(&self, theta: &'t [f64]) -> &'t [f64] {
        &theta[..self.coefficients]
    }

    /// w, mutable.
    pub fn coefficients_mut<'t>(&self, theta: &'t mut [f64]) -> &'t mut [f64] {
        &mut theta[..self.coefficients]
    }

    /// b, or zero if there is none.
    pub fn intercept(&self, theta: &[f64]) -> f64 {
        if self.intercept { theta[self.coefficients] } else { 0.0 }
    }

    /// Sets b, if there is one.
    pub fn set_intercept(&self, theta: &mut [f64], intercept: f64) {
        theta[self.coefficients..self.predictor_dim()].fill(intercept);
    }

    /// The free entries of the response scale.
    pub fn response<'t>(&self, theta: &'t [f64]) -> &'t [f64] {
        theta.get(self.predictor_dim()..).unwrap_or_default()
    }

    /// The free entries of the response scale, mutable.
    pub fn response_mut<'t>(&self, theta: &'t mut [f64]) -> &'t mut [f64] {
        theta.get_mut(self.predictor_dim()..).unwrap_or_default()
    }
}
