//! *Nested* models: one is a special case of the other, so a test can say whether the larger one is needed.
//!
//! A model contains another one if it has the same activation and loss, at least the same covariates, an intercept if the other
//! one has it, and a response scale with at least the same freedom. A fixed offset is a covariate with the coefficient 1, so a
//! model in which it is a covariate contains the one in which it is the offset.

use std::sync::Arc;

use crate::plan::Plan;
use crate::spec::{Entry, Pair, Spec};
use crate::table::Part;

/// Two numbers that differ by less than this share of their size differ by rounding.
const ROUNDING: f64 = 1e-12;

/// A model whose covariates are positions in one table: what is needed to find out whether it contains another one.
///
/// # Examples
///
/// ```
/// use agglio::{Curve, nested::Structure, table::Part};
///
/// let dose = Part { covariates: vec![0], offset: None };
/// let plan = |name: &str| name.parse::<Curve>()?.options()?.build();
/// let [three, four] = [plan("LL.3")?, plan("LL.4")?];
/// let [three, four] = [&three, &four].map(|plan| Structure::new(plan, &dose));
/// assert!(four.contains(&three) && !three.contains(&four));
/// # Ok::<(), agglio::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Structure<'a> {
    plan: &'a Plan,
    part: &'a Part,
}

impl<'a> Structure<'a> {
    /// The model of a plan with these covariates.
    pub fn new(plan: &'a Plan, part: &'a Part) -> Structure<'a> {
        Structure { plan, part }
    }

    /// Whether the other model is certainly a special case of this one. It is, too, if both are the same model.
    pub fn contains(&self, other: &Structure<'_>) -> bool {
        let (own, its) = (self.plan.spec(), other.plan.spec());
        self.has_curve_of(other)
            && own.loss() == its.loss()
            && (own.intercept != Some(false) || its.intercept == Some(false))
            && other.part.covariates.iter().all(|column| self.part.covariates.contains(column))
            && self.contains_offset(other.part.offset)
            && self.scales().contain(&other.scales())
    }

    /// Whether criteria such as AIC compare the two models: under noise before φ the response is φ⁻¹(y), which must be the same.
    pub fn is_comparable(&self, other: &Structure<'_>) -> bool {
        let linear = |own: &Structure<'_>| own.plan.is_linear();
        let same_scale = self.scales().contain(&other.scales()) && other.scales().contain(&self.scales());
        linear(self) == linear(other) && (!linear(self) || self.has_curve_of(other) && same_scale)
    }

    fn has_curve_of(&self, other: &Structure<'_>) -> bool {
        // a name need not show all parameters of an activation
        Arc::ptr_eq(self.plan.shared_activation(), other.plan.shared_activation())
    }

    fn contains_offset(&self, offset: Option<usize>) -> bool {
        let is_covariate = |column: usize| self.part.covariates.contains(&column);
        let free = |offset: Option<usize>| offset.is_none_or(is_covariate);
        self.part.offset == offset || (free(self.part.offset) && free(offset))
    }

    fn scales(&self) -> Scales {
        Scales::of(self.plan.spec(), self.plan.activation().limits())
    }
}

/// `p·a + q·b = value`
#[derive(Clone, Copy, Debug, PartialEq)]
struct Equation {
    p: f64,
    q: f64,
    value: f64,
}

/// The response scales a + b·φ that a model allows: those that solve its equations.
#[derive(Clone, Debug, PartialEq)]
struct Scales {
    equations: Vec<Equation>,
    /// Whether b must be above zero.
    increasing: bool,
}

impl Scales {
    fn of(spec: &Spec, (left, right): (f64, f64)) -> Scales {
        let fixed = Pair(Entry::Fixed(0.0), Entry::Fixed(1.0));
        let (pair, first, second) = match (spec.range, spec.affine) {
            (Some(range), _) => (range, (1.0, left), (1.0, right)),
            (None, affine) => (affine.unwrap_or(fixed), (1.0, 0.0), (0.0, 1.0)),
        };
        let equation = |((p, q), entry): ((f64, f64), Entry)| match entry {
            Entry::Fixed(value) => Some(Equation { p, q, value }),
            Entry::Free => None,
        };
        let equations: Vec<Equation> = [(first, pair.0), (second, pair.1)].into_iter().filter_map(equation).collect();
        // with both ends free they may change places
        let increasing = spec.range.is_some() && equations.len() == 1;
        Scales { equations, increasing }
    }

    fn contain(&self, other: &Scales) -> bool {
        let rises = !self.increasing || other.increasing || other.point().is_some_and(|(_, b)| b > 0.0);
        rises && self.equations.iter().all(|equation| other.implies(equation))
    }

    fn implies(&self, equation: &Equation) -> bool {
        match (self.point(), self.equations.as_slice()) {
            (Some((a, b)), _) => agree(equation.p * a + equation.q * b, equation.value, equation.p * a, equation.q * b),
            (None, [own]) => own.is_that_of(equation),
            _ => false,
        }
    }

    /// The only solution of two equations.
    fn point(&self) -> Option<(f64, f64)> {
        let [one, other] = self.equations.as_slice() else { return None };
        let determinant = one.p * other.q - other.p * one.q;
        let a = (one.value * other.q - other.value * one.q) / determinant;
        let b = (one.p * other.value - other.p * one.value) / determinant;
        Some((a, b)).filter(|(a, b)| a.is_finite() && b.is_finite())
    }
}

impl Equation {
    /// Whether both equations have the same solutions.
    fn is_that_of(&self, other: &Equation) -> bool {
        let same = |own: f64, its: f64| agree(own, its, own, its);
        let [p, q] = [self.p * other.q, self.q * other.p];
        let [on_p, its_p] = [self.p * other.value, self.value * other.p];
        let [on_q, its_q] = [self.q * other.value, self.value * other.q];
        same(p, q) && same(on_p, its_p) && same(on_q, its_q)
    }
}

/// Whether two numbers are equal up to the rounding errors of sums of such parts.
fn agree(one: f64, other: f64, first_part: f64, second_part: f64) -> bool {
    (one - other).abs() <= ROUNDING * (other.abs() + first_part.abs() + second_part.abs())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::activation::named;
    use crate::spec::Options;

    fn plan(activation: &str, keys: &[(&str, &str)]) -> Plan {
        let options = Options::new(named(activation).unwrap());
        keys.iter().fold(options, |options, (key, value)| options.set(key, value).unwrap()).build().unwrap()
    }

    /// Whether the first contains the second, and the second the first.
    fn both(one: &Plan, other: &Plan, parts: [&Part; 2]) -> (bool, bool) {
        let (one, other) = (Structure::new(one, parts[0]), Structure::new(other, parts[1]));
        (one.contains(&other), other.contains(&one))
    }

    #[test]
    fn scales_are_nested_as_sets() {
        let part = Part { covariates: vec![0], offset: None };
        for (activation, one, other, expected) in [
            ("sigmoid", ("range", "free,free"), ("range", "0,free"), (true, false)),
            ("sigmoid", ("range", "0,free"), ("range", "0,100"), (true, false)),
            ("sigmoid", ("range", "0,free"), ("range", "1,100"), (false, false)),
            ("sigmoid", ("range", "0,free"), ("range", "free,100"), (false, false)),
            ("sigmoid", ("range", "0,free"), ("affine", "0,1"), (true, false)),
            ("sigmoid", ("range", "0,free"), ("affine", "0,-1"), (false, false)),
            ("sigmoid", ("affine", "0,free"), ("affine", "0,-1"), (true, false)),
            // a negative scale is in one of them only
            ("sigmoid", ("affine", "0,free"), ("range", "0,free"), (true, false)),
            ("sigmoid", ("affine", "free,free"), ("range", "free,free"), (true, true)),
            ("tanh", ("range", "-0.3,free"), ("range", "-0.3,0.1"), (true, false)),
            ("tanh", ("affine", "free,0.2"), ("range", "-0.3,0.1"), (true, false)),
            ("arctan", ("affine", "0,1"), ("range", "-1.5707963267948966,1.5707963267948966"), (true, true)),
            ("softplus", ("affine", "free,1"), ("affine", "2,1"), (true, false)),
            ("softplus", ("affine", "free,1"), ("affine", "2,2"), (false, false)),
        ] {
            let [one, other] = [one, other].map(|key| plan(activation, &[key]));
            assert_eq!(
                both(&one, &other, [&part, &part]),
                expected,
                "{activation}: {:?} {:?}",
                one.spec(),
                other.spec()
            );
        }
    }

    #[test]
    fn covariates_and_offsets_are_nested() {
        let part = |covariates: &[usize], offset| Part { covariates: covariates.to_vec(), offset };
        let plan = plan("sigmoid", &[]);
        for (one, other, expected) in [
            (part(&[2, 0], None), part(&[0], None), (true, false)),
            (part(&[0], None), part(&[1], None), (false, false)),
            (part(&[0], None), part(&[], Some(0)), (true, false)),
            (part(&[0], Some(1)), part(&[0], None), (false, false)),
            (part(&[0], Some(1)), part(&[], Some(1)), (true, false)),
            (part(&[0, 1], Some(1)), part(&[0], None), (true, false)),
            (part(&[0, 1], None), part(&[0], Some(2)), (false, false)),
        ] {
            assert_eq!(both(&plan, &plan, [&one, &other]), expected, "{one:?} {other:?}");
        }
    }

    #[test]
    fn curves_losses_and_intercepts_must_agree() {
        let part = Part { covariates: vec![0], offset: None };
        let expect = |one: &Plan, other: &Plan, expected| assert_eq!(both(one, other, [&part, &part]), expected);
        let sigmoid = plan("sigmoid", &[]);
        expect(&sigmoid, &plan("probit", &[]), (false, false));
        expect(&sigmoid, &plan("sigmoid", &[("loss", "bernoulli")]), (false, false));
        expect(&sigmoid, &plan("sigmoid", &[("intercept", "false")]), (true, false));
        let [pre, scaled] = ["0,1", "0,2"].map(|range| plan("sigmoid", &[("noise", "pre"), ("range", range)]));
        let [pre, scaled, post] = [&pre, &scaled, &sigmoid].map(|plan| Structure::new(plan, &part));
        assert!(pre.is_comparable(&pre) && !pre.is_comparable(&scaled) && !pre.is_comparable(&post));
    }
}
