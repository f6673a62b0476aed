//! The *proof* that a fit has the lowest minimum of all, by branch and bound over the whole space of its parameters.
//!
//! ```text
//! F(θ) ≥ F(θ̂) − gap·max(F(θ̂), 10⁻¹⁰·F_constant)      for all θ
//! ```
//!
//! The space is divided into regions: a box around zero, and cones from there to infinity. In each region the loss has a
//! lower bound by interval arithmetic. A region is excluded if the bound is above the cut on the right-hand side, or if no
//! minimum can be in it; all others are halved. The bounds are computed in double precision, with outward margins for the
//! rounding errors of every function and of every sum.

mod bound;
mod examined;
mod examiner;
mod exclusion;
mod gathered;
mod landscape;
mod part;
mod penalty;
mod region;
mod response;
mod search;
mod small;
mod sums;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use crate::activation::Activation;
use crate::error::Result;
use crate::math::tree;
use crate::oracle::Oracle;
use examined::Batch;
pub use examined::{Examined, Exclusion};
use examiner::{Candidate, Examiner};
use landscape::Landscape;
use response::asymptotes_within;
use search::{Pause, Search, Standing};
use small::Vector;

/// A loss is compared with at least this share of that of the model without covariates.
const LEAST_LOSS: f64 = 1e-10;
/// A loss up to this share of the mean square of the responses is rounding.
const ROUNDING_LOSS: f64 = 1e-28;
/// A search is not begun if the rounding error of the loss may be more than this share of the gap.
const IMPRECISE: f64 = 0.1;
/// Up to this number of evaluations of a row in a region, the threads would take longer to start than to work.
const SERIAL: u64 = 2_000_000;

/// The result of a search for a lower minimum.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Proof {
    /// Whether the gap is as small as it was asked for, for all minima within `radius`.
    pub complete: bool,
    /// Why the search has ended.
    pub ended: Ended,
    /// No point has a lower loss, penalty included; with a radius, no minimum within it.
    pub lower_bound: f64,
    /// The loss, penalty included, less the bound, divided by that loss, or by 1e-10 of the loss of the model without
    /// covariates if that is larger.
    pub gap: f64,
    /// The gap that was asked for.
    pub tolerance: f64,
    /// The root mean square of the linear predictors xᵀw + b up to which a complete proof holds; none if it holds everywhere.
    /// The bound of a proof that is not complete holds everywhere.
    pub radius: Option<f64>,
    /// The interval in which free asymptotes were searched for.
    pub asymptotes_within: Option<[f64; 2]>,
    /// Number of regions that were examined.
    pub boxes: u64,
    /// Wall time of the search.
    pub seconds: f64,
    /// The loss of the fit before the search, if the search has found a lower minimum.
    pub improved_from: Option<f64>,
}

/// Why a search has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// Nothing is left to be shown.
    Complete,
    /// The time is over.
    Time,
    /// The effort is over that is made without being asked for a proof.
    Effort,
    /// Too many regions are open.
    Regions,
    /// Only regions are left that are too small to be halved.
    Rounding,
    /// A point with a lower loss leads to infinity. The finite minimum is kept.
    AtInfinity,
    /// An observer or an interrupt ended it.
    Interrupted,
    /// The loss is convex, but the fit is not at its minimum.
    NotAtMinimum,
}

impl Ended {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Ended::Complete => "complete",
            Ended::Time => "time",
            Ended::Effort => "effort",
            Ended::Regions => "regions",
            Ended::Rounding => "rounding",
            Ended::AtInfinity => "lower at infinity",
            Ended::Interrupted => "interrupted",
            Ended::NotAtMinimum => "not at a minimum",
        }
    }
}

impl Proof {
    /// The proof of a convex loss: every minimum is the lowest. `left` is what a Newton step would still gain, relative to the
    /// loss; none at a point that is no certified minimum.
    pub(crate) fn of_convex(loss: f64, left: Option<f64>, tolerance: f64) -> Proof {
        let gap = left.unwrap_or(1.0);
        Proof {
            complete: gap <= tolerance,
            ended: if gap <= tolerance { Ended::Complete } else { Ended::NotAtMinimum },
            lower_bound: loss * (1.0 - gap),
            gap,
            tolerance,
            radius: None,
            asymptotes_within: None,
            boxes: 0,
            seconds: 0.0,
            improved_from: None,
        }
    }
}

/// How far a search has come.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// No point has a lower loss.
    pub lower_bound: f64,
    /// The loss of the best point so far.
    pub upper_bound: f64,
    /// Number of open regions.
    pub open: usize,
    /// Number of regions that were examined.
    pub boxes: u64,
    batch: Batch<'a>,
}

impl Progress<'_> {
    /// The regions that were examined since the last call.
    pub fn examined(&self) -> impl Iterator<Item = Examined> + '_ {
        self.batch.iter()
    }
}

/// Why a fit cannot be proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unprovable {
    /// The activation does not tell where it is monotone.
    UnknownShape,
    /// Columns are collinear, so that no minimum is the only one.
    NotIdentified,
    /// The rounding error of the loss may be more than the gap allows.
    Imprecise,
    /// The response is constant, so that its loss has no scale.
    Constant,
    /// The fit ended before the last temperature.
    Unfinished,
    /// More parameters than can be searched.
    TooManyParameters,
    /// The offset or the scale of an unbounded activation is free.
    UnboundedScale,
}

impl fmt::Display for Unprovable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Unprovable::UnknownShape => "the activation does not tell where it is monotone (`shape`)",
            Unprovable::NotIdentified => "columns are collinear: drop one of them",
            Unprovable::Imprecise => "rounding errors of the loss are too large for this gap",
            Unprovable::Constant => "the response is constant, so there is nothing to explain",
            Unprovable::Unfinished => "the fit ended before its last temperature",
            Unprovable::TooManyParameters => "at most 12 parameters can be searched",
            Unprovable::UnboundedScale => {
                "a free offset or scale of an unbounded activation has no bounds to search within"
            }
        })
    }
}

/// The end of a fit that began at a point of the search.
pub(crate) enum End {
    /// θ at a minimum.
    Minimum(Vec<f64>),
    /// The loss that is approached at infinity. A finite minimum is preferred to it.
    Infinity(f64),
}

/// What a search asks of its caller.
pub(crate) trait Caller: Send {
    /// The end of a fit from a point with a lower loss.
    fn improve(&mut self, start: Vec<f64>) -> Result<End>;

    /// Whether to go on, or why not.
    fn goes_on(&mut self, progress: &Progress<'_>) -> ControlFlow<Ended>;
}

/// The lowest point so far.
struct Lowest {
    best: Candidate,
    theta: Vec<f64>,
    /// The loss of the fit, if another point is lower.
    improved_from: Option<f64>,
    /// The lowest loss that a fit approaches at infinity.
    at_infinity: f64,
}

/// A fit, and what is to be proven of it.
#[derive(Clone, Copy)]
pub(crate) struct Claim<'a> {
    pub oracle: &'a dyn Oracle,
    pub activation: &'a Arc<dyn Activation>,
    /// θ, where the loss is claimed to be the lowest.
    pub theta: &'a [f64],
    /// The largest gap between loss and bound, relative to the loss.
    pub gap: f64,
    /// Number of threads, where it was asked for.
    pub threads: Option<usize>,
}

impl Claim<'_> {
    /// Searches for a point whose loss is lower by more than the gap. Returns the result, and the best point.
    ///
    /// # Errors
    /// If rows are lost.
    pub fn prove(self, caller: &mut dyn Caller) -> Result<std::result::Result<(Proof, Vec<f64>), Unprovable>> {
        let begun = Instant::now();
        let facts = self.oracle.facts();
        if facts.baseline.loss <= ROUNDING_LOSS * facts.label_square {
            return Ok(Err(Unprovable::Constant));
        }
        let landscape = match Landscape::of(self.oracle, self.activation)? {
            Ok(landscape) => landscape,
            Err(why) => return Ok(Err(why)),
        };
        let hessian = Examiner::new(&landscape).sums_at(&landscape.point(facts, self.theta)).least;
        let landscape = landscape.along(&hessian, facts);
        let best = Examiner::new(&landscape).at(&landscape.point(facts, self.theta));
        if best.error > IMPRECISE * self.margin(best.loss) {
            return Ok(Err(Unprovable::Imprecise));
        }
        let mut search = Search::new(&landscape, best, self.margin(best.loss));
        let mut lowest = Lowest { best, theta: self.theta.to_vec(), improved_from: None, at_infinity: f64::INFINITY };
        let ended = self.search(&mut search, &mut lowest, caller)?;
        Ok(Ok((self.result(&search, &lowest, ended, begun), lowest.theta)))
    }

    /// The gap in units of the loss.
    fn margin(&self, loss: f64) -> f64 {
        self.gap * self.unit(loss)
    }

    fn unit(&self, loss: f64) -> f64 {
        loss.max(LEAST_LOSS * self.oracle.facts().baseline.loss)
    }

    /// Searches to the end, and follows lower points on the way.
    fn search(&self, search: &mut Search<'_>, lowest: &mut Lowest, caller: &mut dyn Caller) -> Result<Ended> {
        let few = SERIAL / search.rows() as u64;
        let mut pool = None;
        loop {
            let is_serial = search.boxes < few;
            if !is_serial && pool.is_none() {
                pool = tree::pool(self.threads)?;
            }
            let mut stopped = None;
            let upper_bound = lowest.best.loss;
            let mut goes_on = |standing: &Standing<'_>| {
                let Standing { lower_bound, open, boxes, batch } = *standing;
                // a stop is final: the whole search asks again after it has ended a search in some of the rows
                if stopped.is_none() {
                    stopped = caller.goes_on(&Progress { lower_bound, upper_bound, open, boxes, batch }).break_value();
                }
                stopped.is_none()
            };
            let pause = match &pool {
                Some(pool) => pool.install(|| search.run(u64::MAX, &mut goes_on)),
                None => search.run(if is_serial { few } else { u64::MAX }, &mut goes_on),
            };
            match pause {
                Pause::Better(point) => self.follow(&point, search, lowest, caller)?,
                Pause::Counted => {}
                Pause::Stopped => return Ok(stopped.unwrap_or(Ended::Regions)),
                Pause::Complete if !search.is_complete() => return Ok(Ended::Rounding),
                Pause::Complete if lowest.best.loss > lowest.at_infinity => return Ok(Ended::AtInfinity),
                Pause::Complete => return Ok(Ended::Complete),
            }
        }
    }

    /// Fits again from a lower point, and goes on below the end of that fit.
    fn follow(
        &self,
        point: &Vector,
        search: &mut Search<'_>,
        lowest: &mut Lowest,
        caller: &mut dyn Caller,
    ) -> Result<()> {
        let landscape = search.landscape();
        let mut examiner = Examiner::new(landscape);
        let (here, start) = (examiner.at(point), landscape.theta(point, &lowest.theta));
        let end = match caller.improve(start.clone())? {
            End::Minimum(end) => end,
            End::Infinity(limit) => {
                // what is left to find is lower than that
                lowest.at_infinity = limit.min(here.loss);
                search.improve(lowest.best, lowest.best.most() - lowest.at_infinity + self.margin(lowest.at_infinity));
                return Ok(());
            }
        };
        lowest.improved_from = lowest.improved_from.or(Some(lowest.best.loss));
        let there = examiner.at(&landscape.point(self.oracle.facts(), &end));
        // a fit that was interrupted, or went to infinity, may end above its start
        (lowest.best, lowest.theta) = if there.loss <= here.loss { (there, end) } else { (here, start) };
        search.improve(lowest.best, self.margin(lowest.best.loss));
        Ok(())
    }

    fn result(&self, search: &Search<'_>, lowest: &Lowest, ended: Ended, begun: Instant) -> Proof {
        let complete = search.is_complete() && lowest.best.loss <= lowest.at_infinity;
        let lower_bound = if complete { search.lower_bound() } else { search.bound_everywhere() };
        let gap = (lowest.best.most() - lower_bound) / self.unit(lowest.best.loss);
        let has_free_response = !search.landscape().response.free.is_empty();
        Proof {
            complete,
            ended,
            lower_bound,
            // the quotient may be off by a rounding
            gap: if complete { gap.min(self.gap) } else { gap },
            tolerance: self.gap,
            radius: search.radius().filter(|_| complete),
            asymptotes_within: has_free_response.then(|| asymptotes_within(self.oracle.facts())),
            boxes: search.boxes,
            seconds: begun.elapsed().as_secs_f64(),
            improved_from: lowest.improved_from,
        }
    }
}
