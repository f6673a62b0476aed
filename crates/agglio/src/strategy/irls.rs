//! The *irls* strategy: the matching loss first, which is convex, then squares from where it ends.

use crate::error::Result;
use crate::fit::{Outcome, fit};
use crate::observe::Observer;
use crate::oracle::{Fold, Hessian, Oracle};
use crate::schedule::Constant;
use crate::solver::direction::Damped;
use crate::solver::estimator::Matching;
use crate::solver::{Keep, Method, step};
use crate::stop::{Stop, StopReason};
use crate::strategy::Plan;

/// Most rounds of reweighting, as generalised linear models are usually given.
const ROUNDS: usize = 25;

impl Plan {
    /// Iteratively reweighted least squares, each round a Newton step on the matching loss without any damping, then
    /// Levenberg–Marquardt.
    ///
    /// For a sigmoid the first part is logistic regression, which for labels that are no shares of successes is its quasi
    /// maximum likelihood. Reference: Nelder and Wedderburn (1972); Papke and Wooldridge (1996).
    pub(super) fn irls(&self, oracle: &Fold<'_>, observer: &mut dyn Observer) -> Result<Outcome> {
        let start = self.start.theta(oracle.coordinates(), oracle.coefficients(), self.settings.seed)?;
        let method = Method {
            schedule: Box::new(Constant { tau: self.settings.cap, steps: 1 }),
            estimator: Box::new(Matching),
            direction: Box::new(Damped::new(Hessian::GaussNewton)),
            step: Box::new(step::Constant(f64::INFINITY)),
            ball: self.settings.ball(oracle),
            keep: Keep::Best,
        };
        let first = fit(oracle, method, start, Stop::new(self.tolerance, ROUNDS), observer);
        match first.reason {
            StopReason::Interrupted => Ok(first),
            _ => self.single_from(first.theta, oracle, observer),
        }
    }
}
