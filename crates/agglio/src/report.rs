//! The *report* of a fit: the coefficients in the user's units, and an honest word on how they were reached.

use std::fmt;

use crate::activation::Range;
use crate::certificate::Certificate;
use crate::list::first_few;
use crate::number::brief;
use crate::stop::StopReason;
use crate::strategy::{LogLikelihoods, Noise, Objection};

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
    pub deviation: Option<f64>,
    /// The last temperature.
    pub tau: f64,
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
    pub labels_outside: usize,
    /// Labels with two preimages.
    pub labels_ambiguous: usize,
    /// The smallest label and the largest, those without weight left out.
    pub label_bounds: (f64, f64),
    /// The values that φ takes.
    pub activation_range: Range,
}

/// How a fit ended, in the words of the program's contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// At a stationary point.
    Converged,
    /// Where all slopes have vanished.
    Plateau,
    /// Steps led out of the numbers, or the optimum is at infinity.
    Diverging,
    /// The data leaves some direction of the coefficients open.
    NotIdentified,
    /// The labels are not of the size of the values that the activation takes.
    WrongScale,
    /// Stopped before it converged.
    IterationLimit,
    /// Ended from outside.
    Interrupted,
}

impl Status {
    /// Every status.
    pub const ALL: &[Status] = &[
        Status::Converged,
        Status::Plateau,
        Status::Diverging,
        Status::NotIdentified,
        Status::WrongScale,
        Status::IterationLimit,
        Status::Interrupted,
    ];
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Status::Converged => "converged",
            Status::Plateau => "plateau",
            Status::Diverging => "diverging",
            Status::NotIdentified => "not identified",
            Status::WrongScale => "wrong scale",
            Status::IterationLimit => "iteration limit",
            Status::Interrupted => "interrupted",
        })
    }
}

impl From<StopReason> for Status {
    fn from(reason: StopReason) -> Status {
        match reason {
            StopReason::Gradient | StopReason::Rounding | StopReason::Settled | StopReason::Matching => {
                Status::Converged
            }
            StopReason::Plateau => Status::Plateau,
            StopReason::Limit => Status::IterationLimit,
            StopReason::NotFinite | StopReason::Overshot | StopReason::Planned => Status::Diverging,
            StopReason::Interrupted => Status::Interrupted,
        }
    }
}

impl Report {
    const OVERSHOT: &str = "the steps were too long and led uphill; leave eta out, so that their length is found from the \
                            data, or make it smaller";

    /// How the fit ended.
    pub fn status(&self) -> Status {
        self.certificate.status
    }

    /// One sentence on what the ending means.
    pub fn verdict(&self) -> String {
        let gradient = self.certificate.relative_gradient.map_or("none".to_owned(), |g| format!("{g:.1e}"));
        match (self.status(), self.reason) {
            (Status::Converged, StopReason::Rounding) => {
                format!("exact: what is left of the residuals is rounding{}", self.curved())
            }
            (Status::Converged, StopReason::Matching) => {
                let own = self.matching_gradient();
                format!(
                    "at an optimum of the matching loss, which glmtron minimises (its gradient is {own} of its scale), and \
                     not of least squares ({gradient}); use solver `auto` for that"
                )
            }
            (Status::Converged, _) => {
                format!("stationary{}, the gradient is {gradient} of its scale{}", self.held(), self.curved())
            }
            (Status::Plateau, _) if self.loss > self.certificate.baseline_loss => {
                "not an optimum: the model without features fits better".into()
            }
            (Status::Plateau, _) if self.certificate.saturated < 0.5 => {
                format!(
                    "not an optimum: the steps have nothing left to gain, but the gradient is {gradient} of its scale"
                )
            }
            (Status::Plateau, _) => "not an optimum: the slopes have vanished".into(),
            (Status::Diverging, StopReason::NotFinite) => {
                "the steps led out of the numbers and the last finite point was kept; rescale the data".into()
            }
            (Status::Diverging, StopReason::Overshot) => format!("no fit: {}", Self::OVERSHOT),
            (Status::Diverging, StopReason::Planned) => {
                "the steps that the theory plans are too long for this data, and the last finite point was kept; its theorems \
                 are for corrected constants and covariates from N(0, I)"
                    .into()
            }
            (Status::Diverging, _) if !self.loss.is_finite() => {
                "no fit: the activation overflows at these coefficients; rescale the data".into()
            }
            (Status::Diverging, _) => {
                "the optimum is at infinity: the loss does not rise as the coefficients grow without end".into()
            }
            (Status::WrongScale, _) => self.scale_advice("the response"),
            (Status::NotIdentified, _) => format!("other coefficients fit exactly as well{}", self.of_least_norm()),
            (Status::IterationLimit, _) if self.certificate.matching_gradient.is_some() => {
                let own = self.matching_gradient();
                format!(
                    "not yet at an optimum of the matching loss: its gradient is {own} of its scale; allow more epochs"
                )
            }
            (Status::IterationLimit, _) => {
                format!("not yet stationary: the gradient is {gradient} of its scale; allow more epochs")
            }
            (Status::Interrupted, _) => format!("interrupted: the gradient is {gradient} of its scale"),
        }
    }

    /// What to do about a `response` that is not on the scale of the activation.
    pub fn scale_advice(&self, response: &str) -> String {
        let ((least, most), Range { lo, hi, .. }) = (self.label_bounds, self.activation_range);
        let bound = |bound: f64| if bound.is_finite() { format!(" {}", brief(bound)) } else { " infinity".into() };
        let from = if lo.is_finite() { bound(lo) } else { " minus infinity".into() };
        let advice = match (lo.is_finite(), hi.is_finite()) {
            (true, true) if least < lo => {
                format!("map its lowest and highest possible values to{from} and{}", bound(hi))
            }
            // shares in percent, or per thousand
            (true, true) if most == 100.0 * hi || most == 1000.0 * hi => format!("divide it by {}", brief(most / hi)),
            (true, true) => "divide it by its highest possible value".into(),
            (true, false) => {
                format!("subtract its lowest possible value, or choose an activation that goes below{from}")
            }
            _ => "choose an activation that takes such values".into(),
        };
        let (least, most) = (brief(least), brief(most));
        format!("{response} runs from {least} to {most} and the activation from{from} to{}: {advice}", bound(hi))
    }

    fn matching_gradient(&self) -> String {
        self.certificate.matching_gradient.map_or("none".to_owned(), |gradient| format!("{gradient:.1e}"))
    }

    /// Said only where what the rows leave open has been taken out.
    fn of_least_norm(&self) -> &'static str {
        if self.certificate.least_norm { "; these have the least norm" } else { "" }
    }

    fn held(&self) -> &'static str {
        if self.certificate.held_back { " on the surface of the ball" } else { "" }
    }

    /// How many of the runs that challenged this one ended at the same minimum.
    fn agreement(&self) -> String {
        match self.certificate.restarts {
            None | Some((_, 1)) => String::new(),
            Some((agreed, of)) if agreed == of => format!("; all {} challengers agree", of - 1),
            Some((agreed, of)) if 4 * (agreed - 1) < of - 1 => {
                format!("; only {} of {} challengers agree, so that a lower minimum may exist", agreed - 1, of - 1)
            }
            Some((agreed, of)) => format!("; {} of {} challengers agree", agreed - 1, of - 1),
        }
    }

    /// How the curvature was looked at, where that was not all of it.
    fn looked_at(&self) -> String {
        let Certificate { curvature_products, curvature_rows, .. } = self.certificate;
        let by = curvature_products.map_or(String::new(), |k| format!(" by {k} Lanczos steps"));
        let on = if curvature_rows < self.rows { format!(" on {curvature_rows} of the rows") } else { String::new() };
        by + &on
    }

    fn curved(&self) -> String {
        match self.certificate.smallest_eigenvalue {
            Some(ratio) if self.certificate.certified() => {
                let by = self.looked_at();
                format!(", and a strict minimum (least curvature {ratio:.1e} of the greatest{by}){}", self.agreement())
            }
            Some(_) if !self.certificate.settles => {
                ", but a Newton step does not lead to a minimum from here: lower the tolerance to see where it goes"
                    .into()
            }
            Some(ratio) if ratio > 0.0 => {
                let left = self
                    .certificate
                    .left_to_gain
                    .map_or(String::new(), |left| format!("; a step to the bottom would gain {left:.1e} of the loss"));
                format!(", which is too large for a minimum (least curvature {ratio:.1e} of the greatest{left})")
            }
            _ if self.certificate.exact => {
                ", but in some direction the curvature is rounding beside the largest".into()
            }
            _ => ", but not a strict minimum: the curvature is not positive".into(),
        }
    }

    /// What the user should know about the data, with columns called by `names`.
    pub fn warnings(&self, names: &[String]) -> Vec<String> {
        let mut warnings = Vec::new();
        if !self.dead_columns.is_empty() {
            let dead = listed(&self.dead_columns, names);
            warnings.push(format!("nothing varies in {dead} (constant or zero): the coefficient is 0"));
        }
        if !self.coarse_columns.is_empty() {
            let coarse = listed(&self.coarse_columns, names);
            warnings.push(format!(
                "{coarse}: the values vary by less than 1e-8 of their mean, so that most of their digits are lost to \
                 rounding; subtract a constant from them where they come from"
            ));
        }
        if self.labels_outside > 0 {
            let (some, all) = (self.labels_outside, self.rows);
            let how =
                if self.tau < 1.0 { "at this temperature they count as clipped" } else { "they count as they are" };
            warnings.push(format!("{some} of {all} labels are at or beyond the activation's range; {how}"));
        }
        if self.labels_ambiguous > 0 {
            let (some, all) = (self.labels_ambiguous, self.rows);
            warnings
                .push(format!("{some} of {all} labels have two preimages; which one is meant is found with the fit"));
        }
        if !self.certificate.unidentified.is_empty() {
            let (named, rows) = (listed(&self.certificate.unidentified, names), self.rows);
            warnings.push(format!("{named}: {rows} rows do not identify these coefficients{}", self.of_least_norm()));
        }
        if self.reason == StopReason::Overshot {
            warnings.push(Self::OVERSHOT.to_owned());
        }
        warnings
    }
}

/// The first few of these columns by name, and how many more; what is beyond the names is the intercept.
fn listed(columns: &[usize], names: &[String]) -> String {
    first_few(columns.iter().map(|&j| match names.get(j) {
        Some(name) => format!("`{name}`"),
        None if names.is_empty() => format!("feature {}", j + 1),
        None => "the intercept".to_owned(),
    }))
}
