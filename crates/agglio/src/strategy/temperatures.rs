//! The *temperatures* that options ask for: where the path ends, which the place of the noise decides, where it begins, and how
//! fast it rises.

use crate::error::{Error, ErrorKind, Result};
use crate::outcome::Noise;
use crate::solver::Solver;
use crate::strategy::Options;

impl Options {
    /// Noise model = temperature cap; an explicit cap wins.
    pub(super) fn last_temperature(&self) -> Result<f64> {
        match (self.tau_max, self.noise) {
            (Some(tau_max), _) if (0.0..=1.0).contains(&tau_max) => Ok(tau_max),
            (Some(tau_max), _) => Err(Error::parameter("tau-max", tau_max, "it must be between 0 and 1")),
            // the theory caps the temperature by the size of the noise
            (None, Some(Noise::Pre)) if self.solver != Solver::Theory => Ok(0.0),
            (None, _) => Ok(1.0),
        }
    }

    /// The first temperature, where it was given, and the increment a stage.
    pub(super) fn temperatures(&self, tau_max: f64) -> Result<(Option<f64>, f64)> {
        if tau_max == 0.0 && (self.tau0.is_some() || self.beta.is_some()) {
            return Err(ErrorKind::Incompatible {
                one: "tau0 or beta".into(),
                other: "a last temperature of 0".into(),
                reason: "the fit begins and ends at τ = 0, so there is nothing to graduate".into(),
            }
            .into());
        }
        if let Some(tau0) = self.tau0.filter(|&tau0| !(tau0 > 0.0 && tau0 <= tau_max)) {
            return Err(Error::parameter(
                "tau0",
                tau0,
                &format!("it must be above 0 and at most {tau_max}, the last temperature"),
            ));
        }
        let beta = self.beta.unwrap_or(1.05);
        if !(beta > 1.0 && beta.is_finite()) {
            return Err(Error::parameter(
                "beta",
                beta,
                "it must be finite and above 1, or the temperature never rises",
            ));
        }
        Ok((self.tau0, beta))
    }

    /// Solver `auto` compares both places of the noise unless it is told where to end. A penalty or a ball shrinks the two
    /// fits by different amounts, so that their likelihoods cannot be compared.
    pub(super) fn compares(&self) -> bool {
        let free = self.tau_max.is_none() && self.noise != Some(Noise::Pre);
        free && self.solver == Solver::Auto && self.l2 == 0.0 && self.radius.is_none()
    }
}
