//! *Logarithms* of a φ whose values are probabilities: ln φ and ln(1 − φ), with their derivatives, over slices.

use super::Activation;
use crate::math::vector::{Function, map_both};

/// ln φ(t) and ln(1 − φ(t)) from the value, for a φ that has no better form. The tails lose their digits.
pub(super) fn plain(phi: &(impl Activation + ?Sized), t: f64) -> [f64; 2] {
    let value = phi.value(t);
    [value.ln(), (-value).ln_1p()]
}

/// (ln φ)′ = φ′/φ and (ln(1 − φ))′ = −φ′/(1 − φ).
pub(super) fn plain_derivative(phi: &(impl Activation + ?Sized), t: f64) -> [f64; 2] {
    let (value, derivative) = (phi.value(t), phi.derivative(t));
    [derivative / value, -derivative / (1.0 - value)]
}

/// (ln φ)″ = φ″/φ − (φ′/φ)² and (ln(1 − φ))″ = −φ″/(1 − φ) − (φ′/(1 − φ))².
pub(super) fn plain_second_derivative(phi: &(impl Activation + ?Sized), t: f64) -> [f64; 2] {
    let (value, second, [left, right]) = (phi.value(t), phi.second_derivative(t), phi.log_derivative(t));
    [second / value - left * left, -second / (1.0 - value) - right * right]
}

/// Writes both logarithms of each row.
pub(super) fn respond<A: Activation + ?Sized>(phi: &A, z: &[f64], [left, right]: [&mut [f64]; 2]) {
    map_both(z, left, right, Value::<A, 0>(phi), Value::<A, 1>(phi));
}

/// Writes both derivatives of each row.
pub(super) fn differentiate<A: Activation + ?Sized>(phi: &A, z: &[f64], [left, right]: [&mut [f64]; 2]) {
    map_both(z, left, right, Derivative::<A, 0>(phi), Derivative::<A, 1>(phi));
}

/// Writes both second derivatives of each row.
pub(super) fn differentiate_twice<A: Activation + ?Sized>(phi: &A, z: &[f64], [left, right]: [&mut [f64]; 2]) {
    map_both(z, left, right, SecondDerivative::<A, 0>(phi), SecondDerivative::<A, 1>(phi));
}

/// One of the two logarithms.
struct Value<'a, A: ?Sized, const SIDE: usize>(&'a A);

/// One of the two derivatives.
struct Derivative<'a, A: ?Sized, const SIDE: usize>(&'a A);

/// One of the two second derivatives.
struct SecondDerivative<'a, A: ?Sized, const SIDE: usize>(&'a A);

impl<A: Activation + ?Sized, const SIDE: usize> Function for Value<'_, A, SIDE> {
    #[inline(always)]
    fn at(&self, z: f64) -> f64 {
        self.0.log_value(z)[SIDE]
    }
}

impl<A: Activation + ?Sized, const SIDE: usize> Function for Derivative<'_, A, SIDE> {
    #[inline(always)]
    fn at(&self, z: f64) -> f64 {
        self.0.log_derivative(z)[SIDE]
    }
}

impl<A: Activation + ?Sized, const SIDE: usize> Function for SecondDerivative<'_, A, SIDE> {
    #[inline(always)]
    fn at(&self, z: f64) -> f64 {
        self.0.log_second_derivative(z)[SIDE]
    }
}
