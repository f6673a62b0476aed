//! The *report* of a fit: from a point in the solver's coordinates to the user's units.

use crate::error::{ErrorKind, Result};
use crate::fit::Outcome;
use crate::oracle::Oracle;
use crate::outcome::{Noise, Status, StopReason};
use crate::plan::Plan;
use crate::race::Found;
use crate::report::Report;
use crate::rows::Coordinates;

/// The report of a point that was found.
pub(super) fn of(plan: &Plan, oracle: &dyn Oracle, found: &mut Found) -> Result<Report> {
    let rules = plan.rules();
    if oracle.is_interrupted() {
        (found.outcome.reason, found.certificate) = (StopReason::Interrupted, None);
    }
    found.certificate(oracle)?;
    found.take_least_norm(oracle)?;
    let mut certificate = found.certificate(oracle)?;
    let sigma = rules.sigma(oracle, found)?;
    certificate.restarts = found.restarts;
    certificate.hessian = None;
    certificate.lower_at_infinity = found.lower_at_infinity;
    certificate.linear_loss = found.linear_loss;
    let outcome = &found.outcome;
    let [loss, prediction_loss] = losses(oracle, outcome, sigma)?;
    let facts = oracle.facts();
    let (coefficients, intercept) = facts.coordinates.to_user(&outcome.theta);
    require_coefficients(&facts.coordinates, &outcome.theta, &coefficients)?;
    // noise before φ may have an optimum at which φ itself overflows
    if !loss.is_finite() && certificate.status != Status::Interrupted {
        certificate.status = Status::Diverging;
    }
    let dead_columns = facts.coordinates.dead_columns();
    Ok(Report {
        coefficients,
        intercept,
        criterion: plan.spec().loss(),
        loss,
        prediction_loss,
        path_loss: outcome.model.loss,
        log_likelihoods: found.log_likelihoods,
        likelier: found.likelier,
        objection: found.objection,
        sigma,
        tau: outcome.tau,
        cut_short: outcome.reason == StopReason::Limit && sigma.is_none() && outcome.tau < rules.settings.tau_max,
        solver: rules.solver,
        noise: if sigma.is_some() { Noise::Pre } else { Noise::Post },
        reason: outcome.reason,
        certificate,
        rows: oracle.rows(),
        parameters: facts.parameters(),
        steps: outcome.steps,
        passes: oracle.visited() as f64 / oracle.rows() as f64,
        dead_columns,
        coarse_columns: facts.coordinates.coarse_columns(),
        labels_without_preimage: facts.preimages.without_preimage,
        labels_with_two_preimages: facts.preimages.with_two_preimages,
        label_bounds: facts.label_bounds,
        affine: plan.scale_at(facts, &outcome.theta),
        free_response: plan.spec().free_response(),
        activation: plan.activation.name(),
        activation_range: facts.activation.range,
        proof: None,
    })
}

/// The loss of φ(z), and that of the predictions, which are means under noise before φ.
fn losses(oracle: &dyn Oracle, outcome: &Outcome, sigma: Option<f64>) -> Result<[f64; 2]> {
    let loss = match outcome.tau == 1.0 {
        true => outcome.model.unpenalised,
        false => oracle.prediction_loss(&outcome.theta, None)?,
    };
    Ok([loss, sigma.map_or(Ok(loss), |sigma| oracle.prediction_loss(&outcome.theta, Some(sigma)))?])
}

/// Refuses a column so small that its coefficient overflows, or so large that its coefficient underflows.
fn require_coefficients(coordinates: &Coordinates, theta: &[f64], coefficients: &[f64]) -> Result<()> {
    let refused = |index: usize, what: &str| Err(ErrorKind::Feature { index, what: what.into() }.into());
    if let Some(index) = coefficients.iter().position(|w| !w.is_finite()) {
        return refused(index, "its values are so small that its coefficient overflows; multiply it by a constant");
    }
    match coordinates.underflown(theta, coefficients) {
        None => Ok(()),
        Some(index) => {
            refused(index, "its values are so large that its coefficient underflows; divide it by a constant")
        }
    }
}
