//! The point that a race has *found*, with all that the race knows of it.

use crate::certificate::Certificate;
use crate::error::Result;
use crate::fit::Outcome;
use crate::oracle::{Batch, LabelChoice, Oracle, OracleClient, Query, Want};
use crate::outcome::{LogLikelihoods, Noise, Objection};

/// A point, and all that the race knows of it.
pub(crate) struct Found {
    pub outcome: Outcome,
    /// The graduated labels of the run, which matter below τ = 1.
    pub labels: LabelChoice,
    /// Standard deviation of noise before φ, where the fit ends at τ = 0.
    pub sigma: Option<f64>,
    pub log_likelihoods: Option<LogLikelihoods>,
    /// The place of the noise that the rule of noise `auto` chooses, where both were fitted.
    pub likelier: Option<Noise>,
    /// Why that is not before φ, where there is such a model.
    pub objection: Option<Objection>,
    /// Of the runs beside the one kept, how many ended as low, and how many there are.
    pub restarts: Option<(usize, usize)>,
    /// The loss at infinity of another run, where that is lower.
    pub lower_at_infinity: Option<f64>,
    /// Loss of the line at τ = 0 that the path began with.
    pub linear_loss: Option<f64>,
    /// The certificate of the point, once it was asked for.
    pub certificate: Option<Certificate>,
}

impl Found {
    pub fn new(outcome: Outcome, labels: LabelChoice) -> Found {
        Found {
            outcome,
            labels,
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

    /// The certificate of the point, which is examined once.
    pub fn certificate(&mut self, oracle: &dyn Oracle) -> Result<Certificate> {
        if let Some(known) = &self.certificate {
            return Ok(known.clone());
        }
        let examined = Certificate::examine(&OracleClient::new(oracle, self.labels), &self.outcome)?;
        Ok(self.certificate.insert(examined).clone())
    }

    /// The last step of a fit: where the rows leave directions of θ open, the point of least norm among those that fit as
    /// well. A direction that is open up to rounding of the largest rows may yet matter to the others, so the loss decides.
    pub fn take_least_norm(&mut self, oracle: &dyn Oracle) -> Result<()> {
        let Some(certificate) = &mut self.certificate else { return Ok(()) };
        let Some(theta) = certificate.open.take_out_of(&self.outcome.theta) else { return Ok(()) };
        let oracle = OracleClient::new(oracle, self.labels);
        let query = Query::at(&theta, self.outcome.tau, Batch::All, Want::Stationarity);
        let (there, here) = (oracle.ask(&query)?.model()?, &self.outcome.model);
        if there.loss <= here.loss * (1.0 + 1e-10) + here.rounding() {
            (self.outcome.theta, self.outcome.model, certificate.least_norm) = (theta, there, true);
        }
        Ok(())
    }
}
