//! *Partial sums* are sums over some of the rows of a query. They are not normalised, so those of several shards can be
//! merged.

use serde::{Deserialize, Serialize};

use crate::math::linalg::Symmetric;
use crate::oracle::loss::Compared;

/// Sums over some rows in the units of the rows. Fields that were not asked for are empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PartialSums {
    /// Number of rows.
    pub rows: usize,
    /// Σ ω ρ, the loss.
    pub loss: f64,
    /// Σ ω r². For least squares it is the loss.
    pub square: f64,
    /// Σ ω (y^τ)²; for a likelihood Σ ω.
    pub label_square: f64,
    /// max ω r², max ω‖x‖² for [`Ask::LongestRow`](crate::oracle::Ask::LongestRow), or the largest leverage for
    /// [`Ask::Meat`](crate::oracle::Ask::Meat).
    pub largest: f64,
    /// Σ ω over the rows whose derivative has nearly vanished.
    pub saturated: f64,
    /// Σ a_i and Σ a_i·(x_i − p), where a_i is the coefficient of row i in the gradient and p is the pivot.
    pub gradient: Weighted,
    /// Σ b_i and Σ b_i·(x_i − c)², with b = ω φ̂′², or b = ω for the matching loss; c is the centre.
    pub norms: Weighted,
    /// Σ h_i and Σ h_i·(x_i − p), where h_i is the coefficient of row i in the curvature. For a product of the
    /// curvature with v, h_i is multiplied by x_iᵀv.
    pub curvature: Weighted,
    /// Σ h_i·(x_i − p)(x_i − p)ᵀ.
    pub products: Option<Symmetric>,
    /// Σ ω_i D_i and Σ ω_i D_i·(x_i − p), with D = bφ′, and the same with D·φ: the curvature between coefficients and a
    /// free response scale.
    pub response: Vec<Weighted>,
    /// Σ ω_i ẑ_i and Σ ω_i ẑ_i·(x_i − p) for each choice of preimages, with ẑ = φ⁻¹(y) − offset.
    pub right_sides: Vec<Weighted>,
    /// Σ m_i and Σ m_i·(x_i − p), where m_i is the coefficient of row i in the meat of a sandwich.
    pub meat: Weighted,
    /// Σ m_i·(x_i − p)(x_i − p)ᵀ.
    pub meat_products: Option<Symmetric>,
    /// Σ s²D and Σ s²D·(x_i − p), with s = ωr of each row, and the same with D·φ: the meat between coefficients and a free
    /// response scale.
    pub meat_response: Vec<Weighted>,
    /// Σ s², Σ s²φ and Σ s²φ².
    pub meat_numbers: Vec<f64>,
    /// Σ ω of the squared residuals, each divided by the variance of its response.
    pub pearson: f64,
    /// The scores of the clusters, by increasing code.
    pub clusters: Vec<ClusterScore>,
    /// Further sums, whose meaning depends on the query.
    pub numbers: Vec<f64>,
    /// For numbers row by row: the position of each row in the batch.
    pub positions: Vec<usize>,
    /// The numbers row by row, by columns.
    pub columns: Vec<Vec<f64>>,
}

/// A sum of coefficients, and the sum of the rows with these coefficients.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Weighted {
    /// Σ a_i.
    pub total: f64,
    /// Σ a_i·(x_i − p).
    pub rows: Vec<f64>,
}

/// The score of a cluster: the sum of the gradients of its rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterScore {
    /// The code of the cluster.
    pub code: u32,
    /// Σ a_i and Σ a_i·(x_i − p) over its rows, where a_i is the coefficient of row i in the gradient.
    pub score: Weighted,
    /// Σ ωr and Σ ωrφ over its rows, with a free response scale.
    pub response: [f64; 2],
}

impl ClusterScore {
    /// Merges two lists that are sorted by code.
    fn merge(left: Vec<ClusterScore>, right: Vec<ClusterScore>) -> Vec<ClusterScore> {
        let mut merged: Vec<ClusterScore> = Vec::with_capacity(left.len().max(right.len()));
        let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
        while let Some(code) = left.peek().into_iter().chain(right.peek()).map(|cluster| cluster.code).min() {
            let own = left.next_if(|cluster| cluster.code == code);
            let other = right.next_if(|cluster| cluster.code == code);
            match (own, other) {
                (Some(mut own), Some(other)) => {
                    own.score.merge(&other.score);
                    own.response.iter_mut().zip(other.response).for_each(|(own, other)| *own += other);
                    merged.push(own);
                }
                (one, other) => merged.extend(one.or(other)),
            }
        }
        merged
    }
}

impl Weighted {
    /// The sums over no rows of `width` covariates; empty if not used.
    pub(super) fn zero(width: usize, used: bool) -> Weighted {
        Weighted { total: 0.0, rows: if used { vec![0.0; width] } else { Vec::new() } }
    }

    fn merge(&mut self, other: &Weighted) {
        self.total += other.total;
        self.rows.iter_mut().zip(&other.rows).for_each(|(a, b)| *a += b);
    }
}

impl PartialSums {
    /// Adds the comparison of further rows with their labels.
    pub(super) fn include(&mut self, compared: &Compared) {
        self.loss += compared.loss;
        self.square += compared.square;
        self.label_square += compared.label;
        self.largest = self.largest.max(compared.largest);
    }

    /// Merges the sums over the rows to the right of these.
    pub fn merge(mut self, right: PartialSums) -> PartialSums {
        self.rows += right.rows;
        self.loss += right.loss;
        self.square += right.square;
        self.label_square += right.label_square;
        self.largest = self.largest.max(right.largest);
        self.saturated += right.saturated;
        self.gradient.merge(&right.gradient);
        self.norms.merge(&right.norms);
        self.curvature.merge(&right.curvature);
        if let (Some(left), Some(right)) = (&mut self.products, &right.products) {
            left.add(right);
        }
        self.response.iter_mut().zip(&right.response).for_each(|(left, right)| left.merge(right));
        self.right_sides.iter_mut().zip(&right.right_sides).for_each(|(left, right)| left.merge(right));
        self.pearson += right.pearson;
        self.meat.merge(&right.meat);
        if let (Some(left), Some(right)) = (&mut self.meat_products, &right.meat_products) {
            left.add(right);
        }
        self.meat_response.iter_mut().zip(&right.meat_response).for_each(|(left, right)| left.merge(right));
        self.meat_numbers.iter_mut().zip(&right.meat_numbers).for_each(|(left, right)| *left += right);
        self.clusters = ClusterScore::merge(std::mem::take(&mut self.clusters), right.clusters);
        self.numbers.iter_mut().zip(&right.numbers).for_each(|(left, right)| *left += right);
        self.positions.extend(right.positions);
        self.columns.iter_mut().zip(right.columns).for_each(|(left, right)| left.extend(right));
        self
    }

    /// Sorts the numbers row by row into the order of the batch.
    pub(super) fn sort(&mut self) {
        if self.positions.is_sorted() {
            return;
        }
        let mut order: Vec<usize> = (0..self.positions.len()).collect();
        order.sort_by_key(|&i| self.positions[i]);
        for column in &mut self.columns {
            *column = order.iter().map(|&i| column[i]).collect();
        }
        self.positions.sort_unstable();
    }
}
