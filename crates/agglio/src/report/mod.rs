//! A *report* is the result of a fit: the coefficients in the user's units, the certificate, and warnings about the data.

mod proof;
mod verdict;

use serde::{Deserialize, Serialize};

use crate::activation::Range;
use crate::certificate::Certificate;
use crate::oracle::Loss;
use crate::outcome::{LogLikelihoods, Noise, Objection, Status, StopReason};
use crate::prove::{Proof, Unprovable};
use crate::solver::Solver;
use crate::text::join::enumerated;
use verdict::OVERSHOT;

/// The result of a fit.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// w in the user's units, one for each covariate.
    pub coefficients: Vec<f64>,
    /// b in the user's units; zero without an intercept.
    pub intercept: f64,
    /// The scale of the response: y ≈ offset + scale·φ(xᵀw + b).
    pub affine: Scale,
    /// Names of what was fitted of that scale: `lower`, `upper`, `offset`, `scale`.
    pub free_response: Vec<&'static str>,
    /// The loss that was minimised at τ = 1.
    pub criterion: Loss,
    /// Weighted mean of the loss, on the user's own labels: of (φ(xᵀw + b) − y)² for least squares.
    pub loss: f64,
    /// The same for the predicted means of y. They are φ(xᵀw + b) unless the noise is before φ.
    pub prediction_loss: f64,
    /// L̂_τ at the last temperature, which was minimised. The same as `loss` at τ = 1.
    pub path_loss: f64,
    /// Log-likelihoods of noise before and after φ, if both models were fitted.
    pub log_likelihoods: Option<LogLikelihoods>,
    /// The noise model that [`Noise::Auto`] chooses here, if both were fitted.
    pub likelier: Option<Noise>,
    /// Why it does not choose noise before φ, if every label has a preimage.
    pub objection: Option<Objection>,
    /// Standard deviation of noise before φ, from the residuals and their degrees of freedom, if the fit ended at τ = 0.
    pub sigma: Option<f64>,
    /// The last temperature.
    pub tau: f64,
    /// Whether the limit on epochs was reached before the last temperature.
    pub(crate) cut_short: bool,
    /// The solver that fitted.
    pub solver: Solver,
    /// The noise model of this temperature.
    pub noise: Noise,
    /// Why the fit ended.
    pub reason: StopReason,
    /// The tests at the end point, and their results.
    pub certificate: Certificate,
    /// Number of rows.
    pub rows: usize,
    /// Number of coefficients fitted, the intercept included.
    pub parameters: usize,
    /// Number of steps.
    pub steps: usize,
    /// Rows visited ÷ rows, including preparations.
    pub passes: f64,
    /// Constant columns, or columns of zeros; their coefficients are zero.
    pub dead_columns: Vec<usize>,
    /// Columns that vary by less than 1e-8 of their mean.
    pub coarse_columns: Vec<usize>,
    /// Labels without a finite preimage.
    pub labels_without_preimage: usize,
    /// Labels with two preimages.
    pub labels_with_two_preimages: usize,
    /// The smallest and the largest label, without those of weight zero.
    pub label_bounds: (f64, f64),
    /// The name of φ.
    pub activation: String,
    /// The range of φ.
    pub activation_range: Range,
    /// The proof that no lower minimum exists, or why there can be none; none if it was not sought.
    pub proof: Option<std::result::Result<Proof, Unprovable>>,
}

/// The scale of a response: y ≈ offset + scale·φ(z). Default: that of φ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    /// The response where φ is zero.
    pub offset: f64,
    /// The factor of φ.
    pub scale: f64,
}

impl Default for Scale {
    fn default() -> Scale {
        Scale { offset: 0.0, scale: 1.0 }
    }
}

impl Report {
    /// A warning about columns that have no coefficient; none if there are none.
    pub(crate) fn dead_warning(&self, names: &[String]) -> Option<String> {
        let dead = listed(&self.dead_columns, names);
        match self.dead_columns.len() {
            0 => None,
            1 => Some(format!("{dead} is constant or zero: its coefficient is 0")),
            _ => Some(format!("{dead} are constant or zero: their coefficients are 0")),
        }
    }

    /// How the fit ended.
    pub fn status(&self) -> Status {
        self.certificate.status
    }

    /// Share of the loss of a constant that the predictions explain: r² for least squares, with this variance of the response,
    /// and McFadden's pseudo-r² for a likelihood. None if the constant explains everything.
    pub fn explained(&self, variance: Option<f64>) -> Option<f64> {
        let constant = self.criterion.of_reference(variance, self.certificate.baseline_loss);
        constant.map(|constant| 1.0 - self.prediction_loss / constant)
    }

    /// Warnings about the data. `names` are the names of the columns.
    pub fn warnings(&self, names: &[String]) -> Vec<String> {
        self.warnings_on("the response", names)
    }

    /// The same with `response` as the name of the response.
    pub fn warnings_on(&self, response: &str, names: &[String]) -> Vec<String> {
        let mut warnings = Vec::new();
        warnings.extend(self.dead_warning(names));
        if !self.coarse_columns.is_empty() {
            let coarse = listed(&self.coarse_columns, names);
            warnings.push(format!(
                "{coarse}: the values vary by less than 1e-8 of their mean, so most of their digits are lost to rounding; \
                 subtract a constant before writing the file"
            ));
        }
        // a convex loss uses no preimages, and takes responses at the bounds as what they are
        if self.labels_without_preimage > 0 && !self.criterion.is_convex() {
            warnings.push(self.bounds_warning(response));
        }
        if self.labels_with_two_preimages > 0 {
            let (some, all, activation) = (self.labels_with_two_preimages, self.rows, &self.activation);
            warnings.push(format!(
                "{some} of {all} values of {response} have two preimages under the {activation} (two z with φ(z) = y); the fit chooses \
                 between them"
            ));
        }
        if !self.certificate.unidentified.is_empty() {
            warnings.push(self.collinearity_warning(&listed(&self.certificate.unidentified, names)));
        }
        if let Some(Err(why)) = &self.proof {
            warnings.push(format!("no proof: {why}"));
        }
        if self.reason == StopReason::Overshot {
            warnings.push(OVERSHOT.to_owned());
        }
        warnings
    }
}

/// The names of the first few columns, and the number of the others. The column after the last name is the intercept.
fn listed(columns: &[usize], names: &[String]) -> String {
    enumerated(columns.iter().map(|&j| match names.get(j) {
        Some(name) => format!("`{name}`"),
        None if names.is_empty() => format!("covariate {}", j + 1),
        None => "the intercept".to_owned(),
    }))
}
