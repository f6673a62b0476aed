//! A *strategy* decides which runs of the loop to make, from where, and which result to keep.

mod auto;
mod dip;
mod heat;
mod irls;
mod linear;
mod noise;
mod options;
mod plan;
mod printed;
mod restarts;
mod single;
mod start;

pub(crate) use heat::{Ended, Reached};
pub(crate) use noise::unbiased;
pub use noise::{LogLikelihoods, Noise};
pub use options::Options;
pub use plan::Plan;
pub use restarts::Restarts;
pub use start::Start;

use crate::certificate::Certificate;
use crate::fit::Outcome;
use crate::oracle::Fold;

/// What a strategy keeps.
struct Found {
    outcome: Outcome,
    /// Standard deviation of noise before φ, where the fit ends at τ = 0.
    deviation: Option<f64>,
    log_likelihoods: Option<LogLikelihoods>,
    /// Runs that ended as low as the one kept, of how many.
    restarts: Option<(usize, usize)>,
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
        Found { outcome, deviation: None, log_likelihoods: None, restarts: None, linear_loss: None, certificate: None }
    }
}
