//! A *setting* is what the statements of the theory assume.

use std::f64::consts::SQRT_2;

use crate::activation::{Activation, Envelope};
use crate::error::{Error, ErrorKind, Result};
use crate::simulate::{LabelNoise, Shape};

/// The noise as the theory sees it, with ς.
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
    /// Whether the paper's φ_τ goes without 1/τ, so that γ = τ.
    bounded: bool,
    pub(super) radius: f64,
    pub(super) noise: Perturbation,
    /// s, the deviation of a covariate.
    pub(super) deviation: f64,
    /// q, by which singular values of a sample stray from one; zero for the population.
    pub(super) spread: f64,
}

impl Setting {
    /// Deviations of a normal variable by which singular values may stray: they do with probability e^{−8} at most.
    const SURE: f64 = 4.0;
    /// The largest R; beyond it nothing is left to say but rounding.
    const FARTHEST: f64 = 1e6;

    /// The setting of ‖w_*‖ ≤ `radius` and this noise, over the population. The number of features matters under noise
    /// after φ only, whose design is N(0, I)/√d.
    ///
    /// # Errors
    /// If the activation has no envelope, or the theory has no statement for this radius or noise.
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
        if !(radius > 0.0 && radius <= Self::FARTHEST) {
            return Err(Error::parameter("radius", radius, "it must be above 0 and at most 1e6"));
        }
        if features == Some(0) {
            return Err(Error::parameter("the number of features", 0, "there must be at least one"));
        }
        let range = activation.range();
        let noise = perturbation(noise)?;
        let deviation = match noise {
            Perturbation::Post(width) => {
                require_post(&name, &envelope, radius, width)?;
                1.0 / (require_features(features)? as f64).sqrt()
            }
            Perturbation::None | Perturbation::Pre(_) => 1.0,
        };
        let bounded = range.lo.is_finite() && range.hi.is_finite();
        Ok(Setting { envelope, bounded, radius, noise, deviation, spread: 0.0 })
    }

    /// The same setting for this number of features. It matters under noise after φ only.
    pub(super) fn with_features(mut self, features: usize) -> Setting {
        if matches!(self.noise, Perturbation::Post(_)) {
            self.deviation = 1.0 / (features.max(1) as f64).sqrt();
        }
        self
    }

    /// The same setting for a sample of `rows` rows of `features` covariates. Eigenvalues of XᵀX/n then lie between (1 − q)²
    /// and (1 + q)² times s², q = √(d/n) + 4/√n, but for a chance of e^{−8}.
    ///
    /// # Errors
    /// If there are too few rows for the lower bound to be above zero.
    ///
    /// Reference: Davidson and Szarek (2001).
    pub fn on_sample(mut self, rows: usize, features: usize) -> Result<Setting> {
        self.spread = ((features as f64).sqrt() + Self::SURE) / (rows as f64).sqrt();
        if self.spread < 1.0 {
            return Ok(self);
        }
        let least = ((features as f64).sqrt() + Self::SURE).powi(2).floor() + 1.0;
        let allowed = format!("the theory of a sample needs at least {least} rows for {features} features");
        Err(Error::parameter("rows", rows, &allowed))
    }

    /// R.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The noise with its ς.
    pub fn noise(&self) -> Perturbation {
        self.noise
    }

    /// γ(τ): the paper's L_τ is γ² times the oracle's L̂_τ. τ for bounded activations, else 1.
    pub fn gamma(&self, tau: f64) -> f64 {
        if self.bounded { tau } else { 1.0 }
    }

    /// N, the bound on what noise adds to E|z − ẑ|: 6ς before φ, 3Kς after it.
    pub(super) fn noise_term(&self) -> f64 {
        match self.noise {
            Perturbation::None => 0.0,
            Perturbation::Pre(scale) => 6.0 * scale,
            Perturbation::Post(width) => 3.0 * self.envelope.inverse_slope * width,
        }
    }
}

fn perturbation(noise: LabelNoise) -> Result<Perturbation> {
    let unbounded = |kind: &str| {
        let allowed =
            "the theory of noise after φ needs a bound on it; use `post:S:uniform` with the largest error as S";
        Err(Error::parameter("noise", kind, allowed))
    };
    match noise {
        LabelNoise::Pre(scale, _) | LabelNoise::Post(scale, _) | LabelNoise::Multiplicative(scale)
            if !(scale >= 0.0 && scale.is_finite()) =>
        {
            Err(Error::parameter("the noise", scale, "its scale must be finite and not negative"))
        }
        LabelNoise::None | LabelNoise::Pre(0.0, _) | LabelNoise::Post(0.0, Shape::Uniform) => Ok(Perturbation::None),
        // E e^{tε} = e^{S²t²/2}, and at most that for signs; for the uniform S²t²/6
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
    features.ok_or_else(|| Error::parameter("the number of features", "not given", allowed))
}
