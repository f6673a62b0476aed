//! *Printed* methods: the options that make a method the one that its paper prints, where the default differs from it.

use crate::error::{Error, ErrorKind, Result};
use crate::solver::Solver;
use crate::strategy::Options;

/// These options as they were given; none leaves the default.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Printed {
    pub decay: Option<bool>,
}

impl Options {
    /// Whether the step shortens once it gains nothing, and the mean of the later points is the result where that is lower.
    /// `false` is the method as printed: a constant step, and the last point. Default: it shortens, but for `adam` and `yogi`
    /// with an [`Options::epsilon`] and for `ngd` with an [`Options::eta`]. Only for `sgd`, `adam`, `yogi` and `ngd`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use agglio::{Options, Solver, activation::Sigmoid};
    /// let algorithm_2 = Options::new(Arc::new(Sigmoid)).solver(Solver::Sgd).decay(false).build()?;
    /// # let _ = algorithm_2;
    /// # Ok::<(), agglio::Error>(())
    /// ```
    ///
    /// Reference: Algorithm 2 (`algo:sgd`).
    pub fn decay(mut self, decay: bool) -> Options {
        self.printed.decay = Some(decay);
        self
    }

    /// Refuses what the solver does not use, naming both.
    pub(super) fn check_printed(&self) -> Result<()> {
        let solver = self.solver;
        let refused = [(
            self.printed.decay.is_some() && !solver.can_decay(),
            "decay",
            "only the steps of `sgd`, `adam`, `yogi` and `ngd` shorten",
        )];
        match refused.into_iter().find(|(wrong, _, _)| *wrong) {
            None => Ok(()),
            Some((_, other, reason)) => Err(incompatible(solver, other, reason)),
        }
    }
}

fn incompatible(solver: Solver, other: &str, reason: &str) -> Error {
    ErrorKind::Incompatible { one: format!("solver `{solver}`"), other: other.into(), reason: reason.into() }.into()
}
