//! *Inverses* of activations that have none in closed form: one bracketed root finder and the three shapes of
//! curve that use it.

use super::{Activation, Preimages};

/// After so many rounds only halving is left, which needs at most 64 more.
const NEWTON_ROUNDS: u32 = 60;
const ROUNDS: u32 = NEWTON_ROUNDS + 70;

/// A gap this small, relative to its scale, is what rounding leaves of φ; more steps would only wander in it.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// Within this √(y − minimum) of the minimum the series gives more digits than the value of φ, which is flat there.
const SERIES_ALONE: f64 = 0.01;

/// Up to here the series is a good first guess.
const SERIES_START: f64 = 0.3;

/// The z in the bracket at which an increasing `gap` passes zero.
///
/// `gap(z)` gives the gap and its derivative. Newton's step is taken from the best point so far while it stays in
/// the bracket and is at most half as long as the one before; otherwise the bracket is halved *by count of floating
/// point numbers*, so that 64 halvings suffice from any bracket. A gap that is rounding beside `scale` ends it;
/// Newton's step from there is the answer.
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
        // A curve that overflows to NaN far out counts as having arrived there.
        if g < 0.0 || (g.is_nan() && z < 0.0) {
            lo = z;
        } else {
            hi = z;
        }
        if g.abs() < least {
            (least, best, newton) = (g.abs(), z, z - g / derivative);
        }
        let step = (newton - best).abs();
        // Where φ has underflowed, its step is nothing beside z but no arrival: halving led there, not Newton.
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

/// φ⁻¹(y) for an increasing φ, from a guess; none if no finite z comes that far.
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

/// The one minimum of a curve that falls from φ(−∞) = 0 and rises through φ(0) = 0.
pub(super) struct Turn {
    /// Where it is.
    pub at: f64,
    /// φ there, rounded.
    pub low: f64,
    /// φ there less `low`.
    pub low_rest: f64,
    /// `z = at + Σ series[n]·s^{n+1}` with s = ±√(φ(z) − minimum), + on the right: the inverse of φ's own series.
    pub series: [f64; 7],
}

impl Turn {
    /// Both solutions of φ(z) = y for `low` ≤ y < 0, with a guess for the left one where the series is no help.
    pub(super) fn preimages(&self, phi: &impl Activation, tail: f64, y: f64) -> Preimages {
        // The minimum is not a floating point number; without its rest the first few labels above it would be
        // off by their whole distance.
        let above = (y - self.low) - self.low_rest;
        if y <= self.low || above <= 0.0 {
            return Preimages::One(self.at);
        }
        let s = above.sqrt();
        let (near_left, near_right) = (self.expand(-s), self.expand(s));
        if s < SERIES_ALONE {
            return Preimages::Two { left: near_left, right: near_right };
        }
        let (left, right) = if s < SERIES_START { (near_left, near_right) } else { (tail, 2.0 * y) };
        // In logarithms the left branch is nearly a line, or a parabola, down to the smallest labels.
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

/// The number half way between two, counted in floating point numbers.
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
