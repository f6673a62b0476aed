//! The *examiner* of regions computes, for each row, the ranges of its linear predictor, φ, φ′ and φ″ in a region, and sums
//! them to bounds of the loss and its derivatives.

use std::ops::Range;

use super::landscape::Landscape;
use super::region::{Kind, Region};
use super::small::{self, MOST, Matrix, Vector, ZERO};
use super::sums;
use crate::activation::{Intervals, MARGIN, enclose, enclose_second_derivative};
use crate::math::vector;

/// Number of rows that are summed together.
const BLOCK: usize = 128;
/// For each of its terms, a linear predictor is off by at most this times the lengths of its row and of its coefficients.
const SLACK: f64 = 8.0 * f64::EPSILON;

/// The best point so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub point: Vector,
    pub loss: f64,
    /// The rounding error of the loss, at most.
    pub error: f64,
    /// Half of the length of the gradient there, at most.
    pub gradient: f64,
}

impl Candidate {
    /// The loss, at most.
    pub fn most(&self) -> f64 {
        self.loss + self.error
    }
}

/// A landscape, with scratch memory.
#[derive(Debug)]
pub(super) struct Examiner<'l> {
    pub landscape: &'l Landscape,
    /// A sum is off by at most this share of the sum of absolute values.
    pub margin: f64,
    /// A linear predictor is off by at most this share of the lengths of its row and of its coefficients.
    pub slack: f64,
    /// A value of φ is off by at most this share.
    pub ulps: f64,
    pub rows: Rows,
    /// Scratch memory for the rows of a block.
    pub block: [Vec<f64>; 6],
}

/// An interval for each row.
pub(super) type RowIntervals = [Vec<f64>; 2];

/// Scratch memory for all rows.
#[derive(Debug)]
pub(super) struct Rows {
    /// Middles and spreads of linear predictors.
    pub middle: Vec<f64>,
    pub spread: Vec<f64>,
    pub z: RowIntervals,
    pub value: RowIntervals,
    pub slope: RowIntervals,
    pub residual: RowIntervals,
    /// ω times half of the derivative by z: middles and spreads.
    pub pull: RowIntervals,
    /// ω times half of the second derivative by z.
    pub bend: RowIntervals,
    /// The smallest squares of residuals.
    pub square: Vec<f64>,
}

/// The response A + B·φ in a region.
pub(super) struct Scale {
    /// B.
    pub slope: [f64; 2],
    /// The free entries.
    pub free: Vec<[f64; 2]>,
}

/// Sums over the rows in a region.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    /// Half of the derivatives: middles and spreads.
    pub slope: [Vector; 2],
    /// The sum of absolute values that bounds rounding errors of derivatives.
    pub size: f64,
    /// The loss at the centre.
    pub centre: f64,
    /// Its error, from the errors of residuals.
    pub centre_error: f64,
    /// Half of the gradient at the centre.
    pub gradient: Vector,
    /// The error of each entry, from the errors of residuals.
    pub gradient_error: f64,
    /// A linear predictor at the centre is off by at most this times the length of its row.
    pub shift: f64,
    /// Half of a lower bound of the Hessian.
    pub least: Matrix,
    /// Half of the spread of entries of the Hessian whose sign is open.
    pub spread: Matrix,
    /// Half of an upper bound of the diagonal of the Hessian.
    pub most: Vector,
    /// The sum of absolute values that bounds rounding errors of the Hessian.
    pub bend_size: f64,
}

/// Part of an interval for each row.
pub(super) fn part(ends: &RowIntervals, rows: Range<usize>) -> [&[f64]; 2] {
    ends.each_ref().map(|end| &end[rows.clone()])
}

/// The same, to be written.
pub(super) fn part_mut(ends: &mut RowIntervals, rows: Range<usize>) -> [&mut [f64]; 2] {
    ends.each_mut().map(|end| &mut end[rows.clone()])
}

/// The range of a product with a number.
pub(super) fn scaled([a, b]: [f64; 2], factor: f64) -> [f64; 2] {
    let (a, b) = (factor * a, factor * b);
    [a.min(b), a.max(b)]
}

impl<'l> Examiner<'l> {
    pub fn new(landscape: &'l Landscape) -> Examiner<'l> {
        let rows = landscape.rows();
        let both = || [vec![0.0; rows], vec![0.0; rows]];
        Examiner {
            landscape,
            // eight partial sums, and a few operations for each term
            margin: f64::EPSILON * (rows as f64 / 4.0 + 64.0),
            slack: SLACK * landscape.predictors as f64 * landscape.conditioning,
            ulps: MARGIN,
            rows: Rows {
                middle: vec![0.0; rows],
                spread: vec![0.0; rows],
                z: both(),
                value: both(),
                slope: both(),
                residual: both(),
                pull: both(),
                bend: both(),
                square: vec![0.0; rows],
            },
            block: std::array::from_fn(|_| vec![0.0; BLOCK.min(rows)]),
        }
    }

    /// The rows, in blocks.
    pub fn blocks(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let rows = self.landscape.rows();
        (0..rows).step_by(BLOCK).map(move |start| start..rows.min(start + BLOCK))
    }

    /// The loss at a point with its error, and half of the length of its gradient.
    pub fn at(&mut self, point: &Vector) -> Candidate {
        let sums = self.sums_at(point);
        let gradient_error = (self.landscape.order() as f64).sqrt() * self.error_of_gradient(&sums);
        let error = self.error_of_centre(&Region::point(*point, self.landscape.predictors), &sums);
        Candidate { point: *point, loss: sums.centre, error, gradient: small::norm(&sums.gradient) + gradient_error }
    }

    /// The loss at a point.
    pub fn loss_at(&mut self, point: &Vector) -> f64 {
        let (region, mut sums) = (Region::point(*point, self.landscape.predictors), Sums::default());
        for block in self.blocks() {
            self.predict(&region, block.clone());
            self.add_centre(&region, block, &mut sums);
        }
        self.add_penalty(&region, &mut sums);
        sums.centre
    }

    /// All sums at a point.
    pub fn sums_at(&mut self, point: &Vector) -> Sums {
        let region = Region::point(*point, self.landscape.predictors);
        let scale = self.scale(&region);
        for block in self.blocks() {
            self.predict(&region, block.clone());
            self.respond(&scale, block);
        }
        self.sums_in(&region, &scale)
    }

    /// All sums in a box in which the ranges of rows are known.
    pub fn sums_in(&mut self, region: &Region, scale: &Scale) -> Sums {
        let mut sums = Sums::default();
        for block in self.blocks() {
            self.add_slopes(scale, block.clone(), &mut sums);
            self.add_centre(region, block.clone(), &mut sums);
            self.add_bends(scale, block, &mut sums);
        }
        self.add_penalty(region, &mut sums);
        sums
    }

    /// The error of the loss at the centre, at most.
    pub fn error_of_centre(&self, region: &Region, sums: &Sums) -> f64 {
        self.margin * sums.centre + sums.centre_error + self.penalty_error(&region.centre)
    }

    /// The error of each entry of the gradient at the centre, at most.
    pub fn error_of_gradient(&self, sums: &Sums) -> f64 {
        self.margin * sums.size + sums.gradient_error
    }

    /// The response scale in a region.
    pub fn scale(&self, region: &Region) -> Scale {
        let (response, first) = (&self.landscape.response, self.landscape.predictors);
        let free: Vec<[f64; 2]> = (0..response.free.len()).map(|m| region.ends(first + m)).collect();
        let slope = response.free.iter().zip(&free).fold([response.fixed.beta; 2], |[lo, hi], (term, ends)| {
            let [a, b] = scaled(*ends, term.beta);
            let error = sums::ROUNDING * (lo.abs().max(hi.abs()) + a.abs().max(b.abs()));
            [lo + a - error, hi + b + error]
        });
        Scale { slope, free }
    }

    /// Writes the linear predictors of some rows: their middles, and the ends of their intervals.
    pub fn predict(&mut self, region: &Region, block: Range<usize>) {
        let Landscape { columns, length, offset, .. } = self.landscape;
        let (middle, spread) = (&mut self.rows.middle[block.clone()], &mut self.rows.spread[block.clone()]);
        middle.fill(0.0);
        spread.fill(0.0);
        let mut size = [0.0_f64; 2];
        for (j, column) in columns.iter().enumerate() {
            let (centre, radius) = match region.kind {
                Kind::Cone { axis, sign } if axis == j => (f64::from(sign), 0.0),
                _ => (region.centre[j], region.radius[j]),
            };
            size = [size[0] + centre * centre, size[1] + radius * radius];
            sums::add_interval(&column[block.clone()], centre, radius, middle, spread);
        }
        let slack = self.slack * (size[0].sqrt() + size[1].sqrt());
        let both = [&length[block.clone()], &offset[block.clone()]];
        let z = part_mut(&mut self.rows.z, block);
        match region.kind {
            Kind::Box => sums::predictors_of_box(both, slack, middle, spread, z),
            Kind::Cone { axis, .. } => {
                let [near, far] = region.t(axis);
                sums::predictors_of_cone(both, slack, [1.0 / far, 1.0 / near], [middle, spread], z);
            }
        }
    }

    /// Writes the ranges of φ and φ′ and the residuals of some rows.
    pub fn respond(&mut self, scale: &Scale, block: Range<usize>) {
        let Landscape { activation, shape, label, response, .. } = self.landscape;
        let label = &label[block.clone()];
        let [from, to] = part(&self.rows.z, block.clone());
        let [value_lo, value_hi] = part_mut(&mut self.rows.value, block.clone());
        let slope = part_mut(&mut self.rows.slope, block.clone());
        enclose(
            activation.as_ref(),
            shape,
            Intervals { from, to, margin: self.ulps },
            [&mut *value_lo, &mut *value_hi],
            slope,
        );
        let [lo, hi] = part_mut(&mut self.rows.residual, block);
        if response.free.is_empty() {
            return sums::subtract([value_lo, value_hi], label, [lo, hi]);
        }
        // for a fixed response scale the response is linear in φ, so its ends are at those of φ
        let [other_lo, other_hi, ..] = self.block.each_mut().map(|column| &mut column[..label.len()]);
        let ends = [(&*value_lo, [&mut *lo, &mut *hi]), (&*value_hi, [&mut *other_lo, &mut *other_hi])];
        for (phi, [lo, hi]) in ends {
            sums::enclose_residuals(phi, response.fixed, label, [&mut *lo, &mut *hi]);
            for (term, ends) in response.free.iter().zip(&scale.free) {
                sums::add_term(phi, *term, *ends, [&mut *lo, &mut *hi]);
            }
        }
        sums::join([lo, hi], [other_lo, other_hi]);
    }

    /// Adds the ranges of the derivatives.
    pub fn add_slopes(&mut self, scale: &Scale, block: Range<usize>, sums: &mut Sums) {
        let Landscape { columns, length, weight, response, predictors, .. } = self.landscape;
        let (weight, length) = (&weight[block.clone()], &length[block.clone()]);
        let Rows { residual, slope, pull, value, .. } = &mut self.rows;
        let (residual, slope) = (part(residual, block.clone()), part(slope, block.clone()));
        sums::pull(weight, scale.slope, residual, slope, part_mut(pull, block.clone()));
        let [middle, spread] = part(pull, block.clone());
        sums.size += sums::along_absolute(middle, length) + sums::along(spread, length);
        for (j, column) in columns.iter().enumerate() {
            let u = &column[block.clone()];
            sums.slope[0][j] += sums::along(u, middle);
            sums.slope[1][j] += sums::along_absolute(u, spread);
        }
        let value = part(value, block);
        let [factor_lo, factor_hi, middle, spread, ..] =
            self.block.each_mut().map(|column| &mut column[..weight.len()]);
        for (m, term) in response.free.iter().enumerate() {
            sums::factor(*term, value, [&mut *factor_lo, &mut *factor_hi]);
            sums::pull(weight, [1.0; 2], residual, [factor_lo, factor_hi], [&mut *middle, &mut *spread]);
            sums.slope[0][predictors + m] += vector::sum(middle);
            sums.slope[1][predictors + m] += vector::sum(spread);
            sums.size += sums::total_absolute(middle) + vector::sum(spread);
        }
    }

    /// Adds the loss and the gradient at the centre.
    pub fn add_centre(&mut self, region: &Region, block: Range<usize>, sums: &mut Sums) {
        let Landscape { activation, columns, length, label, weight, offset, response, predictors, .. } = self.landscape;
        let (label, weight) = (&label[block.clone()], &weight[block.clone()]);
        let z = &self.rows.middle[block.clone()];
        let [value, slope, residual, pull, value_error, error] =
            self.block.each_mut().map(|column| &mut column[..weight.len()]);
        activation.respond_with_derivative(z, value, slope);
        let terms = || response.free.iter().zip(&region.centre[*predictors..]);
        let whole = terms().fold(response.fixed, |sum, (term, rho)| sum.plus(*term, *rho));
        let size = terms().fold(response.fixed.absolute(), |sum, (term, rho)| sum.plus(term.absolute(), rho.abs()));
        sums::residuals(whole, value, label, residual);
        vector::zip(weight, residual, pull, |weight, r| weight * r);
        sums.centre += sums::along(pull, residual);
        // φ, and a few operations with it
        let ulps = 1.25 * self.ulps;
        sums.shift = self.slack * small::norm(&region.centre[..*predictors]);
        sums::errors_of_values(
            [value, slope],
            [&length[block.clone()], &offset[block.clone()]],
            [ulps, sums.shift],
            value_error,
        );
        sums::errors_of_residuals([value_error, label], size, ulps, error);
        sums.centre_error += sums::error_of_squares(weight, residual, error);
        let slopes = sums::error_of_slopes([weight, &length[block.clone()]], [residual, slope, error], ulps);
        sums.gradient_error += size.beta * slopes;
        for (m, term) in response.free.iter().enumerate() {
            let sum = vector::sum_of(pull, value, |pull, value| pull * (term.alpha + term.beta * value));
            sums.gradient[predictors + m] += sum;
            sums.gradient_error += sums::error_of_terms(weight, [residual, value, value_error, error], *term, ulps);
        }
        pull.iter_mut().zip(&*slope).for_each(|(pull, slope)| *pull *= whole.beta * slope);
        for (j, column) in columns.iter().enumerate() {
            sums.gradient[j] += sums::along(&column[block.clone()], pull);
        }
    }

    /// Adds the bounds of the Hessian.
    pub fn add_bends(&mut self, scale: &Scale, block: Range<usize>, sums: &mut Sums) {
        let Landscape { activation, shape, columns, length, weight, offset, response, predictors, .. } = self.landscape;
        let (weight, length, offset) = (&weight[block.clone()], &length[block.clone()], &offset[block.clone()]);
        let Rows { z, residual, slope, value, bend, .. } = &mut self.rows;
        let [z, residual, slope, value] = [z, residual, slope, value].map(|ends| part(ends, block.clone()));
        let [least, most] = part_mut(bend, block.clone());
        let [middle, spread, scratch, other, ..] = self.block.each_mut().map(|column| &mut column[..weight.len()]);
        let intervals = Intervals { from: z[0], to: z[1], margin: self.ulps };
        enclose_second_derivative(activation.as_ref(), shape, intervals, [&mut *least, &mut *most]);
        sums::bend(weight, scale.slope, residual, slope, [&mut *least, &mut *most]);
        for (j, column) in columns.iter().enumerate() {
            let u = &column[block.clone()];
            sums.most[j] += sums::along_square(u, most);
            vector::zip(u, least, scratch, |u, least| u * least);
            for (k, other) in columns.iter().enumerate().take(j + 1) {
                sums.least[j][k] += sums::along(&other[block.clone()], scratch);
            }
        }
        vector::zip(least, most, scratch, |least, most| least.abs().max(most.abs()));
        sums.bend_size += sums::along_square(length, scratch);
        sums.gradient_error += sums::drift([length, offset], scratch, sums.shift);
        for (m, term) in response.free.iter().enumerate() {
            let row = predictors + m;
            sums::factor(*term, value, [&mut *scratch, &mut *other]);
            let factor = [&*scratch, &*other];
            sums::cross(weight, scale.slope, term.beta, [residual, slope, factor], [&mut *middle, &mut *spread]);
            for (j, column) in columns.iter().enumerate() {
                let u = &column[block.clone()];
                sums.least[row][j] += sums::along(u, middle);
                sums.spread[row][j] += sums::along_absolute(u, spread);
            }
            sums.bend_size += sums::along_absolute(middle, length) + sums::along(spread, length);
            for (n, second) in response.free.iter().enumerate().take(m + 1) {
                sums::products(weight, [*term, *second], value, [&mut *middle, &mut *spread]);
                let (total, spread) = (vector::sum(middle), vector::sum(spread));
                sums.least[row][predictors + n] += total;
                sums.spread[row][predictors + n] += spread;
                sums.bend_size += sums::total_absolute(middle) + spread;
            }
        }
    }

    /// Σ u uᵀ times half of the width of the second derivative by z.
    pub fn deviation(&mut self) -> Matrix {
        let Landscape { columns, .. } = self.landscape;
        let mut deviation = [ZERO; MOST];
        for block in self.blocks() {
            let [least, most] = part(&self.rows.bend, block.clone());
            let [half, scratch, ..] = self.block.each_mut().map(|column| &mut column[..least.len()]);
            vector::zip(least, most, half, |least, most| 0.5 * (most - least));
            for (j, column) in columns.iter().enumerate() {
                vector::zip(&column[block.clone()], half, scratch, |u, half| u * half);
                for (k, other) in columns.iter().enumerate().take(j + 1) {
                    deviation[j][k] += sums::along(&other[block.clone()], scratch);
                }
            }
        }
        small::mirrored(&deviation)
    }
}
