//! The *matching* start: the minimum of the matching loss, which is convex where φ rises. Solver `irls` begins there.

use crate::error::Result;
use crate::fit::{Outcome, Stop};
use crate::oracle::{Batch, Hessian, Oracle};
use crate::race::{Rules, Runs};
use crate::solver::direction::LevenbergMarquardt;
use crate::solver::estimator::MatchingLoss;
use crate::solver::schedule::Constant;
use crate::solver::{Keep, Method, step};

/// Maximum number of rounds, as is usual for generalised linear models.
const ROUNDS: usize = 25;
/// Number of rounds that reveal a separation of the labels.
const FEW_ROUNDS: usize = 12;
/// Rounds without a smaller gradient after which there will be none.
const PATIENCE: usize = 2;

impl Rules {
    /// Iteratively reweighted least squares from zero, each round a Newton step on the matching loss without any damping.
    ///
    /// For a sigmoid this is logistic regression. For labels that are not shares of successes it is quasi maximum likelihood. Reference: Nelder and Wedderburn (1972); Papke and Wooldridge (1996).
    pub(in crate::race) fn matching_start(&self, oracle: &dyn Oracle, runs: &mut Runs<'_>) -> Result<Vec<f64>> {
        let end = self.reweighted(ROUNDS, oracle, runs)?;
        // undamped rounds may have led away
        let ends = [vec![0.0; oracle.dim()], end.theta];
        let losses = oracle.losses(&ends, self.settings.tau_max, Batch::All)?;
        let [start, end] = ends;
        Ok(if losses[1] <= losses[0] { end } else { start })
    }

    /// Where the matching loss leads in a few rounds: to a separation of the labels if there is one.
    pub(in crate::race) fn separation(&self, oracle: &dyn Oracle, runs: &mut Runs<'_>) -> Result<Vec<f64>> {
        Ok(self.reweighted(FEW_ROUNDS, oracle, runs)?.theta)
    }

    fn reweighted(&self, rounds: usize, oracle: &dyn Oracle, runs: &mut Runs<'_>) -> Result<Outcome> {
        let method = Method {
            schedule: Box::new(Constant { tau: self.settings.tau_max, steps: 1 }),
            estimator: Box::new(MatchingLoss),
            direction: Box::new(LevenbergMarquardt::new(Hessian::GaussNewton)),
            step: Box::new(step::Constant(f64::INFINITY)),
            ball: self.settings.ball(oracle),
            keep: Keep::Last,
        };
        let stop = Stop::new(self.tolerance, rounds).patience(PATIENCE);
        runs.run(oracle, method, vec![0.0; oracle.dim()], stop, None)
    }
}
