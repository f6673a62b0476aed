//! The *response scale* a + b·φ(z) of a fit: how the response depends on its parameters.

use crate::activation::Activation;
use crate::inference::Summary;
use crate::oracle::ResponseName;

/// a and b, and the asymptotes of a + b·φ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScaledResponse {
    /// a.
    pub offset: f64,
    /// b.
    pub scale: f64,
    lower: f64,
    upper: f64,
}

impl ScaledResponse {
    /// The scale a + b·φ of this activation φ.
    pub fn new(activation: &dyn Activation, offset: f64, scale: f64) -> ScaledResponse {
        let (left, right) = activation.limits();
        let [left, right] = [left, right].map(|limit| offset + scale * limit);
        ScaledResponse { offset, scale, lower: left.min(right), upper: left.max(right) }
    }

    /// The derivative of the response by a parameter, where φ has this value.
    pub fn by(&self, name: ResponseName, value: f64) -> f64 {
        let response = self.offset + self.scale * value;
        match name {
            ResponseName::Lower => (self.upper - response) / (self.upper - self.lower),
            ResponseName::Upper => (response - self.lower) / (self.upper - self.lower),
            ResponseName::Offset => 1.0,
            ResponseName::Scale => value,
        }
    }

    /// The derivative of ln|b| by a parameter.
    pub fn relative(&self, name: ResponseName) -> f64 {
        let width = self.upper - self.lower;
        match name {
            ResponseName::Upper => 1.0 / width,
            ResponseName::Lower => -1.0 / width,
            ResponseName::Scale => 1.0 / self.scale,
            ResponseName::Offset => 0.0,
        }
    }
}

impl Summary {
    /// Sets the entries of a gradient that belong to free entries of the response scale.
    pub(crate) fn set_response(&self, gradient: &mut [f64], by: impl Fn(ResponseName) -> f64) {
        let first = self.names.len() - self.response.len();
        gradient.iter_mut().skip(first).zip(&self.response).for_each(|(g, name)| *g = by(*name));
    }
}
