//! The *kind* of a covariance says which assumptions about the errors it makes.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::oracle::Loss;

/// The estimator of the covariance of the coefficients.
///
/// With r the residuals, J the Jacobian of the predictions by the coefficients, ω the weights, n the number of
/// observations, p that of coefficients, B = Σ ω JJᵀ and h = ω·JᵀB⁻¹J the leverage of an observation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Covariance {
    /// `σ̂²·B⁻¹`, σ̂² = Σ ω r²/(n − p): errors of equal variance (divided by ω). The default.
    ///
    /// Reference: Seber and Wild (1989), section 5.1.
    #[default]
    Classical,
    /// `σ̂²·H⁻¹`, 2H the Hessian of Σ ω r²: as `Classical`, with the full Hessian in place of the Gauss–Newton matrix.
    Hessian,
    /// `B⁻¹·(Σ ω² r² JJᵀ)·B⁻¹`: errors of any variance. Reference: White (1980).
    Hc0,
    /// `Hc0` times n/(n − p). Reference: MacKinnon and White (1985), as the next two.
    Hc1,
    /// `Hc0` with r²/(1 − h): unbiased for errors of equal variance.
    Hc2,
    /// `Hc0` with r²/(1 − h)²: close to the jackknife, and the safest for small samples.
    Hc3,
    /// `G/(G − 1)·(n − 1)/(n − p)·B⁻¹·(Σ s·sᵀ)·B⁻¹`, s = Σ ω r J over a cluster, for G clusters: errors may be correlated
    /// within a cluster. Tests use G − 1 degrees of freedom. Reference: Liang and Zeger (1986).
    Cluster,
    /// The spread of refits to samples that are drawn from the data: errors of any distribution. Each refit begins at the fit.
    Bootstrap {
        /// Number of refits.
        replicates: u32,
        /// The seed of the draws.
        seed: u64,
        /// How a sample is drawn.
        #[serde(default)]
        resampling: Resampling,
    },
}

/// How a bootstrap sample is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Resampling {
    /// Rows with replacement. The default. Reference: Efron and Tibshirani (1993), section 9.5.
    #[default]
    Pairs,
    /// The rows as they are, with residuals of random signs: the covariates are fixed, and errors may have unequal variances. For
    /// least squares only. Reference: Wu (1986); Davidson and Flachaire (2008).
    Wild,
}

impl Covariance {
    /// Every kind without settings of its own.
    pub const ALL: [Covariance; 7] = [
        Covariance::Classical,
        Covariance::Hessian,
        Covariance::Hc0,
        Covariance::Hc1,
        Covariance::Hc2,
        Covariance::Hc3,
        Covariance::Cluster,
    ];

    /// The kind for a fit by this loss, unless another one is asked for: `classical` for least squares, and `hc0` for a
    /// quasi-likelihood, whose variances need not be those of its name.
    pub fn usual(loss: Loss) -> Covariance {
        if loss.is_convex() { Covariance::Hc0 } else { Covariance::Classical }
    }

    /// The name as a user types it.
    pub fn name(self) -> &'static str {
        match self {
            Covariance::Classical => "classical",
            Covariance::Hessian => "hessian",
            Covariance::Hc0 => "hc0",
            Covariance::Hc1 => "hc1",
            Covariance::Hc2 => "hc2",
            Covariance::Hc3 => "hc3",
            Covariance::Cluster => "cluster",
            Covariance::Bootstrap { resampling: Resampling::Pairs, .. } => "bootstrap",
            Covariance::Bootstrap { resampling: Resampling::Wild, .. } => "wild-bootstrap",
        }
    }

    /// The kind of this name; none if there is no such kind.
    pub fn named(name: &str) -> Option<Covariance> {
        Covariance::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The power of 1 − h by which squared residuals are divided.
    pub(super) fn leverage_power(self) -> i32 {
        match self {
            Covariance::Hc2 => 1,
            Covariance::Hc3 => 2,
            _ => 0,
        }
    }
}

impl fmt::Display for Covariance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
