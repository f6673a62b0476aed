//! A *course* is one of the two algorithms of the paper with the temperatures, steps and epochs of its theorem, planned
//! for given rows.

use crate::error::Result;
use crate::oracle::{Ask, Batch, Oracle, Query};
use crate::solver::estimator::Shuffle;
use crate::solver::{BATCH, Method};
use crate::theory::{Epoch, MOST_STEPS, Setting, Sphere, Statement, descent, stochastic};

/// One of the algorithms of the paper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// Algorithm 1 (`algo:main`): one gradient step on all rows at each temperature (`thm:conv-main-sigmoid`).
    #[default]
    One,
    /// Algorithm 2 (`algo:sgd`): one epoch of stochastic steps at each temperature (`thm:conv-sgd-sigmoid`).
    Two,
}

/// An algorithm in a setting, with corrected or printed constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
    /// The assumptions, for the population.
    pub setting: Setting,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The version of the constants.
    pub statement: Statement,
}

impl Course {
    /// Default number of epochs of Algorithm 2: r decreases to 2R/β¹⁰⁰, which is 1.5e-4·R.
    pub const EPOCHS: usize = 100;
    /// Maximum number of steps of an epoch. The printed I_t is up to 1e14. On noisy labels, which the theorem does not
    /// cover, the loss may never be low enough.
    const LONGEST: f64 = 1e5;
    /// Maximum number of epochs that are planned: r underflows long before.
    const MOST_EPOCHS: usize = 10_000;

    /// Plans the algorithm for these rows and this number of stages, as parts for the fitting loop.
    ///
    /// # Errors
    /// If there are too few rows for the constants of a sample.
    pub(crate) fn method(&self, oracle: &dyn Oracle, stages: usize, batch: Option<usize>, seed: u64) -> Result<Method> {
        let setting = self.on(oracle.rows(), oracle.facts().layout.coefficients)?;
        Ok(match self.algorithm {
            Algorithm::One => {
                let legs = setting.path_of(self.statement).take(stages.min(MOST_STEPS));
                descent(&legs.collect::<Vec<_>>())
            }
            Algorithm::Two => {
                let stages = stages.min(Self::MOST_EPOCHS);
                let shuffle = Shuffle::new(seed, batch.unwrap_or(BATCH), oracle.rows());
                let longest = longest_row(oracle)?;
                let epochs = setting.epochs_of(self.statement, stages, |r, _| setting.sphere_of(r, longest, &shuffle));
                let bounded = |epoch: Epoch| Epoch { steps: epoch.steps.min(Self::LONGEST), ..epoch };
                stochastic(&epochs.into_iter().map(bounded).collect::<Vec<_>>(), shuffle)
            }
        })
    }

    /// The assumptions for a table of this size: corrected constants hold for samples, printed ones for the population.
    ///
    /// # Errors
    /// If there are too few rows.
    pub fn on(&self, rows: usize, features: usize) -> Result<Setting> {
        let setting = self.setting.with_features(features);
        match self.statement {
            Statement::Corrected => setting.on_sample(rows, features),
            Statement::Printed => Ok(setting),
        }
    }
}

/// max ‖x‖².
fn longest_row(oracle: &dyn Oracle) -> Result<f64> {
    let slope = oracle.facts().activation.derivative_at_zero;
    Ok(oracle.ask(&Query::new(Batch::All, Ask::LongestRow))?.number()? / (2.0 * slope * slope))
}

impl Setting {
    /// Bounds at distance `r` from w_* for batches of rows with ‖x‖² ≤ `longest_row`, and labels without noise. The
    /// residual is at most L|xᵀδ|, so s² ≤ 4L⁴·r²·‖X‖²/n·max‖x‖²/b and B ≤ L²·r²·‖X‖²/n.
    fn sphere_of(&self, r: f64, longest_row: f64, shuffle: &Shuffle) -> Sphere {
        let slope = self.envelope.largest_slope;
        let [_, above] = self.stray();
        let loss = (slope * self.sigma * r).powi(2) * above;
        let variance = 4.0 * slope * slope * longest_row * loss / shuffle.size().max(1) as f64;
        Sphere { variance, loss }
    }
}
