//! A *solver* is a choice of parts: a schedule, an estimator, a direction and a step rule.
//!
//! The loop that runs them is [`crate::fit`]; each [`Solver`] is a row of the registry.

mod ball;
pub mod direction;
pub mod estimator;
pub(crate) mod linear_system;
mod part;
mod parts;
pub mod preset;
mod registry;
mod row;
pub mod schedule;
pub mod step;

use serde::{Deserialize, Serialize};

pub use ball::Ball;
pub use part::Part;
pub use registry::Solver;
pub(crate) use row::BATCH;
pub use row::Family;

use crate::error::Result;
use crate::oracle::{Oracle, Query};
use crate::solver::schedule::{Schedule, Stage};
use direction::Direction;
use estimator::{Estimator, StepIndex};
use step::StepRule;

/// The parts of a solver, put together.
#[derive(Debug)]
pub struct Method {
    /// Which temperatures, for how long.
    pub schedule: Box<dyn Schedule>,
    /// How the sums at θ are got.
    pub estimator: Box<dyn Estimator>,
    /// Where to go.
    pub direction: Box<dyn Direction>,
    /// How far, and whether to keep it.
    pub step: Box<dyn StepRule>,
    /// What θ must stay in, if anything.
    pub ball: Option<Ball>,
    /// Which of the points on the way is the result.
    pub keep: Keep,
}

/// Which point a fit that ends without having converged keeps, if it is lower than the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Keep {
    /// The last.
    #[default]
    Last,
    /// The one at which the lowest loss was seen at the last temperature.
    Best,
    /// The mean of where stages ended since the step began to decay.
    Average,
}

impl Method {
    /// A stage begins at θ.
    pub(crate) fn begin(&mut self, oracle: &dyn Oracle, theta: &[f64], stage: &Stage) -> Result<()> {
        self.estimator.begin(oracle, theta, stage)?;
        self.step.begin(stage);
        Ok(())
    }

    /// The memory of the four parts.
    pub(crate) fn save(&self) -> Result<[Vec<u8>; 4]> {
        Ok([self.schedule.save()?, self.estimator.save()?, self.direction.save()?, self.step.save()?])
    }

    /// Gives the parts a memory that was saved.
    pub(crate) fn restore(&mut self, [schedule, estimator, direction, step]: &[Vec<u8>; 4]) -> Result<()> {
        self.schedule.restore(schedule)?;
        self.estimator.restore(estimator)?;
        self.direction.restore(direction)?;
        self.step.restore(step)
    }

    /// The question that an estimate comes down to, where it is one.
    pub(crate) fn question<'q>(&self, theta: &'q [f64], index: StepIndex) -> Option<Query<'q>> {
        self.estimator.question(theta, index, self.direction.want())
    }
}
