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
    /// The noise model that the rule of noise `auto` chooses, if both were fitted.
    pub likelier: Option<Noise>,
    /// The objection to noise before φ, if there is such a model.
    pub objection: Option<Objection>,
    /// The number of other runs that ended as low, and the number of all other runs.
    pub restarts: Option<(usize, usize)>,
    /// The loss at infinity of another run, if it is lower.
    pub lower_at_infinity: Option<f64>,
    /// Loss of the linear solution at τ = 0 with which the path began.
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

    /// Takes a lower minimum in the place of the point.
    pub fn replace(&mut self, outcome: Outcome, oracle: &dyn Oracle) {
        // of the log-likelihood of noise after φ only −n/2·ln(loss) depends on the point
        if let Some(both) = &mut self.log_likelihoods {
            let ratio = self.outcome.model.unpenalised / outcome.model.unpenalised;
            both.post += 0.5 * oracle.facts().total_weight * ratio.ln();
        }
        self.lower_at_infinity = self.lower_at_infinity.filter(|&limit| limit < outcome.model.loss);
        (self.outcome, self.certificate, self.restarts) = (outcome, None, None);
    }

    /// The certificate of the point, which is examined once.
    pub fn certificate(&mut self, oracle: &dyn Oracle) -> Result<Certificate> {
        if let Some(known) = &self.certificate {
            return Ok(known.clone());
        }
        let examined = Certificate::examine(&OracleClient::new(oracle, self.labels), &self.outcome)?;
        Ok(self.certificate.insert(examined).clone())
    }

    /// The last step of a fit: if the rows do not determine some directions of θ, takes the point of least norm among those
    /// that fit equally well. Rounding in the largest rows can hide that other rows do determine a direction, so the loss
    /// decides.
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
