//! A *setting* is the set of assumptions of the theory.

use std::f64::consts::SQRT_2;

use crate::activation::{Activation, Envelope};
use crate::error::{Error, ErrorKind, Result};
use crate::simulate::{LabelNoise, Shape};

/// The noise in the theory, with its scale ς.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Perturbation {
    /// y = φ(xᵀw).
    None,
    /// y = φ(xᵀw + ε) with E e^{tε} ≤ e^{ς²t²} for all t.
    Pre(f64),
    /// y = φ(xᵀw) + ε with |ε| ≤ ς.
    Post(f64),
}

/// The activation, ‖w_*‖ ≤ R, the noise and the design.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    pub(super) envelope: Envelope,
    /// Whether the paper graduates φ without 1/τ, so that γ = τ.
    bounded: bool,
    pub(super) radius: f64,
    pub(super) noise: Perturbation,
    /// s, the standard deviation of a covariate.
    pub(super) sigma: f64,
    /// q, the largest deviation of a singular value of X/(s√n) from one in a sample; zero for the population.
    pub(super) spread: f64,
}

impl Setting {
    /// Number of standard deviations of a normal variable in q. A singular value deviates more with probability at most
    /// e^{−8}.
    const SURE: f64 = 4.0;
    /// The largest R. Beyond it the constants are only rounding errors.
    const LARGEST_RADIUS: f64 = 1e6;

    /// The setting with ‖w_*‖ ≤ `radius` and this noise, for the population. The number of features is used only for
    /// noise after φ, where the design is N(0, I)/√d.
    ///
    /// # Errors
    /// If the activation has no envelope, or the theory does not cover this radius or noise.
    pub fn new(
        activation: &dyn Activation,
        radius: f64,
        noise: LabelNoise,
        features: Option<usize>,
    ) -> Result<Setting> {
        let name = activation.name();
        let Some(envelope) = activation.envelope() else {
            let allowed = "the theory has constants for sigmoid, softplus and leaky-softplus only";
            return Err(Error::parameter("activation", format!("`{name}`"), allowed));
        };
        if !(radius > 0.0 && radius <= Self::LARGEST_RADIUS) {
            return Err(Error::parameter("radius", radius, "it must be above 0 and at most 1e6"));
        }
        if features == Some(0) {
            return Err(Error::parameter("the number of covariates", 0, "there must be at least one"));
        }
        let range = activation.range();
        let noise = perturbation(noise)?;
        let sigma = match noise {
            Perturbation::Post(width) => {
                require_post(&name, &envelope, radius, width)?;
                1.0 / (require_features(features)? as f64).sqrt()
            }
            Perturbation::None | Perturbation::Pre(_) => 1.0,
        };
        let bounded = range.lo.is_finite() && range.hi.is_finite();
        Ok(Setting { envelope, bounded, radius, noise, sigma, spread: 0.0 })
    }

    /// The same setting for this number of features. It matters only for noise after φ.
    pub(super) fn with_features(mut self, features: usize) -> Setting {
        if matches!(self.noise, Perturbation::Post(_)) {
            self.sigma = 1.0 / (features.max(1) as f64).sqrt();
        }
        self
    }

    /// The same setting for a sample of `rows` rows with `features` covariates. The eigenvalues of XᵀX/n then lie
    /// between (1 − q)²s² and (1 + q)²s², q = √(d/n) + 4/√n, except with probability e^{−8}.
    ///
    /// # Errors
    /// If there are so few rows that the lower bound is not positive.
    ///
    /// Reference: Davidson and Szarek (2001).
    pub fn on_sample(mut self, rows: usize, features: usize) -> Result<Setting> {
        self.spread = ((features as f64).sqrt() + Self::SURE) / (rows as f64).sqrt();
        if self.spread < 1.0 {
            return Ok(self);
        }
        let least = ((features as f64).sqrt() + Self::SURE).powi(2).floor() + 1.0;
        let allowed = format!("the theory of a sample needs at least {least} rows for {features} covariates");
        Err(Error::parameter("rows", rows, &allowed))
    }

    /// R.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The noise, with its scale ς.
    pub fn noise(&self) -> Perturbation {
        self.noise
    }

    /// γ(τ): the paper's L_τ is γ² times the oracle's L̂_τ. It is τ for bounded activations and 1 for the others.
    pub fn gamma(&self, tau: f64) -> f64 {
        if self.bounded { tau } else { 1.0 }
    }

    /// N, the bound on the part of E|z − ẑ| that comes from noise: 6ς before φ, 3Kς after φ.
    pub(super) fn noise_term(&self) -> f64 {
        match self.noise {
            Perturbation::None => 0.0,
            Perturbation::Pre(scale) => 6.0 * scale,
            Perturbation::Post(width) => 3.0 * self.envelope.inverse_lipschitz * width,
        }
    }
}

fn perturbation(noise: LabelNoise) -> Result<Perturbation> {
    let unbounded = |kind: &str| {
        let allowed = "the theory of noise after φ needs a bound on it; use `post:S:uniform` with the largest absolute noise as S";
        Err(Error::parameter("noise", kind, allowed))
    };
    match noise {
        LabelNoise::Pre(scale, _) | LabelNoise::Post(scale, _) | LabelNoise::Multiplicative(scale)
            if !(scale >= 0.0 && scale.is_finite()) =>
        {
            Err(Error::parameter("the noise", scale, "its scale must be finite and not negative"))
        }
        LabelNoise::None | LabelNoise::Pre(0.0, _) | LabelNoise::Post(0.0, Shape::Uniform) => Ok(Perturbation::None),
        // ln E e^{tε} is S²t²/2 for the normal distribution, at most that for signs, and at most S²t²/6 for the uniform
        // one
        LabelNoise::Pre(scale, Shape::Gauss | Shape::Sign) => Ok(Perturbation::Pre(scale / SQRT_2)),
        LabelNoise::Pre(scale, Shape::Uniform) => Ok(Perturbation::Pre(scale / 6.0_f64.sqrt())),
        LabelNoise::Post(width, Shape::Uniform | Shape::Sign) => Ok(Perturbation::Post(width)),
        LabelNoise::Pre(_, Shape::Truncated) => {
            Err(Error::parameter("noise", "truncated before φ", "before φ it must be gauss, uniform or sign"))
        }
        LabelNoise::Post(_, Shape::Gauss) => unbounded("gaussian after φ"),
        LabelNoise::Post(_, Shape::Truncated) => unbounded("truncated after φ"),
        LabelNoise::Multiplicative(_) => unbounded("multiplicative"),
    }
}

fn require_post(name: &str, envelope: &Envelope, radius: f64, width: f64) -> Result<()> {
    if radius > 1.0 {
        return Err(ErrorKind::Incompatible {
            one: "the theory of noise after φ".into(),
            other: format!("radius {radius}"),
            reason: "the radius must be at most 1".into(),
        }
        .into());
    }
    if width > envelope.widest_noise {
        let allowed = format!(
            "after {name} it may be at most {}, so that responses stay inside the range",
            envelope.widest_noise
        );
        return Err(Error::parameter("the noise", width, &allowed));
    }
    Ok(())
}

fn require_features(features: Option<usize>) -> Result<usize> {
    let allowed = "the theory of noise after φ is for covariates N(0, I)/√d and needs d";
    features.ok_or_else(|| Error::parameter("the number of covariates", "not given", allowed))
}
