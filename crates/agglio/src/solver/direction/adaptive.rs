//! *Adaptive* directions: each coordinate is scaled by the size of its own recent gradients.

use crate::error::Result;
use crate::solver::direction::{Direction, Point, promised};
use crate::solver::schedule::Stage;

/// How the second moment v follows the squared gradient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Second {
    /// v ← β₂v + (1−β₂)g². Kingma and Ba (2015).
    Adam,
    /// v ← v − (1−β₂)·sign(v − g²)·g², which forgets more slowly. Zaheer et al. (2018).
    Yogi,
}

/// What Yogi's second moment begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum V0 {
    /// v₀ = 0, and v̂ = v/(1 − β₂^t): what the paper of AGGLIO found to do better.
    #[default]
    Zero,
    /// v₀ = g₁², the square of the first gradient, as Yogi's authors advise. Such a v has no bias towards zero, so v̂ = v.
    Gradient,
}

/// p = −α·m̂/(√v̂ + α₀·Λ), with bias-corrected moments from m₀ = v₀ = 0 and α₀ the first α.
///
/// Far from the optimum, where √v̂ dominates, every coordinate moves by about α; near it the step is that of
/// gradient descent with 1/Λ, so a noiseless fit ends at rounding level. The textbook constant in place of αΛ
/// leaves an error of 1e-4 there.
#[derive(Clone, Debug)]
pub struct Adaptive {
    second: Second,
    /// α₀·Λ. It stays while α decays, or the step near the optimum would remain 1/Λ whatever α does.
    floor: f64,
    betas: (f64, f64),
    v0: V0,
    steps: i32,
    m: Vec<f64>,
    v: Vec<f64>,
}

impl Adaptive {
    /// `floor` is α₀·Λ of the batch; `betas` are (β₁, β₂), (.9, .99) in the presets.
    pub fn new(second: Second, floor: f64, betas: (f64, f64)) -> Adaptive {
        Adaptive { second, floor, betas, v0: V0::Zero, steps: 0, m: Vec::new(), v: Vec::new() }
    }

    /// Begins with this v₀. Yogi takes it again at each temperature.
    pub fn with_v0(mut self, v0: V0) -> Adaptive {
        self.v0 = v0;
        self
    }

    /// Puts v₀ in the place of v before the first step.
    fn begin(&mut self, gradient: &[f64]) {
        self.v.clear();
        match self.v0 {
            V0::Zero => self.v.resize(gradient.len(), 0.0),
            V0::Gradient => self.v.extend(gradient.iter().map(|g| g * g)),
        }
    }

    /// What v is divided by to undo its bias towards zero.
    fn bias(&self) -> f64 {
        match self.v0 {
            V0::Zero => 1.0 - self.betas.1.powi(self.steps),
            V0::Gradient => 1.0,
        }
    }
}

impl Direction for Adaptive {
    /// Yogi's v falls by no more than (1−β₂)g² a step, so the large gradients of a far start would hold it back for
    /// ever; each temperature is another objective, and v begins anew with it. Adam forgets by itself.
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
            // a coordinate without any gradient, such as a dead column's, stays where it is
            p[j] = if *m == 0.0 { 0.0 } else { -size * (*m / bias1) / ((*v / bias2).sqrt() + self.floor) };
        }
        Ok(promised(&here.known.gradient, p))
    }
}
