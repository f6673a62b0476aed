//! A *cap* is an upper bound on the temperature. Above it, the noise makes the convexity bound useless.

use crate::theory::{Perturbation, Setting};

/// The temperatures up to which the theory holds under noise; infinite without noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Caps {
    /// From strong convexity: least/(3·2bL·N), so that the noise takes at most a third of it.
    pub convexity: f64,
    /// From smoothness: the noise adds at most half of the printed bound.
    pub smoothness: f64,
}

impl Caps {
    /// τ_max: the smaller of the two caps, at most one. It is never zero, since τ_max = 0 would mean the linear fit.
    pub fn strictest(&self) -> f64 {
        self.convexity.min(self.smoothness).clamp(f64::MIN_POSITIVE, 1.0)
    }
}

impl Setting {
    /// Both caps as the paper prints them. Under noise after φ they are three times and twice as high as
    /// [`Setting::caps`].
    pub fn printed_caps(&self) -> Caps {
        let Caps { convexity, smoothness } = self.caps();
        match self.noise {
            Perturbation::Post(_) => Caps { convexity: 3.0 * convexity, smoothness: 2.0 * smoothness },
            Perturbation::None | Perturbation::Pre(_) => Caps { convexity, smoothness },
        }
    }

    /// Both caps, with m_r = R and with e^{−a} for e^{−aτ} as in the paper.
    ///
    /// m_r = R is a simplification of the paper; the exact value is R + r. e^{−a} makes the caps lower, not higher,
    /// since τ ≤ 1. The temperatures of [`Setting::temperature`] also respect the exact m_r. Reference: appendices
    /// `app:elss-noisy` and `app:elsc-noisy`, with 79 for the printed 26 and half of both smoothness caps under noise
    /// after φ.
    pub fn caps(&self) -> Caps {
        let c = self.reach(0.0, 1.0);
        let noise = self.second_order_factor(self.envelope.largest_slope) * self.noise_term();
        Caps {
            convexity: self.envelope.least(c) / (3.0 * noise),
            smoothness: self.envelope.printed_most(c) / (2.0 * noise),
        }
    }
}
