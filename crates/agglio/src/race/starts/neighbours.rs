//! *Neighbours* of a minimum: further valleys of the loss on lines through it, along the eigenvectors of its Hessian.
//!
//! A restart gives up all of a minimum, but a neighbour differs from it in one direction only. The eigenvectors are relative
//! to the curvature at τ = 0, so that they do not depend on the units of the columns.

use crate::error::Result;
use crate::fit::Outcome;
use crate::oracle::{Batch, Hessian, Oracle, Projection, Query, Want};
use crate::race::starts::linear::LinearStage;
use crate::race::starts::scan::{ROWS, project, sample};

/// Number of steps to each side of the minimum, and the root mean square change of the linear predictors by the shortest and
/// the longest step.
const STEPS: i32 = 24;
const SHORTEST: f64 = 0.1;
const LONGEST: f64 = 60.0;
/// Maximum number of directions, those of the lowest curvature first.
const MOST_LINES: usize = 20;

/// The lowest point of a valley: its loss, the index of its line, and the step along it.
#[derive(Clone, Copy)]
struct Valley {
    loss: f64,
    line: usize,
    step: f64,
}

/// The lowest points of further valleys, at most `most`, lowest first.
pub(in crate::race) fn neighbours(
    oracle: &dyn Oracle,
    best: &Outcome,
    stage: &LinearStage,
    most: usize,
) -> Result<Vec<Vec<f64>>> {
    let Some(directions) = directions(oracle, best, stage)? else { return Ok(Vec::new()) };
    let projection = project(oracle, &best.theta, &directions, sample(oracle, ROWS))?;
    let mut valleys: Vec<Valley> = (0..directions.len()).flat_map(|line| valleys(&projection, line)).collect();
    valleys.sort_by(|a, b| a.loss.total_cmp(&b.loss));
    valleys.truncate(most);
    let point = |valley: Valley| {
        best.theta.iter().zip(&directions[valley.line]).map(|(theta, v)| theta + valley.step * v).collect()
    };
    Ok(valleys.into_iter().map(point).collect())
}

/// The eigenvectors of the Hessian in units of the curvature at τ = 0.
fn directions(oracle: &dyn Oracle, best: &Outcome, stage: &LinearStage) -> Result<Option<Vec<Vec<f64>>>> {
    let query = Query::at(&best.theta, best.tau, Batch::All, Want::Curvature(Hessian::Full));
    let hessian = oracle.ask(&query)?.model()?.into_matrix();
    let eigen = hessian.zip(stage.curvature()).and_then(|(hessian, own)| hessian.eigen_beside(own));
    Ok(eigen.map(|eigen| eigen.vectors.into_iter().take(MOST_LINES).collect()))
}

/// The valleys on a line besides the one that the minimum is in.
fn valleys(projection: &Projection, line: usize) -> Vec<Valley> {
    let along = projection.along(line);
    let size = (along.iter().map(|z| z * z).sum::<f64>() / along.len() as f64).sqrt();
    if !(size > 0.0 && size.is_finite()) {
        return Vec::new();
    }
    let ratio = (LONGEST / SHORTEST).powf(1.0 / f64::from(STEPS - 1));
    let on_side = |side: f64| {
        let steps = (0..STEPS).map(|k| side * SHORTEST * ratio.powi(k) / size);
        let points: Vec<Valley> =
            steps.map(|step| Valley { loss: projection.loss(line, step, 0.0), line, step }).collect();
        let lowest = |near: &&[Valley]| near[1].loss <= near[0].loss && near[1].loss <= near[2].loss;
        points.windows(3).filter(lowest).map(|near| near[1]).collect::<Vec<Valley>>()
    };
    [1.0, -1.0].into_iter().flat_map(on_side).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::activation::named;
    use crate::oracle::{MARGINS, Problem};
    use crate::rows::{Dense, Scaling};

    /// The second row holds w below zero; beyond the hill that it makes, the first row has its way at σ(w) = 0.95.
    #[test]
    fn a_valley_across_a_hill_is_found() {
        let phi = named("sigmoid").unwrap();
        let (x, y) = ([1.0, 10.0], vec![0.95, 0.0]);
        let rows = Dense::new(x.to_vec(), 1, y).unwrap();
        let problem = Problem { scaling: Scaling::None, intercept: false, ..Problem::new(phi) };
        let oracle = Problem { margins: MARGINS.to_vec(), ..problem }.on(&rows).unwrap();
        let stage = LinearStage::of(&oracle, Batch::All, None).unwrap();
        let theta = vec![-0.200687];
        let model = oracle.ask(&Query::at(&theta, 1.0, Batch::All, Want::Stationarity)).unwrap().model().unwrap();
        let best = Outcome {
            theta,
            tau: 1.0,
            reason: crate::outcome::StopReason::Gradient,
            steps: 1,
            first_loss: model.loss,
            model,
            multiplier: 0.0,
            matching_gradient: None,
        };
        let found = neighbours(&oracle, &best, &stage, 3).unwrap();
        assert!(found.len() == 1 && (2.0..4.0).contains(&found[0][0]), "{found:?}");
    }

    /// Losses on a line are those of the points on it.
    #[test]
    fn a_projection_has_the_losses_of_its_points() {
        let phi = named("softplus").unwrap();
        let x: Vec<f64> = (0..3000).map(|k| f64::from(k * 7919 % 101) / 50.0 - 1.0).collect();
        let y = (0..1500).map(|k| f64::from(k % 7) / 7.0).collect();
        let offsets = (0..1500).map(|k| f64::from(k % 5) / 5.0).collect();
        let rows = Dense::new(x, 2, y).unwrap().with_offsets(offsets).unwrap();
        let oracle = Problem::new(phi).on(&rows).unwrap();
        let (theta, directions) = (vec![0.3, -0.2, 0.1], [vec![1.0, 0.5, 0.0], vec![0.0, -1.0, 2.0]]);
        let projection = project(&oracle, &theta, &directions, Batch::All).unwrap();
        for (line, direction) in directions.iter().enumerate() {
            for step in [-3.0, 0.0, 0.7] {
                let point: Vec<f64> = theta.iter().zip(direction).map(|(theta, v)| theta + step * v).collect();
                let loss = oracle.losses(&[point], 1.0, Batch::All).unwrap()[0] * 1500.0;
                assert!((projection.loss(line, step, 0.0) - loss).abs() <= 1e-12 * loss, "line {line}, step {step}");
            }
        }
    }
}
