//! An *epoch* of Algorithm 2 is a sequence of stochastic steps at one temperature. This module computes its length.
//!
//! ```text
//! r_{t+1} = r_t/β,   η_t = min{r²λ²/(2β²Λs²), 1/Λ},   ε_t = η_tΛs²/(2λ)
//! I_t = 2·ln(T/δ)·(1 + ln(2Bλ/(η_tΛs²))/(η_tλ))²
//! ```
//!
//! s² bounds the variance of a stochastic gradient and B bounds the loss, both at distance r from w_*. An epoch ends
//! after I_t steps, or when the loss is at most 2ε_t. Reference: `algo:sgd`, `thm:conv-sgd-sigmoid`.

use crate::theory::{Constants, Setting, Statement};

/// β, the factor by which r shrinks in an epoch.
pub const INCREMENT: f64 = 1.1;

/// δ, the probability that the guarantee fails in any epoch.
const FAILURE: f64 = 0.01;

/// Bounds at distance r from w_*, for L̂_τ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// s²: the largest E‖g‖² − ‖∇L̂_τ‖² of a stochastic gradient g.
    pub variance: f64,
    /// B: the largest L̂_τ.
    pub loss: f64,
}

/// One epoch of Algorithm 2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    /// r_t: the distance to w_* is at most r_t at the start of the epoch, and at most r_t/β at its end.
    pub radius: f64,
    /// τ_t.
    pub tau: f64,
    /// η_t, the learning rate for L̂_τ.
    pub eta: f64,
    /// 2ε_t: the epoch ends when L̂_τ is at most this.
    pub enough: f64,
    /// I_t, which may be larger than the largest integer.
    pub steps: f64,
    /// λ̂ and Λ̂ at (r_t, τ_t).
    pub constants: Constants,
}

impl Setting {
    /// `count` epochs from a point within 2R of w_*; `sphere` returns the bounds at (r, τ).
    pub fn epochs(&self, count: usize, sphere: impl FnMut(f64, f64) -> Sphere) -> Vec<Epoch> {
        self.epochs_of(Statement::Corrected, count, sphere)
    }

    /// As [`Setting::epochs`], by either version. The printed temperatures grow by β, and the epochs end when no
    /// convexity is left.
    pub fn epochs_of(
        &self,
        statement: Statement,
        count: usize,
        mut sphere: impl FnMut(f64, f64) -> Sphere,
    ) -> Vec<Epoch> {
        let (mut radius, mut tau) = (2.0 * self.radius, self.temperature(2.0 * self.radius, 1.0));
        let certainty = (count as f64 / FAILURE).ln();
        let epoch = |_| {
            let constants = self.constants_of(statement, radius, tau);
            let epoch = epoch(radius, tau, constants, sphere(radius, tau), certainty);
            radius /= INCREMENT;
            tau = match statement {
                Statement::Corrected => self.temperature(radius, tau),
                Statement::Printed => (tau * INCREMENT).min(self.printed_caps().strictest()),
            };
            epoch
        };
        (0..count).map(epoch).take_while(|epoch| epoch.constants.convexity > 0.0).collect()
    }

    /// Bounds at distance `r` without data, for batches of one row of `features` covariates and labels without noise:
    /// s² ≤ 4L⁴s⁴r²(d + 2) and B ≤ L²s²r². The residual is at most L|xᵀ(w − w_*)|, and E(xᵀδ)²‖x‖² = s⁴‖δ‖²(d + 2).
    pub fn sphere(&self, r: f64, features: usize) -> Sphere {
        let square = (self.envelope.largest_slope * self.sigma * r).powi(2);
        let steep = (self.envelope.largest_slope * self.sigma).powi(2);
        Sphere { variance: 4.0 * square * steep * (features as f64 + 2.0), loss: square }
    }
}

/// The epoch at (r, τ), for these constants and bounds.
fn epoch(radius: f64, tau: f64, constants: Constants, sphere: Sphere, certainty: f64) -> Epoch {
    let Constants { convexity, smoothness } = constants;
    let needed = (radius * convexity / INCREMENT).powi(2) / (2.0 * smoothness * sphere.variance);
    let eta = needed.min(1.0 / smoothness);
    let enough = eta * smoothness * sphere.variance / convexity;
    let rounds = 1.0 + (2.0 * sphere.loss / enough).ln().max(0.0) / (eta * convexity);
    Epoch { radius, tau, eta, enough, steps: 2.0 * certainty * rounds * rounds, constants }
}
