//! Starts on *both sides* of the minimum of φ, for SiLU and GELU. A label near the minimum has two preimages: it says how
//! far z is from the argmin of φ, but not on which side.
//!
//! The linear stage takes the right side first. If the true z are on the left, or on both sides, a path from there can
//! end at a minimum that is a mirror image of the good one. So there are more starts: one from the left, and one or two
//! that leave the argmin in the direction in which the loss falls fastest. All are cheap beside the paths that follow.

use std::vec::IntoIter;

use crate::error::Result;
use crate::oracle::{Hessian, Oracle, Query, Want};
use crate::race::starts::linear::LinearStage;

/// Steps away from the argmin that are tried together, in units of vᵀHv = 1.
const REACHES: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
/// Where the two sides of the argmin differ by less than this factor in loss, both are followed.
const ALIKE: f64 = 1.5;

/// Starts on both sides of the minimum of φ. The spectral ones are computed once the other is used up.
pub(in crate::race) struct BothSides<'s> {
    stage: &'s LinearStage,
    left: Option<Vec<f64>>,
    spectral: Option<IntoIter<Vec<f64>>>,
}

impl BothSides<'_> {
    /// None for a monotone φ.
    pub fn new<'s>(stage: &'s LinearStage, oracle: &dyn Oracle) -> Result<BothSides<'s>> {
        Ok(BothSides { stage, left: stage.left(oracle)?, spectral: None })
    }

    pub fn next(&mut self, oracle: &dyn Oracle) -> Result<Option<Vec<f64>>> {
        if let Some(left) = self.left.take() {
            return Ok(Some(left));
        }
        let spectral = match self.spectral.take() {
            Some(rest) => rest,
            None => spectral_starts(self.stage, oracle)?.into_iter(),
        };
        Ok(self.spectral.insert(spectral).next())
    }
}

/// From the point without covariates at the minimum of φ, along the direction v in which the loss curves down most, to both
/// sides.
///
/// Labels far from the minimum belong to rows with large |xᵀw|, of either sign: the spectral start of phase retrieval,
/// which needs no choice between preimages. Reference: Candès, Li and Soltanolkotabi (2015).
fn spectral_starts(stage: &LinearStage, oracle: &dyn Oracle) -> Result<Vec<Vec<f64>>> {
    let (layout, Some(argmin)) = (oracle.facts().layout, oracle.facts().activation.argmin) else {
        return Ok(Vec::new());
    };
    if oracle.is_wide() || layout.has_response() {
        return Ok(Vec::new());
    }
    // at a constant z the full Hessian is Σ (const − φ″(z)·y_i)·x_i x_iᵀ
    let query = Query::at(layout.zero(), 1.0, stage.rows(), Want::Curvature(Hessian::Full));
    let Some(hessian) = oracle.ask(&query)?.model()?.into_matrix() else { return Ok(Vec::new()) };
    let Some(v) = stage.lowest(oracle, hessian)? else { return Ok(Vec::new()) };
    let middle = layout.constant(argmin);
    let reach = |step: f64| middle.iter().zip(&v).map(|(middle, v)| middle + step * v).collect::<Vec<f64>>();
    let points: Vec<Vec<f64>> = [1.0, -1.0].iter().flat_map(|side| REACHES.map(|step| reach(side * step))).collect();
    let losses = stage.losses(oracle, &points)?;
    Ok(better_sides(losses.into_iter().zip(points).collect()))
}

/// The lowest point of the better side, then that of the other if it is nearly as low.
fn better_sides(points: Vec<(f64, Vec<f64>)>) -> Vec<Vec<f64>> {
    let lowest = |side: &[(f64, Vec<f64>)]| side.iter().min_by(|a, b| a.0.total_cmp(&b.0)).cloned();
    let mut sides: Vec<(f64, Vec<f64>)> = points.chunks(REACHES.len()).filter_map(lowest).collect();
    sides.sort_by(|a, b| a.0.total_cmp(&b.0));
    let most = sides.first().map_or(0.0, |best| ALIKE * best.0);
    sides.into_iter().filter(|side| side.0 <= most).map(|side| side.1).collect()
}
