//! A *plan* is what options come to once they have been checked: how to fit, whatever the rows.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::activation::Activation;
use crate::oracle::PreimageBranch;
use crate::outcome::Noise;
use crate::rows::Scaling;
use crate::solver::Solver;
use crate::solver::preset::Settings;
use crate::strategy::{Restarts, Start};
use crate::theory::Course;

/// Options that have been checked.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) activation: Arc<dyn Activation>,
    pub(super) solver: Solver,
    pub(super) intercept: bool,
    pub(super) scaling: Scaling,
    pub(super) noise: Noise,
    /// Whether both places of the noise are fitted, so that they can be compared.
    pub(super) compares: bool,
    pub(super) settings: Settings,
    pub(super) branch: PreimageBranch,
    /// What solver `theory` does.
    pub(super) theory: Option<Course>,
    pub(super) epochs: usize,
    pub(super) tolerance: f64,
    pub(super) start: Start,
    pub(super) restarts: Restarts,
    pub(super) l2: f64,
    pub(super) threads: Option<usize>,
    pub(super) interrupt: Arc<AtomicBool>,
}
