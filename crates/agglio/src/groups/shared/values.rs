//! The *values* of a curve's parameters in the user's units, in the order of [`Plan::parameter_names`].

use crate::plan::Plan;
use crate::report::{Report, Scale};

/// Parameters of a curve, with the direction in which φ is stretched.
#[derive(Clone, Debug)]
pub(super) struct Values {
    pub parameters: Vec<f64>,
    /// Whether the factor of φ is positive.
    pub rises: bool,
}

impl Values {
    /// Those of a fit. Of two equal curves `a + bφ(z)` and `a′ − bφ(−z)` the rising one is taken.
    pub fn of(plan: &Plan, report: &Report) -> Values {
        let Scale { mut offset, mut scale } = report.affine;
        let (mut coefficients, mut intercept) = (report.coefficients.clone(), report.intercept);
        let free = plan.spec().free_response();
        // with one entry, the other must not change
        let mirrored =
            plan.activation().centre().filter(|&centre| free.len() == 2 || (free == ["scale"] && centre == 0.0));
        if let Some(centre) = mirrored.filter(|_| scale < 0.0) {
            (offset, scale, intercept) = (offset + 2.0 * centre * scale, -scale, -intercept);
            coefficients.iter_mut().for_each(|w| *w = -*w);
        }
        let rises = scale >= 0.0;
        let parameters = coefficients.into_iter().chain(plan.has_intercept().then_some(intercept));
        Values { parameters: parameters.chain(response(plan, Scale { offset, scale }, rises)).collect(), rises }
    }
}

/// The free parameters of a response scale.
pub(super) fn response(plan: &Plan, Scale { offset, scale }: Scale, rises: bool) -> Vec<f64> {
    let (left, right) = plan.activation().limits();
    let (below, above) = if rises { (left, right) } else { (right, left) };
    let value = |name: &str| match name {
        "lower" => offset + scale * below,
        "upper" => offset + scale * above,
        "offset" => offset,
        _ => scale,
    };
    plan.spec().free_response().into_iter().map(value).collect()
}

/// The middle of some numbers; none if there are none.
pub(super) fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.retain(|number| number.is_finite());
    numbers.sort_by(f64::total_cmp);
    let (low, high) = (numbers.get(numbers.len().checked_sub(1)? / 2)?, numbers.get(numbers.len() / 2)?);
    Some(0.5 * (low + high))
}
