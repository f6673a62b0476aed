//! The *certificate* of a fit: what can be said about the point that was reached, whoever reached it.
//!
//! It looks at the gradient relative to its scale, at the smallest eigenvalue of the full Hessian, at rows whose slope
//! has vanished and at the loss of the model without covariates and of the linear stage, and puts the result into one
//! sentence. It certifies a strict local minimum that explains something. That no other minimum is lower it cannot know.

use crate::fit::Outcome;
use crate::oracle::{Fold, Oracle};
use crate::report::Status;
use crate::rows::Batch;
use crate::spectrum::{FLAT, Open, PRODUCTS, Spectrum};

/// What was found at the point that a fit returns.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Certificate {
    /// max_j |J_jᵀr|/(‖J_j‖‖r‖); none where all slopes have vanished.
    pub relative_gradient: Option<f64>,
    /// The same of the matching loss, for a fit that minimised that; none for all others.
    pub matching_gradient: Option<f64>,
    /// Whether the residual is only rounding, so that its gradient says nothing.
    pub exact: bool,
    /// Smallest eigenvalue of the full Hessian over the one that is largest in size; none if not computed.
    pub smallest_eigenvalue: Option<f64>,
    /// Share of the loss that a step to the bottom would still gain, by the gradient and the Hessian: none if not computed,
    /// an upper bound where the Hessian is not formed.
    pub left_to_gain: Option<f64>,
    /// Rows that the Hessian was taken over.
    pub curvature_rows: usize,
    /// Products with vectors that the eigenvalues were found by, where the Hessian is too large to be formed: the true
    /// smallest one may be smaller. None where it was formed.
    pub curvature_products: Option<usize>,
    /// Share of the rows, by weight, whose slope is below a thousandth of φ′(0).
    pub saturated: f64,
    /// Loss of the model without covariates.
    pub baseline_loss: f64,
    /// Loss, on the rows of the first stage, of the line at τ = 0 that solver `auto` begins with.
    pub linear_loss: Option<f64>,
    /// Columns that the data cannot tell apart, or cannot see.
    pub unidentified: Vec<usize>,
    /// Whether what the rows leave open has been taken out of the coefficients, which then have the least norm.
    pub(crate) least_norm: bool,
    /// Paths that ended at the loss that was kept, of how many, the first included; none without restarts.
    pub restarts: Option<(usize, usize)>,
    /// Whether a ball holds the coefficients back, so that the point is an optimum on its surface.
    pub held_back: bool,
    /// How the fit ended, in view of all this.
    pub status: Status,
}

/// The relative gradient above which no point is called a minimum.
const STATIONARY: f64 = 1e-2;

/// The same where the fit minimised another loss, whose minimum is one of squares only where the noise lets it.
const STATIONARY_BY_CHANCE: f64 = 1e-6;

/// The share of the loss that a certified minimum may have left to gain.
const LITTLE: f64 = 1e-4;

impl Certificate {
    /// Examines where a fit ended: one pass over the rows, or over a sample where there are many, and a few more where it
    /// looks odd. What the rows leave open of θ is set to zero: of all θ that fit as well, this is the one of least norm.
    pub(crate) fn examine(oracle: &Fold<'_>, outcome: &mut Outcome) -> Certificate {
        let spectrum = Spectrum::at(oracle, outcome);
        let mut certificate = Certificate {
            relative_gradient: outcome.sums.relative_gradient(),
            matching_gradient: outcome.matching_gradient,
            exact: outcome.sums.is_rounding(),
            smallest_eigenvalue: spectrum.ratio,
            left_to_gain: spectrum.left,
            curvature_rows: spectrum.rows,
            curvature_products: oracle.is_wide().then_some(PRODUCTS),
            saturated: spectrum.saturated,
            baseline_loss: oracle.baseline().loss,
            linear_loss: None,
            unidentified: Vec::new(),
            least_norm: false,
            restarts: None,
            held_back: outcome.multiplier > 0.0,
            status: outcome.reason.into(),
        };
        if certificate.is_flat() {
            certificate.explain_flatness(oracle, outcome);
        } else if certificate.status == Status::IterationLimit && runs_away(oracle, outcome) {
            certificate.status = Status::Diverging;
        } else if certificate.status == Status::Converged && certificate.explains_nothing(oracle, outcome) {
            certificate.status = Status::Plateau;
        } else if certificate.status == Status::Plateau && certificate.explains_much(oracle, outcome) {
            // no slope has vanished: rounding alone keeps the gradient from falling further
            certificate.status = Status::Converged;
        }
        certificate
    }

    /// Whether the point is a strict local minimum that explains something, however loose the tolerance was.
    pub fn certified(&self) -> bool {
        self.status == Status::Converged
            && self.is_stationary()
            && self.smallest_eigenvalue.is_some_and(|ratio| ratio > FLAT)
            && (self.exact || self.left_to_gain.is_some_and(|left| left <= LITTLE))
    }

    fn is_stationary(&self) -> bool {
        let most = if self.matching_gradient.is_some() { STATIONARY_BY_CHANCE } else { STATIONARY };
        self.exact || self.relative_gradient.is_some_and(|gradient| gradient <= most)
    }

    /// The model without covariates is among those that were fitted: a stationary point above it is no optimum.
    fn explains_nothing(&self, oracle: &Fold<'_>, outcome: &Outcome) -> bool {
        let loss = outcome.sums.loss - oracle.penalty(&outcome.theta);
        outcome.tau == 1.0 && loss > self.baseline_loss * (1.0 + 1e-9) + outcome.sums.rounding()
    }

    fn explains_much(&self, oracle: &Fold<'_>, outcome: &Outcome) -> bool {
        let loss = outcome.sums.loss - oracle.penalty(&outcome.theta);
        outcome.tau == 1.0 && loss <= 0.9 * self.baseline_loss && self.saturated < 0.5 && self.is_stationary()
    }

    fn is_flat(&self) -> bool {
        self.smallest_eigenvalue.is_some_and(|ratio| ratio.abs() <= FLAT) || self.saturated >= 1.0
    }

    /// A flat direction is the data's fault (columns that it cannot tell apart), or that of slopes which have vanished:
    /// on the way to an optimum at infinity, or at a point that explains nothing.
    fn explain_flatness(&mut self, oracle: &Fold<'_>, outcome: &mut Outcome) {
        if self.status == Status::Plateau && runs_away(oracle, outcome) {
            self.status = Status::Diverging;
        }
        if self.status != Status::Converged && self.status != Status::IterationLimit {
            return;
        }
        if self.status == Status::IterationLimit && !self.is_stationary() && !runs_away(oracle, outcome) {
            return;
        }
        // small slopes are no flatness where small labels ask for them
        let curved = self.smallest_eigenvalue.is_some_and(|ratio| ratio > FLAT);
        if curved && oracle.labels().outside() == 0 && self.is_stationary() && !runs_away(oracle, outcome) {
            return;
        }
        let open = Open::of(oracle);
        self.least_norm = open.clear(oracle, outcome);
        self.unidentified = open.columns;
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
    let losses = oracle.losses(&[1.0, 2.0, 4.0, 8.0, 16.0].map(farther), outcome.tau, Batch::All);
    losses.windows(2).all(|pair| pair[1] < pair[0] || pair[1] == 0.0)
        && losses.last() < losses.first().map(|loss| 0.5 * loss).as_ref()
}
