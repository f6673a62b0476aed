//! The *dip* of SiLU and GELU: a label in it says how far z is from where φ turns, and not on which side.
//!
//! The linear stage takes the right side first. Where the truth is on the left, or on both sides, a path from there can
//! end at a minimum that is a mirror image of the good one. So there are more starts: one from the left, and one or two
//! that leave the turn itself where the loss falls fastest. All are cheap beside the paths that follow.

use crate::error::Result;
use crate::fit::Observer;
use crate::oracle::{Batch, Hessian, Oracle, Query, Want};
use crate::race::Rules;
use crate::race::best_of::{BestOf, Origin};
use crate::race::starts::linear::LinearStage;
use crate::solver::preset::Course;

/// Steps away from the turn that are tried together, in units of vᵀHv = 1.
const REACHES: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
/// Where the two sides of the turn differ by less than this factor in loss, both are followed.
const ALIKE: f64 = 1.5;

impl Rules {
    /// Challenges the first run by paths from the left of the minimum of φ and from both sides of it, until one is exact.
    pub(in crate::race) fn search_both_sides(
        &self,
        race: &mut BestOf,
        stage: &LinearStage,
        oracle: &dyn Oracle,
        samples: &[Batch],
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let mut spectral = None;
        let mut left = stage.left(oracle)?;
        while !race.is_over() {
            let start = match left.take() {
                Some(start) => start,
                None => {
                    if spectral.is_none() {
                        spectral = Some(spectral_start(stage, oracle)?.unwrap_or_default().into_iter());
                    }
                    let Some(start) = spectral.as_mut().and_then(Iterator::next) else { break };
                    start
                }
            };
            self.challenge(race, Origin::Independent, oracle, start, Course::graduated(samples.to_vec()), observer)?;
        }
        Ok(())
    }
}

/// From the point without covariates at the minimum of φ, along the direction v in which the loss curves down most, to both
/// sides.
///
/// Labels far from the minimum belong to rows with large |xᵀw|, of either sign: the spectral start of phase retrieval,
/// which needs no choice between preimages. Reference: Candès, Li and Soltanolkotabi (2015).
fn spectral_start(stage: &LinearStage, oracle: &dyn Oracle) -> Result<Option<Vec<Vec<f64>>>> {
    let (layout, Some(argmin)) = (oracle.facts().layout, oracle.facts().activation.argmin) else { return Ok(None) };
    if oracle.is_wide() {
        return Ok(None);
    }
    // at a constant z the full Hessian is Σ (const − φ″(z)·y_i)·x_i x_iᵀ
    let query = Query::at(layout.zero(), 1.0, stage.rows(), Want::Curvature(Hessian::Full));
    let Some(hessian) = oracle.ask(&query)?.model()?.into_matrix() else { return Ok(None) };
    let Some(v) = stage.lowest(oracle, hessian)? else { return Ok(None) };
    let middle = layout.constant(argmin);
    let reach = |step: f64| middle.iter().zip(&v).map(|(middle, v)| middle + step * v).collect::<Vec<f64>>();
    let points: Vec<Vec<f64>> = [1.0, -1.0].iter().flat_map(|side| REACHES.map(|step| reach(side * step))).collect();
    let losses = stage.losses(oracle, &points)?;
    Ok(Some(better_sides(losses.into_iter().zip(points).collect())))
}

/// The lowest point of the better side, then that of the other if it is nearly as low.
fn better_sides(points: Vec<(f64, Vec<f64>)>) -> Vec<Vec<f64>> {
    let lowest = |side: &[(f64, Vec<f64>)]| side.iter().min_by(|a, b| a.0.total_cmp(&b.0)).cloned();
    let mut sides: Vec<(f64, Vec<f64>)> = points.chunks(REACHES.len()).filter_map(lowest).collect();
    sides.sort_by(|a, b| a.0.total_cmp(&b.0));
    let most = sides.first().map_or(0.0, |best| ALIKE * best.0);
    sides.into_iter().filter(|side| side.0 <= most).map(|side| side.1).collect()
}
