//! The *departure* of labels from noise before φ: how far the means of that model miss beside another fit, and the moments of
//! its residuals φ⁻¹(y) − z.

use std::sync::atomic::Ordering;

use crate::math::tree::fold;
use crate::oracle::Batch;
use crate::oracle::branch::PreimageDensity;
use crate::oracle::fold::Fold;
use crate::oracle::leaf::{RowPass, Scratch, ScratchView};
use crate::oracle::{Query, Want};
use crate::rows::column;

/// A fit under noise before φ, and another one under noise after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends<'a> {
    pub pre: &'a [f64],
    /// Root mean square of the residuals φ⁻¹(y) − z.
    pub residual: f64,
    /// Standard deviation of the noise before φ.
    pub sigma: f64,
    pub post: &'a [f64],
}

/// What tells the two apart, as weighted means over rows. Where a label has two preimages, e² is expected over both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Departure {
    /// Mean of D = (E φ(z + ε) − y)² − (φ(z′) − y)², with z of the fit before φ and z′ of the other.
    pub excess: f64,
    /// Variance of D.
    pub excess_variance: f64,
    /// Mean of e², e = (φ⁻¹(y) − z)/residual.
    pub square: f64,
    /// Mean of e³.
    pub cube: f64,
    /// Mean of e⁴.
    pub fourth: f64,
    /// Variance of g = ln|φ′(z)|.
    pub slope_variance: f64,
    /// Covariance of e² and g.
    pub slope_covariance: f64,
}

/// Sums that a departure is made of: ω; ωD, ωD²; ωe², ωe³, ωe⁴; ωg, ωg², ωe²g.
type Parts = [f64; 9];

impl Fold<'_> {
    /// Compares two fits on these rows, each of which is visited for both.
    pub(crate) fn departure(&self, ends: Ends<'_>, batch: Batch) -> Departure {
        let asked = batch.len(self.rows.len());
        self.visited.fetch_add(2 * asked as u64, Ordering::Relaxed);
        let [pre, post] = [ends.pre, ends.post].map(|theta| Query::new(theta, 1.0, batch, Want::Loss));
        let [pre, post] = [&pre, &post].map(|query| RowPass::new(self, query, &self.coordinates));
        let leaf = |from: usize, to: usize| {
            batch.with_run(self.rows.len(), from, to - from, |run| {
                let mut room = Scratch::new(run.len());
                let ScratchView { weight, offset, columns: [z, label, mean, value, left, right, ..], .. } =
                    pre.enter(&mut room, &run);
                post.predict(&post.at, &run, offset, z);
                self.labels.activation().respond(z, value);
                pre.predict(&pre.at, &run, offset, z);
                self.rows.labels(&run, label);
                self.labels.activation().average(ends.sigma, z, mean);
                self.labels.both_preimages(&run, left, right);
                let row = |i: usize| match weight[i] > 0.0 {
                    true => {
                        let excess = (mean[i] - label[i]).powi(2) - (value[i] - label[i]).powi(2);
                        self.parts(weight[i], z[i], excess, [left[i], right[i]], ends.residual)
                    }
                    false => Parts::default(),
                };
                (0..run.len()).map(row).fold(Parts::default(), add)
            })
        };
        Departure::of(fold(&leaf, &add, asked))
    }

    fn parts(&self, weight: f64, z: f64, excess: f64, preimages: [f64; 2], sigma: f64) -> Parts {
        let activation = self.labels.activation().as_ref();
        let [left, right] = preimages.map(|preimage| PreimageDensity::new(activation, preimage, z, sigma));
        let odds = PreimageDensity::odds(left, right);
        let moment = |power: i32| {
            let of = |branch: PreimageDensity| ((branch.preimage - z) / sigma).powi(power);
            odds * of(left) + (1.0 - odds) * of(right)
        };
        let (square, slope) = (moment(2), activation.derivative(z).abs().max(f64::MIN_POSITIVE).ln());
        [1.0, excess, excess * excess, square, moment(3), moment(4), slope, slope * slope, square * slope]
            .map(|part| weight * part)
    }

    /// Share of the labels, by weight, that repeat the lowest or the highest of them. Looks at labels only.
    pub(crate) fn tied_share(&self) -> f64 {
        let (n, unit) = (self.rows.len(), self.rows.weight_unit());
        let y = column(n, |run, y| self.rows.labels(run, y));
        let weight = column(n, |run, weight| self.rows.weights(run, weight));
        let labels = || y.iter().zip(&weight).filter(|(_, weight)| **weight > 0.0);
        let (lowest, highest) =
            labels().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), (y, _)| (y.min(lo), y.max(hi)));
        // one label at the end is no tie
        let tied = |end: f64| {
            let sum: f64 = labels().filter(|(y, _)| **y == end).map(|(_, weight)| weight * unit).sum();
            (sum - 1.0).max(0.0)
        };
        (tied(lowest) + tied(highest)) / self.total_weight()
    }
}

fn add(mut left: Parts, right: Parts) -> Parts {
    left.iter_mut().zip(right).for_each(|(left, right)| *left += right);
    left
}

impl Departure {
    fn of(sums: Parts) -> Departure {
        let [weight, ..] = sums;
        let [_, excess, excess_square, square, cube, fourth, slope, slope_square, mixed] = sums.map(|sum| sum / weight);
        Departure {
            excess,
            excess_variance: excess_square - excess * excess,
            square,
            cube,
            fourth,
            slope_variance: slope_square - slope * slope,
            slope_covariance: mixed - square * slope,
        }
    }
}
