//! The *answer* to a query: weighted means over the asked rows.

use crate::math::linalg::{Symmetric, norm};

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
