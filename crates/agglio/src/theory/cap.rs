//! *Caps* on the temperature, above which noise leaves no convexity.

use crate::theory::{Perturbation, Setting};

/// The temperatures up to which the theory holds under noise; infinite without.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Caps {
    /// From the strong convexity: least/(3·2bL·N), the noise taking a third of it.
    pub convexity: f64,
    /// From the smoothness: the noise adding at most half to what is printed for it.
    pub smoothness: f64,
}

impl Caps {
    /// τ_max: the lower of the two, one at most, and above zero, which is another end and not a place on the way.
    pub fn strictest(&self) -> f64 {
        self.convexity.min(self.smoothness).clamp(f64::MIN_POSITIVE, 1.0)
    }
}

impl Setting {
    /// Both caps as printed: under noise after φ three times and twice as high as [`Setting::caps`].
    pub fn printed_caps(&self) -> Caps {
        let Caps { convexity, smoothness } = self.caps();
        match self.noise {
            Perturbation::Post(_) => Caps { convexity: 3.0 * convexity, smoothness: 2.0 * smoothness },
            Perturbation::None | Perturbation::Pre(_) => Caps { convexity, smoothness },
        }
    }

    /// Both caps, at m_r = R and with e^{−a} for e^{−aτ} as the paper has them.
    ///
    /// The first is the paper's loose step: m_r is R + r. Since τ ≤ 1 the second makes the caps lower, not higher. The
    /// temperatures of [`Setting::temperature`] are held to the true m_r as well. Reference: appendices `app:elss-noisy` and
    /// `app:elsc-noisy`, with 79 for the printed 26 and half of both caps of smoothness under noise after φ.
    pub fn caps(&self) -> Caps {
        let c = self.reach(0.0, 1.0);
        let noise = self.second_derivative(self.envelope.largest_slope) * self.noise_term();
        Caps {
            convexity: self.envelope.least(c) / (3.0 * noise),
            smoothness: self.envelope.printed_most(c) / (2.0 * noise),
        }
    }
}
