//! The *kept* curvature: asked for once, and mended from the gradients that later steps see.

use crate::error::Result;
use crate::math::linalg::{Symmetric, norm};
use crate::oracle::{Batch, Hessian, Query, Want};
use crate::solver::direction::levenberg_marquardt::damped_step;
use crate::solver::direction::{Direction, Point};
use crate::solver::schedule::Stage;

/// The damped step of [`LevenbergMarquardt`](super::LevenbergMarquardt) on a curvature B that costs no pass: it is the Gauss–Newton curvature where
/// it was last asked for, and then follows
///
/// ```text
/// B ← B − (Bs)(Bs)ᵀ/(sᵀBs) + yyᵀ/(yᵀs)
/// ```
///
/// with s the last step and y what the gradient has changed by. It is asked for anew at another temperature, where the
/// gradient does not fall as it should, and where there is nothing left to gain by it: only a new one can tell. Near the end
/// that is the full curvature. Where other rows take over, it leads the first step on them and is asked for after it, unless
/// it is costly. For many coefficients, where the curvature costs several times what the gradient does.
///
/// Reference: Broyden, Fletcher, Goldfarb and Shanno (1970), started from the curvature in place of a multiple of one.
#[derive(Clone, Debug)]
pub struct GaussNewtonBfgs {
    /// Whether the curvature costs many gradients.
    sparing: bool,
    /// The curvature at τ = 0 over the first rows, where that is to begin with.
    line: Option<Symmetric>,
    curvature: Option<Symmetric>,
    tau: f64,
    /// Whether it was asked for at the present point.
    fresh: bool,
    /// Whether a new curvature is worth its price.
    stale: bool,
    /// Whether it is that of other rows: good for a step, after which their own is worth its price unless that is high.
    borrowed: bool,
    /// Whether the end is near.
    near: bool,
    last: Option<Seen>,
    /// Trials from this point that were refused since the curvature was asked for.
    refused: usize,
}

impl Default for GaussNewtonBfgs {
    fn default() -> GaussNewtonBfgs {
        GaussNewtonBfgs {
            sparing: false,
            line: None,
            curvature: None,
            tau: 0.0,
            fresh: false,
            stale: false,
            borrowed: false,
            near: false,
            last: None,
            refused: 0,
        }
    }
}

/// Where the last step began, and what it promised.
#[derive(Clone, Debug)]
struct Seen {
    theta: Vec<f64>,
    gradient: Vec<f64>,
    predicted: f64,
    rows: Batch,
}

impl GaussNewtonBfgs {
    /// What a gradient must fall to in a step: a new curvature doubles the digits, and costs some four gradients.
    const FALL: f64 = 0.2;
    /// The same where a new one is to be spared.
    const SLOW_FALL: f64 = 0.4;
    /// A step that promises less than this share of the loss is near the end. Sooner than where the curvature is asked for at
    /// every step, since here it is to last.
    const NEAR: f64 = 1e-2;
    /// Refusals at one point after which it is.
    const REFUSALS: usize = 2;

    /// For so many coefficients that the curvature costs many gradients: begins with the one at τ = 0. What columns have in
    /// common is much the same at every temperature, how much each of them counts is told with the gradient, and what is
    /// least like it, the curvature along θ, costs one product.
    ///
    /// One that some rows have told is kept for others too, shrunk.
    pub fn sparing(line: Option<Symmetric>) -> GaussNewtonBfgs {
        GaussNewtonBfgs { sparing: true, line, ..GaussNewtonBfgs::default() }
    }

    /// What a gradient must fall to in a step, or the curvature is out of date.
    fn fall(&self) -> f64 {
        if self.sparing { Self::SLOW_FALL } else { Self::FALL }
    }

    fn begin(&mut self, line: Symmetric, here: &Point<'_>) -> Result<()> {
        let norms = here.known.model().map_or(&[][..], |model| &model.column_norms);
        let diagonal: Vec<f64> = norms.iter().map(|norm| 2.0 * norm * norm).collect();
        self.take(line.with_diagonal(&diagonal), here);
        self.mend_along_theta(here)?;
        self.fresh = false;
        Ok(())
    }

    /// Makes the curvature that the rows of the last step have told one for these rows. What it says of pairs of columns is
    /// chance in part, and what is least like chance is the curvature along θ.
    fn shrink(&mut self, here: &Point<'_>) -> Result<()> {
        let rows = self.last.as_ref().map_or(0, |last| last.rows.len(here.oracle.rows()));
        // rows of little weight tell little
        let told = rows as f64 * here.oracle.facts().effective_fraction;
        self.curvature = self.curvature.take().map(|curvature| curvature.shrunk(told));
        self.mend_along_theta(here)
    }

    fn mend_along_theta(&mut self, here: &Point<'_>) -> Result<()> {
        if let Some(curvature) = &mut self.curvature {
            curvature.bfgs_update(here.theta, &here.curvature_times(Hessian::GaussNewton, here.theta)?);
        }
        Ok(())
    }

    /// Learns from where the last step led, and from what has been told with the gradient.
    fn learn(&mut self, here: &Point<'_>) {
        if let Some(told) = here.known.curvature() {
            if self.last.as_ref().is_none_or(|last| last.theta != here.theta) {
                self.take(told.clone(), here);
            }
            return;
        }
        let Some(curvature) = self.curvature.as_mut().filter(|_| self.tau == here.stage.tau) else { return };
        let Some(last) = self.last.take().filter(|last| last.rows == here.stage.rows) else { return };
        let s: Vec<f64> = here.theta.iter().zip(&last.theta).map(|(here, last)| here - last).collect();
        if s.iter().all(|&s| s == 0.0) {
            self.refused += 1;
            return;
        }
        (self.refused, self.fresh) = (0, false);
        let y: Vec<f64> = here.known.gradient.iter().zip(&last.gradient).map(|(here, last)| here - last).collect();
        curvature.bfgs_update(&s, &y);
        let fell = norm(&here.known.gradient) <= self.fall() * norm(&last.gradient);
        self.stale = !fell && last.predicted > here.known.rounding();
    }

    /// Asks for the curvature here.
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
        (self.tau, self.stale, self.refused, self.fresh, self.borrowed) = (here.stage.tau, false, 0, true, false);
    }

    fn hessian(&self) -> Hessian {
        if self.near { Hessian::Full } else { Hessian::GaussNewton }
    }
}

impl Direction for GaussNewtonBfgs {
    fn want(&self) -> Want<'static> {
        match (self.curvature.is_none() && self.line.is_none()) || self.stale {
            true => Want::Curvature(self.hessian()),
            false => Want::Stationarity,
        }
    }

    fn on_new_objective(&mut self, stage: &Stage) {
        self.borrowed = self.curvature.is_some() && self.tau == stage.tau;
        self.stale = !self.borrowed;
    }

    fn wants_refresh(&mut self) -> bool {
        // asked for anew, as after so many refusals
        self.refused = Self::REFUSALS;
        !self.fresh
    }

    fn displace(&mut self, size: f64, here: &Point<'_>, p: &mut [f64]) -> Result<f64> {
        // before anything is learnt, which forgets the rows that it is of
        if self.borrowed && self.sparing && !here.known.is_rounding() {
            self.shrink(here)?;
        }
        self.learn(here);
        if let (None, Some(line)) = (&self.curvature, self.line.take()) {
            self.begin(line, here)?;
        }
        if self.curvature.is_none() || self.tau != here.stage.tau || self.refused >= Self::REFUSALS {
            self.refresh(here)?;
        }
        let Some(curvature) = &self.curvature else { return Ok(0.0) };
        let predicted = damped_step(curvature, size, here, p)?;
        // an exact fit has no use for a better one
        self.stale |= std::mem::take(&mut self.borrowed) && !here.known.is_rounding() && !self.sparing;
        self.near = predicted <= Self::NEAR * here.known.loss;
        let (theta, gradient) = (here.theta.to_vec(), here.known.gradient.clone());
        self.last = Some(Seen { theta, gradient, predicted, rows: here.stage.rows });
        Ok(predicted)
    }
}
