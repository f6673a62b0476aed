//! The *delta method*: the standard error of a smooth function of the coefficients, from its gradient.

use crate::inference::{Estimate, Inference};
use crate::math::linalg::Symmetric;

/// A step of the differences, in standard deviations and in sizes of a coefficient. The error of the differences is of the
/// fourth order in it.
const STEP_IN_ERRORS: f64 = 1e-2;
const STEP_IN_SIZES: f64 = 2e-4;

impl Inference<'_> {
    /// `f(β) ± √(Σ_k (∂f/∂u_k)²)`, with `V = Σ_k u_k·u_kᵀ`
    ///
    /// The value and standard error of a smooth function of coefficients, intercept and free response scale, which are in the
    /// user's units. It is differentiated along the principal directions of the covariance. Coefficients that are far apart
    /// in size, or nearly collinear, then lose no digits. The derivatives are differences; nine digits of them are right for
    /// an ordinary function.
    ///
    /// Reference: Cramér (1946), section 28.4.
    pub fn function(&self, f: impl Fn(&[f64]) -> f64) -> Estimate {
        let directions = self.directions.iter().map(|u| self.derivative(&f, u));
        let error = directions.map(|derivative| derivative * derivative).sum::<f64>().sqrt();
        Estimate { value: f(&self.values), standard_error: Some(error), df: self.degrees_of_freedom() }
    }

    /// As [`Inference::function`], with the value and the gradient at the coefficients.
    pub fn function_with_gradient(&self, value: f64, gradient: &[f64]) -> Estimate {
        self.estimate(value, &self.units.pull_back(gradient))
    }

    /// The covariance of functions with these gradients at the coefficients.
    pub(crate) fn covariance_of(&self, gradients: &[Vec<f64>]) -> Symmetric {
        let own: Vec<Vec<f64>> = gradients.iter().map(|gradient| self.units.pull_back(gradient)).collect();
        let mut covariance = Symmetric::zero(own.len());
        for (i, row) in own.iter().enumerate() {
            let product = self.covariance.times(row);
            let inner = |other: &Vec<f64>| other.iter().zip(&product).map(|(other, own)| other * own).sum();
            own.iter().take(i + 1).enumerate().for_each(|(j, other)| covariance.set(i, j, inner(other)));
        }
        covariance
    }

    /// The derivative of f along a direction of β, by differences of the fourth order.
    fn derivative(&self, f: &impl Fn(&[f64]) -> f64, u: &[f64]) -> f64 {
        let relative = u.iter().zip(&self.values).filter(|(_, beta)| **beta != 0.0).map(|(u, beta)| (u / beta).abs());
        let largest = relative.fold(0.0, f64::max);
        let step =
            if largest > 0.0 { f64::max(STEP_IN_ERRORS, (STEP_IN_SIZES / largest).min(1.0)) } else { STEP_IN_ERRORS };
        let at = |steps: f64| {
            let beta: Vec<f64> = self.values.iter().zip(u).map(|(beta, u)| beta + steps * step * u).collect();
            f(&beta)
        };
        (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * step)
    }
}
