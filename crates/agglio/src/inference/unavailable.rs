//! Why an inference is *unavailable*: the reasons, in words for a user.

use std::fmt;

use crate::error::Error;

/// A value, or the reason why there is none.
pub type Available<T> = std::result::Result<T, Unavailable>;

/// Why there are no standard errors, or no other result of an inference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unavailable {
    /// The fit is not certified.
    NotCertified,
    /// A penalty makes the coefficients biased.
    Penalty,
    /// The coefficients were restricted to a ball.
    Radius,
    /// The fit ended between τ = 0 and τ = 1, at a problem that is not a model of the response.
    Temperature,
    /// There are too many coefficients for a d×d matrix.
    Wide,
    /// There are no more observations than coefficients.
    NoDegreesOfFreedom,
    /// The residuals are rounding errors, so they do not measure the noise.
    ExactFit,
    /// Under noise before φ, some responses have two preimages.
    TwoPreimages,
    /// The matrix of the covariance is singular.
    Singular,
    /// An observation is fitted exactly whatever its response is.
    LeverageOne,
    /// The rows have no clusters.
    NoClusters,
    /// All rows belong to one cluster.
    OneCluster,
    /// The fit was interrupted before all resampled fits were made.
    Interrupted,
    /// Many resampled fits did not converge.
    Resamples,
    /// Residuals of random signs would take shares out of their range.
    WildLikelihood,
    /// The quantity is defined for noise after φ only.
    NoiseBefore,
    /// The fit is linear least squares on φ⁻¹(y), whose minimum is unique.
    LinearStage,
    /// The loss is convex, so its minimum is unique.
    ConvexLoss,
    /// No bound of the curvature is known for a free response scale.
    FreeScale,
    /// The turning points of φ and its derivatives are not known.
    UnknownShape,
    /// A matrix of so many coefficients would take too long.
    ManyCoefficients,
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Unavailable::NotCertified => "standard errors need a certified fit",
            Unavailable::Penalty => "standard errors are not valid under a penalty, which biases the coefficients",
            Unavailable::Radius => "standard errors are not valid if a radius restricts the coefficients",
            Unavailable::Temperature => "standard errors need a fit that ends at τ = 0 or τ = 1",
            Unavailable::Wide => "standard errors need a matrix of all coefficients, which are too many here",
            Unavailable::NoDegreesOfFreedom => "standard errors need more observations than coefficients",
            Unavailable::ExactFit => {
                "the residuals are zero up to rounding, so they do not measure the noise that standard errors need"
            }
            Unavailable::TwoPreimages => {
                "some responses have two preimages, so standard errors under noise before the activation are not defined"
            }
            Unavailable::Singular => "the matrix of the standard errors is singular up to rounding",
            Unavailable::LeverageOne => {
                "an observation has a leverage of one, so hc2 and hc3 are not defined: use hc1, or drop its column"
            }
            Unavailable::NoClusters => "cluster-robust standard errors need a cluster for each row",
            Unavailable::OneCluster => "cluster-robust standard errors need at least two clusters",
            Unavailable::Interrupted => "the bootstrap was interrupted",
            Unavailable::Resamples => {
                "more than a tenth of the bootstrap fits did not converge: the rows do not identify the coefficients well"
            }
            Unavailable::WildLikelihood => {
                "the wild bootstrap needs least squares: residuals of random signs would take shares out of their range"
            }
            Unavailable::NoiseBefore => "marginal effects are defined for noise after the activation only",
            Unavailable::LinearStage => "the fit is linear least squares, whose minimum is unique",
            Unavailable::ConvexLoss => "the loss is convex, so its minimum is unique",
            Unavailable::FreeScale => "no bound of the curvature is known for a free response scale",
            Unavailable::UnknownShape => "no bound of the curvature is known for this activation",
            Unavailable::ManyCoefficients => "not computed: too many coefficients",
        })
    }
}

impl std::error::Error for Unavailable {}

impl From<Unavailable> for Error {
    fn from(reason: Unavailable) -> Error {
        Error::data(reason.to_string())
    }
}
