//! The *errors* that the theory promises where noise caps the temperature.
//!
//! ```text
//! ‖w̃ − w_*‖ ≤ ‖∇L̂_τ(w_*)‖/λ̂,     ‖∇L̂_τ(w_*)‖ ≤ (2/n)·‖X‖·L·√Q
//! ```
//!
//! with w̃ the minimum at the last temperature. On the way there noise adds up to ‖∇L̂_τ(w_*)‖/Λ̂ to the distance that a step
//! leaves.

use crate::theory::{Leg, MOST_STEPS, Perturbation, Setting};

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

/// ς, and the largest ‖∇L̂_τ(w_*)‖.
struct Residuals {
    scale: f64,
    gradient: f64,
}

/// How far the path of Algorithm 1 leads towards w_* for certain, whatever the noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approach {
    /// Steps that keep their promise.
    pub steps: usize,
    /// r after them: the model is within this distance of w_*.
    pub radius: f64,
}

impl Setting {
    /// The steps of the path that contract as promised in spite of noise: those that begin at an r of at least
    /// 2‖∇L̂_τ(w_*)‖/λ̂. None without noise, where all do, and where [`MOST_STEPS`] do.
    ///
    /// A step of 1/Λ̂ takes a distance of r to (1 − λ̂/Λ̂)·r + ‖∇L̂_τ(w_*)‖/Λ̂ at most, which is below r·exp(−λ̂/2Λ̂) there.
    pub fn approach(&self) -> Option<Approach> {
        let noise = 2.0 * self.residuals()?.gradient;
        let outweighed = |(_, leg): &(usize, Leg)| noise > leg.constants.convexity * leg.radius;
        let (steps, leg) = self.path().take(MOST_STEPS + 1).enumerate().find(outweighed)?;
        Some(Approach { steps, radius: leg.radius })
    }

    /// What is promised for a sample of this size; none without noise, where the error goes to zero.
    ///
    /// The gradient at w_* is at most (2/n)·‖X‖·L·√Q with ‖X‖ ≤ s√(5n), and Q, the square of the residuals, at most 5nL²ς²
    /// under noise before φ and nL²K²ς² after it: K² where K is printed. Reference: appendix `app:conv-rate-noisy`.
    pub fn errors(&self, rows: usize, features: usize) -> Option<Errors> {
        let Residuals { scale, gradient } = self.residuals()?;
        let arrival = self.arrival();
        let constants = self.constants(arrival, self.temperature(arrival, 1.0));
        let rate = scale * (features as f64 / rows as f64).sqrt();
        let capped = Some(gradient / constants.convexity).filter(|&distance| distance <= arrival);
        Some(Errors { gradient, capped, rate })
    }

    /// What noise leaves at w_*; nothing without.
    fn residuals(&self) -> Option<Residuals> {
        let slope = self.envelope.largest_slope;
        let (scale, residual) = match self.noise {
            Perturbation::None => return None,
            Perturbation::Pre(scale) => (scale, 5.0_f64.sqrt() * slope * scale),
            Perturbation::Post(width) => (width, slope * self.envelope.inverse_lipschitz * width),
        };
        Some(Residuals { scale, gradient: 2.0 * self.deviation * 5.0_f64.sqrt() * slope * residual })
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
