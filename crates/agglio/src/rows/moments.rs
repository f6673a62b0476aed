//! *Moments* are the mean and the variance of each column.

use serde::{Deserialize, Serialize};

use crate::math::tree::{LEAF, fold};
use crate::rows::{Addition, Rows, Run};

/// Weighted mean and variance of each column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    /// The means.
    pub mean: Vec<f64>,
    /// The variances: mean squares about the means.
    pub variance: Vec<f64>,
    /// Number of passes over the rows that were needed.
    pub passes: u64,
}

/// If the squared distance of the pivot from the mean is more than this many variances, too many digits have cancelled.
const LARGEST_SHIFT: f64 = 1e6;

impl Moments {
    /// Measures the moments in one pass, about a pivot: the mean of the first rows. Only the distance between pivot and
    /// mean cancels, and a scale needs few digits. If the first rows are not representative, a second pass about the
    /// mean follows. A storage that cannot be centred is summed without a pivot.
    pub fn of(rows: &dyn Rows) -> Moments {
        let pivot = MomentSums::pivot(rows);
        let found = MomentSums::about(&pivot, rows).moments(&pivot);
        match found.better_pivot(&pivot) {
            Some(pivot) => MomentSums::about(pivot, rows).moments(pivot).of_second_pass(),
            None => found,
        }
    }

    /// The means, if they are so far from the pivot that a second pass about them is needed.
    pub(crate) fn better_pivot(&self, pivot: &[f64]) -> Option<&[f64]> {
        let far = |j: usize| {
            let shift = (self.mean[j] - pivot[j]).abs();
            shift * shift > LARGEST_SHIFT * self.variance[j] && shift > 1e-9 * pivot[j].abs()
        };
        (0..pivot.len()).any(far).then_some(&self.mean)
    }

    /// The same after two passes.
    pub(crate) fn of_second_pass(self) -> Moments {
        Moments { passes: 2, ..self }
    }

    /// The moments of two tables together, given the total weight of each.
    pub(crate) fn merge(&self, weight: f64, other: &Moments, other_weight: f64) -> Moments {
        let share = other_weight / (weight + other_weight);
        let apart = |j: usize| other.mean[j] - self.mean[j];
        let variance = |j: usize| {
            let between = share * (1.0 - share) * apart(j) * apart(j);
            (1.0 - share) * self.variance[j] + share * other.variance[j] + between
        };
        Moments {
            mean: (0..self.mean.len()).map(|j| self.mean[j] + share * apart(j)).collect(),
            variance: (0..self.mean.len()).map(variance).collect(),
            passes: self.passes.max(other.passes),
        }
    }

    /// Bounds on the largest absolute value in each column of `rows` unweighted rows: the root mean square, and √n
    /// times the root mean square.
    pub(super) fn sizes(&self, rows: usize) -> impl Iterator<Item = (f64, f64)> {
        let root = (rows as f64).sqrt();
        let square = self.mean.iter().zip(&self.variance).map(|(mean, variance)| (variance + mean * mean).sqrt());
        square.map(move |size| (size, root * size))
    }
}

/// The sums that moments are made of, about a pivot. Those of consecutive blocks of rows can be merged.
pub(crate) struct MomentSums {
    weight: f64,
    first: Vec<f64>,
    second: Vec<f64>,
}

impl MomentSums {
    /// The weighted mean of the first rows, or the plain mean if their weights are all zero. Empty for a storage that cannot
    /// be centred.
    pub fn pivot(rows: &dyn Rows) -> Vec<f64> {
        if !rows.can_centre() {
            return Vec::new();
        }
        let run = Run::Span(0..rows.len().min(LEAF));
        let mut weight = vec![0.0; run.len()];
        rows.weights(&run, &mut weight);
        let total: f64 = weight.iter().sum();
        let even = 1.0 / run.len() as f64;
        weight.iter_mut().for_each(|weight| *weight = if total > 0.0 { *weight / total } else { even });
        let mut pivot = vec![0.0; rows.width()];
        rows.add_rows(&run, &[], &mut [Addition { coefficients: &weight, sums: &mut pivot }]);
        pivot
    }

    /// The sums over all rows of a table, or of a block of it.
    pub fn about(pivot: &[f64], rows: &dyn Rows) -> MomentSums {
        let d = rows.width();
        let leaf = |span| {
            let run = Run::Span(span);
            let mut sums = MomentSums { weight: 0.0, first: vec![0.0; d], second: vec![0.0; d] };
            let mut weight = vec![0.0; run.len()];
            rows.weights(&run, &mut weight);
            sums.weight = weight.iter().sum();
            let both = [&mut sums.first, &mut sums.second].map(|sums| Addition { coefficients: &weight, sums });
            rows.add_rows_and_squares(&run, pivot, pivot, both);
            sums
        };
        fold(&leaf, &MomentSums::merge, 0..rows.len())
    }

    pub fn merge(mut self, other: MomentSums) -> MomentSums {
        self.weight += other.weight;
        self.first.iter_mut().zip(&other.first).for_each(|(a, b)| *a += b);
        self.second.iter_mut().zip(&other.second).for_each(|(a, b)| *a += b);
        self
    }

    /// The moments, after one pass.
    pub fn moments(self, pivot: &[f64]) -> Moments {
        let MomentSums { weight, first, second } = self;
        let shift: Vec<f64> = first.iter().map(|first| first / weight).collect();
        // `clamp` keeps NaN; `max` would turn it into zero
        let variance = |(second, shift): (&f64, &f64)| (second / weight - shift * shift).clamp(0.0, f64::INFINITY);
        Moments {
            variance: second.iter().zip(&shift).map(variance).collect(),
            mean: (0..shift.len()).map(|j| pivot.get(j).copied().unwrap_or(0.0) + shift[j]).collect(),
            passes: 1,
        }
    }
}
