//! A *projection* of rows on lines through one point: each row becomes one number a line, so that all models along it cost
//! one visit of the rows.

use crate::activation::Activation;
use crate::oracle::Batch;
use crate::oracle::fold::Fold;
use crate::oracle::leaf::{RowPass, Scratch, ScratchView, stride};
use crate::oracle::{Oracle, Query, Want};

/// Rows seen along lines through one point, with their labels.
pub(crate) struct Projection<'a> {
    activation: &'a dyn Activation,
    /// The predictor z of each row at the point.
    at: Vec<f64>,
    /// By how much z grows along each line.
    along: Vec<Vec<f64>>,
    label: Vec<f64>,
    weight: Vec<f64>,
}

impl Fold<'_> {
    /// Projects the asked rows on the lines through `theta` in these directions.
    pub(crate) fn project(&self, theta: &[f64], directions: &[Vec<f64>], batch: Batch) -> Projection<'_> {
        let (n, all) = (batch.len(self.rows()), self.rows());
        let queries = |theta| Query::new(theta, 1.0, batch, Want::Loss);
        let queries: Vec<Query<'_>> =
            [theta].into_iter().chain(directions.iter().map(Vec::as_slice)).map(queries).collect();
        let tasks: Vec<RowPass<'_>> =
            queries.iter().map(|query| RowPass::new(self, query, self.coordinates())).collect();
        let mut columns = vec![Vec::with_capacity(n); tasks.len()];
        let [mut labels, mut weights] = std::array::from_fn(|_| Vec::with_capacity(n));
        let stride = stride(self.coefficients());
        let nothing = vec![0.0; stride.min(n)];
        let mut room = Scratch::new(stride.min(n));
        // at the origin nothing is multiplied
        let multiplied = directions.len() + usize::from(theta.iter().any(|theta| *theta != 0.0));
        self.count(n * multiplied);
        for start in (0..n).step_by(stride) {
            batch.with_run(all, start, stride.min(n - start), |run| {
                let ScratchView { weight, offset, columns: [z, label, ..], .. } = tasks[0].enter(&mut room, &run);
                self.rows.labels(&run, label);
                labels.extend_from_slice(label);
                weights.extend_from_slice(weight);
                for (k, (task, column)) in tasks.iter().zip(&mut columns).enumerate() {
                    task.predict(&task.at, &run, if k == 0 { offset } else { &nothing[..run.len()] }, z);
                    column.extend_from_slice(z);
                }
            });
        }
        let at = columns.remove(0);
        Projection {
            activation: self.labels().activation().as_ref(),
            at,
            along: columns,
            label: labels,
            weight: weights,
        }
    }
}

impl Projection<'_> {
    /// Weighted sum of the squared residuals of φ(z + step·(what z grows by along the line) + shift).
    pub fn loss(&self, line: usize, step: f64, shift: f64) -> f64 {
        let z: Vec<f64> = self.at.iter().zip(&self.along[line]).map(|(at, along)| at + step * along + shift).collect();
        let mut value = vec![0.0; z.len()];
        self.activation.respond(&z, &mut value);
        let residuals = value.iter().zip(&self.label).zip(&self.weight).filter(|(_, weight)| **weight > 0.0);
        residuals.map(|((value, label), weight)| weight * (value - label) * (value - label)).sum()
    }

    /// What z grows by along a line, row by row.
    pub fn along(&self, line: usize) -> &[f64] {
        &self.along[line]
    }
}
