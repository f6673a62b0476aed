//! A *corner* is a direction to infinity along which the linear predictors of some rows stay finite: those of one level of a
//! category, for example, if its indicator grows and the intercept falls.
//!
//! ```text
//! F(v) ≥ Σ_{i∉S} min f_i + min_v Σ_{i∈S} f_i(u_iᵀv + o_i)
//! ```
//!
//! However small a region around a corner is, no interval bounds the linear predictors of its rows S. The smallest loss that
//! they have alone, over all coefficients, is a bound that does not depend on the region. If the rows S do not span the space,
//! a search in fewer dimensions finds it.

use std::collections::BTreeMap;

use super::bound::{Candidate, Undecided};
use super::landscape::Landscape;
use super::search::{Pause, Search};

/// The most regions of a search for the bound of some rows.
const REGIONS: u64 = 20_000;
/// After a search that has come to no end, the target must be below this share of the last one.
const EASIER: f64 = 0.9;

/// What is known of the losses of sets of rows.
#[derive(Debug, Default)]
pub(super) struct Corners {
    known: BTreeMap<Vec<u32>, Known>,
}

/// What is known of the smallest loss of some rows alone.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// It is at least this.
    least: f64,
    /// From this on, nothing was shown.
    open: f64,
}

impl Corners {
    /// Whether the undecided rows of a region lift the loss in it above the cut. Counts the regions that it takes to find out.
    pub fn exceed(&mut self, landscape: &Landscape, undecided: Undecided, cut: f64, boxes: &mut u64) -> bool {
        let (rows, target) = (undecided.rows, cut - undecided.others);
        // more than what a constant leaves unexplained would be too much to ask of most rows
        if target >= landscape.spread(&rows) {
            return false;
        }
        let known = self.known.get(&rows).copied().unwrap_or_default();
        if target <= known.least || target >= known.open {
            return target <= known.least;
        }
        let Some(part) = landscape.part(&rows) else { return false };
        let mut search = Search::new(&part, Candidate::nowhere(target), 0.0);
        let known = match search.run(REGIONS, &mut |_| true) {
            Pause::Complete if search.is_complete() => Known { least: target, ..known },
            Pause::Better(_) => Known { open: target, ..known },
            _ => Known { open: EASIER * target, ..known },
        };
        *boxes += search.boxes;
        self.known.insert(rows, known);
        target <= known.least
    }
}

impl Default for Known {
    fn default() -> Known {
        Known { least: 0.0, open: f64::INFINITY }
    }
}
