//! A *course* is one of the paper's two algorithms with the temperatures, steps and epochs that its theorem asks for, as a
//! solver runs it on rows.

use crate::error::Result;
use crate::oracle::{Ask, Batch, Oracle, Query};
use crate::solver::estimator::Shuffle;
use crate::solver::{BATCH, Method};
use crate::theory::{Epoch, MOST_STEPS, Setting, Sphere, Statement, descent, stochastic};

/// Which of the paper's algorithms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// Algorithm 1 (`algo:main`): a gradient step on all rows at each temperature, as `thm:conv-main-sigmoid` has it.
    #[default]
    One,
    /// Algorithm 2 (`algo:sgd`): an epoch of stochastic steps at each temperature, as `thm:conv-sgd-sigmoid` has it.
    Two,
}

/// An algorithm in a setting, with corrected constants or with those that are printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
    /// What is assumed, over the population.
    pub setting: Setting,
    /// Which algorithm.
    pub algorithm: Algorithm,
    /// Whose constants.
    pub statement: Statement,
}

impl Course {
    /// Epochs of Algorithm 2 unless given: r shrinks to 2R/β¹⁰⁰, which is 1.5e-4·R.
    pub const EPOCHS: usize = 100;
    /// Steps after which an epoch is given up. The printed I_t is up to 1e14, and on noisy labels, which the theorem does not
    /// cover, the loss may never be low enough.
    const LONGEST: f64 = 1e5;
    /// Epochs that are planned at most: r is below every double long before.
    const MOST_EPOCHS: usize = 10_000;

    /// The algorithm as parts for the loop over these rows, planned for this number of stages.
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

    /// What is assumed of a table of this size: corrected constants hold on samples, printed ones are of the population.
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
    /// What holds at distance `r` of w_* for batches of rows of at most this squared length, and labels without noise: the
    /// residual is at most L|xᵀδ|, so s² ≤ 4L⁴·r²·‖X‖²/n·max‖x‖²/b and B ≤ L²·r²·‖X‖²/n.
    fn sphere_of(&self, r: f64, longest_row: f64, shuffle: &Shuffle) -> Sphere {
        let slope = self.envelope.largest_slope;
        let [_, above] = self.stray();
        let loss = (slope * self.deviation * r).powi(2) * above;
        let variance = 4.0 * slope * slope * longest_row * loss / shuffle.size().max(1) as f64;
        Sphere { variance, loss }
    }
}
