//! The number of *challengers* of a fit, by evidence that costs at most two passes.
//!
//! The Hessian is the sum of the Gauss–Newton matrix and a term of the residuals. If that term is small in every direction,
//! the problem is close to linear least squares around the fit, and a second minimum is rare. If it is not, or if many rows
//! are saturated, challengers decide.

use crate::certificate::Certificate;
use crate::error::Result;
use crate::fit::Outcome;
use crate::math::linalg::norm;
use crate::oracle::{Hessian, Oracle, Query, Want};
use crate::outcome::Status;
use crate::race::best_of::BestOf;
use crate::spec::Restarts;

/// Number of challengers that must agree: if doubt is mild, if it is mild and all directions can be scanned, and if it is
/// strong.
const AGREE_MILD: usize = 1;
const AGREE_MILD_SCANNED: usize = 2;
const AGREE_STRONG: usize = 5;
/// Up to this number of coefficients a scan covers nearly all directions.
const SCANNED: usize = 2;
/// After this number of challengers it is enough that half of the independent ones agree, and after this one it is enough
/// in any case.
const SOME: usize = 12;
const MOST: usize = 24;
/// The same with automatic restarts.
const SOME_ASKED: usize = 8;
const MOST_ASKED: usize = 40;
/// Challengers of a fit that runs to infinity, and of one to a response on the wrong scale.
const MOST_INFINITE: usize = 5;
const MOST_OFF_SCALE: usize = 8;

/// How many challengers a fit gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Challengers {
    /// As many as were asked for.
    Asked {
        restarts: Restarts,
        /// Number of challengers before.
        before: usize,
    },
    /// As many as are needed to be confident which minimum is the lowest.
    UntilClear {
        doubt: Doubt,
        /// Number of challengers that are enough if all agree.
        agree: usize,
        /// Maximum number of challengers.
        most: usize,
    },
}

impl Challengers {
    /// The number that the evidence calls for; none if there is no doubt.
    pub fn of(oracle: &dyn Oracle, outcome: &Outcome, certificate: &Certificate) -> Result<Option<Challengers>> {
        let most = if certificate.status == Status::WrongScale { MOST_OFF_SCALE } else { MOST };
        let scanned = oracle.facts().layout.coefficients <= SCANNED;
        let doubt = doubt(oracle, outcome, certificate)?;
        let (agree, most) = match doubt {
            // one start of a cheap scan
            Doubt::None if scanned && oracle.facts().activation.is_monotone && !outcome.model.is_rounding() => (1, 1),
            Doubt::None => return Ok(None),
            Doubt::Mild if scanned => (AGREE_MILD_SCANNED, most),
            Doubt::Mild => (AGREE_MILD, most),
            Doubt::Strong => (AGREE_STRONG, most),
        };
        Ok(Some(Challengers::UntilClear { doubt, agree, most }))
    }

    /// The restarts that the user asked for, after the challengers so far.
    pub fn asked(restarts: Restarts, race: &BestOf) -> Challengers {
        Challengers::Asked { restarts, before: race.tried() }
    }

    /// Whether all kinds of starts are tried.
    pub fn is_thorough(self) -> bool {
        matches!(self, Challengers::UntilClear { doubt: Doubt::Strong, .. })
    }

    /// Whether there have been enough.
    pub fn is_done(self, race: &BestOf) -> bool {
        let (tried, (lowest, all)) = (race.tried(), race.witnesses());
        let half_agree = 2 * lowest >= all;
        match self {
            _ if race.is_interrupted() => true,
            Challengers::Asked { restarts: Restarts::Count(count), before } => tried >= before + count,
            _ if race.is_over() => true,
            Challengers::Asked { restarts: Restarts::Auto, .. } => {
                tried >= MOST_ASKED || (tried >= SOME_ASKED && half_agree)
            }
            Challengers::UntilClear { agree, most, .. } => {
                tried >= if race.is_infinite() { MOST_INFINITE } else { most }
                    || (tried >= SOME && half_agree)
                    || (tried >= agree && lowest == all)
            }
        }
    }
}

/// The limits within which a fit has a degree of doubt.
struct Bounds {
    /// Smallest ratio of the curvature to the Gauss–Newton curvature, over all directions.
    curvature: f64,
    /// Smallest number of rows per coefficient, of equal weight. With fewer rows, chance alone makes further minima.
    rows: f64,
    /// Largest share of the loss that comes from one row.
    largest: f64,
    /// Largest share of saturated rows.
    saturated: f64,
    /// Smallest norm of the coefficients in standardised units. Linear predictors that hardly vary explain almost nothing.
    size: f64,
}

/// The limits of no doubt.
const BEYOND: Bounds = Bounds { curvature: 0.75, rows: 5.0, largest: 0.5, saturated: 0.7, size: 0.12 };
/// The limits of mild doubt.
const MILD: Bounds = Bounds { curvature: 0.6, rows: 2.5, largest: 0.7, saturated: 0.9, size: 0.12 };

/// How doubtful it is that a fit has the lowest minimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    /// A second minimum is so rare that the fit gets no challenger.
    None,
    /// One or two challengers are enough if they agree.
    Mild,
    /// Challengers decide.
    Strong,
}

/// The degree of doubt about a fit.
fn doubt(oracle: &dyn Oracle, outcome: &Outcome, certificate: &Certificate) -> Result<Doubt> {
    // with more columns than rows, or too many for their Hessian, there is no search for further minima
    if certificate.status == Status::NotIdentified || oracle.is_wide() {
        return Ok(Doubt::None);
    }
    if outcome.model.is_rounding() {
        return Ok(if certificate.status == Status::Converged { Doubt::None } else { Doubt::Strong });
    }
    if !certificate.certified() {
        return Ok(Doubt::Strong);
    }
    let size = norm(oracle.facts().layout.coefficients(&outcome.theta));
    let rows = oracle.facts().effective_fraction * oracle.rows() as f64 / oracle.dim() as f64;
    let largest = outcome.model.largest_square / outcome.model.loss;
    let within = |bounds: &Bounds| {
        size >= bounds.size
            && rows >= bounds.rows
            && largest <= bounds.largest
            && certificate.saturated <= bounds.saturated
    };
    let diagonal = certificate.residual_curvature.unwrap_or(1.0);
    if !within(&MILD) || diagonal < MILD.curvature {
        return Ok(Doubt::Strong);
    }
    Ok(match least_share(oracle, outcome, certificate)? {
        Some(share) if share >= BEYOND.curvature && within(&BEYOND) => Doubt::None,
        Some(share) if share >= MILD.curvature => Doubt::Mild,
        _ => Doubt::Strong,
    })
}

/// The smallest eigenvalue of the Hessian in units in which the Gauss–Newton matrix is one.
fn least_share(oracle: &dyn Oracle, outcome: &Outcome, certificate: &Certificate) -> Result<Option<f64>> {
    let Some((rows, hessian)) = &certificate.hessian else { return Ok(None) };
    let query = Query::at(&outcome.theta, outcome.tau, *rows, Want::Curvature(Hessian::GaussNewton));
    let Some(matrix) = oracle.ask(&query)?.model()?.into_matrix() else { return Ok(None) };
    Ok(hessian.eigen_beside(&matrix).and_then(|eigen| eigen.values.first().copied()))
}
