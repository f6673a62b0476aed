//! A *ray* is a half-line from the end point of a fit. If the loss does not rise along it, the optimum is at infinity.

use crate::error::Result;
use crate::fit::Outcome;
use crate::math::linalg::{Symmetric, dot, norm};
use crate::oracle::{Batch, Oracle};

/// Exponents k of the points 2ᵏ·θ, in groups that are evaluated together.
const ALL_DOUBLINGS: [&[i32]; 4] = [&[1], &[2, 3, 4], &[5, 6, 7, 8, 9, 10], &[11, 12, 13, 14, 15, 16, 17, 18, 19, 20]];
/// The same for a first look.
const SOME_DOUBLINGS: [&[i32]; 2] = [&[1], &[4, 20]];
/// The same along a direction of little curvature, which is known only to some digits.
const FIRST_DOUBLINGS: [&[i32]; 2] = [&[1, 2, 3], &[4, 5, 6]];
/// Exponents k of the points 2⁻ᵏ·θ, which are evaluated together.
const ALL_HALVINGS: &[i32] = &[1, 2, 3, 4, 5, 6, 7, 8];
/// The same for a first look.
const SOME_HALVINGS: &[i32] = &[1, 4];

/// A relative rise of the loss below this is a rounding error of its sum.
const LOSS_ROUNDING: f64 = 1e-13;

/// A rise of a convex loss below this share of the rise that the curvature at θ predicts does not come from a minimum: the
/// curvature vanishes on the way.
const CONVEX_RISE: f64 = 1e-3;

/// The behaviour of the loss on the way to infinity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Far {
    /// It rises, so the optimum is finite.
    Rises,
    /// It never rises above the loss at θ, and has this value at the farthest point.
    Falls(f64),
    /// It never rises, but it is lower at smaller coefficients: θ is on a plateau.
    FallsInwards,
}

/// Evaluates the loss at 2ᵏ·θ for k = 1, …, 20, where every linear predictor keeps its sign and grows. If the loss does not
/// rise, it is also evaluated at 2⁻ᵏ·θ.
pub(super) fn along_theta(oracle: &dyn Oracle, outcome: &Outcome) -> Result<Far> {
    look(oracle, outcome, Batch::All, &ALL_DOUBLINGS, ALL_HALVINGS)
}

/// The same at a few of these points, over the rows that the outcome was fitted to.
pub(crate) fn glance_along_theta(oracle: &dyn Oracle, outcome: &Outcome, rows: Batch) -> Result<Far> {
    look(oracle, outcome, rows, &SOME_DOUBLINGS, SOME_HALVINGS)
}

fn look(oracle: &dyn Oracle, outcome: &Outcome, rows: Batch, outwards: &[&[i32]], inwards: &[i32]) -> Result<Far> {
    let ray = predictor_part(oracle, outcome.theta.clone());
    let Some(limit) = follow(oracle, outcome, &ray, rows, outwards, 0.0)? else { return Ok(Far::Rises) };
    let nearer = |k: &i32| point(&outcome.theta, &ray, 2_f64.powi(-k) - 1.0);
    let losses = oracle.losses(&inwards.iter().map(nearer).collect::<Vec<_>>(), outcome.tau, rows)?;
    let lower = losses.iter().any(|&loss| loss + slack(outcome) < outcome.model.loss);
    Ok(if lower { Far::FallsInwards } else { Far::Falls(limit) })
}

/// Whether the loss does not rise along ±v for one of these directions v, up to 64 times the norm of θ. With the Hessian of a
/// convex loss, a rise counts only in proportion to the curvature along v: directions are known to some digits only.
pub(crate) fn falls_along(
    oracle: &dyn Oracle,
    outcome: &Outcome,
    directions: &[Vec<f64>],
    convex: Option<&Symmetric>,
) -> Result<bool> {
    let length = norm(&outcome.theta);
    let signed = |v: &Vec<f64>| [length, -length].map(|length| point(&vec![0.0; v.len()], v, length / norm(v)));
    let directions: Vec<Vec<f64>> = directions.iter().map(|v| predictor_part(oracle, v.clone())).collect();
    let rays: Vec<Vec<f64>> = directions.iter().filter(|v| norm(v) > 0.0).flat_map(signed).collect();
    if rays.is_empty() {
        return Ok(false);
    }
    let first: Vec<Vec<f64>> = rays.iter().map(|v| point(&outcome.theta, v, 1.0)).collect();
    let losses = oracle.losses(&first, outcome.tau, Batch::All)?;
    let rise = |v: &[f64]| convex.map_or(0.0, |hessian| CONVEX_RISE * 0.5 * dot(&hessian.times(v), v).abs());
    let open = |v: &[f64], loss: f64| loss <= outcome.model.loss + slack(outcome) + rise(v);
    for (v, _) in rays.iter().zip(losses).filter(|(v, loss)| open(v, *loss)) {
        if follow(oracle, outcome, v, Batch::All, &FIRST_DOUBLINGS, rise(v))?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The loss at the last of the points θ + s·v, s = 2ᵏ − 1; none if it rises before, by more than `rise`·s².
fn follow(
    oracle: &dyn Oracle,
    outcome: &Outcome,
    v: &[f64],
    rows: Batch,
    groups: &[&[i32]],
    rise: f64,
) -> Result<Option<f64>> {
    let step = |k: i32| 2_f64.powi(k) - 1.0;
    let bound = |k: i32| outcome.model.loss + slack(outcome) + rise * step(k) * step(k);
    if v.iter().all(|&v| v == 0.0) {
        return Ok(None);
    }
    let mut last = outcome.model.loss;
    for group in groups {
        let points: Vec<Vec<f64>> = group.iter().map(|&k| point(&outcome.theta, v, step(k))).collect();
        let losses = oracle.losses(&points, outcome.tau, rows)?;
        // a loss of NaN counts as a rise
        if oracle.is_interrupted() || !losses.iter().zip(*group).all(|(&loss, &k)| loss <= bound(k)) {
            return Ok(None);
        }
        last = losses.last().copied().unwrap_or(last);
        // every row is saturated, so the loss no longer changes
        if losses.len() > 2 && losses.windows(2).all(|pair| pair[0] == pair[1]) {
            break;
        }
    }
    Ok(Some(last))
}

/// The part of a direction that changes linear predictors. The best response scale for them belongs to every loss.
fn predictor_part(oracle: &dyn Oracle, mut v: Vec<f64>) -> Vec<f64> {
    v.iter_mut().skip(oracle.predictor_dim()).for_each(|v| *v = 0.0);
    v
}

fn slack(outcome: &Outcome) -> f64 {
    LOSS_ROUNDING * outcome.model.loss + outcome.model.rounding()
}

fn point(theta: &[f64], v: &[f64], step: f64) -> Vec<f64> {
    theta.iter().zip(v).map(|(theta, v)| theta + step * v).collect()
}
