//! The *noise choice* is the rule by which noise `auto` takes noise before φ. It is a function of a comparison alone.

use std::borrow::Cow;

use crate::error::Result;
use crate::oracle::{Ask, Batch, Departure, Ends, Oracle, Query, Want};
use crate::outcome::{LogLikelihoods, Objection};
use crate::race::Found;
use crate::race::noise::{Pre, unbiased, weight};

/// A comparison of noise before φ with noise after it. Weights are counts: a weight of two is the same row twice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comparison {
    /// Weight of the rows, which is the number of observations.
    observations: f64,
    /// Number of coefficients.
    parameters: f64,
    /// Log-likelihood before φ less the one after it.
    lead: f64,
    /// Share of the labels that repeat the lowest or the highest one.
    tied: f64,
    /// Relative excess of the mean square error of the predicted means under noise before φ.
    excess: f64,
    /// Standard error of the excess.
    excess_error: f64,
    /// Whether its means are nearer to the labels than the model without covariates.
    explains: bool,
    /// Skewness of the residuals of φ⁻¹(y).
    skewness: f64,
    /// Kurtosis of the residuals of φ⁻¹(y) less three.
    kurtosis: f64,
    /// γ of residuals of φ⁻¹(y) whose variance goes as |φ′(z)|^−γ: 0 for noise before φ, 1 for shares that are counted or
    /// beta distributed, 2 for noise after φ.
    gamma: f64,
    /// Standard error of γ.
    gamma_error: f64,
}

/// The smallest lead of noise before φ, in nats.
const LEAD: f64 = 3.0;
/// From this share on, labels at the extremes look clipped.
const MOST_TIED: f64 = 0.05;
/// Relative excess of the mean square that is always allowed, times the number of observations.
const EXCESS: f64 = 15.0;
/// Skewness and kurtosis up to these are always allowed.
const GROSS: (f64, f64) = (0.5, 1.0);
/// From this number of standard errors on, skewness and kurtosis are not chance.
const CHANCE: f64 = 4.0;
/// γ up to the first is allowed, and γ above the second is not. Between them its standard error decides.
const GAMMA: (f64, f64) = (0.1, 0.5);
/// From this number of standard errors on, γ is not chance.
const GAMMA_CHANCE: f64 = 2.5;

impl Comparison {
    /// Why noise before φ is not clearly the better model for these rows, to which both were fitted; none if it is. Rows are
    /// visited only where the likelihoods leave the choice open.
    pub fn against(
        oracle: &dyn Oracle,
        rows: Batch,
        pre: &Pre,
        post: &Found,
        both: LogLikelihoods,
    ) -> Result<Option<Objection>> {
        match both.lead() {
            Some(lead) if lead > LEAD => Ok(Comparison::of(oracle, rows, pre, post, both)?.objection()),
            _ => Ok(Some(Objection::Unlikely)),
        }
    }

    fn of(oracle: &dyn Oracle, rows: Batch, pre: &Pre, post: &Found, both: LogLikelihoods) -> Result<Comparison> {
        let (residual, outcome) = (pre.sigma(), &post.outcome);
        let sigma = unbiased(residual, oracle, rows);
        let (pre, post) = (Cow::Borrowed(pre.theta()), Cow::Borrowed(outcome.theta.as_slice()));
        let ends = Ends { pre, residual, sigma, post };
        let departure = oracle.ask(&Query::new(rows, Ask::Departure(ends)))?.departure()?;
        let Departure { excess, excess_variance, square, cube, fourth, slope_variance, slope_covariance } = departure;
        let observations = weight(oracle, rows);
        // a slope that is the same everywhere says nothing
        let bent = slope_variance > 1e-12;
        Ok(Comparison {
            observations,
            parameters: oracle.facts().parameters() as f64,
            lead: both.lead().unwrap_or(f64::NEG_INFINITY),
            tied: oracle.facts().tied_share,
            excess: excess / outcome.model.loss,
            excess_error: (excess_variance / observations).sqrt() / outcome.model.loss,
            explains: excess <= 0.0 || outcome.model.loss + excess < constant_loss(oracle, rows)?,
            skewness: cube / square.powf(1.5),
            kurtosis: fourth / (square * square) - 3.0,
            gamma: if bent { -slope_covariance / (square * slope_variance) } else { 0.0 },
            // e² has the variance 2 for normal residuals
            gamma_error: if bent { (2.0 / (observations * slope_variance)).sqrt() } else { f64::INFINITY },
        })
    }

    /// The first objection to noise before φ. A number that is NaN is an objection.
    fn objection(&self) -> Option<Objection> {
        let asked = [
            (self.lead > LEAD, Objection::Unlikely),
            (self.tied < MOST_TIED, Objection::Tied),
            (self.means_are_right(), Objection::WorseMeans),
            (self.is_normal(), Objection::NotNormal),
            (self.is_even(), Objection::Uneven),
        ];
        asked.into_iter().find(|(holds, _)| !holds).map(|(_, objection)| objection)
    }

    /// Whether its means are better than a constant, and not worse than those of least squares beyond chance. Chance includes
    /// the coefficients, which least squares fits to these very labels.
    fn means_are_right(&self) -> bool {
        let by_chance = (2.0 + 0.5 * self.parameters.sqrt()) * self.excess_error;
        self.explains && (self.excess <= EXCESS / self.observations || self.excess <= by_chance)
    }

    /// Whether the residuals of φ⁻¹(y) are not grossly non-normal.
    fn is_normal(&self) -> bool {
        let by_chance = |variance: f64| CHANCE * (variance / self.observations).sqrt();
        self.skewness.abs() <= GROSS.0.max(by_chance(6.0)) && self.kurtosis.abs() <= GROSS.1.max(by_chance(24.0))
    }

    /// Whether their variance does not grow where φ is flat.
    fn is_even(&self) -> bool {
        self.gamma <= (GAMMA_CHANCE * self.gamma_error).clamp(GAMMA.0, GAMMA.1)
    }
}

/// Loss of the model without covariates on these rows.
fn constant_loss(oracle: &dyn Oracle, rows: Batch) -> Result<f64> {
    let facts = oracle.facts();
    let theta = facts.layout.constant(facts.baseline.intercept.unwrap_or(0.0));
    Ok(oracle.ask(&Query::at(&theta, 1.0, rows, Want::Loss))?.value()?.loss)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thousand observations that all speak for noise before φ.
    const CLEAR: Comparison = Comparison {
        observations: 1000.0,
        parameters: 5.0,
        lead: 50.0,
        tied: 0.0,
        excess: 0.0,
        excess_error: 1e-3,
        explains: true,
        skewness: 0.1,
        kurtosis: -0.1,
        gamma: 0.0,
        gamma_error: 0.1,
    };

    #[test]
    fn each_part_of_the_evidence_can_speak_against_noise_before() {
        for (evidence, objection, what) in [
            (CLEAR, None, "all speaks for it"),
            (Comparison { lead: 3.1, ..CLEAR }, None, "a small lead"),
            (Comparison { lead: 3.0, ..CLEAR }, Some(Objection::Unlikely), "too small a lead"),
            (Comparison { lead: f64::NAN, ..CLEAR }, Some(Objection::Unlikely), "no lead"),
            (Comparison { tied: 0.049, ..CLEAR }, None, "some ties"),
            (Comparison { tied: 0.05, ..CLEAR }, Some(Objection::Tied), "many ties"),
            (Comparison { excess: 0.015, excess_error: 1e-9, ..CLEAR }, None, "an excess of 15/n"),
            (Comparison { excess: 0.016, excess_error: 1e-9, ..CLEAR }, Some(Objection::WorseMeans), "more than 15/n"),
            (Comparison { excess: 0.1, excess_error: 0.04, ..CLEAR }, None, "an excess by chance"),
            (Comparison { excess: 0.1, excess_error: 0.02, ..CLEAR }, Some(Objection::WorseMeans), "more than chance"),
            (
                Comparison { excess: 0.1, excess_error: 0.02, parameters: 50.0, ..CLEAR },
                None,
                "what 50 coefficients gain",
            ),
            (Comparison { explains: false, ..CLEAR }, Some(Objection::WorseMeans), "worse than a constant"),
            (Comparison { excess: f64::NAN, ..CLEAR }, Some(Objection::WorseMeans), "means that overflow"),
            (
                Comparison { excess: f64::INFINITY, excess_error: f64::NAN, ..CLEAR },
                Some(Objection::WorseMeans),
                "means that overflow",
            ),
            (Comparison { skewness: -0.49, kurtosis: 0.99, ..CLEAR }, None, "nearly normal"),
            (Comparison { skewness: -0.51, ..CLEAR }, Some(Objection::NotNormal), "skew"),
            (Comparison { kurtosis: 1.01, ..CLEAR }, Some(Objection::NotNormal), "heavy tails"),
            (Comparison { kurtosis: -1.01, ..CLEAR }, Some(Objection::NotNormal), "two humps"),
            (Comparison { kurtosis: 2.0, observations: 50.0, ..CLEAR }, None, "what few rows may do"),
            (Comparison { gamma: 0.24, ..CLEAR }, None, "uneven by chance"),
            (Comparison { gamma: 0.26, ..CLEAR }, Some(Objection::Uneven), "uneven"),
            (Comparison { gamma: 0.09, gamma_error: 1e-3, ..CLEAR }, None, "slightly uneven"),
            (Comparison { gamma: 0.11, gamma_error: 1e-3, ..CLEAR }, Some(Objection::Uneven), "uneven for certain"),
            (
                Comparison { gamma: 0.51, gamma_error: 9.0, ..CLEAR },
                Some(Objection::Uneven),
                "nearer to a counted share",
            ),
            (Comparison { gamma: -1.0, ..CLEAR }, None, "uneven the other way"),
            (Comparison { gamma_error: f64::INFINITY, ..CLEAR }, None, "no curve"),
        ] {
            assert_eq!(evidence.objection(), objection, "{what}: {evidence:?}");
        }
    }
}
