//! A *part* is a subset of the rows. Its smallest loss bounds the loss of all rows from below.
//!
//! ```text
//! F(v) ≥ Σ_{i∉S} min f_i + min_v Σ_{i∈S} f_i(u_iᵀv + o_i)
//! ```
//!
//! If the rows S do not span the space, such as those of one level of a category, a search in fewer dimensions finds the
//! second term. It helps in two places. A region needs to be small only as far as the other rows are concerned. And at a
//! *corner*, a direction to infinity along which the rows S stay finite, no interval bounds their linear predictors, however
//! small the region.

use std::collections::BTreeMap;

use super::bound::Undecided;
use super::examiner::{Candidate, Examiner, Sums};
use super::landscape::Landscape;
use super::search::{GoesOn, Pause, Search};
use super::small;

/// The most regions of the search for the smallest loss of some rows.
const REGIONS: u64 = 20_000;
/// The gap of that search, relative to the loss.
const GAP: f64 = 1e-2;
/// A part whose smallest loss is below this share of what is to be proven is of no use.
const LITTLE: f64 = 1e-2;
/// A level of a category is a part if it has at least this share of the rows.
const FEWEST: f64 = 0.1;
/// Most parts that are tried in every region.
const MOST_PARTS: usize = 16;
/// Most steps to a minimum.
const STEPS: usize = 60;

/// Some rows, and the smallest loss that they have alone.
#[derive(Debug)]
pub(super) struct Part {
    /// The weights of the other rows, and zero for each row of the part.
    pub others: Vec<f64>,
    /// A lower bound of the loss of the rows.
    pub least: f64,
}

/// The parts that are known.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// Those that are tried in every region.
    pub tried: Vec<Part>,
    /// The smallest losses of those that regions at corners have asked for.
    known: BTreeMap<Vec<u32>, f64>,
}

impl Parts {
    /// Takes in the levels of categories. `cut` is what is to be proven. Returns the number of regions that it took. `goes_on` is
    /// asked whether to go on, with that number so far.
    pub fn enter_levels(&mut self, landscape: &Landscape, cut: f64, goes_on: &mut GoesOn<'_>) -> u64 {
        let mut boxes = 0;
        for rows in landscape.levels(FEWEST) {
            let (least, own) = least_loss(landscape, &rows, LITTLE * cut, &mut |own| goes_on(boxes + own));
            boxes += own;
            self.enter(landscape, &rows, least, cut);
        }
        boxes
    }

    fn enter(&mut self, landscape: &Landscape, rows: &[u32], least: f64, cut: f64) {
        if least < LITTLE * cut || self.tried.len() == MOST_PARTS {
            return;
        }
        let mut others = landscape.weight.clone();
        rows.iter().for_each(|&i| others[i as usize] = 0.0);
        self.tried.push(Part { others, least });
    }

    /// Whether the undecided rows of a region lift the loss in it above the cut. Counts the regions that it takes to find out.
    pub fn exceed(
        &mut self,
        landscape: &Landscape,
        undecided: Undecided,
        cut: f64,
        boxes: &mut u64,
        goes_on: &mut GoesOn<'_>,
    ) -> bool {
        let (rows, target) = (undecided.rows, cut - undecided.others);
        // a bound above the loss of a constant cannot be reached
        if target >= landscape.spread(&rows) {
            return false;
        }
        if let Some(least) = self.known.get(&rows) {
            return target < *least;
        }
        let (least, own) = least_loss(landscape, &rows, target, goes_on);
        *boxes += own;
        if own > 0 {
            self.enter(landscape, &rows, least, cut);
            self.known.insert(rows, least);
        }
        target < least
    }
}

/// A lower bound of the loss of some rows alone, or zero if it is below `little`, and the number of regions that it took: none
/// if the rows span the space.
fn least_loss(landscape: &Landscape, rows: &[u32], little: f64, goes_on: &mut GoesOn<'_>) -> (f64, u64) {
    let Some(part) = landscape.part(rows) else { return (0.0, 0) };
    let mut examiner = Examiner::new(&part);
    let start = examiner.at(&small::ZERO);
    let mut best = descend(&mut examiner, &part, start);
    let mut search = Search::new(&part, best, GAP * best.loss);
    while best.loss > little {
        match search.run(REGIONS, &mut |standing| goes_on(standing.boxes)) {
            Pause::Better(point) => {
                let start = examiner.at(&point);
                best = descend(&mut examiner, &part, start);
                search.improve(best, GAP * best.loss);
            }
            _ => return (search.bound_everywhere(), search.boxes),
        }
    }
    (0.0, search.boxes)
}

/// Levenberg–Marquardt steps to a minimum of some rows. They need no oracle: a few rows in few dimensions, without a penalty.
fn descend(examiner: &mut Examiner<'_>, part: &Landscape, mut best: Candidate) -> Candidate {
    let (order, mut damping) = (part.order(), 1e-3);
    for _ in 0..STEPS {
        let Sums { gradient, least: mut hessian, .. } = examiner.sums_at(&best.point);
        (0..order).for_each(|j| hessian[j][j] += damping);
        let Some(inverse) = small::inverse(&small::mirrored(&hessian), order) else { break };
        let step = small::times(&inverse, &gradient, order);
        let mut next = best.point;
        next.iter_mut().zip(step).for_each(|(next, step)| *next -= step);
        let there = examiner.at(&next);
        let gain = best.loss - there.loss;
        if gain > 0.0 {
            (best, damping) = (there, 0.2 * damping);
        } else {
            damping = 5.0 * damping.max(1e-6);
        }
        if gain >= 0.0 && gain < 1e-9 * best.loss || damping > 1e6 {
            break;
        }
    }
    best
}
