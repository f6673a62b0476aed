//! *Simulated* data have a known true model, as in the experiments of the paper (`sec:exps`) and in variants of them.

use std::str::FromStr;
use std::sync::Arc;

use crate::activation::{Activation, Range};
use crate::error::{Error, Result};
use crate::math::rng::{Random, Stream};

/// The distribution of the covariates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Design {
    /// N(0, I)/√d, as in the experiments of the paper. The default.
    #[default]
    Scaled,
    /// N(0, I), as in the theory of the paper.
    Normal,
    /// N(0, Σ) with Σ_jk = ρ^|j−k|.
    Correlated(f64),
    /// Uniform on [−√3, √3], with variance one.
    Uniform,
    /// Student's t with ν degrees of freedom.
    Student(f64),
}

/// Where the noise ε enters, with its scale S.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum LabelNoise {
    /// y = φ(xᵀw). The default.
    #[default]
    None,
    /// y = φ(xᵀw + ε).
    Pre(f64, Shape),
    /// y = φ(xᵀw) + ε.
    Post(f64, Shape),
    /// y = φ(xᵀw)·(1 + ε) with ε ~ N(0, S²).
    Multiplicative(f64),
}

/// The distribution of ε.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// N(0, S²).
    Gauss,
    /// Uniform on [−S, S].
    Uniform,
    /// ±S with equal probability.
    Sign,
    /// N(0, S²), drawn again until the response lies inside the range of φ.
    Truncated,
}

/// The parameters of a simulation.
#[derive(Clone, Debug)]
pub struct Simulation {
    activation: Arc<dyn Activation>,
    rows: usize,
    features: usize,
    norm: Option<f64>,
    design: Design,
    noise: LabelNoise,
    seed: u64,
}

/// Data and their true model.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulated {
    /// Covariates, row by row.
    pub values: Vec<f64>,
    /// Responses.
    pub labels: Vec<f64>,
    /// w_*.
    pub truth: Vec<f64>,
}

impl Simulation {
    /// `rows` rows of `features` covariates. Defaults: scaled design, no noise, w_* ~ N(0, I), seed 0.
    pub fn new(activation: Arc<dyn Activation>, rows: usize, features: usize) -> Simulation {
        let (design, noise) = (Design::default(), LabelNoise::default());
        Simulation { activation, rows, features, norm: None, design, noise, seed: 0 }
    }

    /// Scales w_* to this norm. Default: w_* is not scaled.
    pub fn norm(mut self, norm: f64) -> Simulation {
        self.norm = Some(norm);
        self
    }

    /// Sets the distribution of the covariates. Default: N(0, I)/√d.
    pub fn design(mut self, design: Design) -> Simulation {
        self.design = design;
        self
    }

    /// Sets the noise. Default: none.
    pub fn noise(mut self, noise: LabelNoise) -> Simulation {
        self.noise = noise;
        self
    }

    /// Sets the seed. Default: 0.
    pub fn seed(mut self, seed: u64) -> Simulation {
        self.seed = seed;
        self
    }

    /// Draws the data.
    ///
    /// # Errors
    /// If a parameter is outside its range, or the responses overflow.
    pub fn draw(&self) -> Result<Simulated> {
        self.check()?;
        let truth = self.draw_truth();
        let values = self.draw_values();
        let labels = self.draw_labels(&values, &truth);
        if labels.iter().any(|y| !y.is_finite()) {
            return Err(Error::data(format!(
                "the responses of {} overflow; use a smaller norm",
                self.activation.name()
            )));
        }
        Ok(Simulated { values, labels, truth })
    }

    fn check(&self) -> Result<()> {
        if self.rows == 0 || self.features == 0 {
            let size = format!("{} × {}", self.rows, self.features);
            return Err(Error::parameter(
                "the table to simulate",
                size,
                "it must have at least one row and one covariate",
            ));
        }
        if self
            .rows
            .checked_mul(self.features)
            .and_then(|size| size.checked_mul(8))
            .is_none_or(|size| size > isize::MAX as usize)
        {
            return Err(Error::parameter("the table to simulate", "too large", "it must fit into memory"));
        }
        let within = |name: &str, value: f64, ok: bool, allowed: &str| match ok && value.is_finite() {
            true => Ok(()),
            false => Err(Error::parameter(name, value, allowed)),
        };
        if let Some(norm) = self.norm {
            within("norm", norm, norm >= 0.0, "it must be finite and not negative")?;
        }
        match self.design {
            Design::Correlated(rho) => {
                within("the correlation", rho, rho.abs() < 1.0, "it must be above -1 and below 1")?
            }
            Design::Student(nu) => within("the degrees of freedom", nu, nu > 0.0, "they must be finite and positive")?,
            Design::Scaled | Design::Normal | Design::Uniform => {}
        }
        match self.noise {
            LabelNoise::None => Ok(()),
            LabelNoise::Pre(s, _) | LabelNoise::Post(s, _) | LabelNoise::Multiplicative(s) => {
                within("the noise", s, s >= 0.0, "its scale must be finite and not negative")
            }
        }
    }

    fn draw_truth(&self) -> Vec<f64> {
        let mut random = Random::new(self.seed, Stream::Truth);
        let mut truth: Vec<f64> = (0..self.features).map(|_| random.normal()).collect();
        if let Some(norm) = self.norm {
            let drawn = truth.iter().map(|w| w * w).sum::<f64>().sqrt();
            truth.iter_mut().for_each(|w| *w *= norm / drawn);
        }
        truth
    }

    fn draw_values(&self) -> Vec<f64> {
        let mut random = Random::new(self.seed, Stream::Covariates);
        let scale = 1.0 / (self.features as f64).sqrt();
        let mut last = 0.0;
        let entry = |j: usize| {
            last = match self.design {
                Design::Scaled => random.normal() * scale,
                Design::Normal => random.normal(),
                Design::Correlated(_) if j == 0 => random.normal(),
                Design::Correlated(rho) => rho * last + (1.0 - rho * rho).sqrt() * random.normal(),
                Design::Uniform => 3.0_f64.sqrt() * (2.0 * random.uniform() - 1.0),
                Design::Student(nu) => random.normal() / (2.0 * gamma(&mut random, nu / 2.0) / nu).sqrt(),
            };
            last
        };
        (0..self.rows).flat_map(|_| 0..self.features).map(entry).collect()
    }

    fn draw_labels(&self, values: &[f64], truth: &[f64]) -> Vec<f64> {
        let mut random = Random::new(self.seed, Stream::Noise);
        let dot = |x: &[f64]| x.iter().zip(truth).map(|(x, w)| x * w).sum::<f64>();
        values.chunks(self.features).map(|x| self.label(dot(x), &mut random)).collect()
    }

    fn label(&self, z: f64, random: &mut Random) -> f64 {
        let phi = |z| self.activation.value(z);
        match self.noise {
            LabelNoise::None => phi(z),
            LabelNoise::Pre(scale, shape) => phi(z + shape.draw(scale, 0.0, Range::REALS, random)),
            LabelNoise::Post(scale, shape) => phi(z) + shape.draw(scale, phi(z), self.activation.range(), random),
            LabelNoise::Multiplicative(scale) => phi(z) * (1.0 + scale * random.normal()),
        }
    }
}

impl Shape {
    /// Maximum number of draws of truncated noise. After that the noise is zero: the mean lies at the edge of the
    /// range.
    const MOST_DRAWS: usize = 1000;

    fn draw(self, scale: f64, mean: f64, range: Range, random: &mut Random) -> f64 {
        match self {
            Shape::Gauss => scale * random.normal(),
            Shape::Uniform => scale * (2.0 * random.uniform() - 1.0),
            Shape::Sign => scale * random.sign(),
            Shape::Truncated => {
                let draws = std::iter::repeat_with(|| truncated(scale, mean, range, random)).take(Self::MOST_DRAWS);
                draws.flatten().find(|noise| range.contains(mean + noise)).unwrap_or(0.0)
            }
        }
    }
}

/// A proposal of normal noise for a mean in the range, or none if the proposal was rejected.
fn truncated(scale: f64, mean: f64, range: Range, random: &mut Random) -> Option<f64> {
    let width = range.hi - range.lo;
    if scale < width {
        return Some(scale * random.normal());
    }
    // wide noise would rarely fall into the range, in which its density is nearly constant: draw from a uniform
    // distribution
    let noise = range.lo + width * random.uniform() - mean;
    let deviations = noise / scale;
    (random.uniform() < libm::exp(-0.5 * deviations * deviations)).then_some(noise)
}

/// A draw from the gamma distribution with the given shape and scale one. Reference: Marsaglia and Tsang (2000).
fn gamma(random: &mut Random, shape: f64) -> f64 {
    if shape < 1.0 {
        let boost = libm::pow(random.uniform(), 1.0 / shape);
        return gamma(random, shape + 1.0) * boost;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = random.normal();
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && libm::log(random.uniform()) < 0.5 * x * x + d - d * v + d * libm::log(v) {
            return d * v;
        }
    }
}

impl FromStr for Design {
    type Err = Error;

    /// `scaled`, `normal`, `corr:R`, `uniform` or `t:NU`.
    fn from_str(text: &str) -> Result<Design> {
        match text.split_once(':') {
            None if text == "scaled" => Ok(Design::Scaled),
            None if text == "normal" => Ok(Design::Normal),
            None if text == "uniform" => Ok(Design::Uniform),
            Some(("corr", rho)) => Ok(Design::Correlated(number("the correlation", rho)?)),
            Some(("t", nu)) => Ok(Design::Student(number("the degrees of freedom", nu)?)),
            _ => Err(Error::parameter(
                "design",
                format!("`{text}`"),
                "it must be scaled, normal, corr:R, uniform or t:NU",
            )),
        }
    }
}

impl FromStr for LabelNoise {
    type Err = Error;

    /// `none`, `pre:S[:gauss|uniform|sign]`, `post:S[:gauss|uniform|truncated]` or `mult:S`.
    fn from_str(text: &str) -> Result<LabelNoise> {
        let scale = |s| number("the scale of the noise", s);
        let parts: Vec<&str> = text.split(':').collect();
        match parts.as_slice() {
            ["none"] => Ok(LabelNoise::None),
            ["mult", s] => Ok(LabelNoise::Multiplicative(scale(s)?)),
            ["pre", s] | ["pre", s, "gauss"] => Ok(LabelNoise::Pre(scale(s)?, Shape::Gauss)),
            ["pre", s, "uniform"] => Ok(LabelNoise::Pre(scale(s)?, Shape::Uniform)),
            ["pre", s, "sign"] => Ok(LabelNoise::Pre(scale(s)?, Shape::Sign)),
            ["post", s] | ["post", s, "gauss"] => Ok(LabelNoise::Post(scale(s)?, Shape::Gauss)),
            ["post", s, "uniform"] => Ok(LabelNoise::Post(scale(s)?, Shape::Uniform)),
            ["post", s, "truncated"] => Ok(LabelNoise::Post(scale(s)?, Shape::Truncated)),
            _ => Err(Error::parameter(
                "noise",
                format!("`{text}`"),
                "it must be none, pre:S[:gauss|uniform|sign], post:S[:gauss|uniform|truncated] or mult:S",
            )),
        }
    }
}

fn number(name: &str, text: &str) -> Result<f64> {
    text.parse().map_err(|_| Error::parameter(name, format!("`{text}`"), "it must be a number"))
}
