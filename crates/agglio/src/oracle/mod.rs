//! The *oracle* answers the only question a solver asks: at (θ, τ), over these rows, what are the sums of
//! loss, gradient and curvature?
//!
//! ```text
//! L̂_τ(θ) = (1/n) Σ_i ω_i (φ̂_τ(z_i) − y_i^τ)²,        z_i = x_iᵀw + b + offset_i
//! ```
//!
//! with weights ω of mean one. It is the graduated objective of the paper divided by γ(τ)², and the
//! user's own loss at τ = 1. Rows are folded and sums merge, so threads, files and machines are one fold.

mod baseline;
mod branch;
mod clip;
mod departure;
mod fold;
mod group;
mod labels;
mod leaf;
mod projection;
mod residual;
mod share;

use crate::linalg::{Symmetric, norm};
use crate::rows::Batch;

pub use crate::tree::LEAF;
pub use baseline::Baseline;
pub(crate) use departure::{Departure, Ends};
pub use fold::Fold;
pub(crate) use group::ABREAST;
pub use labels::{Labels, MARGIN, MARGINS, PreimageBranch};
pub(crate) use projection::Projection;
pub(crate) use share::Share;

/// What is asked for. Each want includes the loss, and all but the first the gradient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Want<'a> {
    /// The loss alone.
    Loss,
    /// Loss and gradient.
    Gradient,
    /// Loss, gradient and the root mean squares of the columns of J that the stop rule compares it with.
    Stationarity,
    /// Loss, gradient, column norms and the d×d curvature.
    Curvature(Hessian),
    /// Loss, gradient and the curvature times a vector, without forming it.
    CurvatureTimes(Hessian, &'a [f64]),
    /// What the expectation step of a mixture over preimages needs, with noise of this deviation before φ: `loss` is the
    /// expected square of ẑ − z, `log_likelihood` the mean log density of y, `right_sides` the one of expected ẑ. τ does
    /// not matter.
    Mixture(f64),
    /// The normal equations of linear least squares on φ⁻¹(y), the problem at τ = 0, with a right-hand side for every
    /// choice of preimages. θ and τ do not matter.
    Line,
    /// The right-hand sides of [`Want::Line`] alone.
    RightSides,
}

/// Which second derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hessian {
    /// (2/n) Σ ω φ̂′² x xᵀ: positive semi-definite.
    GaussNewton,
    /// (2/n) Σ ω (φ̂′² + r·φ̂″) x xᵀ: exact.
    Full,
}

/// Which function's gradient.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// The graduated least-squares loss: gradient (2/n) Σ ω r φ̂′ x.
    #[default]
    Squares,
    /// The matching loss of φ, whose gradient has no φ̂′: (2/n) Σ ω r x, curvature (2/n) Σ ω φ̂′ x xᵀ. The loss
    /// reported beside it is that of `Squares`.
    Matching,
}

/// What the asked rows do with their memory of the last gradient they contributed (SAGA's table).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// Leave it alone.
    #[default]
    Unused,
    /// Remember what they contribute now.
    Renew,
    /// Remember what they contribute now, and answer with the gradient's difference to what they remembered.
    Difference,
}

/// A question: where, at which temperature, over which rows, and what.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The point θ, in the solver's coordinates.
    pub theta: &'a [f64],
    /// The temperature τ in [0, 1].
    pub tau: f64,
    /// The rows asked.
    pub batch: Batch,
    /// What to answer with.
    pub want: Want<'a>,
    /// Whose gradient.
    pub objective: Objective,
    /// What the rows do with their memory, one number each.
    pub memory: Memory,
}

impl<'a> Query<'a> {
    /// A question about least squares, without memory.
    pub fn new(theta: &'a [f64], tau: f64, batch: Batch, want: Want<'a>) -> Query<'a> {
        Query { theta, tau, batch, want, objective: Objective::Squares, memory: Memory::Unused }
    }
}

/// The answer: weighted means over the asked rows, in the solver's coordinates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sums {
    /// Number of rows asked.
    pub rows: usize,
    /// L̂_τ.
    pub loss: f64,
    /// Mean square of the graduated labels: what rounding of the residuals is measured by.
    pub label_square: f64,
    /// What the row with the largest residual contributes to the loss, penalty left out.
    pub largest_square: f64,
    /// Mean log density of the labels under noise before φ, where asked for.
    pub log_likelihood: f64,
    /// Share of the rows, by weight, whose slope is below a thousandth of φ′(0); with the curvature.
    pub saturated: f64,
    /// ∇L̂_τ, empty where not asked for.
    pub gradient: Vec<f64>,
    /// ‖J_j‖/√n for each column of J = (φ̂′_i x_ij), or of J = (x_ij) for the matching loss; empty where not asked for.
    pub column_norms: Vec<f64>,
    /// The curvature, where asked for.
    pub curvature: Option<Symmetric>,
    /// Whether that is the exact one, not Gauss and Newton's.
    pub is_full: bool,
    /// The curvature times the vector asked with, empty where not asked for.
    pub curvature_times: Vec<f64>,
    /// The right-hand sides that belong to the curvature at τ = 0: one for each label margin, then one for labels as
    /// they are; these take the right one of two preimages. Where φ turns, one that takes the left ones follows, and one
    /// that takes a preimage far to the left for labels near zero.
    pub right_sides: Vec<Vec<f64>>,
}

impl Sums {
    /// Whether everything in the answer that a step uses is finite.
    pub fn is_finite(&self) -> bool {
        self.loss.is_finite() && self.gradient.iter().all(|g| g.is_finite())
    }

    /// ‖∇L̂_τ‖.
    pub fn gradient_norm(&self) -> f64 {
        norm(&self.gradient)
    }

    /// max_j |J_jᵀr|/(‖J_j‖‖r‖), the largest cosine between the residual and a column of J: the gradient
    /// relative to its own scale. None where no column has a slope left (a plateau) or norms were not asked for.
    pub fn relative_gradient(&self) -> Option<f64> {
        if self.loss == 0.0 {
            return Some(0.0);
        }
        // beside sums that overflow any gradient would look small, or like no number at all
        if !self.is_finite() {
            return Some(1.0);
        }
        let residual = self.loss.sqrt();
        // a norm that underflows beside a gradient that does not says nothing good
        let cosine = |(g, norm): (&f64, &f64)| match *norm > 0.0 {
            true => Some(g.abs() / (2.0 * norm * residual)),
            false => (*g != 0.0).then_some(1.0),
        };
        self.gradient.iter().zip(&self.column_norms).filter_map(cosine).reduce(f64::max)
    }

    /// What rounding of the residuals does to the loss.
    pub fn rounding(&self) -> f64 {
        let unit = 2.0 * f64::EPSILON;
        unit * self.loss.sqrt() * self.label_square.sqrt() + unit * unit * self.label_square
    }

    /// Whether the residual is at the level that rounding leaves of it.
    pub fn is_rounding(&self) -> bool {
        self.loss.is_finite() && self.loss <= (64.0 * f64::EPSILON).powi(2) * self.label_square
    }
}

/// What bounds the curvature at every θ and τ, in units of the Gauss–Newton curvature at τ = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// |φ′(0)|.
    pub slope: f64,
    /// sup φ′, or none for an activation of unbounded slope.
    pub largest_slope: Option<f64>,
    /// 2φ′(0)²·max_i ω_i‖x_i‖²: the largest curvature that a single row can have.
    pub longest_row: f64,
}

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
    fn evenness(&self) -> f64 {
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
    fn distance(&self, theta: &[f64]) -> f64;
}

/// The answer to whoever is to end and asks for a product with the curvature: one that is not finite, at which those give up
/// who ask for many in a row.
fn given_up(oracle: &dyn Oracle, query: &Query<'_>) -> Option<Sums> {
    let over = matches!(query.want, Want::CurvatureTimes(..)) && oracle.is_interrupted();
    over.then(|| Sums { curvature_times: vec![f64::NAN; oracle.dim()], ..Sums::default() })
}
