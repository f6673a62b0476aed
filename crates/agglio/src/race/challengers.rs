//! *Challengers* of a fit: how many there are to be, by evidence that costs at most two passes.
//!
//! The Hessian is the Gauss–Newton matrix and a term of the residuals. Where that term is small in every direction, the
//! problem is close to linear least squares around the fit, and a second minimum is rare. Where it is not, or where slopes
//! have vanished, challengers decide.

use crate::certificate::Certificate;
use crate::error::Result;
use crate::fit::Outcome;
use crate::math::linalg::norm;
use crate::oracle::{Hessian, Oracle, Query, Want};
use crate::outcome::Status;
use crate::race::best_of::BestOf;
use crate::spec::Restarts;

/// Challengers that must agree where doubt is mild, also in a model whose directions can all be scanned, and where it is
/// strong.
const AGREE_MILD: usize = 1;
const AGREE_MILD_SCANNED: usize = 2;
const AGREE_STRONG: usize = 5;
/// Coefficients up to which a scan leaves hardly any direction out.
const SCANNED: usize = 2;
/// Challengers after which half of the independent ones are enough, and after which it is enough in any case.
const SOME: usize = 12;
const MOST: usize = 24;
/// The same with automatic restarts.
const SOME_ASKED: usize = 8;
const MOST_ASKED: usize = 40;
/// Challengers of a fit that runs to infinity, and of one to a response on the wrong scale.
const MOST_INFINITE: usize = 5;
const MOST_OFF_SCALE: usize = 8;

/// How many challengers there are to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Challengers {
    /// As many as were asked for.
    Asked {
        restarts: Restarts,
        /// Challengers that there were before.
        before: usize,
    },
    /// Until it is clear enough which minimum is the lowest.
    UntilClear {
        doubt: Doubt,
        /// Challengers after which it is clear, if all agree.
        agree: usize,
        /// Most of them.
        most: usize,
    },
}

impl Challengers {
    /// What the evidence asks for; none where there is no doubt.
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

    /// What was asked for, after what the race has seen.
    pub fn asked(restarts: Restarts, race: &BestOf) -> Challengers {
        Challengers::Asked { restarts, before: race.tried() }
    }

    /// Whether no start is to be left out that may pay.
    pub fn is_thorough(self) -> bool {
        matches!(self, Challengers::UntilClear { doubt: Doubt::Strong, .. })
    }

    /// Whether enough has been tried.
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

/// What a fit must have for a degree of doubt.
struct Bounds {
    /// Least share of the Gauss–Newton curvature that residuals leave, in any direction.
    curvature: f64,
    /// Least rows a coefficient, of equal weight: with fewer, chance alone makes further minima.
    rows: f64,
    /// Greatest share of the loss that a single row has.
    largest: f64,
    /// Greatest share of rows whose slopes have vanished.
    saturated: f64,
    /// Least norm of the coefficients in standardised units: predictors that hardly vary explain next to nothing.
    size: f64,
}

/// For no doubt.
const BEYOND: Bounds = Bounds { curvature: 0.75, rows: 5.0, largest: 0.5, saturated: 0.7, size: 0.12 };
/// For mild doubt.
const MILD: Bounds = Bounds { curvature: 0.6, rows: 2.5, largest: 0.7, saturated: 0.9, size: 0.12 };

/// How doubtful it is that a fit has the lowest minimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    /// A second minimum is so rare around such a fit that none is looked for.
    None,
    /// A challenger or two will do if they agree.
    Mild,
    /// Challengers decide.
    Strong,
}

/// What the evidence says of a fit.
fn doubt(oracle: &dyn Oracle, outcome: &Outcome, certificate: &Certificate) -> Result<Doubt> {
    // where columns outnumber rows, or are too many for their Hessian, further minima are not looked for
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
