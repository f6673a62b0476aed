//! A *distribution* of a test statistic: the normal distribution, Student's t, F and χ², with their tails and
//! quantiles.
//!
//! Tails have a small relative error however small they are, so that p-values of 1e-300 keep their digits.

use std::f64::consts::{PI, SQRT_2};

use crate::math::incomplete::{beta, binomial_density, gamma, poisson_density};

/// A continuous distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// The standard normal distribution.
    Normal,
    /// Student's t.
    T {
        /// Degrees of freedom, above zero.
        df: f64,
    },
    /// The distribution of the ratio of two mean squares.
    F {
        /// Degrees of freedom of the numerator, above zero.
        numerator: f64,
        /// Degrees of freedom of the denominator, above zero.
        denominator: f64,
    },
    /// χ².
    ChiSquared {
        /// Degrees of freedom, above zero.
        df: f64,
    },
}

/// Most steps to a quantile; Newton's method needs about ten, bisection at most this number.
const MOST_STEPS: usize = 200;

/// Beyond this size the tail of Student's t is a power of x, to rounding.
const FAR: f64 = 1e100;

impl Distribution {
    /// P(X ≤ x).
    pub fn cdf(&self, x: f64) -> f64 {
        self.tails(x).0
    }

    /// P(X > x), without the cancellation of 1 − cdf.
    pub fn survival(&self, x: f64) -> f64 {
        self.tails(x).1
    }

    /// P(|X| > |x|) of a symmetric distribution: the two-sided p-value. For F and χ² it is the survival.
    pub fn two_sided(&self, x: f64) -> f64 {
        match self {
            Distribution::Normal | Distribution::T { .. } => (2.0 * self.survival(x.abs())).min(1.0),
            _ => self.survival(x),
        }
    }

    /// The x with P(X ≤ x) = p; NaN if p is not in [0, 1].
    pub fn quantile(&self, p: f64) -> f64 {
        if p <= 0.5 { self.lower_quantile(p) } else { self.upper_quantile(1.0 - p) }
    }

    /// The x with P(X > x) = p; NaN if p is not in [0, 1].
    pub fn upper_quantile(&self, p: f64) -> f64 {
        match self {
            _ if !(0.0..=1.0).contains(&p) => f64::NAN,
            Distribution::Normal | Distribution::T { .. } if p == 0.5 => 0.0,
            Distribution::Normal | Distribution::T { .. } if p > 0.5 => -self.upper_quantile(1.0 - p),
            _ if p == 0.0 => f64::INFINITY,
            _ if p > 0.5 => self.lower_quantile(1.0 - p),
            _ => self.solve(p, |tails| tails.1, -1.0),
        }
    }

    /// As [`Distribution::quantile`], for p ≤ ½, of which no digit may be lost.
    fn lower_quantile(&self, p: f64) -> f64 {
        match self {
            _ if !(0.0..=1.0).contains(&p) => f64::NAN,
            Distribution::Normal | Distribution::T { .. } => -self.upper_quantile(p),
            _ if p == 0.0 => 0.0,
            _ => self.solve(p, |tails| tails.0, 1.0),
        }
    }

    /// The two tails P(X ≤ x) and P(X > x).
    fn tails(&self, x: f64) -> (f64, f64) {
        match *self {
            _ if x.is_nan() => (f64::NAN, f64::NAN),
            Distribution::Normal => (0.5 * libm::erfc(-x / SQRT_2), 0.5 * libm::erfc(x / SQRT_2)),
            // the square would overflow, and the tail is a power of x there
            Distribution::T { df } if x.abs() > FAR => {
                let outer = self.survival(FAR) * (FAR / x.abs()).powf(df);
                if x < 0.0 { (outer, 1.0) } else { (1.0, outer) }
            }
            Distribution::T { df } => {
                // half of P(|X| > |x|) = I_{df/(df + x²)}(df/2, ½)
                let outer = 0.5 * beta([0.5 * df, 0.5], shares(df, x.abs(), x.abs())).0;
                if x < 0.0 { (outer, 1.0 - outer) } else { (1.0 - outer, outer) }
            }
            Distribution::F { numerator, denominator } => {
                let [y, x] = shares(denominator, numerator, x.max(0.0));
                beta([0.5 * numerator, 0.5 * denominator], [x, y])
            }
            Distribution::ChiSquared { df } => gamma(0.5 * df, 0.5 * x),
        }
    }

    /// The density times x, for x > 0: the derivative of a tail by ln x.
    fn log_density(&self, x: f64) -> f64 {
        match *self {
            Distribution::Normal => x * (-0.5 * x * x).exp() / (2.0 * PI).sqrt(),
            Distribution::T { df } if x > FAR => df * self.survival(x),
            Distribution::T { df } => {
                let [y, z] = shares(df, x, x);
                0.5 * df / (df + 1.0) * binomial_density([0.5 * df, 0.5], [y, z])
            }
            Distribution::F { numerator, denominator } => {
                let (a, b) = (0.5 * numerator, 0.5 * denominator);
                let [y, x] = shares(denominator, numerator, x);
                a * b / (a + b) * binomial_density([a, b], [x, y])
            }
            Distribution::ChiSquared { df } => 0.5 * df * poisson_density(0.5 * df, 0.5 * x),
        }
    }

    /// The x > 0 at which a tail is p ≤ ½, by Newton's method on logarithms, inside a bracket. `sign` is that of the
    /// tail's derivative.
    fn solve(&self, p: f64, tail: impl Fn((f64, f64)) -> f64, sign: f64) -> f64 {
        let excess = |log_x: f64| sign * (tail(self.tails(log_x.exp())).ln() - p.ln());
        let (mut low, mut high) = (-1.0, 1.0);
        // both ends of the doubles bracket every x
        while excess(low) > 0.0 && low > -745.0 {
            low *= 2.0;
        }
        while excess(high) < 0.0 && high < 709.0 {
            high = f64::min(2.0 * high, 709.0);
        }
        let mut at: f64 = 0.5 * (low + high);
        for _ in 0..MOST_STEPS {
            let (x, own) = (at.exp(), excess(at));
            if own > 0.0 {
                high = at
            } else {
                low = at
            }
            let newton = at - own * tail(self.tails(x)) / self.log_density(x);
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            let moved = (next - at).abs();
            at = next;
            if moved <= f64::EPSILON * (1.0 + at.abs()) {
                break;
            }
        }
        at.exp()
    }
}

/// a/(a + b·x) and b·x/(a + b·x), without overflow.
fn shares(a: f64, b: f64, x: f64) -> [f64; 2] {
    let ratio = b / a * x;
    if ratio.is_infinite() { [a / b / x, 1.0] } else { [1.0 / (1.0 + ratio), ratio / (1.0 + ratio)] }
}
