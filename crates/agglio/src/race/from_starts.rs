//! A race *from starts* that are given: for a problem whose starts come from the fits of its parts.

use crate::error::Result;
use crate::fit::{Outcome, Silent, Stop, fit};
use crate::oracle::{Batch, Oracle};
use crate::race::best_of::{BestOf, Origin};
use crate::race::{Found, Rules};
use crate::solver::direction::LevenbergMarquardt;
use crate::solver::estimator::Full;
use crate::solver::schedule::Constant;
use crate::solver::step::TrustRegion;
use crate::solver::{Keep, Method};

impl Rules {
    /// The lowest of runs at τ = 1 from these starts, a finite minimum before an optimum at infinity. None without a start.
    ///
    /// # Errors
    /// Those of the oracle.
    pub(crate) fn best_from(&self, starts: Vec<Vec<f64>>, oracle: &dyn Oracle) -> Result<Option<Found>> {
        let run = |start: Vec<f64>| -> Result<Outcome> {
            let stop = Stop::new(self.tolerance, self.epochs).beyond_tolerance();
            fit(oracle, steps(), start, stop, &mut Silent)
        };
        let mut starts = starts.into_iter();
        let Some(first) = starts.next() else { return Ok(None) };
        let mut best_of = BestOf::new(run(first)?, oracle, Batch::All)?;
        for start in starts {
            if best_of.is_over() {
                break;
            }
            best_of.enter(run(start)?, Origin::Independent, oracle)?;
        }
        Ok(Some(best_of.end(oracle.labels())))
    }
}

/// Levenberg and Marquardt's steps on all rows.
fn steps() -> Method {
    Method {
        schedule: Box::new(Constant { tau: 1.0, steps: 1 }),
        estimator: Box::new(Full),
        direction: Box::new(LevenbergMarquardt::ending_in_full()),
        step: Box::new(TrustRegion::default()),
        ball: None,
        keep: Keep::Last,
    }
}
