//! The *bounds* of the loss in a region, and the tests by which a region without a lower minimum is recognised.
//!
//! ```text
//! (a) cut-off          Σ min f_i > cut                      no point is below the cut
//! (b) monotone         0 outside the range of a derivative  no point is stationary
//! (c) concave          an entry of the Hessian's diagonal below 0 everywhere: no point is a minimum
//! (d) minorant         F(c) + gᵀδ + ½δᵀMδ > cut, with M below the Hessian everywhere
//! (e) convex           M ≻ 0 and the candidate inside: it is the only minimum
//! (n) Newton           no step of Newton's method, for any Hessian within the bounds, leads into the box
//! (r) radial           zᵀF′(z) > 0: the loss falls towards zero, so no minimum is here or farther out
//! ```

use std::ops::Range;

use super::examined::Exclusion;
use super::landscape::{ASYMPTOTES_WITHIN, FAR, Landscape, Term};
use super::part::Part;
use super::region::{Kind, Region};
use super::small::{self, MOST, Matrix, Vector, ZERO};
use super::sums;
use crate::activation::{Intervals, MARGIN, enclose, enclose_radial_derivative, enclose_second_derivative};
use crate::math::vector;

/// Number of rows that are summed together.
const BLOCK: usize = 128;
/// For each of its terms, a linear predictor is off by at most this times the lengths of its row and of its coefficients.
const SLACK: f64 = 8.0 * f64::EPSILON;

/// What is known of a region after the tests.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Finding {
    /// It has no point that is below the cut and the lowest.
    Excluded(Exclusion),
    /// It may have one.
    Open {
        /// A lower bound of the loss.
        lower: f64,
        /// The entry along which it should be cut.
        cut: usize,
        /// The loss at the centre of a box, if it was computed.
        centre: Option<f64>,
        /// The rows that a corner at infinity may leave undecided.
        undecided: Option<Undecided>,
    },
}

/// Rows whose linear predictors have either sign in a part of a cone.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Undecided {
    pub rows: Vec<u32>,
    /// A lower bound of the loss of the others.
    pub others: f64,
}

/// The best point so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub point: Vector,
    pub loss: f64,
    /// Half of the length of the gradient there, at most.
    pub gradient: f64,
}

/// A landscape, with scratch memory.
#[derive(Debug)]
pub(super) struct Examiner<'l> {
    landscape: &'l Landscape,
    /// A sum is off by at most this share of the sum of absolute values.
    margin: f64,
    /// A linear predictor is off by at most this share of the lengths of its row and of its coefficients.
    slack: f64,
    /// A value of φ is off by at most this share.
    ulps: f64,
    rows: Rows,
    /// Scratch memory for the rows of a block.
    block: [Vec<f64>; 4],
}

/// An interval for each row.
type Intervals2 = [Vec<f64>; 2];

/// Scratch memory for all rows.
#[derive(Debug)]
struct Rows {
    /// Middles and spreads of linear predictors.
    middle: Vec<f64>,
    spread: Vec<f64>,
    z: Intervals2,
    value: Intervals2,
    slope: Intervals2,
    residual: Intervals2,
    /// ω times half of the derivative by z: middles and spreads.
    pull: Intervals2,
    /// ω times half of the second derivative by z.
    bend: Intervals2,
    /// The smallest squares of residuals.
    square: Vec<f64>,
}

/// The response A + B·φ in a region.
struct Scale {
    /// B.
    slope: [f64; 2],
    /// The free entries.
    free: Vec<[f64; 2]>,
}

/// Sums over the rows in a region.
#[derive(Clone, Debug, Default)]
struct Sums {
    /// Half of the derivatives: middles and spreads.
    slope: [Vector; 2],
    /// The sum of absolute values that bounds rounding errors of derivatives.
    size: f64,
    /// The loss at the centre.
    centre: f64,
    /// Half of the gradient at the centre.
    gradient: Vector,
    /// Half of a lower bound of the Hessian.
    least: Matrix,
    /// Half of the spread of entries of the Hessian that have no lower bound of their own.
    spread: Matrix,
    /// Half of an upper bound of the diagonal of the Hessian.
    most: Vector,
    /// The sum of absolute values that bounds rounding errors of the Hessian.
    bend_size: f64,
}

/// Part of an interval for each row.
fn part(ends: &Intervals2, rows: Range<usize>) -> [&[f64]; 2] {
    ends.each_ref().map(|end| &end[rows.clone()])
}

/// The same, to be written.
fn part_mut(ends: &mut Intervals2, rows: Range<usize>) -> [&mut [f64]; 2] {
    ends.each_mut().map(|end| &mut end[rows.clone()])
}

/// The range of a product with a number.
fn scaled([a, b]: [f64; 2], factor: f64) -> [f64; 2] {
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
    fn blocks(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let rows = self.landscape.rows();
        (0..rows).step_by(BLOCK).map(move |start| start..rows.min(start + BLOCK))
    }

    /// The loss at a point, and half of the length of its gradient.
    pub fn at(&mut self, point: &Vector) -> Candidate {
        let sums = self.sums_at(point);
        let error = (self.landscape.order() as f64).sqrt() * self.margin * sums.size;
        Candidate { point: *point, loss: sums.centre, gradient: small::norm(&sums.gradient) + error }
    }

    /// Half of the Hessian at a point.
    pub fn half_hessian(&mut self, point: &Vector) -> Matrix {
        let (region, mut sums) = (Region::point(*point, self.landscape.predictors), Sums::default());
        let scale = self.scale(&region);
        for block in self.blocks() {
            self.predict(&region, block.clone());
            self.respond(&scale, block.clone());
            self.add_bends(&scale, block, &mut sums);
        }
        sums.least
    }

    /// Half of the gradient at a point.
    pub fn gradient(&mut self, point: &Vector) -> Vector {
        self.sums_at(point).gradient
    }

    fn sums_at(&mut self, point: &Vector) -> Sums {
        let (region, mut sums) = (Region::point(*point, self.landscape.predictors), Sums::default());
        let scale = self.scale(&region);
        for block in self.blocks() {
            self.predict(&region, block.clone());
            self.respond(&scale, block.clone());
            self.add_slopes(&scale, block.clone(), &mut sums);
            self.add_centre(&region, block, &mut sums);
        }
        self.add_penalty(&region, &mut sums);
        sums
    }

    /// Applies the tests to a region.
    pub fn examine(&mut self, region: &Region, cut: f64, candidate: &Candidate, parts: &[Part]) -> Finding {
        if self.is_mirrored(region) {
            return Finding::Excluded(Exclusion::Mirrored);
        }
        let scale = self.scale(region);
        let penalty = self.least_penalty(region);
        let mut least = penalty + self.landscape.unexplained;
        for block in self.blocks() {
            self.predict(region, block.clone());
            self.respond(&scale, block.clone());
            let (weight, squares) = (&self.landscape.weight[block.clone()], &mut self.rows.square[block.clone()]);
            least += sums::least_squares(weight, part(&self.rows.residual, block), squares);
            if least * (1.0 - self.margin) > cut {
                return Finding::Excluded(Exclusion::CutOff);
            }
        }
        let mut lower = (least * (1.0 - self.margin)).max(0.0);
        let rest = penalty + self.landscape.unexplained;
        for part in parts {
            let others = rest + sums::along_three(&part.others, &self.landscape.weight, &self.rows.square);
            lower = lower.max((others + part.least) * (1.0 - self.margin));
        }
        if lower > cut {
            return Finding::Excluded(Exclusion::Part);
        }
        // there the loss is not continuous, so its derivatives have no meaning
        if self.is_undecided() {
            let cut = self.widest(|j| self.width(region, j));
            return Finding::Open { lower, cut, centre: None, undecided: None };
        }
        match region.kind {
            Kind::Cone { axis, .. } => self.examine_cone(region, axis, &scale, penalty, lower),
            Kind::Box => self.examine_box(region, &scale, lower, cut, candidate),
        }
    }

    fn examine_cone(&mut self, region: &Region, axis: usize, scale: &Scale, penalty: f64, lower: f64) -> Finding {
        let [near, _] = region.t(axis);
        if self.falls_inwards(scale, penalty) {
            return Finding::Excluded(Exclusion::Radial);
        }
        if near > 0.0 {
            let mut sums = Sums::default();
            self.blocks().for_each(|block| self.add_slopes(scale, block, &mut sums));
            self.add_penalty(region, &mut sums);
            if self.is_monotone(region, &sums) {
                return Finding::Excluded(Exclusion::Monotone);
            }
        }
        // towards infinity rows saturate, so t is cut there as often as the other entries
        let along = region.radius[axis] / if near > 0.0 { region.centre[axis] } else { region.first };
        let cut = self.widest(|j| if j == axis { along } else { self.width(region, j) });
        let undecided = self.undecided(penalty);
        Finding::Open { lower, cut, centre: Some(self.at(&region.middle()).loss), undecided }
    }

    /// The rows of either sign, and a lower bound of the loss of the others. None if all or too few rows are undecided.
    fn undecided(&self, penalty: f64) -> Option<Undecided> {
        let Landscape { weight, response, predictors, unexplained, .. } = self.landscape;
        let Rows { z: [from, to], square, .. } = &self.rows;
        let is_undecided = |i: &usize| from[*i] < 0.0 && to[*i] > 0.0;
        let rows: Vec<u32> = (0..weight.len()).filter(is_undecided).map(|i| i as u32).collect();
        if !response.free.is_empty() || rows.len() <= *predictors || rows.len() == weight.len() {
            return None;
        }
        let others: f64 = (0..weight.len()).filter(|i| !is_undecided(i)).map(|i| weight[i] * square[i]).sum();
        Some(Undecided { rows, others: (others + penalty + unexplained) * (1.0 - self.margin) })
    }

    fn examine_box(&mut self, region: &Region, scale: &Scale, lower: f64, cut: f64, candidate: &Candidate) -> Finding {
        let mut sums = Sums::default();
        for block in self.blocks() {
            self.add_slopes(scale, block.clone(), &mut sums);
            self.add_centre(region, block.clone(), &mut sums);
            self.add_bends(scale, block, &mut sums);
        }
        self.add_penalty(region, &mut sums);
        if self.is_monotone(region, &sums) || self.is_monotone_along(region, &sums) {
            return Finding::Excluded(Exclusion::Monotone);
        }
        if self.is_concave(&sums) {
            return Finding::Excluded(Exclusion::Concave);
        }
        let (minorant, test) = self.minorant(region, &sums, candidate);
        if minorant > cut {
            return Finding::Excluded(test);
        }
        if self.has_no_newton_step(region, &sums) {
            return Finding::Excluded(Exclusion::Newton);
        }
        // where the gradient is least known for its width
        let entry = self.widest(|j| region.radius[j] * sums.slope[1][j]);
        Finding::Open { lower: lower.max(minorant), cut: entry, centre: Some(sums.centre), undecided: None }
    }

    /// Whether rows at minus infinity are on either side of φ, as the sign of the coefficient is not decided.
    fn is_undecided(&self) -> bool {
        let [from, to] = &self.rows.z;
        let mut far = self.landscape.length.iter().zip(from.iter().zip(to)).take_while(|(length, _)| **length >= FAR);
        far.any(|(_, (from, to))| *from < 0.0 && *to > 0.0)
    }

    /// The entry of the greatest width, the first of several.
    fn widest(&self, width: impl Fn(usize) -> f64) -> usize {
        let order = 0..self.landscape.order();
        order.max_by(|&i, &j| width(i).total_cmp(&width(j)).then(j.cmp(&i))).unwrap_or(0)
    }

    /// The width of a region along an entry, in units in which entries are alike.
    fn width(&self, region: &Region, entry: usize) -> f64 {
        match entry.checked_sub(self.landscape.predictors) {
            None => region.radius[entry],
            // the asymptotes are searched within some ranges of the labels, which is a wide range of z
            Some(free) => {
                let [low, high] = self.landscape.response.bounds[free];
                4.0 * region.radius[entry] / (high - low) * ASYMPTOTES_WITHIN
            }
        }
    }

    /// Whether a region holds only mirror images of points of others.
    fn is_mirrored(&self, region: &Region) -> bool {
        let first = self.landscape.predictors;
        self.landscape.response.is_mirrored && region.ends(first + 1)[1] < region.ends(first)[0]
    }

    /// The response scale in a region.
    fn scale(&self, region: &Region) -> Scale {
        let (response, first) = (&self.landscape.response, self.landscape.predictors);
        let free: Vec<[f64; 2]> = (0..response.free.len()).map(|m| region.ends(first + m)).collect();
        let slope = response.free.iter().zip(&free).fold([response.fixed.beta; 2], |[lo, hi], (term, ends)| {
            let [a, b] = scaled(*ends, term.beta);
            [lo + a, hi + b]
        });
        Scale { slope, free }
    }

    /// Writes the linear predictors of some rows: their middles, and the ends of their intervals.
    fn predict(&mut self, region: &Region, block: Range<usize>) {
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
    fn respond(&mut self, scale: &Scale, block: Range<usize>) {
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
            let fixed = |phi: &f64, label: &f64| response.fixed.alpha + response.fixed.beta * phi - label;
            lo.iter_mut().zip(phi.iter().zip(label)).for_each(|(lo, (phi, label))| *lo = fixed(phi, label));
            hi.copy_from_slice(lo);
            for (term, ends) in response.free.iter().zip(&scale.free) {
                sums::add_term(phi, *term, *ends, [&mut *lo, &mut *hi]);
            }
        }
        sums::join([lo, hi], [other_lo, other_hi]);
    }

    /// Adds the ranges of the derivatives.
    fn add_slopes(&mut self, scale: &Scale, block: Range<usize>, sums: &mut Sums) {
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
        let [factor_lo, factor_hi, middle, spread] = self.block.each_mut().map(|column| &mut column[..weight.len()]);
        for (m, term) in response.free.iter().enumerate() {
            sums::factor(*term, value, [&mut *factor_lo, &mut *factor_hi]);
            sums::pull(weight, [1.0; 2], residual, [factor_lo, factor_hi], [&mut *middle, &mut *spread]);
            sums.slope[0][predictors + m] += vector::sum(middle);
            sums.slope[1][predictors + m] += vector::sum(spread);
            sums.size += sums::total_absolute(middle) + vector::sum(spread);
        }
    }

    /// Adds the loss and the gradient at the centre.
    fn add_centre(&mut self, region: &Region, block: Range<usize>, sums: &mut Sums) {
        let Landscape { activation, columns, label, weight, response, predictors, .. } = self.landscape;
        let (label, weight) = (&label[block.clone()], &weight[block.clone()]);
        let z = &self.rows.middle[block.clone()];
        let [value, slope, residual, pull] = self.block.each_mut().map(|column| &mut column[..weight.len()]);
        activation.respond_with_derivative(z, value, slope);
        let terms = response.free.iter().zip(&region.centre[*predictors..]);
        let Term { alpha, beta } = terms.fold(response.fixed, |sum, (term, rho)| sum.plus(*term, *rho));
        sums::residuals(Term { alpha, beta }, value, label, residual);
        vector::zip(weight, residual, pull, |weight, r| weight * r);
        sums.centre += sums::along(pull, residual);
        for (m, term) in response.free.iter().enumerate() {
            let sum = vector::sum_of(pull, value, |pull, value| pull * (term.alpha + term.beta * value));
            sums.gradient[predictors + m] += sum;
        }
        pull.iter_mut().zip(&*slope).for_each(|(pull, slope)| *pull *= beta * slope);
        for (j, column) in columns.iter().enumerate() {
            sums.gradient[j] += sums::along(&column[block.clone()], pull);
        }
    }

    /// Adds the bounds of the Hessian.
    fn add_bends(&mut self, scale: &Scale, block: Range<usize>, sums: &mut Sums) {
        let Landscape { activation, shape, columns, length, weight, response, predictors, .. } = self.landscape;
        let (weight, length) = (&weight[block.clone()], &length[block.clone()]);
        let Rows { z, residual, slope, value, bend, .. } = &mut self.rows;
        let [z, residual, slope, value] = [z, residual, slope, value].map(|ends| part(ends, block.clone()));
        let [least, most] = part_mut(bend, block.clone());
        let [middle, spread, scratch, other] = self.block.each_mut().map(|column| &mut column[..weight.len()]);
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

    /// The entries v of a region: their smallest and their largest values.
    fn entry(&self, region: &Region, entry: usize) -> [f64; 2] {
        let Kind::Cone { axis, sign } = region.kind else { return region.ends(entry) };
        let [near, far] = region.t(axis).map(|t| 1.0 / t);
        match entry == axis {
            true => scaled([far, near], f64::from(sign)),
            false => {
                let [low, high] = region.ends(entry);
                let low = if low >= 0.0 { low * far } else { low * near };
                [low, if high <= 0.0 { high * far } else { high * near }]
            }
        }
    }

    /// A lower bound of the penalty. It is convex, so a tangent bounds it.
    fn least_penalty(&self, region: &Region) -> f64 {
        let (penalty, order) = (&self.landscape.penalty, self.landscape.predictors);
        if *penalty == [ZERO; MOST] {
            return 0.0;
        }
        // of ψ in a cone
        let mut region = *region;
        let mut scale = 1.0;
        if let Kind::Cone { axis, sign } = region.kind {
            scale = region.t(axis)[1].powi(-2);
            (region.centre[axis], region.radius[axis]) = (f64::from(sign), 0.0);
        }
        let slope = small::times(penalty, &region.centre, order);
        let fall: f64 =
            slope.iter().zip(&region.radius).take(order).map(|(slope, radius)| 2.0 * slope.abs() * radius).sum();
        let own: f64 = slope.iter().zip(&region.centre).take(order).map(|(slope, centre)| slope * centre).sum();
        scale * (own * (1.0 - self.margin) - fall * (1.0 + self.margin)).max(0.0) * (1.0 - self.margin)
    }

    /// Adds the penalty to all sums.
    fn add_penalty(&self, region: &Region, sums: &mut Sums) {
        let (penalty, order) = (&self.landscape.penalty, self.landscape.predictors);
        for (j, row) in penalty.iter().enumerate().take(order) {
            sums.least[j].iter_mut().zip(row).for_each(|(entry, own)| *entry += own);
            sums.most[j] += row[j];
            for (k, own) in row.iter().enumerate().filter(|(_, own)| **own != 0.0) {
                let [lo, hi] = self.entry(region, k);
                let (middle, spread) = (0.5 * (lo + hi), 0.5 * (hi - lo));
                sums.slope[0][j] += own * middle;
                sums.slope[1][j] += own.abs() * spread;
                sums.size += own.abs() * (middle.abs() + spread);
                sums.gradient[j] += own * region.centre[k];
                sums.bend_size += own.abs();
            }
        }
        sums.centre +=
            small::dot(&region.centre, &small::times(penalty, &region.centre, order)) + self.landscape.unexplained;
    }

    /// Test (b): whether a derivative is nowhere zero. At a bound of a free asymptote a minimum need not be stationary.
    fn is_monotone(&self, region: &Region, sums: &Sums) -> bool {
        let error = self.margin * sums.size;
        (0..self.landscape.order()).any(|j| {
            let (middle, spread) = (sums.slope[0][j], sums.slope[1][j] + error);
            let [at_lower, at_upper] = self.at_bounds(region, j);
            (middle - spread > 0.0 && !at_lower) || (middle + spread < 0.0 && !at_upper)
        })
    }

    /// The same along the gradient at the centre.
    fn is_monotone_along(&mut self, region: &Region, sums: &Sums) -> bool {
        let Landscape { columns, penalty, predictors, .. } = self.landscape;
        let direction = &sums.gradient;
        let (mut middle, mut spread) = (0.0, 0.0);
        for block in self.blocks() {
            let [along, ..] = &mut self.block;
            let along = &mut along[..block.len()];
            along.fill(0.0);
            for (column, direction) in columns.iter().zip(direction) {
                sums::add(&column[block.clone()], *direction, along);
            }
            let [pull, spread_of_pull] = part(&self.rows.pull, block);
            middle += sums::along(along, pull);
            spread += sums::along_absolute(along, spread_of_pull);
        }
        let image = small::times(penalty, direction, *predictors);
        middle += small::dot(&image, &region.centre);
        spread += image.iter().zip(&region.radius).map(|(image, radius)| image.abs() * radius).sum::<f64>();
        for m in (*predictors..self.landscape.order()).filter(|&m| self.at_bounds(region, m) == [false; 2]) {
            middle += direction[m] * sums.slope[0][m];
            spread += direction[m].abs() * sums.slope[1][m];
        }
        middle - spread > self.margin * sums.size * small::norm(direction)
    }

    /// Whether a region reaches to the bounds of a free asymptote.
    fn at_bounds(&self, region: &Region, entry: usize) -> [bool; 2] {
        let Some(free) = entry.checked_sub(self.landscape.predictors) else { return [false; 2] };
        let ([low, high], [from, to]) = (self.landscape.response.bounds[free], region.ends(entry));
        let close = 1e-9 * (high - low);
        [from <= low + close, to >= high - close]
    }

    /// Test (c): whether the loss is concave along an entry.
    fn is_concave(&self, sums: &Sums) -> bool {
        let error = self.margin * sums.bend_size;
        sums.most[..self.landscape.predictors].iter().any(|most| *most < -error)
    }

    /// Test (n), a Newton step in intervals: whether the derivative along a row y of the inverse of a Hessian H̄ is nowhere
    /// zero.
    ///
    /// ```text
    /// yᵀF′(c + δ) = yᵀg + yᵀH̄δ + yᵀEδ,      |yᵀEδ| ≤ √(yᵀSy)·√(δᵀSδ)
    /// ```
    ///
    /// H̄ + E is the mean Hessian between the centre c and a point of the box. −S ≼ E ≼ S by the bounds of the second
    /// derivatives.
    fn has_no_newton_step(&mut self, region: &Region, sums: &Sums) -> bool {
        let (order, predictors, radius) = (self.landscape.order(), self.landscape.predictors, &region.radius);
        if (predictors..order).any(|m| self.at_bounds(region, m) != [false; 2]) {
            return false;
        }
        let deviation = self.deviation();
        let middle = small::sum(&small::mirrored(&sums.least), &deviation);
        let Some(inverse) = small::inverse(&middle, order) else { return false };
        let image = small::product(&inverse, &middle);
        let spread = small::mirrored(&sums.spread);
        // rounding errors, relative to sums of absolute values
        let rounding = self.margin * order as f64;
        let form = |y: &Vector| {
            let size = small::absolute_form(&deviation, y, y);
            (small::dot(y, &small::times(&deviation, y, order)) + rounding * size).max(0.0).sqrt()
        };
        let reach = small::absolute_form(&deviation, radius, radius).sqrt() * (1.0 + rounding);
        let length: f64 = radius[..order].iter().sum();
        let error = self.margin * (sums.size + sums.bend_size * length);
        inverse.iter().zip(&image).take(order).any(|(y, image)| {
            let along = small::dot(y, &sums.gradient);
            let moved: f64 = image.iter().zip(radius).map(|(image, radius)| image.abs() * radius).sum();
            let open = small::absolute_form(&spread, y, radius);
            let total: f64 = y.iter().map(|y| y.abs()).sum();
            let rounded = rounding * small::absolute_form(&middle, y, radius) + total * error;
            along.abs() > (moved + form(y) * reach + open + rounded) * (1.0 + rounding)
        })
    }

    /// Σ u uᵀ times half of the width of the second derivative by z.
    fn deviation(&mut self) -> Matrix {
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

    /// Test (r): whether the derivative by the distance from zero is above zero.
    fn falls_inwards(&mut self, scale: &Scale, penalty: f64) -> bool {
        let Landscape { activation, shape, weight, offset, .. } = self.landscape;
        let (mut least, mut size) = (penalty, penalty);
        for block in self.blocks() {
            let (weight, offset) = (&weight[block.clone()], &offset[block.clone()]);
            let Rows { z, residual, slope, .. } = &self.rows;
            let [z, residual, slope] = [z, residual, slope].map(|ends| part(ends, block.clone()));
            let [radial_lo, radial_hi, middle, spread] =
                self.block.each_mut().map(|column| &mut column[..weight.len()]);
            let intervals = Intervals { from: z[0], to: z[1], margin: self.ulps };
            enclose_radial_derivative(activation.as_ref(), shape, intervals, [&mut *radial_lo, &mut *radial_hi]);
            sums::least_product(weight, scale.slope, residual, [radial_lo, radial_hi], middle);
            least += vector::sum(middle);
            size += sums::total_absolute(middle);
            if offset.iter().any(|offset| *offset != 0.0) {
                sums::pull(weight, scale.slope, residual, slope, [&mut *middle, &mut *spread]);
                least -= sums::along(middle, offset) + sums::along_absolute(offset, spread);
                size += sums::along_absolute(offset, spread) + vector::sum_of(offset, middle, |o, m| (o * m).abs());
            }
        }
        least > self.margin * size
    }

    /// Tests (d) and (e): a lower bound of the loss by a quadratic function below it, and which of the two gave it.
    fn minorant(&self, region: &Region, sums: &Sums, candidate: &Candidate) -> (f64, Exclusion) {
        let (order, radius) = (self.landscape.order(), &region.radius);
        let mut least = small::mirrored(&sums.least);
        for j in 0..order {
            for k in 0..j {
                // 2|δ_j δ_k| ≤ (r_k/r_j)·δ_j² + (r_j/r_k)·δ_k²
                let spread = sums.spread[j][k];
                if spread > 0.0 {
                    least[j][j] -= spread * radius[k] / radius[j];
                    least[k][k] -= spread * radius[j] / radius[k];
                }
            }
            least[j][j] -= sums.spread[j][j];
        }
        let error = self.margin * sums.bend_size;
        let mut box_units = least;
        for j in 0..order {
            (0..order).for_each(|k| box_units[j][k] *= radius[j] * radius[k]);
        }
        let squares = small::dot(radius, radius);
        let curvature = small::least_eigenvalue(&box_units, order) - error * squares;
        let slope_error = self.margin * sums.size;
        let fall: f64 = (0..order).map(|j| 2.0 * (sums.gradient[j].abs() + slope_error) * radius[j]).sum();
        let centre = sums.centre * (1.0 - self.margin);
        let mut lower = centre - fall + curvature.min(0.0) * order as f64;
        if curvature > 0.0 {
            let largest = radius.iter().fold(0.0, |largest: f64, radius| largest.max(*radius));
            // the smallest eigenvalue in the units of v
            let curvature = curvature / (largest * largest);
            if region.contains(&candidate.point) {
                let lowest = candidate.loss * (1.0 - self.margin);
                return (lowest - candidate.gradient * candidate.gradient / curvature, Exclusion::Convex);
            }
            if let Some(half) = small::half_inverse_form(&least, &sums.gradient, order) {
                let root = (2.0 * half).sqrt() + slope_error * (order as f64 / curvature).sqrt();
                lower = lower.max(centre - root * root * (1.0 + self.margin));
            }
        }
        (lower, Exclusion::Minorant)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::activation::{NAMES, named};
    use crate::math::rng::{Random, Stream};
    use crate::oracle::{FreeResponse, Oracle, Problem};
    use crate::rows::Dense;

    /// A random problem with this activation, and with free asymptotes if φ has them and `free` is true.
    fn landscape(name: &str, seed: u64, free: bool) -> Landscape {
        let mut random = Random::new(seed, Stream::Start);
        let (rows, width) = (12 + seed as usize % 30, 1 + seed as usize % 2);
        let x: Vec<f64> = (0..rows * width).map(|_| random.normal()).collect();
        let phi = named(name).unwrap();
        let y = (0..rows).map(|i| {
            let z: f64 = x[i * width..(i + 1) * width].iter().map(|x| 1.5 * x).sum::<f64>() + 0.3;
            phi.value(z) + 0.3 * random.normal()
        });
        let y = y.collect();
        let weights = (0..rows).map(|i| 0.5 + (i % 3) as f64).collect();
        let offsets = (0..rows).map(|i| 0.1 * (i % 5) as f64).collect();
        let table = Dense::new(x, width, y).unwrap().with_weights(weights).unwrap().with_offsets(offsets).unwrap();
        let (left, right) = phi.limits();
        let is_free = free && (right - left).is_finite();
        let response = FreeResponse { offset: is_free, scale: is_free, asymptotes: is_free, ..FreeResponse::default() };
        let l2 = if seed.is_multiple_of(3) { 0.02 } else { 0.0 };
        let oracle = Problem { response, l2, ..Problem::new(phi.clone()) }.on(&table).unwrap();
        Landscape::of(&oracle as &dyn Oracle, &phi).unwrap().unwrap()
    }

    /// A random region: boxes and parts of cones of many sizes.
    fn region(landscape: &Landscape, random: &mut Random) -> Region {
        let order = landscape.order();
        let size = 10.0_f64.powf(3.0 * random.uniform() - 2.5);
        let mut region = Region::point(ZERO, landscape.predictors);
        for j in 0..order {
            region.centre[j] = 3.0 * random.normal();
            region.radius[j] = size * (0.2 + random.uniform());
        }
        for (m, [low, high]) in landscape.response.bounds.iter().enumerate() {
            let at = landscape.predictors + m;
            region.centre[at] = low + (0.45 + 0.1 * random.uniform()) * (high - low);
            region.radius[at] = 0.02 * size.min(1.0) * (high - low);
        }
        if random.uniform() < 0.4 {
            let axis = (random.uniform() * landscape.predictors as f64) as usize % landscape.predictors;
            region.kind = Kind::Cone { axis, sign: if random.uniform() < 0.5 { 1 } else { -1 } };
            for j in (0..landscape.predictors).filter(|&j| j != axis) {
                region.radius[j] = size.min(0.5);
                region.centre[j] = (2.0 * random.uniform() - 1.0) * (1.0 - region.radius[j]);
            }
            let near = if random.uniform() < 0.3 { 0.0 } else { 0.3 * random.uniform() };
            region.radius[axis] = 0.1 * size.min(1.0);
            region.centre[axis] = near + region.radius[axis];
        }
        region
    }

    /// A random point of a region.
    fn point(region: &Region, order: usize, random: &mut Random) -> Vector {
        let mut inside = *region;
        for j in 0..order {
            let share = match (random.uniform() * 4.0) as usize {
                0 => -1.0,
                1 => 1.0,
                _ => 2.0 * random.uniform() - 1.0,
            };
            inside.centre[j] += share * region.radius[j];
        }
        if let Kind::Cone { axis, .. } = region.kind {
            inside.centre[axis] = inside.centre[axis].max(1e-3 * region.t(axis)[1]);
        }
        inside.middle()
    }

    /// Far away, and lower than everything.
    fn nobody(landscape: &Landscape) -> Candidate {
        let mut point = ZERO;
        point[..landscape.order()].fill(1e9);
        Candidate { point, loss: 0.0, gradient: 0.0 }
    }

    #[test]
    fn no_point_of_a_region_is_below_its_bound() {
        let mut open = 0;
        for name in NAMES {
            for (seed, free) in (0..6).flat_map(|seed| [(seed, false), (seed, true)]) {
                let landscape = landscape(name, seed, free);
                let (mut examiner, mut random) = (Examiner::new(&landscape), Random::new(seed, Stream::Start));
                for _ in 0..60 {
                    let region = region(&landscape, &mut random);
                    // nothing is above this cut, so what is excluded has no minimum
                    let finding = examiner.examine(&region, f64::INFINITY, &nobody(&landscape), &[]);
                    let Finding::Open { lower, .. } = finding else { continue };
                    open += 1;
                    for _ in 0..20 {
                        let inside = point(&region, landscape.order(), &mut random);
                        let loss = examiner.at(&inside).loss;
                        assert!(
                            loss.is_nan() || loss >= lower * (1.0 - 1e-12),
                            "{name} {seed} {free}: {loss} < {lower} in {region:?}"
                        );
                    }
                }
            }
        }
        assert!(open > 2000, "{open}");
    }

    #[test]
    fn a_region_without_a_stationary_point_has_a_lower_neighbour() {
        // an excluded box has no stationary point, or no minimum: some point outside is lower than all inside
        let mut excluded = 0;
        for name in NAMES {
            for seed in 0..8 {
                let landscape = landscape(name, seed, false);
                let (mut examiner, mut random) = (Examiner::new(&landscape), Random::new(seed, Stream::Start));
                for _ in 0..20 {
                    let region = region(&landscape, &mut random);
                    let finding = examiner.examine(&region, f64::INFINITY, &nobody(&landscape), &[]);
                    if !matches!(finding, Finding::Excluded(_)) {
                        continue;
                    }
                    excluded += 1;
                    let inside = |random: &mut Random| point(&region, landscape.order(), random);
                    let least = (0..40)
                        .map(|_| examiner.at(&inside(&mut random)))
                        .min_by(|a, b| a.loss.total_cmp(&b.loss))
                        .unwrap();
                    // descend from the lowest sample: the end must leave the region
                    let end = descend(&mut examiner, least, landscape.order());
                    let is_inside = region.kind == Kind::Box
                        && (0..landscape.order())
                            .all(|j| (end.point[j] - region.centre[j]).abs() < region.radius[j] * (1.0 - 1e-6));
                    assert!(!is_inside || end.gradient > 1e-6, "{name} {seed}: {end:?} in {region:?}");
                }
            }
        }
        assert!(excluded > 1000, "{excluded}");
    }

    /// Coordinate descent with shrinking steps.
    fn descend(examiner: &mut Examiner<'_>, mut best: Candidate, order: usize) -> Candidate {
        let (mut step, mut rounds) = (0.3, 0);
        while step > 1e-7 && rounds < 400 {
            let mut moved = false;
            rounds += 1;
            for (j, side) in (0..order).flat_map(|j| [(j, -1.0), (j, 1.0)]) {
                let mut point = best.point;
                point[j] += side * step;
                let there = examiner.at(&point);
                if there.loss < best.loss {
                    (best, moved) = (there, true);
                }
            }
            step *= if moved { 1.0 } else { 0.5 };
        }
        best
    }

    /// The number of tiny boxes around the minimum of a fit that are excluded although they hold it.
    fn wrongly_excluded(has_margins: bool) -> usize {
        let (mut wrong, mut held) = (0, 0);
        for seed in 0..40 {
            let landscape = landscape("sigmoid", seed, false);
            let mut examiner = Examiner::new(&landscape);
            if !has_margins {
                (examiner.margin, examiner.slack, examiner.ulps) = (0.0, 0.0, 0.0);
            }
            let mut start = ZERO;
            start[..landscape.order()].fill(0.5);
            let start = examiner.at(&start);
            let end = descend(&mut examiner, start, landscape.order());
            let newton = polish(&mut examiner, &landscape, end);
            if small::norm(&examiner.sums_at(&newton.point).gradient) > 3e-16 {
                continue;
            }
            held += 10;
            for exponent in 0..10 {
                let mut region = Region::point(newton.point, landscape.predictors);
                region.radius[..landscape.order()].fill(10.0_f64.powi(-exponent - 8));
                let finding = examiner.examine(&region, f64::INFINITY, &nobody(&landscape), &[]);
                wrong += usize::from(matches!(finding, Finding::Excluded(_)));
            }
        }
        assert!(held >= 100, "{held}");
        wrong
    }

    /// Newton steps on the gradient at the centre, until it is rounding.
    fn polish(examiner: &mut Examiner<'_>, landscape: &Landscape, mut best: Candidate) -> Candidate {
        for _ in 0..2000 {
            let gradient = examiner.sums_at(&best.point).gradient;
            let mut next = best.point;
            // the rows are white, and φ′ is below a quarter
            (0..landscape.order()).for_each(|j| next[j] -= 4.0 * gradient[j]);
            let there = examiner.at(&next);
            if small::norm(&examiner.sums_at(&next).gradient) < small::norm(&gradient) {
                best = there;
            }
        }
        best
    }

    #[test]
    fn rounding_excludes_no_minimum_but_would_without_margins() {
        assert_eq!(wrongly_excluded(true), 0);
        assert!(wrongly_excluded(false) > 0);
    }
}
