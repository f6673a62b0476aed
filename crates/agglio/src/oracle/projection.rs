//! A *projection* of the rows on lines through a point: it stores one number per row and line, so that all models along
//! the lines need only one pass over the rows.

use std::sync::Arc;

use crate::activation::Activation;
use crate::oracle::loss::Loss;
use crate::oracle::response::ResponseScale;

/// The linear predictors of the rows along lines through a point, with labels and weights.
#[derive(Clone, Debug)]
pub struct Projection {
    pub(super) activation: Arc<dyn Activation>,
    pub(super) loss: Loss,
    /// The linear predictor z of each row at the point.
    pub(super) at: Vec<f64>,
    /// The derivative of z along each line.
    pub(super) along: Vec<Vec<f64>>,
    /// Which entries of the response scale are free, if any.
    pub(super) response: Option<ResponseScale>,
    pub(super) label: Vec<f64>,
    pub(super) weight: Vec<f64>,
}

impl Projection {
    /// Weighted sum of the losses of φ(z + `step`·v + `shift`), where v is the derivative of z along the line, at the best
    /// response scale.
    pub fn loss(&self, line: usize, step: f64, shift: f64) -> f64 {
        let z: Vec<f64> = self.at.iter().zip(&self.along[line]).map(|(at, along)| at + step * along + shift).collect();
        let Some(response) = &self.response else {
            return self.loss.total(self.activation.as_ref(), &z, &self.label, &self.weight);
        };
        let mut value = vec![0.0; z.len()];
        self.activation.respond(&z, &mut value);
        response.least_squares(&value, &self.label, &self.weight)
    }

    /// z of each row at the point.
    pub fn at(&self) -> &[f64] {
        &self.at
    }

    /// The response of each row.
    pub fn labels(&self) -> &[f64] {
        &self.label
    }

    /// The weight of each row.
    pub fn weights(&self) -> &[f64] {
        &self.weight
    }

    /// The derivative of z along a line, row by row.
    pub fn along(&self, line: usize) -> &[f64] {
        &self.along[line]
    }
}
