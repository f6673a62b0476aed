//! The laws of the shape of an activation, which an activation need not have.

use super::Verdict;
use super::numbers::{ROUNDING, close};
use crate::activation::{Activation, PiecewiseMonotone};
use crate::math::rng::{Random, Stream};

const INTERVALS: usize = 1000;

/// A function with the points where it turns, and the size of its rounding errors where it is zero.
struct Curve<'a> {
    name: &'static str,
    at: &'a dyn Fn(f64) -> f64,
    shape: &'a PiecewiseMonotone,
    floor: f64,
}

impl Curve<'_> {
    /// The rounding error of a value.
    fn slack(&self, value: f64) -> f64 {
        if value.is_finite() { ROUNDING * value.abs() + self.floor } else { 0.0 }
    }
}

/// Checks each of the four functions, if there is a shape.
fn for_each(phi: &dyn Activation, check: fn(&Curve<'_>) -> Verdict) -> Verdict {
    let Some(shape) = phi.shape() else { return Ok(()) };
    let floor = f64::EPSILON * (phi.value(0.0).abs() + phi.derivative(0.0).abs());
    let value = |z| phi.value(z);
    let derivative = |z| phi.derivative(z);
    let second_derivative = |z| phi.second_derivative(z);
    let radial_derivative = |z| z * phi.derivative(z);
    let curves: [(_, &dyn Fn(f64) -> f64, _); 4] = [
        ("φ", &value, &shape.value),
        ("φ′", &derivative, &shape.derivative),
        ("φ″", &second_derivative, &shape.second_derivative),
        ("zφ′(z)", &radial_derivative, &shape.radial_derivative),
    ];
    curves.into_iter().try_for_each(|(name, at, shape)| check(&Curve { name, at, shape, floor }))
}

pub(super) fn limits(phi: &dyn Activation) -> Verdict {
    for_each(phi, |curve| {
        let [left, right] = curve.shape.limits();
        tends_to(curve.name, curve.at, -1.0, left)?;
        tends_to(curve.name, curve.at, 1.0, right)
    })
}

/// Whether a function tends to this limit on this side.
pub(super) fn tends_to(name: &str, at: &dyn Fn(f64) -> f64, side: f64, limit: f64) -> Verdict {
    let (near, far) = (at(side * 1e100), at(side * 1e308));
    let reached = match limit.is_finite() {
        true => close(far, limit, ROUNDING * limit.abs() + 1e-6),
        // a function that has overflowed is at its limit; any other still moves
        false => far == limit || (far != near && (far > near) == (limit > 0.0)),
    };
    if limit.is_nan() || !reached {
        let found = format!("{name} is {near:e} at {:e} and {far:e} at {:e}", side * 1e100, side * 1e308);
        return Err(format!("The limit is said to be {limit:e}, and {found}."));
    }
    Ok(())
}

pub(super) fn turns(phi: &dyn Activation) -> Verdict {
    for_each(phi, |curve| {
        let points: Vec<f64> = curve.shape.turns().iter().map(|(at, _)| *at).collect();
        if !points.is_sorted_by(|a, b| a < b) || points.iter().any(|at| !at.is_finite()) {
            return Err(format!("{} turns at {points:?}.", curve.name));
        }
        for (k, &(at, value)) in curve.shape.turns().iter().enumerate() {
            if !close((curve.at)(at), value, curve.slack(value)) {
                return Err(format!("{} is {:e} at {at:e}, not {value:e}.", curve.name, (curve.at)(at)));
            }
            let neighbours = [k.checked_sub(1), Some(k + 1)];
            let gaps = neighbours.into_iter().flatten().filter_map(|k| points.get(k)).map(|other| (other - at).abs());
            is_extremum(curve, at, value, gaps.fold(f64::INFINITY, f64::min))?;
        }
        Ok(())
    })
}

/// Whether the function lies on one side of its value at a point, up to half the way to its other turning points.
fn is_extremum(curve: &Curve<'_>, at: f64, value: f64, gap: f64) -> Verdict {
    let distances = (0..27).map(|n| at.abs().max(1.0) * 0.5_f64.powi(n)).filter(|h| *h <= 0.5 * gap);
    for h in distances {
        let [left, right] = [at - h, at + h].map(|z| {
            let change = (curve.at)(z) - value;
            if change.abs() > curve.slack(value) { change } else { 0.0 }
        });
        if left * right < 0.0 || left.is_nan() || right.is_nan() {
            let found = format!("by {left:e} at {:e} and by {right:e} at {:e}", at - h, at + h);
            return Err(format!("{} is {value:e} at {at:e}, and differs from this {found}.", curve.name));
        }
    }
    Ok(())
}

pub(super) fn ranges(phi: &dyn Activation) -> Verdict {
    for_each(phi, |curve| {
        let mut random = Random::new(0, Stream::Probes);
        for _ in 0..INTERVALS {
            let ends = interval(&mut random);
            // turning points are extrema, so each end of the range is reached at one, at an end, or in the limit
            let [lo, hi] = curve.shape.range(ends, ends.map(|at| curve.shape.end(at, curve.at)));
            for z in inside(ends, &mut random) {
                let value = (curve.at)(z);
                if !(lo - curve.slack(lo) <= value && value <= hi + curve.slack(hi)) {
                    let [from, to] = ends;
                    let range = format!("between {from:e} and {to:e} the range is {lo:e} to {hi:e}");
                    return Err(format!("{} is {value:e} at {z:e}, and {range}.", curve.name));
                }
            }
        }
        Ok(())
    })
}

/// A number of random size between 10^`least` and 10^`most`.
fn sized(random: &mut Random, least: f64, most: f64) -> f64 {
    10f64.powf(least + (most - least) * random.uniform())
}

/// An interval of random position and width; one in eight is infinite on the left, and one in eight on the right.
fn interval(random: &mut Random) -> [f64; 2] {
    let from = random.sign() * sized(random, -3.0, 3.0);
    let to = from + sized(random, -6.0, 3.0);
    match random.bits() % 8 {
        0 => [f64::NEG_INFINITY, to],
        1 => [from, f64::INFINITY],
        _ => [from, to],
    }
}

/// Random points of an interval: some anywhere in it, and some at random distances from its ends and from zero.
fn inside([from, to]: [f64; 2], random: &mut Random) -> Vec<f64> {
    let mut points: Vec<f64> = Vec::new();
    for _ in 0..12 {
        let share = random.uniform();
        points.push(from + share * (to - from));
        points.extend([from + sized(random, -6.0, 3.0), to - sized(random, -6.0, 3.0)]);
        points.push(random.sign() * sized(random, -3.0, 2.0));
    }
    points.retain(|z| z.is_finite() && from <= *z && *z <= to);
    points
}
