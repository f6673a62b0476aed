//! *Inverses* of activations without a closed form: a bracketed root finder, and the three shapes of curve that use it.

use super::{Activation, Preimages};

/// After this many iterations only bisection is used, which needs at most 64 more.
const NEWTON_ROUNDS: u32 = 60;
const ROUNDS: u32 = NEWTON_ROUNDS + 70;

/// A gap below this, relative to its scale, is the rounding error of φ. More iterations would not reduce it.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// For √(y − minimum) below this the series is more accurate than an iteration, because φ is flat at its minimum.
const SERIES_ALONE: f64 = 0.01;

/// For √(y − minimum) up to this the series is a good starting point.
const SERIES_START: f64 = 0.3;

/// The z in the bracket at which an increasing `gap` is zero.
///
/// `gap(z)` returns the gap and its derivative. A Newton step from the best point so far is taken if it stays in the
/// bracket and is at most half as long as the step before. Otherwise the bracket is bisected *by the count of floating
/// point numbers* in it, so 64 bisections suffice for any bracket. The iteration ends when the gap is rounding relative
/// to `scale`; the Newton step from that point is the result.
pub(super) fn crossing(bracket: (f64, f64), start: f64, scale: f64, gap: impl Fn(f64) -> (f64, f64)) -> f64 {
    let (mut lo, mut hi) = bracket;
    let mut z = start.max(lo).min(hi);
    let (mut least, mut best, mut newton) = (f64::INFINITY, z, f64::NAN);
    let mut last_step = f64::INFINITY;
    for round in 0..ROUNDS {
        let (g, derivative) = gap(z);
        if g == 0.0 {
            return z;
        }
        // if φ overflows to NaN, its value lies beyond y
        if g < 0.0 || (g.is_nan() && z < 0.0) {
            lo = z;
        } else {
            hi = z;
        }
        if g.abs() < least {
            (least, best, newton) = (g.abs(), z, z - g / derivative);
        }
        let step = (newton - best).abs();
        // where φ has underflowed, a Newton step is tiny too but means nothing; bisection led there
        let still = step <= 0.5 * f64::EPSILON * best.abs() && (round == 0 || last_step.is_finite());
        if still || (least <= ROUNDING * scale && lo <= newton && newton <= hi) {
            return newton;
        }
        let trusted = round < NEWTON_ROUNDS && lo < newton && newton < hi && step <= 0.5 * last_step;
        (z, last_step) = if trusted { (newton, step) } else { (middle(lo, hi), f64::INFINITY) };
        if z <= lo || z >= hi {
            break;
        }
    }
    best
}

/// φ⁻¹(y) for an increasing φ.
pub(super) fn increasing(value: impl Fn(f64) -> f64, derivative: impl Fn(f64) -> f64, y: f64) -> Preimages {
    increasing_from(0.0, value, derivative, y)
}

/// φ⁻¹(y) for an increasing φ, from a starting point; none if φ does not reach y at any finite z.
pub(super) fn increasing_from(
    guess: f64,
    value: impl Fn(f64) -> f64,
    derivative: impl Fn(f64) -> f64,
    y: f64,
) -> Preimages {
    if value(f64::MAX) < y || value(f64::MIN) > y {
        return Preimages::None;
    }
    Preimages::One(crossing((f64::MIN, f64::MAX), guess, y.abs(), |z| (value(z) - y, derivative(z))))
}

/// The z ≥ 0 with φ(z) = y, for a φ with φ(0) = 0 that increases from there on.
pub(super) fn rising(phi: &impl Activation, guess: f64, y: f64) -> f64 {
    crossing((0.0, f64::MAX), guess, y, |z| (phi.value(z) - y, phi.derivative(z)))
}

/// The only minimum of a curve that decreases from φ(−∞) = 0 and then increases through φ(0) = 0.
pub(super) struct Minimum {
    /// The argument z of the minimum.
    pub at: f64,
    /// φ at the minimum, rounded.
    pub value: f64,
    /// The exact φ at the minimum minus `value`.
    pub value_rest: f64,
    /// `z = at + Σ series[n]·s^{n+1}` with s = ±√(φ(z) − minimum), + on the right: the inverse of the Taylor series of
    /// φ.
    pub series: [f64; 7],
}

impl Minimum {
    /// Both solutions of φ(z) = y for `value` ≤ y < 0. `tail` is the starting point for the left one far from the
    /// minimum.
    pub(super) fn preimages(&self, phi: &impl Activation, tail: f64, y: f64) -> Preimages {
        // the minimum is not a floating point number: without `value_rest`, y − minimum would be wrong by 100 % for the
        // first few y above it
        let above = (y - self.value) - self.value_rest;
        if y <= self.value || above <= 0.0 {
            return Preimages::One(self.at);
        }
        let s = above.sqrt();
        let (near_left, near_right) = (self.expand(-s), self.expand(s));
        if s < SERIES_ALONE {
            return Preimages::Two { left: near_left, right: near_right };
        }
        let (left, right) = if s < SERIES_START { (near_left, near_right) } else { (tail, 2.0 * y) };
        // ln|φ| is nearly linear or quadratic on the left branch, even for the smallest y
        let left = crossing((f64::MIN, self.at), left, 1.0, |z| {
            let value = phi.value(z);
            ((value / y).ln(), phi.derivative(z) / value)
        });
        let right = crossing((self.at, 0.0), right, -y, |z| (phi.value(z) - y, phi.derivative(z)));
        Preimages::Two { left, right }
    }

    fn expand(&self, s: f64) -> f64 {
        self.at + s * self.series.iter().rev().fold(0.0, |sum, c| sum * s + c)
    }
}

/// The midpoint of two numbers by the count of floating point numbers between them.
fn middle(lo: f64, hi: f64) -> f64 {
    number(ordinal(lo).midpoint(ordinal(hi)))
}

/// Maps floating point numbers to integers in the same order.
fn ordinal(z: f64) -> i64 {
    let bits = z.to_bits() as i64;
    if bits < 0 { i64::MIN - bits } else { bits }
}

fn number(ordinal: i64) -> f64 {
    f64::from_bits(if ordinal < 0 { i64::MIN - ordinal } else { ordinal } as u64)
}
