//! A *certificate* is the set of tests that are made at the end point of a fit, for any solver, and their result.
//!
//! The tests use the relative gradient, the smallest eigenvalue of the full Hessian, the share of saturated rows, the loss
//! far out along a ray, and the losses of the model without covariates and of the linear stage. A certified point is a
//! strict, finite local minimum that is better than a constant. It need not be the global minimum.

mod ray;
mod spectrum;
mod status;

use crate::error::Result;
use crate::fit::Outcome;
use crate::math::linalg::{Symmetric, dot, norm};
use crate::oracle::{Baseline, Batch, Hessian, Model, Oracle, Query, Want};
use crate::outcome::{Status, StopReason};

pub(crate) use ray::{Far, glance_along_theta};
use ray::{along_theta, falls_along};
pub(crate) use spectrum::TAIL;
pub(crate) use spectrum::UnidentifiedDirections;
use spectrum::{FLAT, PRODUCTS, Spectrum, has_vanished};
use status::{Evidence, classify};

/// The results of the tests at the end point of a fit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Certificate {
    /// max_j |J_jᵀr|/(‖J_j‖‖r‖); none if φ′ is zero at all rows.
    pub relative_gradient: Option<f64>,
    /// The relative gradient of the matching loss; none for solvers that minimise squares.
    pub matching_gradient: Option<f64>,
    /// Whether the residuals are only rounding errors. Their relative gradient then has no meaning.
    pub exact: bool,
    /// Smallest eigenvalue of the full Hessian, divided by the one of largest absolute value; none if not computed.
    pub smallest_eigenvalue: Option<f64>,
    /// The smallest ratio of a diagonal entry of the Hessian to that of the Gauss–Newton matrix; none if not computed.
    pub(crate) residual_curvature: Option<f64>,
    /// Whether Newton steps from this point converge to a minimum, instead of running along a slope towards infinity.
    pub(crate) settles: bool,
    /// The Hessian and the rows it was computed from; none if it was not formed.
    pub(crate) hessian: Option<(Batch, Symmetric)>,
    /// ½·gᵀH⁻¹g divided by the loss: the relative decrease that a Newton step predicts. None if not computed, and an upper
    /// bound if the Hessian is not formed.
    pub left_to_gain: Option<f64>,
    /// Number of rows from which the Hessian was computed.
    pub curvature_rows: usize,
    /// Number of Hessian–vector products from which the eigenvalues were estimated, if the Hessian is too large to be
    /// formed. The true smallest eigenvalue may then be smaller. None if the Hessian was formed.
    pub curvature_products: Option<usize>,
    /// Share of the rows, by weight, at which φ′ is below a thousandth of φ′(0).
    pub saturated: f64,
    /// Loss of the model without covariates.
    pub baseline_loss: f64,
    /// Loss of the mean of the labels, even if φ cannot take that value; without an intercept, the loss of φ(offset).
    pub mean_loss: f64,
    /// Whether the median label, by weight, lies strictly outside the range of φ.
    pub(crate) median_is_outside: bool,
    /// The loss that another run approaches while its coefficients grow without limit, if it is lower than the loss here.
    pub lower_at_infinity: Option<f64>,
    /// Loss of the linear solution at τ = 0 with which solver `auto` begins, on the rows of the first stage.
    pub linear_loss: Option<f64>,
    /// Columns whose coefficients the data does not determine.
    pub unidentified: Vec<usize>,
    /// The directions of θ along which the data does not determine these coefficients.
    pub(crate) open: UnidentifiedDirections,
    /// Whether the coefficients are the minimum-norm solution, among all that fit equally well.
    pub(crate) least_norm: bool,
    /// How many fits from other starts reached the same loss, and how many such fits there were; none without such fits.
    pub restarts: Option<(usize, usize)>,
    /// Whether the bound ‖w‖ ≤ R is active, so that the point is an optimum on the surface of the ball.
    pub held_back: bool,
    /// How the fit ended, according to these tests.
    pub status: Status,
}

/// The largest relative gradient of a certified point.
const GRADIENT_LIMIT: f64 = 1e-2;

/// The same for a fit that minimised the matching loss. Its end point is a minimum of squares only without noise.
const GRADIENT_LIMIT_OF_MATCHING: f64 = 1e-6;

/// The largest relative decrease that a Newton step may predict at a certified point.
const DECREMENT_LIMIT: f64 = 1e-4;

/// Up to this relative gradient no Newton steps are made as a test.
const TIGHT_GRADIENT: f64 = 1e-8;

/// A Newton step must reduce the predicted decrease at least by this factor.
const NEWTON_CONTRACTION: f64 = 0.1;
/// Number of Newton steps that must do so. The first one may gain most in directions that do not lead to infinity.
const NEWTON_STEPS: usize = 3;

/// From this share of saturated rows on, the loss is followed towards infinity.
const MOSTLY_SATURATED: f64 = 0.5;

/// From this norm of θ on, the loss is followed towards infinity too. In standardised coordinates the norm is about the
/// root mean square of the linear predictors.
const LARGE_NORM: f64 = 100.0;

impl Certificate {
    /// Makes the tests at the end point of a fit. This takes one pass over the rows, or over a sample of many rows, and a
    /// few more passes if something is unusual.
    pub(crate) fn examine(oracle: &dyn Oracle, outcome: &Outcome) -> Result<Certificate> {
        let (spectrum, baseline) = (Spectrum::at(oracle, outcome)?, oracle.facts().baseline);
        let mut certificate = Certificate {
            relative_gradient: outcome.model.relative_gradient(),
            matching_gradient: outcome.matching_gradient,
            exact: outcome.model.is_rounding(),
            smallest_eigenvalue: spectrum.ratio,
            residual_curvature: spectrum.residual_curvature,
            settles: true,
            hessian: spectrum.hessian,
            left_to_gain: spectrum.newton_decrement,
            curvature_rows: spectrum.rows,
            curvature_products: oracle.is_wide().then_some(PRODUCTS),
            saturated: spectrum.saturated,
            baseline_loss: baseline.loss,
            mean_loss: baseline.mean_loss,
            median_is_outside: baseline.median_is_outside,
            lower_at_infinity: None,
            linear_loss: None,
            unidentified: Vec::new(),
            open: UnidentifiedDirections::default(),
            least_norm: false,
            restarts: None,
            held_back: outcome.multiplier > 0.0,
            status: outcome.reason.into(),
        };
        if outcome.reason == StopReason::Interrupted {
            return Ok(certificate);
        }
        let flat = certificate.smallest_eigenvalue.is_some_and(|ratio| ratio.abs() <= FLAT);
        if flat {
            certificate.open = UnidentifiedDirections::of(oracle)?;
            certificate.unidentified.clone_from(&certificate.open.columns);
        }
        let flat = flat || has_vanished(oracle, certificate.smallest_eigenvalue)?;
        let evidence = certificate.evidence(oracle, outcome, &baseline, flat, &spectrum.flattest)?;
        certificate.status = classify(&evidence);
        certificate.settles = !certificate.certified() || certificate.settles(oracle, outcome)?;
        Ok(certificate)
    }

    /// Whether each of some Newton steps reduces the predicted decrease by a large factor. This is so near a minimum, but not
    /// on a slope that leads to infinity. The test is made only if the gradient is not at the level of rounding.
    fn settles(&self, oracle: &dyn Oracle, outcome: &Outcome) -> Result<bool> {
        let loose = !self.exact && self.relative_gradient.is_some_and(|gradient| gradient > TIGHT_GRADIENT);
        let Some((rows, hessian)) = self.hessian.as_ref().filter(|_| loose && !self.held_back) else { return Ok(true) };
        // the Hessian of a sample leads to the minimum of the sample, not to that of all rows
        if *rows != Batch::All {
            return Ok(true);
        }
        let (mut theta, mut hessian, mut gradient) =
            (outcome.theta.clone(), hessian.clone(), outcome.model.gradient.clone());
        let mut before = f64::INFINITY;
        for _ in 0..=NEWTON_STEPS {
            let Some(p) = hessian.solve_safely(&vec![0.0; theta.len()], &gradient) else { return Ok(false) };
            let gain = dot(&p, &gradient);
            if gain > NEWTON_CONTRACTION * before {
                return Ok(false);
            }
            theta.iter_mut().zip(&p).for_each(|(theta, p)| *theta -= p);
            let query = Query::at(&theta, outcome.tau, Batch::All, Want::Curvature(Hessian::Full));
            let there = oracle.ask(&query)?.model()?;
            oracle.facts().layout.adopt(&mut theta, there.response);
            if gain <= there.rounding() {
                return Ok(true);
            }
            let Model { first_order, curvature: Some(curvature), .. } = there else { return Ok(false) };
            (before, hessian, gradient) = (gain, curvature.matrix, first_order.gradient);
        }
        Ok(true)
    }

    fn evidence(
        &self,
        oracle: &dyn Oracle,
        outcome: &Outcome,
        baseline: &Baseline,
        flat: bool,
        flattest: &[Vec<f64>],
    ) -> Result<Evidence> {
        let loss = outcome.model.loss - oracle.facts().penalty(&outcome.theta);
        let (whole, above) = (outcome.tau == 1.0, |other: f64| loss > other * (1.0 + 1e-9) + outcome.model.rounding());
        let unidentified = !self.unidentified.is_empty();
        // the mean is better than the best constant of the model only if φ cannot take the mean
        let beyond = baseline.mean_loss * (1.0 + 1e-9) < baseline.loss && above(baseline.mean_loss);
        let far = if unidentified { Far::Rises } else { self.far(oracle, outcome, flattest)? };
        Ok(Evidence {
            reason: outcome.reason,
            stationary: self.is_stationary(),
            exact: self.exact,
            flat,
            unidentified,
            falls_to_infinity: matches!(far, Far::Falls(_)),
            falls_inwards: far == Far::FallsInwards,
            // a constant that φ takes only at infinity is not a model
            explains_nothing: whole && above(baseline.loss) && baseline.is_finite,
            explains_much: whole && loss <= 0.9 * baseline.loss && self.saturated < 0.5 && self.is_stationary(),
            off_scale: whole && (baseline.median_is_outside || beyond),
        })
    }

    /// Whether the point is a strict local minimum that is better than a constant, for any tolerance of the fit.
    pub fn certified(&self) -> bool {
        self.status == Status::Converged
            && self.is_stationary()
            && self.smallest_eigenvalue.is_some_and(|ratio| ratio > FLAT)
            && (self.exact || self.left_to_gain.is_some_and(|left| left <= DECREMENT_LIMIT))
            && self.settles
    }

    fn is_stationary(&self) -> bool {
        let most = if self.matching_gradient.is_some() { GRADIENT_LIMIT_OF_MATCHING } else { GRADIENT_LIMIT };
        self.exact || self.relative_gradient.is_some_and(|gradient| gradient <= most)
    }

    /// Follows the loss along the ray from zero through θ and along directions of little curvature, if many rows are
    /// saturated or the linear predictors are large. At τ = 0, and if the bound ‖w‖ ≤ R is active, there is no optimum at
    /// infinity.
    fn far(&self, oracle: &dyn Oracle, outcome: &Outcome, flattest: &[Vec<f64>]) -> Result<Far> {
        let suspicious = self.saturated >= MOSTLY_SATURATED
            || norm(&outcome.theta) >= LARGE_NORM
            || self.smallest_eigenvalue.is_none_or(|ratio| ratio <= TAIL)
            || matches!(outcome.reason, StopReason::Plateau | StopReason::Limit);
        if !suspicious || self.held_back || outcome.tau == 0.0 {
            return Ok(Far::Rises);
        }
        let convex = self.hessian.as_ref().map(|(_, hessian)| hessian).filter(|_| oracle.facts().is_convex);
        Ok(match along_theta(oracle, outcome)? {
            Far::Rises if falls_along(oracle, outcome, flattest, convex)? => Far::Falls(outcome.model.loss),
            far => far,
        })
    }
}
