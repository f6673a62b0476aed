//! *Adaptive* directions divide each coordinate by the size of its recent gradients.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::solver::direction::{Direction, Point, predicted_decrease};
use crate::solver::schedule::Stage;

/// The update of the second moment v.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Second {
    /// v ← β₂v + (1−β₂)g². Kingma and Ba (2015).
    Adam,
    /// v ← v − (1−β₂)·sign(v − g²)·g², which decreases more slowly. Zaheer et al. (2018).
    Yogi,
}

/// The initial value v₀ of the second moment of Yogi.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum V0 {
    /// v₀ = 0, with v̂ = v/(1 − β₂^t). The AGGLIO paper reports better results with it.
    #[default]
    Zero,
    /// v₀ = g₁², the square of the first gradient, as the authors of Yogi advise. It has no bias towards zero, so v̂ =
    /// v.
    Gradient,
}

/// `p = −α·m̂/(√v̂ + α₀·Λ)`, with bias-corrected moments from m₀ = v₀ = 0, and α₀ the first α
///
/// Far from the optimum √v̂ dominates, and every coordinate moves by about α. Near the optimum the step is that of
/// gradient descent with 1/Λ, so a noiseless fit ends at rounding level. The textbook constant ε in place of α₀Λ leaves
/// an error of 1e-4.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Adaptive {
    second: Second,
    /// α₀·Λ. It does not decay with α: otherwise the step near the optimum would stay 1/Λ for every α.
    floor: f64,
    betas: (f64, f64),
    v0: V0,
    steps: i32,
    m: Vec<f64>,
    v: Vec<f64>,
}

impl Adaptive {
    /// `floor` is α₀·Λ of the batch; `betas` are (β₁, β₂), which are (0.9, 0.99) in the presets.
    pub fn new(second: Second, floor: f64, betas: (f64, f64)) -> Adaptive {
        Adaptive { second, floor, betas, v0: V0::Zero, steps: 0, m: Vec::new(), v: Vec::new() }
    }

    /// Sets v₀. Yogi uses it again at each temperature. Default: [`V0::Zero`].
    pub fn with_v0(mut self, v0: V0) -> Adaptive {
        self.v0 = v0;
        self
    }

    /// Sets v to v₀ before the first step.
    fn begin(&mut self, gradient: &[f64]) {
        self.v.clear();
        match self.v0 {
            V0::Zero => self.v.resize(gradient.len(), 0.0),
            V0::Gradient => self.v.extend(gradient.iter().map(|g| g * g)),
        }
    }

    /// The divisor of v that removes its bias towards zero.
    fn bias(&self) -> f64 {
        match self.v0 {
            V0::Zero => 1.0 - self.betas.1.powi(self.steps),
            V0::Gradient => 1.0,
        }
    }
}

impl Direction for Adaptive {
    /// Yogi's v decreases by at most (1−β₂)g² per step, so the large gradients of a distant start would keep it large
    /// for too long. Each temperature is another objective, so v is reset. Adam forgets fast enough.
    fn on_new_objective(&mut self, _: &Stage) {
        if self.second == Second::Yogi {
            self.steps = 0;
            self.m.fill(0.0);
        }
    }

    fn displace(&mut self, size: f64, here: &Point<'_>, p: &mut [f64]) -> Result<f64> {
        let (beta1, beta2) = self.betas;
        self.m.resize(p.len(), 0.0);
        if self.steps == 0 {
            self.begin(&here.known.gradient);
        }
        self.steps = self.steps.saturating_add(1);
        let (bias1, bias2) = (1.0 - beta1.powi(self.steps), self.bias());
        for (j, &g) in here.known.gradient.iter().enumerate() {
            let (m, v) = (&mut self.m[j], &mut self.v[j]);
            *m = beta1 * *m + (1.0 - beta1) * g;
            let squared = g * g;
            *v = match self.second {
                Second::Adam => beta2 * *v + (1.0 - beta2) * squared,
                Second::Yogi if *v == squared => *v,
                Second::Yogi => *v - (1.0 - beta2) * (*v - squared).signum() * squared,
            };
            // a coordinate without a gradient, such as a constant column, does not move
            p[j] = if *m == 0.0 { 0.0 } else { -size * (*m / bias1) / ((*v / bias2).sqrt() + self.floor) };
        }
        Ok(predicted_decrease(&here.known.gradient, p))
    }
}
