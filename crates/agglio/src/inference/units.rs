//! The *units* of the user: the affine map from θ in the coordinates of the solver to coefficients, intercept and response
//! scale.

use crate::math::linalg::Symmetric;
use crate::oracle::{Facts, Layout, ResponseName, ResponseParameter};

/// `β_j = scale_j·θ_j` for coefficients, `β_0 = θ_0 + Σ shift_j·θ_j` for the intercept, and a linear function of the response
/// entries for an asymptote, an offset or a scale of the response.
///
/// Covariances stay in the coordinates of the solver as long as possible: there the columns are centred, so that the
/// variance of the intercept does not cancel, and the units of a column cannot overflow in squares.
#[derive(Clone, Debug)]
pub(super) struct Units {
    layout: Layout,
    scale: Vec<f64>,
    shift: Vec<f64>,
    response: Vec<ResponseParameter>,
}

impl Units {
    /// The map at θ. Which asymptote is the lower one depends on it.
    pub fn new(facts: &Facts, theta: &[f64]) -> Units {
        let layout = facts.layout;
        let column = |entry: usize| {
            let (coefficients, intercept) = facts.coordinates.to_user(&layout.unit(entry));
            match coefficients.get(entry) {
                Some(&scale) => (scale, if layout.intercept { intercept } else { 0.0 }),
                None => (1.0, 0.0),
            }
        };
        let (scale, shift) = (0..layout.predictor_dim()).map(column).unzip();
        let response = facts.response.as_ref().map(|scale| scale.parameters(layout.response(theta)));
        Units { layout, scale, shift, response: response.unwrap_or_default() }
    }

    /// The names of the free entries of the response scale, which follow coefficients and intercept.
    pub fn response_names(&self) -> impl Iterator<Item = ResponseName> + '_ {
        self.response.iter().map(|own| own.name)
    }

    /// β at the θ of this map.
    pub fn to_user(&self, theta: &[f64]) -> Vec<f64> {
        let mut beta: Vec<f64> = self.scale.iter().zip(theta).map(|(scale, theta)| scale * theta).collect();
        if let Some(entry) = self.layout.intercept_entry() {
            beta[entry] += self.shift.iter().zip(theta).map(|(shift, theta)| shift * theta).sum::<f64>();
        }
        beta.extend(self.response.iter().map(|own| own.value));
        beta
    }

    /// The derivatives of a parameter of the response scale by the free entries.
    fn free<'p>(&self, own: &'p ResponseParameter) -> impl Iterator<Item = f64> + use<'p> {
        let free = self.layout.response;
        own.gradient.iter().zip(free).filter(|(_, free)| *free).map(|(gradient, _)| *gradient)
    }

    /// The change of β with a change of θ.
    pub fn direction(&self, u: &[f64]) -> Vec<f64> {
        let mut beta: Vec<f64> = self.scale.iter().zip(u).map(|(scale, u)| scale * u).collect();
        if let Some(entry) = self.layout.intercept_entry() {
            beta[entry] += self.shift.iter().zip(u).map(|(shift, u)| shift * u).sum::<f64>();
        }
        let response = self.layout.response(u);
        beta.extend(self.response.iter().map(|own| self.free(own).zip(response).map(|(g, u)| g * u).sum::<f64>()));
        beta
    }

    /// The gradient by θ of a function with this gradient by β.
    pub fn pull_back(&self, gradient: &[f64]) -> Vec<f64> {
        let own = self.layout.intercept_entry().and_then(|entry| gradient.get(entry)).copied().unwrap_or(0.0);
        let entries = self.scale.iter().zip(&self.shift).zip(gradient);
        let mut by_theta: Vec<f64> = entries.map(|((scale, shift), g)| scale * g + shift * own).collect();
        let mut by_response = vec![0.0; self.response.len()];
        for (own, g) in self.response.iter().zip(self.layout.response(gradient)) {
            by_response.iter_mut().zip(self.free(own)).for_each(|(sum, derivative)| *sum += g * derivative);
        }
        by_theta.append(&mut by_response);
        by_theta
    }

    /// ∂β_entry/∂θ.
    pub fn row(&self, entry: usize) -> Vec<f64> {
        self.pull_back(&self.layout.unit(entry))
    }

    /// The scale of a coefficient.
    pub fn scale(&self, entry: usize) -> f64 {
        self.scale.get(entry).copied().unwrap_or(0.0)
    }

    /// The covariance of β from that of θ.
    pub fn covariance(&self, of_theta: &Symmetric) -> Symmetric {
        let (order, plain) = (self.layout.dim(), self.layout.coefficients);
        let mut covariance = Symmetric::zero(order);
        for j in 0..plain {
            (j..plain).for_each(|i| covariance.set(i, j, self.scale[i] * of_theta.at(i, j) * self.scale[j]));
        }
        let rows: Vec<Vec<f64>> = (plain..order).map(|entry| self.row(entry)).collect();
        for (i, row) in (plain..order).zip(&rows) {
            let products = of_theta.times(row);
            (0..plain).for_each(|j| covariance.set(i, j, self.scale[j] * products[j]));
            let inner = |other: &Vec<f64>| other.iter().zip(&products).map(|(row, product)| row * product).sum();
            (plain..=i).zip(&rows).for_each(|(j, other)| covariance.set(i, j, inner(other)));
        }
        covariance
    }
}
