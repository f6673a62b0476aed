//! *Smoothness* Λ bounds the curvature of L̂_τ at every θ and τ; 1/Λ is the step that never overshoots.

use crate::oracle::{Hessian, Oracle, Query, Want};
use crate::rng::{Random, Stream};
use crate::rows::Batch;

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
}

impl Smoothness {
    /// Passes after which a power iteration is good enough whatever it says.
    const MOST_PASSES: usize = 60;

    /// Measures Λ; none where the activation's slope is unbounded.
    pub fn measure(oracle: &dyn Oracle) -> Option<Smoothness> {
        let bounds = oracle.bounds();
        let steepness = bounds.steepness?;
        let all = steepness * largest_eigenvalue(oracle);
        // a row can be no flatter than the mean of all rows; this also bounds what power iteration misses
        let single = (steepness * bounds.longest_row).max(all);
        Some(Smoothness { all, single, rows: oracle.rows() as f64 })
    }

    /// Λ_b for a batch of `size` rows; Λ for all rows.
    pub fn of_batch(&self, size: usize) -> f64 {
        let (n, b) = (self.rows, size as f64);
        if b >= n {
            return self.all;
        }
        n * (b - 1.0) / (b * (n - 1.0)) * self.all + (n - b) / (b * (n - 1.0)) * self.single
    }
}

/// λ_max of the Gauss–Newton curvature at τ = 0, where it does not depend on θ, by power iteration.
fn largest_eigenvalue(oracle: &dyn Oracle) -> f64 {
    let origin = vec![0.0; oracle.dim()];
    let mut random = Random::new(0, Stream::Power);
    let mut v: Vec<f64> = origin.iter().map(|_| random.normal()).collect();
    let mut eigenvalue = 0.0;
    for _ in 0..Smoothness::MOST_PASSES {
        let norm = v.iter().map(|v| v * v).sum::<f64>().sqrt();
        v.iter_mut().for_each(|v| *v /= norm);
        let want = Want::CurvatureTimes(Hessian::GaussNewton, &v);
        let product = oracle.ask(&Query::new(&origin, 0.0, Batch::All, want)).curvature_times;
        let last = eigenvalue;
        eigenvalue = product.iter().map(|p| p * p).sum::<f64>().sqrt();
        v = product;
        if eigenvalue == 0.0 || eigenvalue - last <= 1e-3 * eigenvalue {
            break;
        }
    }
    eigenvalue
}
