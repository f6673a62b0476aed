//! The *turning points* of the leaky softplus: where φ′, φ″ and zφ′(z) turn, for 0 < k < 1.
//!
//! φ′(t) = σ(t) − kσ(kt) + k has a turning point where σ′(t) = k²σ′(kt), and φ″ where σ″(t) = k³σ″(kt). The quotient of the
//! two sides decreases for t > 0, so there is one solution; −t is another, since σ′ is even. The equations are solved in
//! logarithms, which do not underflow for small k. As k → 1 the two sides become equal, so each term is computed without
//! cancellation as a number of size 1 − k.

use std::f64::consts::LN_2;

use super::elementary::{exp, exp_m1, ln_1p};
use super::{Activation, Sigmoid, Silu, inverse};

/// From this k on zφ′(z) increases: its derivative is ψ′(z) + kψ′(−kz), ψ = SiLU, and on the left it is k/2 − 0.0999 at least.
const INCREASING: f64 = 0.2;

/// SiLU is steepest here.
const SILU_STEEPEST: f64 = 2.3993572805154675;

/// The t > 0 with the largest derivative, where φ″ = 0: σ′(t) = k²·σ′(kt).
pub(super) fn steepest(k: f64) -> f64 {
    if k == 0.0 || k == 1.0 {
        // for k = 0 the derivative increases to one without reaching it, for k = 1 it is one everywhere
        return f64::INFINITY;
    }
    let bound = 2.0 * (LN_2 - k.ln()) / (1.0 - k);
    inverse::crossing((0.0, bound), bound.min(3.0 - 2.0 * k.ln()), 1.0 - k, |t| {
        let gap = depth(k, t) + 2.0 * log(k);
        (gap, (0.5 * t).tanh() - k * (0.5 * k * t).tanh())
    })
}

/// The t > 0 with the least second derivative, where φ‴ = 0: σ″(t) = k³·σ″(kt), and σ″ = −σ′(t)·tanh(t/2).
pub(super) fn most_bent(k: f64) -> f64 {
    // the depth is (1 − k)t − 2 ln 2 at least, and the lead −ln k at most
    let bound = 2.0 * (LN_2 - 2.0 * k.ln()) / (1.0 - k);
    inverse::crossing((0.0, bound), bound.min(4.0 - 4.0 * k.ln()), 1.0 - k, |t| {
        let gap = depth(k, t) - lead(k, t) + 3.0 * log(k);
        let derivative = (0.5 * t).tanh() - k * (0.5 * k * t).tanh() - 1.0 / t.sinh() + k / (k * t).sinh();
        (gap, derivative)
    })
}

/// The z < 0 where zφ′(z) = ψ(z) − ψ(−kz), ψ = SiLU, has its maximum and its minimum; none if it increases.
pub(super) fn radial(k: f64) -> Vec<f64> {
    if k >= INCREASING {
        return Vec::new();
    }
    // at z = −u; from u = 0 on the derivative falls to its least value, and then it rises until it is above k
    let derivative = |u: f64| Silu.derivative(-u) + k * Silu.derivative(k * u);
    let bend = |u: f64| Silu.second_derivative(u) - k * k * Silu.second_derivative(k * u);
    let least = inverse::crossing((0.0, SILU_STEEPEST), SILU_STEEPEST, 1.0, |u| {
        (-bend(u), k.powi(3) * silu_third(k * u) - silu_third(u))
    });
    if derivative(least) >= 0.0 {
        return Vec::new();
    }
    let near = inverse::crossing((0.0, least), 1.3, 1.0, |u| (-derivative(u), bend(u)));
    // −ψ′(−u) = σ(−u)·(uσ(u) − 1), in logarithms because it may underflow
    let bound = 2.0 * (LN_2 - k.ln());
    let far = inverse::crossing((least, bound), bound, 1.0, |u| {
        let (sigma, wide) = (Sigmoid.value(u), Silu.derivative(k * u));
        let excess = u * sigma - 1.0;
        let gap = k.ln() + wide.ln() + u + ln_1p(exp(-u)) - excess.ln();
        let excess_derivative = sigma + u * Sigmoid.derivative(u);
        (gap, k * Silu.second_derivative(k * u) / wide + sigma - excess_derivative / excess)
    });
    vec![-far.max(least), -near.min(least)]
}

/// The third derivative of SiLU.
fn silu_third(t: f64) -> f64 {
    3.0 * Sigmoid.second_derivative(t) + t * Sigmoid.derivative(t) * (1.0 - 6.0 * Sigmoid.derivative(t))
}

/// ln σ′(kt) − ln σ′(t)
fn depth(k: f64, t: f64) -> f64 {
    (1.0 - k) * t + 2.0 * ln_1p(Sigmoid.value(-k * t) * exp_m1(-(1.0 - k) * t))
}

/// ln tanh(t/2) − ln tanh(kt/2)
fn lead(k: f64, t: f64) -> f64 {
    let shrunk = exp_m1(-(1.0 - k) * t);
    ln_1p(exp(-k * t) * shrunk / exp_m1(-k * t)) - ln_1p(Sigmoid.value(-k * t) * shrunk)
}

/// ln k
fn log(k: f64) -> f64 {
    if k > 0.5 { (-(1.0 - k)).ln_1p() } else { k.ln() }
}
