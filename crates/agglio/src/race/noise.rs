//! *Noise* before φ: the fit that ends at τ = 0, and the log-likelihoods of both noise models.

use std::f64::consts::PI;

use crate::error::Result;
use crate::fit::{Ending, FitLoop, Outcome, Silent, Stop};
use crate::oracle::{Batch, LabelChoice, Margin, Oracle, OracleClient, Query, Want};
use crate::outcome::{LogLikelihoods, StopReason};
use crate::race::Found;
use crate::race::starts::linear::LinearStage;
use crate::solver::estimator::Mixture;

/// Log-likelihoods of a fit under noise before φ, if there is one, and one under noise after it, both to these rows.
pub(super) fn log_likelihoods(oracle: &dyn Oracle, rows: Batch, pre: Option<&Pre>, post: &Found) -> LogLikelihoods {
    // of Gaussian noise whose variance is the mean square
    let post = -0.5 * weight(oracle, rows) * ((2.0 * PI * post.outcome.model.loss).ln() + 1.0);
    LogLikelihoods { pre: pre.map(|pre| pre.log_likelihood), post }
}

/// Standard deviation of noise before φ, from the root mean square of the residuals on these rows and the degrees of
/// freedom. If the weights sum to less than the number of rows, they are not counts, and the number of rows is used.
pub(super) fn unbiased(sigma: f64, oracle: &dyn Oracle, rows: Batch) -> f64 {
    let counted = share(oracle, rows) * oracle.facts().counted as f64;
    let observations = weight(oracle, rows).max(counted);
    let free = (observations - oracle.facts().parameters() as f64).max(1.0);
    sigma * (observations / free).sqrt()
}

/// The weight of these rows, which is the number of observations.
pub(super) fn weight(oracle: &dyn Oracle, rows: Batch) -> f64 {
    share(oracle, rows) * oracle.facts().total_weight
}

fn share(oracle: &dyn Oracle, rows: Batch) -> f64 {
    let all = oracle.rows();
    rows.len(all) as f64 / all as f64
}

/// A fit under noise before φ.
pub(super) struct Pre {
    /// The end of the rounds over preimages.
    outcome: Outcome,
    labels: LabelChoice,
    /// Standard deviation of the noise.
    sigma: f64,
    pub log_likelihood: f64,
}

impl Pre {
    /// The point.
    pub fn theta(&self) -> &[f64] {
        &self.outcome.theta
    }

    /// Root mean square of the residuals of φ⁻¹(y).
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// The result, which costs a pass. The loss is that of the nearer preimages. The gradient is that of the expected squares,
    /// which is zero at the end of the rounds.
    pub fn found(self, oracle: &dyn Oracle, stage: &LinearStage) -> Result<Found> {
        let Pre { outcome, labels, sigma, .. } = self;
        let query = Query::at(&outcome.theta, 0.0, stage.rows(), Want::Stationarity).with_labels(labels);
        let mut model = oracle.ask(&query)?.model()?;
        model.gradient = outcome.model.first_order.gradient;
        let cut_short = matches!(outcome.reason, StopReason::Limit | StopReason::Interrupted | StopReason::NotFinite);
        let reason = if cut_short { outcome.reason } else { StopReason::Settled };
        let outcome = Outcome { reason, first_loss: model.loss, model, ..outcome };
        Ok(Found { sigma: Some(sigma), ..Found::new(outcome, labels) })
    }
}

/// Maximum number of rounds over two preimages.
const MOST_ROUNDS: usize = 500;
/// Number of rounds from either side of the minimum of φ. Then only the likelier side goes on.
const TRIAL: usize = 5;

/// Maximum likelihood for y = φ(xᵀw + ε). If φ is one-to-one, this is least squares on φ⁻¹(y). Otherwise it is expectation
/// and maximisation over the preimage of each row, from the right and from the left, with one pass per round.
pub(super) fn pre(oracle: &dyn Oracle, stage: &LinearStage) -> Result<Pre> {
    let labels = LabelChoice { margin: Margin::None, ..oracle.labels() };
    let oracle = &OracleClient::new(oracle, labels);
    let (mut run, mut ending) = trial(oracle, stage, stage.unclipped(oracle)?)?;
    let log_likelihood = |run: &FitLoop<'_>| run.method.estimator.log_likelihood();
    if let Some(start) = stage.left(oracle)? {
        let left = trial(oracle, stage, start)?;
        if log_likelihood(&left.0) > log_likelihood(&run) {
            (run, ending) = left;
        }
    }
    while ending.is_none() {
        ending = run.step(&mut Silent)?;
    }
    let log_likelihood = weight(oracle, stage.rows()) * log_likelihood(&run).unwrap_or(f64::NAN);
    let outcome = run.end(ending.unwrap_or(StopReason::Limit.into()))?;
    let sigma = outcome.model.unpenalised.sqrt() / oracle.facts().activation.derivative_at_zero;
    Ok(Pre { outcome, labels, sigma, log_likelihood })
}

/// The first rounds from a start, and why the run has ended, if it has.
fn trial<'o>(oracle: &'o dyn Oracle, stage: &LinearStage, start: Vec<f64>) -> Result<(FitLoop<'o>, Option<Ending>)> {
    // predictors that move by less than 1e-10·σ move far less than their standard errors; one preimage needs no round
    let share = if oracle.facts().activation.argmin.is_some() { 1e-20 } else { f64::MAX };
    let estimator = Mixture { system: stage.system.clone(), sigma: 1.0, log_likelihood: None };
    let stop = Stop::new(0.0, TRIAL + MOST_ROUNDS).patience(usize::MAX);
    let mut run = FitLoop::begin(oracle, stage.method(Box::new(estimator), share), start, stop)?;
    let ending = (0..TRIAL).find_map(|_| run.step(&mut Silent).transpose()).transpose()?;
    Ok((run, ending))
}
