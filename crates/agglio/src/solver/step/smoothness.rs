//! *Smoothness* Λ bounds the curvature of L̂_τ at every θ and τ; 1/Λ is the step that never overshoots.

use crate::error::Result;
use crate::math::krylov;
use crate::oracle::{Ask, Batch, Hessian, Oracle, Query};

/// ```text
/// Λ   = 2·(sup φ′)²·λ_max(XᵀX/n)                                          all rows
/// Λ_b = n(b−1)/(b(n−1))·Λ + (n−b)/(b(n−1))·2·(sup φ′)²·max_i ‖x_i‖²      a batch of b rows
/// ```
///
/// Measured on the data, never on the Hessian at a start that may be saturated. Reference: the ELSS constant of
/// `defn:elsc-elss`; the batch form is the expected smoothness of sampling b of n without replacement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoothness {
    all: f64,
    single: f64,
    rows: f64,
    /// sup φ′, up to the temperature that it was measured for.
    slope: f64,
}

impl Smoothness {
    /// Products after which the largest eigenvalue is close enough, each a pass.
    const PRODUCTS: usize = 25;
    /// Room for what is missing then.
    const ROOM: f64 = 1.02;

    /// Measures Λ for temperatures up to `tau_max`; none where the activation's slope is unbounded there.
    ///
    /// # Errors
    /// Those of the oracle.
    pub fn measure(oracle: &dyn Oracle, tau_max: f64) -> Result<Option<Smoothness>> {
        let phi = oracle.facts().activation;
        // at τ = 0 every activation is a line
        let Some(slope) = (if tau_max == 0.0 { Some(phi.derivative_at_zero) } else { phi.largest_slope }) else { return Ok(None) };
        let longest_row = oracle.ask(&Query::new(Batch::All, Ask::LongestRow))?.number()?;
        let steepness = (slope / phi.derivative_at_zero).powi(2);
        let exact = oracle.dim() <= Self::PRODUCTS;
        let all = steepness * largest_eigenvalue(oracle)? * if exact { 1.0 } else { Self::ROOM };
        // the longest row is no flatter than the mean of all rows
        let single = (steepness * longest_row).max(all);
        Ok(Some(Smoothness { all, single, rows: oracle.rows() as f64, slope }))
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
        // a penalty has no slope in it, so that what is steeper than one must not make it less
        self.all / self.slope.min(1.0)
    }

    /// √λ_max(XᵀX/n): how far predictors move for a unit step in θ, at most.
    pub fn spread(&self) -> f64 {
        (0.5 * self.all).sqrt() / self.slope
    }
}

/// λ_max of the Gauss–Newton curvature at τ = 0, where it does not depend on θ: exact after as many products as θ has
/// entries, and close from below after few.
fn largest_eigenvalue(oracle: &dyn Oracle) -> Result<f64> {
    let origin = vec![0.0; oracle.dim()];
    let times = |v: &[f64]| oracle.curvature_times(&origin, 0.0, Batch::All, Hessian::GaussNewton, v);
    Ok(krylov::ritz_values(times, oracle.dim(), Smoothness::PRODUCTS)?.last().copied().unwrap_or(0.0))
}
