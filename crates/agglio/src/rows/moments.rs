//! *Moments* of the columns: the mean of each, and its variance.

use serde::{Deserialize, Serialize};

use crate::math::tree::{LEAF, fold};
use crate::rows::{Addition, Rows, Run};

/// Weighted mean and variance of each column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    /// Means.
    pub mean: Vec<f64>,
    /// Mean squares about the means.
    pub variance: Vec<f64>,
    /// Passes over the rows that it took to measure them.
    pub passes: u64,
}

/// The square of a pivot's distance from the mean, in variances, at which too many digits have cancelled.
const FAR: f64 = 1e6;

impl Moments {
    /// Measures them in one pass, about the mean of the first rows as a pivot: what cancels is the pivot's distance from
    /// the mean, and a scale needs few digits. Where the first rows are nothing like the others a second pass follows, about
    /// the mean that the first found. A storage that is not to be centred is summed as it is.
    pub fn of(rows: &dyn Rows) -> Moments {
        if !rows.can_centre() {
            return Moments::about(&[], rows);
        }
        let pivot = pivot(rows);
        let found = Moments::about(&pivot, rows);
        let far = |j: usize| {
            let shift = (found.mean[j] - pivot[j]).abs();
            shift * shift > FAR * found.variance[j] && shift > 1e-9 * pivot[j].abs()
        };
        if (0..pivot.len()).any(far) { Moments { passes: 2, ..Moments::about(&found.mean, rows) } } else { found }
    }

    fn about(pivot: &[f64], rows: &dyn Rows) -> Moments {
        let (n, d) = (rows.len(), rows.width());
        let leaf = |from: usize, to: usize| {
            let run = Run::Span(from..to);
            let mut sums = Sums { weight: 0.0, first: vec![0.0; d], second: vec![0.0; d] };
            let mut weight = vec![0.0; run.len()];
            rows.weights(&run, &mut weight);
            sums.weight = weight.iter().sum();
            let both = [&mut sums.first, &mut sums.second].map(|sums| Addition { coefficients: &weight, sums });
            rows.add_rows_and_squares(&run, pivot, pivot, both);
            sums
        };
        let Sums { weight, first, second } = fold(&leaf, &Sums::merge, n);
        let shift: Vec<f64> = first.iter().map(|first| first / weight).collect();
        // clamped, not the larger of the two: that would make zero of what is no number
        let variance = |(second, shift): (&f64, &f64)| (second / weight - shift * shift).clamp(0.0, f64::INFINITY);
        Moments {
            variance: second.iter().zip(&shift).map(variance).collect(),
            mean: (0..d).map(|j| pivot.get(j).copied().unwrap_or(0.0) + shift[j]).collect(),
            passes: 1,
        }
    }

    /// Those of two tables together, whose rows have these weights in all.
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

    /// Bounds on the largest entry in size of each column of `rows` rows without weights, as far as they tell: the root
    /// mean square, and √n times as much.
    pub(super) fn sizes(&self, rows: usize) -> impl Iterator<Item = (f64, f64)> {
        let root = (rows as f64).sqrt();
        let square = self.mean.iter().zip(&self.variance).map(|(mean, variance)| (variance + mean * mean).sqrt());
        square.map(move |size| (size, root * size))
    }
}

struct Sums {
    weight: f64,
    first: Vec<f64>,
    second: Vec<f64>,
}

impl Sums {
    fn merge(mut self, other: Sums) -> Sums {
        self.weight += other.weight;
        self.first.iter_mut().zip(&other.first).for_each(|(a, b)| *a += b);
        self.second.iter_mut().zip(&other.second).for_each(|(a, b)| *a += b);
        self
    }
}

/// The mean of the first rows, by weight where they have any.
fn pivot(rows: &dyn Rows) -> Vec<f64> {
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
