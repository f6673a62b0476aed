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
use std::sync::Arc;
use std::time::Instant;

use crate::activation::Activation;
use crate::error::Result;
use crate::math::tree;
use crate::oracle::Oracle;
use examined::Batch;
pub use examined::{Examined, Exclusion};
use examiner::Examiner;
use landscape::Landscape;
use response::asymptotes_within;
use search::{Pause, Search, Standing};

/// A loss is compared with at least this share of that of the model without covariates.
const LEAST_LOSS: f64 = 1e-10;
/// A search is not begun if rounding of the penalty may be more than this share of the gap.
const IMPRECISE: f64 = 0.1;
/// Up to this number of evaluations of a row in a region, the threads would take longer to start than to work.
const SERIAL: u64 = 2_000_000;

/// The result of a search for a lower minimum.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Proof {
    /// Whether the gap is as small as it was asked for, for all minima within `radius`.
    pub complete: bool,
    /// No point has a lower loss, penalty included; if the proof is complete within a radius, no minimum there.
    pub lower_bound: f64,
    /// The loss less the bound, divided by the loss, or by 1e-10 of the loss of the model without covariates if that is
    /// larger.
    pub gap: f64,
    /// The gap that was asked for.
    pub tolerance: f64,
    /// The root mean square of the linear predictors xᵀw + b up to which all points were covered; none if all were.
    pub radius: Option<f64>,
    /// The interval in which free asymptotes were searched for.
    pub asymptotes_within: Option<[f64; 2]>,
    /// Number of regions that were examined.
    pub boxes: u64,
    /// Wall time of the search.
    pub seconds: f64,
    /// Whether an observer or an interrupt ended the search.
    pub interrupted: bool,
    /// The loss of the fit before the search, if the search has found a lower minimum.
    pub improved_from: Option<f64>,
}

impl Proof {
    /// The proof of a convex loss: every minimum is the lowest. `left` is what a Newton step would still gain, relative to the
    /// loss; none at a point that is no certified minimum.
    pub(crate) fn of_convex(loss: f64, left: Option<f64>, tolerance: f64) -> Proof {
        let gap = left.unwrap_or(1.0);
        Proof {
            complete: gap <= tolerance,
            lower_bound: loss * (1.0 - gap),
            gap,
            tolerance,
            radius: None,
            asymptotes_within: None,
            boxes: 0,
            seconds: 0.0,
            interrupted: false,
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
    /// The penalty is the difference of much larger numbers in the coordinates of the search.
    Imprecise,
    /// More parameters than can be searched.
    TooManyParameters,
    /// The scale of an unbounded activation is free.
    UnboundedScale,
}

impl fmt::Display for Unprovable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Unprovable::UnknownShape => "the activation does not tell where it is monotone (`shape`)",
            Unprovable::NotIdentified => "columns are collinear, so that no minimum is the only one",
            Unprovable::Imprecise => "rounding of the penalty is larger than the gap: rescale the columns",
            Unprovable::TooManyParameters => "at most 12 parameters can be searched",
            Unprovable::UnboundedScale => "the free scale of an unbounded activation has no bounds to search within",
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

    /// Whether to go on.
    fn goes_on(&mut self, progress: &Progress<'_>) -> bool;
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
        let landscape = match Landscape::of(self.oracle, self.activation)? {
            Ok(landscape) => landscape,
            Err(why) => return Ok(Err(why)),
        };
        let unit = |loss: f64| loss.max(LEAST_LOSS * facts.baseline.loss);
        let (mut theta, mut improved_from) = (self.theta.to_vec(), None);
        let hessian = Examiner::new(&landscape).half_hessian(&landscape.point(facts, &theta));
        let landscape = landscape.along(&hessian, facts);
        let mut examiner = Examiner::new(&landscape);
        let mut best = examiner.at(&landscape.point(facts, &theta));
        if examiner.penalty_error(&best.point) > IMPRECISE * self.gap * unit(best.loss) {
            return Ok(Err(Unprovable::Imprecise));
        }
        let mut search = Search::new(&landscape, best, self.gap * unit(best.loss));
        let (mut pool, mut at_infinity) = (None, f64::INFINITY);
        let few = SERIAL / landscape.rows() as u64;
        loop {
            let is_serial = search.boxes < few;
            if !is_serial && pool.is_none() {
                pool = tree::pool(self.threads)?;
            }
            let mut go_on = |standing: &Standing<'_>| {
                let Standing { lower_bound, open, boxes, batch } = *standing;
                caller.goes_on(&Progress { lower_bound, upper_bound: best.loss, open, boxes, batch })
            };
            let pause = match &pool {
                Some(pool) => pool.install(|| search.run(u64::MAX, &mut go_on)),
                None => search.run(if is_serial { few } else { u64::MAX }, &mut go_on),
            };
            let point = match pause {
                Pause::Better(point) => point,
                Pause::Counted => continue,
                Pause::Complete | Pause::Stopped => break,
            };
            let (here, start) = (examiner.at(&point), landscape.theta(&point, &theta));
            let end = match caller.improve(start.clone())? {
                End::Minimum(end) => end,
                End::Infinity(limit) => {
                    // what is left to find is lower than that
                    at_infinity = limit.min(here.loss);
                    search.improve(best, best.loss - at_infinity + self.gap * unit(at_infinity));
                    continue;
                }
            };
            improved_from = improved_from.or(Some(best.loss));
            let there = examiner.at(&landscape.point(facts, &end));
            // a fit that was interrupted, or went to infinity, may end above its start
            (best, theta) = if there.loss <= here.loss { (there, end) } else { (here, start) };
            search.improve(best, self.gap * unit(best.loss));
        }
        let complete = search.is_complete() && best.loss <= at_infinity;
        let lower_bound = if complete { search.lower_bound() } else { search.bound_everywhere() };
        let proof = Proof {
            complete,
            lower_bound,
            gap: (best.loss - lower_bound) / unit(best.loss),
            tolerance: self.gap,
            radius: search.radius(),
            asymptotes_within: (!landscape.response.free.is_empty()).then(|| asymptotes_within(facts)),
            boxes: search.boxes,
            seconds: begun.elapsed().as_secs_f64(),
            interrupted: false,
            improved_from,
        };
        Ok(Ok((proof, theta)))
    }
}
