//! *Elementary* functions (exp, expm1, log1p, tanh, arctan) without branches, so that the compiler vectorises a loop over them.
//!
//! They reduce the argument and evaluate a polynomial, with separate additions and multiplications only. Without fused
//! multiply–add the bits are the same on every machine, for one number and in a loop. The tests below compare them with
//! mpmath, and `tests/it/derivatives.rs` tests the activations that use them.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LOG2_E};

/// ln 2 as a sum of two numbers. The product of the first with an exponent is exact.
const LN_2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN_2_LOW: f64 = 1.9082149292705877e-10;

/// Adding this number rounds to an integer, whose bits are then the last bits of the sum.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// Exponent bits of one.
const ONE: u64 = 1023 << 52;

/// Bits of the double closest to √½. The reduced mantissa lies between it and its double.
const ROOT: u64 = 0x3fe6_a09e_667f_3bcd;
const MANTISSA: u64 = (1 << 52) - 1;

/// 1/k! from k = 2.
const EXPONENTIAL: [[f64; 4]; 3] = [
    [1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0],
    [1.0 / 720.0, 1.0 / 5_040.0, 1.0 / 40_320.0, 1.0 / 362_880.0],
    [1.0 / 3_628_800.0, 1.0 / 39_916_800.0, 1.0 / 479_001_600.0, 1.0 / 6_227_020_800.0],
];

/// 2/(2k + 1) from k = 1.
const LOGARITHM: [[f64; 4]; 3] = [
    [2.0 / 3.0, 2.0 / 5.0, 2.0 / 7.0, 2.0 / 9.0],
    [2.0 / 11.0, 2.0 / 13.0, 2.0 / 15.0, 2.0 / 17.0],
    [2.0 / 19.0, 2.0 / 21.0, 0.0, 0.0],
];

/// Up to the first of these, tan(π/8), arctan is a polynomial; from the second, tan(3π/8), on it is that of −1/x less π/2.
const EIGHTH: f64 = 0.41421356237309503;
const THREE_EIGHTHS: f64 = 2.414213562373095;

/// π/2 and π/4 less their doubles.
const FRAC_PI_2_LOW: f64 = 6.123233995736766e-17;
const FRAC_PI_4_LOW: f64 = 3.061616997868383e-17;

/// (arctan(r)/r − 1)/r² for |r| ≤ tan(π/8), as a polynomial in r², by `tests/it/golden/elementary.py`.
const ARCTANGENT: [[f64; 4]; 3] = [
    [-0.3333333333333333, 0.19999999999999804, -0.14285714285659779, 0.11111111105150588],
    [-0.09090908753259112, 0.07692296368042296, -0.0666642476020052, 0.05878927554473807],
    [-0.05230443640686948, 0.045515447340221615, -0.03456931506332609, 0.016284375050043393],
];

/// `c_0 + c_1 x + c_2 x² + …`, as four independent sums, which the processor computes in parallel.
#[inline(always)]
pub(super) fn polynomial<const N: usize>(coefficients: &[[f64; 4]; N], x: f64) -> f64 {
    let square = x * x;
    let fourth = square * square;
    let mut sums = [0.0; 4];
    for c in coefficients.iter().rev() {
        for k in 0..4 {
            sums[k] = sums[k] * fourth + c[k];
        }
    }
    (sums[0] + sums[1] * x) + (sums[2] + sums[3] * x) * square
}

/// 2ⁿ for an integer n with |n| ≤ 1022, given as `rounded` = n + [`ROUND`].
#[inline(always)]
fn power_of_two(rounded: f64) -> f64 {
    f64::from_bits((rounded.to_bits() << 52).wrapping_add(ONE))
}

/// e^x = (1 + `centered`)·2^a·2^b with |centered| < 0.42. There are two powers because a single one may over- or
/// underflow.
struct Reduced {
    centered: f64,
    half: f64,
    rest: f64,
}

/// Reduces e^x. Beyond ±750 the result is zero or infinite anyway.
#[inline(always)]
fn reduce(x: f64) -> Reduced {
    let x = x.clamp(-750.0, 750.0);
    let n = (x * LOG2_E + ROUND) - ROUND;
    let r = (x - n * LN_2_HIGH) - n * LN_2_LOW;
    let half = 0.5 * n + ROUND;
    let rest = (n - (half - ROUND)) + ROUND;
    Reduced { centered: r + (r * r) * polynomial(&EXPONENTIAL, r), half, rest }
}

/// e^x.
#[inline(always)]
pub(super) fn exp(x: f64) -> f64 {
    let Reduced { centered, half, rest } = reduce(x);
    (1.0 + centered) * power_of_two(half) * power_of_two(rest)
}

/// e^x − 1 without cancellation.
#[inline(always)]
pub(super) fn exp_m1(x: f64) -> f64 {
    let Reduced { centered, half, rest } = reduce(x);
    let (half, rest, unit) = (power_of_two(half), power_of_two(rest), power_of_two(2.0 * ROUND - rest));
    (centered * half + (half - unit)) * rest
}

/// ln(1 + u) without cancellation, for a finite u ≥ −½.
#[inline(always)]
pub(super) fn ln_1p(u: f64) -> f64 {
    let w = 1.0 + u;
    // the rounding error of 1 + u
    let lost = u - (w - 1.0);
    let bits = w.to_bits().wrapping_sub(ROOT);
    // a double whose last bits are the exponent, which is at least −1
    let exponent = f64::from_bits((bits.wrapping_add(ONE) >> 52) | 0x4330_0000_0000_0000) - 4_503_599_627_371_519.0;
    let f = f64::from_bits((bits & MANTISSA).wrapping_add(ROOT)) - 1.0;
    let s = f / (2.0 + f);
    let half_square = 0.5 * f * f;
    let tail = s * (half_square + (s * s) * polynomial(&LOGARITHM, s * s));
    let low = tail + (exponent * LN_2_LOW + lost / w);
    exponent * LN_2_HIGH - ((half_square - low) - f)
}

/// tanh x.
#[inline(always)]
pub(super) fn tanh(x: f64) -> f64 {
    let below = exp_m1(-2.0 * x.abs());
    (-below / (2.0 + below)).copysign(x)
}

/// arctan x: that of (x − tan c)/(1 + x·tan c), plus c, for c = 0, π/4 or π/2.
#[inline(always)]
pub(super) fn arctan(x: f64) -> f64 {
    let a = x.abs();
    let (near, far) = (a < EIGHTH, a >= THREE_EIGHTHS);
    let top = if far { -1.0 } else { a - 1.0 };
    let bottom = if far { a } else { a + 1.0 };
    let r = if near { a } else { top / bottom };
    let (high, low) = if far { (FRAC_PI_2, FRAC_PI_2_LOW) } else { (FRAC_PI_4, FRAC_PI_4_LOW) };
    let (high, low) = if near { (0.0, 0.0) } else { (high, low) };
    let square = r * r;
    (high + (r + (r * square * polynomial(&ARCTANGENT, square) + low))).copysign(x)
}

#[cfg(test)]
mod tests {
    use super::super::normal::{above_half, density, distribution};
    use super::*;

    /// The most that a function is off by, in units in the last place, beside mpmath.
    fn worst(name: &str, function: fn(f64) -> f64) -> f64 {
        let golden = include_str!("../../tests/it/golden/elementary.csv");
        let cells = golden.lines().map(|line| line.split(',').collect::<Vec<&str>>());
        let number = |cell: &str| cell.parse().unwrap_or(f64::NAN);
        let off =
            |argument: f64, value: f64| (function(argument) - value).abs() / (value.abs().next_up() - value.abs());
        let all: Vec<f64> = cells.filter(|c| c[0] == name).map(|c| off(number(c[1]), number(c[2]))).collect();
        assert!(all.len() > 150 && all.iter().all(|off| off.is_finite()), "{name}: {all:?}");
        all.into_iter().fold(0.0, f64::max)
    }

    #[test]
    fn functions_agree_with_mpmath_to_a_few_units_in_the_last_place() {
        assert!(worst("exp", exp) <= 1.0);
        assert!(worst("exp_m1", exp_m1) <= 1.0);
        assert!(worst("ln_1p", ln_1p) <= 1.0);
        assert!(worst("tanh", tanh) <= 2.0);
        assert!(worst("arctan", arctan) <= 2.0);
        assert!(worst("density", density) <= 2.0);
        assert!(worst("distribution", distribution) <= 3.0);
        assert!(worst("middle", above_half) <= 2.0);
    }
}
