//! The *report* of a fit: the coefficients in the user's units, and an honest word on how they were reached.

mod verdict;

use crate::activation::Range;
use crate::certificate::Certificate;
use crate::outcome::{LogLikelihoods, Noise, Objection, Status, StopReason};
use crate::solver::Solver;
use crate::text::join::enumerated;
use verdict::OVERSHOT;

/// What a fit found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// w in the user's units, one for each covariate.
    pub coefficients: Vec<f64>,
    /// b in the user's units; zero without an intercept.
    pub intercept: f64,
    /// Weighted mean of (φ(xᵀw + b) − y)², on the user's own labels.
    pub loss: f64,
    /// Weighted mean of (ŷ − y)², ŷ being what a model of this fit predicts: the mean of y, which is φ(xᵀw + b) unless the
    /// noise is before φ.
    pub prediction_loss: f64,
    /// L̂_τ at the last temperature: what was minimised. The same as `loss` at τ = 1.
    pub path_loss: f64,
    /// Log-likelihoods of noise before and after φ, where both were fitted.
    pub log_likelihoods: Option<LogLikelihoods>,
    /// The place of the noise that [`Noise::Auto`] chooses here, where both were fitted.
    pub likelier: Option<Noise>,
    /// Why that is not before φ, where every label has a preimage.
    pub objection: Option<Objection>,
    /// Standard deviation of noise before φ, where the fit ended at τ = 0, by degrees of freedom.
    pub sigma: Option<f64>,
    /// The last temperature.
    pub tau: f64,
    /// Whether the limit came before the last temperature.
    pub(crate) cut_short: bool,
    /// The solver that fitted.
    pub solver: Solver,
    /// The noise model that this temperature stands for.
    pub noise: Noise,
    /// Why the fit ended.
    pub reason: StopReason,
    /// What can be said about the point that was reached.
    pub certificate: Certificate,
    /// Number of rows.
    pub rows: usize,
    /// Number of coefficients fitted, the intercept included.
    pub parameters: usize,
    /// Steps of the loop.
    pub steps: usize,
    /// Rows visited ÷ rows, preparations included.
    pub passes: f64,
    /// Columns that carry nothing; their coefficients are zero.
    pub dead_columns: Vec<usize>,
    /// Columns that vary by less than a hundred-millionth of their mean.
    pub coarse_columns: Vec<usize>,
    /// Labels without a finite preimage.
    pub labels_without_preimage: usize,
    /// Labels with two preimages.
    pub labels_with_two_preimages: usize,
    /// The smallest label and the largest, those without weight left out.
    pub label_bounds: (f64, f64),
    /// The name of φ.
    pub activation: String,
    /// The values that φ takes.
    pub activation_range: Range,
}

impl Report {
    /// How the fit ended.
    pub fn status(&self) -> Status {
        self.certificate.status
    }

    /// What the user should know about the data, with columns called by `names`.
    pub fn warnings(&self, names: &[String]) -> Vec<String> {
        self.warnings_on("the response", names)
    }

    /// The same with another name for the response.
    pub fn warnings_on(&self, response: &str, names: &[String]) -> Vec<String> {
        let mut warnings = Vec::new();
        if !self.dead_columns.is_empty() {
            let dead = listed(&self.dead_columns, names);
            warnings.push(match self.dead_columns.len() {
                1 => format!("{dead} is constant or zero: its coefficient is 0"),
                _ => format!("{dead} are constant or zero: their coefficients are 0"),
            });
        }
        if !self.coarse_columns.is_empty() {
            let coarse = listed(&self.coarse_columns, names);
            warnings.push(format!(
                "{coarse}: the values vary by less than 1e-8 of their mean, so most of their digits are lost to rounding; \
                 subtract a constant before writing the file"
            ));
        }
        if self.labels_without_preimage > 0 {
            warnings.push(self.bounds_warning(response));
        }
        if self.labels_with_two_preimages > 0 {
            let (some, all, activation) = (self.labels_with_two_preimages, self.rows, &self.activation);
            warnings.push(format!(
                "{some} of {all} values of {response} have two preimages under the {activation}; the fit chooses between them"
            ));
        }
        if !self.certificate.unidentified.is_empty() {
            warnings.push(self.collinearity_warning(&listed(&self.certificate.unidentified, names)));
        }
        if self.reason == StopReason::Overshot {
            warnings.push(OVERSHOT.to_owned());
        }
        warnings
    }
}

/// The first few of these columns by name, and how many more; what is beyond the names is the intercept.
fn listed(columns: &[usize], names: &[String]) -> String {
    enumerated(columns.iter().map(|&j| match names.get(j) {
        Some(name) => format!("`{name}`"),
        None if names.is_empty() => format!("feature {}", j + 1),
        None => "the intercept".to_owned(),
    }))
}
