//! *Suffix averaging* takes stochastic steps that shrink within a stage, and ends the stage at the mean of its second
//! half.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::math::linalg::norm;
use crate::solver::direction::{Direction, Point, predicted_decrease};
use crate::solver::estimator::Smoothing;

/// `θ_{t+1} = θ_t − (α/t)·g` for step t of a stage
///
/// θ stays within 1.5·δ_m of the start of the stage. The last step leads to the mean of the second half of the
/// iterates.
///
/// Reference: Suffix-SGD of Rakhlin, Shamir and Sridharan (2012), as GradOpt runs it in each stage, with α = 1/σ.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SuffixAveraging {
    smoothing: Smoothing,
    begun: Vec<f64>,
    steps: usize,
    /// Sum of the iterates of the second half.
    sum: Vec<f64>,
    summed: usize,
}

impl SuffixAveraging {
    /// The largest distance from the start of a stage, in units of δ_m.
    const REACH: f64 = 1.5;

    /// Uses the smoothing radius δ_m of each stage.
    pub fn new(smoothing: Smoothing) -> SuffixAveraging {
        SuffixAveraging { smoothing, begun: Vec::new(), steps: 0, sum: Vec::new(), summed: 0 }
    }

    fn begin(&mut self, theta: &[f64]) {
        self.begun = theta.to_vec();
        self.sum = vec![0.0; theta.len()];
        (self.steps, self.summed) = (0, 0);
    }

    /// Projects θ to within `reach` of the start of the stage.
    fn hold(&self, theta: &mut [f64], reach: f64) {
        let away: Vec<f64> = theta.iter().zip(&self.begun).map(|(theta, begun)| theta - begun).collect();
        let share = reach / norm(&away);
        if share < 1.0 {
            theta
                .iter_mut()
                .zip(&self.begun)
                .zip(&away)
                .for_each(|((theta, begun), away)| *theta = begun + share * away);
        }
    }
}

impl Direction for SuffixAveraging {
    fn displace(&mut self, size: f64, here: &Point<'_>, p: &mut [f64]) -> Result<f64> {
        if self.steps.is_multiple_of(here.stage.steps) {
            self.begin(here.theta);
        }
        self.steps += 1;
        let eta = size / self.steps as f64;
        p.iter_mut().zip(here.theta).zip(&here.known.gradient).for_each(|((p, theta), g)| *p = theta - eta * g);
        self.hold(p, Self::REACH * self.smoothing.radius(&here.stage));
        here.ball.iter().for_each(|ball| ball.project(p));
        if 2 * self.steps > here.stage.steps {
            self.sum.iter_mut().zip(&*p).for_each(|(sum, theta)| *sum += theta);
            self.summed += 1;
        }
        if self.steps == here.stage.steps {
            p.iter_mut().zip(&self.sum).for_each(|(p, sum)| *p = sum / self.summed as f64);
        }
        p.iter_mut().zip(here.theta).for_each(|(p, theta)| *p -= theta);
        Ok(predicted_decrease(&here.known.gradient, p))
    }
}
