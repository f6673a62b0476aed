//! The *smoothness* Λ is an upper bound on the Gauss–Newton curvature of L̂_τ for all θ and τ. 1/Λ is the default
//! learning rate of solvers with a fixed step.

use crate::error::Result;
use crate::math::krylov;
use crate::oracle::{Ask, Batch, Hessian, Oracle, Query};

/// `Λ = 2·(sup φ′)²·λ_max(XᵀX/n)`
///
/// For a batch of b rows it is
///
/// ```text
/// Λ_b = n(b−1)/(b(n−1))·Λ + (n−b)/(b(n−1))·2·(sup φ′)²·max_i ‖x_i‖²
/// ```
///
/// Both are measured on the data, not from the Hessian at a starting point, which may be saturated. Reference: the ELSS
/// constant of `defn:elsc-elss`; Λ_b is the expected smoothness of sampling b of n rows without replacement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoothness {
    all: f64,
    single: f64,
    rows: f64,
    /// sup φ′, or |φ′(0)| if it was measured for τ = 0.
    largest_slope: f64,
}

impl Smoothness {
    /// Number of products after which the largest eigenvalue is accurate enough. Each one is a pass.
    const PRODUCTS: usize = 25;
    /// The factor for the remaining error.
    const SAFETY: f64 = 1.02;

    /// Measures Λ for temperatures up to `tau_max`; none if the derivative of the activation is unbounded there.
    ///
    /// # Errors
    /// Those of the oracle.
    pub fn measure(oracle: &dyn Oracle, tau_max: f64) -> Result<Option<Smoothness>> {
        let phi = oracle.facts().activation;
        // at τ = 0 every activation is linear
        let largest_slope = if tau_max == 0.0 { Some(phi.derivative_at_zero) } else { phi.largest_slope };
        let Some(largest_slope) = largest_slope else { return Ok(None) };
        let longest_row = oracle.ask(&Query::new(Batch::All, Ask::LongestRow))?.number()?;
        let steepness = (largest_slope / phi.derivative_at_zero).powi(2);
        let exact = oracle.dim() <= Self::PRODUCTS;
        let all = steepness * largest_eigenvalue(oracle)? * if exact { 1.0 } else { Self::SAFETY };
        // the largest curvature of a single row is at least that of the mean
        let single = (steepness * longest_row).max(all);
        Ok(Some(Smoothness { all, single, rows: oracle.rows() as f64, largest_slope }))
    }

    /// Λ_b for a batch of `size` rows; Λ for all rows.
    pub fn of_batch(&self, size: usize) -> f64 {
        let (n, b) = (self.rows, size as f64);
        if b >= n {
            return self.all;
        }
        n * (b - 1.0) / (b * (n - 1.0)) * self.all + (n - b) / (b * (n - 1.0)) * self.single
    }

    /// Λ of the matching loss over all rows, 2·sup φ′·λ_max(XᵀX/n).
    pub fn of_matching(&self) -> f64 {
        // Λ contains the penalty, which has no factor φ′: for sup φ′ > 1 a division would make it too small
        self.all / self.largest_slope.min(1.0)
    }

    /// √λ_max(XᵀX/n): the largest change of the linear predictors (root mean square) for a unit step in θ.
    pub fn spread(&self) -> f64 {
        (0.5 * self.all).sqrt() / self.largest_slope
    }
}

/// λ_max of the Gauss–Newton curvature at τ = 0, where it does not depend on θ. It is exact if θ has at most as many
/// entries as there are products, and otherwise a close lower bound.
fn largest_eigenvalue(oracle: &dyn Oracle) -> Result<f64> {
    let origin = vec![0.0; oracle.dim()];
    let times = |v: &[f64]| oracle.curvature_times(&origin, 0.0, Batch::All, Hessian::GaussNewton, v);
    Ok(krylov::ritz_values(times, oracle.dim(), Smoothness::PRODUCTS)?.last().copied().unwrap_or(0.0))
}
