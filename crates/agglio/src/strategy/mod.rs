//! A *strategy* decides which runs of the loop to make, from where, and which result to keep.

mod auto;
mod effort;
mod irls;
mod linear;
mod lockstep;
mod neighbours;
mod noise;
mod noise_choice;
mod nonmonotone;
mod plan;
mod race;
mod restarts;
mod scan;
mod single;

pub(crate) use lockstep::{Ended, Reached};
use noise::unbiased;
pub use plan::Plan;

pub use crate::spec::{Options, Restarts, Start};

use crate::certificate::Certificate;
use crate::fit::Outcome;
use crate::oracle::Fold;
use crate::outcome::{LogLikelihoods, Noise, Objection};

/// What a strategy keeps.
struct Found {
    outcome: Outcome,
    /// Standard deviation of noise before φ, where the fit ends at τ = 0.
    sigma: Option<f64>,
    log_likelihoods: Option<LogLikelihoods>,
    /// The place of the noise that the rule of noise `auto` chooses, where both were fitted.
    likelier: Option<Noise>,
    /// Why that is not before φ, where there is such a model.
    objection: Option<Objection>,
    /// Runs that ended as low as the one kept, of how many.
    restarts: Option<(usize, usize)>,
    /// The loss at infinity of another run, where that is lower.
    lower_at_infinity: Option<f64>,
    /// Loss of the line at τ = 0 that the path began with.
    linear_loss: Option<f64>,
    /// What was found at the point, once somebody has asked.
    certificate: Option<Certificate>,
}

impl Found {
    /// What is found at the point, which is looked at once.
    fn certificate(&mut self, oracle: &Fold<'_>) -> Certificate {
        if let Some(known) = &self.certificate {
            return known.clone();
        }
        self.certificate.insert(Certificate::examine(oracle, &mut self.outcome)).clone()
    }
}

impl From<Outcome> for Found {
    fn from(outcome: Outcome) -> Found {
        Found {
            outcome,
            sigma: None,
            log_likelihoods: None,
            likelier: None,
            objection: None,
            restarts: None,
            lower_at_infinity: None,
            linear_loss: None,
            certificate: None,
        }
    }
}
