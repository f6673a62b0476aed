//! The *normal distribution*: its density and distribution function without branches, accurate to a few units in the
//! last place even in the tails.

use super::elementary::{exp, ln_1p, polynomial};

/// 1/√(2π)
pub(super) const PEAK: f64 = 0.3989422804014327;

/// Beyond this many standard deviations the density underflows to zero.
pub(super) const UNDERFLOW: f64 = 39.0;

/// The x in the middle of the interval on which the argument of [`RATIO`] is mapped.
const MIDDLE: f64 = 5.0;

/// (1 + x)·Φ(−x)/Φ′(x), 0 ≤ x ≤ [`UNDERFLOW`], as a polynomial in a u from −1 to 1, by `tests/it/golden/elementary.py`.
const RATIO: [[f64; 4]; 6] = [
    [1.1838820909087089, -0.2178234993409697, 0.049575850253509794, 0.04478385681472673],
    [-0.06751139391990467, 0.05044666034407803, -0.025475463120202945, 0.008634698077397973],
    [-0.001495605641473441, -0.0001974043683974566, 0.00017793898509491345, -2.0782991259457386e-5],
    [-1.3247233260887238e-5, 3.852422455322743e-6, 9.97636330563028e-7, -4.857342863236255e-7],
    [-9.396685776443524e-8, 5.767075031159156e-8, 1.1715822644748741e-8, -6.623730161591526e-9],
    [-1.5366178333539112e-9, 6.688086675303818e-10, 1.3060701471622152e-10, -4.331789409733266e-11],
];

/// Coefficients of (Φ(t) − ½)/Φ′(0) in odd powers of t: (−1)^k/(2^k·k!·(2k + 1)).
const ODD_POWERS: [[f64; 4]; 4] = [
    [1.0, -1.0 / 6.0, 1.0 / 40.0, -1.0 / 336.0],
    [1.0 / 3_456.0, -1.0 / 42_240.0, 1.0 / 599_040.0, -1.0 / 9_676_800.0],
    [1.0 / 175_472_640.0, -1.0 / 3_530_096_640.0, 1.0 / 78_033_715_200.0, -1.0 / 1_880_240_947_200.0],
    [
        1.0 / 49_049_763_840_000.0,
        -1.0 / 1_377_317_368_627_200.0,
        1.0 / 41_421_544_567_603_200.0,
        -1.0 / 1_328_346_084_409_344_000.0,
    ],
];

/// Below this |t| the power series is short and loses no digits.
const SERIES_LIMIT: f64 = 1.0;

/// `e^{−t²/2}/√(2π)`
#[inline(always)]
pub(super) fn density(t: f64) -> f64 {
    let t = t.clamp(-UNDERFLOW, UNDERFLOW);
    let square = t * t;
    // rounding t² costs t²/2 units in the last place, hundreds in the tail, so the rounding error is added back
    let high = f64::from_bits(t.to_bits() & (u64::MAX << 27));
    let low = t - high;
    let dropped = ((high * high - square) + 2.0 * (high * low)) + low * low;
    PEAK * exp(-0.5 * square) * (1.0 - 0.5 * dropped)
}

/// t times the density, which is 0 for infinite t.
#[inline(always)]
pub(super) fn moment(t: f64) -> f64 {
    t.clamp(-UNDERFLOW, UNDERFLOW) * density(t)
}

/// Φ(−x) for x ≥ 0, by Mills' ratio.
#[inline(always)]
fn tail(x: f64) -> f64 {
    let x = x.clamp(0.0, UNDERFLOW);
    density(x) * (shape(x) / (1.0 + x))
}

/// (1 + x)·Φ(−x)/Φ′(x) for 0 ≤ x ≤ [`UNDERFLOW`].
#[inline(always)]
fn shape(x: f64) -> f64 {
    let u = 2.0 * (UNDERFLOW + MIDDLE) / UNDERFLOW * (x / (x + MIDDLE)) - 1.0;
    polynomial(&RATIO, u)
}

/// The terms of (1 − x·Φ(−x)/Φ′(x))·x² in powers of 1/x²: (−1)^k·(2k + 1)!!. Beyond [`UNDERFLOW`] eight are enough.
const FAR: [[f64; 4]; 2] = [[1.0, -3.0, 15.0, -105.0], [945.0, -10_395.0, 135_135.0, -2_027_025.0]];

/// Φ(−x)/Φ′(x), Mills' ratio, for x ≥ 0.
#[inline(always)]
fn mills(x: f64) -> f64 {
    let square = 1.0 / (x * x);
    let far = (1.0 - square * polynomial(&FAR, square)) / x;
    let x = x.clamp(0.0, UNDERFLOW + 1.0);
    if x > UNDERFLOW { far } else { shape(x) / (1.0 + x) }
}

/// ln Φ(t).
#[inline(always)]
pub(super) fn log_distribution(t: f64) -> f64 {
    let below = -0.5 * t * t + (PEAK * mills(t.abs())).ln();
    if t < 0.0 { below } else { ln_1p(-tail(t)) }
}

/// Φ′(t)/Φ(t), the derivative of ln Φ.
#[inline(always)]
pub(super) fn log_derivative(t: f64) -> f64 {
    if t < 0.0 { 1.0 / mills(t.abs()) } else { density(t) / distribution(t) }
}

/// −h·(t + h), where h is [`log_derivative`].
#[inline(always)]
pub(super) fn log_second_derivative(t: f64) -> f64 {
    let (h, square) = (log_derivative(t), 1.0 / (t * t));
    // far to the left t + h = Φ′/Φ − |t| cancels
    let far = polynomial(&FAR, square);
    let ratio = 1.0 - square * far;
    // far to the right h is zero, and ∞·0 would be NaN
    if t < -UNDERFLOW { -far / (ratio * ratio) } else { -h * (t.min(UNDERFLOW) + h) }
}

/// `Φ(t) = ½ erfc(−t/√2)`
#[inline(always)]
pub(super) fn distribution(t: f64) -> f64 {
    let beyond = tail(t.abs());
    let outside = if t < 0.0 { beyond } else { 1.0 - beyond };
    // the series is exact at zero and increasing near it
    if t.abs() < SERIES_LIMIT { 0.5 + inside(t) } else { outside }
}

/// `Φ(t) − ½ = ½ erf(t/√2)`
#[inline(always)]
pub(super) fn above_half(t: f64) -> f64 {
    let outside = (0.5 - tail(t.abs())).copysign(t);
    if t.abs() < SERIES_LIMIT { inside(t) } else { outside }
}

/// `Φ(t) − ½` for |t| < [`SERIES_LIMIT`].
#[inline(always)]
fn inside(t: f64) -> f64 {
    PEAK * t * polynomial(&ODD_POWERS, t * t)
}
