//! The *report* of a fit: the coefficients in the user's units, and an honest word on how they were reached.

use std::fmt;

use crate::stop::StopReason;
use crate::strategy::Noise;

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
    /// L̂_τ at the last temperature: what was minimised. The same as `loss` at τ = 1.
    pub path_loss: f64,
    /// The last temperature.
    pub tau: f64,
    /// The noise model that this temperature stands for.
    pub noise: Noise,
    /// Why the fit ended.
    pub reason: StopReason,
    /// The gradient relative to its scale; none where all slopes have vanished.
    pub relative_gradient: Option<f64>,
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
    /// Labels without a finite preimage.
    pub labels_outside: usize,
    /// Labels with two preimages.
    pub labels_ambiguous: usize,
}

/// How a fit ended, in the words of the program's contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// At a stationary point.
    Converged,
    /// Where all slopes have vanished.
    Plateau,
    /// Steps led out of the numbers.
    Diverging,
    /// Stopped before it converged.
    IterationLimit,
    /// Ended from outside.
    Interrupted,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Status::Converged => "converged",
            Status::Plateau => "plateau",
            Status::Diverging => "diverging",
            Status::IterationLimit => "iteration limit",
            Status::Interrupted => "interrupted",
        })
    }
}

impl From<StopReason> for Status {
    fn from(reason: StopReason) -> Status {
        match reason {
            StopReason::Gradient | StopReason::Rounding | StopReason::Settled => Status::Converged,
            StopReason::Plateau => Status::Plateau,
            StopReason::Limit => Status::IterationLimit,
            StopReason::NotFinite => Status::Diverging,
            StopReason::Interrupted => Status::Interrupted,
        }
    }
}

impl Report {
    /// How the fit ended.
    pub fn status(&self) -> Status {
        self.reason.into()
    }

    /// One sentence on what the ending means.
    pub fn verdict(&self) -> String {
        let gradient = self.relative_gradient.map_or("none".to_owned(), |g| format!("{g:.1e}"));
        match self.reason {
            StopReason::Gradient => format!("stationary: the gradient is {gradient} of its scale"),
            StopReason::Rounding => "exact: what is left of the residuals is rounding".into(),
            StopReason::Settled => format!("stationary as far as rounding can tell: gradient {gradient} of its scale"),
            StopReason::Plateau => {
                format!("not an optimum: the slopes have vanished, gradient {gradient} of its scale")
            }
            StopReason::Limit => {
                format!("not yet stationary: the gradient is {gradient} of its scale; allow more epochs")
            }
            StopReason::NotFinite => "the steps led out of the numbers and the last finite point was kept; use a smaller eta or rescale the data".into(),
            StopReason::Interrupted => format!("interrupted: the gradient is {gradient} of its scale"),
        }
    }

    /// What the user should know about the data, with columns called by `names`.
    pub fn warnings(&self, names: &[String]) -> Vec<String> {
        let mut warnings = Vec::new();
        if !self.dead_columns.is_empty() {
            let name =
                |&j: &usize| names.get(j).map_or_else(|| format!("feature {}", j + 1), |name| format!("`{name}`"));
            let dead: Vec<String> = self.dead_columns.iter().map(name).collect();
            warnings.push(format!("{} carries nothing (constant or zero): its coefficient is 0", dead.join(", ")));
        }
        if self.labels_outside > 0 {
            let (some, all) = (self.labels_outside, self.rows);
            warnings.push(format!(
                "{some} of {all} labels are at or beyond the activation's range; they count as they are"
            ));
        }
        if self.labels_ambiguous > 0 {
            let (some, all) = (self.labels_ambiguous, self.rows);
            warnings.push(format!(
                "{some} of {all} labels have two preimages; the one nearer to the fit is used on the way"
            ));
        }
        if self.parameters > self.rows {
            let (p, n) = (self.parameters, self.rows);
            warnings.push(format!("{p} coefficients from {n} rows are not identified: other values fit as well"));
        }
        warnings
    }
}
