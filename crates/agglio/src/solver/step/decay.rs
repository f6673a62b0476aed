//! The *decaying* step rule reduces the learning rate, for stochastic gradients.

use serde::{Deserialize, Serialize};

use crate::solver::step::StepRule;

/// `η_k = η/(1 + k/5)`
///
/// k counts the stages at the last temperature since the mean loss first stopped decreasing: the count starts with the
/// first stage whose mean loss is not below the lowest one before. A constant learning rate ends farther from the
/// optimum than the statistical error, and one that decays earlier does not reach it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Decay {
    first: f64,
    lowest: f64,
    stages: f64,
}

impl Decay {
    /// Number of stages after which the learning rate is half of the first.
    const PACE: f64 = 5.0;

    /// Starts with the size `first`.
    pub fn new(first: f64) -> Decay {
        Decay { first, lowest: f64::INFINITY, stages: 0.0 }
    }
}

impl StepRule for Decay {
    fn size(&self) -> f64 {
        self.first / (1.0 + self.stages / Self::PACE)
    }

    fn decays(&self) -> bool {
        self.stages > 0.0
    }

    fn observe(&mut self, mean_loss: f64) {
        if self.stages > 0.0 || mean_loss >= self.lowest {
            self.stages += 1.0;
        }
        self.lowest = self.lowest.min(mean_loss);
    }
}
