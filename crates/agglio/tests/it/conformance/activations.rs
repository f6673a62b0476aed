//! Activations under the suite.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use agglio::activation::{Activation, Affine, PiecewiseMonotone, Preimages, Range, Shape, named};
use agglio::conformance;

use super::assert_caught;
use crate::bank;
use crate::derivatives::Arctan;

#[test]
fn every_activation_conforms() {
    for name in bank::activations().chain(["leaky-softplus:0", "leaky-softplus:0.75", "leaky-softplus:1"]) {
        conformance::activation(named(name).unwrap().as_ref()).unwrap_or_else(|failure| panic!("{name}: {failure}"));
    }
}

/// The two turning points of zφ′(z) of a leaky softplus merge near k = 0.1488, and all of its differences vanish as k → 1.
#[test]
fn leaky_softplus_conforms_for_every_k() {
    for k in ["1e-300", "1e-12", "0.01", "0.148", "0.14878719", "0.1488", "0.5", "0.999", "0.999999999999"] {
        let phi = named(&format!("leaky-softplus:{k}")).unwrap();
        conformance::activation(phi.as_ref()).unwrap_or_else(|failure| panic!("{k}: {failure}"));
    }
}

#[test]
fn scaled_and_mirrored_activations_conform() {
    let scaled = bank::activations().map(|name| (name, 0.0, 10.0));
    // with two preimages the left one would be where φ rises
    let mirrored = bank::monotone().map(|name| (name, 3.0, -0.5));
    for (name, offset, scale) in scaled.chain(mirrored) {
        let phi = Affine::new(named(name).unwrap(), offset, scale);
        conformance::activation(&phi).unwrap_or_else(|failure| panic!("{}: {failure}", phi.name()));
    }
}

#[test]
fn the_defaults_of_the_trait_conform() {
    for (shift, steep) in [(0.0, 1.0), (1.0, 1.0), (-0.5, 30.0), (3.0, 0.01)] {
        conformance::activation(&Arctan { shift, steep })
            .unwrap_or_else(|failure| panic!("{shift}, {steep}: {failure}"));
    }
}

/// An activation with one fault.
#[derive(Debug)]
struct Broken {
    inner: Arc<dyn Activation>,
    fault: &'static str,
    calls: AtomicUsize,
}

impl Broken {
    fn new(name: &str, fault: &'static str) -> Broken {
        Broken { inner: named(name).unwrap(), fault, calls: AtomicUsize::new(0) }
    }

    fn has(&self, fault: &str) -> bool {
        self.fault == fault
    }
}

impl Activation for Broken {
    fn name(&self) -> String {
        let calls = self.calls.fetch_add(1, Ordering::Relaxed);
        if self.has("a name that changes") { format!("broken {calls}") } else { self.inner.name() }
    }
    fn value(&self, t: f64) -> f64 {
        match self.fault {
            "0·∞ far out" if t < -800.0 => 0.0 * (-t).exp(),
            _ => self.inner.value(t),
        }
    }
    fn derivative(&self, t: f64) -> f64 {
        match self.fault {
            "no slope at zero" if t == 0.0 => 0.0,
            "a derivative with a lost factor" => self.inner.derivative(t) * (1.0 + 1e-5),
            "a derivative that is wrong on one side" if t > 2.0 => 0.999 * self.inner.derivative(t),
            _ => self.inner.derivative(t),
        }
    }
    fn second_derivative(&self, t: f64) -> f64 {
        let right = self.inner.second_derivative(t);
        if self.has("a second derivative of the wrong sign") { -right } else { right }
    }
    fn centered(&self, t: f64) -> f64 {
        match self.fault {
            "a plain difference" => self.value(t) - self.value(0.0),
            _ => self.inner.centered(t),
        }
    }
    fn range(&self) -> Range {
        match self.fault {
            "a range that is too narrow" => Range { hi: 0.9, ..self.inner.range() },
            "a range that is too wide" => Range { hi: 2.0, ..self.inner.range() },
            _ => self.inner.range(),
        }
    }
    fn limits(&self) -> (f64, f64) {
        let Range { lo, hi, .. } = self.range();
        match self.fault {
            "the minimum as the limit" => (lo, hi),
            "no limit on the right" => (lo, f64::INFINITY),
            _ => self.inner.limits(),
        }
    }
    fn centre(&self) -> Option<f64> {
        match self.fault {
            "a centre beside the curve" => Some(0.0),
            "a centre of half a curve" => Some(self.inner.value(0.0)),
            _ => self.inner.centre(),
        }
    }
    fn largest_slope(&self) -> Option<f64> {
        let right = self.inner.largest_slope();
        if self.has("a largest slope that is too small") { right.map(|slope| 0.99 * slope) } else { right }
    }
    fn shape(&self) -> Option<Shape> {
        let right = self.inner.shape()?;
        let moved = |by: f64| right.derivative.turns().iter().map(|(at, _)| at + by).collect::<Vec<f64>>();
        let derivative = |turns: &[f64], limits| PiecewiseMonotone::new(|z| self.inner.derivative(z), turns, limits);
        let limits = right.derivative.limits();
        Some(match self.fault {
            "a shape without turning points" => Shape { derivative: derivative(&[], limits), ..right },
            "turning points beside the extrema" => Shape { derivative: derivative(&moved(1e-5), limits), ..right },
            "a turning point too many" => {
                Shape { derivative: derivative(&[moved(0.0), vec![9.0]].concat(), limits), ..right }
            }
            "turning points of another function" => Shape { second_derivative: right.derivative.clone(), ..right },
            "limits exchanged" => Shape { derivative: derivative(&moved(0.0), [limits[1], limits[0]]), ..right },
            "a radial derivative without bound" => {
                let [left, _] = right.radial_derivative.limits();
                let radial = |z: f64| z * self.inner.derivative(z);
                let radial_derivative = PiecewiseMonotone::new(radial, &[-1.0, 1.0], [left, f64::INFINITY]);
                Shape { radial_derivative, ..right }
            }
            _ => right,
        })
    }
    fn preimages(&self, y: f64) -> Preimages {
        match (self.fault, self.inner.preimages(y)) {
            ("a rough inverse", Preimages::One(z)) => Preimages::One(z + 1e-9),
            ("sides exchanged", Preimages::Two { left, right }) => Preimages::Two { left: right, right: left },
            ("one of two", Preimages::Two { right, .. }) => Preimages::One(right),
            ("none of one", Preimages::One(_)) if y > 0.7 => Preimages::None,
            ("an inverse of anything", Preimages::None) => Preimages::One(0.0),
            (_, right) => right,
        }
    }
    fn average(&self, sigma: f64, z: &[f64], out: &mut [f64]) {
        match self.fault {
            "the median as the mean" => self.inner.respond(z, out),
            _ => self.inner.average(sigma, z, out),
        }
    }
    fn graduate(&self, tau: f64, z: &[f64], out: &mut [f64]) {
        self.inner.graduate(tau, z, out);
        match self.fault {
            "no line at zero" if tau < 1e-100 => out.fill(0.0),
            "the last one of a slice" => out.iter_mut().rev().take(1).for_each(|last| *last = last.next_up()),
            _ => {}
        }
    }
    fn graduate_derivative(&self, tau: f64, z: &[f64], out: &mut [f64]) {
        let tau = if self.has("a derivative at another temperature") { 1.0 } else { tau };
        self.inner.graduate_derivative(tau, z, out);
    }
    fn graduate_second_derivative(&self, tau: f64, z: &[f64], out: &mut [f64]) {
        self.inner.graduate_second_derivative(tau, z, out);
        if self.has("a lost τ") && tau > 0.0 {
            out.iter_mut().for_each(|out| *out /= tau);
        }
    }
    fn respond_with_derivative(&self, z: &[f64], value: &mut [f64], derivative: &mut [f64]) {
        self.inner.respond_with_derivative(z, value, derivative);
        if self.has("two in one that differ") {
            derivative.iter_mut().for_each(|derivative| *derivative *= 1.0 + 1e-12);
        }
    }
}

#[test]
fn every_law_of_an_activation_can_fail() {
    let slices = "slices are graduated as their definition says, at every temperature";
    let solutions = "preimages solve φ(z) = y, the left one where φ falls and the right one where it rises";
    let far_out = "the limits of a shape are those of its functions far out";
    let extrema = "the turning points of a shape are extrema of its functions, in ascending order";
    let mutants = [
        ("sigmoid", "a name that changes", "the name is not empty and stays the same"),
        ("softplus", "0·∞ far out", "nothing is NaN for a finite argument, up to 1e308"),
        ("tanh", "no slope at zero", "the derivative at zero is not zero"),
        ("gelu", "a derivative with a lost factor", "the derivative is that of the value"),
        ("sigmoid", "a derivative that is wrong on one side", "the derivative is that of the value"),
        ("probit", "a second derivative of the wrong sign", "the second derivative is that of the derivative"),
        ("sigmoid", "a plain difference", "the centered value is φ(t) − φ(0), without cancellation"),
        ("sigmoid", "a range that is too narrow", "values stay in the range"),
        ("sigmoid", "a range that is too wide", "values come near the finite bounds of the range"),
        ("gelu", "the minimum as the limit", "the limits are those of the value far out"),
        ("tanh", "no limit on the right", "the limits are those of the value far out"),
        ("sigmoid", "a centre beside the curve", "values are symmetric about the centre"),
        ("softplus", "a centre of half a curve", "values are symmetric about the centre"),
        ("silu", "a largest slope that is too small", "the largest slope is a bound on the derivative"),
        ("softplus", "a rough inverse", solutions),
        ("silu", "sides exchanged", solutions),
        ("silu", "one of two", "the preimages of φ(z) include z"),
        ("sigmoid", "none of one", "the preimages of φ(z) include z"),
        ("exp", "an inverse of anything", "labels outside the range have no preimage"),
        ("sigmoid", "no line at zero", slices),
        ("sigmoid", "a derivative at another temperature", slices),
        ("sigmoid", "a lost τ", slices),
        ("sigmoid", "two in one that differ", slices),
        ("sigmoid", "the last one of a slice", "an entry of a slice does not depend on its neighbours"),
        ("sigmoid", "the median as the mean", "the average is the mean of φ(z + ε)"),
        ("silu", "limits exchanged", far_out),
        ("arctan", "a radial derivative without bound", far_out),
        ("gelu", "turning points beside the extrema", extrema),
        ("silu", "a turning point too many", extrema),
        ("tanh", "turning points of another function", extrema),
        ("gelu", "a shape without turning points", "values over an interval stay in the range that the shape gives"),
    ];
    let caught = mutants.map(|(name, fault, law)| (fault, conformance::activation(&Broken::new(name, fault)), law));
    assert_caught(conformance::activation_laws(), &caught);
}
