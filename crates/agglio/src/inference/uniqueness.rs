//! The *radius of uniqueness*: the size of an ellipsoid around a fit that has no other minimum.

use std::borrow::Cow;
use std::fmt;

use crate::error::Result;
use crate::inference::sandwich::Sandwich;
use crate::inference::{Available, Covariance, Distribution, EndPoint, Inference, Unavailable};
use crate::math::linalg::Symmetric;
use crate::oracle::{Ask, Batch, Neighbourhood, Oracle, OracleClient, Query};
use crate::text::format;

/// Number of rows from which the radius is computed, if there are more; and at least this number for each coefficient.
/// Together with [`TOO_MANY`] they keep the time below that of a fit of many rows.
const ROWS: usize = 2048;
const ROWS_OF_COEFFICIENT: usize = 40;
/// The sample is the beginning of one fixed permutation.
const KEY: u64 = 0x756e_6971;
/// From this number of coefficients on, the radius is not computed.
const TOO_MANY: usize = 100;
/// The relative error of the radius.
const TOLERANCE: f64 = 1e-7;
/// Maximum number of trials.
const MOST_TRIALS: usize = 60;
/// From this radius on the bound is tried everywhere.
const DISTANT: f64 = 1e9;
/// A radius in which linear predictors take all values.
const EVERYWHERE: f64 = 1e200;
/// The bound is positive above this share of the mean curvature of the linear model, far above its rounding error.
const POSITIVE: f64 = 1e-10;
/// Until the bound fails, the radius is multiplied by numbers between these, and the first of them grows.
const GROWTH: [f64; 2] = [1.02, 8.0];

/// The radius within which a fit is the only minimum, in standard errors.
///
/// ```
/// use agglio::{Options, activation::named, inference::Covariance, rows::Dense};
///
/// let dose = vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
/// let rows = Dense::new(dose, 1, vec![0.05, 0.11, 0.31, 0.49, 0.78, 0.9])?;
/// let fitted = Options::new(named("sigmoid")?).build()?.fit(&rows)?;
/// let uniqueness = fitted.inference(Covariance::Classical)??.uniqueness()??;
/// assert!(uniqueness.radius > uniqueness.ellipsoid_95);
/// # Ok::<(), agglio::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Uniqueness {
    /// The largest radius that the bound shows. Infinite if there is no other minimum at any distance, and zero if the bound
    /// fails at the fit.
    pub radius: f64,
    /// The radius √χ²₀.₉₅ of the ellipsoid that contains the true coefficients with a probability of about 95 %.
    pub ellipsoid_95: f64,
    /// Number of rows from which the radius was computed.
    pub rows: usize,
    /// Number of rows of the fit.
    pub of: usize,
}

impl Inference<'_> {
    /// `max s  with  Σ ω_i·m_i(s)·x_i x_iᵀ ≻ 0,    m_i(s) ≤ f_i″(z)  for  |z − ẑ_i| ≤ s·√(x_iᵀCx_i)`
    ///
    /// The radius within which the fit is the only minimum, in standard errors. The ellipsoid of s standard errors around ŵ is
    /// (w − ŵ)ᵀC⁻¹(w − ŵ) ≤ s², with the classical covariance C, for any kind of this inference. In it each linear predictor
    /// stays in an interval. If the loss is convex over all of these intervals, the fit is the only stationary point.
    ///
    /// The bounds m_i come from interval arithmetic over four equal parts of the interval, so the radius by exact minima is
    /// larger, by about a sixth. If there are more than 2048 rows and more than 40 for each coefficient, the sum is over a fixed
    /// sample of that size. It takes one pass over these rows; φ and its derivatives are then evaluated some 35 times for each.
    ///
    /// It is available for least squares with noise after φ, on a fixed response scale, with fewer than 100 coefficients, if
    /// the [`shape`](crate::activation::Activation::shape) of φ is known.
    ///
    /// # Errors
    /// If rows are lost or cannot be read.
    pub fn uniqueness(&self) -> Result<Available<Uniqueness>> {
        if let Some(reason) = refusal(self.oracle, &self.end) {
            return Ok(Err(reason));
        }
        let client = OracleClient::new(self.oracle, self.end.labels);
        let bread = match self.gauss_newton(&client)? {
            Ok(bread) => bread,
            Err(reason) => return Ok(Err(reason)),
        };
        let Some(axes) = axes(&client, &bread) else { return Ok(Err(Unavailable::Singular)) };
        let (all, unit) = (client.rows(), (self.square / self.counts.free()).sqrt());
        let (batch, most) = (sample(all, axes.len()), self.radius_of_limits(&axes, unit));
        let (theta, directions) = (Cow::Borrowed(self.end.outcome.theta.as_slice()), Cow::Owned(axes));
        let ask = Ask::Projection { theta, directions, limits: false };
        let projection = client.ask(&Query::new(batch, ask))?.projection()?;
        let Some(neighbourhood) = projection.neighbourhood() else { return Ok(Err(Unavailable::UnknownShape)) };
        let ellipsoid_95 = Distribution::ChiSquared { df: self.counts.parameters }.quantile(0.95).sqrt();
        let radius = Search { oracle: &client, neighbourhood, unit, first: ellipsoid_95 }.radius();
        Ok(match client.is_interrupted() {
            true => Err(Unavailable::Interrupted),
            false => Ok(Uniqueness { radius: radius.min(most), ellipsoid_95, rows: batch.len(all), of: all }),
        })
    }

    /// The mean of ω JJᵀ.
    fn gauss_newton(&self, oracle: &dyn Oracle) -> Result<Available<Cow<'_, Symmetric>>> {
        Ok(match self.kind {
            Covariance::Hessian => Sandwich::of(oracle, self.end.outcome, Covariance::Classical, self.counts)?
                .map(|classical| Cow::Owned(classical.bread)),
            _ => Ok(Cow::Borrowed(&self.bread)),
        })
    }

    /// The radius at which the first coefficient may be zero, if rows lie at infinity: they are on the other side of φ beyond.
    fn radius_of_limits(&self, axes: &[Vec<f64>], unit: f64) -> f64 {
        let Some(slope) = self.end.outcome.theta.first().filter(|_| self.oracle.facts().has_limits) else {
            return f64::INFINITY;
        };
        slope.abs() / (unit * axes.iter().map(|axis| axis[0] * axis[0]).sum::<f64>().sqrt())
    }
}

/// The rows from which the radius is computed.
fn sample(rows: usize, coefficients: usize) -> Batch {
    let len = ROWS.max(ROWS_OF_COEFFICIENT * coefficients);
    if rows <= len { Batch::All } else { Batch::Part { key: KEY, start: 0, len } }
}

/// Vectors u of θ with Σ u·uᵀ = B⁻¹ for the mean B of ω JJᵀ, without the entries of constant columns.
fn axes(oracle: &dyn Oracle, bread: &Symmetric) -> Option<Vec<Vec<f64>>> {
    let dead = oracle.facts().coordinates.dead_columns();
    let alive: Vec<usize> = (0..oracle.dim()).filter(|entry| !dead.contains(entry)).collect();
    let factor = bread.select(&alive).factor(&vec![0.0; alive.len()])?;
    let whole = |root: Vec<f64>| {
        let mut whole = vec![0.0; oracle.dim()];
        alive.iter().zip(root).for_each(|(&entry, u)| whole[entry] = u);
        whole
    };
    Some(factor.inverse_roots().into_iter().map(whole).collect())
}

/// Why there is no radius for this fit, if so.
fn refusal(oracle: &dyn Oracle, end: &EndPoint<'_>) -> Option<Unavailable> {
    let facts = oracle.facts();
    let cases = [
        (facts.is_convex, Unavailable::ConvexLoss),
        (end.outcome.tau != 1.0, Unavailable::LinearStage),
        (facts.response.is_some(), Unavailable::FreeScale),
        (!facts.bounds_curvature, Unavailable::UnknownShape),
        (oracle.dim() >= TOO_MANY, Unavailable::ManyCoefficients),
    ];
    cases.into_iter().find(|(applies, _)| *applies).map(|(_, reason)| reason)
}

/// The search for the radius.
struct Search<'a> {
    oracle: &'a dyn Oracle,
    /// The rows around the fit, along vectors u with Σ u·uᵀ = n·(Σ ω JJᵀ)⁻¹.
    neighbourhood: Neighbourhood<'a>,
    /// The length of one standard error in these coordinates.
    unit: f64,
    /// √χ²₀.₉₅.
    first: f64,
}

/// A radius, and the least curvature within it, up to a factor.
#[derive(Clone, Copy)]
struct Trial {
    radius: f64,
    least: f64,
}

impl Search<'_> {
    fn at(&self, radius: f64) -> Trial {
        let least = self.neighbourhood.least_curvature(self.unit * radius).least_eigenvalue();
        Trial { radius, least: least.unwrap_or(f64::NEG_INFINITY) }
    }

    /// The radius at which the curvature becomes zero, from below.
    fn radius(&self) -> f64 {
        let (mut low, mut next, mut growth) = (self.at(0.0), self.first, GROWTH[0]);
        if !low.is_positive() {
            return 0.0;
        }
        let mut high = loop {
            let own = self.at(next);
            if !own.is_positive() {
                break own;
            }
            let beyond = low.crossing(&own).unwrap_or(f64::INFINITY);
            low = own;
            if self.oracle.is_interrupted() || (low.radius >= DISTANT && self.at(EVERYWHERE).is_positive()) {
                return f64::INFINITY;
            }
            next = (growth * beyond).clamp(growth * low.radius, GROWTH[1] * low.radius);
            growth = (growth * growth).min(GROWTH[1]);
        };
        self.narrow(&mut low, &mut high);
        low.radius
    }

    /// Narrows a bracket by the method of the regula falsi, in which the value at an end that stays is reduced.
    ///
    /// Reference: Anderson and Björck (1973).
    fn narrow(&self, low: &mut Trial, high: &mut Trial) {
        let (mut left, mut right) = (low.least, high.least);
        for trial in 0..MOST_TRIALS {
            let (width, least) = (high.radius - low.radius, TOLERANCE * high.radius);
            if width <= least || self.oracle.is_interrupted() {
                break;
            }
            let secant = low.radius + width * left / (left - right);
            // an end that does not move would leave the bracket wide
            let bisects = !secant.is_finite() || trial % 8 == 7;
            let next = if bisects { low.radius + 0.5 * width } else { secant };
            let own = self.at(next.clamp(low.radius + 0.4 * least, high.radius - 0.4 * least));
            if own.is_positive() {
                (right, left) = (right * reduction(own.least, left), own.least);
                *low = own;
            } else {
                (left, right) = (left * reduction(own.least, right), own.least);
                *high = own;
            }
        }
    }
}

/// The factor by which the value at the other end is reduced.
fn reduction(own: f64, before: f64) -> f64 {
    let factor = 1.0 - own / before;
    if factor > 0.0 { factor } else { 0.5 }
}

impl Trial {
    fn is_positive(&self) -> bool {
        self.least > POSITIVE
    }

    /// Where the line through two trials is zero, if it falls.
    fn crossing(&self, further: &Trial) -> Option<f64> {
        let fall = self.least - further.least;
        (fall > 0.0).then(|| further.radius + (further.radius - self.radius) * further.least / fall)
    }
}

/// `only minimum within 5.7 standard errors (95 % ellipsoid: 3.3)`
impl fmt::Display for Uniqueness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ellipsoid = rounded_down(self.ellipsoid_95);
        match self.radius {
            0.0 => write!(f, "unknown: the bound of the curvature is not positive at the fit")?,
            f64::INFINITY => write!(f, "only minimum anywhere")?,
            radius => {
                let radius = rounded_down(radius);
                write!(f, "only minimum within {radius} standard errors (95 % ellipsoid: {ellipsoid})")?;
            }
        }
        if self.rows < self.of { write!(f, "; on {} of the rows", self.rows) } else { Ok(()) }
    }
}

/// Two digits that are not larger than the number.
fn rounded_down(value: f64) -> String {
    let unit = 10_f64.powf(value.log10().floor() - 1.0);
    format::brief((value / unit * (1.0 + 1e-12)).floor() * unit)
}
