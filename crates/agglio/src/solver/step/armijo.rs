//! *Armijo*'s rule: try, and halve until the loss falls enough.

use crate::oracle::Sums;
use crate::solver::step::{StepRule, Verdict};

/// Accepts a trial if L(θ + p) ≤ L(θ) − c·predicted, halves the size if not, and doubles it after each success.
///
/// It needs no Λ, and so serves activations of unbounded slope; an overflow is a rejection. Beside the minimum, where
/// the difference of two losses is rounding, the smaller gradient decides. Reference: Armijo (1966).
#[derive(Clone, Copy, Debug)]
pub struct Armijo {
    size: f64,
    rejected: usize,
}

impl Armijo {
    /// The share of the predicted decrease that is demanded.
    const SHARE: f64 = 1e-4;
    /// Rejections in a row after which gradients that do not fall are rounding too.
    const PATIENCE: usize = 8;

    /// Begins with the size `first`.
    pub fn new(first: f64) -> Armijo {
        Armijo { size: first, rejected: 0 }
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
        let rounding = predicted <= 8.0 * f64::EPSILON * here.loss;
        let better = match rounding {
            true => there.gradient_norm() < here.gradient_norm(),
            false => there.loss <= here.loss - Self::SHARE * predicted,
        };
        if better && there.is_finite() {
            self.rejected = 0;
            self.size *= if rounding { 1.0 } else { 2.0 };
            return Verdict::Accept;
        }
        self.rejected += 1;
        self.size *= 0.5;
        let hopeless = (rounding && self.rejected > Self::PATIENCE) || self.size == 0.0;
        if hopeless { Verdict::Settled } else { Verdict::Reject }
    }
}
