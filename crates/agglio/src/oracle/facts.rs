//! *Facts* are the properties of all rows and of φ that upper layers may use before a fit: the results of one pass over
//! responses, weights and offsets, and some properties of φ.

use serde::{Deserialize, Serialize};

use crate::activation::Range;
use crate::error::{Error, Result};
use crate::math::tree::fold;
use crate::oracle::baseline::Baseline;
use crate::oracle::labels::{PreimageChoice, Tally};
use crate::oracle::layout::Layout;
use crate::oracle::query::Margin;
use crate::oracle::response::ResponseScale;
use crate::rows::{Coordinates, Moments, Rows, Run};
use crate::save::encoding::encode;
use crate::save::envelope::checksum;

/// Responses and offsets up to this size can be squared, and many squares can be added, without overflow.
const LARGEST: f64 = 1e151;
/// Squares of responses down to this size keep their digits.
const SMALLEST: f64 = 1e-151;

/// The facts about the rows and φ that upper layers may use.
#[derive(Clone, Debug, Serialize)]
pub struct Facts {
    /// Number of rows.
    pub rows: usize,
    /// Number of rows whose weight is not zero.
    pub counted: usize,
    /// The sum of the weights as the user gave them, or the number of rows without weights.
    pub total_weight: f64,
    /// (Σω)²/(n·Σω²): Kish's effective sample size as a fraction of n.
    pub effective_fraction: f64,
    /// Σ ln ω over the rows whose weight is not zero, with the weights as the user gave them. Zero without weights.
    pub log_weights: f64,
    /// Whether every row has the code of a cluster.
    pub has_clusters: bool,
    /// The layout of θ.
    pub layout: Layout,
    /// The units of θ.
    pub coordinates: Coordinates,
    /// λ of the penalty λ‖w‖².
    pub l2: f64,
    /// The smallest and largest response among the rows with positive weight.
    pub label_bounds: (f64, f64),
    /// Weighted mean square of the responses.
    pub label_square: f64,
    /// Weighted share of the responses that repeat the smallest or the largest one.
    pub tied_share: f64,
    /// Counts of labels by their preimages.
    pub preimages: Tally,
    /// Number of label margins in use, at least one.
    pub margins: usize,
    /// Whether the narrowest margin changes a label.
    pub clips_some: bool,
    /// The model without covariates.
    pub baseline: Baseline,
    /// Whether rows lie at minus infinity, on the side of φ that the sign of the coefficient says.
    pub has_limits: bool,
    /// Whether the loss at τ = 1 is convex in θ for every table, so that every run ends at the same minimum.
    pub is_convex: bool,
    /// Whether the curvature of the loss at τ = 1 has a known bound in a neighbourhood: for least squares on a fixed response
    /// scale, if the shape of φ is known.
    pub bounds_curvature: bool,
    /// The free entries of the response scale, if there are any.
    pub response: Option<ResponseScale>,
    /// The properties of φ that a strategy may use.
    pub activation: Traits,
}

/// Properties of an activation φ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Traits {
    /// |φ′(0)|.
    pub derivative_at_zero: f64,
    /// sup φ′, or none for an activation whose derivative is unbounded.
    pub largest_slope: Option<f64>,
    /// The values that φ takes.
    pub range: Range,
    /// The argument of the minimum of φ, if φ has one and some label has two preimages.
    pub argmin: Option<f64>,
    /// Whether φ is monotone.
    pub is_monotone: bool,
}

impl Facts {
    /// The choices of preimages for the linear stage: one for each margin and one without a margin. If φ is not
    /// monotone, there is also one far to the left, and if a label has two preimages, one on the left. Under a free response
    /// scale there is one for each first scale.
    pub fn preimage_choices(&self) -> Vec<PreimageChoice> {
        if let Some(response) = &self.response {
            return (0..response.starts().len()).map(PreimageChoice::Rescaled).collect();
        }
        let right = (0..self.margins).map(Margin::Nth).chain([Margin::None]).map(PreimageChoice::Right);
        let left = self.activation.argmin.map(|_| PreimageChoice::Left);
        let far_left = (!self.activation.is_monotone).then_some(PreimageChoice::FarLeft);
        right.chain(left).chain(far_left).collect()
    }

    /// Number of coefficients that the data identify, including the intercept: columns without information do not
    /// count.
    pub fn parameters(&self) -> usize {
        self.layout.dim() - self.coordinates.dead_columns().len()
    }

    /// λ‖w‖².
    pub fn penalty(&self, theta: &[f64]) -> f64 {
        // without a penalty, coefficients whose squares overflow must not give NaN
        if self.l2 == 0.0 {
            return 0.0;
        }
        self.l2 * self.layout.coefficients(theta).iter().map(|w| w * w).sum::<f64>()
    }

    /// A number by which the same rows and the same problem are recognised: the CRC-64 of all the facts.
    ///
    /// # Errors
    /// None in practice: facts can always be written as bytes.
    pub(crate) fn digest(&self) -> Result<u64> {
        Ok(checksum(&encode(self)?))
    }

    /// Checks that every label has a preimage, as noise before φ requires: y = φ(xᵀw + ε).
    ///
    /// # Errors
    /// If a label has none, with their number.
    pub fn require_preimages(&self, activation: &str) -> Result<()> {
        let (without, all) = (self.preimages.without_preimage, self.rows);
        if without == 0 {
            return Ok(());
        }
        Err(Error::data(format!(
            "{without} of {all} responses are at or outside the range of the {activation}; noise `pre` and solvers `linear` \
             and `theory` need responses inside it: use noise `post` and another solver"
        )))
    }
}

/// The result of one pass over some rows. The results of several shards can be merged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Number of rows.
    pub rows: usize,
    /// Number of covariates.
    pub width: usize,
    /// Whether rows can be centred.
    pub can_centre: bool,
    /// The units by which the columns were divided, or empty.
    pub units: Vec<f64>,
    /// The unit of the weights.
    pub weight_unit: f64,
    /// Whether rows have weights.
    pub has_weights: bool,
    /// Whether rows have offsets.
    pub has_offsets: bool,
    /// Whether rows lie at minus infinity.
    pub has_limits: bool,
    /// Whether rows have clusters.
    pub has_clusters: bool,
    /// Σ ω².
    pub weight_square: f64,
    /// Σ ln ω over the positive weights, in the user's units.
    pub log_weights: f64,
    /// Mean and spread of the responses, weighted.
    pub labels: Spread,
    /// Mean and spread of the responses with positive weight, each counted once.
    pub counted: Spread,
    /// The smallest response with positive weight.
    pub smallest: f64,
    /// The largest response with positive weight.
    pub largest: f64,
    /// Total weight of the responses that equal the smallest.
    pub at_smallest: f64,
    /// Total weight of the responses that equal the largest.
    pub at_largest: f64,
    /// Total weight of the responses below the range of φ.
    pub below: f64,
    /// Total weight of the responses above the range of φ.
    pub above: f64,
    /// The largest absolute offset with positive weight.
    pub offset_size: f64,
    /// The smallest and largest offset.
    pub offset_bounds: (f64, f64),
    /// Means and variances of the columns, if they were asked for.
    pub moments: Option<Moments>,
}

/// A weighted mean, and the weighted sum of squares about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Sum of the weights.
    pub weight: f64,
    /// Mean.
    pub mean: f64,
    /// Σ ω (y − mean)².
    pub square: f64,
}

impl Spread {
    fn of(pairs: impl Iterator<Item = (f64, f64)> + Clone) -> Spread {
        let weight: f64 = pairs.clone().map(|(weight, _)| weight).sum();
        let mean = pairs.clone().map(|(weight, y)| weight * y).sum::<f64>() / weight;
        let square = pairs.map(|(weight, y)| weight * ((y - mean) * (y - mean))).sum();
        if weight > 0.0 { Spread { weight, mean, square } } else { Spread::default() }
    }

    /// The weighted variance.
    pub fn variance(&self) -> f64 {
        self.square / self.weight
    }

    /// Weighted mean of (y − `centre`)².
    pub fn about(&self, centre: f64) -> f64 {
        self.variance() + (self.mean - centre) * (self.mean - centre)
    }

    /// Merges two spreads. Reference: Chan, Golub and LeVeque (1983).
    fn merge(self, other: Spread) -> Spread {
        let weight = self.weight + other.weight;
        if self.weight == 0.0 || other.weight == 0.0 {
            return if self.weight == 0.0 { other } else { self };
        }
        let (apart, share) = (other.mean - self.mean, other.weight / weight);
        Spread {
            weight,
            mean: self.mean + apart * share,
            square: self.square + other.square + apart * apart * self.weight * share,
        }
    }

    fn scaled(self, factor: f64) -> Spread {
        Spread { weight: factor * self.weight, square: factor * self.square, ..self }
    }
}

impl Measured {
    /// Measures responses, weights and offsets in one pass. If `columns`, also the moments of the columns, unless the
    /// storage already has them.
    pub fn of(rows: &dyn Rows, range: Range, columns: bool) -> Measured {
        let known = || rows.moments().cloned().unwrap_or_else(|| Moments::of(rows));
        let leaf = |span| Measured::of_run(rows, range, Run::Span(span));
        let moments = columns.then(known);
        Measured { moments, ..fold(&leaf, &Measured::merge_labels, 0..rows.len()) }
    }

    fn of_run(rows: &dyn Rows, range: Range, run: Run<'_>) -> Measured {
        let [mut y, mut weight, mut offset] = [0.0, 1.0, 0.0].map(|value| vec![value; run.len()]);
        rows.labels(&run, &mut y);
        if rows.has_weights() {
            rows.weights(&run, &mut weight);
        }
        if rows.has_offsets() {
            rows.offsets(&run, &mut offset);
        }
        let pairs = || weight.iter().copied().zip(y.iter().copied()).filter(|(weight, _)| *weight > 0.0);
        let weight_of = |holds: &dyn Fn(f64) -> bool| pairs().filter(|(_, y)| holds(*y)).map(|(w, _)| w).sum::<f64>();
        let smallest = pairs().fold(f64::INFINITY, |least, (_, y)| least.min(y));
        let largest = pairs().fold(f64::NEG_INFINITY, |most, (_, y)| most.max(y));
        let counted_offsets = offset.iter().zip(&weight).filter(|(_, weight)| **weight > 0.0);
        Measured {
            rows: run.len(),
            width: rows.width(),
            can_centre: rows.can_centre(),
            units: rows.units().to_vec(),
            weight_unit: rows.weight_unit(),
            has_weights: rows.has_weights(),
            has_offsets: rows.has_offsets(),
            has_limits: rows.has_limits(),
            has_clusters: rows.has_clusters(),
            weight_square: weight.iter().map(|weight| weight * weight).sum(),
            log_weights: if rows.has_weights() { log_weights(&weight, rows.weight_unit()) } else { 0.0 },
            labels: Spread { weight: weight.iter().sum(), ..Spread::of(pairs()) },
            counted: Spread::of(pairs().map(|(_, y)| (1.0, y))),
            smallest,
            largest,
            at_smallest: weight_of(&|y| y == smallest),
            at_largest: weight_of(&|y| y == largest),
            below: weight_of(&|y| y < range.lo),
            above: weight_of(&|y| y > range.hi),
            offset_size: counted_offsets.fold(0.0, |most, (offset, _)| most.max(offset.abs())),
            offset_bounds: bounds(&offset),
            moments: None,
        }
    }

    /// Merges the measurements of further rows of the same shard.
    fn merge_labels(mut self, other: Measured) -> Measured {
        self.rows += other.rows;
        self.weight_square += other.weight_square;
        self.log_weights += other.log_weights;
        self.labels = self.labels.merge(other.labels);
        self.counted = self.counted.merge(other.counted);
        let ties = |own: (f64, f64), other: (f64, f64)| if own.0 == other.0 { own.1 + other.1 } else { 0.0 };
        let lower = (self.smallest, self.at_smallest);
        self.at_smallest = match self.smallest.total_cmp(&other.smallest) {
            std::cmp::Ordering::Less => self.at_smallest,
            std::cmp::Ordering::Greater => other.at_smallest,
            std::cmp::Ordering::Equal => ties(lower, (other.smallest, other.at_smallest)),
        };
        let upper = (self.largest, self.at_largest);
        self.at_largest = match self.largest.total_cmp(&other.largest) {
            std::cmp::Ordering::Greater => self.at_largest,
            std::cmp::Ordering::Less => other.at_largest,
            std::cmp::Ordering::Equal => ties(upper, (other.largest, other.at_largest)),
        };
        self.smallest = self.smallest.min(other.smallest);
        self.largest = self.largest.max(other.largest);
        self.below += other.below;
        self.above += other.above;
        self.offset_size = self.offset_size.max(other.offset_size);
        let (own, other) = (self.offset_bounds, other.offset_bounds);
        self.offset_bounds = (own.0.min(other.0), own.1.max(other.1));
        self
    }

    /// Merges the measurements of another shard, whose weights may have another unit.
    ///
    /// # Errors
    /// If the two shards do not belong to the same table.
    pub fn merge(self, other: Measured) -> Result<Measured> {
        if (self.width, &self.units, self.can_centre) != (other.width, &other.units, other.can_centre) {
            return Err(Error::data("the parts of a table differ in their columns, or in the units of a column"));
        }
        let unit = self.weight_unit.max(other.weight_unit);
        let (left, right) = (self.in_unit(unit), other.in_unit(unit));
        let moments = match (&left.moments, &right.moments) {
            (Some(a), Some(b)) => Some(a.merge(left.labels.weight, b, right.labels.weight)),
            _ => None,
        };
        let (has_weights, has_offsets) = (left.has_weights || right.has_weights, left.has_offsets || right.has_offsets);
        let has_limits = left.has_limits || right.has_limits;
        // a cluster may have rows in several shards, so every shard must know its codes
        let has_clusters = left.has_clusters && right.has_clusters;
        Ok(Measured { moments, has_weights, has_offsets, has_clusters, has_limits, ..left.merge_labels(right) })
    }

    /// The same measurements with weights in another unit, a power of two.
    fn in_unit(mut self, unit: f64) -> Measured {
        let factor = self.weight_unit / unit;
        self.weight_unit = unit;
        self.weight_square *= factor * factor;
        self.labels = self.labels.scaled(factor);
        for weight in [&mut self.at_smallest, &mut self.at_largest, &mut self.below, &mut self.above] {
            *weight *= factor;
        }
        self
    }

    /// The mean of the weights.
    pub fn mean_weight(&self) -> f64 {
        if self.has_weights { self.labels.weight / self.rows as f64 } else { 1.0 }
    }

    /// (Σω)²/(n·Σω²).
    pub fn effective_fraction(&self) -> f64 {
        let mean = self.mean_weight();
        if self.has_weights { mean * mean / (self.weight_square / self.rows as f64) } else { 1.0 }
    }

    /// The sum of the weights as the user gave them.
    pub fn total_weight(&self) -> f64 {
        // a larger number would make log-likelihoods overflow
        (self.mean_weight() * self.weight_unit * self.rows as f64).min(1e300)
    }

    /// The largest absolute response with positive weight.
    pub fn label_size(&self) -> f64 {
        self.smallest.abs().max(self.largest.abs())
    }

    /// Weighted share of the responses that repeat the smallest or the largest one.
    pub fn tied_share(&self) -> f64 {
        // a single response at the end is not a tie
        let tied = |weight: f64| (weight * self.weight_unit - 1.0).max(0.0);
        (tied(self.at_smallest) + tied(self.at_largest)) / self.total_weight()
    }

    /// Checks that there are enough rows, and that the squares of responses and offsets neither overflow nor underflow.
    ///
    /// # Errors
    /// If a check fails.
    pub fn require_fittable(&self) -> Result<()> {
        let (label, offset) = (if self.counted.weight > 0.0 { self.label_size() } else { 0.0 }, self.offset_size);
        match self.rows {
            ..2 => Err(Error::data(format!("{} row is not enough: a fit needs at least 2", self.rows))),
            _ if label > LARGEST => Err(Error::data(format!(
                "the largest response is {label:e} in absolute value, and its square overflows; divide the target by {label:.0e}"
            ))),
            _ if label > 0.0 && label < SMALLEST => Err(Error::data(format!(
                "the largest response is {label:e} in absolute value, and its square underflows; multiply the target by {:.0e}",
                1.0 / label.max(f64::MIN_POSITIVE)
            ))),
            _ if offset > LARGEST => Err(Error::data(format!(
                "the largest offset is {offset:e} in absolute value, and its square overflows; rescale the offset"
            ))),
            _ if self.counted.weight < 2.0 => {
                Err(Error::data("only 1 row has a weight above zero: a fit needs at least 2"))
            }
            _ => Ok(()),
        }
    }
}

/// Σ ln ω over the positive weights, which were divided by `unit`.
fn log_weights(weights: &[f64], unit: f64) -> f64 {
    weights.iter().filter(|weight| **weight > 0.0).map(|weight| weight.ln() + unit.ln()).sum()
}

fn bounds(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (v.min(lo), v.max(hi)))
}
