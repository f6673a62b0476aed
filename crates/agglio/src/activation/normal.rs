//! The *normal law*: its density and distribution to a few units in the last place, tails included.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// 1/√2 − `FRAC_1_SQRT_2`
const FRAC_1_SQRT_2_REST: f64 = -4.833646656726457e-17;

/// 1/√(2π)
pub(super) const PEAK: f64 = 0.3989422804014327;

/// Beyond this many deviations the density is under the smallest positive number.
pub(super) const FAR: f64 = 39.0;

/// `e^{−t²/2}/√(2π)`
pub(super) fn density(t: f64) -> f64 {
    if t.abs() > FAR {
        return 0.0;
    }
    // Rounding t² costs t²/2 units in the exponential, hundreds in the tail: what it dropped is put back.
    let square = t * t;
    let rest = t.mul_add(t, -square);
    PEAK * (-0.5 * square).exp() * (1.0 - 0.5 * rest)
}

/// t times the density, also where t is infinite.
pub(super) fn moment(t: f64) -> f64 {
    if t.abs() > FAR { 0.0 } else { t * density(t) }
}

/// `Φ(t) = ½ erfc(−t/√2)`
pub(super) fn distribution(t: f64) -> f64 {
    if t < -FAR {
        return 0.0;
    }
    let x = -t * FRAC_1_SQRT_2;
    let phi = 0.5 * libm::erfc(x);
    if t > -1.0 {
        return phi;
    }
    // As in the density, the rounding of t/√2 is magnified by t² in the tail; one term of Taylor undoes it.
    let rest = (-t).mul_add(FRAC_1_SQRT_2, -x) - t * FRAC_1_SQRT_2_REST;
    phi - SQRT_2 * rest * density(t)
}
