//! The *matching* start: the minimum of the matching loss, which is convex where φ rises. Solver `irls` begins there.

use crate::error::Result;
use crate::fit::{Observer, Outcome, Stop, fit};
use crate::oracle::{Batch, Hessian, Oracle};
use crate::outcome::StopReason;
use crate::race::Rules;
use crate::solver::direction::LevenbergMarquardt;
use crate::solver::estimator::MatchingLoss;
use crate::solver::schedule::Constant;
use crate::solver::{Keep, Method, step};

/// Most rounds of reweighting, as generalised linear models are usually given.
const ROUNDS: usize = 25;
/// Rounds without a smaller gradient after which there will be none.
const PATIENCE: usize = 2;

impl Rules {
    /// Iteratively reweighted least squares from zero, each round a Newton step on the matching loss without any damping,
    /// then Levenberg–Marquardt.
    ///
    /// For a sigmoid the first part is logistic regression, which for labels that are no shares of successes is its quasi
    /// maximum likelihood. Reference: Nelder and Wedderburn (1972); Papke and Wooldridge (1996).
    pub(in crate::race) fn irls(&self, oracle: &dyn Oracle, observer: &mut dyn Observer) -> Result<Outcome> {
        let start = vec![0.0; oracle.dim()];
        let first = self.reweighted(ROUNDS, oracle, observer)?;
        if first.reason == StopReason::Interrupted {
            return Ok(first);
        }
        // rounds that nothing damps may have led away
        let ends = [start, first.theta];
        let losses = oracle.losses(&ends, self.settings.tau_max, Batch::All)?;
        let [start, end] = ends;
        self.single_from(if losses[1] <= losses[0] { end } else { start }, oracle, observer)
    }

    /// Rounds of reweighting from zero.
    pub(in crate::race) fn reweighted(
        &self,
        rounds: usize,
        oracle: &dyn Oracle,
        observer: &mut dyn Observer,
    ) -> Result<Outcome> {
        let method = Method {
            schedule: Box::new(Constant { tau: self.settings.tau_max, steps: 1 }),
            estimator: Box::new(MatchingLoss),
            direction: Box::new(LevenbergMarquardt::new(Hessian::GaussNewton)),
            step: Box::new(step::Constant(f64::INFINITY)),
            ball: self.settings.ball(oracle),
            keep: Keep::Last,
        };
        fit(oracle, method, vec![0.0; oracle.dim()], Stop::new(self.tolerance, rounds).patience(PATIENCE), observer)
    }
}
