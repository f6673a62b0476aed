//! The *fold* is the oracle over rows in this process: leaves summed by threads, merged in one fixed tree.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::oracle::leaf::{LEAF, Partial, Task, Weighted};
use crate::oracle::{Bounds, Labels, Oracle, Query, Sums, Want};
use crate::rows::{Batch, Coordinates, Rows, Run};

/// An oracle over rows in memory.
///
/// Leaves merge in the one binary tree whose left child holds the largest power of two of leaves, so that the
/// additions, and with them the bits of the answer, do not depend on the number of threads.
#[derive(Debug)]
pub struct Fold<'a> {
    pub(super) rows: &'a dyn Rows,
    pub(super) coordinates: Coordinates,
    pub(super) labels: Labels,
    mean_weight: f64,
    visited: AtomicU64,
    /// The last gradient coefficient of each row, as bits; made when it is first used.
    memory: OnceLock<Vec<AtomicU64>>,
}

impl<'a> Fold<'a> {
    /// An oracle over `rows`, seen in `coordinates`, with graduated `labels`.
    pub fn new(rows: &'a dyn Rows, coordinates: Coordinates, labels: Labels) -> Fold<'a> {
        let mut weight = vec![0.0; rows.len()];
        rows.weights(&Run::Span(0..rows.len()), &mut weight);
        let mean_weight = weight.iter().sum::<f64>() / rows.len() as f64;
        let visited = AtomicU64::new(coordinates.passes() * rows.len() as u64);
        Fold { rows, coordinates, labels, mean_weight, visited, memory: OnceLock::new() }
    }

    /// The units that this oracle's θ is in.
    pub fn coordinates(&self) -> &Coordinates {
        &self.coordinates
    }

    /// The labels and their activation.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// Exchanges what `row` remembers.
    pub(super) fn remember(&self, row: usize, new: f64) -> f64 {
        let memory = self.memory.get_or_init(|| (0..self.rows.len()).map(|_| AtomicU64::default()).collect());
        f64::from_bits(memory[row].swap(new.to_bits(), Ordering::Relaxed))
    }

    /// Σ over the leaves `from` … `to` of the asked rows.
    fn tree(task: &Task<'_>, asked: usize, from: usize, to: usize) -> Partial {
        if to - from <= 1 {
            return task.sum(from * LEAF, asked.min(to * LEAF));
        }
        let left = usize::MAX.count_ones() - (to - from - 1).leading_zeros() - 1;
        let middle = from + (1 << left);
        let (left, right) =
            rayon::join(|| Self::tree(task, asked, from, middle), || Self::tree(task, asked, middle, to));
        left.merge(right)
    }

    /// Turns sums over the rows into means in the solver's coordinates.
    fn finish(&self, sums: Partial, want: Want<'_>) -> Sums {
        let mean = 1.0 / (sums.rows as f64 * self.mean_weight);
        let vector = |sums: Weighted| match sums.rows.is_empty() {
            true => Vec::new(),
            false => scaled(self.coordinates.vector(sums.rows, sums.total), 2.0 * mean),
        };
        let mut answer = Sums {
            rows: sums.rows,
            loss: sums.loss * mean,
            label_square: sums.label_square * mean,
            gradient: vector(sums.gradient),
            ..Sums::default()
        };
        match want {
            Want::Loss | Want::Gradient => {}
            Want::Stationarity => {
                let squares = self.coordinates.squares(sums.norms.rows, sums.norms.total);
                answer.column_norms = squares.iter().map(|s| (s * mean).sqrt()).collect();
            }
            Want::Curvature(_) => {
                let (border, total) = (&sums.curvature.rows, sums.curvature.total);
                let mut matrix = sums.products.map(|products| self.coordinates.products(&products, border, total));
                matrix.iter_mut().for_each(|m| m.lower_mut().iter_mut().for_each(|h| *h *= 2.0 * mean));
                answer.curvature = matrix;
            }
            Want::CurvatureTimes(..) => answer.curvature_times = vector(sums.curvature),
        }
        answer
    }

    /// max_i ω_i·‖x_i‖² in the solver's coordinates, ω of mean one.
    fn longest_row(&self) -> f64 {
        let (n, v) = (self.rows.len(), self.coordinates.inverse_squares());
        let (mut squares, mut weight) = (vec![0.0; LEAF], vec![0.0; LEAF]);
        let constant = f64::from(u8::from(self.coordinates.intercept()));
        let mut longest = 0.0_f64;
        for start in (0..n).step_by(LEAF) {
            let run = Run::Span(start..n.min(start + LEAF));
            let (squares, weight) = (&mut squares[..run.len()], &mut weight[..run.len()]);
            self.rows.square_dots(&run, self.coordinates.centre(), &v, squares);
            self.rows.weights(&run, weight);
            longest = squares.iter().zip(weight).fold(longest, |most, (s, w)| most.max((*s + constant) * *w));
        }
        longest / self.mean_weight
    }
}

impl Oracle for Fold<'_> {
    fn dim(&self) -> usize {
        self.coordinates.dim()
    }

    fn coefficients(&self) -> usize {
        self.rows.width()
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn ask(&self, query: &Query<'_>) -> Sums {
        let asked = query.batch.len(self.rows.len());
        self.visited.fetch_add(asked as u64, Ordering::Relaxed);
        let task = Task::new(self, query, &self.coordinates);
        self.finish(Self::tree(&task, asked, 0, asked.div_ceil(LEAF)), query.want)
    }

    fn visited(&self) -> u64 {
        self.visited.load(Ordering::Relaxed)
    }

    fn bounds(&self) -> Bounds {
        self.visited.fetch_add(self.rows.len() as u64, Ordering::Relaxed);
        let activation = self.labels.activation();
        let slope = activation.slope(0.0);
        Bounds {
            steepness: activation.largest_slope().map(|largest| (largest / slope).powi(2)),
            longest_row: 2.0 * slope * slope * self.longest_row(),
        }
    }

    /// At τ = 0 the residual is φ′(0)·(z − φ⁻¹(y)).
    fn distance(&self, theta: &[f64]) -> f64 {
        let linear = self.ask(&Query::new(theta, 0.0, Batch::All, Want::Loss));
        linear.loss.sqrt() / self.labels.activation().slope(0.0).abs()
    }
}

fn scaled(mut vector: Vec<f64>, factor: f64) -> Vec<f64> {
    vector.iter_mut().for_each(|v| *v *= factor);
    vector
}
