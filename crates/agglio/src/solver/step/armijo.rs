//! *Armijo*'s rule: try, and halve until the loss falls enough.

use crate::oracle::Sums;
use crate::solver::step::{StepRule, Verdict};

/// Accepts a trial if L(θ + p) ≤ L(θ) − c·predicted, halves the size if not, and doubles it after each success.
///
/// It needs no Λ, and so serves activations of unbounded slope; an overflow is a rejection. Reference: Armijo
/// (1966).
#[derive(Clone, Copy, Debug)]
pub struct Armijo {
    size: f64,
}

impl Armijo {
    /// The share of the predicted decrease that is demanded.
    const SHARE: f64 = 1e-4;

    /// Begins with the size `first`.
    pub fn new(first: f64) -> Armijo {
        Armijo { size: first }
    }
}

impl StepRule for Armijo {
    fn size(&self) -> f64 {
        self.size
    }

    fn judges(&self) -> bool {
        true
    }

    fn judge(&mut self, here: &Sums, there: &Sums, predicted: f64) -> Verdict {
        let enough = there.loss <= here.loss - Self::SHARE * predicted;
        if there.is_finite() && enough {
            self.size *= 2.0;
            return Verdict::Accept;
        }
        // beside the minimum the difference of two losses is rounding: let the smaller gradient decide
        if there.is_finite() && predicted <= 8.0 * f64::EPSILON * here.loss {
            return match there.gradient_norm() < here.gradient_norm() {
                true => Verdict::Accept,
                false => Verdict::Settled,
            };
        }
        self.size *= 0.5;
        if self.size > 0.0 { Verdict::Reject } else { Verdict::Settled }
    }
}
