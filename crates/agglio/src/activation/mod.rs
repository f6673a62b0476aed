//! An *activation* φ is the scalar function in `y ≈ φ(xᵀw)`, together with its graduation.
//!
//! Graduation replaces φ by a family of functions with a temperature τ in [0, 1]. Every solver of this crate uses φ
//! only in this *anchored* form:
//!
//! ```text
//! φ̂_τ(z)  = (φ(τz) − φ(0))/τ        value               φ′(0)·z at τ = 0, φ(z) − φ(0) at τ = 1
//! φ̂_τ′(z) = φ′(τz)                  derivative
//! φ̂_τ″(z) = τ·φ″(τz)                second derivative
//! ```
//!
//! It differs from the graduated activation of the paper (definition "Graduated Activation and Objective") by two
//! constants: φ_τ(0), which cancels in every residual, and the factor γ(τ) = φ_τ′(0)/φ′(0). The factor is τ for the
//! bounded activations and 1 for the others. A learning rate η for the anchored form therefore corresponds to η/τ² in
//! the paper for the bounded activations, and to η for the others. Nothing cancels as τ → 0, and τ = 0 is the linear
//! model.
//!
//! Numerically stable formulas belong here and nowhere else. An implementation gives φ at temperature one, and the
//! *centered* value φ(t) − φ(0) without cancellation. [`Activation`] derives the graduation from them.

mod affine;
mod arctan;
mod average;
mod centered;
mod cloglog;
mod elementary;
mod enclosure;
mod envelope;
mod expm1;
mod exponential;
mod gelu;
mod gompertz;
mod gumbel;
mod identity;
mod inverse;
mod leaky_softplus;
mod leaky_turns;
mod logarithm;
mod named;
mod normal;
mod probit;
mod registry;
mod shape;
mod sigmoid;
mod silu;
mod softplus;
mod tanh;

use std::fmt::Debug;

use serde::{Deserialize, Serialize};

use crate::math::vector::{Function, map, map_both};

pub use affine::Affine;
pub use arctan::Arctan;
pub use cloglog::Cloglog;
pub(crate) use enclosure::{
    Intervals, MARGIN, enclose, enclose_radial_derivative, enclose_second_derivative, range_between,
};
pub use envelope::{Envelope, Fall};
pub use expm1::Expm1;
pub use exponential::Exp;
pub use gelu::Gelu;
pub use gompertz::Gompertz;
pub use identity::Identity;
pub use leaky_softplus::LeakySoftplus;
pub use named::{ALIASES, NAMES, canonical, named};
pub use probit::Probit;
pub use registry::Registry;
pub use shape::{PiecewiseMonotone, Shape};
pub use sigmoid::Sigmoid;
pub use silu::Silu;
pub use softplus::Softplus;
pub use tanh::Tanh;

/// Below this temperature φ̂_τ is linear to the last digit for |z| < 1e100, and τz would lose digits to underflow.
const COLD: f64 = 1e-150;

/// The values that φ takes: the interval from `lo` to `hi`, either of which may be infinite.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// Greatest lower bound of φ.
    pub lo: f64,
    /// Least upper bound of φ.
    pub hi: f64,
    /// Whether φ reaches its finite bounds at finite z, as SiLU and GELU reach their minimum. A response at such a
    /// bound has a preimage.
    pub attained: bool,
}

impl Range {
    /// All real numbers.
    pub const REALS: Range = Range { lo: f64::NEG_INFINITY, hi: f64::INFINITY, attained: false };

    /// Whether a response `y` has a finite preimage.
    pub fn contains(&self, y: f64) -> bool {
        let inside = self.lo < y && y < self.hi;
        inside || (self.attained && y.is_finite() && (y == self.lo || y == self.hi))
    }
}

/// The finite solutions z of φ(z) = y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Preimages {
    /// y lies outside the range of φ, or on a bound that no finite z reaches.
    None,
    /// Exactly one z has φ(z) = y.
    One(f64),
    /// φ has one minimum (SiLU, GELU), and y lies between it and the limit of φ at −∞.
    Two {
        /// The solution on the decreasing branch.
        left: f64,
        /// The solution on the increasing branch.
        right: f64,
    },
}

/// `φ̂_τ(z) = (φ(τz) − φ(0))/τ`
///
/// A smooth activation φ with φ′(0) ≠ 0, at every temperature; see the [module](self) documentation.
///
/// To add an activation, implement [`name`](Activation::name), [`value`](Activation::value),
/// [`derivative`](Activation::derivative) and [`second_derivative`](Activation::second_derivative). For an increasing φ
/// this is enough: `centered` is integrated from the derivative where the difference would cancel, and preimages are
/// found by a bracketed Newton iteration. Implement [`largest_slope`](Activation::largest_slope) if the derivative is
/// bounded. Solvers with a fixed step need it for the step 1/Λ; without it only solvers with a step search can be used.
///
/// Reference: definition "Graduated Activation and Objective" of the paper.
pub trait Activation: Debug + Send + Sync {
    /// The name as a user types it, for example `leaky-softplus:0.2`.
    fn name(&self) -> String;

    /// φ(t), accurate to a few units in the last place even where φ is tiny. It is never NaN for finite t.
    fn value(&self, t: f64) -> f64;

    /// φ′(t).
    fn derivative(&self, t: f64) -> f64;

    /// φ″(t).
    fn second_derivative(&self, t: f64) -> f64;

    /// φ(t) − φ(0) without cancellation near t = 0.
    ///
    /// Default: Gauss–Legendre integration of φ′ for small |t|, and the plain difference otherwise. The difference is
    /// also used where the two values differ by more than rounding, because the curvature of φ is too large for the
    /// rule.
    fn centered(&self, t: f64) -> f64 {
        centered::from_derivative(|s| self.value(s), |s| self.derivative(s), t)
    }

    /// The values that φ takes. Default: all real numbers.
    fn range(&self) -> Range {
        Range::REALS
    }

    /// φ(−∞) and φ(+∞), the limits of φ on the left and on the right; either may be infinite.
    ///
    /// Default: the bounds of [`range`](Activation::range), which are the limits of an increasing φ.
    fn limits(&self) -> (f64, f64) {
        let Range { lo, hi, .. } = self.range();
        (lo, hi)
    }

    /// The *centre* c = φ(0) of a point-symmetric φ: φ(−t) = 2c − φ(t) for all t.
    ///
    /// A mirrored argument then mirrors the response, so `a + b·φ(z)` with b < 0 is the same family of curves as with
    /// b > 0. Default: none is known.
    fn centre(&self) -> Option<f64> {
        None
    }

    /// Whether data can tell an intercept from a free offset a and a free scale b in a + b·φ(z), as far as they are free.
    /// Default: yes.
    fn tells_apart(&self, _offset: bool, _scale: bool) -> bool {
        true
    }

    /// Whether φ takes values between 0 and 1, and both ln φ and ln(1 − φ) are concave, so that the likelihood of a Bernoulli
    /// response with mean φ(z) is concave in z. Default: not as far as is known.
    fn is_log_concave(&self) -> bool {
        false
    }

    /// ln φ(t) and ln(1 − φ(t)), for a φ between 0 and 1.
    ///
    /// Default: from the value. Override it if `is_log_concave`, so that no digits are lost where φ is near 0 or 1. The
    /// same holds for the two methods that follow.
    fn log_value(&self, t: f64) -> [f64; 2] {
        logarithm::plain(self, t)
    }

    /// The derivatives of [`log_value`](Activation::log_value): φ′/φ and −φ′/(1 − φ).
    fn log_derivative(&self, t: f64) -> [f64; 2] {
        logarithm::plain_derivative(self, t)
    }

    /// The second derivatives of [`log_value`](Activation::log_value).
    fn log_second_derivative(&self, t: f64) -> [f64; 2] {
        logarithm::plain_second_derivative(self, t)
    }

    /// sup φ′, the Lipschitz constant from which Λ is computed. Default: none.
    fn largest_slope(&self) -> Option<f64> {
        None
    }

    /// Bounds under Gaussian covariates, from which the constants of the theory are computed. Default: none are known.
    fn envelope(&self) -> Option<Envelope> {
        None
    }

    /// The points between which φ, φ′, φ″ and zφ′(z) are monotone. They give exact ranges over intervals, which a proof of the
    /// global minimum needs. Default: none are known.
    fn shape(&self) -> Option<Shape> {
        None
    }

    /// The finite solutions z of φ(z) = y.
    ///
    /// Default: a bracketed Newton iteration for an increasing φ; [`Preimages::None`] if φ reaches y at no finite z.
    fn preimages(&self, y: f64) -> Preimages {
        if !self.range().contains(y) {
            return Preimages::None;
        }
        inverse::increasing(|z| self.value(z), |z| self.derivative(z), y)
    }

    /// Writes φ(z), not centered: the predictions, and a part of the residual at τ = 1.
    fn respond(&self, z: &[f64], out: &mut [f64]) {
        map(z, out, Value(self));
    }

    /// Writes E φ(z + ε), ε ~ N(0, σ²): the mean of the response y = φ(z + ε), whose median is φ(z) if φ is increasing.
    ///
    /// The activations of this crate override it, or have the default with known properties. Their error is at most 1e-10
    /// of E |φ(z + ε)| for σ up to 100.
    ///
    /// Default: the trapezoidal rule, whose step is halved until the sum changes by less than 1e-10 of E |φ(z + ε)|.
    /// The error is then of that size if φ is analytic within σ/300 of the real line, finite within 38σ of z, and
    /// negligible farther out. At a kink of φ the error is at most 1e-7·σ times the change of the derivative, at a jump
    /// 1e-3 of the jump. The rule evaluates φ about 80 times a row up to σ = 1, and 80σ times beyond. Override it if
    /// there is a closed form.
    fn average(&self, sigma: f64, z: &[f64], out: &mut [f64]) {
        average::refined(self, sigma, z, out);
    }

    /// Writes φ̂_τ(z) = (φ(τz) − φ(0))/τ, which is φ′(0)·z at τ = 0.
    fn graduate(&self, tau: f64, z: &[f64], out: &mut [f64]) {
        if tau < COLD {
            let line = self.derivative(0.0);
            map(z, out, |z| line * z);
        } else {
            map(z, out, Graduation { phi: self, tau });
        }
    }

    /// Writes φ̂_τ′(z) = φ′(τz).
    fn graduate_derivative(&self, tau: f64, z: &[f64], out: &mut [f64]) {
        map(z, out, Derivative { phi: self, tau });
    }

    /// Writes φ(z) and φ′(z). Common subexpressions are computed once.
    fn respond_with_derivative(&self, z: &[f64], value: &mut [f64], derivative: &mut [f64]) {
        map_both(z, value, derivative, Value(self), Derivative { phi: self, tau: 1.0 });
    }

    /// Writes φ̂_τ(z) and φ̂_τ′(z). Common subexpressions are computed once.
    fn graduate_with_derivative(&self, tau: f64, z: &[f64], value: &mut [f64], derivative: &mut [f64]) {
        if tau < COLD {
            self.graduate(tau, z, value);
            self.graduate_derivative(tau, z, derivative);
        } else {
            map_both(z, value, derivative, Graduation { phi: self, tau }, Derivative { phi: self, tau });
        }
    }

    /// Writes φ̂_τ″(z) = τ·φ″(τz).
    fn graduate_second_derivative(&self, tau: f64, z: &[f64], out: &mut [f64]) {
        map(z, out, SecondDerivative { phi: self, tau });
    }

    /// Writes ln φ(z) and ln(1 − φ(z)).
    fn log_respond(&self, z: &[f64], out: [&mut [f64]; 2]) {
        logarithm::respond(self, z, out);
    }

    /// Writes the derivatives of ln φ(z) and ln(1 − φ(z)).
    fn log_respond_derivative(&self, z: &[f64], out: [&mut [f64]; 2]) {
        logarithm::differentiate(self, z, out);
    }

    /// Writes the second derivatives of ln φ(z) and ln(1 − φ(z)).
    fn log_respond_second_derivative(&self, z: &[f64], out: [&mut [f64]; 2]) {
        logarithm::differentiate_twice(self, z, out);
    }
}

/// The left preimage of a value that lies between the limit of φ at −∞ and its minimum, at 1 % of the way. None if φ is
/// monotone.
pub(crate) fn far_left(phi: &dyn Activation) -> Option<f64> {
    let (limit, lo) = (phi.limits().0, phi.range().lo);
    match phi.preimages(limit + 0.01 * (lo - limit)) {
        Preimages::Two { left, .. } => Some(left),
        _ => None,
    }
}

/// φ.
struct Value<'a, A: ?Sized>(&'a A);

/// φ̂_τ at a τ > 0.
struct Graduation<'a, A: ?Sized> {
    phi: &'a A,
    tau: f64,
}

/// φ̂_τ′.
struct Derivative<'a, A: ?Sized> {
    phi: &'a A,
    tau: f64,
}

/// φ̂_τ″.
struct SecondDerivative<'a, A: ?Sized> {
    phi: &'a A,
    tau: f64,
}

impl<A: Activation + ?Sized> Function for Value<'_, A> {
    #[inline(always)]
    fn at(&self, z: f64) -> f64 {
        self.0.value(z)
    }
}

impl<A: Activation + ?Sized> Function for Graduation<'_, A> {
    #[inline(always)]
    fn at(&self, z: f64) -> f64 {
        self.phi.centered(self.tau * z) / self.tau
    }
}

impl<A: Activation + ?Sized> Function for Derivative<'_, A> {
    #[inline(always)]
    fn at(&self, z: f64) -> f64 {
        self.phi.derivative(self.tau * z)
    }
}

impl<A: Activation + ?Sized> Function for SecondDerivative<'_, A> {
    #[inline(always)]
    fn at(&self, z: f64) -> f64 {
        self.tau * self.phi.second_derivative(self.tau * z)
    }
}
