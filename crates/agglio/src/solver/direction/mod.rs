//! A *direction* turns what is known at θ into a displacement of a given size.

mod adaptive;
mod fixed_curvature;
mod gauss_newton_bfgs;
mod lbfgs;
mod levenberg_marquardt;
mod momentum;
mod nesterov;
mod newton_cg;
mod normalised;
mod steepest;
mod suffix_averaging;

pub use adaptive::{Adaptive, Second, V0};
pub(crate) use fixed_curvature::FixedCurvature;
pub use gauss_newton_bfgs::GaussNewtonBfgs;
pub use lbfgs::Lbfgs;
pub use levenberg_marquardt::LevenbergMarquardt;
pub use momentum::Momentum;
pub use nesterov::Nesterov;
pub use newton_cg::NewtonCg;
pub use normalised::Normalised;
pub use steepest::Steepest;
pub use suffix_averaging::SuffixAveraging;

use crate::error::Result;
use crate::oracle::{Hessian, Known, Oracle, Want};
use crate::solver::Ball;
use crate::solver::schedule::Stage;

/// Where a step begins: θ, what is known there, and whom to ask for more.
#[derive(Clone, Copy)]
pub struct Point<'a> {
    /// θ.
    pub theta: &'a [f64],
    /// What is known at θ.
    pub known: &'a Known,
    /// The stage that the step is in.
    pub stage: Stage,
    /// What θ must stay in, if anything.
    pub ball: Option<Ball>,
    pub(crate) oracle: &'a dyn Oracle,
}

impl Point<'_> {
    /// The step that minimises a quadratic model of curvature around `scale` within the ball. `solve` takes what the ball
    /// adds to the curvature of each coefficient, and −g with what it adds there.
    fn minimise(&self, scale: f64, mut solve: impl FnMut(f64, &[f64]) -> Result<Vec<f64>>) -> Result<Vec<f64>> {
        let down: Vec<f64> = self.known.gradient.iter().map(|g| -g).collect();
        let Some(ball) = self.ball else { return solve(0.0, &down) };
        ball.minimise(self.theta, scale, |mu| {
            let mut pulled = down.clone();
            pulled.iter_mut().zip(ball.layout.coefficients(self.theta)).for_each(|(down, w)| *down -= mu * w);
            solve(mu, &pulled)
        })
    }

    /// The curvature at θ times a vector: a pass over the rows.
    ///
    /// # Errors
    /// Those of the oracle.
    pub fn curvature_times(&self, hessian: Hessian, v: &[f64]) -> Result<Vec<f64>> {
        self.oracle.curvature_times(self.theta, self.stage.tau, self.stage.rows, hessian, v)
    }
}

/// Proposes displacements.
pub trait Direction: std::fmt::Debug + Send {
    /// What it wants to be told of a point. Default: loss and gradient.
    fn want(&self) -> Want<'static> {
        Want::Gradient
    }

    /// A stage begins at another temperature or over other rows, and with these the objective has changed.
    fn on_new_objective(&mut self, _: &Stage) {}

    /// Whether it is to look again where steps have nothing left to gain by what it has kept. Default: it keeps nothing.
    fn wants_refresh(&mut self) -> bool {
        false
    }

    /// Writes the displacement p of size `size` at a point where `here` is known, and answers with the decrease
    /// of the loss that it predicts.
    ///
    /// # Errors
    /// Those of the oracle.
    fn displace(&mut self, size: f64, here: &Point<'_>, p: &mut [f64]) -> Result<f64>;
}

/// −gᵀp, the decrease that the gradient promises.
fn promised(g: &[f64], p: &[f64]) -> f64 {
    -g.iter().zip(p).map(|(g, p)| g * p).sum::<f64>()
}
