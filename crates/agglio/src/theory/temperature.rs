//! The *temperature* τ_r of a ball of radius r is the highest at which the theory leaves half of the convexity.

use crate::theory::Setting;

impl Setting {
    /// Maximum number of Newton steps, which no start reaches.
    const MOST_ROUNDS: usize = 100;

    /// The largest τ up to the cap with 2τbL·2√(2/π)·r·s ≤ least(c)/2. With noise the factor is a third instead of a
    /// half, and another third is for the noise, at the same c. `near` is the start of the search.
    ///
    /// As a function of u = ln τ, ln(left side) − ln(right side) is convex and increasing, so Newton's iteration
    /// converges from any start. Reference: `lem:sigmoid-elsc`, whose min(e^{−R}/3r, 1) is "up to universal constants".
    pub fn temperature(&self, r: f64, near: f64) -> f64 {
        let cap = self.caps().strictest();
        let [below, above] = self.stray();
        let noise = self.noise_term();
        let share: f64 = if noise > 0.0 { 3.0 } else { 2.0 };
        let load = self.second_order_factor(self.envelope.largest_slope) * self.distance_term(r).max(noise);
        let constant = (share * load * above / below).ln();
        let excess = |tau: f64, u: f64| u + constant - self.envelope.ln_least(self.reach(r, tau));
        if excess(cap, cap.ln()) <= 0.0 {
            return cap;
        }
        let mut u = near.min(cap).ln();
        for _ in 0..Self::MOST_ROUNDS {
            let tau = u.exp();
            let step = excess(tau, u) / (1.0 + self.envelope.steepness(self.reach(r, tau)));
            u -= step;
            if step.abs() <= 1e-12 {
                break;
            }
        }
        u.exp().min(cap)
    }
}
