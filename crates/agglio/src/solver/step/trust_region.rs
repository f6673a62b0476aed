//! The *trust region* of Levenberg and Marquardt: as far as the model has been right.

use crate::oracle::{Known, Model};
use crate::solver::step::{StepRule, Verdict};

/// Accepts a trial that gains at least a ten-thousandth of what the model predicts; the size, one over the damping,
/// grows after a good prediction, slowly at first where it has just shrunk, and shrinks after a bad one. It begins
/// without damping.
///
/// Where the prediction is below what rounding does to the loss, the smaller gradient decides, unless the loss rises.
/// Reference: Moré (1978),
/// in the form of a damping factor.
#[derive(Clone, Copy, Debug)]
pub struct TrustRegion {
    size: f64,
    /// What the size is multiplied by when it next grows.
    growth: f64,
}

impl Default for TrustRegion {
    fn default() -> TrustRegion {
        TrustRegion { size: f64::INFINITY, growth: Self::FASTEST }
    }
}

impl TrustRegion {
    const SHARE: f64 = 1e-4;
    /// The first damping after a step without any has failed.
    const FIRST: f64 = 100.0;
    /// Beyond this size damping is rounding.
    const FREE: f64 = 1e8;
    /// Growth after a shrink, and the growth that a row of good predictions leads to. A size that grows at once by what
    /// it has shrunk by is refused at every other step.
    const SLOWEST: f64 = 3.0;
    const FASTEST: f64 = 10.0;

    fn shrink(&mut self, factor: f64) {
        self.size = if self.size.is_infinite() { Self::FIRST } else { self.size / factor };
        self.growth = Self::SLOWEST;
    }

    fn grow(&mut self) {
        self.size *= self.growth;
        self.growth = Self::FASTEST.min(Self::SLOWEST * self.growth);
        if self.size > Self::FREE {
            self.size = f64::INFINITY;
        }
    }
}

/// The gradient in units of the slopes, as far as these are known: it does not fall just because they vanish.
fn gradient_of(known: &Known) -> f64 {
    let relative = known.model().and_then(Model::relative_gradient);
    relative.map_or_else(|| known.norm(), |cosine| cosine * known.loss.sqrt())
}

impl StepRule for TrustRegion {
    fn size(&self) -> f64 {
        self.size
    }

    fn judges(&self) -> bool {
        true
    }

    fn judge(&mut self, here: &Known, there: &Known, predicted: f64) -> Verdict {
        if !there.is_finite() {
            self.shrink(10.0);
            return if self.size > f64::MIN_POSITIVE { Verdict::Reject } else { Verdict::Settled };
        }
        if predicted <= here.rounding() {
            // half, since gradients at the level of rounding differ by chance; and a long step may lead uphill to where
            // slopes have vanished
            let falls = gradient_of(there) < 0.5 * gradient_of(here);
            let rises = there.loss > here.loss + 8.0 * here.rounding();
            return if falls && !rises { Verdict::Accept } else { Verdict::Settled };
        }
        let ratio = (here.loss - there.loss) / predicted;
        match ratio {
            r if r > 0.75 => self.grow(),
            r if r >= 0.25 => {}
            // a prediction that is no number is a bad one: no damping would be tried without end
            r => self.shrink(if r > 0.0 { 4.0 } else { 10.0 }),
        }
        match ratio > Self::SHARE {
            true => Verdict::Accept,
            false if self.size > f64::MIN_POSITIVE => Verdict::Reject,
            false => Verdict::Settled,
        }
    }
}
