//! A *projection* of rows on one direction: each row becomes one number, so that all models along the direction cost one
//! visit of the rows.

use crate::activation::Activation;
use crate::oracle::fold::Fold;
use crate::oracle::leaf::{Room, Task, Visit, stride};
use crate::oracle::{Oracle, Query, Want};
use crate::rows::Batch;

/// Rows seen along one direction, with their labels.
pub(crate) struct Projection<'a> {
    activation: &'a dyn Activation,
    /// xᵀw of each row.
    along: Vec<f64>,
    offset: Vec<f64>,
    label: Vec<f64>,
    weight: Vec<f64>,
}

impl Fold<'_> {
    /// Projects the asked rows on `direction`, a θ whose intercept is zero.
    pub(crate) fn project(&self, direction: &[f64], batch: Batch) -> Projection<'_> {
        let (n, all) = (batch.len(self.rows()), self.rows());
        let query = Query::new(direction, 1.0, batch, Want::Loss);
        let (task, stride) = (Task::new(self, &query, self.coordinates()), stride(self.coefficients()));
        let activation = self.labels().activation().as_ref();
        let [along, offset, label, weight] = std::array::from_fn(|_| Vec::with_capacity(n));
        let mut projection = Projection { activation, along, offset, label, weight };
        let mut room = Room::new(stride.min(n));
        self.count(n);
        for start in (0..n).step_by(stride) {
            batch.with_run(all, start, stride.min(n - start), |run| {
                let Visit { weight, offset, columns: [z, label, ..], .. } = task.enter(&mut room, &run);
                task.predict(&task.at, &run, offset, z);
                self.rows.labels(&run, label);
                projection.along.extend(z.iter().zip(offset).map(|(z, offset)| z - offset));
                projection.offset.extend_from_slice(offset);
                projection.label.extend_from_slice(label);
                projection.weight.extend_from_slice(weight);
            });
        }
        projection
    }
}

impl Projection<'_> {
    /// Weighted sum of the squared residuals of φ(scale·xᵀw + intercept + offset).
    pub fn loss(&self, scale: f64, intercept: f64) -> f64 {
        let z: Vec<f64> =
            self.along.iter().zip(&self.offset).map(|(along, offset)| scale * along + intercept + offset).collect();
        let mut value = vec![0.0; z.len()];
        self.activation.respond(&z, &mut value);
        let residuals = value.iter().zip(&self.label).zip(&self.weight).filter(|(_, weight)| **weight > 0.0);
        residuals.map(|((value, label), weight)| weight * (value - label) * (value - label)).sum()
    }

    /// The predictors xᵀw in rising order.
    pub fn sorted(&self) -> Vec<f64> {
        let mut sorted = self.along.clone();
        sorted.sort_by(f64::total_cmp);
        sorted
    }
}
