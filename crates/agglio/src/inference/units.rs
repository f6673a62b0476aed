//! The *units* of the user: the linear map from θ in the coordinates of the solver to coefficients and intercept.

use crate::math::linalg::Symmetric;
use crate::oracle::{Facts, Layout};

/// `β_j = scale_j·θ_j`, and for the intercept `β_0 = θ_0 + Σ shift_j·θ_j`.
///
/// Covariances stay in the coordinates of the solver as long as possible: there the columns are centred, so that the
/// variance of the intercept does not cancel, and the units of a column cannot overflow in squares.
#[derive(Clone, Debug)]
pub(super) struct Units {
    layout: Layout,
    scale: Vec<f64>,
    shift: Vec<f64>,
}

impl Units {
    pub fn new(facts: &Facts) -> Units {
        let layout = facts.layout;
        let column = |entry: usize| {
            let (coefficients, intercept) = facts.coordinates.to_user(&layout.unit(entry));
            match coefficients.get(entry) {
                Some(&scale) => (scale, if layout.intercept { intercept } else { 0.0 }),
                // all but coefficients have the units of the response or of z
                None => (1.0, 0.0),
            }
        };
        let (scale, shift) = (0..layout.dim()).map(column).unzip();
        Units { layout, scale, shift }
    }

    /// β at θ.
    pub fn to_user(&self, theta: &[f64]) -> Vec<f64> {
        let mut beta: Vec<f64> = self.scale.iter().zip(theta).map(|(scale, theta)| scale * theta).collect();
        if let Some(entry) = self.layout.intercept_entry() {
            beta[entry] += self.shift.iter().zip(theta).map(|(shift, theta)| shift * theta).sum::<f64>();
        }
        beta
    }

    /// The gradient by θ of a function with this gradient by β.
    pub fn pull_back(&self, gradient: &[f64]) -> Vec<f64> {
        let own = self.layout.intercept_entry().and_then(|entry| gradient.get(entry)).copied().unwrap_or(0.0);
        let entries = self.scale.iter().zip(&self.shift).zip(gradient);
        entries.map(|((scale, shift), g)| scale * g + shift * own).collect()
    }

    /// ∂β_entry/∂θ.
    pub fn row(&self, entry: usize) -> Vec<f64> {
        self.pull_back(&self.layout.unit(entry))
    }

    /// The scale of an entry.
    pub fn scale(&self, entry: usize) -> f64 {
        self.scale.get(entry).copied().unwrap_or(0.0)
    }

    /// The shifts of an entry: those of the coefficients for the intercept, else empty.
    pub fn shift(&self, entry: usize) -> &[f64] {
        if Some(entry) == self.layout.intercept_entry() { &self.shift } else { &[] }
    }

    /// The covariance of β from that of θ.
    pub fn covariance(&self, of_theta: &Symmetric) -> Symmetric {
        let order = self.layout.dim();
        let mut covariance = Symmetric::zero(order);
        for j in 0..order {
            (j..order).for_each(|i| covariance.set(i, j, self.scale[i] * of_theta.at(i, j) * self.scale[j]));
        }
        if let Some(entry) = self.layout.intercept_entry() {
            let row = self.row(entry);
            let products = of_theta.times(&row);
            (0..entry).for_each(|j| covariance.set(entry, j, self.scale[j] * products[j]));
            covariance.set(entry, entry, row.iter().zip(&products).map(|(row, product)| row * product).sum());
        }
        covariance
    }
}
