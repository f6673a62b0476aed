//! Relative *potency*: how much less of a dose has the effect of the reference.

use crate::error::Result;
use crate::groups::half::is_log;
use crate::groups::shared::space::Space;
use crate::groups::{Potency, Sharing};
use crate::inference::Inference;
use crate::oracle::Embedding;
use crate::plan::Plan;
use crate::table::Table;

impl Plan {
    /// Whether curves of this table that share these parameters have a [potency](crate::groups::Curve::potency): they are over
    /// the logarithm of a dose, and differ by their intercepts alone.
    pub fn has_potency(&self, table: &Table, sharing: &Sharing) -> bool {
        let single = matches!(table.names.as_slice(), [name] if is_log(name));
        let apart: Vec<usize> = (0..sharing.shares().len()).filter(|&k| !sharing.shares()[k]).collect();
        single && table.offsets.is_none() && self.has_intercept() && apart == [1]
    }
}

/// `exp((b − b_reference)/w)`
///
/// The potency of a group against a reference, at θ. Both share the coefficient w of the logarithm, which is the first of their
/// parameters; b is the second.
pub(super) fn of(
    space: &Space,
    theta: &[f64],
    [own, reference]: [&Embedding; 2],
    inference: Option<(&Inference<'_>, f64)>,
) -> Result<Option<Potency>> {
    let (eta, other) = (own.eta(theta), reference.eta(theta));
    let (&[slope, place, ..], &[_, base, ..]) = (own.entries(), reference.entries()) else { return Ok(None) };
    if place == base {
        return Ok(Some(Potency { value: 1.0, standard_error: None, interval: None }));
    }
    let (w, _) = space.parameter(0, &eta);
    let logarithm = (eta[1] - other[1]) / w;
    let value = logarithm.exp();
    let mut gradient = vec![0.0; theta.len()];
    (gradient[place], gradient[base], gradient[slope]) = (1.0 / w, -1.0 / w, -logarithm / eta[0]);
    let estimate = inference.map(|(inference, level)| (inference.function_with_gradient(logarithm, &gradient), level));
    let (mut standard_error, mut interval) = (None, None);
    if let Some((estimate, level)) = estimate {
        standard_error = estimate.standard_error.map(|error| value * error);
        let ends = estimate.interval(level)?.and_then(|found| found.lower.zip(found.upper));
        interval = ends.map(|(lower, upper)| [lower.exp(), upper.exp()]);
    }
    Ok(value.is_finite().then_some(Potency { value, standard_error, interval }))
}
