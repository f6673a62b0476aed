//! The *linear* stage: at τ = 0 the problem is least squares on φ⁻¹(y), solved in closed form and without a start.

use crate::linalg::Symmetric;
use crate::oracle::{Fold, Oracle, Query, Want};
use crate::rows::Batch;

/// Times that preimages are chosen anew where there are two.
const MOST_CHOICES: usize = 10;

/// The normal equations at τ = 0: one pass.
pub(super) struct Line {
    curvature: Symmetric,
    /// One for each label margin, then one for labels as they are.
    right_sides: Vec<Vec<f64>>,
}

impl Line {
    pub fn of(oracle: &dyn Oracle, rows: Batch) -> Line {
        let origin = vec![0.0; oracle.dim()];
        let answer = oracle.ask(&Query::new(&origin, 0.0, rows, Want::Line));
        let curvature = answer.curvature.unwrap_or_else(|| Symmetric::zero(oracle.dim()));
        Line { curvature, right_sides: answer.right_sides }
    }

    /// The solution for a right-hand side; of least norm where there are several.
    pub fn solve(&self, right: &[f64]) -> Vec<f64> {
        let free = vec![0.0; right.len()];
        let exact = self.curvature.solve(&free, right);
        exact.or_else(|| self.curvature.solve_least_norm(right).map(|(p, _)| p)).unwrap_or(free)
    }

    /// H·θ.
    pub fn times(&self, theta: &[f64]) -> Vec<f64> {
        self.curvature.times(theta)
    }

    /// The best start for τ = 1: of the label margins that make a difference, the one whose solution has the lowest
    /// loss there is put in force.
    pub fn start(&self, oracle: &mut Fold<'_>, rows: Batch) -> Vec<f64> {
        let margins = oracle.labels().margins();
        let mut starts: Vec<Vec<f64>> = self.right_sides.iter().take(margins).map(|right| self.solve(right)).collect();
        if oracle.labels().ambiguous() > 0 {
            starts = starts.into_iter().map(|start| self.rechoose(oracle, rows, start)).collect();
        }
        let losses = if starts.len() > 1 { oracle.losses(&starts, 1.0, rows) } else { vec![0.0] };
        let best = (0..starts.len()).min_by(|&a, &b| losses[a].total_cmp(&losses[b])).unwrap_or(0);
        oracle.labels_mut().choose(best);
        starts.swap_remove(best)
    }

    /// The solution for labels as they are, the nearer of two preimages counting.
    pub fn unclipped(&self, oracle: &mut Fold<'_>, rows: Batch) -> Vec<f64> {
        oracle.labels_mut().unclip();
        let theta = self.right_sides.last().map(|right| self.solve(right)).unwrap_or_default();
        if oracle.labels().ambiguous() > 0 { self.rechoose(oracle, rows, theta) } else { theta }
    }

    /// Chooses for each row the preimage that is nearer, solves, and chooses again until nothing changes.
    fn rechoose(&self, oracle: &dyn Oracle, rows: Batch, mut theta: Vec<f64>) -> Vec<f64> {
        let mut last = f64::INFINITY;
        for _ in 0..MOST_CHOICES {
            let here = oracle.ask(&Query::new(&theta, 0.0, rows, Want::Gradient));
            let down: Vec<f64> = here.gradient.iter().map(|g| -g).collect();
            let p = self.solve(&down);
            let gain = 0.5 * p.iter().zip(&down).map(|(p, g)| p * g).sum::<f64>();
            // the loss is the smaller of smooth ones, so it falls until the choice stays as it is; the last thousandth
            // is for the temperatures above to find
            if gain <= here.rounding().max(1e-3 * here.loss) || here.loss >= last {
                break;
            }
            last = here.loss;
            theta.iter_mut().zip(&p).for_each(|(theta, p)| *theta += p);
        }
        theta
    }
}
