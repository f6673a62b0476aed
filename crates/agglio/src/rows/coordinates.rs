//! *Coordinates* are the units that a solver works in: each column centred and divided by its deviation,
//! with an intercept beside them.
//!
//! Solvers move θ = (w_1 … w_d, b) in these units; rows stay as they are. The map is applied once per
//! question to θ and to the answer, never to the data, so no copy of the table is made.

use serde::{Deserialize, Serialize};

use crate::error::{ErrorKind, Result};
use crate::math::linalg::Symmetric;
use crate::rows::{Moments, Rows};

/// Which units a solver works in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scaling {
    /// Each column divided by its deviation, and centred where an intercept absorbs that and the storage allows
    /// it; by its root mean square, uncentred, without an intercept. The default.
    #[default]
    Standard,
    /// The data as it is: the paper's own setting.
    None,
}

/// The affine map between the user's units and a solver's: `x ↦ (x − centre)/scale`, with or without an intercept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coordinates {
    centre: Vec<f64>,
    /// Every centre is so near to zero that rows need not be centred before they are summed.
    near: bool,
    /// Infinite for a column that carries nothing, which makes its coefficient zero.
    scale: Vec<f64>,
    /// What the rows' columns were divided by, or empty for nothing; centre and scale are of what is left.
    units: Vec<f64>,
    intercept: bool,
    standard: bool,
    passes: u64,
}

/// A point θ as the rows see it: z_i = (x_i − pivot)ᵀv + constant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Predictor {
    pub v: Vec<f64>,
    pub constant: f64,
}

impl Predictor {
    /// For questions that are about no point.
    pub const NONE: Predictor = Predictor { v: Vec::new(), constant: 0.0 };
}

/// A deviation below this share of the mean leaves a column half of its digits at most.
const COARSE: f64 = 1e-8;

/// Deviations that a mean may be away from zero for sums of a column to be centred afterwards: they lose four bits then.
const NEAR: f64 = 4.0;

/// A column of this size can be squared, and a few squares added.
const SQUARABLE: f64 = 1e150;

/// The share of θ that the coefficients in the user's units may lose where one of them underflows.
const LOST: f64 = 1e-13;

impl Coordinates {
    /// Measures centre and scale on the rows, weighted.
    ///
    /// # Errors
    /// If a column is so large that its square overflows, and is to stay so.
    pub fn measure(rows: &dyn Rows, scaling: Scaling, intercept: bool) -> Result<Coordinates> {
        let known = || rows.moments().cloned().unwrap_or_else(|| Moments::of(rows));
        let moments = (scaling == Scaling::Standard).then(known);
        Coordinates::new(moments, rows.units().to_vec(), rows.width(), intercept, rows.can_centre())
    }

    /// Centre and scale from these moments of `d` columns, which were divided by `units`; the data as it is without moments.
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
        let near = centre.iter().zip(&scale).all(|(centre, scale)| centre.abs() <= NEAR * scale);
        Ok(Coordinates { centre, near, scale, units, intercept, standard: true, passes })
    }

    /// Passes over the rows that [`Coordinates::measure`] took.
    pub fn passes(&self) -> u64 {
        self.passes
    }

    /// Whether every column that carries anything has a mean square of one.
    pub fn is_standard(&self) -> bool {
        self.standard
    }

    /// Number of entries of θ: one a column, then the intercept.
    pub fn dim(&self) -> usize {
        self.scale.len() + usize::from(self.intercept)
    }

    /// Whether θ ends in an intercept.
    pub fn intercept(&self) -> bool {
        self.intercept
    }

    /// The columns that carry nothing: constant beside an intercept, or all zero.
    pub fn dead_columns(&self) -> Vec<usize> {
        (0..self.scale.len()).filter(|&j| self.scale[j].is_infinite()).collect()
    }

    /// The columns that vary so little about their mean that half of their digits or more are the same in every row.
    pub fn coarse_columns(&self) -> Vec<usize> {
        let coarse = |(centre, scale): (&f64, &f64)| scale.is_finite() && *scale < COARSE * centre.abs();
        let columns = self.centre.iter().zip(&self.scale).enumerate();
        columns.filter(|(_, column)| coarse(*column)).map(|(j, _)| j).collect()
    }

    /// What is subtracted from each row, empty for nothing.
    pub fn centre(&self) -> &[f64] {
        &self.centre
    }

    /// What must be subtracted from each row before it is summed, empty for nothing. What is left of the centre is
    /// subtracted from the sums.
    pub(crate) fn pivot(&self) -> &[f64] {
        if self.near { &[] } else { &self.centre }
    }

    /// The centre less the pivot, empty for nothing.
    fn rest(&self) -> &[f64] {
        if self.near { &self.centre } else { &[] }
    }

    /// 1/scale², the weights of a squared row norm in these units.
    pub(crate) fn inverse_squares(&self) -> Vec<f64> {
        self.scale.iter().map(|s| (1.0 / s) * (1.0 / s)).collect()
    }

    /// θ as the rows see it.
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

    /// θ for coefficients and an intercept in the user's units; a dead column's coefficient becomes zero.
    pub fn from_user(&self, coefficients: &[f64], intercept: f64) -> Vec<f64> {
        let alive = |s: f64| if s.is_finite() { s } else { 0.0 };
        let v: Vec<f64> = coefficients.iter().enumerate().map(|(j, w)| w * unit_of(&self.units, j)).collect();
        let mut theta: Vec<f64> = self.scale.iter().zip(&v).map(|(&s, v)| alive(s) * v).collect();
        if self.intercept {
            theta.push(intercept + self.centre.iter().zip(&v).map(|(c, v)| c * v).sum::<f64>());
        }
        theta
    }

    /// The first column whose coefficient in the user's units has underflown, so that it no longer says what θ says. What is
    /// rounding beside the largest entry of θ may be lost.
    pub(crate) fn underflown(&self, theta: &[f64], coefficients: &[f64]) -> Option<usize> {
        let largest = theta.iter().fold(0.0, |largest: f64, t| largest.max(t.abs()));
        let kept = self.from_user(coefficients, 0.0);
        let lost = |j: usize| (theta[j] - kept[j]).abs() > LOST * largest;
        let small = |j: usize| coefficients[j].abs() < f64::MIN_POSITIVE && self.scale[j].is_finite();
        (0..coefficients.len()).find(|&j| small(j) && lost(j))
    }

    /// Takes Σ a_i·(x_i − pivot) and Σ a_i, and makes of them the sum over the rows in these units.
    pub(crate) fn vector(&self, mut sums: Vec<f64>, total: f64) -> Vec<f64> {
        sums.iter_mut().zip(self.rest()).for_each(|(g, c)| *g -= c * total);
        sums.iter_mut().zip(&self.scale).for_each(|(g, s)| *g /= s);
        if self.intercept {
            sums.push(total);
        }
        sums
    }

    /// As [`Coordinates::vector`] for sums of the squares of x_i − centre.
    pub(crate) fn squares(&self, mut sums: Vec<f64>, total: f64) -> Vec<f64> {
        sums.iter_mut().zip(&self.scale).for_each(|(g, s)| *g = *g / s / s);
        if self.intercept {
            sums.push(total);
        }
        sums
    }

    /// As [`Coordinates::vector`] for sums of outer products, `border` being Σ a_i·(x_i − pivot).
    pub(crate) fn products(&self, sums: &Symmetric, border: Vec<f64>, total: f64) -> Symmetric {
        let (d, rest) = (self.scale.len(), self.rest());
        let inverse: Vec<f64> = self.scale.iter().map(|scale| 1.0 / scale).collect();
        let mut out = Symmetric::zero(self.dim());
        for (j, (out, sums)) in out.columns_mut().zip(sums.columns()).take(d).enumerate() {
            let (out, sums) = (&mut out[j..d], &sums[j..]);
            out.copy_from_slice(sums);
            if let Some(&own) = rest.get(j) {
                // (x − c)_i (x − c)_j, summed
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

/// A deviation at the level of rounding in the column's mean is no deviation.
fn scale_of(deviation: f64, centre: f64) -> f64 {
    if deviation <= 16.0 * f64::EPSILON * centre.abs() { f64::INFINITY } else { deviation }
}
