//! A *Gauss–Newton–BFGS* direction computes the curvature rarely, and updates it from the gradients of later steps.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::math::linalg::{Symmetric, norm};
use crate::oracle::{Batch, Hessian, Query, Want};
use crate::solver::direction::levenberg_marquardt::damped_step;
use crate::solver::direction::{Direction, Point};
use crate::solver::schedule::Stage;

/// `B ← B − (Bs)(Bs)ᵀ/(sᵀBs) + yyᵀ/(yᵀs)`
///
/// The damped step of [`LevenbergMarquardt`](super::LevenbergMarquardt) on an approximate curvature B. B is the
/// Gauss–Newton curvature at the point where it was last computed. The BFGS update above then changes it without a pass
/// over the rows: s is the last step, and y is the change of the gradient.
///
/// B is computed again at a new temperature, when the gradient decreases too slowly, and when steps no longer reduce
/// the loss, because only a new B can confirm this. Near the end it is the full curvature. When the sample of rows
/// grows, the old B is used for the first step and computed again after it, unless that is expensive.
///
/// It is for many coefficients, where the curvature costs several times as much as the gradient.
///
/// Reference: Broyden, Fletcher, Goldfarb and Shanno (1970), started from the curvature instead of a multiple of the
/// identity.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GaussNewtonBfgs {
    /// Whether the curvature costs as much as many gradients.
    sparing: bool,
    /// The curvature at τ = 0 over the first rows, if the fit starts from it.
    linear: Option<Symmetric>,
    curvature: Option<Symmetric>,
    tau: f64,
    /// Whether the curvature was computed at the current point.
    fresh: bool,
    /// Whether a new curvature is worth its cost.
    stale: bool,
    /// Whether the curvature is that of other rows. It is used for one step, and then computed again unless `sparing`.
    borrowed: bool,
    /// Whether the fit is near its end.
    near_end: bool,
    last: Option<LastStep>,
    /// Number of trials from this point that were rejected since the curvature was computed.
    rejected: usize,
}

impl Default for GaussNewtonBfgs {
    fn default() -> GaussNewtonBfgs {
        GaussNewtonBfgs {
            sparing: false,
            linear: None,
            curvature: None,
            tau: 0.0,
            fresh: false,
            stale: false,
            borrowed: false,
            near_end: false,
            last: None,
            rejected: 0,
        }
    }
}

/// The starting point of the last step, and its predicted decrease.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct LastStep {
    theta: Vec<f64>,
    gradient: Vec<f64>,
    predicted: f64,
    rows: Batch,
}

impl GaussNewtonBfgs {
    /// The factor by which a step must reduce the gradient. A new curvature doubles the correct digits, and costs about
    /// four gradients.
    const REDUCTION: f64 = 0.2;
    /// The same factor if the curvature is expensive.
    const SPARING_REDUCTION: f64 = 0.4;
    /// If the predicted decrease is below this fraction of the loss, the fit is near its end. The threshold is larger
    /// than that of `LevenbergMarquardt`, because here the curvature is used for several steps.
    const NEAR_END: f64 = 1e-2;
    /// Number of rejections at one point after which the curvature is computed again.
    const MOST_REJECTIONS: usize = 2;

    /// For problems with many coefficients, where one curvature costs as much as many gradients.
    ///
    /// Starts from the curvature of the linear stage, rescaled to the current column norms of J and corrected along θ
    /// with one Hessian–vector product. When the sample of rows grows, the curvature is reused after Ledoit–Wolf
    /// shrinkage.
    pub fn sparing(linear: Option<Symmetric>) -> GaussNewtonBfgs {
        GaussNewtonBfgs { sparing: true, linear, ..GaussNewtonBfgs::default() }
    }

    /// The factor by which a step must reduce the gradient; otherwise the curvature is out of date.
    fn required_reduction(&self) -> f64 {
        if self.sparing { Self::SPARING_REDUCTION } else { Self::REDUCTION }
    }

    fn begin(&mut self, linear: Symmetric, here: &Point<'_>) -> Result<()> {
        let norms = here.known.model().map_or(&[][..], |model| &model.column_norms);
        let diagonal: Vec<f64> = norms.iter().map(|norm| 2.0 * norm * norm).collect();
        self.take(linear.with_diagonal(&diagonal), here);
        self.correct_along_theta(here)?;
        self.fresh = false;
        Ok(())
    }

    /// Shrinks the curvature from the rows of the last step for use on the current rows. Its off-diagonal entries are
    /// partly sampling noise. The curvature along θ changes most, so it is computed again.
    fn shrink(&mut self, here: &Point<'_>) -> Result<()> {
        let rows = self.last.as_ref().map_or(0, |last| last.rows.len(here.oracle.rows()));
        // the sampling noise depends on the effective sample size
        let effective_rows = rows as f64 * here.oracle.facts().effective_fraction;
        self.curvature = self.curvature.take().map(|curvature| curvature.shrunk(effective_rows));
        self.correct_along_theta(here)
    }

    fn correct_along_theta(&mut self, here: &Point<'_>) -> Result<()> {
        if let Some(curvature) = &mut self.curvature {
            curvature.bfgs_update(here.theta, &here.curvature_times(Hessian::GaussNewton, here.theta)?);
        }
        Ok(())
    }

    /// Updates the curvature from the result of the last step, or takes the one that came with the gradient.
    fn learn(&mut self, here: &Point<'_>) {
        if let Some(exact) = here.known.curvature() {
            if self.last.as_ref().is_none_or(|last| last.theta != here.theta) {
                self.take(exact.clone(), here);
            }
            return;
        }
        let Some(curvature) = self.curvature.as_mut().filter(|_| self.tau == here.stage.tau) else { return };
        let Some(last) = self.last.take().filter(|last| last.rows == here.stage.rows) else { return };
        let s: Vec<f64> = here.theta.iter().zip(&last.theta).map(|(here, last)| here - last).collect();
        if s.iter().all(|&s| s == 0.0) {
            self.rejected += 1;
            return;
        }
        (self.rejected, self.fresh) = (0, false);
        let y: Vec<f64> = here.known.gradient.iter().zip(&last.gradient).map(|(here, last)| here - last).collect();
        curvature.bfgs_update(&s, &y);
        let reduced = norm(&here.known.gradient) <= self.required_reduction() * norm(&last.gradient);
        self.stale = !reduced && last.predicted > here.known.rounding();
    }

    /// Computes the curvature at this point.
    fn refresh(&mut self, here: &Point<'_>) -> Result<()> {
        let Stage { tau, rows, .. } = here.stage;
        let query = Query::at(here.theta, tau, rows, Want::Curvature(self.hessian()));
        if let Some(matrix) = here.oracle.ask(&query)?.model()?.into_matrix() {
            self.take(matrix, here);
        }
        Ok(())
    }

    fn take(&mut self, curvature: Symmetric, here: &Point<'_>) {
        self.curvature = Some(curvature);
        (self.tau, self.stale, self.rejected, self.fresh, self.borrowed) = (here.stage.tau, false, 0, true, false);
    }

    fn hessian(&self) -> Hessian {
        if self.near_end { Hessian::Full } else { Hessian::GaussNewton }
    }
}

impl Direction for GaussNewtonBfgs {
    fn want(&self) -> Want<'static> {
        match (self.curvature.is_none() && self.linear.is_none()) || self.stale {
            true => Want::Curvature(self.hessian()),
            false => Want::Stationarity,
        }
    }

    fn on_new_objective(&mut self, stage: &Stage) {
        self.borrowed = self.curvature.is_some() && self.tau == stage.tau;
        self.stale = !self.borrowed;
    }

    fn wants_refresh(&mut self) -> bool {
        // the next step computes the curvature again, as after repeated rejections
        self.rejected = Self::MOST_REJECTIONS;
        !self.fresh
    }

    fn displace(&mut self, size: f64, here: &Point<'_>, p: &mut [f64]) -> Result<f64> {
        // before `learn`, which discards the rows of the last step
        if self.borrowed && self.sparing && !here.known.is_rounding() {
            self.shrink(here)?;
        }
        self.learn(here);
        if let (None, Some(linear)) = (&self.curvature, self.linear.take()) {
            self.begin(linear, here)?;
        }
        if self.curvature.is_none() || self.tau != here.stage.tau || self.rejected >= Self::MOST_REJECTIONS {
            self.refresh(here)?;
        }
        let Some(curvature) = &self.curvature else { return Ok(0.0) };
        let predicted = damped_step(curvature, size, here, p)?;
        // an exact fit needs no better curvature
        self.stale |= std::mem::take(&mut self.borrowed) && !here.known.is_rounding() && !self.sparing;
        self.near_end = predicted <= Self::NEAR_END * here.known.loss;
        let (theta, gradient) = (here.theta.to_vec(), here.known.gradient.clone());
        self.last = Some(LastStep { theta, gradient, predicted, rows: here.stage.rows });
        Ok(predicted)
    }
}
