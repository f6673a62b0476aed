//! A *scan* of scales and thresholds along one direction: where the direction of the linear stage is right, but labels at
//! the bounds, or few of one kind, have led its length or its intercept astray.

use crate::oracle::{Fold, Oracle, Projection};
use crate::rows::Batch;
use crate::solver::preset::SAMPLE_KEY;

/// Rows that a scan looks at.
const ROWS: usize = 2000;
/// Root mean squares of the predictors that are tried.
const SCALES: [f64; 10] = [0.3, 0.6, 1.2, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0];
/// Shares of the rows that are below the threshold, where z = 0.
const SHARES: [f64; 15] = [0.0, 0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97, 0.99, 1.0];

/// The lowest points along `theta` and its opposite, at most `most`, lowest first, no two of the same sign and neighbouring
/// scales.
pub(super) fn scan(oracle: &Fold<'_>, theta: &[f64], most: usize) -> Vec<Vec<f64>> {
    let intercept = oracle.coordinates().intercept();
    let mut direction = theta.to_vec();
    direction[oracle.coefficients()..].fill(0.0);
    let batch = match oracle.rows() > ROWS {
        true => Batch::Part { key: SAMPLE_KEY, start: 0, len: ROWS },
        false => Batch::All,
    };
    let projection = oracle.project(&direction, batch);
    let sorted = projection.sorted();
    let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
    let centre = if intercept { mean } else { 0.0 };
    let size = (sorted.iter().map(|z| (z - centre).powi(2)).sum::<f64>() / sorted.len() as f64).sqrt();
    if !(size > 0.0 && size.is_finite()) {
        return Vec::new();
    }
    let thresholds: Vec<f64> = if intercept { thresholds(&sorted) } else { vec![0.0] };
    let scales = SCALES.iter().flat_map(|scale| [scale / size, -scale / size]);
    let mut points: Vec<(f64, f64, f64)> = scales.map(|scale| lowest(&projection, scale, &thresholds)).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut kept: Vec<(f64, f64, f64)> = Vec::new();
    for point in points {
        let apart = |other: &(f64, f64, f64)| {
            let ratio = point.1 / other.1;
            !(0.3..3.4).contains(&ratio)
        };
        if kept.len() < most && kept.iter().all(apart) {
            kept.push(point);
        }
    }
    let theta = |(_, scale, b): (f64, f64, f64)| {
        let mut theta: Vec<f64> = direction.iter().map(|w| scale * w).collect();
        theta[oracle.coefficients()..].fill(b);
        theta
    };
    kept.into_iter().map(theta).collect()
}

/// The lowest loss at this scale, with the scale and the intercept that it has.
fn lowest(projection: &Projection<'_>, scale: f64, thresholds: &[f64]) -> (f64, f64, f64) {
    let at = |threshold: &f64| (projection.loss(scale, -scale * threshold), scale, -scale * threshold);
    let losses = thresholds.iter().map(at);
    losses.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, scale, 0.0))
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
