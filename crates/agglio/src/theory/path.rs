//! The *path* of Algorithm 1: for each step, an upper bound on the distance to w_*, and the temperature and step
//! length.
//!
//! ```text
//! r_0 = 2R,   r_{t+1} = r_t·exp(−λ/2Λ),   τ_t = τ_{r_t},   η_t = 1/Λ,   β_t = τ_{t+1}/τ_t
//! ```
//!
//! The theorem contracts ‖w − w_*‖², so r shrinks by the square root of that factor. The printed β_t = exp(λ/Λ) ignores
//! the square root, and the temperature would grow too fast for the ball. Reference: `algo:main`,
//! `thm:conv-main-sigmoid`.

use crate::theory::{Constants, Setting, Statement};

/// Maximum number of steps of a prediction.
pub const MOST_STEPS: usize = 5_000_000;

/// One step of Algorithm 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// r_t: the distance to w_* is at most r_t before the step.
    pub radius: f64,
    /// τ_t.
    pub tau: f64,
    /// β_t, the factor by which the temperature grows after the step.
    pub beta: f64,
    /// η_t = 1/Λ̂, the learning rate for L̂_τ.
    pub eta: f64,
    /// λ̂ and Λ̂ at (r_t, τ_t).
    pub constants: Constants,
}

/// An infinite iterator over the steps.
#[derive(Clone, Debug)]
pub struct Path<'a> {
    setting: &'a Setting,
    statement: Statement,
    radius: f64,
    tau: f64,
}

impl Setting {
    /// The path from any point within 2R of w_*.
    pub fn path(&self) -> Path<'_> {
        self.path_from(2.0 * self.radius)
    }

    /// The path from any point within 2R of w_*, by either version. Both begin at the corrected temperature, because
    /// the printed one is only "up to universal constants".
    pub fn path_of(&self, statement: Statement) -> Path<'_> {
        Path { statement, ..self.path() }
    }

    /// The path from any point within `r` of w_*.
    pub fn path_from(&self, r: f64) -> Path<'_> {
        Path { setting: self, statement: Statement::Corrected, radius: r, tau: self.temperature(r, 1.0) }
    }

    /// Number of steps after which the path is within each of these decreasing distances; none if it exceeds
    /// [`MOST_STEPS`].
    pub fn steps(&self, distances: &[f64]) -> Vec<Option<usize>> {
        let mut path = self.path();
        let mut taken = 0;
        let mut reach = |distance: &f64| {
            while path.radius > *distance && taken < MOST_STEPS {
                path.next();
                taken += 1;
            }
            (path.radius <= *distance).then_some(taken)
        };
        distances.iter().map(&mut reach).collect()
    }
}

impl Iterator for Path<'_> {
    type Item = Leg;

    fn next(&mut self) -> Option<Leg> {
        let (radius, tau) = (self.radius, self.tau);
        let constants = self.setting.constants_of(self.statement, radius, tau);
        // without convexity there is no guarantee, so radius and temperature stay as they are
        let ratio = constants.ratio().max(0.0);
        self.radius = radius * (-0.5 * ratio).exp();
        self.tau = match self.statement {
            Statement::Corrected => self.setting.temperature(self.radius, tau),
            Statement::Printed => (tau * ratio.exp()).min(self.setting.printed_caps().strictest()),
        };
        Some(Leg { radius, tau, beta: self.tau / tau, eta: 1.0 / constants.smoothness, constants })
    }
}
