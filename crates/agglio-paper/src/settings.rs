//! The *settings* of a run of figures.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

/// How figures are made.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Fewer seeds, sizes and settings, for a first look.
    pub quick: bool,
    /// The published run's split and projections in the place of the text's.
    pub as_published: bool,
    /// How many data sets each run is repeated on.
    pub seeds: usize,
    /// The first of their seeds.
    pub seed: u64,
    /// Raised by whoever wants it to end.
    pub interrupt: Arc<AtomicBool>,
}

impl Settings {
    /// Seeds unless said otherwise.
    pub const SEEDS: usize = 10;
    /// Seeds of a first look.
    pub const QUICK_SEEDS: usize = 3;

    /// The defaults: ten seeds from zero on, three for a first look.
    pub fn new(quick: bool) -> Settings {
        let seeds = if quick { Self::QUICK_SEEDS } else { Self::SEEDS };
        Settings { quick, as_published: false, seeds, seed: 0, interrupt: Arc::default() }
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
