//! The *path* of Algorithm 1, leg by leg: how near the model is at least, and the temperature and step that this allows.
//!
//! ```text
//! r_0 = 2R,   r_{t+1} = r_t·exp(−λ/2Λ),   τ_t = τ_{r_t},   η_t = 1/Λ,   β_t = τ_{t+1}/τ_t
//! ```
//!
//! The theorem contracts ‖w − w_*‖², so that r shrinks by the root of it; the printed β_t = exp(λ/Λ) forgets this, and the
//! temperature would outrun the ball. Reference: `algo:main`, `thm:conv-main-sigmoid`.

use crate::theory::{Constants, Setting, Statement};

/// Steps beyond which a prediction is of no use.
pub const MOST_STEPS: usize = 5_000_000;

/// One step of Algorithm 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// r_t: the step begins within this distance of w_*.
    pub radius: f64,
    /// τ_t.
    pub tau: f64,
    /// β_t, by which the temperature rises after the step.
    pub beta: f64,
    /// η_t = 1/Λ̂, in the scale of L̂_τ.
    pub eta: f64,
    /// λ̂ and Λ̂ at (r_t, τ_t).
    pub constants: Constants,
}

/// The legs, without end; each is computed when it is asked for.
#[derive(Clone, Debug)]
pub struct Path<'a> {
    setting: &'a Setting,
    statement: Statement,
    radius: f64,
    tau: f64,
}

impl Setting {
    /// The path from anywhere within 2R of w_*.
    pub fn path(&self) -> Path<'_> {
        self.path_from(2.0 * self.radius)
    }

    /// The path from anywhere within 2R of w_* by either statement. Both begin at the corrected temperature: the printed one
    /// is "up to universal constants".
    pub fn path_of(&self, statement: Statement) -> Path<'_> {
        Path { statement, ..self.path() }
    }

    /// The path from anywhere within `r` of w_*.
    pub fn path_from(&self, r: f64) -> Path<'_> {
        Path { setting: self, statement: Statement::Corrected, radius: r, tau: self.temperature(r, 1.0) }
    }

    /// Steps after which the path is within each of these distances, which fall; none where [`MOST_STEPS`] are not enough.
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
        // where nothing is left of the convexity, nothing is promised and nothing moves
        let ratio = constants.ratio().max(0.0);
        self.radius = radius * (-0.5 * ratio).exp();
        self.tau = match self.statement {
            Statement::Corrected => self.setting.temperature(self.radius, tau),
            Statement::Printed => (tau * ratio.exp()).min(self.setting.printed_caps().strictest()),
        };
        Some(Leg { radius, tau, beta: self.tau / tau, eta: 1.0 / constants.smoothness, constants })
    }
}
