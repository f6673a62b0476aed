//! *Coordinates* are the units in which a solver works: each column is centred and divided by its standard deviation,
//! and an intercept is added.
//!
//! Solvers work with θ = (w_1 … w_d, b) in these units; the stored rows do not change. Each query transforms θ and the
//! answer, never the data, so the table is not copied.

use serde::{Deserialize, Serialize};

use crate::error::{ErrorKind, Result};
use crate::math::linalg::Symmetric;
use crate::rows::{Moments, Rows};

/// The units in which a solver works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scaling {
    /// With an intercept, each column is divided by its standard deviation, and centred if the storage allows it.
    /// Without an intercept, each column is divided by its root mean square and not centred. The default.
    #[default]
    Standard,
    /// The data unchanged, as in the paper.
    None,
}

/// `x ↦ (x − centre)/scale`: the affine map from the user's units to those of a solver, with or without an intercept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coordinates {
    centre: Vec<f64>,
    /// Whether every centre is so close to zero that the rows can be summed uncentred.
    near: bool,
    /// Infinite for a constant column, so that its coefficient is zero.
    scale: Vec<f64>,
    /// The units by which the storage divided the columns, or empty. Centre and scale refer to the divided columns.
    units: Vec<f64>,
    intercept: bool,
    standard: bool,
    passes: u64,
}

/// θ in the units of the stored rows: z_i = (x_i − pivot)ᵀv + constant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Predictor {
    pub v: Vec<f64>,
    pub constant: f64,
}

/// If the standard deviation is below this fraction of the mean, a column has at most half of its digits left.
const COARSE: f64 = 1e-8;

/// Up to this many standard deviations between mean and zero, sums are centred afterwards. They lose four bits then.
const LARGEST_UNCENTRED_MEAN: f64 = 4.0;

/// A column of numbers below this can be squared, and a few squares can be added, without overflow.
const SQUARABLE: f64 = 1e150;

/// The largest error, relative to θ, that underflow of a coefficient in the user's units may cause.
const UNDERFLOW_TOLERANCE: f64 = 1e-13;

impl Coordinates {
    /// Measures centre and scale of the weighted rows.
    ///
    /// # Errors
    /// If the square of a column overflows and the scaling does not prevent it.
    pub fn measure(rows: &dyn Rows, scaling: Scaling, intercept: bool) -> Result<Coordinates> {
        let known = || rows.moments().cloned().unwrap_or_else(|| Moments::of(rows));
        let moments = (scaling == Scaling::Standard).then(known);
        Coordinates::new(moments, rows.units().to_vec(), rows.width(), intercept, rows.can_centre())
    }

    /// Computes centre and scale from the moments of `d` columns that were divided by `units`. Without moments, the
    /// user's units are kept.
    ///
    /// # Errors
    /// As [`Coordinates::measure`].
    pub(crate) fn new(
        moments: Option<Moments>,
        units: Vec<f64>,
        d: usize,
        intercept: bool,
        can_centre: bool,
    ) -> Result<Coordinates> {
        let Some(Moments { mean, variance, passes }) = moments else {
            require(|j| units.get(j).is_none_or(|&unit| unit < SQUARABLE), d)?;
            let scale = (0..d).map(|j| 1.0 / unit_of(&units, j)).collect();
            return Ok(Coordinates {
                centre: Vec::new(),
                near: true,
                scale,
                units,
                intercept,
                standard: false,
                passes: 0,
            });
        };
        let centred = intercept && can_centre;
        let square = |j: usize| if centred { variance[j] } else { variance[j] + mean[j] * mean[j] };
        require(|j| square(j).is_finite(), d)?;
        let centre = if centred { mean.clone() } else { Vec::new() };
        let scale: Vec<f64> =
            (0..d).map(|j| scale_of(square(j).sqrt(), centre.get(j).copied().unwrap_or(0.0))).collect();
        let near = centre.iter().zip(&scale).all(|(centre, scale)| centre.abs() <= LARGEST_UNCENTRED_MEAN * scale);
        Ok(Coordinates { centre, near, scale, units, intercept, standard: true, passes })
    }

    /// Number of passes over the rows that [`Coordinates::measure`] needed.
    pub fn passes(&self) -> u64 {
        self.passes
    }

    /// Whether every column that is not constant has a mean square of one.
    pub fn is_standard(&self) -> bool {
        self.standard
    }

    /// Number of entries of θ: one per column, and one for the intercept.
    pub fn dim(&self) -> usize {
        self.scale.len() + usize::from(self.intercept)
    }

    /// Whether the last entry of θ is an intercept.
    pub fn intercept(&self) -> bool {
        self.intercept
    }

    /// The columns without information: constant if there is an intercept, or zero in every row.
    pub fn dead_columns(&self) -> Vec<usize> {
        (0..self.scale.len()).filter(|&j| self.scale[j].is_infinite()).collect()
    }

    /// The columns whose variation about the mean is so small that at least half of their digits are the same in every
    /// row.
    pub fn coarse_columns(&self) -> Vec<usize> {
        let coarse = |(centre, scale): (&f64, &f64)| scale.is_finite() && *scale < COARSE * centre.abs();
        let columns = self.centre.iter().zip(&self.scale).enumerate();
        columns.filter(|(_, column)| coarse(*column)).map(|(j, _)| j).collect()
    }

    /// The vector that is subtracted from each row, or empty.
    pub fn centre(&self) -> &[f64] {
        &self.centre
    }

    /// The vector that must be subtracted from each row before it is summed, or empty. The rest of the centre is
    /// subtracted from the sums.
    pub(crate) fn pivot(&self) -> &[f64] {
        if self.near { &[] } else { &self.centre }
    }

    /// The centre minus the pivot, or empty.
    fn rest(&self) -> &[f64] {
        if self.near { &self.centre } else { &[] }
    }

    /// 1/scale², the weights of the columns in the squared norm of a row.
    pub(crate) fn inverse_squares(&self) -> Vec<f64> {
        self.scale.iter().map(|s| (1.0 / s) * (1.0 / s)).collect()
    }

    /// θ in the units of the stored rows.
    pub(crate) fn predictor(&self, theta: &[f64]) -> Predictor {
        let v: Vec<f64> = self.scale.iter().zip(theta).map(|(s, t)| t / s).collect();
        let constant = if self.intercept { theta[self.scale.len()] } else { 0.0 };
        Predictor { constant: constant - self.rest().iter().zip(&v).map(|(c, v)| c * v).sum::<f64>(), v }
    }

    /// Coefficients and intercept in the user's units.
    pub fn to_user(&self, theta: &[f64]) -> (Vec<f64>, f64) {
        let Predictor { v, constant } = self.predictor(theta);
        let shift: f64 = self.pivot().iter().zip(&v).map(|(c, v)| c * v).sum();
        let coefficients = v.iter().enumerate().map(|(j, v)| v / unit_of(&self.units, j)).collect();
        (coefficients, constant - shift)
    }

    /// θ for coefficients and an intercept in the user's units. The coefficient of a constant column becomes zero.
    pub fn from_user(&self, coefficients: &[f64], intercept: f64) -> Vec<f64> {
        let alive = |s: f64| if s.is_finite() { s } else { 0.0 };
        let v: Vec<f64> = coefficients.iter().enumerate().map(|(j, w)| w * unit_of(&self.units, j)).collect();
        let mut theta: Vec<f64> = self.scale.iter().zip(&v).map(|(&s, v)| alive(s) * v).collect();
        if self.intercept {
            theta.push(intercept + self.centre.iter().zip(&v).map(|(c, v)| c * v).sum::<f64>());
        }
        theta
    }

    /// The first column whose coefficient underflows in the user's units, so that it no longer equals the entry of θ.
    /// Errors at the rounding level of the largest entry of θ are ignored.
    pub(crate) fn underflown(&self, theta: &[f64], coefficients: &[f64]) -> Option<usize> {
        let largest = theta.iter().fold(0.0, |largest: f64, t| largest.max(t.abs()));
        let kept = self.from_user(coefficients, 0.0);
        let lost = |j: usize| (theta[j] - kept[j]).abs() > UNDERFLOW_TOLERANCE * largest;
        let small = |j: usize| coefficients[j].abs() < f64::MIN_POSITIVE && self.scale[j].is_finite();
        (0..coefficients.len()).find(|&j| small(j) && lost(j))
    }

    /// Transforms Σ a_i·(x_i − pivot) and Σ a_i to the sum over the rows in these units.
    pub(crate) fn vector(&self, mut sums: Vec<f64>, total: f64) -> Vec<f64> {
        sums.iter_mut().zip(self.rest()).for_each(|(g, c)| *g -= c * total);
        sums.iter_mut().zip(&self.scale).for_each(|(g, s)| *g /= s);
        if self.intercept {
            sums.push(total);
        }
        sums
    }

    /// As [`Coordinates::vector`], for sums of squares of x_i − centre.
    pub(crate) fn squares(&self, mut sums: Vec<f64>, total: f64) -> Vec<f64> {
        sums.iter_mut().zip(&self.scale).for_each(|(g, s)| *g = *g / s / s);
        if self.intercept {
            sums.push(total);
        }
        sums
    }

    /// As [`Coordinates::vector`], for sums of outer products; `border` is Σ a_i·(x_i − pivot).
    pub(crate) fn products(&self, sums: &Symmetric, border: Vec<f64>, total: f64) -> Symmetric {
        let (d, rest) = (self.scale.len(), self.rest());
        let inverse: Vec<f64> = self.scale.iter().map(|scale| 1.0 / scale).collect();
        let mut out = Symmetric::zero(self.dim());
        for (j, (out, sums)) in out.columns_mut().zip(sums.columns()).take(d).enumerate() {
            let (out, sums) = (&mut out[j..d], &sums[j..]);
            out.copy_from_slice(sums);
            if let Some(&own) = rest.get(j) {
                // Σ a·(x − c)_i·(x − c)_j, multiplied out
                let rows = out.iter_mut().zip(&rest[j..]).zip(&border[j..]);
                rows.for_each(|((out, c), b)| *out += own * (c * total - b) - c * border[j]);
            }
            out.iter_mut().zip(&inverse[j..]).for_each(|(out, other)| *out = *out * other * inverse[j]);
        }
        if self.intercept {
            self.vector(border, total).iter().enumerate().for_each(|(j, &sum)| out.set(d, j, sum));
        }
        out
    }
}

fn unit_of(units: &[f64], j: usize) -> f64 {
    units.get(j).copied().unwrap_or(1.0)
}

fn require(squarable: impl Fn(usize) -> bool, columns: usize) -> Result<()> {
    match (0..columns).find(|&j| !squarable(j)) {
        None => Ok(()),
        Some(index) => {
            let what = "its values are so large that their squares overflow; divide it by a constant, or use scaling `standard`";
            Err(ErrorKind::Feature { index, what: what.into() }.into())
        }
    }
}

/// Infinite if the standard deviation is at the rounding level of the mean: the column is constant.
fn scale_of(deviation: f64, centre: f64) -> f64 {
    if deviation <= 16.0 * f64::EPSILON * centre.abs() { f64::INFINITY } else { deviation }
}
