//! An *envelope* is a set of bounds on the derivatives of an activation under Gaussian covariates.
//!
//! ```text
//! least(c) ≤ 2·E φ′(cx)²·(x·v₁ + x′·v₂)² ≤ most,     x, x′ ~ N(0, 1),  v₁² + v₂² = 1
//! ```
//!
//! The constants of the theory depend on the activation only through its envelope. Envelopes are known for the sigmoid,
//! softplus and leaky softplus. Reference: appendix `app:app-elsc-elss` of the paper.

use std::f64::consts::FRAC_2_PI;

/// Bounds on an activation under Gaussian covariates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Envelope {
    /// How the lower bound decreases with c, which is τ·‖w‖ times the standard deviation of a covariate.
    pub fall: Fall,
    /// The factor of the lower bound.
    pub factor: f64,
    /// The upper bound.
    pub most: f64,
    /// L, the largest |φ′|.
    pub largest_slope: f64,
    /// b, a bound on |φ″|.
    pub largest_second_derivative: f64,
    /// K, the Lipschitz constant of φ⁻¹ on the responses φ(z) + noise with |z| ≤ √2 and |noise| ≤ `widest_noise`.
    pub inverse_lipschitz: f64,
    /// The largest noise after φ for which K holds.
    pub widest_noise: f64,
}

/// The shape of a lower bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fall {
    /// √(2/π)·e^{−3c}, for the sigmoid. It is a lower bound of the paper's integral, whose closed form contains erfc.
    Exponential,
    /// 2e⁻⁴/(1 + e^{c²/2})², for softplus and leaky softplus, by Jensen's inequality.
    Jensen,
}

impl Envelope {
    /// ln least(c).
    pub fn ln_least(&self, c: f64) -> f64 {
        let fall = match self.fall {
            Fall::Exponential => 0.5 * FRAC_2_PI.ln() - 3.0 * c,
            Fall::Jensen => std::f64::consts::LN_2 - 4.0 - 2.0 * ln_one_plus_exp(0.5 * c * c),
        };
        fall + self.factor.ln()
    }

    /// −d ln least(c)/d ln c: how fast the lower bound decreases. It is not negative, and increases with c.
    pub fn steepness(&self, c: f64) -> f64 {
        match self.fall {
            Fall::Exponential => 3.0 * c,
            Fall::Jensen => 2.0 * c * c / (1.0 + (-0.5 * c * c).exp()),
        }
    }

    /// The lower bound.
    pub fn least(&self, c: f64) -> f64 {
        self.ln_least(c).exp()
    }

    /// The upper bound as the paper prints it, which is not a bound. For the sigmoid, √(2/π)·e^{−c/10} is too low for
    /// c > 59; for softplus and leaky softplus the paper prints the lower bound.
    pub fn printed_most(&self, c: f64) -> f64 {
        match self.fall {
            Fall::Exponential => (0.5 * FRAC_2_PI.ln() - 0.1 * c).exp(),
            Fall::Jensen => self.least(c),
        }
    }

    /// L as the paper prints it: 1 for softplus and leaky softplus, though the largest derivative of the leaky one is
    /// larger.
    pub fn printed_slope(&self) -> f64 {
        self.largest_slope.min(1.0)
    }
}

fn ln_one_plus_exp(t: f64) -> f64 {
    t.max(0.0) + (-t.abs()).exp().ln_1p()
}
