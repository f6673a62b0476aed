//! The *delta method*: the standard error of a smooth function of the coefficients, from its gradient.

use crate::inference::{Estimate, Inference};

/// A step of the differences, as a share of the standard error and of the size of a coefficient. The error of the
/// differences is of the fourth order in it.
const STEP_IN_ERRORS: f64 = 1e-2;
const STEP_IN_SIZES: f64 = 2e-4;

impl Inference<'_> {
    /// `f(β) ± √(∇fᵀ·V·∇f)`
    ///
    /// The value and standard error of a smooth function of coefficients and intercept, which are in the user's units. The
    /// gradient is computed by differences; nine digits of it are right for an ordinary function.
    ///
    /// Reference: Cramér (1946), section 28.4.
    pub fn function(&self, f: impl Fn(&[f64]) -> f64) -> Estimate {
        let gradient: Vec<f64> = (0..self.values.len()).map(|entry| self.derivative(&f, entry)).collect();
        self.function_with_gradient(f(&self.values), &gradient)
    }

    /// As [`Inference::function`], with the value and the gradient at the coefficients.
    pub fn function_with_gradient(&self, value: f64, gradient: &[f64]) -> Estimate {
        self.estimate(value, &self.units.pull_back(gradient))
    }

    /// ∂f/∂β of an entry, by differences of the fourth order.
    fn derivative(&self, f: &impl Fn(&[f64]) -> f64, entry: usize) -> f64 {
        let own = self.values.get(entry).copied().unwrap_or(0.0);
        let error = self.covariance.quadratic(&self.units.row(entry)).max(0.0).sqrt();
        // the coefficient of a constant column is not estimated
        if error == 0.0 {
            return 0.0;
        }
        let step = f64::max(STEP_IN_ERRORS * error, STEP_IN_SIZES * own.abs());
        let at = |steps: f64| {
            let mut beta = self.values.clone();
            beta[entry] = own + steps * step;
            (f(&beta), beta[entry] - own)
        };
        let [(ahead, far), (behind, back)] = [1.0, -1.0].map(at);
        let [(further, _), (before, _)] = [2.0, -2.0].map(at);
        // the step as it was rounded
        (8.0 * (ahead - behind) - (further - before)) / (6.0 * (far - back))
    }
}
