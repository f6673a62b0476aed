//! A *verdict* is a sentence that explains the status of a fit, and gives advice if the fit is not certified.

use crate::activation::Range;
use crate::certificate::Certificate;
use crate::outcome::{Status, StopReason};
use crate::report::Report;
use crate::report::proof::proven;
use crate::solver::Solver;
use crate::text::format::brief;

pub(crate) const OVERSHOT: &str = "the steps were too long and the loss rose; leave eta out (the data then decides the \
                                   length), or make it smaller";

/// A relative gradient up to this is rounding.
const ZERO_GRADIENT: f64 = 1e-12;
/// A free scale that is this many times as wide as the responses is not determined by them.
const PARTIAL: f64 = 10.0;
/// By this share of the width of a bounded range, noise may put labels outside the range.
const STRAY: f64 = 0.1;

impl Report {
    /// One sentence on the status, with advice if the fit is not certified.
    pub fn verdict(&self) -> String {
        self.verdict_on("the response")
    }

    /// The same with `response` as the name of the response.
    pub fn verdict_on(&self, response: &str) -> String {
        let gradient = size(self.certificate.relative_gradient);
        match (self.status(), self.reason) {
            (Status::Converged, StopReason::Matching) => {
                let own = size(self.certificate.matching_gradient);
                format!(
                    "optimum of the matching loss, which glmtron minimises (relative gradient {own}), not of least squares \
                     ({gradient}); use solver `auto` for least squares"
                )
            }
            (Status::Converged, _) => self.converged() + &self.beyond_cap(response),
            (Status::Plateau, _) => self.plateau() + &self.beyond_cap(response),
            (Status::Diverging, _) => self.diverging(response),
            (Status::WrongScale, _) => self.scale_advice(response),
            (Status::NotIdentified, _) => self.not_identified(),
            (Status::IterationLimit, _) => self.limit() + &self.beyond_cap(response),
            (Status::Interrupted, _) => {
                format!("interrupted: the relative gradient is {gradient} at the best point so far")
            }
        }
    }

    /// The verdict on a stationary point: the certified minimum, or the reason why it is not certified.
    fn converged(&self) -> String {
        let Certificate { relative_gradient, smallest_eigenvalue, left_to_gain, exact, .. } = self.certificate;
        let gradient = match relative_gradient {
            Some(gradient) if gradient <= ZERO_GRADIENT => "gradient zero up to rounding".to_owned(),
            gradient => format!("relative gradient {}", size(gradient)),
        };
        let condition = smallest_eigenvalue.map_or("unknown".to_owned(), |ratio| brief(1.0 / ratio));
        let place = if self.certificate.held_back { " on the bound ‖w‖ = R" } else { "" };
        if self.certificate.certified() {
            let what = match exact {
                true => "exact fit: residuals zero up to rounding".to_owned(),
                false if self.criterion.is_convex() => format!("global minimum{place} of a convex loss: {gradient}"),
                false => match self.proven() {
                    Some(proof) => format!("{}: {gradient}", proven(proof)),
                    None => format!("local minimum{place}: {gradient}"),
                },
            };
            let (by, agreement) =
                (self.estimated_from(), self.agreement().map_or(String::new(), |words| format!("; {words}")));
            return format!("{what}, Hessian positive definite{by} (condition number {condition}){agreement}");
        }
        match smallest_eigenvalue {
            _ if exact => {
                "exact fit: residuals zero up to rounding, but the Hessian is singular up to rounding: other coefficients may fit \
                 equally well"
                    .into()
            }
            Some(_) if !self.certificate.settles => format!(
                "not certified: {gradient}, but a Newton step from this point does not lead to a minimum; lower the \
                 tolerance (tol) and fit again"
            ),
            Some(ratio) if ratio > 0.0 => {
                let left = left_to_gain.map_or(String::new(), |left| {
                    format!(", and a Newton step would still lower the loss by {left:.1e} of its value")
                });
                let advice = match self.reason {
                    _ if self.is_partial() => self.free_advice().to_owned(),
                    StopReason::Gradient => "lower the tolerance (tol)".to_owned(),
                    _ => format!(
                        "rounding prevents further progress (condition number {condition}): look for columns that are \
                         nearly collinear"
                    ),
                };
                format!("not at a minimum yet: {gradient}{left}; {advice}")
            }
            Some(_) => format!(
                "saddle point or maximum: {gradient}{place}, but the Hessian is not positive definite; {}",
                self.elsewhere()
            ),
            None => format!("not certified: {gradient}, but the Hessian is not finite; rescale the data"),
        }
    }

    fn plateau(&self) -> String {
        let (gradient, elsewhere) = (size(self.certificate.relative_gradient), self.elsewhere());
        if self.tau == 1.0 && self.loss > self.certificate.baseline_loss {
            return format!("not an optimum: the model without covariates fits better; {elsewhere}");
        }
        if self.certificate.saturated >= 0.5 {
            return format!("not an optimum: the activation is saturated (flat) at most rows; {elsewhere}");
        }
        format!(
            "not an optimum: no step lowers the loss by more than rounding, but the relative gradient is {gradient}; \
             {elsewhere}"
        )
    }

    fn diverging(&self, response: &str) -> String {
        match self.reason {
            StopReason::Overshot => format!("no fit: {OVERSHOT}"),
            StopReason::Planned => {
                "the steps of the theory are too long for this data, and the last finite point was kept; the theorems \
                 assume the corrected constants and covariates from N(0, I)"
                    .into()
            }
            StopReason::NotFinite => {
                let or = if self.solver == Solver::Auto { "" } else { ", or use solver `auto`" };
                format!("a step overflowed, and the last finite point was kept; rescale the data{or}")
            }
            _ if !self.loss.is_finite() => {
                "no fit: the activation overflows at these coefficients; rescale the data".into()
            }
            _ if self.criterion.is_convex() => {
                "no finite optimum: the model separates responses of 0 from responses of 1, so the loss falls however large \
                 the coefficients become; drop the covariate that separates them, or add a penalty (l2)"
                    .into()
            }
            _ if !self.free_response.is_empty() => format!(
                "no finite optimum: the loss does not rise however large the coefficients become; {}",
                self.free_advice()
            ),
            _ => {
                let scale = match self.strays() {
                    true => format!(". Check the scale: {}", self.scale_advice(response)),
                    false => String::new(),
                };
                let or = if self.solver == Solver::Auto {
                    ""
                } else {
                    ", or use solver `auto`, which may find a finite minimum"
                };
                format!(
                    "no finite optimum: the loss does not rise however large the coefficients become; add a penalty \
                     (l2){or}{scale}"
                )
            }
        }
    }

    /// Whether the fitted scale of the response is far wider than the responses, which then show only a part of the curve.
    fn is_partial(&self) -> bool {
        let ((least, most), Range { lo, hi, .. }) = (self.label_bounds, self.activation_range);
        let width = if (hi - lo).is_finite() { hi - lo } else { 1.0 };
        !self.free_response.is_empty() && self.affine.scale.abs() * width > PARTIAL * (most - least)
    }

    /// Advice for data that does not determine a curve with a free response scale.
    fn free_advice(&self) -> &'static str {
        if !self.is_partial() {
            return "the responses jump from one end of the curve to the other: measure in between, or fit a model with fewer \
                    parameters";
        }
        match self.free_response.as_slice() {
            ["lower", "upper"] => {
                "the data does not show both asymptotes: fix one of them (range `0,free`), or measure where the other one is \
                 reached"
            }
            ["lower" | "upper"] => {
                "the data does not show the free asymptote: fix it (range), or measure where it is reached"
            }
            _ => "the data does not determine the scale of the response: fix it (affine), or measure a wider range",
        }
    }

    fn not_identified(&self) -> String {
        let (open, columns) = if self.lacks_rows() {
            ("fewer rows than coefficients: other coefficients fit equally well", "columns")
        } else if self.certificate.least_norm {
            ("collinear columns: other coefficients fit equally well", "one of the columns")
        } else {
            (
                "columns that are collinear up to rounding: very different coefficients fit almost equally well",
                "one of the columns",
            )
        };
        let shown = if self.certificate.least_norm { " (the minimum-norm solution is shown)" } else { "" };
        format!("{open}{shown}; drop {columns}, or add a penalty (l2)")
    }

    /// The verdict on a fit that used all its epochs, and whether more epochs would help.
    fn limit(&self) -> String {
        if self.certificate.matching_gradient.is_some() {
            let own = size(self.certificate.matching_gradient);
            return format!("not yet at an optimum of the matching loss: relative gradient {own}; allow more epochs");
        }
        let (gradient, tau) = (size(self.certificate.relative_gradient), brief(self.tau));
        let advice = match self.solver {
            Solver::Auto if self.sigma.is_some() => {
                "the choice between two preimages did not settle: use noise `post`".into()
            }
            Solver::Auto => "allow more epochs".into(),
            _ if self.cut_short => {
                return format!(
                    "the limit was reached at temperature τ = {tau}, before the last temperature (relative gradient \
                     {gradient}); allow more epochs, or use solver `auto`"
                );
            }
            solver if !solver.converges_linearly() => format!(
                "on noisy data more epochs help {} little: use solver `auto`, or a larger tolerance (tol)",
                solver.name()
            ),
            _ => "allow more epochs, or use solver `auto`".into(),
        };
        format!("not yet at a stationary point: relative gradient {gradient}; {advice}")
    }

    /// A warning about the predictions, which are made at τ = 1, of a fit that ended between τ = 0 and τ = 1. Empty if the
    /// model is better than the mean there.
    fn beyond_cap(&self, response: &str) -> String {
        let worse = self.loss > self.certificate.mean_loss * (1.0 + 1e-9);
        if !(self.tau > 0.0 && self.tau < 1.0) || self.cut_short {
            return String::new();
        }
        if self.certificate.median_is_outside || (worse && self.strays()) {
            return format!(". At τ = 1 the scale is wrong: {}", self.scale_advice(response));
        }
        match worse {
            true => format!("; at τ = 1, where predictions are made, the mean of {response} fits better"),
            false => String::new(),
        }
    }

    /// Whether labels lie outside the range by more than noise explains. A free scale goes where the labels are.
    fn strays(&self) -> bool {
        if !self.free_response.is_empty() {
            return false;
        }
        let ((least, most), Range { lo, hi, .. }) = (self.label_bounds, self.activation_range);
        let stray = if (hi - lo).is_finite() { STRAY * (hi - lo) } else { 0.0 };
        least < lo - stray || most > hi + stray
    }

    fn lacks_rows(&self) -> bool {
        self.rows < self.parameters
    }

    /// Advice for a `response` that is not on the scale of the activation.
    pub fn scale_advice(&self, response: &str) -> String {
        let ((least, most), Range { lo, hi, .. }) = (self.label_bounds, self.activation_range);
        let advice = match (lo.is_finite(), hi.is_finite()) {
            // shares in percent, with noise or rounding below 0
            (true, true) if least < lo && most > 10.0 * hi && most < 1000.0 * hi => {
                "rescale it (percentages: divide by 100)".into()
            }
            (true, true) if least < lo => "rescale it to that range".into(),
            // shares in percent, or per thousand
            (true, true) if most == 100.0 * hi || most == 1000.0 * hi => format!("divide it by {}", brief(most / hi)),
            (true, true) if most > 10.0 * hi && most < 1000.0 * hi => {
                "divide it by its highest possible value (percentages: by 100)".into()
            }
            (true, true) => "divide it by its highest possible value".into(),
            (true, false) => {
                format!("subtract its lowest possible value, or choose an activation that goes below {}", brief(lo))
            }
            _ => "choose an activation that takes such values".into(),
        };
        let (least, most, activation, range) = (brief(least), brief(most), &self.activation, self.range());
        format!("{response} runs from {least} to {most}, but the {activation} from {range}: {advice}")
    }

    /// The range of the activation in words.
    fn range(&self) -> String {
        let Range { lo, hi, .. } = self.activation_range;
        let bound = |bound: f64| match bound {
            f64::INFINITY => "infinity".to_owned(),
            f64::NEG_INFINITY => "minus infinity".to_owned(),
            bound => brief(bound),
        };
        format!("{} to {}", bound(lo), bound(hi))
    }

    /// The warning about labels at or outside the range. It mentions the scale only if labels lie far outside.
    pub(crate) fn bounds_warning(&self, response: &str) -> String {
        let (some, all) = (self.labels_without_preimage, self.rows);
        let used = match self.tau < 1.0 {
            true => format!("they are clipped, because the fit ends at τ = {}", brief(self.tau)),
            false => "they are used unchanged".to_owned(),
        };
        let scale = match self.strays() && self.status() != Status::WrongScale {
            true => format!(". If that is not noise, check the scale: {}", self.scale_advice(response)),
            false => String::new(),
        };
        let (range, activation) = (self.range(), &self.activation);
        format!(
            "{some} of {all} values of {response} are at or outside the range of the {activation} ({range}); {used}{scale}"
        )
    }

    /// The warning about collinear columns.
    pub(crate) fn collinearity_warning(&self, named: &str) -> String {
        let shown = if self.certificate.least_norm { ". The minimum-norm solution is shown" } else { "" };
        if self.lacks_rows() {
            let (rows, coefficients) = (self.rows, self.parameters);
            return format!("{rows} rows do not determine {coefficients} coefficients ({named}): drop columns{shown}");
        }
        if self.certificate.unidentified.len() == 1 {
            return format!("{named}: the data does not determine this coefficient: drop the column{shown}");
        }
        let nearly = if self.certificate.least_norm { "" } else { " up to rounding" };
        format!("{named} are collinear{nearly}: drop one{shown}")
    }

    /// Advice to use another start.
    fn elsewhere(&self) -> &'static str {
        if self.proven().is_some_and(|proof| proof.radius.is_none()) {
            return "no other start helps: the proof shows that no point has a lower loss";
        }
        if self.solver == Solver::Auto { "try restarts" } else { "try another start (init), or use solver `auto`" }
    }

    /// How many of the fits from other starts reached the same loss; none without such fits.
    pub fn agreement(&self) -> Option<String> {
        let (agreed, of) = self.certificate.restarts.filter(|(_, of)| *of > 0)?;
        let fits = match (agreed, of) {
            (0, 1) => "the one fit from another start did not reach".to_owned(),
            (_, 1) => "the one fit from another start reached".to_owned(),
            _ => format!("{} fits from other starts reached", share(agreed, of)),
        };
        let doubt = if 4 * agreed < of && self.proven().is_none() { ", so a lower minimum may exist" } else { "" };
        Some(format!("{fits} the same loss{doubt}"))
    }

    /// How the eigenvalues were computed, if not from the Hessian of all rows.
    fn estimated_from(&self) -> String {
        let Certificate { curvature_products, curvature_rows, .. } = self.certificate;
        let by = curvature_products.map_or(String::new(), |k| format!(" by {k} Lanczos steps"));
        let on = if curvature_rows < self.rows { format!(" on {curvature_rows} of the rows") } else { String::new() };
        by + &on
    }
}

/// A share in words, such as `only 1 of 24`.
fn share(some: usize, of: usize) -> String {
    match (some, of) {
        (0, of) => format!("none of {of}"),
        (some, of) if 4 * some < of => format!("only {some} of {of}"),
        (some, of) => format!("{some} of {of}"),
    }
}

fn size(gradient: Option<f64>) -> String {
    gradient.map_or("undefined".to_owned(), |gradient| format!("{gradient:.1e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_told_in_words() {
        let told = [(2, 2), (5, 5), (0, 4), (1, 24), (9, 24)].map(|(some, of)| share(some, of));
        assert_eq!(told, ["2 of 2", "5 of 5", "none of 4", "only 1 of 24", "9 of 24"]);
    }
}
