//! The leaky softplus, a smooth leaky ReLU.

use std::f64::consts::{LN_2, PI};

use super::leaky_turns::{most_bent, radial, steepest};
use super::{Activation, Envelope, Identity, Preimages, Range, Shape, Sigmoid, Softplus, average, inverse};
use crate::error::{Error, Result};
use crate::math::vector::map;

/// From here on e^{−y} is below the rounding error of one.
const STRAIGHT: f64 = 40.0;

/// `φ(t) = ln(1 + e^t) − ln(1 + e^{−kt})`, 0 ≤ k ≤ 1
///
/// A smooth leaky ReLU: close to kt far to the left and to t far to the right. k = 0 is softplus − ln 2, and k = 1 is
/// the identity. It is not 1-Lipschitz: for 0 < k < 1 its derivative exceeds one and then decreases to one.
///
/// Reference: Table 1 of the paper (`tab:elsc-elss`), row "leaky softplus".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeakySoftplus {
    k: f64,
    largest_slope: f64,
}

impl LeakySoftplus {
    /// The leaky softplus whose derivative tends to `k` on the left.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Parameter`](crate::error::ErrorKind::Parameter) if `k` is not a number in [0, 1].
    ///
    /// # Examples
    ///
    /// ```
    /// use agglio::activation::{Activation, LeakySoftplus};
    ///
    /// let phi = LeakySoftplus::new(0.2)?;
    /// assert!((phi.value(-100.0) + 20.0).abs() < 1e-8);
    /// # Ok::<(), agglio::error::Error>(())
    /// ```
    pub fn new(k: f64) -> Result<LeakySoftplus> {
        if !(0.0..=1.0).contains(&k) {
            return Err(Error::parameter("k of leaky-softplus", k, "it must lie between 0 and 1"));
        }
        // −0 would appear in the name
        let k = k.abs();
        Ok(LeakySoftplus { k, largest_slope: derivative(k, steepest(k)) })
    }

    /// k, the limit of the derivative on the left.
    pub fn k(&self) -> f64 {
        self.k
    }
}

impl Activation for LeakySoftplus {
    fn name(&self) -> String {
        format!("leaky-softplus:{}", self.k)
    }

    #[inline(always)]
    fn value(&self, t: f64) -> f64 {
        // the constants ln 2 of the two softplus cancel, and their centered values have opposite signs, so that the
        // difference loses no digits near the zero at t = 0
        Softplus.centered(t) - Softplus.centered(-scaled(self.k, t))
    }

    #[inline(always)]
    fn derivative(&self, t: f64) -> f64 {
        derivative(self.k, t)
    }

    #[inline(always)]
    fn second_derivative(&self, t: f64) -> f64 {
        Sigmoid.derivative(t) - self.k * self.k * Sigmoid.derivative(scaled(self.k, t))
    }

    #[inline(always)]
    fn centered(&self, t: f64) -> f64 {
        self.value(t)
    }

    fn average(&self, sigma: f64, z: &[f64], out: &mut [f64]) {
        if !average::is_wide(PI, sigma) {
            return average::over_noise(self, PI, sigma, z, out);
        }
        // the second softplus is wider by the factor 1/k, so the noise is smaller relative to it
        let (mut mirrored, mut left) = (vec![0.0; z.len()], vec![0.0; z.len()]);
        map(z, &mut mirrored, |z| -scaled(self.k, z));
        Softplus.average(self.k * sigma, &mirrored, &mut left);
        Softplus.average(sigma, z, out);
        out.iter_mut().zip(&left).for_each(|(out, left)| *out -= left);
    }

    fn range(&self) -> Range {
        let lo = if self.k == 0.0 { -LN_2 } else { f64::NEG_INFINITY };
        Range { lo, hi: f64::INFINITY, attained: false }
    }

    fn tells_apart(&self, offset: bool, scale: bool) -> bool {
        self.k < 1.0 || (!offset && !scale)
    }

    fn centre(&self) -> Option<f64> {
        // for k = 1 it is the identity
        (self.k == 1.0).then_some(0.0)
    }

    fn largest_slope(&self) -> Option<f64> {
        Some(self.largest_slope)
    }

    fn envelope(&self) -> Option<Envelope> {
        // φ′(t) + φ′(−t) = 1 + k
        let least_slope = 1.0 + self.k - self.largest_slope;
        let softplus = Softplus.envelope()?;
        let inverse = match self.k > 0.0 {
            true => (1.0 / least_slope, f64::INFINITY),
            false => (softplus.inverse_lipschitz, softplus.widest_noise),
        };
        Some(Envelope {
            factor: 1.0 + self.k * self.k,
            most: self.largest_slope * self.largest_slope + least_slope * least_slope,
            largest_slope: self.largest_slope,
            inverse_lipschitz: inverse.0,
            widest_noise: inverse.1,
            ..softplus
        })
    }

    fn shape(&self) -> Option<Shape> {
        let k = self.k;
        if k == 0.0 {
            return Softplus.shape().map(|shape| shape.affine(-LN_2, 1.0));
        }
        if k == 1.0 {
            return Identity.shape();
        }
        let (steep, bent, radial) = (steepest(k), most_bent(k), radial(k));
        let shape = Shape::new(
            self,
            (&[], [f64::NEG_INFINITY, f64::INFINITY]),
            (&[-steep, steep], [k, 1.0]),
            (&[-bent, 0.0, bent], [0.0; 2]),
            (&radial, [f64::NEG_INFINITY, f64::INFINITY]),
        );
        // σ′(t) and k²σ′(kt)
        let second_derivative = shape.second_derivative.with_terms(0.25 * (1.0 + k * k));
        Some(Shape { second_derivative, ..shape })
    }

    fn preimages(&self, y: f64) -> Preimages {
        if !self.range().contains(y) {
            return Preimages::None;
        }
        if self.k > 0.0 {
            let line = 2.0 / (1.0 + self.k);
            return inverse::increasing_from(line * y, |z| self.value(z), |z| self.derivative(z), y);
        }
        // e^z = 2e^y − 1: near y = −ln 2 only the last digit of y is left of it, and rounding must not make it zero
        let above_minus_one = (2.0 * y.exp_m1()).max(-1.0 + 0.5 * f64::EPSILON);
        Preimages::One(if y < STRAIGHT { above_minus_one.ln_1p() } else { y + LN_2 })
    }
}

#[inline(always)]
fn derivative(k: f64, t: f64) -> f64 {
    Sigmoid.value(t) + k * Sigmoid.value(-scaled(k, t))
}

/// k·t, which is 0 for k = 0 even if t is infinite.
#[inline(always)]
fn scaled(k: f64, t: f64) -> f64 {
    if k == 0.0 { 0.0 } else { k * t }
}
