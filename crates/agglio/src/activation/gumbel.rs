//! The *Gumbel distribution* of a smallest value, P(T ≤ t) = 1 − exp(−e^t), on which cloglog and Gompertz are built.
//!
//! Both curves are distribution functions: cloglog of T, and Gompertz of −T. Functions have no branches. In the tail
//! where e^t is large, its rounding moves results by as much as a change of t by one unit in the last place.

use std::f64::consts::{E, FRAC_PI_2};

use super::average::{self, Step};
use super::elementary::{exp, exp_m1, ln_1p};
use super::{Cloglog, Gompertz};

/// 1/e, the largest density, at t = 0.
pub(super) const PEAK: f64 = 1.0 / E;

/// Beyond this t the density underflows to zero.
const UNDERFLOW: f64 = 7.0;

/// Both curves are bounded for |Im t| ≤ π/2, and grow like exp(e^|t|) outside.
const STRIP: f64 = FRAC_PI_2;

/// The step of the rule over thresholds. The characteristic function at 2π/STEP, |Γ(1 + 8πi)| = 1e-16, is its error.
const STEP: f64 = 0.25;

/// The nodes of the rule are STEP times these numbers and those between: the density is e^{−34} at the first, and
/// smaller at the last.
const FIRST: i32 = -136;
const LAST: i32 = 18;

/// For z < −TAIL·σ² the mean of cloglog comes from thresholds before the first node, as that of the sigmoid does.
const TAIL: f64 = 0.3;

/// For z < −STEEP·σ² the mean of Gompertz comes from thresholds that the rule does not resolve. Up to there its
/// relative error is |Γ(5 + 8πi)|/Γ(5) = 1e-12.
const STEEP: f64 = 4.0;

/// Left of this z, and for little noise, the mean of Gompertz comes from many standard deviations away.
const FAR: f64 = -2.0;

/// `1 − exp(−e^t)`
#[inline(always)]
pub(super) fn distribution(t: f64) -> f64 {
    // a difference from zero, so that the result is never −0
    0.0 - exp_m1(-exp(t))
}

/// `exp(−e^t)`
#[inline(always)]
pub(super) fn survival(t: f64) -> f64 {
    exp(-exp(t))
}

/// `1/e − exp(−e^t)`, the distribution function less its value at zero.
#[inline(always)]
pub(super) fn above_zero(t: f64) -> f64 {
    // e⁻¹(1 − exp(1 − e^t)) does not cancel near t = 0
    0.0 - PEAK * exp_m1(0.0 - exp_m1(t))
}

/// `e^t·exp(−e^t)`
#[inline(always)]
pub(super) fn density(t: f64) -> f64 {
    // ∞·0 would be NaN
    let e = exp(t.clamp(f64::MIN, UNDERFLOW));
    e * exp(-e)
}

/// `(1 − e^t)·e^t·exp(−e^t)`
#[inline(always)]
pub(super) fn density_derivative(t: f64) -> f64 {
    (0.0 - exp_m1(t.clamp(f64::MIN, UNDERFLOW))) * density(t)
}

/// `ln(1 − exp(−e^t))`
#[inline(always)]
pub(super) fn log_distribution(t: f64) -> f64 {
    let e = exp(t);
    // left of 0 it is t plus a small correction, and e may underflow; right of 0 exp(−e) is small
    let share = if e > 0.0 { exp_m1(-e) / -e } else { 1.0 };
    if t < 0.0 { t + share.ln() } else { ln_1p(-exp(-e)) }
}

/// `e/(exp(e) − 1)` with e = e^t, the derivative of [`log_distribution`].
#[inline(always)]
pub(super) fn log_derivative(t: f64) -> f64 {
    // ∞/∞ would be NaN
    let e = exp(t.clamp(f64::MIN, UNDERFLOW));
    if e > 0.0 { e / exp_m1(e) } else { 1.0 }
}

/// `f·(1 − e − f)`, where f is [`log_derivative`].
#[inline(always)]
pub(super) fn log_second_derivative(t: f64) -> f64 {
    let (e, f) = (exp(t.clamp(f64::MIN, UNDERFLOW)), log_derivative(t));
    // f is a series in Bernoulli numbers, 1 − e/2 + e²/12 − …, whose first terms cancel
    let square = e * e;
    let series = -e * (0.5 + e * (1.0 / 12.0 - square * (1.0 / 720.0 - square * (1.0 / 30_240.0))));
    f * if e < 0.05 { series } else { 1.0 - e - f }
}

/// Writes E φ(z + ε) of cloglog.
pub(super) fn average_of_distribution(sigma: f64, z: &[f64], out: &mut [f64]) {
    let wide = average::is_wide(STRIP, sigma);
    if wide {
        average::over_thresholds(nodes(), z, out, |threshold| Step { threshold, sigma });
    } else {
        average::over_noise(&Cloglog, STRIP, sigma, z, out);
    }
    average::refined_where(&Cloglog, sigma, z, out, |z| wide && z < -TAIL * sigma * sigma);
    at_most_one(out);
}

/// Writes E φ(z + ε) of Gompertz, whose thresholds are those of cloglog with the other sign.
pub(super) fn average_of_mirrored_survival(sigma: f64, z: &[f64], out: &mut [f64]) {
    let wide = average::is_wide(STRIP, sigma);
    if wide {
        average::over_thresholds(nodes(), z, out, |threshold| Step { threshold: -threshold, sigma });
    } else {
        average::over_noise(&Gompertz, STRIP, sigma, z, out);
    }
    let far = if wide { -STEEP * sigma * sigma } else { FAR };
    average::refined_where(&Gompertz, sigma, z, out, |z| z < far);
    at_most_one(out);
}

/// The nodes and weights of the rule.
fn nodes() -> impl Iterator<Item = (f64, f64)> {
    (FIRST..=LAST).map(|k| STEP * f64::from(k)).map(|threshold| (threshold, STEP * density(threshold)))
}

/// The weights of a rule add up to one only up to rounding.
fn at_most_one(out: &mut [f64]) {
    out.iter_mut().for_each(|out| *out = out.min(1.0));
}
