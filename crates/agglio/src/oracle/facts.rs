//! *Facts* about all rows: one pass over labels, weights and offsets before a fit, and the traits of φ that a strategy may
//! look at.

use serde::{Deserialize, Serialize};

use crate::activation::Range;
use crate::error::{Error, Result};
use crate::math::tree::fold;
use crate::oracle::baseline::Baseline;
use crate::oracle::labels::{PreimageChoice, Tally};
use crate::oracle::layout::Layout;
use crate::oracle::query::Margin;
use crate::rows::{Coordinates, Moments, Rows, Run};

/// Labels and offsets up to this size can be squared, and many squares added.
const LARGEST: f64 = 1e151;
/// Labels down to this size can be squared and keep their digits.
const SMALLEST: f64 = 1e-151;

/// What upper layers may know of the rows and of φ.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Number of rows.
    pub rows: usize,
    /// Number of rows whose weight is not zero.
    pub counted: usize,
    /// The sum of the weights as the user gave them, the number of rows where there are none.
    pub total_weight: f64,
    /// The share of the rows that would tell as much with equal weights: (Σω)²/(n·Σω²), Kish's effective sample size.
    pub effective_fraction: f64,
    /// How θ is cut into parts.
    pub layout: Layout,
    /// The units that θ is in.
    pub coordinates: Coordinates,
    /// λ of the penalty λ‖w‖².
    pub l2: f64,
    /// The smallest label and the largest, those without weight left out.
    pub label_bounds: (f64, f64),
    /// Mean square of the labels, by weight.
    pub label_square: f64,
    /// Share of the labels, by weight, that repeat the smallest or the largest of them.
    pub tied_share: f64,
    /// Counts of labels by their preimages.
    pub preimages: Tally,
    /// Number of label margins that make a difference, at least one.
    pub margins: usize,
    /// Whether the narrowest margin changes a label.
    pub clips_some: bool,
    /// The model without covariates.
    pub baseline: Baseline,
    /// The activation as far as a strategy may know it.
    pub activation: Traits,
}

/// Traits of an activation φ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traits {
    /// |φ′(0)|.
    pub slope: f64,
    /// sup φ′, or none for an activation whose derivative is unbounded.
    pub largest_slope: Option<f64>,
    /// The values that φ takes.
    pub range: Range,
    /// Where φ has its minimum, if it has one and some label has two preimages.
    pub argmin: Option<f64>,
    /// Whether φ is monotone.
    pub is_monotone: bool,
}

impl Facts {
    /// The choices of preimages that the linear stage can be fitted to: one for each margin, one without, and where φ is not
    /// monotone, one on the left and one far to the left.
    pub fn preimage_choices(&self) -> Vec<PreimageChoice> {
        let right = (0..self.margins).map(Margin::Nth).chain([Margin::None]).map(PreimageChoice::Right);
        let left = self.activation.argmin.map(|_| PreimageChoice::Left);
        let far_left = (!self.activation.is_monotone).then_some(PreimageChoice::FarLeft);
        right.chain(left).chain(far_left).collect()
    }

    /// Number of coefficients that the data can tell, the intercept included.
    pub fn parameters(&self) -> usize {
        self.layout.dim() - self.coordinates.dead_columns().len()
    }

    /// λ‖w‖².
    pub fn penalty(&self, theta: &[f64]) -> f64 {
        // no penalty is none for coefficients whose squares overflow too
        if self.l2 == 0.0 {
            return 0.0;
        }
        self.l2 * self.layout.coefficients(theta).iter().map(|w| w * w).sum::<f64>()
    }

    /// Noise before φ means y = φ(xᵀw + ε), so every label must have a preimage.
    ///
    /// # Errors
    /// If a label has none, with the count.
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

/// What one pass over some rows tells. Those of several holders of rows merge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Number of rows.
    pub rows: usize,
    /// Number of covariates.
    pub width: usize,
    /// Whether rows can be centred.
    pub can_centre: bool,
    /// What the columns were divided by, or nothing.
    pub units: Vec<f64>,
    /// The unit of the weights.
    pub weight_unit: f64,
    /// Whether rows have weights.
    pub has_weights: bool,
    /// Whether rows have offsets.
    pub has_offsets: bool,
    /// Σ ω².
    pub weight_square: f64,
    /// Labels by weight.
    pub labels: Spread,
    /// Labels whose weight is not zero, each once.
    pub counted: Spread,
    /// The smallest of these.
    pub smallest: f64,
    /// The largest.
    pub largest: f64,
    /// Weight of the labels that are the smallest.
    pub at_smallest: f64,
    /// Weight of the labels that are the largest.
    pub at_largest: f64,
    /// Weight of the labels below the range of φ.
    pub below: f64,
    /// Weight of the labels above it.
    pub above: f64,
    /// The largest offset in size, those without weight left out.
    pub offset_size: f64,
    /// The smallest offset and the largest.
    pub offset_bounds: (f64, f64),
    /// Means and variances of the columns, where they were asked for.
    pub moments: Option<Moments>,
}

/// Mean and sum of squares about it.
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

    /// Mean square about the mean.
    pub fn variance(&self) -> f64 {
        self.square / self.weight
    }

    /// Weighted mean of (y − `centre`)².
    pub fn about(&self, centre: f64) -> f64 {
        self.variance() + (self.mean - centre) * (self.mean - centre)
    }

    /// Reference: Chan, Golub and LeVeque (1983).
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
    /// Looks at labels, weights and offsets once, and at the columns where their moments are wanted and not known yet.
    pub fn of(rows: &dyn Rows, range: Range, columns: bool) -> Measured {
        let known = || rows.moments().cloned().unwrap_or_else(|| Moments::of(rows));
        let leaf = |from: usize, to: usize| Measured::of_run(rows, range, Run::Span(from..to));
        let moments = columns.then(known);
        Measured { moments, ..fold(&leaf, &Measured::merge_labels, rows.len()) }
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
            weight_square: weight.iter().map(|weight| weight * weight).sum(),
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

    /// Adds what further rows of the same holder tell.
    fn merge_labels(mut self, other: Measured) -> Measured {
        self.rows += other.rows;
        self.weight_square += other.weight_square;
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

    /// Adds what the rows of another holder tell, whose weights may be in other units.
    ///
    /// # Errors
    /// If the two do not hold rows of the same table.
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
        Ok(Measured { moments, has_weights, has_offsets, ..left.merge_labels(right) })
    }

    /// The same with weights in another unit, a power of two.
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
        // beyond this a log-likelihood would overflow
        (self.mean_weight() * self.weight_unit * self.rows as f64).min(1e300)
    }

    /// The largest label in size, those without weight left out.
    pub fn label_size(&self) -> f64 {
        self.smallest.abs().max(self.largest.abs())
    }

    /// Share of the labels, by weight, that repeat the smallest or the largest of them.
    pub fn tied_share(&self) -> f64 {
        // one label at the end is no tie
        let tied = |weight: f64| (weight * self.weight_unit - 1.0).max(0.0);
        (tied(self.at_smallest) + tied(self.at_largest)) / self.total_weight()
    }

    /// Refuses rows that are too few to fit, and labels and offsets whose squares a double does not hold: they would be fitted
    /// as if they were infinite or zero.
    ///
    /// # Errors
    /// If that is so.
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

fn bounds(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (v.min(lo), v.max(hi)))
}
