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

use super::examined::Exclusion;
use super::examiner::{Candidate, Examiner, Rows, Scale, Sums, part};
use super::landscape::{FAR, Landscape};
use super::part::Part;
use super::region::{Kind, Region};
use super::response::ASYMPTOTES_WITHIN;
use super::sums;

/// What is known of a region after the tests.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Finding {
    /// It has no point that is below the cut and the lowest.
    Excluded(Exclusion),
    /// It may have one.
    Open {
        /// A lower bound of the loss.
        lower: f64,
        /// The entry along which it should be halved.
        split: usize,
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

impl Examiner<'_> {
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
            let others = rest + sums::along(&part.others, &self.rows.square);
            lower = lower.max((others + part.least) * (1.0 - self.margin));
        }
        if lower > cut {
            return Finding::Excluded(Exclusion::Part);
        }
        // there the loss is not continuous, so its derivatives have no meaning
        if self.is_undecided() {
            let split = self.widest(|j| self.width(region, j));
            return Finding::Open { lower, split, centre: None, undecided: None };
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
        // towards infinity rows saturate, so t is halved there as often as the other entries
        let along = region.radius[axis] / if near > 0.0 { region.centre[axis] } else { region.first };
        let split = self.widest(|j| if j == axis { along } else { self.width(region, j) });
        let undecided = self.undecided(penalty);
        Finding::Open { lower, split, centre: Some(self.loss_at(&region.middle())), undecided }
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
        // the rows are added one by one, which loses up to twice as much as other sums
        Some(Undecided { rows, others: (others + penalty + unexplained) * (1.0 - 2.0 * self.margin) })
    }

    fn examine_box(&mut self, region: &Region, scale: &Scale, lower: f64, cut: f64, candidate: &Candidate) -> Finding {
        let sums = self.sums_in(region, scale);
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
        Finding::Open { lower: lower.max(minorant), split: entry, centre: Some(sums.centre), undecided: None }
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
}
