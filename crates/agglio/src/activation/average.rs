//! The *average* of an activation over Gaussian noise that enters before it: E φ(z + ε), ε ~ N(0, σ²).
//!
//! It is the mean of y = φ(z + ε), of which φ(z) is the median. The trapezoidal rule does all that has no closed form: on
//! a function that is analytic in a strip about the real line its error falls exponentially as the step falls.
//!
//! - [`over_noise`] takes the rule to φ(z + ε) times the density of ε. The step resolves φ, so that it needs more nodes as
//!   σ grows, and it keeps the digits of tiny means.
//! - [`over_places`] is for large σ and needs the same nodes for each. The sigmoid is the average of steps at places T, and
//!   softplus of ramps, T of the logistic law. Averages of steps and ramps over the noise have closed forms, and the rule
//!   averages these over T.
//! - [`refined`] is for an activation of which nothing is known, and for tiny means at large σ. It halves the step until
//!   the sum stays as it is, row by row.

use std::f64::consts::{PI, TAU};

use super::normal::{FAR, density, distribution};
use super::{Activation, Sigmoid};
use crate::math::vector::{Function, accumulate};

/// The largest step in deviations of ε, and that of T: the rule is then exact but for rounding.
const STEP: f64 = 0.5;

/// Beyond this many deviations the density of ε is lost beside its sum.
const REACH: f64 = 8.5;

/// The largest |T|: e^{−34} is lost beside one.
const FARTHEST: i32 = 68;

/// Deviations of ε up to this one are integrated over the noise, for an activation whose strip is ±πi.
const WIDE: f64 = 3.0;

/// From z = −TAIL·σ² on to the left, places beyond the largest |T| count: their share is e^{−34(1 + z/σ²)}.
const TAIL: f64 = 0.3;

/// The finest step of [`refined`] that is halved, the finest that it begins with, and the change that ends it.
const FINEST: f64 = 1.0 / 1024.0;
const FINEST_START: f64 = 1.0 / 256.0;
const CHANGE: f64 = 1e-10;

/// Nodes that [`refined`] asks for together.
const BLOCK: usize = 16;

/// E φ(z + ε) of an activation that is made of the logistic law and analytic for |Im t| < `strip`.
///
/// `closed(T)` is the closed form for a step or a ramp that belongs to T.
pub(super) fn logistic<F: Function>(
    phi: &impl Activation,
    strip: f64,
    sigma: f64,
    z: &[f64],
    out: &mut [f64],
    closed: impl Fn(f64) -> F,
) {
    if is_wide(strip, sigma) { over_places(z, out, closed) } else { over_noise(phi, strip, sigma, z, out) }
}

/// As [`logistic`] for an activation that vanishes as e^t to the left, so that the digits of tiny means count.
pub(super) fn vanishing<F: Function>(
    phi: &impl Activation,
    sigma: f64,
    z: &[f64],
    out: &mut [f64],
    closed: impl Fn(f64) -> F,
) {
    logistic(phi, PI, sigma, z, out, closed);
    let tail = |z: f64| is_wide(PI, sigma) && z < -TAIL * sigma * sigma;
    for (out, z) in out.iter_mut().zip(z).filter(|(_, z)| tail(**z)) {
        refined(phi, sigma, std::slice::from_ref(z), std::slice::from_mut(out));
    }
}

/// Whether [`over_noise`] would need more nodes than [`over_places`].
pub(super) fn is_wide(strip: f64, sigma: f64) -> bool {
    sigma * PI > WIDE * strip
}

/// Writes Σ_k weight_k·φ(z + σξ_k), the trapezoidal rule for E φ(z + ε) in ξ = ε/σ.
pub(super) fn over_noise(phi: &impl Activation, strip: f64, sigma: f64, z: &[f64], out: &mut [f64]) {
    let step = STEP.min(strip / (TAU * sigma));
    // a tail e^t moves the bulk of the integrand by a deviation squared
    let reach = REACH + sigma * PI / strip;
    let last = (reach / step).ceil() as i32;
    let (mut shifted, mut response) = (vec![0.0; z.len()], vec![0.0; z.len()]);
    out.fill(0.0);
    for node in (-last..=last).map(|k| step * f64::from(k)) {
        let weight = step * density(node);
        shifted.iter_mut().zip(z).for_each(|(shifted, z)| *shifted = z + sigma * node);
        phi.respond(&shifted, &mut response);
        out.iter_mut().zip(&response).for_each(|(out, phi)| *out += weight * phi);
    }
}

/// Writes Σ_k weight_k·closed(T_k)(z), the trapezoidal rule for the average over the logistic law.
fn over_places<F: Function>(z: &[f64], out: &mut [f64], closed: impl Fn(f64) -> F) {
    out.fill(0.0);
    for place in (-FARTHEST..=FARTHEST).map(|k| STEP * f64::from(k)) {
        accumulate(z, out, STEP * Sigmoid.derivative(place), closed(place));
    }
}

/// `z ↦ P(z + ε > place) = Φ((z − place)/σ)`
pub(super) struct Step {
    pub place: f64,
    pub sigma: f64,
}

impl Function for Step {
    #[inline(always)]
    fn at(&self, z: f64) -> f64 {
        distribution((z - self.place) / self.sigma)
    }
}

/// `z ↦ E max(z + ε − place, 0) = σ(Φ′(x) + xΦ(x)), x = (z − place)/σ`
pub(super) struct Ramp {
    pub place: f64,
    pub sigma: f64,
}

impl Function for Ramp {
    #[inline(always)]
    fn at(&self, z: f64) -> f64 {
        let x = ((z - self.place) / self.sigma).max(-FAR);
        self.sigma * (density(x) + x * distribution(x))
    }
}

/// Writes E φ(z + ε) for an activation of which nothing is known, row by row.
pub(super) fn refined<A: Activation + ?Sized>(phi: &A, sigma: f64, z: &[f64], out: &mut [f64]) {
    if sigma > 0.0 {
        out.iter_mut().zip(z).for_each(|(out, &z)| *out = Line { phi, z, sigma }.refined());
    } else {
        phi.respond(z, out);
    }
}

/// The integrand φ(z + σξ)·Φ′(ξ) on the real line.
struct Line<'a, A: ?Sized> {
    phi: &'a A,
    z: f64,
    sigma: f64,
}

/// A sum, and the sum of the sizes of its terms.
#[derive(Clone, Copy, Default)]
struct Total {
    sum: f64,
    size: f64,
}

impl Total {
    fn plus(self, other: Total) -> Total {
        Total { sum: self.sum + other.sum, size: self.size + other.size }
    }

    fn times(self, factor: f64) -> Total {
        Total { sum: factor * self.sum, size: factor * self.size }
    }
}

impl<A: Activation + ?Sized> Line<'_, A> {
    /// Halves the step until the nodes between say the same.
    fn refined(&self) -> f64 {
        let mut step = (STEP / self.sigma.max(1.0)).max(FINEST_START);
        let centre = density(0.0) * self.phi.value(self.z);
        let centre = Total { sum: centre, size: centre.abs() };
        let mut rule = self.both_sides(step, step).plus(centre).times(step);
        while step > FINEST {
            let between = self.both_sides(0.5 * step, step).times(step);
            let change = (between.sum - rule.sum).abs();
            rule = rule.plus(between).times(0.5);
            step *= 0.5;
            // a sum that is not finite stays so
            if change <= CHANGE * rule.size || !change.is_finite() {
                break;
            }
        }
        rule.sum
    }

    /// Σ over ±(first + k·step), k = 0, 1, …
    fn both_sides(&self, first: f64, step: f64) -> Total {
        self.outwards(first, step).plus(self.outwards(-first, -step))
    }

    /// Σ over first + k·step, until terms no longer count or the density ends.
    fn outwards(&self, first: f64, step: f64) -> Total {
        let mut total = Total::default();
        let mut node = first;
        while node.abs() < FAR {
            let block = self.block(node, step);
            total = total.plus(block);
            node += BLOCK as f64 * step;
            // where φ is nothing about z, a mean that is all tail lies farther out
            let counts = block.size > f64::EPSILON * f64::EPSILON * total.size;
            if node.abs() > REACH && total.size != 0.0 && !counts {
                break;
            }
        }
        total
    }

    /// Σ over a block of nodes; those beyond the end of the density count for nothing.
    fn block(&self, first: f64, step: f64) -> Total {
        let (mut places, mut weights, mut values) = ([self.z; BLOCK], [0.0; BLOCK], [0.0; BLOCK]);
        let nodes = (0..BLOCK).map(|k| first + k as f64 * step).take_while(|node| node.abs() < FAR);
        for ((place, weight), node) in places.iter_mut().zip(&mut weights).zip(nodes) {
            (*place, *weight) = (self.z + self.sigma * node, density(node));
        }
        self.phi.respond(&places, &mut values);
        let terms = weights.iter().zip(&values).filter(|(weight, _)| **weight > 0.0).map(|(w, value)| w * value);
        terms.fold(Total::default(), |total, term| total.plus(Total { sum: term, size: term.abs() }))
    }
}
