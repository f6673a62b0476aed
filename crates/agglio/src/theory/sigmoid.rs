//! The constants of the *sigmoid* as the paper prints them, "up to universal constants".
//!
//! ```text
//! τ_r = min{e^{−R}/3r, 1},   λ ≥ τ²·e^{−τR}/2,   Λ ≤ τ²·e^{−τR} + τ³R ≤ τ²(1 + R)
//! η = 1/τ²(1 + R),   β = exp(ζ),   ζ = e^{−R}/(1 + R)
//! ```
//!
//! For these Theorem 3 states ‖w_T − w_*‖² ≤ exp(−ζT)·‖w_0 − w_*‖². They are only compared with data, and no solver
//! uses them. Reference: `lem:sigmoid-elsc`, `thm:conv-main-sigmoid`.

use crate::theory::{Constants, Leg};

/// The printed constants for ‖w_*‖ ≤ R.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrintedSigmoid {
    /// R.
    pub radius: f64,
}

impl PrintedSigmoid {
    /// τ_r of the lemma.
    pub fn temperature(&self, r: f64) -> f64 {
        ((-self.radius).exp() / (3.0 * r)).min(1.0)
    }

    /// λ̂ and Λ̂ of the lemma, for L̂_τ = L_τ/τ².
    pub fn constants(&self, tau: f64) -> Constants {
        let main = (-tau * self.radius).exp();
        Constants { convexity: 0.5 * main, smoothness: main + tau * self.radius }
    }

    /// ζ, the rate in Theorem 3 for ‖w − w_*‖².
    pub fn rate(&self) -> f64 {
        (-self.radius).exp() / (1.0 + self.radius)
    }

    /// Algorithm 1 with these constants, from any point within 2R of w_*. In each leg λ̂/Λ̂ is ζ.
    pub fn path(&self) -> impl Iterator<Item = Leg> + use<> {
        let PrintedSigmoid { radius } = *self;
        let (rate, first) = (self.rate(), self.temperature(2.0 * radius));
        let constants = Constants { convexity: rate * (1.0 + radius), smoothness: 1.0 + radius };
        (0..).map(move |step: i32| {
            let steps = f64::from(step);
            let tau = (first * (rate * steps).exp()).min(1.0);
            let beta = rate.exp().min(1.0 / tau);
            Leg { radius: 2.0 * radius * (-0.5 * rate * steps).exp(), tau, beta, eta: 1.0 / (1.0 + radius), constants }
        })
    }
}
