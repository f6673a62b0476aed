//! An *error* bound is the distance to w_* that the theory guarantees under noise, which caps the temperature.
//!
//! ```text
//! ‖w̃ − w_*‖ ≤ ‖∇L̂_τ(w_*)‖/λ̂,     ‖∇L̂_τ(w_*)‖ ≤ (2/n)·‖X‖·L·√Q
//! ```
//!
//! w̃ is the minimum at the last temperature. On the way to it, noise adds at most ‖∇L̂_τ(w_*)‖/Λ̂ to the distance
//! after a step.

use crate::theory::{Leg, MOST_STEPS, Perturbation, Setting};

/// Bounds on the effect of noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Errors {
    /// ‖∇L̂_τ(w_*)‖ at every temperature.
    pub gradient: f64,
    /// ‖∇L̂_τ(w_*)‖/λ̂, the distance in `thm:conv-noisy-sigmoid`, where the path reaches its last temperature. None if
    /// it is larger than the radius for which λ̂ holds: the minimum need not lie in that ball.
    pub capped: Option<f64>,
    /// ς√(d/n), the rate of the distance in `thm:consistent-post-noisy-sigmoid`, up to an unknown constant.
    pub rate: f64,
}

/// ς, and the largest ‖∇L̂_τ(w_*)‖.
struct Residuals {
    scale: f64,
    gradient: f64,
}

/// The part of the path of Algorithm 1 on which the distance to w_* is guaranteed to decrease under noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approach {
    /// Number of steps with a guarantee.
    pub steps: usize,
    /// r after these steps: an upper bound on the distance to w_*.
    pub radius: f64,
}

impl Setting {
    /// The steps of the path that contract in spite of noise: those that begin at r ≥ 2‖∇L̂_τ(w_*)‖/λ̂. None without
    /// noise, where all steps contract, and none if [`MOST_STEPS`] steps do.
    ///
    /// A step of 1/Λ̂ takes a distance r to at most (1 − λ̂/Λ̂)·r + ‖∇L̂_τ(w_*)‖/Λ̂. For such an r this is below
    /// r·exp(−λ̂/2Λ̂).
    pub fn approach(&self) -> Option<Approach> {
        let noise = 2.0 * self.residuals()?.gradient;
        let outweighed = |(_, leg): &(usize, Leg)| noise > leg.constants.convexity * leg.radius;
        let (steps, leg) = self.path().take(MOST_STEPS + 1).enumerate().find(outweighed)?;
        Some(Approach { steps, radius: leg.radius })
    }

    /// The bounds for a sample of this size; none without noise, where the error goes to zero.
    ///
    /// The gradient at w_* is at most (2/n)·‖X‖·L·√Q with ‖X‖ ≤ s√(5n). Q, the sum of the squared residuals, is at most
    /// 5nL²ς² under noise before φ and nL²K²ς² under noise after φ; the paper prints K for K². Reference: appendix
    /// `app:conv-rate-noisy`.
    pub fn errors(&self, rows: usize, features: usize) -> Option<Errors> {
        let Residuals { scale, gradient } = self.residuals()?;
        let arrival = self.arrival();
        let constants = self.constants(arrival, self.temperature(arrival, 1.0));
        let rate = scale * (features as f64 / rows as f64).sqrt();
        let capped = Some(gradient / constants.convexity).filter(|&distance| distance <= arrival);
        Some(Errors { gradient, capped, rate })
    }

    /// The residuals that noise leaves at w_*; none without noise.
    fn residuals(&self) -> Option<Residuals> {
        let slope = self.envelope.largest_slope;
        let (scale, residual) = match self.noise {
            Perturbation::None => return None,
            Perturbation::Pre(scale) => (scale, 5.0_f64.sqrt() * slope * scale),
            Perturbation::Post(width) => (width, slope * self.envelope.inverse_lipschitz * width),
        };
        Some(Residuals { scale, gradient: 2.0 * self.sigma * 5.0_f64.sqrt() * slope * residual })
    }

    /// The largest r ≤ 2R at which the temperature has its last value.
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
