//! A *ray* from the point that a fit reached: where the loss along it never rises, the optimum is at infinity.

use crate::error::Result;
use crate::fit::Outcome;
use crate::math::linalg::norm;
use crate::oracle::{Batch, Oracle};

/// Doublings of the distance that are tried together: all twenty, or a few of them for a first look.
const ALL: [&[i32]; 4] = [&[1], &[2, 3, 4], &[5, 6, 7, 8, 9, 10], &[11, 12, 13, 14, 15, 16, 17, 18, 19, 20]];
const FEW: [&[i32]; 2] = [&[1], &[4, 20]];
/// Along a direction of little curvature, which is known to some digits only.
const NEAR: [&[i32]; 2] = [&[1, 2, 3], &[4, 5, 6]];
/// Halvings of the distance that are tried together: all eight, or a few of them.
const ALL_INWARDS: &[i32] = &[1, 2, 3, 4, 5, 6, 7, 8];
const FEW_INWARDS: &[i32] = &[1, 4];

/// A rise of the loss by less than this share of it is rounding of its sum.
const ROUNDING: f64 = 1e-13;

/// What the loss does on the way to infinity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Far {
    /// It rises: the coefficients stay finite.
    Rises,
    /// It never rises above the loss at θ, and comes to this.
    Falls(f64),
    /// It never rises, but is lower nearer to zero: θ is on a plateau.
    FallsInwards,
}

/// Follows the loss from θ along the ray from zero through θ: to 2ᵏ·θ for k = 1, …, 20, where every predictor grows and
/// keeps its sign, and inwards where it does not rise.
pub(super) fn along_theta(oracle: &dyn Oracle, outcome: &Outcome) -> Result<Far> {
    look(oracle, outcome, Batch::All, &ALL, ALL_INWARDS)
}

/// The same at a few of these places, over the rows that the outcome was fitted to.
pub(crate) fn glance_along_theta(oracle: &dyn Oracle, outcome: &Outcome, rows: Batch) -> Result<Far> {
    look(oracle, outcome, rows, &FEW, FEW_INWARDS)
}

fn look(oracle: &dyn Oracle, outcome: &Outcome, rows: Batch, outwards: &[&[i32]], inwards: &[i32]) -> Result<Far> {
    let Some(limit) = follow(oracle, outcome, &outcome.theta, rows, outwards)? else { return Ok(Far::Rises) };
    let nearer = |k: &i32| point(&outcome.theta, &outcome.theta, 2_f64.powi(-k) - 1.0);
    let losses = oracle.losses(&inwards.iter().map(nearer).collect::<Vec<_>>(), outcome.tau, rows)?;
    let lower = losses.iter().any(|&loss| loss + slack(outcome) < outcome.model.loss);
    Ok(if lower { Far::FallsInwards } else { Far::Falls(limit) })
}

/// Whether the loss never rises along one of these directions, or against it, up to 64 times the size of θ.
pub(crate) fn falls_along(oracle: &dyn Oracle, outcome: &Outcome, directions: &[Vec<f64>]) -> Result<bool> {
    let length = norm(&outcome.theta);
    let signed = |v: &Vec<f64>| [length, -length].map(|length| point(&vec![0.0; v.len()], v, length / norm(v)));
    let rays: Vec<Vec<f64>> = directions.iter().filter(|v| norm(v) > 0.0).flat_map(signed).collect();
    if rays.is_empty() {
        return Ok(false);
    }
    let first: Vec<Vec<f64>> = rays.iter().map(|v| point(&outcome.theta, v, 1.0)).collect();
    let losses = oracle.losses(&first, outcome.tau, Batch::All)?;
    let open = |loss: f64| loss <= outcome.model.loss + slack(outcome);
    for (v, _) in rays.iter().zip(losses).filter(|(_, loss)| open(*loss)) {
        if follow(oracle, outcome, v, Batch::All, &NEAR)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The loss at the end of the ray θ + (2ᵏ − 1)·v; none as soon as it has risen.
fn follow(oracle: &dyn Oracle, outcome: &Outcome, v: &[f64], rows: Batch, groups: &[&[i32]]) -> Result<Option<f64>> {
    let bound = outcome.model.loss + slack(outcome);
    if v.iter().all(|&v| v == 0.0) {
        return Ok(None);
    }
    let mut last = outcome.model.loss;
    for group in groups {
        let points: Vec<Vec<f64>> = group.iter().map(|&k| point(&outcome.theta, v, 2_f64.powi(k) - 1.0)).collect();
        let losses = oracle.losses(&points, outcome.tau, rows)?;
        // also where it is no number
        if oracle.is_interrupted() || !losses.iter().all(|&loss| loss <= bound) {
            return Ok(None);
        }
        last = losses.last().copied().unwrap_or(last);
        // every row is saturated: nothing changes any more
        if losses.len() > 2 && losses.windows(2).all(|pair| pair[0] == pair[1]) {
            break;
        }
    }
    Ok(Some(last))
}

fn slack(outcome: &Outcome) -> f64 {
    ROUNDING * outcome.model.loss + outcome.model.rounding()
}

fn point(theta: &[f64], v: &[f64], step: f64) -> Vec<f64> {
    theta.iter().zip(v).map(|(theta, v)| theta + step * v).collect()
}
