//! The *oracle* answers the only question a solver asks: at (θ, τ), over these rows, what are the sums of
//! loss, gradient and curvature?
//!
//! ```text
//! L̂_τ(θ) = (1/n) Σ_i ω_i (φ̂_τ(z_i) − y_i^τ)²,        z_i = x_iᵀw + b + offset_i
//! ```
//!
//! with weights ω of mean one. It is the graduated objective of the paper divided by γ(τ)², and the
//! user's own loss at τ = 1. Rows are folded and sums merge, so threads, files and machines are one fold.

mod answer;
mod baseline;
mod branch;
mod clip;
mod departure;
mod fold;
mod group;
mod labels;
mod leaf;
mod projection;
mod query;
mod residual;
mod share;

pub use crate::math::tree::LEAF;
pub use answer::{Bounds, Sums};
pub use baseline::Baseline;
pub(crate) use departure::{Departure, Ends};
pub use fold::Fold;
pub(crate) use group::MOST_AT_ONCE;
pub use labels::{Labels, MARGIN, MARGINS, PreimageBranch};
pub(crate) use projection::Projection;
pub use query::{Batch, Hessian, Memory, Objective, Query, Want};
pub(crate) use share::OracleClient;

/// Entries of θ up to which forming the d×d curvature and solving with it costs less than the products with vectors that
/// conjugate gradients would ask for instead.
pub(crate) const WIDE: usize = 1000;

/// Whoever holds the rows and can fold them.
pub trait Oracle: Sync {
    /// Number of entries of θ.
    fn dim(&self) -> usize;

    /// Number of entries of θ that are coefficients; an intercept follows where there is one.
    fn coefficients(&self) -> usize;

    /// Number of rows, n.
    fn rows(&self) -> usize;

    /// The share of the rows that would tell as much with equal weights: (Σω)²/(n·Σω²). Default: all of them.
    fn effective_fraction(&self) -> f64 {
        1.0
    }

    /// Whether θ has so many entries that their d×d curvature is never to be formed.
    fn is_wide(&self) -> bool {
        self.dim() > WIDE
    }

    /// Answers a question.
    fn ask(&self, query: &Query<'_>) -> Sums;

    /// Rows visited so far, by everything.
    fn visited(&self) -> u64;

    /// Whether somebody outside wants an end: what takes several questions is left unfinished then. Default: no.
    fn is_interrupted(&self) -> bool {
        false
    }

    /// Bounds on the curvature; takes one pass over the rows.
    fn bounds(&self) -> Bounds;

    /// L̂_τ over these rows at several points, in one pass over them; a row counts as visited once for each point.
    fn losses(&self, thetas: &[Vec<f64>], tau: f64, batch: Batch) -> Vec<f64>;

    /// Root mean square of z − φ⁻¹(y): how far the predictors at θ are from those that the labels ask for. Takes
    /// one pass over the rows.
    fn rms_preimage_error(&self, theta: &[f64]) -> f64;
}

/// The answer to whoever is to end and asks for a product with the curvature: one that is not finite, at which those give up
/// who ask for many in a row.
fn given_up(oracle: &dyn Oracle, query: &Query<'_>) -> Option<Sums> {
    let over = matches!(query.want, Want::CurvatureTimes(..)) && oracle.is_interrupted();
    over.then(|| Sums { curvature_times: vec![f64::NAN; oracle.dim()], ..Sums::default() })
}
