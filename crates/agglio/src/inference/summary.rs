//! A *summary* holds the results of an inference as numbers that outlive the rows: for tables, files and predictions.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::inference::{Covariance, Estimate, Goodness, Inference, Interval};
use crate::math::linalg::Symmetric;
use crate::oracle::ResponseName;

/// The name of the intercept among those of the covariates.
pub const INTERCEPT: &str = "(intercept)";

/// How the intervals of a summary are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Intervals {
    /// Estimate ± quantile of t·standard error. The default.
    #[default]
    Wald,
    /// By refits; see [`Inference::profile_intervals`].
    Profile,
}

/// Estimates of all parameters with their covariance and intervals, in the user's units.
///
/// Parameters are in the order of the covariates, followed by the intercept if there is one, and by the free entries of the
/// response scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Summary {
    /// The kind of covariance.
    pub se: Covariance,
    /// Number of clusters, if the covariance is robust to them.
    pub clusters: Option<usize>,
    /// The degrees of freedom of t.
    pub df: f64,
    /// The confidence level of the intervals.
    pub interval_level: f64,
    /// How the intervals were made.
    pub interval_kind: Intervals,
    /// Names of the parameters.
    pub names: Vec<String>,
    /// Number of covariates.
    pub covariates: usize,
    /// The meanings of the last parameters, which are free entries of the response scale.
    pub response: Vec<ResponseName>,
    /// Values of the parameters.
    pub values: Vec<f64>,
    /// The ends of the confidence intervals. An open end is none; so are both ends for the coefficient of a constant column.
    pub intervals: Vec<[Option<f64>; 2]>,
    /// The lower triangle of the covariance, row by row.
    pub covariance: Vec<Vec<f64>>,
    /// Statistics of the whole fit.
    #[serde(flatten)]
    pub goodness: Goodness,
}

impl Inference<'_> {
    /// The results in one value, with intervals of this confidence level. `names` are those of the covariates.
    ///
    /// # Errors
    /// If the level is not between 0 and 1, or if the refits for profile intervals lose rows.
    pub fn summary(&self, names: &[String], level: f64, kind: Intervals) -> Result<Summary> {
        let intervals = match kind {
            Intervals::Wald => self.confidence_intervals(level)?,
            Intervals::Profile => self.profile_intervals(level)?,
        };
        let ends = |interval: Option<Interval>| interval.map_or([None, None], |own| [own.lower, own.upper]);
        let layout = self.oracle.facts().layout;
        let (matrix, response) = (self.covariance(), self.response_names());
        Ok(Summary {
            se: self.kind,
            clusters: self.clusters,
            df: self.degrees_of_freedom(),
            interval_level: level,
            interval_kind: kind,
            names: parameter_names(names, layout.intercept, &response),
            covariates: layout.coefficients,
            response,
            values: self.values.clone(),
            intervals: intervals.into_iter().map(ends).collect(),
            covariance: (0..matrix.order()).map(|i| (0..=i).map(|j| matrix.at(i, j)).collect()).collect(),
            goodness: self.goodness,
        })
    }
}

impl Summary {
    /// Whether there is an intercept.
    pub fn has_intercept(&self) -> bool {
        self.names.len() > self.covariates + self.response.len()
    }

    /// The position of the intercept, if there is one.
    pub fn intercept(&self) -> Option<usize> {
        self.has_intercept().then_some(self.covariates)
    }

    /// The covariance of two parameters; zero for one that does not exist.
    pub fn covariance_of(&self, i: usize, j: usize) -> f64 {
        self.covariance.get(i.max(j)).and_then(|row| row.get(i.min(j))).copied().unwrap_or(0.0)
    }

    /// The covariance as a matrix.
    pub fn matrix(&self) -> Symmetric {
        let mut matrix = Symmetric::zero(self.covariance.len());
        for (i, row) in self.covariance.iter().enumerate() {
            row.iter().enumerate().for_each(|(j, value)| matrix.set(i, j, *value));
        }
        matrix
    }

    /// The parameters with their standard errors, which the coefficient of a constant column does not have.
    pub fn estimates(&self) -> Vec<Estimate> {
        let error = |entry: usize| Some(self.covariance_of(entry, entry).sqrt()).filter(|error| *error > 0.0);
        let estimate = |(entry, &value): (usize, &f64)| Estimate { value, standard_error: error(entry), df: self.df };
        self.values.iter().enumerate().map(estimate).collect()
    }

    /// `√(∇fᵀ·V·∇f)`
    ///
    /// The standard error of a function with this gradient by the parameters.
    pub fn standard_error_of(&self, gradient: &[f64]) -> f64 {
        let rows = self.covariance.iter().zip(gradient).enumerate().map(|(i, (row, own))| {
            let below: f64 = row.iter().take(i).zip(gradient).map(|(v, g)| v * g).sum();
            own * (2.0 * below + row.get(i).copied().unwrap_or(0.0) * own)
        });
        rows.sum::<f64>().max(0.0).sqrt()
    }

    /// The estimate of a function with this value and this gradient by the parameters.
    pub fn function(&self, value: f64, gradient: &[f64]) -> Estimate {
        Estimate { value, standard_error: Some(self.standard_error_of(gradient)), df: self.df }
    }

    /// Whether the numbers can be those of a fit.
    pub(crate) fn is_valid(&self) -> bool {
        let count = self.names.len();
        let finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        let rows = self.covariance.iter().enumerate().all(|(i, row)| row.len() == i + 1 && finite(row));
        let variances = (0..count).all(|i| self.covariance_of(i, i) >= 0.0);
        let lengths = [self.values.len(), self.intervals.len(), self.covariance.len()].iter().all(|&len| len == count);
        let parts = self.covariates + self.response.len();
        let ends = self.intervals.iter().flatten().flatten().all(|end| end.is_finite());
        let Goodness { sigma, log_likelihood, residual_sum, .. } = self.goodness;
        let level = self.interval_level > 0.0 && self.interval_level < 1.0 && self.df > 0.0;
        let numbers = finite(&self.values) && finite(&[sigma, log_likelihood, residual_sum, self.df]) && sigma >= 0.0;
        lengths && rows && variances && ends && level && numbers && (parts == count || parts + 1 == count)
    }
}

/// The names of all parameters, in the order of a [`Summary`]. A name that a covariate has too is put in parentheses.
pub fn parameter_names(covariates: &[String], intercept: bool, response: &[ResponseName]) -> Vec<String> {
    let mut names = covariates.to_vec();
    let own = intercept.then_some(INTERCEPT).into_iter().chain(response.iter().map(|name| name.name()));
    for name in own {
        let mut name = name.to_owned();
        while names.contains(&name) {
            name = format!("({name})");
        }
        names.push(name);
    }
    names
}
