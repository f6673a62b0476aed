//! A *single* run of the loop, from one start.

use crate::error::Result;
use crate::fit::{Observer, Outcome, Stop, fit};
use crate::oracle::{Batch, Oracle, Query, Want};
use crate::outcome::StopReason;
use crate::race::Rules;
use crate::solver::Method;

impl Rules {
    /// One run of the loop from the start that was asked for.
    pub(crate) fn single(&self, oracle: &dyn Oracle, observer: &mut dyn Observer) -> Result<Outcome> {
        self.single_from(self.begin(oracle)?, oracle, observer)
    }

    /// The start that was asked for, in the oracle's units.
    pub(crate) fn begin(&self, oracle: &dyn Oracle) -> Result<Vec<f64>> {
        self.start.theta(&oracle.facts().coordinates, oracle.facts().layout.coefficients, self.settings.seed)
    }

    /// One run of the loop from another start.
    pub(crate) fn single_from(
        &self,
        start: Vec<f64>,
        oracle: &dyn Oracle,
        observer: &mut dyn Observer,
    ) -> Result<Outcome> {
        let (method, stop) = self.method(oracle, &start)?;
        let outcome = fit(oracle, method, start.clone(), stop, observer)?;
        self.judge(oracle, &start, outcome)
    }

    /// The solver's parts, and when they are to stop.
    pub(crate) fn method(&self, oracle: &dyn Oracle, start: &[f64]) -> Result<(Method, Stop)> {
        let stages = self.solver.stages(&self.settings, self.epochs);
        let method = match &self.theory {
            Some(course) => course.method(oracle, stages, self.settings.batch, self.settings.seed)?,
            None => self.solver.method(&self.settings, oracle, start)?,
        };
        let stop = Stop::new(self.tolerance, stages).patience(self.solver.patience());
        Ok((method, if self.solver.converges_linearly() { stop.beyond_tolerance() } else { stop }))
    }

    /// Says of steps whose length was asked for whether they led uphill, and of those that the theory plans whether they led out
    /// of the numbers.
    pub(crate) fn judge(&self, oracle: &dyn Oracle, start: &[f64], outcome: Outcome) -> Result<Outcome> {
        let overshot = self.settings.eta.is_some() && led_away(oracle, start, &outcome)?;
        let reason = match outcome.reason {
            _ if overshot => StopReason::Overshot,
            StopReason::NotFinite if self.theory.is_some() => StopReason::Planned,
            reason => reason,
        };
        Ok(Outcome { reason, ..outcome })
    }
}

/// Whether a fit ended above where it began, or beyond what is finite.
fn led_away(oracle: &dyn Oracle, start: &[f64], outcome: &Outcome) -> Result<bool> {
    let query = Query::at(start, outcome.tau, Batch::All, Want::Loss);
    let loss = match outcome.reason {
        StopReason::NotFinite | StopReason::Plateau | StopReason::Limit => oracle.ask(&query)?.value()?.loss,
        _ => return Ok(false),
    };
    Ok(match outcome.reason {
        StopReason::NotFinite => loss.is_finite(),
        _ => outcome.model.loss > loss * (1.0 + 1e-9),
    })
}
