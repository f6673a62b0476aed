//! A *projection* of rows on lines through one point: each row becomes one number a line, so that all models along it cost
//! one visit of the rows.

use std::sync::Arc;

use crate::activation::Activation;

/// Rows seen along lines through one point, with their labels.
#[derive(Clone, Debug)]
pub struct Projection {
    pub(super) activation: Arc<dyn Activation>,
    /// The predictor z of each row at the point.
    pub(super) at: Vec<f64>,
    /// By how much z grows along each line.
    pub(super) along: Vec<Vec<f64>>,
    pub(super) label: Vec<f64>,
    pub(super) weight: Vec<f64>,
}

impl Projection {
    /// Weighted sum of the squared residuals of φ(z + `step`·v + `shift`), with v the growth of z along the line.
    pub fn loss(&self, line: usize, step: f64, shift: f64) -> f64 {
        let z: Vec<f64> = self.at.iter().zip(&self.along[line]).map(|(at, along)| at + step * along + shift).collect();
        let mut value = vec![0.0; z.len()];
        self.activation.respond(&z, &mut value);
        let residuals = value.iter().zip(&self.label).zip(&self.weight).filter(|(_, weight)| **weight > 0.0);
        residuals.map(|((value, label), weight)| weight * (value - label) * (value - label)).sum()
    }

    /// z of each row at the point.
    pub fn at(&self) -> &[f64] {
        &self.at
    }

    /// By how much z grows along a line, row by row.
    pub fn along(&self, line: usize) -> &[f64] {
        &self.along[line]
    }
}
