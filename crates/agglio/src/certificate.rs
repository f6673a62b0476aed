//! The *certificate* of a fit: what can be said about the point that was reached, whoever reached it.
//!
//! It looks at the gradient relative to its scale, at the smallest eigenvalue of the full Hessian, at rows whose slope
//! has vanished and at the loss of the model without covariates, and puts the result into one sentence. It certifies a
//! strict local minimum that explains something. That no other minimum is lower it cannot know.

use crate::fit::Outcome;
use crate::linalg::Symmetric;
use crate::oracle::{Fold, Hessian, Oracle, Query, Want};
use crate::report::Status;
use crate::rows::Batch;

/// What was found at the point that a fit returns.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Certificate {
    /// max_j |J_jᵀr|/(‖J_j‖‖r‖); none where all slopes have vanished.
    pub relative_gradient: Option<f64>,
    /// Smallest eigenvalue of the full Hessian over the largest, in the solver's coordinates; none if not computed.
    pub smallest_eigenvalue: Option<f64>,
    /// Rows that the Hessian was taken over.
    pub curvature_rows: usize,
    /// Share of the rows, by weight, whose slope is below a thousandth of φ′(0).
    pub saturated: f64,
    /// Loss of the model without covariates.
    pub baseline_loss: f64,
    /// Columns that the data cannot tell apart, or cannot see.
    pub unidentified: Vec<usize>,
    /// Restarts that ended at the loss that was kept, of how many.
    pub restarts: Option<(usize, usize)>,
    /// How the fit ended, in view of all this.
    pub status: Status,
}

/// Rows beyond which the Hessian is taken over a sample.
const MOST_ROWS: usize = 50_000;
/// The sample, a beginning of one fixed permutation.
const SAMPLE: usize = 20_000;
const SAMPLE_KEY: u64 = 0x6365_7274;
/// Ratio of eigenvalues at which a direction counts as flat.
const FLAT: f64 = 1e-12;

impl Certificate {
    /// Examines where a fit ended: at most two passes over the rows, or over a sample where there are many.
    pub(crate) fn examine(oracle: &Fold<'_>, outcome: &Outcome) -> Certificate {
        let (mut curvature, saturated, rows) = curvature(oracle, outcome);
        curvature.iter_mut().for_each(|matrix| fill_dead(oracle, matrix));
        let eigen = curvature.as_ref().and_then(Symmetric::eigen);
        let ends = eigen.as_ref().and_then(|eigen| Some((*eigen.values.first()?, *eigen.values.last()?)));
        let mut certificate = Certificate {
            relative_gradient: outcome.sums.relative_gradient(),
            smallest_eigenvalue: ends.map(|(least, most)| if most > 0.0 { least / most } else { 0.0 }),
            curvature_rows: rows,
            saturated,
            baseline_loss: oracle.baseline_loss(),
            unidentified: Vec::new(),
            restarts: None,
            status: outcome.reason.into(),
        };
        if certificate.is_flat() {
            certificate.explain_flatness(oracle, outcome);
        } else if certificate.status == Status::IterationLimit && runs_away(oracle, outcome) {
            certificate.status = Status::Diverging;
        } else if certificate.status == Status::Converged && certificate.explains_nothing(oracle, outcome) {
            certificate.status = Status::Plateau;
        }
        certificate
    }

    /// Whether the point is a strict local minimum that explains something.
    pub fn certified(&self) -> bool {
        self.status == Status::Converged && self.smallest_eigenvalue.is_some_and(|ratio| ratio > FLAT)
    }

    /// The model without covariates is among those that were fitted: a stationary point above it is no optimum.
    fn explains_nothing(&self, oracle: &Fold<'_>, outcome: &Outcome) -> bool {
        let loss = outcome.sums.loss - oracle.penalty(&outcome.theta);
        outcome.tau == 1.0 && loss > self.baseline_loss * (1.0 + 1e-9) + outcome.sums.rounding()
    }

    fn is_flat(&self) -> bool {
        self.smallest_eigenvalue.is_some_and(|ratio| ratio.abs() <= FLAT) || self.saturated >= 1.0
    }

    /// A flat direction is the data's fault (columns that it cannot tell apart), or that of slopes which have vanished:
    /// on the way to an optimum at infinity, or at a point that explains nothing.
    fn explain_flatness(&mut self, oracle: &Fold<'_>, outcome: &Outcome) {
        if self.status != Status::Converged && self.status != Status::IterationLimit {
            return;
        }
        self.unidentified = unidentified(oracle);
        self.status = match self.unidentified.is_empty() {
            false => Status::NotIdentified,
            // nothing left to explain, or something explained: coefficients grow for a reason
            true if outcome.sums.loss < self.baseline_loss || runs_away(oracle, outcome) => Status::Diverging,
            true if outcome.sums.loss == 0.0 || outcome.sums.is_rounding() => Status::Diverging,
            true => Status::Plateau,
        };
    }
}

/// Whether the loss goes on falling, by half at least, on the ray from zero through θ: the optimum is at infinity.
fn runs_away(oracle: &Fold<'_>, outcome: &Outcome) -> bool {
    let farther = |times: f64| outcome.theta.iter().map(|theta| times * theta).collect::<Vec<f64>>();
    let losses = oracle.losses(&[1.0, 2.0, 4.0, 8.0, 16.0].map(farther), outcome.tau, sample(oracle));
    losses.windows(2).all(|pair| pair[1] < pair[0]) && losses.last() < losses.first().map(|loss| 0.5 * loss).as_ref()
}

/// The Hessian at the end, the share of saturated rows, and the number of rows that both are over.
fn curvature(oracle: &Fold<'_>, outcome: &Outcome) -> (Option<Symmetric>, f64, usize) {
    if let Some(known) = &outcome.sums.curvature {
        return (Some(known.clone()), outcome.sums.saturated, outcome.sums.rows);
    }
    let want = Want::Curvature(Hessian::Full);
    let answer = oracle.ask(&Query::new(&outcome.theta, outcome.tau, sample(oracle), want));
    (answer.curvature, answer.saturated, answer.rows)
}

fn sample(oracle: &dyn Oracle) -> Batch {
    match oracle.rows() {
        0..=MOST_ROWS => Batch::All,
        _ => Batch::Part { key: SAMPLE_KEY, start: 0, len: SAMPLE.max(20 * oracle.dim()) },
    }
}

/// A column that carries nothing has the coefficient zero and no say in what is identified.
fn fill_dead(oracle: &Fold<'_>, matrix: &mut Symmetric) {
    let most = (0..matrix.order()).fold(0.0, |most: f64, j| most.max(matrix.at(j, j)));
    oracle.coordinates().dead_columns().into_iter().for_each(|j| matrix.set(j, j, most));
}

/// Columns with a share in a direction that no row sees: of the rows themselves, whatever φ.
fn unidentified(oracle: &Fold<'_>) -> Vec<usize> {
    let origin = vec![0.0; oracle.dim()];
    let mut line = oracle.ask(&Query::new(&origin, 0.0, sample(oracle), Want::Line));
    line.curvature.iter_mut().for_each(|matrix| fill_dead(oracle, matrix));
    let Some(eigen) = line.curvature.as_ref().and_then(Symmetric::eigen) else { return Vec::new() };
    let most = eigen.values.last().copied().unwrap_or(0.0);
    let flat = eigen.values.iter().zip(&eigen.vectors).filter(|(value, _)| value.abs() <= FLAT * most);
    let vectors: Vec<&Vec<f64>> = flat.map(|(_, vector)| vector).collect();
    (0..oracle.dim()).filter(|&j| vectors.iter().any(|vector| vector[j].abs() > 1e-6)).collect()
}
