//! An *affine* image of an activation: another offset and another scale of the response.

use std::sync::Arc;

use super::{Activation, Preimages, Range, Shape};

/// `φ(t) = offset + scale·ψ(t)`
///
/// A response on another scale than that of ψ, for example a sigmoid from 0 to 100.
#[derive(Clone, Debug)]
pub struct Affine {
    inner: Arc<dyn Activation>,
    offset: f64,
    scale: f64,
}

impl Affine {
    /// The activation `offset + scale·inner`. The scale must not be zero, and both must be finite.
    pub fn new(inner: Arc<dyn Activation>, offset: f64, scale: f64) -> Affine {
        Affine { inner, offset, scale }
    }

    fn apply(&self, y: f64) -> f64 {
        self.offset + self.scale * y
    }

    fn apply_to(&self, values: &mut [f64]) {
        values.iter_mut().for_each(|y| *y = self.apply(*y));
    }

    fn stretch(&self, values: &mut [f64]) {
        values.iter_mut().for_each(|y| *y *= self.scale);
    }
}

impl Activation for Affine {
    /// `0+100*sigmoid`, from which [`named`](super::named) makes it again.
    fn name(&self) -> String {
        format!("{}+{}*{}", self.offset, self.scale, self.inner.name())
    }

    fn value(&self, t: f64) -> f64 {
        self.apply(self.inner.value(t))
    }

    fn derivative(&self, t: f64) -> f64 {
        self.scale * self.inner.derivative(t)
    }

    fn second_derivative(&self, t: f64) -> f64 {
        self.scale * self.inner.second_derivative(t)
    }

    fn centered(&self, t: f64) -> f64 {
        self.scale * self.inner.centered(t)
    }

    fn range(&self) -> Range {
        let Range { lo, hi, attained } = self.inner.range();
        let (lo, hi) = (self.apply(lo), self.apply(hi));
        Range { lo: lo.min(hi), hi: lo.max(hi), attained }
    }

    fn limits(&self) -> (f64, f64) {
        let (left, right) = self.inner.limits();
        (self.apply(left), self.apply(right))
    }

    fn centre(&self) -> Option<f64> {
        self.inner.centre().map(|centre| self.apply(centre))
    }

    fn largest_slope(&self) -> Option<f64> {
        self.inner.largest_slope().map(|slope| self.scale.abs() * slope)
    }

    fn shape(&self) -> Option<Shape> {
        self.inner.shape().map(|shape| shape.affine(self.offset, self.scale))
    }

    fn preimages(&self, y: f64) -> Preimages {
        let Range { lo, hi, .. } = self.inner.range();
        // (y − offset)/scale may miss the bound by a rounding error
        let image = [lo, hi].into_iter().find(|&bound| self.apply(bound) == y);
        self.inner.preimages(image.unwrap_or((y - self.offset) / self.scale))
    }

    fn respond(&self, z: &[f64], out: &mut [f64]) {
        self.inner.respond(z, out);
        self.apply_to(out);
    }

    fn average(&self, sigma: f64, z: &[f64], out: &mut [f64]) {
        self.inner.average(sigma, z, out);
        self.apply_to(out);
    }

    fn graduate(&self, tau: f64, z: &[f64], out: &mut [f64]) {
        self.inner.graduate(tau, z, out);
        self.stretch(out);
    }

    fn graduate_derivative(&self, tau: f64, z: &[f64], out: &mut [f64]) {
        self.inner.graduate_derivative(tau, z, out);
        self.stretch(out);
    }

    fn respond_with_derivative(&self, z: &[f64], value: &mut [f64], derivative: &mut [f64]) {
        self.inner.respond_with_derivative(z, value, derivative);
        self.apply_to(value);
        self.stretch(derivative);
    }

    fn graduate_with_derivative(&self, tau: f64, z: &[f64], value: &mut [f64], derivative: &mut [f64]) {
        self.inner.graduate_with_derivative(tau, z, value, derivative);
        self.stretch(value);
        self.stretch(derivative);
    }

    fn graduate_second_derivative(&self, tau: f64, z: &[f64], out: &mut [f64]) {
        self.inner.graduate_second_derivative(tau, z, out);
        self.stretch(out);
    }
}
