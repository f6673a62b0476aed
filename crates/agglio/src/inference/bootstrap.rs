//! The *bootstrap*: the spread of refits to samples that are drawn from the data.

use std::borrow::Cow;

use rayon::prelude::*;

use crate::error::Result;
use crate::fit::{Outcome, Silent, Stop, fit};
use crate::inference::kind::Resampling;
use crate::inference::unavailable::{Available, Unavailable};
use crate::math::linalg::Symmetric;
use crate::math::rng::{Random, Stream, derive_key};
use crate::math::tree::in_pool;
use crate::oracle::{Batch, Oracle, OracleClient, Responses};
use crate::outcome::{Status, StopReason};
use crate::solver::direction::LevenbergMarquardt;
use crate::solver::estimator::Full;
use crate::solver::schedule::Adaptive;
use crate::solver::step::TrustRegion;
use crate::solver::{Keep, Method};

/// The relative gradient at which a refit ends, and its most steps. The standard error of a standard error is far larger.
const TOLERANCE: f64 = 1e-8;
const MOST_STEPS: usize = 200;

/// The covariance of θ over refits to samples, each of which begins at the fit.
pub(super) fn covariance(
    oracle: &dyn Oracle,
    outcome: &Outcome,
    (replicates, seed): (u32, u64),
    resampling: Resampling,
) -> Result<Available<Symmetric>> {
    let sampler = Sampler::new(outcome, seed, resampling);
    let refit = |index: u32| sampler.refit(oracle, index);
    // in the order of their numbers, whatever the number of threads
    let points: Vec<Option<Vec<f64>>> = match in_pool() {
        true => (0..replicates).into_par_iter().map(refit).collect::<Result<_>>()?,
        false => (0..replicates).map(refit).collect::<Result<_>>()?,
    };
    if oracle.is_interrupted() {
        return Ok(Err(Unavailable::Interrupted));
    }
    let points: Vec<Vec<f64>> = points.into_iter().flatten().collect();
    // refits that fail, because their rows do not identify the coefficients, would make the spread look small
    if points.len() < 2 || 10 * points.len() < 9 * replicates as usize {
        return Ok(Err(Unavailable::Resamples));
    }
    let count = points.len() as f64;
    let mean = |j: usize| points.iter().map(|point| point[j]).sum::<f64>() / count;
    let means: Vec<f64> = (0..oracle.dim()).map(mean).collect();
    let mut covariance = Symmetric::zero(oracle.dim());
    for point in &points {
        let away: Vec<f64> = point.iter().zip(&means).map(|(point, mean)| point - mean).collect();
        covariance.add_outer(1.0 / (count - 1.0), &away);
    }
    Ok(Ok(covariance))
}

/// Draws samples, and fits them again.
struct Sampler<'a> {
    outcome: &'a Outcome,
    key: u64,
    resampling: Resampling,
}

impl<'a> Sampler<'a> {
    fn new(outcome: &'a Outcome, seed: u64, resampling: Resampling) -> Sampler<'a> {
        let stream = match resampling {
            Resampling::Pairs => Stream::Resamples,
            Resampling::Wild => Stream::Signs,
        };
        Sampler { outcome, key: Random::new(seed, stream).bits(), resampling }
    }

    /// Where the refit to a sample ends; none if it does not converge, or after an interrupt.
    fn refit(&self, oracle: &dyn Oracle, index: u32) -> Result<Option<Vec<f64>>> {
        if oracle.is_interrupted() {
            return Ok(None);
        }
        let key = derive_key(self.key, u64::from(index));
        match self.resampling {
            Resampling::Pairs => refit(oracle, self.outcome, Batch::Resample { key }),
            Resampling::Wild => {
                let responses = Responses::Wild { key, theta: Cow::Borrowed(&self.outcome.theta) };
                let sample = OracleClient::new(oracle, oracle.labels()).answering_for(responses);
                refit(&sample, self.outcome, Batch::All)
            }
        }
    }
}

/// Where a refit ends; none if it does not converge.
fn refit(oracle: &dyn Oracle, outcome: &Outcome, rows: Batch) -> Result<Option<Vec<f64>>> {
    let method = Method {
        schedule: Box::new(Adaptive::new(outcome.tau, vec![rows]).staying()),
        estimator: Box::new(Full),
        direction: Box::new(LevenbergMarquardt::ending_in_full()),
        step: Box::new(TrustRegion::default()),
        ball: None,
        keep: Keep::Last,
    };
    let end = fit(oracle, method, outcome.theta.clone(), Stop::new(TOLERANCE, MOST_STEPS), &mut Silent)?;
    let converged = end.reason != StopReason::Plateau && Status::from(end.reason) == Status::Converged;
    Ok(converged.then_some(end.theta))
}
