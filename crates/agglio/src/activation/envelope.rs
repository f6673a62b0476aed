//! An *envelope* bounds what the slope and the bend of an activation do to Gaussian covariates.
//!
//! ```text
//! least(c) ≤ 2·E φ′(cx)²·(x·v₁ + x′·v₂)² ≤ most,     x, x′ ~ N(0, 1),  v₁² + v₂² = 1
//! ```
//!
//! The constants of the theory are made of these and of nothing else that belongs to an activation. They are known for
//! the sigmoid and for both softplus. Reference: appendix `app:app-elsc-elss` of the paper.

use std::f64::consts::FRAC_2_PI;

/// Bounds on an activation under Gaussian covariates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Envelope {
    /// How the lower bound falls with c, which is τ·‖w‖ times the deviation of a covariate.
    pub fall: Fall,
    /// What the fall is multiplied by.
    pub factor: f64,
    /// The upper bound.
    pub most: f64,
    /// L, the largest |φ′|.
    pub largest_slope: f64,
    /// b, a bound on |φ″|.
    pub largest_bend: f64,
    /// K, the Lipschitz constant of φ⁻¹ on labels that noise of the width below leaves, for |z| ≤ √2.
    pub inverse_slope: f64,
    /// The largest noise after φ that K is for.
    pub widest_noise: f64,
}

/// The shape of a lower bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fall {
    /// √(2/π)·e^{−3c}, of the sigmoid: the paper's integral has a closed form with erfc, which lies above it.
    Exponential,
    /// 2e⁻⁴/(1 + e^{c²/2})², of both softplus, by the inequality of Jensen.
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

    /// How fast ln least falls as ln c rises, which is not negative and rises with c.
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

    /// What the paper prints as the upper bound, which is none: √(2/π)·e^{−c/10} for the sigmoid is too low for c over 59,
    /// and for both softplus it is the lower bound.
    pub fn printed_most(&self, c: f64) -> f64 {
        match self.fall {
            Fall::Exponential => (0.5 * FRAC_2_PI.ln() - 0.1 * c).exp(),
            Fall::Jensen => self.least(c),
        }
    }

    /// L as printed: 1 for both softplus, though the leaky one is steeper.
    pub fn printed_slope(&self) -> f64 {
        self.largest_slope.min(1.0)
    }
}

fn ln_one_plus_exp(t: f64) -> f64 {
    t.max(0.0) + (-t.abs()).exp().ln_1p()
}
