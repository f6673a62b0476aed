//! The *half* of an effect: the dose at which a curve over the logarithm of a dose is halfway between its asymptotes.

use crate::inference::{level, position};
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
        if !is_log(name) || table.offsets.is_some() {
            return None;
        }
        // half of the way is the same point from either side
        let z = level(plan.activation(), true, 50.0)?;
        Some(Half { z, intercept: plan.has_intercept() })
    }

    /// `exp((z − c)/w)`
    ///
    /// The dose, and its derivatives by w and the intercept c. None if that is not a number above zero.
    pub fn dose(self, coefficients: &[f64], intercept: f64) -> Option<(f64, Vec<f64>)> {
        let (logarithm, gradient) = position(*coefficients.first()?, self.intercept.then_some(intercept), self.z);
        let value = logarithm.exp();
        let is_dose = value.is_finite() && value > 0.0;
        is_dose.then(|| (value, gradient.into_iter().map(|own| value * own).collect()))
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
