//! A *scan* evaluates the loss at many scales and thresholds along one direction. It helps if the direction of the linear
//! stage is right, but its length or intercept is not, because of labels at the bounds or few labels of one kind.
//!
//! With few coefficients, the scan uses directions that are spread over all possible ones.

use std::borrow::Cow;
use std::f64::consts::PI;

use crate::error::Result;
use crate::math::rng::{Random, Stream};
use crate::oracle::{Ask, Batch, Oracle, Projection, Query};
use crate::race::starts::linear::LinearStage;
use crate::solver::preset::SAMPLE_KEY;

/// Number of rows in a scan of one direction, and in a scan of many.
pub(in crate::race) const ROWS: usize = 2000;
const ROWS_EVERYWHERE: usize = 60;
/// Root mean squares of the linear predictors.
const SCALES: [f64; 10] = [0.3, 0.6, 1.2, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0];
/// Shares of the rows below the threshold, at which z = 0.
const SHARES: [f64; 15] = [0.0, 0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97, 0.99, 1.0];
/// Up to this number of coefficients, directions are spread over all possible ones.
const FEW: usize = 3;
/// Directions for two of them, and for more.
const ANGLES: u32 = 12;
const DIRECTIONS: usize = 18;
/// Ratio of scales along one direction up to which two points are in the same valley.
const VALLEY: f64 = 3.4;
/// Points that a scan of one direction returns at most, and one of many.
const MOST: usize = 2;
const MOST_EVERYWHERE: usize = 3;

/// A point of the scan: its loss, the index of its direction, the scale and the intercept.
#[derive(Clone, Copy)]
struct Place {
    loss: f64,
    direction: usize,
    scale: f64,
    intercept: f64,
}

/// The lowest points of a scan, lowest first: along the direction of the linear stage, or everywhere.
pub(in crate::race) fn starts(oracle: &dyn Oracle, stage: &LinearStage) -> Result<Vec<Vec<f64>>> {
    if is_everywhere(oracle) {
        return scan_along(oracle, &spread(oracle), ROWS_EVERYWHERE, MOST_EVERYWHERE);
    }
    let mut direction = stage.widest(oracle)?;
    oracle.facts().layout.set_intercept(&mut direction, 0.0);
    scan_along(oracle, &[direction], ROWS, MOST)
}

/// Whether the scan covers nearly all directions.
pub(in crate::race) fn is_everywhere(oracle: &dyn Oracle) -> bool {
    oracle.facts().layout.coefficients <= FEW
}

/// The lowest points along these directions, at most `most`, no two of the same sign and neighbouring scales.
fn scan_along(oracle: &dyn Oracle, directions: &[Vec<f64>], rows: usize, most: usize) -> Result<Vec<Vec<f64>>> {
    let projection = project(oracle, &vec![0.0; oracle.dim()], directions, sample(oracle, rows))?;
    let layout = oracle.facts().layout;
    let mut places: Vec<Place> =
        (0..directions.len()).flat_map(|line| along(&projection, line, layout.intercept)).collect();
    places.sort_by(|a, b| a.loss.total_cmp(&b.loss));
    let mut kept: Vec<Place> = Vec::new();
    for place in places {
        let near = |other: &Place| {
            let ratio = place.scale / other.scale;
            place.direction == other.direction && (1.0 / VALLEY..VALLEY).contains(&ratio)
        };
        if kept.len() < most && !kept.iter().any(near) {
            kept.push(place);
        }
    }
    let point = |place: Place| {
        let mut theta: Vec<f64> = directions[place.direction].iter().map(|w| place.scale * w).collect();
        layout.set_intercept(&mut theta, place.intercept);
        theta
    };
    Ok(kept.into_iter().map(point).collect())
}

/// The linear predictors of these rows at `theta`, and along each of these directions.
pub(in crate::race) fn project(
    oracle: &dyn Oracle,
    theta: &[f64],
    directions: &[Vec<f64>],
    batch: Batch,
) -> Result<Projection> {
    let ask = Ask::Projection { theta: Cow::Borrowed(theta), directions: Cow::Borrowed(directions), limits: false };
    oracle.ask(&Query::new(batch, ask))?.projection()
}

/// This number of rows, or all if there are fewer.
pub(in crate::race) fn sample(oracle: &dyn Oracle, len: usize) -> Batch {
    match oracle.rows() > len {
        true => Batch::Part { key: SAMPLE_KEY, start: 0, len },
        false => Batch::All,
    }
}

/// Directions of few coefficients: evenly over half of the circle for two, random for more.
fn spread(oracle: &dyn Oracle) -> Vec<Vec<f64>> {
    let d = oracle.facts().layout.coefficients;
    let mut random = Random::new(SAMPLE_KEY, Stream::Start);
    let angle = |k: u32| PI * f64::from(k) / f64::from(ANGLES);
    let mut directions: Vec<Vec<f64>> = match d {
        1 => vec![vec![1.0]],
        2 => (0..ANGLES).map(angle).map(|angle| vec![angle.cos(), angle.sin()]).collect(),
        _ => (0..DIRECTIONS).map(|_| (0..d).map(|_| random.normal()).collect()).collect(),
    };
    directions.iter_mut().for_each(|w| w.resize(oracle.dim(), 0.0));
    directions
}

/// The lowest point of each scale along a direction and its opposite.
fn along(projection: &Projection, line: usize, intercept: bool) -> Vec<Place> {
    let mut sorted = projection.along(line).to_vec();
    sorted.sort_by(f64::total_cmp);
    let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
    let centre = if intercept { mean } else { 0.0 };
    let size = (sorted.iter().map(|z| (z - centre).powi(2)).sum::<f64>() / sorted.len() as f64).sqrt();
    if !(size > 0.0 && size.is_finite()) {
        return Vec::new();
    }
    let thresholds: Vec<f64> = if intercept { thresholds(&sorted) } else { vec![0.0] };
    let scales = SCALES.iter().flat_map(|scale| [scale / size, -scale / size]);
    scales.map(|scale| lowest(projection, line, scale, &thresholds)).collect()
}

/// The lowest point at this scale.
fn lowest(projection: &Projection, direction: usize, scale: f64, thresholds: &[f64]) -> Place {
    let at = |threshold: &f64| {
        let intercept = -scale * threshold;
        Place { loss: projection.loss(direction, scale, intercept), direction, scale, intercept }
    };
    let places = thresholds.iter().map(at);
    let nowhere = Place { loss: f64::INFINITY, direction, scale, intercept: 0.0 };
    places.min_by(|a, b| a.loss.total_cmp(&b.loss)).unwrap_or(nowhere)
}

/// Predictors that divide the rows by the shares; those at the ends lie beyond all rows but one.
fn thresholds(sorted: &[f64]) -> Vec<f64> {
    let last = sorted.len() - 1;
    let between = |share: f64| {
        let k = ((share * last as f64).round() as usize).clamp(1, last.max(1));
        0.5 * (sorted[k - 1] + sorted[k.min(last)])
    };
    SHARES.iter().map(|&share| between(share)).collect()
}
