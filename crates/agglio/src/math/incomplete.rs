//! *Incomplete* beta and gamma functions: the integrals that the distributions of test statistics are made of.
//!
//! Both are a density times a continued fraction or a series. The density is computed from deviances, not from
//! logarithms of gamma functions, whose difference would lose seven digits at a million degrees of freedom.

use std::f64::consts::PI;

/// Relative size of the last term of a series or continued fraction.
const NEGLIGIBLE: f64 = 0.5 * f64::EPSILON;
/// The number of terms grows with the root of the parameters, so this is enough for 10¹⁰ degrees of freedom.
const MOST_TERMS: usize = 1_000_000;
/// Replaces a denominator of zero in a continued fraction.
const TINY: f64 = 1e-300;
/// From here on the asymptotic series of [`stirling_error`] has all digits.
const ASYMPTOTIC: f64 = 16.0;

/// `I_x(a, b) = ∫₀ˣ t^{a−1}(1 − t)^{b−1} dt / B(a, b)` and its complement, for `y` = 1 − x.
///
/// The caller passes both x and y, so that neither is rounded to zero or one.
///
/// Reference: Press, Teukolsky, Vetterling and Flannery (2007), section 6.4; the fraction: Didonato and Morris (1992);
/// the density: Loader (2000).
pub(crate) fn beta([a, b]: [f64; 2], [x, y]: [f64; 2]) -> (f64, f64) {
    if x <= 0.0 || y <= 0.0 {
        return if x <= 0.0 { (0.0, 1.0) } else { (1.0, 0.0) };
    }
    // x^a·y^b/B(a, b)
    let density = a * b / (a + b) * binomial_density([a, b], [x, y]);
    // on this side of the mean the fraction converges fast
    match x * (a + b + 2.0) < a + 1.0 {
        true => {
            let lower = density * beta_fraction([a, b], [x, y]);
            (lower, 1.0 - lower)
        }
        false => {
            let upper = density * beta_fraction([b, a], [y, x]);
            (1.0 - upper, upper)
        }
    }
}

/// `P(a, x) = ∫₀ˣ t^{a−1}e^{−t} dt / Γ(a)` and its complement Q(a, x).
///
/// Reference: Press, Teukolsky, Vetterling and Flannery (2007), section 6.2; the density: Loader (2000).
pub(crate) fn gamma(a: f64, x: f64) -> (f64, f64) {
    if x <= 0.0 || x == f64::INFINITY {
        return if x <= 0.0 { (0.0, 1.0) } else { (1.0, 0.0) };
    }
    // x^a·e^{−x}/Γ(a)
    let density = a * poisson_density(a, x);
    match x < a + 1.0 {
        true => {
            let lower = density * gamma_series(a, x);
            (lower, 1.0 - lower)
        }
        false => {
            let upper = density * gamma_fraction(a, x);
            (1.0 - upper, upper)
        }
    }
}

/// Γ(a + b + 1)/(Γ(a + 1)·Γ(b + 1))·x^a·y^b, y = 1 − x: the binomial density for real counts.
pub(crate) fn binomial_density([a, b]: [f64; 2], [x, y]: [f64; 2]) -> f64 {
    let n = a + b;
    let stirling = stirling_error(n) - stirling_error(a) - stirling_error(b);
    (n / (2.0 * PI * a * b)).sqrt() * (stirling - deviance(a, n * x) - deviance(b, n * y)).exp()
}

/// x^a·e^{−x}/Γ(a + 1): the Poisson density for real counts.
pub(crate) fn poisson_density(a: f64, x: f64) -> f64 {
    (-stirling_error(a) - deviance(a, x)).exp() / (2.0 * PI * a).sqrt()
}

/// ln Γ(z + 1) − ln(√(2πz)·(z/e)^z)
fn stirling_error(z: f64) -> f64 {
    if z < ASYMPTOTIC {
        return libm::lgamma(z + 1.0) - (z + 0.5) * z.ln() + z - 0.5 * (2.0 * PI).ln();
    }
    const SERIES: [f64; 7] =
        [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0, 1.0 / 156.0];
    SERIES.iter().rev().fold(0.0, |sum, term| sum / (z * z) + term) / z
}

/// x·ln(x/m) + m − x, without cancellation if x is near m.
fn deviance(x: f64, m: f64) -> f64 {
    let apart = (x - m) / (x + m);
    if apart.abs() >= 0.1 {
        return x * (x / m).ln() + m - x;
    }
    // x·ln(x/m) = 2x·artanh(apart)
    let (mut power, mut sum) = (2.0 * x * apart, (x - m) * apart);
    for k in 1..100 {
        power *= apart * apart;
        let next = sum + power / f64::from(2 * k + 1);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

/// The continued fraction of the incomplete beta function, by the modified method of Lentz. Its terms contain y, not
/// 1 − x, so nothing cancels if x is near one.
///
/// Reference: Didonato and Morris (1992), equation 9.
fn beta_fraction([a, b]: [f64; 2], [x, y]: [f64; 2]) -> f64 {
    let away = |v: f64| if v.abs() < TINY { TINY } else { v };
    let denominator = |m: f64| {
        let odd = (a + m) * (a * y - b * x + 1.0 + m * (1.0 + y)) / (a + 2.0 * m + 1.0);
        m + m * (b - m) * x / (a + 2.0 * m - 1.0) + odd
    };
    let mut fraction = away(a * (a * y - b * x + 1.0) / (a + 1.0));
    let (mut c, mut d) = (fraction, 0.0);
    for m in 1..MOST_TERMS {
        let m = m as f64;
        let between = a + 2.0 * m - 1.0;
        let numerator = (a + m - 1.0) / between * ((a + b + m - 1.0) / between) * m * (b - m) * x * x;
        d = 1.0 / away(denominator(m) + numerator * d);
        c = away(denominator(m) + numerator / c);
        let last = c * d;
        fraction *= last;
        if (last - 1.0).abs() <= NEGLIGIBLE {
            break;
        }
    }
    1.0 / fraction
}

/// Σ x^k/(a·(a + 1)…(a + k))
fn gamma_series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum, mut at) = (1.0 / a, 1.0 / a, a);
    for _ in 0..MOST_TERMS {
        at += 1.0;
        term *= x / at;
        sum += term;
        if term <= NEGLIGIBLE * sum {
            break;
        }
    }
    sum
}

/// The continued fraction of the upper incomplete gamma function, by the modified method of Lentz.
fn gamma_fraction(a: f64, x: f64) -> f64 {
    let away = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (1.0 / TINY, 1.0 / away(b));
    let mut fraction = d;
    for k in 1..MOST_TERMS {
        let k = k as f64;
        let term = -k * (k - a);
        b += 2.0;
        d = 1.0 / away(term * d + b);
        c = away(b + term / c);
        let last = c * d;
        fraction *= last;
        if (last - 1.0).abs() <= NEGLIGIBLE {
            break;
        }
    }
    fraction
}
