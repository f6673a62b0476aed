//! A *curve* is the fit of one group with its parameters in the user's units, without the rows.

use crate::error::Result;
use crate::fitted::Fitted;
use crate::groups::half::Half;
use crate::inference::{Covariance, Estimate, Inference, Unavailable};
use crate::math::linalg::Symmetric;
use crate::plan::Plan;
use crate::report::Report;
use crate::table::Table;

/// A number with its standard error, if there is one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The value.
    pub value: f64,
    /// Its standard error.
    pub standard_error: Option<f64>,
}

/// `EC50 of the reference/EC50 of the group`
///
/// The relative potency of a group: the factor by which its doses must be multiplied to have the effect of the reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Potency {
    /// The ratio.
    pub value: f64,
    /// Its standard error, by the delta method; none for the reference itself.
    pub standard_error: Option<f64>,
    /// Its confidence interval, from that of its logarithm.
    pub interval: Option<[f64; 2]>,
}

/// The fit of one group.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Curve {
    /// The result of the fit.
    pub report: Report,
    /// The parameters, in the order of [`Plan::parameter_names`].
    pub parameters: Vec<Parameter>,
    /// The covariance of the parameters, if there are standard errors.
    pub covariance: Option<Symmetric>,
    /// The dose at which the curve is halfway between its asymptotes, if the only covariate is the logarithm of the dose.
    pub ec50: Option<Parameter>,
    /// The relative potency, if the groups share all parameters but the intercept.
    pub potency: Option<Potency>,
    /// Number of rows of the fit whose weight is not zero: those of the group, or of all groups that share parameters.
    pub observations: usize,
    /// R² = 1 − loss of the predictions/loss of the best constant; none for a constant response. The constant is φ(0) in a
    /// model without an intercept.
    pub r_squared: Option<f64>,
    /// σ̂: the standard deviation of an error of weight one; none without standard errors.
    pub sigma: Option<f64>,
    /// Why there are no standard errors, if there are none.
    pub unavailable: Option<Unavailable>,
}

impl Curve {
    /// Fits the rows of a table.
    pub(super) fn fit(plan: &Plan, table: Table, kind: Covariance) -> Result<Curve> {
        let half = Half::of(plan, &table);
        let fitted = plan.fit(&table.into_rows()?)?;
        let inference = fitted.inference(kind)?;
        let estimates = inference.as_ref().map(Inference::estimates).unwrap_or_default();
        let sigma = inference.as_ref().ok().map(|inference| inference.goodness().sigma);
        let covariance = inference.as_ref().ok().map(Inference::covariance);
        let unavailable = inference.err();
        let parameters = parameters(plan, &fitted, &estimates);
        let all = fitted.report().certificate.mean_loss;
        let r_squared = (all > 0.0).then(|| 1.0 - fitted.report().prediction_loss / all);
        let observations = fitted.oracle().facts().counted;
        let report = fitted.into_report();
        let (ec50, potency) = (None, None);
        let curve =
            Curve { parameters, covariance, ec50, potency, observations, r_squared, sigma, unavailable, report };
        Ok(curve.with_ec50(half))
    }

    /// The same with the dose of half of its effect.
    pub(super) fn with_ec50(self, half: Option<Half>) -> Curve {
        let dose = half.and_then(|half| half.dose(&self.report.coefficients, self.report.intercept));
        Curve { ec50: dose.map(|(value, gradient)| self.function(value, &gradient)), ..self }
    }

    /// A function of the parameters with this value and gradient; entries after the last of the gradient are zero.
    pub(crate) fn function(&self, value: f64, gradient: &[f64]) -> Parameter {
        let error = |covariance: &Symmetric| {
            let mut gradient = gradient.to_vec();
            gradient.resize(covariance.order(), 0.0);
            covariance.quadratic(&gradient).max(0.0).sqrt()
        };
        Parameter { value, standard_error: self.covariance.as_ref().map(error) }
    }
}

/// Covariates, intercept and free response scale, with standard errors if there are estimates.
fn parameters(plan: &Plan, fitted: &Fitted, estimates: &[Estimate]) -> Vec<Parameter> {
    let (report, facts) = (fitted.report(), fitted.oracle().facts());
    let intercept = plan.has_intercept().then_some(report.intercept);
    let scale = facts.response.as_ref().map(|scale| scale.parameters(facts.layout.response(&fitted.outcome().theta)));
    let scale = scale.unwrap_or_default().into_iter().map(|own| own.value);
    let values = report.coefficients.iter().copied().chain(intercept).chain(scale);
    let errors = estimates.iter().map(|estimate| estimate.standard_error).chain(std::iter::repeat(None));
    values.zip(errors).map(|(value, standard_error)| Parameter { value, standard_error }).collect()
}
