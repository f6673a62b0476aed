//! The *trust region* rule of Levenberg and Marquardt adapts the damping to the accuracy of the quadratic model.

use serde::{Deserialize, Serialize};

use crate::oracle::{Known, Model};
use crate::solver::step::{StepRule, Verdict};

/// `(L(θ) − L(θ + p))/predicted > 10⁻⁴`
///
/// Accepts a trial if this holds. The size is the inverse of the damping factor. It grows after a good prediction, more
/// slowly just after it has shrunk, and shrinks after a bad one. The first step is undamped.
///
/// If the predicted decrease is below the rounding error of the loss, the size of the gradient decides, unless the loss
/// increases. Reference: Moré (1978), with a damping factor.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct TrustRegion {
    size: f64,
    /// The factor by which the size grows next time.
    growth: f64,
}

impl Default for TrustRegion {
    fn default() -> TrustRegion {
        TrustRegion { size: f64::INFINITY, growth: Self::FASTEST }
    }
}

impl TrustRegion {
    const SHARE: f64 = 1e-4;
    /// The size after an undamped step has failed.
    const FIRST: f64 = 100.0;
    /// Above this size the damping is below rounding, and the step is undamped.
    const FREE: f64 = 1e8;
    /// The growth factor after a shrink, and the largest one after several good predictions. If the size grew at once
    /// as much as it had shrunk, every other step would be rejected.
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

/// The gradient relative to the column norms of J, if these are known, so that vanishing derivatives do not make it
/// small.
fn gradient_of(known: &Known) -> f64 {
    let relative = known.model().and_then(Model::relative_gradient);
    relative.map_or_else(|| known.norm(), |cosine| cosine * known.square.sqrt())
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
            // half, since gradients at the level of rounding differ by chance; and a long step may increase the loss
            // and end where the derivatives have vanished
            let falls = gradient_of(there) < 0.5 * gradient_of(here);
            let rises = there.loss > here.loss + 8.0 * here.rounding();
            return if falls && !rises { Verdict::Accept } else { Verdict::Settled };
        }
        let ratio = (here.loss - there.loss) / predicted;
        match ratio {
            r if r > 0.75 => self.grow(),
            r if r >= 0.25 => {}
            // NaN counts as a bad prediction; otherwise undamped trials would be repeated without end
            r => self.shrink(if r > 0.0 { 4.0 } else { 10.0 }),
        }
        match ratio > Self::SHARE {
            true => Verdict::Accept,
            false if self.size > f64::MIN_POSITIVE => Verdict::Reject,
            false => Verdict::Settled,
        }
    }
}
