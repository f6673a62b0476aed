//! The *average* of an activation over Gaussian noise before it: E φ(z + ε), ε ~ N(0, σ²).
//!
//! It is the mean of the response y = φ(z + ε); φ(z) is the median of an increasing φ. Averages without a closed form
//! are computed by the trapezoidal rule. If the integrand is analytic in a strip around the real line, the error of
//! this rule decreases exponentially with the step.
//!
//! - [`over_noise`] integrates φ(z + ε) times the density of ε. Its step must resolve φ, so the number of nodes grows
//!   with σ. Tiny means keep their digits.
//! - [`over_thresholds`] is for large σ, and its number of nodes does not depend on σ. The sigmoid is an average of
//!   step functions whose threshold T follows the logistic distribution; softplus is such an average of ramps. The mean
//!   of a step or a ramp under Gaussian noise has a closed form, and the rule averages it over T. For cloglog and
//!   Gompertz, T follows the Gumbel distribution.
//! - [`refined`] is for an activation without known properties, and for tiny means at large σ. It treats each row
//!   separately and halves the step until the sum no longer changes.

use std::f64::consts::{PI, TAU};

use super::normal::{UNDERFLOW, density, distribution};
use super::{Activation, Sigmoid};
use crate::math::vector::{Function, accumulate};

/// The largest step of the rule, in standard deviations of ε and in units of T. The rule is then exact up to rounding.
const STEP: f64 = 0.5;

/// Beyond this many standard deviations the density of ε is below the rounding error of the integral.
const REACH: f64 = 8.5;

/// The number of nodes on each side of T = 0, so that |T| ≤ 34: the logistic density e^{−34} is below rounding.
const LAST_THRESHOLD: i32 = 68;

/// Up to this standard deviation the rule integrates over the noise, for an activation that is analytic for |Im t| < π.
const WIDE_SIGMA: f64 = 3.0;

/// For z < −TAIL·σ² the thresholds |T| > 34 are not negligible: their share of the mean is e^{−34(1 + z/σ²)}.
const TAIL: f64 = 0.3;

/// [`refined`] halves steps above the first of these, starts at the second or above, and ends at this relative change.
const FINEST: f64 = 1.0 / 1024.0;
const FINEST_START: f64 = 1.0 / 256.0;
const CHANGE: f64 = 1e-10;

/// Number of nodes that [`refined`] evaluates together.
const BLOCK: usize = 16;

/// Writes E φ(z + ε) for an activation that is built from the logistic distribution and analytic for |Im t| < `strip`.
///
/// `closed(T)` is the closed form of the mean for the step or ramp with threshold T.
pub(super) fn logistic<F: Function>(
    phi: &impl Activation,
    strip: f64,
    sigma: f64,
    z: &[f64],
    out: &mut [f64],
    closed: impl Fn(f64) -> F,
) {
    if !is_wide(strip, sigma) {
        return over_noise(phi, strip, sigma, z, out);
    }
    let thresholds = (-LAST_THRESHOLD..=LAST_THRESHOLD).map(|k| STEP * f64::from(k));
    over_thresholds(thresholds.map(|threshold| (threshold, STEP * Sigmoid.derivative(threshold))), z, out, closed);
}

/// As [`logistic`], for an activation that decays like e^t to the left. The relative accuracy of tiny means is kept.
pub(super) fn vanishing<F: Function>(
    phi: &impl Activation,
    sigma: f64,
    z: &[f64],
    out: &mut [f64],
    closed: impl Fn(f64) -> F,
) {
    logistic(phi, PI, sigma, z, out, closed);
    refined_where(phi, sigma, z, out, |z| is_wide(PI, sigma) && z < -TAIL * sigma * sigma);
}

/// Writes E φ(z + ε) by [`refined`] for the rows with such a z, and leaves the others as they are.
pub(super) fn refined_where(phi: &impl Activation, sigma: f64, z: &[f64], out: &mut [f64], such: impl Fn(f64) -> bool) {
    for (out, z) in out.iter_mut().zip(z).filter(|(_, z)| such(**z)) {
        refined(phi, sigma, std::slice::from_ref(z), std::slice::from_mut(out));
    }
}

/// Whether [`over_noise`] would need more nodes than [`over_thresholds`].
pub(super) fn is_wide(strip: f64, sigma: f64) -> bool {
    sigma * PI > WIDE_SIGMA * strip
}

/// Writes Σ_k weight_k·φ(z + σξ_k), the trapezoidal rule for E φ(z + ε) in ξ = ε/σ.
pub(super) fn over_noise(phi: &impl Activation, strip: f64, sigma: f64, z: &[f64], out: &mut [f64]) {
    let step = STEP.min(strip / (TAU * sigma));
    // for a φ that grows like e^{πt/strip} the integrand is largest σπ/strip standard deviations away
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

/// Writes Σ_k weight_k·closed(T_k)(z), the trapezoidal rule for the average over the distribution of T. The nodes are the
/// pairs of T_k and weight_k, the density of T times the step.
pub(super) fn over_thresholds<F: Function>(
    nodes: impl Iterator<Item = (f64, f64)>,
    z: &[f64],
    out: &mut [f64],
    closed: impl Fn(f64) -> F,
) {
    out.fill(0.0);
    for (threshold, weight) in nodes {
        accumulate(z, out, weight, closed(threshold));
    }
}

/// `z ↦ P(z + ε > threshold) = Φ((z − threshold)/σ)`
pub(super) struct Step {
    pub threshold: f64,
    pub sigma: f64,
}

impl Function for Step {
    #[inline(always)]
    fn at(&self, z: f64) -> f64 {
        distribution((z - self.threshold) / self.sigma)
    }
}

/// `z ↦ E max(z + ε − threshold, 0) = σ(Φ′(x) + xΦ(x)), x = (z − threshold)/σ`
pub(super) struct Ramp {
    pub threshold: f64,
    pub sigma: f64,
}

impl Function for Ramp {
    #[inline(always)]
    fn at(&self, z: f64) -> f64 {
        let x = ((z - self.threshold) / self.sigma).max(-UNDERFLOW);
        self.sigma * (density(x) + x * distribution(x))
    }
}

/// Writes E φ(z + ε) for an activation without known properties, row by row.
pub(super) fn refined<A: Activation + ?Sized>(phi: &A, sigma: f64, z: &[f64], out: &mut [f64]) {
    if sigma > 0.0 {
        out.iter_mut().zip(z).for_each(|(out, &z)| *out = Integrand { phi, z, sigma }.refined());
    } else {
        phi.respond(z, out);
    }
}

/// The integrand φ(z + σξ)·Φ′(ξ) as a function of ξ.
struct Integrand<'a, A: ?Sized> {
    phi: &'a A,
    z: f64,
    sigma: f64,
}

/// A sum, and the sum of the absolute values of its terms.
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

impl<A: Activation + ?Sized> Integrand<'_, A> {
    /// Halves the step until the new nodes, which lie halfway between the old ones, give the same sum.
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
            // a sum that is not finite cannot become finite
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

    /// Σ over first + k·step, until the terms are negligible or the density underflows.
    fn outwards(&self, first: f64, step: f64) -> Total {
        let mut total = Total::default();
        let mut node = first;
        while node.abs() < UNDERFLOW {
            let block = self.block(node, step);
            total = total.plus(block);
            node += BLOCK as f64 * step;
            // if φ is zero around z, the whole mean comes from the tail, farther out
            let counts = block.size > f64::EPSILON * f64::EPSILON * total.size;
            if node.abs() > REACH && total.size != 0.0 && !counts {
                break;
            }
        }
        total
    }

    /// Σ over a block of nodes. A node at which the density underflows has weight zero.
    fn block(&self, first: f64, step: f64) -> Total {
        let (mut points, mut weights, mut values) = ([self.z; BLOCK], [0.0; BLOCK], [0.0; BLOCK]);
        let nodes = (0..BLOCK).map(|k| first + k as f64 * step).take_while(|node| node.abs() < UNDERFLOW);
        for ((point, weight), node) in points.iter_mut().zip(&mut weights).zip(nodes) {
            (*point, *weight) = (self.z + self.sigma * node, density(node));
        }
        self.phi.respond(&points, &mut values);
        let terms = weights.iter().zip(&values).filter(|(weight, _)| **weight > 0.0).map(|(w, value)| w * value);
        terms.fold(Total::default(), |total, term| total.plus(Total { sum: term, size: term.abs() }))
    }
}
