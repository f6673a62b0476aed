//! The *constants* of the theory are the smallest and largest curvature of L̂_τ in the ball of radius r around w_*.
//!
//! ```text
//! λ̂ = s²·[ least(c) − 2τbL·(2√(2/π)·r·s + N) ]
//! Λ̂ = s²·[ most     + 2τbL·(2√(2/π)·r·s + N) ],        c = τ·(R + r)·s
//! ```
//!
//! The Hessian is (2/n)Σ(φ̂′² + (φ̂ − y^τ)φ̂″)xxᵀ. Its first term lies between the bounds of the envelope. The absolute
//! value of the second is at most 2τbL|z − ẑ|, with E|xᵀδ|(xᵀv)² ≤ 2√(2/π)·‖δ‖. For a sample, `least` is multiplied by
//! (1 − q)² and all other terms by (1 + q)². Reference: Table 1 (`tab:elsc-elss`), appendices `app:app-elsc-elss`,
//! `app:app-noisy`.

use std::f64::consts::FRAC_2_PI;

use crate::theory::Setting;

/// λ̂ and Λ̂ for L̂_τ. Those of the paper are γ² times as large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constants {
    /// λ̂, the strong convexity. If it is not positive, the theory gives no guarantee.
    pub convexity: f64,
    /// Λ̂, the smoothness.
    pub smoothness: f64,
}

/// The version of the constants and of the schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Statement {
    /// The constants that hold: [`Setting::constants`], with temperatures that follow the radius of the ball.
    #[default]
    Corrected,
    /// The constants as the paper prints them: [`Setting::printed`]. Temperatures grow by β_t = exp(λ/Λ) in Algorithm 1
    /// and by β in Algorithm 2. They may grow too fast, and stop where no convexity is left.
    Printed,
}

impl Constants {
    /// λ/Λ. The factor γ² cancels.
    pub fn ratio(&self) -> f64 {
        self.convexity / self.smoothness
    }
}

impl Setting {
    /// λ̂ and Λ̂ in the ball of radius `r`, by either version.
    pub fn constants_of(&self, statement: Statement, r: f64, tau: f64) -> Constants {
        match statement {
            Statement::Corrected => self.constants(r, tau),
            Statement::Printed => self.printed(r, tau),
        }
    }

    /// λ̂ and Λ̂ in the ball of radius `r`, corrected.
    pub fn constants(&self, r: f64, tau: f64) -> Constants {
        let second_order =
            tau * self.second_order_factor(self.envelope.largest_slope) * (self.distance_term(r) + self.noise_term());
        let (least, most) = (self.envelope.least(self.reach(r, tau)), self.envelope.most);
        let [below, above] = self.stray();
        self.in_units(below * least - above * second_order, above * (most + second_order))
    }

    /// λ̂ and Λ̂ of the population as the paper prints them. Λ̂ is not a bound for softplus and leaky softplus, nor for
    /// the sigmoid if τ(R + r) > 59. The leaky softplus is assumed to be 1-Lipschitz.
    pub fn printed(&self, r: f64, tau: f64) -> Constants {
        let second_order =
            tau * self.second_order_factor(self.envelope.printed_slope()) * (self.distance_term(r) + self.noise_term());
        let c = self.reach(r, tau);
        self.in_units(self.envelope.least(c) - second_order, self.envelope.printed_most(c) + second_order)
    }

    /// 2bL.
    pub(super) fn second_order_factor(&self, slope: f64) -> f64 {
        2.0 * self.envelope.largest_second_derivative * slope
    }

    /// 2√(2/π)·r·s, the bound on E|xᵀδ|(xᵀv)² for ‖δ‖ ≤ r.
    pub(super) fn distance_term(&self, r: f64) -> f64 {
        2.0 * FRAC_2_PI.sqrt() * r * self.sigma
    }

    /// c = τ·m_r·s with m_r = R + r.
    pub(super) fn reach(&self, r: f64, tau: f64) -> f64 {
        tau * (self.radius + r) * self.sigma
    }

    /// (1 − q)² and (1 + q)².
    pub(super) fn stray(&self) -> [f64; 2] {
        [1.0 - self.spread, 1.0 + self.spread].map(|stray| stray * stray)
    }

    fn in_units(&self, convexity: f64, smoothness: f64) -> Constants {
        let unit = self.sigma * self.sigma;
        Constants { convexity: unit * convexity, smoothness: unit * smoothness }
    }
}
