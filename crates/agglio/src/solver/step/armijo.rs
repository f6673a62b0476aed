//! *Armijo*'s rule: try, and halve until the loss falls enough.

use crate::oracle::Known;
use crate::solver::step::{StepRule, Verdict};

/// Accepts a trial if L(θ + p) ≤ L(θ) − c·predicted, halves the size if not, and doubles it after each success.
///
/// It needs no Λ, and so serves activations of unbounded slope; an overflow is a rejection. Beside the minimum, where
/// the difference of two losses is rounding, the smaller gradient decides. Reference: Armijo (1966).
#[derive(Clone, Copy, Debug)]
pub struct Armijo {
    size: f64,
    most: f64,
    rejected: usize,
}

impl Armijo {
    /// The share of the predicted decrease that is demanded.
    const SHARE: f64 = 1e-4;
    /// A size beyond which nothing is gained and halving would not come back.
    const FARTHEST: f64 = 1e100;
    /// Rejections in a row that no size can explain.
    const HOPELESS: usize = 2000;
    /// Rejections in a row after which gradients that do not fall are rounding too.
    const PATIENCE: usize = 8;

    /// Begins with the size `first`, and goes wherever it may.
    pub fn new(first: f64) -> Armijo {
        Armijo { size: first, most: Self::FARTHEST, rejected: 0 }
    }

    /// What a gradient must fall to where it decides: to half for directions that know their own length, since gradients at
    /// the level of rounding differ by chance; below itself for those that close in slowly.
    fn fall(&self) -> f64 {
        if self.most > 1.0 { 1.0 } else { 0.5 }
    }

    /// Begins with a size of one at every step: for directions that know their own length.
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
            true => there.norm() < self.fall() * here.norm(),
            false => there.loss <= here.loss - Self::SHARE * predicted,
        };
        if better && there.is_finite() {
            self.rejected = 0;
            self.size = if rounding && self.most > 1.0 { self.size } else { self.most.min(2.0 * self.size) };
            return Verdict::Accept;
        }
        self.rejected += 1;
        self.size *= 0.5;
        let hopeless =
            (rounding && self.rejected > Self::PATIENCE) || self.size == 0.0 || self.rejected > Self::HOPELESS;
        if hopeless { Verdict::Settled } else { Verdict::Reject }
    }
}
