//! A *goal*: an error that methods are timed to.

use crate::contest::{Entrant, of};
use crate::contestant::{Contestant, Run};
use crate::statistics::Spread;
use crate::track::Over;

/// A level that errors are to come down to, for each seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// Its name.
    pub words: String,
    levels: Levels,
}

#[derive(Clone, Debug, PartialEq)]
enum Levels {
    Same(f64),
    Each(Vec<f64>),
}

impl Goal {
    /// The same level for all seeds.
    pub fn at(level: f64) -> Goal {
        Goal { words: format!("{level:e}"), levels: Levels::Same(level) }
    }

    /// A tenth above where the default ends, at the minimum of least squares: with noise nobody gets lower but by chance.
    pub fn minimum(entrants: &[Entrant]) -> Goal {
        let runs = of(entrants, &Contestant::AUTO).map_or(&[][..], |auto| &auto.tuned);
        let levels = Levels::Each(runs.iter().map(|run| 1.1 * run.error.last()).collect());
        Goal { words: "1.1 times the minimum's".into(), levels }
    }

    /// When runs, one for each seed, come down to it.
    pub fn reached(&self, runs: &[Run], over: Over) -> Spread {
        Spread::of(self.arrivals(runs, over))
    }

    /// The same, seed by seed. Without noise an error that is small enough shows, since the residual vanishes with it, so
    /// that the first time counts; with noise nothing shows, and it must stay so.
    pub fn arrivals(&self, runs: &[Run], over: Over) -> Vec<f64> {
        let arrival = |(seed, run): (usize, &Run)| match &self.levels {
            Levels::Same(level) => run.error.reaches(*level, over),
            Levels::Each(levels) => run.error.settles(levels.get(seed).copied().unwrap_or(f64::NAN), over),
        };
        runs.iter().enumerate().map(arrival).collect()
    }
}
