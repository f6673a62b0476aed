//! The *half* of an effect: the dose at which a curve over the logarithm of a dose is halfway between its asymptotes.

use crate::activation::Preimages;
use crate::plan::Plan;
use crate::table::{Table, Term};

/// `φ(z) = (φ(−∞) + φ(∞))/2`
#[derive(Clone, Copy, Debug)]
pub(super) struct Half {
    z: f64,
    intercept: bool,
}

impl Half {
    /// None if the model is not a bounded curve over the logarithm of one column, or has an offset.
    pub fn of(plan: &Plan, table: &Table) -> Option<Half> {
        let [name] = table.names.as_slice() else { return None };
        let (left, right) = plan.activation().limits();
        if !is_log(name) || table.offsets.is_some() || !(right - left).is_finite() {
            return None;
        }
        match plan.activation().preimages(0.5 * (left + right)) {
            Preimages::One(z) => Some(Half { z, intercept: plan.has_intercept() }),
            _ => None,
        }
    }

    /// `exp((z − b)/w)`
    ///
    /// The dose, and its derivatives by w and b. None if that is not a number above zero.
    pub fn dose(self, coefficients: &[f64], intercept: f64) -> Option<(f64, Vec<f64>)> {
        let w = coefficients.first().copied()?;
        let logarithm = (self.z - intercept) / w;
        let value = logarithm.exp();
        if !value.is_finite() || value == 0.0 {
            return None;
        }
        let mut gradient = vec![-value * logarithm / w];
        gradient.extend(self.intercept.then_some(-value / w));
        Some((value, gradient))
    }
}

/// Whether a covariate of this name is the logarithm of one column.
pub(super) fn is_log(name: &str) -> bool {
    Term::parse(name).is_ok_and(|term| term.logarithm_of().is_some())
}

impl Plan {
    /// Whether curves of this table have an [ec50](crate::groups::Curve::ec50).
    pub fn has_ec50(&self, table: &Table) -> bool {
        Half::of(self, table).is_some()
    }
}
