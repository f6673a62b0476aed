//! *L-BFGS* approximates the inverse curvature from the last few steps.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::math::linalg::dot;
use crate::solver::direction::{Direction, Point, predicted_decrease};
use crate::solver::schedule::Stage;

/// `p = −size·H·g`, with H from the last ten pairs (s, y) by the two-loop recursion
///
/// s is a step in θ, and y is the change of the gradient. A new temperature or new rows discard the pairs. Reference:
/// Nocedal (1980).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Lbfgs {
    pairs: VecDeque<Pair>,
    last: Option<(Vec<f64>, Vec<f64>)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Pair {
    s: Vec<f64>,
    y: Vec<f64>,
    rho: f64,
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

impl Lbfgs {
    const PAIRS: usize = 10;

    fn learn(&mut self, theta: &[f64], gradient: &[f64]) {
        if let Some((theta_before, gradient_before)) = self.last.replace((theta.to_vec(), gradient.to_vec())) {
            let (s, y) = (difference(theta, &theta_before), difference(gradient, &gradient_before));
            let curvature = dot(&s, &y);
            // only pairs with positive curvature keep H positive definite; after a rejected trial s = 0, which adds no
            // pair
            if curvature > f64::EPSILON * dot(&y, &y).sqrt() * dot(&s, &s).sqrt() {
                self.pairs.push_back(Pair { s, y, rho: 1.0 / curvature });
            }
        }
        if self.pairs.len() > Self::PAIRS {
            self.pairs.pop_front();
        }
    }

    /// H·g.
    fn apply(&self, gradient: &[f64]) -> Vec<f64> {
        let mut q = gradient.to_vec();
        let mut alphas = Vec::with_capacity(self.pairs.len());
        for pair in self.pairs.iter().rev() {
            let alpha = pair.rho * dot(&pair.s, &q);
            q.iter_mut().zip(&pair.y).for_each(|(q, y)| *q -= alpha * y);
            alphas.push(alpha);
        }
        let scale = self.pairs.back().map_or(1.0, |pair| 1.0 / (pair.rho * dot(&pair.y, &pair.y)));
        q.iter_mut().for_each(|q| *q *= scale);
        for (pair, alpha) in self.pairs.iter().zip(alphas.iter().rev()) {
            let beta = pair.rho * dot(&pair.y, &q);
            q.iter_mut().zip(&pair.s).for_each(|(q, s)| *q += (alpha - beta) * s);
        }
        q
    }
}

impl Direction for Lbfgs {
    fn on_new_objective(&mut self, _: &Stage) {
        *self = Lbfgs::default();
    }

    fn displace(&mut self, size: f64, here: &Point<'_>, p: &mut [f64]) -> Result<f64> {
        self.learn(here.theta, &here.known.gradient);
        p.iter_mut().zip(self.apply(&here.known.gradient)).for_each(|(p, step)| *p = -size * step);
        Ok(predicted_decrease(&here.known.gradient, p))
    }
}
