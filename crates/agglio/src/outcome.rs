//! The *outcome* of a fit in the words of the field: how it ended, why, and which noise model it stands for.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a fit ended, in the words of the program's contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// At a stationary point.
    Converged,
    /// Where all slopes have vanished.
    Plateau,
    /// Steps led out of the numbers, or the optimum is at infinity.
    Diverging,
    /// The data leaves some direction of the coefficients open.
    NotIdentified,
    /// The labels are not of the size of the values that the activation takes.
    WrongScale,
    /// Stopped before it converged.
    IterationLimit,
    /// Ended from outside.
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
    /// The residual is at the level of rounding and the gradient no longer falls, or the limit was reached: an exact fit.
    Rounding,
    /// What a step could still gain is below rounding, at a gradient that is small for its scale.
    Settled,
    /// The relative gradient of the matching loss, which the method minimises, is below the tolerance or as small as
    /// rounding leaves it; that of squares is not.
    Matching,
    /// What a step could still gain is below rounding, but the gradient is not small for its scale: the slopes
    /// have vanished instead.
    Plateau,
    /// The limit on stages was reached.
    Limit,
    /// A step led to numbers that are not finite; the last finite point was kept.
    NotFinite,
    /// Steps of the length that was asked for led uphill, or out of the numbers; the last finite point was kept.
    Overshot,
    /// Steps of the length that the theory plans led to numbers that are not finite; the last finite point was kept.
    Planned,
    /// An observer ended it.
    Interrupted,
}

/// Where the noise enters, and so where the temperature ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Noise {
    /// Before the activation where that is clearly the better model, else after it. Only for solver `auto`.
    Auto,
    /// y = φ(xᵀw + ε): ends at τ = 0, least squares on φ⁻¹(y).
    Pre,
    /// y = φ(xᵀw) + ε: ends at τ = 1, least squares on y. The default of every solver.
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

/// Log-likelihoods of the two noise models at their maxima, where both were fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogLikelihoods {
    /// Gaussian noise before φ; none where a label has no preimage, so that there is no such model.
    pub pre: Option<f64>,
    /// Gaussian noise after φ.
    pub post: f64,
}

impl LogLikelihoods {
    /// The same for `times` as many rows.
    pub(crate) fn scaled(&self, times: f64) -> LogLikelihoods {
        LogLikelihoods { pre: self.pre.map(|pre| times * pre), post: times * self.post }
    }

    /// How far noise before φ is ahead.
    pub(crate) fn lead(&self) -> Option<f64> {
        self.pre.map(|pre| pre - self.post)
    }
}

/// Why noise `auto` does not believe in noise before φ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Objection {
    /// Its log-likelihood does not lead by more than 3.
    Unlikely,
    /// A twentieth of the labels or more repeat the lowest or the highest one.
    Tied,
    /// The means that it predicts are farther from the labels than those of least squares.
    WorseMeans,
    /// The residuals of φ⁻¹(y) are skew, or their tails are not those of a normal distribution.
    NotNormal,
    /// The residuals of φ⁻¹(y) vary more where φ is flat.
    Uneven,
}

impl fmt::Display for Objection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Objection::Unlikely => "noise before the activation is not clearly likelier",
            Objection::Tied => "too many labels are at their lowest or highest value for noise before the activation",
            Objection::WorseMeans => "noise before the activation predicts worse means",
            Objection::NotNormal => "noise before the activation would not be normal",
            Objection::Uneven => "noise before the activation would be larger where the activation is flat",
        })
    }
}
