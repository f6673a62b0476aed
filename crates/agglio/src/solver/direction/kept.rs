//! The *kept* curvature: asked for once, and mended from the gradients that later steps see.

use crate::linalg::{Symmetric, norm};
use crate::oracle::{Hessian, Query, Want};
use crate::rows::Batch;
use crate::schedule::Stage;
use crate::solver::direction::damped::{Damped, damped_step};
use crate::solver::direction::{Direction, Point};

/// The damped step of [`Damped`](super::Damped) on a curvature B that costs no pass: it is the Gauss–Newton curvature where
/// it was last asked for, and then follows
///
/// ```text
/// B ← B − (Bs)(Bs)ᵀ/(sᵀBs) + yyᵀ/(yᵀs)
/// ```
///
/// with s the last step and y what the gradient has changed by. It is asked for anew at another temperature, where the
/// gradient does not fall as it should, and where there is nothing left to gain by it: only a new one can tell. Near the end
/// that is the full curvature. For many coefficients, where the curvature costs several times what the gradient does.
///
/// Reference: Broyden, Fletcher, Goldfarb and Shanno (1970), started from the curvature in place of a multiple of one.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    curvature: Option<Symmetric>,
    tau: f64,
    /// Whether it was asked for at the present point.
    fresh: bool,
    /// Whether a new curvature is worth its price.
    stale: bool,
    /// Whether the end is near.
    near: bool,
    last: Option<Seen>,
    /// Trials from this point that were refused since the curvature was asked for.
    refused: usize,
}

/// Where the last step began, and what it promised.
#[derive(Clone, Debug)]
struct Seen {
    theta: Vec<f64>,
    gradient: Vec<f64>,
    predicted: f64,
    rows: Batch,
}

impl Kept {
    /// What a gradient must fall to in a step, or the curvature is out of date: one that is new costs some four gradients,
    /// and doubles the digits.
    const FALL: f64 = 0.2;
    /// Refusals at one point after which it is.
    const REFUSALS: usize = 2;

    /// Learns from where the last step led, and from what has been told with the gradient.
    fn learn(&mut self, here: &Point<'_>) {
        if let Some(told) = &here.sums.curvature {
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
        let y: Vec<f64> = here.sums.gradient.iter().zip(&last.gradient).map(|(here, last)| here - last).collect();
        curvature.mend(&s, &y);
        let fell = norm(&here.sums.gradient) <= Self::FALL * norm(&last.gradient);
        self.stale = !fell && last.predicted > here.sums.rounding();
    }

    /// Asks for the curvature here.
    fn refresh(&mut self, here: &Point<'_>) {
        let Stage { tau, rows, .. } = here.stage;
        let query = Query::new(here.theta, tau, rows, Want::Curvature(self.hessian()));
        if let Some(curvature) = here.oracle.ask(&query).curvature {
            self.take(curvature, here);
        }
    }

    fn take(&mut self, curvature: Symmetric, here: &Point<'_>) {
        self.curvature = Some(curvature);
        (self.tau, self.stale, self.refused, self.fresh) = (here.stage.tau, false, 0, true);
    }

    fn hessian(&self) -> Hessian {
        if self.near { Hessian::Full } else { Hessian::GaussNewton }
    }
}

impl Direction for Kept {
    fn want(&self) -> Want<'static> {
        match self.curvature.is_none() || self.stale {
            true => Want::Curvature(self.hessian()),
            false => Want::Stationarity,
        }
    }

    fn warm(&mut self) {
        self.stale = true;
    }

    fn doubts(&mut self) -> bool {
        // asked for anew, as after so many refusals
        self.refused = Self::REFUSALS;
        !self.fresh
    }

    fn displace(&mut self, size: f64, here: &Point<'_>, p: &mut [f64]) -> f64 {
        self.learn(here);
        if self.curvature.is_none() || self.tau != here.stage.tau || self.refused >= Self::REFUSALS {
            self.refresh(here);
        }
        let Some(curvature) = &self.curvature else { return 0.0 };
        let predicted = damped_step(curvature, size, here, p);
        self.near = predicted <= Damped::NEAR * here.sums.loss;
        let (theta, gradient) = (here.theta.to_vec(), here.sums.gradient.clone());
        self.last = Some(Seen { theta, gradient, predicted, rows: here.stage.rows });
        predicted
    }
}
