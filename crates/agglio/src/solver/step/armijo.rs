//! *Armijo*'s rule halves the step until the loss decreases enough.

use serde::{Deserialize, Serialize};

use crate::oracle::Known;
use crate::solver::step::{StepRule, Verdict};

/// `L(θ + p) ≤ L(θ) − c·predicted`
///
/// Accepts a trial if this holds, and halves the size otherwise. Each success doubles the size.
///
/// It needs no Λ, so it also works for activations with an unbounded derivative. A trial that overflows is rejected.
/// Near the minimum, where the difference of two losses is rounding, the norm of the gradient decides. Reference:
/// Armijo (1966).
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Armijo {
    size: f64,
    most: f64,
    rejected: usize,
}

impl Armijo {
    /// c, the fraction of the predicted decrease that is required.
    const SHARE: f64 = 1e-4;
    /// The largest size. Beyond it nothing is gained, and halving would take too long.
    const LARGEST: f64 = 1e100;
    /// Maximum number of rejections in a row.
    const MOST_REJECTIONS: usize = 2000;
    /// Maximum number of rejections in a row if the predicted decrease is rounding.
    const MOST_AT_ROUNDING: usize = 8;

    /// Starts with the size `first`, which may grow without a practical limit.
    pub fn new(first: f64) -> Armijo {
        Armijo { size: first, most: Self::LARGEST, rejected: 0 }
    }

    /// The factor by which the gradient must decrease if it decides. It is ½ for directions with a natural length,
    /// because gradients at the level of rounding differ by chance. It is one for directions that converge slowly.
    fn required_reduction(&self) -> f64 {
        if self.most > 1.0 { 1.0 } else { 0.5 }
    }

    /// Starts with the size one at every step, for directions with a natural length such as Newton's.
    pub fn natural() -> Armijo {
        Armijo { size: 1.0, most: 1.0, rejected: 0 }
    }
}

impl StepRule for Armijo {
    fn size(&self) -> f64 {
        self.size
    }

    fn judges(&self) -> bool {
        true
    }

    fn judge(&mut self, here: &Known, there: &Known, predicted: f64) -> Verdict {
        let rounding = predicted <= here.rounding().max(8.0 * f64::EPSILON * here.loss);
        let better = match rounding {
            true => there.norm() < self.required_reduction() * here.norm(),
            false => there.loss <= here.loss - Self::SHARE * predicted,
        };
        if better && there.is_finite() {
            self.rejected = 0;
            self.size = if rounding && self.most > 1.0 { self.size } else { self.most.min(2.0 * self.size) };
            return Verdict::Accept;
        }
        self.rejected += 1;
        self.size *= 0.5;
        let hopeless = (rounding && self.rejected > Self::MOST_AT_ROUNDING)
            || self.size == 0.0
            || self.rejected > Self::MOST_REJECTIONS;
        if hopeless { Verdict::Settled } else { Verdict::Reject }
    }
}
