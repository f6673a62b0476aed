//! A *request*: how figures are made, of what size and with which seeds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

/// How figures are made.
#[derive(Clone, Debug)]
pub struct Request {
    /// Fewer seeds and sizes, and each run once, for a first look.
    pub quick: bool,
    /// The published run's split and projections in the place of the text's.
    pub as_published: bool,
    /// How many data sets each run is repeated on.
    pub seeds: usize,
    /// The first of their seeds.
    pub seed: u64,
    /// Number of threads of fits that have work for several, and of searches.
    pub threads: usize,
    /// Raised by whoever wants it to end.
    pub interrupt: Arc<AtomicBool>,
}

impl Request {
    const SEEDS: usize = 10;
    const QUICK_SEEDS: usize = 3;

    /// How many seeds there are unless somebody says otherwise.
    pub fn default_seeds(quick: bool) -> usize {
        if quick { Self::QUICK_SEEDS } else { Self::SEEDS }
    }

    /// The seeds, in order.
    pub fn all_seeds(&self) -> impl Iterator<Item = u64> + use<> {
        let first = self.seed;
        (0..self.seeds as u64).map(move |i| first.wrapping_add(i))
    }

    /// The share of the rows that settings are scored on: a fifth by the text, three tenths in the published run.
    pub fn holdout(&self) -> f64 {
        if self.as_published { 0.3 } else { 0.2 }
    }

    /// What w and τ are kept below, in words.
    pub fn projection(&self) -> &'static str {
        match self.as_published {
            true => {
                "‖w‖ ≤ 10 after every step (softplus: 50), and τ ≤ 0.1 for AGGLIO-SGD, as in the published run; methods that \
                 are not in the paper have neither"
            }
            false => "none; temperatures rise to τ = 1",
        }
    }

    /// Fails once somebody wants it to end.
    ///
    /// # Errors
    /// If the flag is raised.
    pub fn check(&self) -> Result<()> {
        match self.interrupt.load(Ordering::Relaxed) {
            true => Err(Error::Interrupted),
            false => Ok(()),
        }
    }
}
