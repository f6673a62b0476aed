//! A *direction* proposes a displacement of θ for a given step size, from the sums at θ.

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
use crate::solver::schedule::Stage;
use crate::solver::{Ball, Part};

/// The starting point of a step: θ, the sums at θ, and the oracle for further queries.
#[derive(Clone, Copy)]
pub struct Point<'a> {
    /// θ.
    pub theta: &'a [f64],
    /// The sums at θ.
    pub known: &'a Known,
    /// The stage of the step.
    pub stage: Stage,
    /// The ball in which θ must stay, if there is one.
    pub ball: Option<Ball>,
    pub(crate) oracle: &'a dyn Oracle,
}

impl Point<'_> {
    /// The step that minimises a quadratic model within the ball; `scale` is the size of its curvature. `solve` gets
    /// the multiplier μ of the ball, which it adds to the curvature of each coefficient, and the right-hand side −g −
    /// μw.
    fn minimise(&self, scale: f64, mut solve: impl FnMut(f64, &[f64]) -> Result<Vec<f64>>) -> Result<Vec<f64>> {
        let down: Vec<f64> = self.known.gradient.iter().map(|g| -g).collect();
        let Some(ball) = self.ball else { return solve(0.0, &down) };
        ball.minimise(self.theta, scale, |mu| {
            let mut pulled = down.clone();
            pulled.iter_mut().zip(ball.layout.coefficients(self.theta)).for_each(|(down, w)| *down -= mu * w);
            solve(mu, &pulled)
        })
    }

    /// The curvature at θ times a vector. It costs one pass over the rows.
    ///
    /// # Errors
    /// Those of the oracle.
    pub fn curvature_times(&self, hessian: Hessian, v: &[f64]) -> Result<Vec<f64>> {
        self.oracle.curvature_times(self.theta, self.stage.tau, self.stage.rows, hessian, v)
    }
}

/// Proposes displacements.
pub trait Direction: Part {
    /// The sums that it needs at a point. Default: loss and gradient.
    fn want(&self) -> Want<'static> {
        Want::Gradient
    }

    /// Called when a stage begins with another temperature or other rows, so that the objective has changed.
    fn on_new_objective(&mut self, _: &Stage) {}

    /// Whether stored curvature should be computed again before the fit ends. Default: nothing is stored.
    fn wants_refresh(&mut self) -> bool {
        false
    }

    /// Writes the displacement p for a step of this size. Returns the decrease of the loss that it predicts.
    ///
    /// # Errors
    /// Those of the oracle.
    fn displace(&mut self, size: f64, here: &Point<'_>, p: &mut [f64]) -> Result<f64>;
}

/// −gᵀp, the decrease of the loss to first order.
fn predicted_decrease(g: &[f64], p: &[f64]) -> f64 {
    -g.iter().zip(p).map(|(g, p)| g * p).sum::<f64>()
}
