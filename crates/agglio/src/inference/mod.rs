//! *Inference* is what a fit says about the true coefficients: covariances, intervals, tests and functions of coefficients.
//!
//! ```text
//! V = B⁻¹·M·B⁻¹,    B = Σ ω JJᵀ,    J = ∂φ(z)/∂θ
//! ```
//!
//! The meat M depends on the [kind](Covariance) of covariance. All results are in the user's units; the covariance itself
//! is kept in the coordinates of the solver. Weights are analytic, as in weighted least squares: an observation of weight ω
//! has the error variance σ²/ω, and multiplying all weights by a constant changes no standard error. Under noise before φ
//! the formulas are those of the linear regression of φ⁻¹(y).

mod bootstrap;
mod curve;
mod delta;
mod effects;
mod estimate;
mod goodness;
mod hypothesis;
mod kind;
mod lines;
mod nested;
mod pinned;
mod profile;
mod response;
mod sandwich;
mod summary;
mod unavailable;
mod uniqueness;
mod units;

use std::fmt;

use crate::error::Result;
use crate::fit::Outcome;
use crate::math::linalg::Symmetric;
use crate::oracle::{LabelChoice, Oracle, OracleClient, ResponseName};

pub use crate::math::distribution::Distribution;
pub use curve::{Curve, Reading, has_asymptotes};
pub(crate) use curve::{level, position};
pub use estimate::{Estimate, Interval};
pub use goodness::Goodness;
pub use hypothesis::LinearHypothesis;
pub use kind::{Covariance, Resampling};
pub use lines::{Line, estimates_table, plain_table, values_table};
pub use nested::{Deviance, Test, f_test, likelihood_ratio_test};
pub use summary::{INTERCEPT, Intervals, Summary, parameter_names};
pub use unavailable::{Available, Unavailable};
pub use uniqueness::Uniqueness;

pub(crate) use response::ScaledResponse;
use sandwich::{Counts, Sandwich};
use units::Units;

/// The end point of a fit, as inference sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndPoint<'a> {
    pub outcome: &'a Outcome,
    /// The graduated labels of the fit.
    pub labels: LabelChoice,
    /// Whether the fit is certified.
    pub certified: bool,
    /// Whether the coefficients were restricted to a ball.
    pub restricted: bool,
}

/// Standard errors of a fit, and everything that follows from them.
///
/// Entries are in the order of the covariates, followed by the intercept if there is one, and by the free entries of the
/// response scale.
///
/// ```
/// use agglio::{Options, activation::named, inference::Covariance, rows::Dense};
///
/// let dose = vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
/// let rows = Dense::new(dose, 1, vec![0.05, 0.11, 0.31, 0.49, 0.78, 0.9])?;
/// let fitted = Options::new(named("sigmoid")?).build()?.fit(&rows)?;
/// let inference = fitted.inference(Covariance::Hc3)??;
/// let slope = inference.estimates()[0];
/// assert!(slope.p_value().is_some_and(|p| p < 0.001));
/// // the dose of a response of one half, with its standard error
/// let half = inference.function(|beta| -beta[1] / beta[0]);
/// assert!((half.value - 2.9).abs() < 0.1);
/// # Ok::<(), agglio::Error>(())
/// ```
pub struct Inference<'a> {
    oracle: &'a dyn Oracle,
    end: EndPoint<'a>,
    kind: Covariance,
    units: Units,
    /// β at the end of the fit.
    values: Vec<f64>,
    counts: Counts,
    /// The covariance of θ.
    covariance: Symmetric,
    /// Directions u of β for which the covariance of β is Σ u·uᵀ.
    directions: Vec<Vec<f64>>,
    /// The bread of the covariance, and the mean of ω r², where r is divided by the standard deviation of the response if the
    /// loss is a likelihood.
    bread: Symmetric,
    square: f64,
    goodness: Goodness,
    clusters: Option<usize>,
}

impl<'a> Inference<'a> {
    /// Makes the passes over the rows that the kind needs: one, or two for hc2 and hc3. Some kinds need none.
    pub(crate) fn new(oracle: &'a dyn Oracle, end: EndPoint<'a>, kind: Covariance) -> Result<Available<Inference<'a>>> {
        if let Some(reason) = refusal(oracle, &end) {
            return Ok(Err(reason));
        }
        let facts = oracle.facts();
        let counts = Counts { observations: facts.counted as f64, parameters: facts.parameters() as f64 };
        let client = OracleClient::new(oracle, end.labels);
        let Sandwich { covariance, bread, square, clusters } = match Sandwich::of(&client, end.outcome, kind, counts)? {
            Ok(sandwich) => sandwich,
            Err(reason) => return Ok(Err(reason)),
        };
        let units = Units::new(facts, &end.outcome.theta);
        let values = units.to_user(&end.outcome.theta);
        let directions = directions(&units, &covariance);
        let goodness = Goodness::new(facts, end.outcome, counts, &bread, square);
        Ok(Ok(Inference {
            oracle,
            end,
            kind,
            units,
            values,
            counts,
            covariance,
            directions,
            bread,
            square,
            goodness,
            clusters,
        }))
    }

    /// The kind of covariance.
    pub fn kind(&self) -> Covariance {
        self.kind
    }

    /// Statistics of the whole fit.
    pub fn goodness(&self) -> &Goodness {
        &self.goodness
    }

    /// How far the responses are from their predictions, for tests of nested models.
    pub fn deviance(&self) -> Deviance {
        let (own, facts) = (&self.goodness, self.oracle.facts());
        let deviance = if facts.is_convex { -2.0 * own.log_likelihood } else { own.residual_sum };
        // responses of zero and one have no preimage under an activation between them
        let has_likelihood = !facts.is_convex || facts.preimages.without_preimage == facts.counted;
        Deviance {
            deviance,
            df_residual: own.df_residual,
            dispersion: own.sigma * own.sigma,
            log_likelihood: own.log_likelihood,
            has_likelihood,
        }
    }

    /// Number of clusters, if the covariance is robust to them.
    pub fn clusters(&self) -> Option<usize> {
        self.clusters
    }

    /// The degrees of freedom of t: G − 1 for G clusters, else n − p.
    pub fn degrees_of_freedom(&self) -> f64 {
        match self.clusters {
            Some(clusters) => clusters as f64 - 1.0,
            None => self.goodness.df_residual as f64,
        }
    }

    /// The meanings of the entries after coefficients and intercept: the free entries of the response scale.
    pub fn response_names(&self) -> Vec<ResponseName> {
        self.units.response_names().collect()
    }

    /// The covariance of coefficients, intercept and free response scale, in the user's units. Rows of constant columns are zero.
    pub fn covariance(&self) -> Symmetric {
        self.units.covariance(&self.covariance)
    }

    /// Coefficients and intercept with their standard errors.
    pub fn estimates(&self) -> Vec<Estimate> {
        let dead = self.oracle.facts().coordinates.dead_columns();
        let estimate = |(entry, &value): (usize, &f64)| match dead.contains(&entry) {
            true => Estimate { standard_error: None, ..self.estimate(value, &[]) },
            false => self.estimate(value, &self.units.row(entry)),
        };
        self.values.iter().enumerate().map(estimate).collect()
    }

    /// `β ± t_{(1 + level)/2}·standard error`
    ///
    /// Wald's confidence intervals of coefficients and intercept; none for the coefficient of a constant column.
    ///
    /// # Errors
    /// If the level is not between 0 and 1.
    pub fn confidence_intervals(&self, level: f64) -> Result<Vec<Option<Interval>>> {
        self.estimates().iter().map(|estimate| estimate.interval(level)).collect()
    }

    /// The estimate of a function with this gradient by θ.
    fn estimate(&self, value: f64, gradient: &[f64]) -> Estimate {
        let variance = if gradient.is_empty() { 0.0 } else { self.covariance.quadratic(gradient) };
        Estimate { value, standard_error: Some(variance.max(0.0).sqrt()), df: self.degrees_of_freedom() }
    }
}

/// The principal directions of a covariance of θ, in the user's units and one standard deviation long.
fn directions(units: &Units, covariance: &Symmetric) -> Vec<Vec<f64>> {
    let Some(eigen) = covariance.eigen() else { return Vec::new() };
    let long = |(value, vector): (f64, Vec<f64>)| {
        let length = value.max(0.0).sqrt();
        units.direction(&vector.into_iter().map(|entry| length * entry).collect::<Vec<f64>>())
    };
    eigen.values.into_iter().zip(eigen.vectors).map(long).collect()
}

impl fmt::Debug for Inference<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Inference");
        shown.field("kind", &self.kind).field("estimates", &self.estimates()).field("goodness", &self.goodness);
        shown.finish_non_exhaustive()
    }
}

/// Why there is no inference about this point, if so.
fn refusal(oracle: &dyn Oracle, end: &EndPoint<'_>) -> Option<Unavailable> {
    let (facts, outcome) = (oracle.facts(), end.outcome);
    let linear = outcome.tau == 0.0;
    // first the reasons that no other setting of the fit would remove
    let cases = [
        (oracle.is_wide(), Unavailable::Wide),
        (facts.counted <= facts.parameters(), Unavailable::NoDegreesOfFreedom),
        (facts.l2 > 0.0, Unavailable::Penalty),
        (end.restricted, Unavailable::Radius),
        (!linear && outcome.tau < 1.0, Unavailable::Temperature),
        (!end.certified, Unavailable::NotCertified),
        (linear && facts.preimages.with_two_preimages > 0, Unavailable::TwoPreimages),
        (outcome.model.is_rounding(), Unavailable::ExactFit),
    ];
    cases.into_iter().find(|(applies, _)| *applies).map(|(_, reason)| reason)
}
