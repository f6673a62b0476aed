//! *Neighbours* of a minimum: further valleys of the loss along lines through it, in the directions in which its Hessian
//! differs most from the curvature of the linear stage.

use crate::fit::Outcome;
use crate::oracle::{Fold, Hessian, Oracle, Projection, Query, Want};
use crate::rows::Batch;
use crate::strategy::linear::Line;
use crate::strategy::scan::{ROWS, sample};

/// Steps to each side of the minimum, in units in which predictors change by one in the mean square.
const STEPS: usize = 24;
const SHORTEST: f64 = 0.1;
const LONGEST: f64 = 60.0;
/// Directions that are looked into, of the lowest curvature first.
const MOST_LINES: usize = 20;

/// The lowest points of further valleys, lowest first.
pub(super) fn neighbours(oracle: &Fold<'_>, best: &Outcome, line: &Line, most: usize) -> Vec<Vec<f64>> {
    let Some(directions) = directions(oracle, best, line) else { return Vec::new() };
    let projection = oracle.project(&best.theta, &directions, sample(oracle, ROWS));
    let mut places: Vec<(f64, usize, f64)> =
        (0..directions.len()).flat_map(|index| valleys(&projection, index)).collect();
    places.sort_by(|a, b| a.0.total_cmp(&b.0));
    places.truncate(most);
    let point = |(_, index, step): (f64, usize, f64)| {
        best.theta.iter().zip(&directions[index]).map(|(theta, v)| theta + step * v).collect()
    };
    places.into_iter().map(point).collect()
}

/// The eigenvectors of the Hessian in units of the curvature at τ = 0.
fn directions(oracle: &Fold<'_>, best: &Outcome, line: &Line) -> Option<Vec<Vec<f64>>> {
    let query = Query::new(&best.theta, best.tau, Batch::All, Want::Curvature(Hessian::Full));
    let hessian = oracle.ask(&query).curvature?;
    let mut directions = hessian.eigen_beside(line.curvature.as_ref()?)?.vectors;
    directions.truncate(MOST_LINES);
    Some(directions)
}

/// The local minima along a line other than the one at hand: loss, line and step.
fn valleys(projection: &Projection<'_>, line: usize) -> Vec<(f64, usize, f64)> {
    let along = projection.along(line);
    let size = (along.iter().map(|z| z * z).sum::<f64>() / along.len() as f64).sqrt();
    if !(size > 0.0 && size.is_finite()) {
        return Vec::new();
    }
    let ratio = (LONGEST / SHORTEST).powf(1.0 / (STEPS - 1) as f64);
    let mut found = Vec::new();
    for side in [1.0, -1.0] {
        let steps: Vec<f64> = (0..STEPS).map(|k| side * SHORTEST * ratio.powi(k as i32) / size).collect();
        let losses: Vec<f64> = steps.iter().map(|step| projection.loss(line, *step, 0.0)).collect();
        let inner = (1..STEPS - 1).filter(|&k| losses[k] <= losses[k - 1] && losses[k] <= losses[k + 1]);
        found.extend(inner.map(|k| (losses[k], line, steps[k])));
    }
    found
}
