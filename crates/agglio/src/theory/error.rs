//! The *errors* that the theory promises where noise caps the temperature.
//!
//! ```text
//! ‖w̃ − w_*‖ ≤ ‖∇L̂_τ(w_*)‖/λ̂,     ‖∇L̂_τ(w_*)‖ ≤ (2/n)·‖X‖·L·√Q
//! ```
//!
//! with w̃ the minimum at the last temperature.

use crate::theory::{Perturbation, Setting};

/// What noise does at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Errors {
    /// ‖∇L̂_τ(w_*)‖ at every temperature.
    pub gradient: f64,
    /// The distance ‖∇L̂_τ(w_*)‖/λ̂ where the path reaches its last temperature, of `thm:conv-noisy-sigmoid`; none if it is
    /// beyond the ball in which λ̂ holds, since the minimum need not be in there then.
    pub capped: Option<f64>,
    /// ς√(d/n), the rate of the distance of `thm:consistent-post-noisy-sigmoid`, whose constant is not known.
    pub rate: f64,
}

impl Setting {
    /// What is promised for a sample of this size; none without noise, where the error goes to zero.
    ///
    /// The gradient at w_* is at most (2/n)·‖X‖·L·√Q with ‖X‖ ≤ s√(5n), and Q, the square of the residuals, at most 5nL²ς²
    /// under noise before φ and nL²K²ς² after it: K² where K is printed. Reference: appendix `app:conv-rate-noisy`.
    pub fn errors(&self, rows: usize, features: usize) -> Option<Errors> {
        let slope = self.envelope.largest_slope;
        let (scale, residual) = match self.noise {
            Perturbation::None => return None,
            Perturbation::Pre(scale) => (scale, 5.0_f64.sqrt() * slope * scale),
            Perturbation::Post(width) => (width, slope * self.envelope.inverse_slope * width),
        };
        let gradient = 2.0 * self.deviation * 5.0_f64.sqrt() * slope * residual;
        let arrival = self.arrival();
        let constants = self.constants(arrival, self.temperature(arrival, 1.0));
        let rate = scale * (features as f64 / rows as f64).sqrt();
        let capped = Some(gradient / constants.convexity).filter(|&distance| distance <= arrival);
        Some(Errors { gradient, capped, rate })
    }

    /// The largest r up to 2R at which the temperature is the last one.
    fn arrival(&self) -> f64 {
        let last = self.temperature(0.0, 1.0) * (1.0 - 1e-9);
        let (mut near, mut far) = (0.0, 2.0 * self.radius);
        if self.temperature(far, 1.0) >= last {
            return far;
        }
        for _ in 0..60 {
            let middle = 0.5 * (near + far);
            match self.temperature(middle, 1.0) >= last {
                true => near = middle,
                false => far = middle,
            }
        }
        near
    }
}
