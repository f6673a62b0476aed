//! The *status* of a fit is a function of the evidence at its end point alone.

use crate::outcome::{Status, StopReason};

/// Yes-or-no evidence at the end point of a fit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    pub reason: StopReason,
    /// Whether the relative gradient is small.
    pub stationary: bool,
    /// Whether the residuals are only rounding errors.
    pub exact: bool,
    /// Whether the Hessian has an eigenvalue of zero, to rounding.
    pub flat: bool,
    /// Whether columns are collinear, so that the eigenvalue is zero for every φ.
    pub unidentified: bool,
    /// Whether the loss does not rise on the way to infinity.
    pub falls_to_infinity: bool,
    /// Whether the loss does not rise on the way to infinity, but is lower at smaller coefficients.
    pub falls_inwards: bool,
    /// Whether the loss is above that of the model without covariates.
    pub explains_nothing: bool,
    /// Whether the loss is well below that of the model without covariates, and most rows are not saturated.
    pub explains_much: bool,
    /// Whether the labels are not on the scale of φ.
    pub off_scale: bool,
}

/// The status of a fit, from the evidence alone.
pub(super) fn classify(evidence: &Evidence) -> Status {
    let ended = Status::from(evidence.reason);
    match ended {
        Status::Interrupted => ended,
        _ if evidence.off_scale => Status::WrongScale,
        Status::Diverging => ended,
        Status::IterationLimit if !evidence.stationary && !evidence.falls_to_infinity => ended,
        Status::Converged | Status::IterationLimit if evidence.unidentified => Status::NotIdentified,
        _ if evidence.explains_nothing && ended != Status::IterationLimit => Status::Plateau,
        _ if evidence.falls_to_infinity => Status::Diverging,
        _ if evidence.falls_inwards => Status::Plateau,
        // no ray leads to infinity, but φ is so flat that nothing determines the coefficients
        Status::Converged | Status::IterationLimit if evidence.flat && !evidence.exact => Status::Diverging,
        // φ is not flat: only rounding prevents a smaller gradient
        Status::Plateau if evidence.explains_much => Status::Converged,
        _ => ended,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINIMUM: Evidence = Evidence {
        reason: StopReason::Gradient,
        stationary: true,
        exact: false,
        flat: false,
        unidentified: false,
        falls_to_infinity: false,
        falls_inwards: false,
        explains_nothing: false,
        explains_much: true,
        off_scale: false,
    };

    #[test]
    fn evidence_determines_the_status() {
        let limit = Evidence { reason: StopReason::Limit, stationary: false, ..MINIMUM };
        let plateau = Evidence { reason: StopReason::Plateau, explains_much: false, ..MINIMUM };
        let table = [
            (MINIMUM, Status::Converged),
            (Evidence { reason: StopReason::Settled, ..MINIMUM }, Status::Converged),
            (Evidence { falls_to_infinity: true, ..MINIMUM }, Status::Diverging),
            (Evidence { flat: true, ..MINIMUM }, Status::Diverging),
            (Evidence { flat: true, exact: true, ..MINIMUM }, Status::Converged),
            (Evidence { flat: true, exact: true, falls_to_infinity: true, ..MINIMUM }, Status::Diverging),
            (Evidence { flat: true, unidentified: true, ..MINIMUM }, Status::NotIdentified),
            (Evidence { explains_nothing: true, ..MINIMUM }, Status::Plateau),
            (Evidence { explains_nothing: true, falls_to_infinity: true, ..MINIMUM }, Status::Plateau),
            (Evidence { off_scale: true, falls_to_infinity: true, ..MINIMUM }, Status::WrongScale),
            (Evidence { off_scale: true, ..plateau }, Status::WrongScale),
            (plateau, Status::Plateau),
            (Evidence { falls_inwards: true, ..MINIMUM }, Status::Plateau),
            (Evidence { explains_much: true, ..plateau }, Status::Converged),
            (Evidence { falls_to_infinity: true, ..plateau }, Status::Diverging),
            (limit, Status::IterationLimit),
            (Evidence { flat: true, unidentified: true, ..limit }, Status::IterationLimit),
            (Evidence { flat: true, stationary: true, ..limit }, Status::Diverging),
            (Evidence { falls_to_infinity: true, ..limit }, Status::Diverging),
            (Evidence { reason: StopReason::NotFinite, ..MINIMUM }, Status::Diverging),
            (Evidence { reason: StopReason::Interrupted, off_scale: true, ..MINIMUM }, Status::Interrupted),
        ];
        for (evidence, status) in table {
            assert_eq!(classify(&evidence), status, "{evidence:?}");
        }
    }
}
