//! The *constants* of the theory: the least and the greatest curvature of L̂_τ in the ball of radius r around w_*.
//!
//! ```text
//! λ̂ = s²·[ least(c) − 2τbL·(2√(2/π)·r·s + N) ]
//! Λ̂ = s²·[ most     + 2τbL·(2√(2/π)·r·s + N) ],        c = τ·(R + r)·s
//! ```
//!
//! Of the Hessian (2/n)Σ(φ̂′² + (φ̂ − y^τ)φ̂″)xxᵀ the first term lies between the bounds of the envelope, and the second is
//! at most 2τbL|z − ẑ| in size, with E|xᵀδ|(xᵀv)² ≤ 2√(2/π)·‖δ‖. On a sample `least` is multiplied by (1 − q)² and all
//! else by (1 + q)². Reference: Table 1 (`tab:elsc-elss`), appendices `app:app-elsc-elss` and `app:app-noisy`.

use std::f64::consts::FRAC_2_PI;

use crate::theory::Setting;

/// λ̂ and Λ̂, in the scale of L̂_τ; γ² times as much in the paper's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constants {
    /// λ̂, the strong convexity; nothing is promised where it is not above zero.
    pub convexity: f64,
    /// Λ̂, the smoothness.
    pub smoothness: f64,
}

/// Whose constants and schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Statement {
    /// Those that hold: [`Setting::constants`], and temperatures that follow the ball.
    #[default]
    Corrected,
    /// Those of the paper as printed: [`Setting::printed`], and temperatures that rise by β_t = exp(λ/Λ) in Algorithm 1 and
    /// by β in Algorithm 2. They may overshoot, and stall where they leave no convexity.
    Printed,
}

impl Constants {
    /// λ/Λ, which the temperature's factor γ² has no part in.
    pub fn ratio(&self) -> f64 {
        self.convexity / self.smoothness
    }
}

impl Setting {
    /// λ̂ and Λ̂ in the ball of radius `r` by either statement.
    pub fn constants_of(&self, statement: Statement, r: f64, tau: f64) -> Constants {
        match statement {
            Statement::Corrected => self.constants(r, tau),
            Statement::Printed => self.printed(r, tau),
        }
    }

    /// λ̂ and Λ̂ in the ball of radius `r`, corrected.
    pub fn constants(&self, r: f64, tau: f64) -> Constants {
        let bent =
            tau * self.second_derivative(self.envelope.largest_slope) * (self.distance_term(r) + self.noise_term());
        let (least, most) = (self.envelope.least(self.reach(r, tau)), self.envelope.most);
        let [below, above] = self.stray();
        self.in_units(below * least - above * bent, above * (most + bent))
    }

    /// λ̂ and Λ̂ as the paper prints them, over the population: Λ̂ is no bound for both softplus, and none for the sigmoid
    /// where τ(R + r) is over 59; the leaky softplus is taken to be 1-Lipschitz.
    pub fn printed(&self, r: f64, tau: f64) -> Constants {
        let bent =
            tau * self.second_derivative(self.envelope.printed_slope()) * (self.distance_term(r) + self.noise_term());
        let c = self.reach(r, tau);
        self.in_units(self.envelope.least(c) - bent, self.envelope.printed_most(c) + bent)
    }

    /// 2bL.
    pub(super) fn second_derivative(&self, slope: f64) -> f64 {
        2.0 * self.envelope.largest_second_derivative * slope
    }

    /// 2√(2/π)·r·s, the bound on E|xᵀδ|(xᵀv)² for ‖δ‖ ≤ r.
    pub(super) fn distance_term(&self, r: f64) -> f64 {
        2.0 * FRAC_2_PI.sqrt() * r * self.deviation
    }

    /// c = τ·m_r·s with m_r = R + r.
    pub(super) fn reach(&self, r: f64, tau: f64) -> f64 {
        tau * (self.radius + r) * self.deviation
    }

    /// (1 − q)² and (1 + q)².
    pub(super) fn stray(&self) -> [f64; 2] {
        [1.0 - self.spread, 1.0 + self.spread].map(|stray| stray * stray)
    }

    fn in_units(&self, convexity: f64, smoothness: f64) -> Constants {
        let unit = self.deviation * self.deviation;
        Constants { convexity: unit * convexity, smoothness: unit * smoothness }
    }
}
