//! An *outcome* says how and why a fit ended, and which noise model it has.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a fit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// The gradient is zero, to the tolerance or to rounding.
    Converged,
    /// The loss is flat, because φ′ has vanished at most rows, but the point is not a minimum.
    Plateau,
    /// Steps overflowed or led uphill, or the optimum is at infinity.
    Diverging,
    /// The data does not determine all coefficients: columns are collinear, or there are too few rows.
    NotIdentified,
    /// The labels are not on the scale of the activation.
    WrongScale,
    /// The fit used all its epochs before it converged.
    IterationLimit,
    /// A flag or an observer ended the fit.
    Interrupted,
}

impl Status {
    /// Every status.
    pub const ALL: &[Status] = &[
        Status::Converged,
        Status::Plateau,
        Status::Diverging,
        Status::NotIdentified,
        Status::WrongScale,
        Status::IterationLimit,
        Status::Interrupted,
    ];
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Status::Converged => "converged",
            Status::Plateau => "plateau",
            Status::Diverging => "diverging",
            Status::NotIdentified => "not identified",
            Status::WrongScale => "wrong scale",
            Status::IterationLimit => "iteration limit",
            Status::Interrupted => "interrupted",
        })
    }
}

impl From<StopReason> for Status {
    fn from(reason: StopReason) -> Status {
        match reason {
            StopReason::Gradient | StopReason::Rounding | StopReason::Settled | StopReason::Matching => {
                Status::Converged
            }
            StopReason::Plateau => Status::Plateau,
            StopReason::Limit => Status::IterationLimit,
            StopReason::NotFinite | StopReason::Overshot | StopReason::Planned => Status::Diverging,
            StopReason::Interrupted => Status::Interrupted,
        }
    }
}

/// Why a fit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum StopReason {
    /// The relative gradient is below the tolerance.
    Gradient,
    /// An exact fit: the residuals are at the level of rounding, and the gradient no longer falls or the limit was reached.
    Rounding,
    /// The predicted decrease of the loss is below rounding, and the relative gradient is small.
    Settled,
    /// The relative gradient of the matching loss, which the method minimises, is below the tolerance or at the level of
    /// rounding; the relative gradient of squares is not.
    Matching,
    /// The predicted decrease of the loss is below rounding, but the relative gradient is not small: φ′ has vanished.
    Plateau,
    /// The limit on stages was reached.
    Limit,
    /// A step led to numbers that are not finite; the last finite point was kept.
    NotFinite,
    /// Steps of the given length led uphill or overflowed; the last finite point was kept.
    Overshot,
    /// Steps of the length that the theory plans overflowed; the last finite point was kept.
    Planned,
    /// A flag or an observer ended the fit.
    Interrupted,
}

/// Where the noise enters, which determines the last temperature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Noise {
    /// Before the activation if that is clearly the better model, else after it. Only for solver `auto`.
    Auto,
    /// y = φ(xᵀw + ε): ends at τ = 0, least squares on φ⁻¹(y).
    Pre,
    /// y = φ(xᵀw) + ε: ends at τ = 1, least squares on y. The default.
    #[default]
    Post,
}

impl Noise {
    /// The name as a user types it.
    pub fn name(self) -> &'static str {
        match self {
            Noise::Auto => "auto",
            Noise::Pre => "pre",
            Noise::Post => "post",
        }
    }
}

/// Log-likelihoods of the two noise models at their maxima.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogLikelihoods {
    /// Gaussian noise before φ; none if a label has no preimage, because the model does not exist then.
    pub pre: Option<f64>,
    /// Gaussian noise after φ.
    pub post: f64,
}

impl LogLikelihoods {
    /// The same for `times` as many rows.
    pub(crate) fn scaled(&self, times: f64) -> LogLikelihoods {
        LogLikelihoods { pre: self.pre.map(|pre| times * pre), post: times * self.post }
    }

    /// Log-likelihood of noise before φ minus that of noise after it.
    pub(crate) fn lead(&self) -> Option<f64> {
        self.pre.map(|pre| pre - self.post)
    }
}

/// Why [`Noise::Auto`] does not choose noise before φ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Objection {
    /// Its log-likelihood is not larger by more than 3.
    Unlikely,
    /// At least 5 % of the labels are tied at the lowest or the highest value.
    Tied,
    /// Its predicted means are farther from the labels than those of least squares.
    WorseMeans,
    /// The residuals of φ⁻¹(y) are skewed, or their tails are not those of a normal distribution.
    NotNormal,
    /// The residuals of φ⁻¹(y) vary more where φ is flat.
    Uneven,
}

impl fmt::Display for Objection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Objection::Unlikely => "noise before the activation is not clearly likelier",
            Objection::Tied => {
                "too many responses are tied at the lowest or highest value for noise before the activation"
            }
            Objection::WorseMeans => "noise before the activation predicts worse means",
            Objection::NotNormal => "noise before the activation would not be normal",
            Objection::Uneven => "noise before the activation would be larger where the activation is flat",
        })
    }
}
