//! The *fold* is the oracle over rows in this process: leaves summed by threads, merged in one fixed tree.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::math::linalg::Symmetric;
use crate::math::tree::{LEAF, fold, sum_of};
use crate::oracle::Batch;
use crate::oracle::baseline::Baseline;
use crate::oracle::group::{MOST_AT_ONCE, MultiQuery};
use crate::oracle::leaf::{PartialSums, RowPass, Weighted};
use crate::oracle::{Bounds, Hessian, Labels, Memory, Oracle, Query, Sums, Want, given_up};
use crate::rows::column;
use crate::rows::{Coordinates, Rows, Run};

/// An oracle over rows in memory.
///
/// The bits of its answers do not depend on the number of threads.
#[derive(Debug)]
pub struct Fold<'a> {
    pub(super) rows: &'a dyn Rows,
    pub(super) coordinates: Coordinates,
    pub(super) labels: Labels,
    pub(super) mean_weight: f64,
    effective_fraction: f64,
    /// λ of the penalty λ‖w‖², which is on no intercept.
    l2: f64,
    pub(super) visited: AtomicU64,
    interrupt: Arc<AtomicBool>,
    baseline: OnceLock<Baseline>,
    /// The last gradient coefficient of each row, as bits; made when it is first used.
    memory: OnceLock<Vec<AtomicU64>>,
}

impl<'a> Fold<'a> {
    /// An oracle over `rows`, seen in `coordinates`, with graduated `labels`.
    pub fn new(rows: &'a dyn Rows, coordinates: Coordinates, labels: Labels) -> Fold<'a> {
        let (mean_weight, effective_fraction) = if rows.has_weights() { spread(rows) } else { (1.0, 1.0) };
        let visited = AtomicU64::new(coordinates.passes() * rows.len() as u64);
        Fold {
            rows,
            coordinates,
            labels,
            mean_weight,
            effective_fraction,
            l2: 0.0,
            visited,
            interrupt: Arc::default(),
            baseline: OnceLock::new(),
            memory: OnceLock::new(),
        }
    }

    /// Adds λ‖w‖² to L̂_τ at every temperature, in the solver's coordinates, the intercept left out.
    pub fn with_l2(mut self, l2: f64) -> Fold<'a> {
        self.l2 = l2;
        self
    }

    /// Watches a flag that somebody may raise to end what is going on.
    pub fn with_interrupt(mut self, flag: Arc<AtomicBool>) -> Fold<'a> {
        self.interrupt = flag;
        self
    }

    /// λ of the penalty.
    pub fn l2(&self) -> f64 {
        self.l2
    }

    /// λ‖w‖².
    pub fn penalty(&self, theta: &[f64]) -> f64 {
        // no penalty is none for coefficients whose squares overflow too
        if self.l2 == 0.0 {
            return 0.0;
        }
        self.l2 * theta[..self.rows.width()].iter().map(|w| w * w).sum::<f64>()
    }

    /// The sum of the weights as the user gave them, the number of rows where there are none.
    pub(crate) fn total_weight(&self) -> f64 {
        // beyond this a log-likelihood would overflow
        (self.mean_weight * self.rows.weight_unit() * self.rows.len() as f64).min(1e300)
    }

    /// The loss at (θ, τ) over all rows, penalty left out: its difference to a loss with penalty could be rounding alone.
    pub(crate) fn loss_of_rows(&self, theta: &[f64], tau: f64) -> f64 {
        self.ask_rows(&Query::new(theta, tau, Batch::All, Want::Loss)).loss
    }

    /// The mean of (E φ(z + ε) − y)² over all rows by weight, ε ~ N(0, σ²): what the means that are predicted under noise
    /// before φ lose.
    fn loss_of_means(&self, theta: &[f64], sigma: f64) -> f64 {
        let (query, n) = (Query::new(theta, 1.0, Batch::All, Want::Loss), self.rows.len());
        self.visited.fetch_add(n as u64, Ordering::Relaxed);
        let task = RowPass::new(self, &query, &self.coordinates);
        let sum = fold(&|from, to| task.loss_of_means(sigma, from, to), &|left, right| left + right, n);
        sum / (n as f64 * self.mean_weight)
    }

    /// What the predictions of a model at θ lose: means under noise before φ of this deviation, where there is one.
    pub(crate) fn loss_of_predictions(&self, theta: &[f64], sigma: Option<f64>) -> f64 {
        match sigma {
            None => self.loss_of_rows(theta, 1.0),
            Some(sigma) => self.loss_of_means(theta, sigma),
        }
    }

    /// The answer of the rows, to which no penalty belongs.
    fn ask_rows(&self, query: &Query<'_>) -> Sums {
        let asked = query.batch.len(self.rows.len());
        self.visited.fetch_add(asked as u64, Ordering::Relaxed);
        let task = RowPass::new(self, query, &self.coordinates);
        self.finish(fold(&|from, to| task.sum(from, to), &PartialSums::merge, asked), query.want)
    }

    /// Answers several questions for the gradient: those about the same rows, at different points or temperatures, in one
    /// visit of these. The bits of an answer do not depend on which others are asked for.
    pub(crate) fn ask_together(&self, queries: &[Query<'_>]) -> Vec<Sums> {
        let mut answers = vec![Sums::default(); queries.len()];
        let mut open: Vec<usize> = (0..queries.len()).collect();
        while let Some(&first) = open.first() {
            let alike = |i: &usize| queries[*i].batch == queries[first].batch;
            let (group, rest): (Vec<usize>, Vec<usize>) = open.into_iter().partition(alike);
            for group in group.chunks(MOST_AT_ONCE) {
                let asked: Vec<&Query<'_>> = group.iter().map(|&i| &queries[i]).collect();
                group.iter().zip(self.ask_group(&asked)).for_each(|(&i, answer)| answers[i] = answer);
            }
            open = rest;
        }
        answers
    }

    fn ask_group(&self, queries: &[&Query<'_>]) -> Vec<Sums> {
        let tasks: Vec<RowPass<'_>> =
            queries.iter().map(|query| RowPass::new(self, query, &self.coordinates)).collect();
        let group = MultiQuery::new(&tasks);
        let asked = queries.first().map_or(0, |query| query.batch.len(self.rows.len()));
        self.visited.fetch_add((asked * queries.len()) as u64, Ordering::Relaxed);
        let merge = |left: Vec<PartialSums>, right: Vec<PartialSums>| {
            left.into_iter().zip(right).map(|(left, right)| left.merge(right)).collect()
        };
        let sums = fold(&|from, to| group.sum(from, to), &merge, asked);
        let finish = |(sums, query): (PartialSums, &&Query<'_>)| self.penalised(self.finish(sums, query.want), query);
        sums.into_iter().zip(queries).map(finish).collect()
    }

    /// An answer of the rows, with the penalty where there is one.
    fn penalised(&self, mut answer: Sums, query: &Query<'_>) -> Sums {
        if self.l2 > 0.0 && !matches!(query.want, Want::Mixture(_)) {
            self.penalise(&mut answer, query);
        }
        answer
    }

    fn penalise(&self, answer: &mut Sums, query: &Query<'_>) {
        let w = &query.theta[..self.rows.width()];
        answer.loss += self.penalty(query.theta);
        // what rows remember has no penalty in it: it belongs to no row
        if query.memory == Memory::Unused {
            answer.gradient.iter_mut().zip(w).for_each(|(g, w)| *g += 2.0 * self.l2 * w);
        }
        if let Some(curvature) = &mut answer.curvature {
            (0..w.len()).for_each(|j| curvature.set(j, j, curvature.at(j, j) + 2.0 * self.l2));
        }
        if let Want::CurvatureTimes(_, v) = query.want {
            answer.curvature_times.iter_mut().zip(&v[..w.len()]).for_each(|(h, v)| *h += 2.0 * self.l2 * v);
        }
    }

    /// Counts rows that were visited.
    pub(super) fn count(&self, rows: usize) {
        self.visited.fetch_add(rows as u64, Ordering::Relaxed);
    }

    /// The units that this oracle's θ is in.
    pub fn coordinates(&self) -> &Coordinates {
        &self.coordinates
    }

    /// The labels, to put another margin in force.
    pub fn labels_mut(&mut self) -> &mut Labels {
        &mut self.labels
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

    /// Turns sums over the rows into means in the solver's coordinates.
    fn finish(&self, sums: PartialSums, want: Want<'_>) -> Sums {
        let mean = 1.0 / (sums.rows as f64 * self.mean_weight);
        let vector = |sums: Weighted| match sums.rows.is_empty() {
            true => Vec::new(),
            false => scaled(self.coordinates.vector(sums.rows, sums.total), 2.0 * mean),
        };
        let loss = sums.loss * mean;
        let mut answer = Sums {
            rows: sums.rows,
            // activations are never NaN, so that this is what has overflowed on the way
            loss: if loss.is_nan() { f64::INFINITY } else { loss },
            label_square: sums.label_square * mean + self.labels.blurred_square(),
            largest_square: sums.largest_square * mean,
            log_likelihood: sums.log_likelihood * mean,
            saturated: sums.saturated * mean,
            gradient: vector(sums.gradient),
            ..Sums::default()
        };
        if matches!(want, Want::Stationarity | Want::Curvature(_)) {
            let squares = self.coordinates.squares(sums.norms.rows, sums.norms.total);
            answer.column_norms = squares.iter().map(|s| (s * mean).sqrt()).collect();
        }
        match want {
            Want::Loss | Want::Gradient | Want::Stationarity => {}
            Want::Curvature(hessian) => {
                answer.curvature = self.matrix(sums.products, sums.curvature, 2.0 * mean);
                answer.is_full = hessian == Hessian::Full;
            }
            Want::CurvatureTimes(..) => answer.curvature_times = vector(sums.curvature),
            Want::Mixture(_) | Want::NormalEquations | Want::RightSides => {
                let slope = self.labels.activation().derivative(0.0);
                let scale = 2.0 * mean * slope * slope;
                answer.curvature = self.matrix(sums.products, sums.curvature, scale);
                let sides = sums.right_sides.into_iter();
                answer.right_sides = sides.map(|s| scaled(self.coordinates.vector(s.rows, s.total), scale)).collect();
            }
        }
        answer
    }

    fn matrix(&self, products: Option<Symmetric>, border: Weighted, scale: f64) -> Option<Symmetric> {
        let mut matrix = self.coordinates.products(&products?, border.rows, border.total);
        matrix.lower_mut().iter_mut().for_each(|h| *h *= scale);
        Some(matrix)
    }

    /// The loss of the model without covariates, φ(b + offset): with the best constant that φ can take where there are no
    /// offsets, and φ(offset) where there is no intercept. Looks at labels only.
    pub fn baseline(&self) -> Baseline {
        *self.baseline.get_or_init(|| self.fit_baseline())
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

    fn effective_fraction(&self) -> f64 {
        self.effective_fraction
    }

    fn ask(&self, query: &Query<'_>) -> Sums {
        given_up(self, query).unwrap_or_else(|| self.penalised(self.ask_rows(query), query))
    }

    fn visited(&self) -> u64 {
        self.visited.load(Ordering::Relaxed)
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    fn bounds(&self) -> Bounds {
        self.visited.fetch_add(self.rows.len() as u64, Ordering::Relaxed);
        let activation = self.labels.activation();
        let slope = activation.derivative(0.0);
        Bounds {
            slope: slope.abs(),
            largest_slope: activation.largest_slope(),
            longest_row: 2.0 * slope * slope * self.longest_row() + 2.0 * self.l2,
        }
    }

    fn losses(&self, thetas: &[Vec<f64>], tau: f64, batch: Batch) -> Vec<f64> {
        let n = batch.len(self.rows.len());
        self.visited.fetch_add((n * thetas.len()) as u64, Ordering::Relaxed);
        let queries: Vec<Query<'_>> = thetas.iter().map(|theta| Query::new(theta, tau, batch, Want::Loss)).collect();
        let tasks: Vec<RowPass<'_>> =
            queries.iter().map(|query| RowPass::new(self, query, &self.coordinates)).collect();
        // a leaf is read once and stays in the cache for the other points
        let leaf = |from, to| tasks.iter().map(|task| task.sum(from, to).loss).collect::<Vec<f64>>();
        let merge = |left: Vec<f64>, right: Vec<f64>| left.iter().zip(&right).map(|(a, b)| a + b).collect();
        let losses = scaled(fold(&leaf, &merge, n), 1.0 / (n as f64 * self.mean_weight));
        losses.iter().zip(thetas).map(|(loss, theta)| loss + self.penalty(theta)).collect()
    }

    /// At τ = 0 the residual is φ′(0)·(z − φ⁻¹(y)).
    fn rms_preimage_error(&self, theta: &[f64]) -> f64 {
        self.loss_of_rows(theta, 0.0).sqrt() / self.labels.activation().derivative(0.0).abs()
    }
}

/// The mean of the weights, and the share of the rows that would tell as much with equal ones.
fn spread(rows: &dyn Rows) -> (f64, f64) {
    let weight = column(rows.len(), |run, weight| rows.weights(run, weight));
    let mean = |f: &(dyn Fn(f64) -> f64 + Sync)| sum_of(weight.len(), |i| f(weight[i])) / rows.len() as f64;
    let mean_weight = mean(&|weight| weight);
    (mean_weight, mean_weight * mean_weight / mean(&|weight| weight * weight))
}

fn scaled(mut vector: Vec<f64>, factor: f64) -> Vec<f64> {
    vector.iter_mut().for_each(|v| *v *= factor);
    vector
}
