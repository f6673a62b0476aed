//! A *landscape*: the loss in a plane through w*, at any temperature.

use std::sync::Arc;

use crate::error::Result;
use agglio::activation::Activation;
use agglio::math::rng::{Random, Stream};
use agglio::oracle::{Batch, Driver, Oracle, Problem};
use agglio::rows::Dense;
use agglio::simulate::Simulation;
use agglio::theory::Constants;
use agglio::theory::measure::{Around, extremes_at};

use crate::figure::Surface;

/// Rows and columns of the simulated data.
pub const ROWS: usize = 1000;
/// See [`ROWS`].
pub const FEATURES: usize = 50;
/// How far the plane reaches from w* to either side. So far, the sigmoid's heights are those of the paper.
pub const HALF_WIDTH: f64 = 80.0;
/// Radii of balls around w* that convexity is measured in, each twice the one before.
pub const RADII: [f64; 9] = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];
/// Points of each ball.
pub const POINTS: usize = 16;
/// No label is so near to a bound that it would have to be kept off it.
const MARGIN: f64 = 1e-12;

/// Simulated data without noise, and a plane through the w* that made it.
#[derive(Debug)]
pub struct Landscape {
    activation: Arc<dyn Activation>,
    rows: Dense,
    truth: Vec<f64>,
    /// Of length one and orthogonal; the first points from w* to the origin, so that what is high is behind.
    sides: [Vec<f64>; 2],
    seed: u64,
}

impl Landscape {
    /// Draws data and plane.
    ///
    /// # Errors
    /// If labels overflow.
    pub fn new(activation: Arc<dyn Activation>, seed: u64) -> Result<Landscape> {
        let drawn = Simulation::new(activation.clone(), ROWS, FEATURES).seed(seed).draw()?;
        let rows = Dense::new(drawn.values, FEATURES, drawn.labels)?;
        let mut random = Random::new(seed, Stream::Probes);
        let first = unit(drawn.truth.iter().map(|w| -w).collect());
        let other: Vec<f64> = (0..FEATURES).map(|_| random.normal()).collect();
        let overlap = dot(&first, &other);
        let second = unit(other.iter().zip(&first).map(|(v, u)| v - overlap * u).collect());
        Ok(Landscape { activation, rows, truth: drawn.truth, sides: [first, second], seed })
    }

    /// γ(τ)², which leads from the oracle's L̂_τ to the paper's L_τ.
    fn unit(&self, tau: f64) -> f64 {
        gamma(&*self.activation, tau).powi(2)
    }

    fn oracle(&self) -> Result<Driver> {
        Ok(Problem { margins: vec![MARGIN], ..Problem::plain(self.activation.clone()) }.on(&self.rows)?)
    }

    /// L_τ at points of the plane, in the paper's scale.
    fn losses(&self, tau: f64, points: &[[f64; 2]]) -> Result<Vec<f64>> {
        let [u, v] = &self.sides;
        let point = |[a, b]: &[f64; 2]| -> Vec<f64> {
            self.truth.iter().zip(u).zip(v).map(|((w, u), v)| w + a * u + b * v).collect()
        };
        let thetas: Vec<Vec<f64>> = points.iter().map(point).collect();
        Ok(self.oracle()?.losses(&thetas, tau, Batch::All)?.iter().map(|loss| self.unit(tau) * loss).collect())
    }

    /// The heights over a grid.
    ///
    /// # Errors
    /// None that a user could cause.
    pub fn surface(&self, tau: f64, side: usize) -> Result<Surface> {
        let along = grid(side);
        let points: Vec<[f64; 2]> = along.iter().flat_map(|b| along.iter().map(|a| [*a, *b])).collect();
        let z = self.losses(tau, &points)?.chunks(side.max(1)).map(<[f64]>::to_vec).collect();
        Ok(Surface { x: along.clone(), y: along, z, label: "loss".into() })
    }

    /// The radius of the largest ball around w* in which the loss is convex wherever it was looked at; 0 if in none.
    ///
    /// # Errors
    /// None that a user could cause.
    pub fn basin(&self, tau: f64) -> Result<f64> {
        let (mut basin, mut within) = (0.0, 0.0);
        for radius in RADII {
            // nearer points of the line were looked at before
            let line = self.line(within, radius);
            if self.strength_at(radius, &line, tau)? <= 0.0 {
                break;
            }
            (basin, within) = (radius, radius);
        }
        Ok(basin)
    }

    /// λ/Λ: the least eigenvalue of the Hessian at points of a ball around w*, divided by the greatest; negative where the
    /// loss is not convex. Points are drawn at random, and lie on the line through w* and the origin.
    ///
    /// # Errors
    /// None that a user could cause.
    pub fn strength(&self, radius: f64, tau: f64) -> Result<f64> {
        self.strength_at(radius, &self.line(0.0, radius), tau)
    }

    fn strength_at(&self, radius: f64, line: &[f64], tau: f64) -> Result<f64> {
        let oracle = self.oracle()?;
        let around = Around { centre: &self.truth, radius, tau, points: POINTS };
        let mut worst = around.curvature(&oracle, &mut Random::new(self.seed, Stream::Probes))?;
        for &along in line {
            let found = extremes_at(&oracle, &self.along(along), tau)?;
            worst = worst.zip(found).map(|(one, other)| Constants {
                convexity: one.convexity.min(other.convexity),
                smoothness: one.smoothness.max(other.smoothness),
            });
        }
        Ok(worst.map_or(f64::NAN, |found| found.ratio()))
    }

    /// Where the loss is least convex on the way from w* to the origin and as far again beyond it, and farther out.
    ///
    /// # Errors
    /// None that a user could cause.
    pub fn dent(&self, tau: f64) -> Result<Dent> {
        let oracle = self.oracle()?;
        let reach = dot(&self.truth, &self.truth).sqrt();
        let mut deepest = Dent { ratio: f64::INFINITY, share: f64::NAN };
        for share in shares() {
            let found = extremes_at(&oracle, &self.along(share * reach), tau)?;
            let ratio = found.map_or(f64::NAN, |found| found.ratio());
            if ratio < deepest.ratio {
                deepest = Dent { ratio, share };
            }
        }
        Ok(deepest)
    }

    /// Distances from w* along the line to the origin, to both sides, that are beyond one radius and within another.
    fn line(&self, within: f64, radius: f64) -> Vec<f64> {
        let reach = dot(&self.truth, &self.truth).sqrt();
        let toward = shares().map(|share| share * reach).filter(|&along| within < along && along <= radius);
        toward.chain([0.75, 1.0].map(|share| share * radius)).flat_map(|along| [along, -along]).collect()
    }

    /// w* moved towards the origin.
    fn along(&self, distance: f64) -> Vec<f64> {
        let [side, _] = &self.sides;
        self.truth.iter().zip(side).map(|(w, u)| w + distance * u).collect()
    }
}

/// A place where the loss is curved downwards, if it is anywhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dent {
    /// The least eigenvalue of the Hessian there, divided by the greatest.
    pub ratio: f64,
    /// How far it is from w*, in lengths of w*: the origin is at one.
    pub share: f64,
}

/// Shares of the way from w* to the origin: tenths up to twice the way, then a few farther out.
fn shares() -> impl Iterator<Item = f64> {
    (1..=20).map(|tenth| 0.1 * f64::from(tenth)).chain([2.5, 3.0, 4.0, 6.0, 8.0])
}

/// γ(τ) = φ_τ′(0)/φ′(0): τ where φ is bounded, else 1.
pub fn gamma(activation: &dyn Activation, tau: f64) -> f64 {
    let range = activation.range();
    if range.lo.is_finite() && range.hi.is_finite() { tau } else { 1.0 }
}

/// Evenly from one end of the plane to the other.
fn grid(count: usize) -> Vec<f64> {
    let step = 2.0 * HALF_WIDTH / (count.max(2) - 1) as f64;
    (0..count).map(|i| i as f64 * step - HALF_WIDTH).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn unit(vector: Vec<f64>) -> Vec<f64> {
    let length = dot(&vector, &vector).sqrt();
    vector.iter().map(|v| v / length).collect()
}
