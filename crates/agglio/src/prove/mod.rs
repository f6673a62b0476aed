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
mod landscape;
mod region;
mod search;
mod small;
mod sums;

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use crate::activation::Activation;
use crate::error::Result;
use crate::oracle::Oracle;
use bound::Examiner;
use landscape::{Landscape, asymptotes_within};
use search::{Pause, Search};

/// A loss is compared with at least this share of that of the model without covariates.
const LEAST_LOSS: f64 = 1e-10;

/// The result of a search for a lower minimum.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Proof {
    /// Whether the search has covered all points within `radius`: none of them has a loss below `lower_bound`.
    pub complete: bool,
    /// No point within `radius` has a lower loss, penalty included.
    pub lower_bound: f64,
    /// The loss less the bound, divided by the loss, or by 1e-10 of the loss of the model without covariates if that is
    /// larger.
    pub gap: f64,
    /// The root mean square of the linear predictors xᵀw + b up to which all points were covered; none if all were.
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

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// No point has a lower loss.
    pub lower_bound: f64,
    /// The loss of the best point so far.
    pub upper_bound: f64,
    /// Number of open regions.
    pub open: usize,
    /// Number of regions that were examined.
    pub boxes: u64,
}

/// Why a fit cannot be proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unprovable {
    /// The activation does not tell where it is monotone.
    UnknownShape,
    /// Columns are collinear, so that no minimum is the only one.
    NotIdentified,
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
            Unprovable::TooManyParameters => "a search of more than 12 parameters has no end",
            Unprovable::UnboundedScale => "the free scale of an unbounded activation has no bounds to search within",
        })
    }
}

/// What a search asks of its caller.
pub(crate) trait Caller {
    /// The end of a fit from a point with a lower loss.
    fn improve(&mut self, start: Vec<f64>) -> Result<Vec<f64>>;

    /// Whether to go on.
    fn goes_on(&mut self, progress: &Progress) -> bool;
}

/// Searches for a point whose loss is below that at θ, by more than the gap.
///
/// # Errors
/// If rows are lost.
pub(crate) fn prove(
    oracle: &dyn Oracle,
    activation: &Arc<dyn Activation>,
    theta: &[f64],
    gap: f64,
    caller: &mut dyn Caller,
) -> Result<std::result::Result<(Proof, Vec<f64>), Unprovable>> {
    let begun = Instant::now();
    let facts = oracle.facts();
    let landscape = match Landscape::of(oracle, activation)? {
        Ok(landscape) => landscape,
        Err(why) => return Ok(Err(why)),
    };
    let (mut theta, mut improved_from) = (theta.to_vec(), None);
    let mut examiner = Examiner::new(&landscape);
    let mut best = examiner.at(&landscape.point(facts, &theta));
    let unit = |loss: f64| loss.max(LEAST_LOSS * facts.baseline.loss);
    let mut search = Search::new(&landscape, best, gap * unit(best.loss));
    let mut complete = false;
    loop {
        let pause = search.run(|search| {
            let (lower_bound, open, boxes) = (search.lower_bound(), search.open(), search.boxes);
            caller.goes_on(&Progress { lower_bound, upper_bound: best.loss, open, boxes })
        });
        match pause {
            Pause::Better(point) => {
                let first = examiner.at(&point);
                let end = caller.improve(landscape.theta(&point, &theta))?;
                let refined = examiner.at(&landscape.point(facts, &end));
                improved_from = improved_from.or(Some(best.loss));
                // the point itself is below the cut, if the fit from there is not
                if refined.loss <= first.loss {
                    (best, theta) = (refined, end);
                } else {
                    (best, theta) = (first, landscape.theta(&point, &theta));
                }
                search.improve(best, gap * unit(best.loss));
            }
            Pause::Complete => {
                complete = true;
                break;
            }
            Pause::Stopped => break,
        }
    }
    let lower_bound = search.lower_bound();
    let proof = Proof {
        complete: search.is_complete(),
        lower_bound,
        gap: (best.loss - lower_bound) / unit(best.loss),
        radius: search.radius(),
        asymptotes_within: (!landscape.response.free.is_empty()).then(|| asymptotes_within(facts)),
        boxes: search.boxes,
        seconds: begun.elapsed().as_secs_f64(),
        improved_from,
    };
    let _ = complete;
    Ok(Ok((proof, theta)))
}

/// Trial.
#[doc(hidden)]
pub fn trial(fitted: &crate::Fitted, phi: &Arc<dyn Activation>, gap: f64, boxes: u64) -> Result<String> {
    struct Limit(u64, Vec<f64>);
    impl Caller for Limit {
        fn improve(&mut self, start: Vec<f64>) -> Result<Vec<f64>> {
            Ok(start)
        }
        fn goes_on(&mut self, progress: &Progress) -> bool {
            progress.boxes < self.0
        }
    }
    Ok(format!("{:?}", prove(fitted.oracle(), phi, &fitted.outcome().theta, gap, &mut Limit(boxes, vec![]))?))
}
