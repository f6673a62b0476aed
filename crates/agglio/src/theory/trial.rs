//! A *trial* tests a theorem on simulated data with the design that the theorem assumes and a known true model.
//!
//! The example `theorems`, the tests and the figures of the paper use this module.

use std::ops::ControlFlow;

use crate::activation::named;
use crate::error::Result;
use crate::fit::{Observer, Step, Stop, fit};
use crate::math::rng::{Random, Stream};
use crate::oracle::{Driver, Problem};
use crate::rows::{Dense, Rows};
use crate::simulate::{Design, LabelNoise, Simulation};
use crate::solver::estimator::Shuffle;
use crate::theory::measure::Around;
use crate::theory::{Constants, Epoch, Leg, Setting, Sphere, descent, stochastic};

/// Number of random points on a sphere at which the variance of stochastic gradients is measured.
const SPHERE: usize = 5;

/// Data with the design that the theory assumes for this noise, and their true model.
#[derive(Clone, Debug)]
pub struct Trial {
    activation: String,
    seed: u64,
    /// Covariates and responses.
    pub rows: Dense,
    /// w_*.
    pub truth: Vec<f64>,
}

/// The parameters of a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draw<'a> {
    /// φ by name.
    pub activation: &'a str,
    /// ‖w_*‖.
    pub norm: f64,
    /// The noise. Covariates are N(0, I)/√d under noise after φ, and N(0, I) otherwise.
    pub noise: LabelNoise,
    /// n.
    pub rows: usize,
    /// d.
    pub features: usize,
    /// The seed.
    pub seed: u64,
}

/// The end of an epoch of Algorithm 2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ended {
    /// The planned epoch.
    pub epoch: Epoch,
    /// Number of steps up to the stopping time of the proof.
    pub steps: usize,
    /// ‖w − w_*‖ after these steps.
    pub distance: f64,
}

impl Draw<'_> {
    /// Draws the data and the model.
    ///
    /// # Errors
    /// If the activation does not exist, or the responses overflow.
    pub fn trial(&self) -> Result<Trial> {
        let design = if matches!(self.noise, LabelNoise::Post(..)) { Design::Scaled } else { Design::Normal };
        let simulation = Simulation::new(named(self.activation)?, self.rows, self.features).norm(self.norm);
        let data = simulation.design(design).noise(self.noise).seed(self.seed).draw()?;
        let rows = Dense::new(data.values, self.features, data.labels)?;
        Ok(Trial { activation: self.activation.to_owned(), seed: self.seed, rows, truth: data.truth })
    }
}

impl Trial {
    /// The oracle of the theory: no intercept, no scaling, no clipped labels.
    ///
    /// # Errors
    /// None for simulated rows.
    pub fn oracle(&self) -> Result<Driver> {
        Problem::plain(named(&self.activation)?).on(&self.rows)
    }

    /// ‖w − w_*‖.
    pub fn distance(&self, w: &[f64]) -> f64 {
        w.iter().zip(&self.truth).map(|(w, truth)| (w - truth).powi(2)).sum::<f64>().sqrt()
    }

    /// The smallest and largest curvature of L̂_τ in the ball of radius `r` around w_*, measured at w_* and at `points`
    /// random points. NaN if no eigenvalue was found.
    ///
    /// # Errors
    /// As [`Trial::oracle`].
    pub fn curvature(&self, r: f64, tau: f64, points: usize) -> Result<Constants> {
        let around = Around { centre: &self.truth, radius: r, tau, points };
        let found = around.curvature(&self.oracle()?, &mut Random::new(self.seed, Stream::Probes))?;
        Ok(found.unwrap_or(Constants { convexity: f64::NAN, smoothness: f64::NAN }))
    }

    /// Runs Algorithm 1 along these legs. Returns ‖w − w_*‖ at the start and after every step.
    ///
    /// # Errors
    /// As [`Trial::oracle`].
    pub fn descend(&self, legs: &[Leg], start: Vec<f64>) -> Result<Vec<f64>> {
        let mut distances = Distances { trial: self, found: vec![self.distance(&start)] };
        fit(&self.oracle()?, descent(legs), start, Stop::new(0.0, legs.len()), &mut distances)?;
        Ok(distances.found)
    }

    /// Runs Algorithm 2 from zero through `count` epochs of a setting, on minibatches of `batch` rows. Each epoch ends
    /// at the stopping time of the proof.
    ///
    /// # Errors
    /// As [`Trial::oracle`].
    pub fn epochs(&self, setting: &Setting, count: usize, batch: usize) -> Result<Vec<Ended>> {
        let oracle = self.oracle()?;
        let mut random = Random::new(self.seed, Stream::Probes);
        let mut failure = Ok(());
        let epochs = setting.epochs(count, |radius, tau| {
            let around = Around { centre: &self.truth, radius, tau, points: SPHERE };
            around.sphere(&oracle, batch, &mut random).unwrap_or_else(|why| {
                failure = Err(why);
                Sphere { variance: f64::NAN, loss: f64::NAN }
            })
        });
        failure?;
        let ends = epochs.iter().map(|&epoch| Ended { epoch, steps: 0, distance: f64::NAN }).collect();
        let mut ends = Ends { trial: self, found: ends };
        let method = stochastic(&epochs, Shuffle::new(self.seed, batch, self.rows.len()));
        fit(&oracle, method, vec![0.0; self.truth.len()], Stop::new(0.0, count), &mut ends)?;
        Ok(ends.found)
    }
}

/// The distance to w_* after every step.
struct Distances<'a> {
    trial: &'a Trial,
    found: Vec<f64>,
}

impl Observer for Distances<'_> {
    fn step(&mut self, step: &Step<'_>) -> ControlFlow<()> {
        self.found.push(self.trial.distance(step.theta));
        ControlFlow::Continue(())
    }
}

/// The last step of every epoch.
struct Ends<'a> {
    trial: &'a Trial,
    found: Vec<Ended>,
}

impl Observer for Ends<'_> {
    fn step(&mut self, step: &Step<'_>) -> ControlFlow<()> {
        if let Some(end) = self.found.get_mut(step.stage) {
            end.steps += 1;
            end.distance = self.trial.distance(step.theta);
        }
        ControlFlow::Continue(())
    }
}
