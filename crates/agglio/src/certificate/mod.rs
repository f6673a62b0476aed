//! The *certificate* of a fit: what can be said about the point that was reached, by any solver.
//!
//! It looks at the gradient relative to its scale, at the smallest eigenvalue of the full Hessian, at rows whose slope
//! has vanished, at the loss far out along a ray, and at the loss of the model without covariates and of the linear stage.
//! It certifies a strict, finite local minimum that explains something. That no other minimum is lower it cannot know.

mod ray;
mod spectrum;

use crate::error::Result;
use crate::fit::Outcome;
use crate::math::linalg::{Symmetric, dot, norm};
use crate::oracle::{Baseline, Batch, Hessian, Model, Oracle, Query, Want};
use crate::outcome::{Status, StopReason};

pub(crate) use ray::{Far, glance_along_theta};
use ray::{along_theta, falls_along};
pub(crate) use spectrum::TAIL;
pub(crate) use spectrum::UnidentifiedDirections;
use spectrum::{FLAT, PRODUCTS, Spectrum};

/// What was found at the point that a fit returns.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Certificate {
    /// max_j |J_jᵀr|/(‖J_j‖‖r‖); none where all slopes have vanished.
    pub relative_gradient: Option<f64>,
    /// The same of the matching loss, for a fit that minimised that; none for all others.
    pub matching_gradient: Option<f64>,
    /// Whether the residual is only rounding, so that its gradient says nothing.
    pub exact: bool,
    /// Smallest eigenvalue of the full Hessian over the one that is largest in size; none if not computed.
    pub smallest_eigenvalue: Option<f64>,
    /// The least share of a coefficient's Gauss–Newton curvature that residuals leave of it; none if not computed.
    pub(crate) residual_curvature: Option<f64>,
    /// Whether a Newton step from a point of loose tolerance leads to a minimum, or along a tail.
    pub(crate) settles: bool,
    /// The Hessian and the rows it is over, for whatever else is asked of it.
    pub(crate) hessian: Option<(Batch, Symmetric)>,
    /// Share of the loss that a step to the bottom would still gain, by the gradient and the Hessian: none if not computed,
    /// an upper bound where the Hessian is not formed.
    pub left_to_gain: Option<f64>,
    /// Rows that the Hessian was taken over.
    pub curvature_rows: usize,
    /// Products with vectors that the eigenvalues were found by, where the Hessian is too large to be formed: the true
    /// smallest one may be smaller. None where it was formed.
    pub curvature_products: Option<usize>,
    /// Share of the rows, by weight, whose slope is below a thousandth of φ′(0).
    pub saturated: f64,
    /// Loss of the model without covariates.
    pub baseline_loss: f64,
    /// Loss of the mean of the labels, whether φ can take that value or not; without an intercept, of φ(offset).
    pub mean_loss: f64,
    /// Whether the median label, by weight, lies strictly outside the range of φ.
    pub(crate) median_is_outside: bool,
    /// Loss that is approached as the coefficients grow without end, where that is lower than the one reached.
    pub lower_at_infinity: Option<f64>,
    /// Loss, on the rows of the first stage, of the line at τ = 0 that solver `auto` begins with.
    pub linear_loss: Option<f64>,
    /// Columns that the data cannot tell apart, or cannot see.
    pub unidentified: Vec<usize>,
    /// The directions that make them so.
    pub(crate) open: UnidentifiedDirections,
    /// Whether the coefficients are those of least norm, among all that fit as well.
    pub(crate) least_norm: bool,
    /// Of the fits from other starts, how many reached the loss of the one that was kept, and how many there are; none
    /// without such fits.
    pub restarts: Option<(usize, usize)>,
    /// Whether a ball holds the coefficients back, so that the point is an optimum on its surface.
    pub held_back: bool,
    /// How the fit ended, in view of all this.
    pub status: Status,
}

/// The relative gradient above which no point is called a minimum.
const STATIONARY: f64 = 1e-2;

/// The same where the fit minimised another loss, whose minimum is one of squares only where the noise lets it.
const STATIONARY_BY_CHANCE: f64 = 1e-6;

/// The share of the loss that a certified minimum may have left to gain.
const LITTLE: f64 = 1e-4;

/// The relative gradient up to which a point is taken for the end of its path.
const TIGHT: f64 = 1e-8;

/// What a Newton step must bring the decrease that it predicts down to.
const SETTLES: f64 = 0.1;
/// Newton steps that it must hold for: the first may gain most in other directions than along the tail.
const NEWTON_STEPS: usize = 3;

/// Share of saturated rows from which on the loss is followed to infinity.
const SATURATED: f64 = 0.5;

/// Norm of θ, about the root mean square of the predictors in standardised units, from which on it is, too.
const FAR: f64 = 100.0;

/// What is known of a point beside the numbers of its certificate.
#[derive(Clone, Copy, Debug)]
struct Evidence {
    reason: StopReason,
    stationary: bool,
    /// Whether the residuals are only rounding.
    exact: bool,
    /// Whether the Hessian has a direction without curvature.
    flat: bool,
    /// Whether the rows leave that direction open whatever the slopes.
    unidentified: bool,
    /// Whether the loss stays as low all the way to infinity.
    falls_to_infinity: bool,
    /// Whether it does so, but is lower nearer to zero.
    falls_inwards: bool,
    /// Whether the loss is above that of the model without covariates.
    explains_nothing: bool,
    /// Whether the loss is well below that, with slopes that have not vanished.
    explains_much: bool,
    /// Whether the labels are not of the size of the values that φ takes.
    off_scale: bool,
}

/// How a fit ended, by the evidence alone.
fn classify(evidence: &Evidence) -> Status {
    let ended = Status::from(evidence.reason);
    match ended {
        Status::Interrupted => ended,
        _ if evidence.off_scale => Status::WrongScale,
        Status::Diverging => ended,
        Status::IterationLimit if !evidence.stationary && !evidence.falls_to_infinity => ended,
        Status::Converged | Status::IterationLimit if evidence.unidentified => Status::NotIdentified,
        _ if evidence.explains_nothing && ended != Status::IterationLimit => Status::Plateau,
        _ if evidence.falls_to_infinity => Status::Diverging,
        _ if evidence.falls_inwards => Status::Plateau,
        // no ray has found the way, but no slope is left to hold the coefficients where they are
        Status::Converged | Status::IterationLimit if evidence.flat && !evidence.exact => Status::Diverging,
        // no slope has vanished: rounding alone keeps the gradient from falling further
        Status::Plateau if evidence.explains_much => Status::Converged,
        _ => ended,
    }
}

impl Certificate {
    /// Examines where a fit ended: one pass over the rows, or over a sample where there are many, and a few more where it
    /// looks odd.
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
            left_to_gain: spectrum.left,
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
        let evidence = certificate.evidence(oracle, outcome, &baseline, flat, &spectrum.lowest)?;
        certificate.status = classify(&evidence);
        certificate.settles = !certificate.certified() || certificate.settles(oracle, outcome)?;
        Ok(certificate)
    }

    /// Whether Newton steps bring what is left to gain down, each of them, as they do near a minimum and not on the tail of a
    /// slope. Only a point whose gradient is not at the level of rounding is put to this test.
    fn settles(&self, oracle: &dyn Oracle, outcome: &Outcome) -> Result<bool> {
        let loose = !self.exact && self.relative_gradient.is_some_and(|gradient| gradient > TIGHT);
        let Some((rows, hessian)) = self.hessian.as_ref().filter(|_| loose && !self.held_back) else { return Ok(true) };
        // a sample's Hessian leads to its own minimum, not to that of all rows
        if *rows != Batch::All {
            return Ok(true);
        }
        let (mut theta, mut hessian, mut gradient) =
            (outcome.theta.clone(), hessian.clone(), outcome.model.gradient.clone());
        let mut before = f64::INFINITY;
        for _ in 0..=NEWTON_STEPS {
            let Some(p) = hessian.solve_safely(&vec![0.0; theta.len()], &gradient) else { return Ok(false) };
            let gain = dot(&p, &gradient);
            if gain > SETTLES * before {
                return Ok(false);
            }
            theta.iter_mut().zip(&p).for_each(|(theta, p)| *theta -= p);
            let query = Query::at(&theta, outcome.tau, Batch::All, Want::Curvature(Hessian::Full));
            let there = oracle.ask(&query)?.model()?;
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
        lowest: &[Vec<f64>],
    ) -> Result<Evidence> {
        let loss = outcome.model.loss - oracle.facts().penalty(&outcome.theta);
        let (whole, above) = (outcome.tau == 1.0, |other: f64| loss > other * (1.0 + 1e-9) + outcome.model.rounding());
        let unidentified = !self.unidentified.is_empty();
        // the best constant that φ can take is no better than the mean only where φ cannot take the mean
        let beyond = baseline.mean_loss * (1.0 + 1e-9) < baseline.loss && above(baseline.mean_loss);
        let far = if unidentified { Far::Rises } else { self.far(oracle, outcome, lowest)? };
        Ok(Evidence {
            reason: outcome.reason,
            stationary: self.is_stationary(),
            exact: self.exact,
            flat,
            unidentified,
            falls_to_infinity: matches!(far, Far::Falls(_)),
            falls_inwards: far == Far::FallsInwards,
            // a constant that φ takes only at infinity is no model to compare with
            explains_nothing: whole && above(baseline.loss) && baseline.is_finite,
            explains_much: whole && loss <= 0.9 * baseline.loss && self.saturated < 0.5 && self.is_stationary(),
            off_scale: whole && (baseline.median_is_outside || beyond),
        })
    }

    /// Whether the point is a strict local minimum that explains something, however loose the tolerance was.
    pub fn certified(&self) -> bool {
        self.status == Status::Converged
            && self.is_stationary()
            && self.smallest_eigenvalue.is_some_and(|ratio| ratio > FLAT)
            && (self.exact || self.left_to_gain.is_some_and(|left| left <= LITTLE))
            && self.settles
    }

    fn is_stationary(&self) -> bool {
        let most = if self.matching_gradient.is_some() { STATIONARY_BY_CHANCE } else { STATIONARY };
        self.exact || self.relative_gradient.is_some_and(|gradient| gradient <= most)
    }

    /// Follows the loss along the ray from zero through θ, and along directions with hardly any curvature, wherever slopes
    /// have vanished or the predictors are large. At τ = 0, and where a ball holds θ back, no optimum is at infinity.
    fn far(&self, oracle: &dyn Oracle, outcome: &Outcome, lowest: &[Vec<f64>]) -> Result<Far> {
        let suspicious = self.saturated >= SATURATED
            || norm(&outcome.theta) >= FAR
            || self.smallest_eigenvalue.is_none_or(|ratio| ratio <= TAIL)
            || matches!(outcome.reason, StopReason::Plateau | StopReason::Limit);
        if !suspicious || self.held_back || outcome.tau == 0.0 {
            return Ok(Far::Rises);
        }
        Ok(match along_theta(oracle, outcome)? {
            Far::Rises if falls_along(oracle, outcome, lowest)? => Far::Falls(outcome.model.loss),
            far => far,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINIMUM: Evidence = Evidence {
        reason: StopReason::Gradient,
        stationary: true,
        exact: false,
        flat: false,
        unidentified: false,
        falls_to_infinity: false,
        falls_inwards: false,
        explains_nothing: false,
        explains_much: true,
        off_scale: false,
    };

    #[test]
    fn evidence_decides_the_status() {
        let limit = Evidence { reason: StopReason::Limit, stationary: false, ..MINIMUM };
        let plateau = Evidence { reason: StopReason::Plateau, explains_much: false, ..MINIMUM };
        let table = [
            (MINIMUM, Status::Converged),
            (Evidence { reason: StopReason::Settled, ..MINIMUM }, Status::Converged),
            (Evidence { falls_to_infinity: true, ..MINIMUM }, Status::Diverging),
            (Evidence { flat: true, ..MINIMUM }, Status::Diverging),
            (Evidence { flat: true, exact: true, ..MINIMUM }, Status::Converged),
            (Evidence { flat: true, exact: true, falls_to_infinity: true, ..MINIMUM }, Status::Diverging),
            (Evidence { flat: true, unidentified: true, ..MINIMUM }, Status::NotIdentified),
            (Evidence { explains_nothing: true, ..MINIMUM }, Status::Plateau),
            (Evidence { explains_nothing: true, falls_to_infinity: true, ..MINIMUM }, Status::Plateau),
            (Evidence { off_scale: true, falls_to_infinity: true, ..MINIMUM }, Status::WrongScale),
            (Evidence { off_scale: true, ..plateau }, Status::WrongScale),
            (plateau, Status::Plateau),
            (Evidence { falls_inwards: true, ..MINIMUM }, Status::Plateau),
            (Evidence { explains_much: true, ..plateau }, Status::Converged),
            (Evidence { falls_to_infinity: true, ..plateau }, Status::Diverging),
            (limit, Status::IterationLimit),
            (Evidence { flat: true, unidentified: true, ..limit }, Status::IterationLimit),
            (Evidence { flat: true, stationary: true, ..limit }, Status::Diverging),
            (Evidence { falls_to_infinity: true, ..limit }, Status::Diverging),
            (Evidence { reason: StopReason::NotFinite, ..MINIMUM }, Status::Diverging),
            (Evidence { reason: StopReason::Interrupted, off_scale: true, ..MINIMUM }, Status::Interrupted),
        ];
        for (evidence, status) in table {
            assert_eq!(classify(&evidence), status, "{evidence:?}");
        }
    }
}
