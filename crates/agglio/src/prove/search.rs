//! The *search* of a whole space for a point below a candidate, best bound first.

use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::bound::Finding;
use super::examined::{Batch, Exclusion};
use super::examiner::{Candidate, Examiner};
use super::landscape::Landscape;
use super::part::Parts;
use super::region::{Kind, Region};
use super::small::{Vector, ZERO};
use crate::math::tree;

/// Number of regions that leave the queue together. It does not depend on the number of threads, so neither do results.
const BATCH: usize = 32;
/// A box whose widest radius is below this share of the size of the candidate is not cut.
pub(super) const SMALLEST: f64 = 1e-7;
/// The same for t of a cone, as a share of t, or of this number where t is smaller.
const SMALLEST_T: f64 = 1e-9;
/// The first box is [`FIRST`] times as large as the candidate, and at least [`LEAST_FIRST`].
const FIRST: f64 = 3.0;
const LEAST_FIRST: f64 = 4.0;
/// Cones that begin this many times farther out than the first box are searched last.
const LATER: f64 = 8.0;
/// After this number of regions, a search takes in parts of the rows.
const EASY: u64 = 2_000;
/// The search ends when this number of regions is open.
const MOST_OPEN: usize = 4_000_000;

/// A search under way.
#[derive(Debug)]
pub(super) struct Search<'l> {
    landscape: &'l Landscape,
    candidate: Candidate,
    parts: Parts,
    /// Whether the levels of categories are among the parts.
    has_levels: bool,
    /// The bound that is to be proven.
    cut: f64,
    /// Open regions near the candidate, and those that are farther out.
    near: BinaryHeap<Region>,
    far: BinaryHeap<Region>,
    /// The distance from which on regions are far.
    later: f64,
    /// The smallest radius of a box that is cut, as a share of the size of the candidate.
    smallest: f64,
    /// The smallest bound, and the smallest distance, of regions that are too small to be cut.
    unresolved: Option<[f64; 2]>,
    /// The regions that were examined since the caller was last asked whether to go on.
    examined: Vec<(Region, Option<Exclusion>)>,
    /// Number of regions that were examined.
    pub boxes: u64,
}

/// Why a search has stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pause {
    /// No region is open.
    Complete,
    /// A point is below the cut.
    Better(Vector),
    /// As many regions as asked for were examined.
    Counted,
    /// The caller asked to stop, or too many regions are open.
    Stopped,
}

/// Says whether to go on, given the number of further regions that were examined.
pub(super) type GoesOn<'a> = dyn FnMut(u64) -> bool + Send + 'a;

/// How far a search has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing<'s> {
    pub lower_bound: f64,
    /// Number of open regions.
    pub open: usize,
    /// Number of regions that were examined.
    pub boxes: u64,
    /// Those that were examined since the caller was last asked.
    pub batch: Batch<'s>,
}

impl<'l> Search<'l> {
    /// The search for a point whose loss is below that of the candidate by more than `gap`.
    pub fn new(landscape: &'l Landscape, candidate: Candidate, gap: f64) -> Search<'l> {
        let predictors = landscape.predictors;
        let size = (0..predictors).fold(0.0, |size: f64, entry| size.max(extent(&candidate, entry)));
        let first = (FIRST * size).max(LEAST_FIRST);
        let mut search = Search {
            landscape,
            candidate,
            parts: Parts::default(),
            has_levels: false,
            cut: candidate.most() - gap,
            near: BinaryHeap::new(),
            far: BinaryHeap::new(),
            later: LATER * first,
            smallest: SMALLEST,
            unresolved: None,
            examined: Vec::new(),
            boxes: 0,
        };
        let mut whole = Region { first: 0.5 / first, ..Region::point(ZERO, predictors) };
        for (m, [low, high]) in landscape.response.bounds.iter().enumerate() {
            whole.centre[predictors + m] = 0.5 * (low + high);
            whole.radius[predictors + m] = 0.5 * (high - low);
        }
        let mut regions = vec![whole];
        regions[0].radius[..predictors].fill(first);
        for (axis, sign) in (0..predictors).flat_map(|axis| [(axis, 1), (axis, -1)]) {
            let mut cone = Region { kind: Kind::Cone { axis, sign }, split: axis, ..whole };
            cone.radius[..predictors].fill(1.0);
            (cone.centre[axis], cone.radius[axis]) = (0.5 / first, 0.5 / first);
            regions.push(cone);
        }
        let mut examiner = Examiner::new(landscape);
        let findings: Vec<Finding> = regions.iter().map(|region| search.look(&mut examiner, region)).collect();
        regions.iter().zip(findings).for_each(|(region, finding)| search.enter(region, finding, &mut |_| true));
        search
    }

    pub fn landscape(&self) -> &'l Landscape {
        self.landscape
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.landscape.rows()
    }

    fn look(&self, examiner: &mut Examiner<'_>, region: &Region) -> Finding {
        examiner.examine(region, self.cut, &self.candidate, &self.parts.tried)
    }

    /// Enters a region that was examined. A search in some of the rows asks whether to go on, with the number of its regions.
    fn enter(&mut self, region: &Region, finding: Finding, goes_on: &mut GoesOn<'_>) {
        let exclusion = self.settle(region, finding, goes_on);
        self.examined.push((*region, exclusion));
    }

    /// Queues a region, unless it is excluded.
    fn settle(&mut self, region: &Region, finding: Finding, goes_on: &mut GoesOn<'_>) -> Option<Exclusion> {
        self.boxes += 1;
        let (lower, split, undecided) = match finding {
            Finding::Excluded(test) => return Some(test),
            Finding::Open { lower, split, undecided, .. } => (lower, split, undecided),
        };
        let region = Region { lower: lower.max(region.lower), number: self.boxes, split, ..*region };
        if region.lower > self.cut {
            return Some(Exclusion::CutOff);
        }
        let corner = |rows| self.parts.exceed(self.landscape, rows, self.cut, &mut self.boxes, goes_on);
        if undecided.is_some_and(corner) {
            return Some(Exclusion::Part);
        }
        if self.is_smallest(&region) {
            let [lower, distance] = self.unresolved.unwrap_or([f64::INFINITY; 2]);
            self.unresolved = Some([lower.min(region.lower), distance.min(region.distance())]);
        } else if region.distance() >= self.later {
            self.far.push(region);
        } else {
            self.near.push(region);
        }
        None
    }

    /// Whether rounding decides on halves of a region.
    fn is_smallest(&self, region: &Region) -> bool {
        let entry = region.split;
        let free = entry.checked_sub(self.landscape.predictors).and_then(|m| self.landscape.response.bounds.get(m));
        let smallest = match (region.kind, free) {
            // in units of the response
            (_, Some([low, high])) => self.smallest * (high - low),
            (Kind::Box, None) => self.smallest * extent(&self.candidate, entry).max(1.0),
            (Kind::Cone { axis, .. }, None) if axis == entry => SMALLEST_T * region.centre[entry].max(SMALLEST_T),
            (Kind::Cone { .. }, None) => self.smallest,
        };
        region.radius[entry] < smallest
    }

    fn open(&self) -> usize {
        self.near.len() + self.far.len()
    }

    /// How far it has come, with these regions.
    fn standing<'s>(&self, regions: &'s [(Region, Option<Exclusion>)]) -> Standing<'s>
    where
        'l: 's,
    {
        let batch = Batch { landscape: self.landscape, regions };
        Standing { lower_bound: self.lower_bound(), open: self.open(), boxes: self.boxes, batch }
    }

    /// The smallest bound of the open regions, at most what is to be proven. If only regions that are far away are open, they do
    /// not count.
    pub fn lower_bound(&self) -> f64 {
        let heaps = [Some(&self.near), Some(&self.far).filter(|_| !self.is_complete())];
        let open = heaps.into_iter().flatten().filter_map(BinaryHeap::peek).map(|region| region.lower);
        open.chain(self.unresolved.map(|[lower, _]| lower)).fold(self.cut, f64::min).max(0.0)
    }

    /// The smallest bound of all points.
    pub fn bound_everywhere(&self) -> f64 {
        self.far.peek().map_or(f64::INFINITY, |region| region.lower).min(self.lower_bound())
    }

    /// Whether no region within the radius of the search is open.
    pub fn is_complete(&self) -> bool {
        self.near.is_empty() && self.unresolved.is_none()
    }

    /// The distance up to which no region is open; none if none is open anywhere.
    pub fn radius(&self) -> Option<f64> {
        let open = self.near.iter().chain(&self.far).map(Region::distance);
        open.chain(self.unresolved.map(|[_, distance]| distance)).reduce(f64::min)
    }

    /// Takes another candidate, which is below the cut.
    pub fn improve(&mut self, candidate: Candidate, gap: f64) {
        self.cut = candidate.most() - gap;
        self.candidate = candidate;
    }

    /// Goes on until no region is open, a point below the cut is found, `boxes` regions were examined, or `go_on` says to stop. It
    /// is asked after each batch, and by searches in some of the rows.
    pub fn run(&mut self, boxes: u64, go_on: &mut (dyn FnMut(&Standing<'_>) -> bool + Send)) -> Pause {
        let landscape = self.landscape;
        let mut examiner = Examiner::new(landscape);
        loop {
            let before = self.standing(&[]);
            let mut goes_on = |boxes: u64| go_on(&Standing { boxes: before.boxes + boxes, ..before });
            if !self.has_levels && self.boxes >= EASY {
                self.boxes += self.parts.enter_levels(landscape, self.cut, &mut goes_on);
                self.has_levels = true;
            }
            let batch: Vec<Region> = (0..BATCH).map_while(|_| self.near.pop().or_else(|| self.far.pop())).collect();
            if batch.is_empty() {
                return Pause::Complete;
            }
            let halves: Vec<Region> = batch.iter().flat_map(Region::halves).collect();
            let findings: Vec<Finding> = match tree::in_pool() {
                true => halves
                    .par_iter()
                    .with_min_len(4)
                    .map_init(|| Examiner::new(landscape), |examiner, half| self.look(examiner, half))
                    .collect(),
                false => halves.iter().map(|half| self.look(&mut examiner, half)).collect(),
            };
            let mut better: Option<(f64, Vector)> = None;
            for (half, finding) in halves.iter().zip(findings) {
                if let Finding::Open { centre: Some(loss), .. } = finding
                    && loss < better.map_or(self.cut, |(least, _)| least)
                {
                    better = Some((loss, half.middle()));
                }
                self.enter(half, finding, &mut goes_on);
            }
            if let Some((_, point)) = better {
                return Pause::Better(point);
            }
            if self.open() > MOST_OPEN || !go_on(&self.standing(&self.examined)) {
                return Pause::Stopped;
            }
            self.examined.clear();
            if self.boxes >= boxes {
                return Pause::Counted;
            }
        }
    }
}

/// The size of an entry of the candidate; zero if there is none.
fn extent(candidate: &Candidate, entry: usize) -> f64 {
    Some(candidate.point[entry].abs()).filter(|size| size.is_finite()).unwrap_or(0.0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::activation::named;
    use crate::oracle::{Oracle, Problem};
    use crate::rows::Dense;

    /// Least squares with two minima of the same loss, ŵ and −ŵ: each row has a mirror image with the same response.
    fn twins() -> (Landscape, Vector) {
        let x = [0.3, -0.3, 0.8, -0.8, 1.4, -1.4, 2.0, -2.0];
        let y = [0.9, 0.9, 0.1, 0.1, 0.85, 0.85, 0.95, 0.95];
        let rows = Dense::new(x.to_vec(), 1, y.to_vec()).unwrap();
        let phi = named("silu").unwrap();
        let oracle = Problem { intercept: false, ..Problem::new(phi.clone()) }.on(&rows).unwrap();
        let landscape = Landscape::of(&oracle as &dyn Oracle, &phi).unwrap().unwrap();
        let mut examiner = Examiner::new(&landscape);
        // the lowest of a fine grid, polished by Newton steps on the differences of the loss
        let at = |v: f64, examiner: &mut Examiner<'_>| {
            let mut point = ZERO;
            point[0] = v;
            examiner.at(&point).loss
        };
        let mut v = (0..4000)
            .map(|k| f64::from(k) * 0.002)
            .min_by(|a, b| at(*a, &mut examiner).total_cmp(&at(*b, &mut examiner)))
            .unwrap();
        let mut step = 0.002;
        while step > 1e-12 {
            v = [v - step, v, v + step]
                .into_iter()
                .min_by(|a, b| at(*a, &mut examiner).total_cmp(&at(*b, &mut examiner)))
                .unwrap();
            step *= 0.7;
        }
        let mut point = ZERO;
        point[0] = v;
        (landscape, point)
    }

    #[test]
    fn a_far_region_counts_in_the_bound_until_all_others_are_closed() {
        let (landscape, point) = twins();
        let candidate = Examiner::new(&landscape).at(&point);
        let mut search = Search::new(&landscape, candidate, 1e-6 * candidate.loss);
        let region = |share: f64| Region { lower: share * search.cut, ..Region::point(ZERO, landscape.predictors) };
        let [near, far] = [0.5, 0.25].map(region);
        (search.near, search.far) = ([near].into(), [far].into());
        assert_eq!((search.is_complete(), search.lower_bound()), (false, far.lower));
        search.near.clear();
        assert_eq!((search.is_complete(), search.lower_bound()), (true, search.cut));
    }

    /// The search with a gap, up to 20 000 regions.
    fn searched(smallest: f64, gap: f64) -> (Pause, bool, f64) {
        let (landscape, point) = twins();
        // a gap below the rounding error of the loss is refused before a search
        let candidate = Candidate { error: 0.0, ..Examiner::new(&landscape).at(&point) };
        let mut search = Search { smallest, ..Search::new(&landscape, candidate, gap * candidate.loss) };
        let pause = search.run(20_000, &mut |_| true);
        (pause, search.is_complete(), (candidate.loss - search.lower_bound()) / candidate.loss)
    }

    #[test]
    fn a_twin_of_the_candidate_is_excluded_up_to_the_gap_and_left_open_below_rounding() {
        let (pause, complete, gap) = searched(SMALLEST, 1e-6);
        assert_eq!((pause, complete), (Pause::Complete, true));
        assert!(gap <= 1.0001e-6, "{gap}");
        // rounding cannot tell whether the twin is lower, so it must stay open
        let (pause, complete, gap) = searched(SMALLEST, 1e-17);
        assert_eq!((pause, complete), (Pause::Complete, false));
        assert!(gap > 0.0 && gap < 1e-9, "{gap}");
        // without a smallest box the search of the twin does not end so soon
        assert_eq!(searched(0.0, 1e-17).0, Pause::Counted);
    }
}
