//! A *share* of an oracle: one of several runs that ask it, with a count and an interrupt of its own.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::oracle::Batch;
use crate::oracle::{Bounds, Oracle, Query, Sums, given_up};

/// An oracle as one of several runs sees it.
pub(crate) struct OracleClient<'a> {
    oracle: &'a dyn Oracle,
    visited: AtomicU64,
    interrupt: &'a AtomicBool,
}

impl<'a> OracleClient<'a> {
    /// A run that begins now, with the flag that ends it: what was asked before, it would have asked too.
    pub fn new(oracle: &'a dyn Oracle, interrupt: &'a AtomicBool) -> OracleClient<'a> {
        OracleClient { oracle, visited: AtomicU64::new(oracle.visited()), interrupt }
    }

    /// Counts rows that were visited for this run.
    pub fn count(&self, rows: usize) {
        self.visited.fetch_add(rows as u64, Ordering::Relaxed);
    }
}

impl Oracle for OracleClient<'_> {
    fn dim(&self) -> usize {
        self.oracle.dim()
    }

    fn coefficients(&self) -> usize {
        self.oracle.coefficients()
    }

    fn rows(&self) -> usize {
        self.oracle.rows()
    }

    fn effective_fraction(&self) -> f64 {
        self.oracle.effective_fraction()
    }

    fn is_wide(&self) -> bool {
        self.oracle.is_wide()
    }

    fn ask(&self, query: &Query<'_>) -> Sums {
        if let Some(nothing) = given_up(self, query) {
            return nothing;
        }
        self.count(query.batch.len(self.rows()));
        self.oracle.ask(query)
    }

    fn visited(&self) -> u64 {
        self.visited.load(Ordering::Relaxed)
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    fn bounds(&self) -> Bounds {
        self.count(self.rows());
        self.oracle.bounds()
    }

    fn losses(&self, thetas: &[Vec<f64>], tau: f64, batch: Batch) -> Vec<f64> {
        self.count(batch.len(self.rows()) * thetas.len());
        self.oracle.losses(thetas, tau, batch)
    }

    fn rms_preimage_error(&self, theta: &[f64]) -> f64 {
        self.count(self.rows());
        self.oracle.rms_preimage_error(theta)
    }
}
