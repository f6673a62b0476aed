//! The *proof* of a fit in words.

use crate::prove::{Ended, Proof};
use crate::report::Report;
use crate::text::format::{brief, seconds, short};

impl Report {
    /// The proof, if it is complete.
    pub fn proven(&self) -> Option<&Proof> {
        self.proof.as_ref().and_then(|proof| proof.as_ref().ok()).filter(|proof| proof.complete)
    }

    /// What the search of a proof has shown; none if none was sought.
    pub fn proof_in_words(&self) -> Option<String> {
        let proof = match self.proof.as_ref()? {
            Ok(proof) => proof,
            Err(why) => return Some(format!("none: {why}")),
        };
        if self.criterion.is_convex() {
            return Some(match proof.complete {
                true => "none needed: the loss is convex, so every minimum is the lowest".to_owned(),
                false => "open: the loss is convex, but the fit is not at its minimum".to_owned(),
            });
        }
        let effort = format!("{} regions in {}", proof.boxes, seconds(proof.seconds));
        let shown = match (proof.complete, proof.radius) {
            (true, Some(radius)) => {
                let radius = brief(radius);
                format!("complete up to linear predictors of {radius} (root mean square), open beyond: {effort}")
            }
            (true, None) => format!("complete: {effort}"),
            (false, _) => self.open(proof, &effort),
        };
        let improved = proof.improved_from.map(|loss| {
            format!("; its search found this minimum, and the fit before it had a loss of {}", short(loss))
        });
        Some(shown + &improved.unwrap_or_default())
    }

    fn open(&self, proof: &Proof, effort: &str) -> String {
        let reason = match proof.ended {
            Ended::AtInfinity => return format!("open: a point with a lower loss leads to infinity; {effort}"),
            Ended::Interrupted => "interrupted",
            Ended::Time => "open, because the time was over",
            Ended::Regions => "open, because too many regions are",
            Ended::Rounding => "open, because rounding decides in the regions that are left",
            _ => "open at the limit of the effort that is made by itself",
        };
        let loss = if self.path_loss == self.loss { "the loss" } else { "the loss with its penalty" };
        let (bound, gap) = (short(proof.lower_bound), brief(100.0 * proof.gap));
        format!("{reason}: {loss} is nowhere below {bound} (gap {gap} %) after {effort}")
    }
}

/// The minimum of a complete proof, and where it is the lowest.
pub(super) fn proven(proof: &Proof) -> String {
    let radius = proof.radius.map(|radius| format!("linear predictors up to {} (root mean square)", brief(radius)));
    let asymptotes =
        proof.asymptotes_within.map(|[low, high]| format!("asymptotes from {} to {}", short(low), short(high)));
    let within: Vec<String> = radius.into_iter().chain(asymptotes).collect();
    let minimum = match within.as_slice() {
        [] => "global minimum".to_owned(),
        within => format!("lowest minimum with {}", within.join(" and ")),
    };
    format!("{minimum}, proven to {}", brief(proof.tolerance))
}
