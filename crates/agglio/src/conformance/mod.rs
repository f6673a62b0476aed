//! A *conformance suite* holds an implementation of [`Activation`], [`Rows`] or [`Oracle`] to the laws that the rest of the
//! library relies on.
//!
//! Call it from a test of your crate. It needs nothing but this library, reports the first law that fails as a value, and
//! does not panic unless the implementation does.
//!
//! ```
//! use agglio::{activation::Sigmoid, conformance};
//!
//! conformance::activation(&Sigmoid)?;
//! # Ok::<(), conformance::Failure>(())
//! ```

mod activation;
mod numbers;
mod oracle;
mod rows;
mod shape;
mod table;

use std::fmt;
use std::sync::Arc;

use crate::activation::Activation;
use crate::error::Result;
use crate::oracle::Oracle;
use crate::rows::Rows;

pub use table::Table;

/// The law that an implementation breaks, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The law, as a clause.
    pub law: &'static str,
    /// The case in which it fails, with the numbers that were found and expected.
    pub case: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this law is broken: {}. {}", self.law, self.case)
    }
}

impl std::error::Error for Failure {}

/// Whether a law holds; if not, in which case.
type Verdict = std::result::Result<(), String>;

/// A law, and the function that checks it.
struct Law<C> {
    says: &'static str,
    check: C,
}

fn check_all<C: Copy>(laws: &[Law<C>], apply: impl Fn(C) -> Verdict) -> std::result::Result<(), Failure> {
    laws.iter().try_for_each(|law| apply(law.check).map_err(|case| Failure { law: law.says, case }))
}

/// Checks an activation: φ, its derivatives, its range, its preimages, the slices that are derived from them, and its
/// shape, if it has one.
///
/// The checks are differences and quadratures, so they find formulas that are wrong, not the last digits of right ones.
/// An envelope is not checked.
///
/// # Errors
/// The first of the [`activation_laws`] that does not hold.
pub fn activation(activation: &dyn Activation) -> std::result::Result<(), Failure> {
    check_all(activation::LAWS, |check| check(activation))
}

/// Checks a storage of rows, which `make` builds from small tables of all shapes.
///
/// Every number of these tables is exact in single precision. The exception is one table that checks the units of columns;
/// `make` may refuse it.
///
/// ```
/// use std::sync::Arc;
/// use agglio::conformance::{self, Table};
/// use agglio::rows::{Dense, Rows};
///
/// let make = |table: &Table| -> agglio::Result<Arc<dyn Rows>> {
///     let mut rows = Dense::new(table.values.clone(), table.width, table.labels.clone())?;
///     if let Some(weights) = &table.weights {
///         rows = rows.with_weights(weights.clone())?;
///     }
///     if let Some(offsets) = &table.offsets {
///         rows = rows.with_offsets(offsets.clone())?;
///     }
///     if let Some(clusters) = &table.clusters {
///         rows = rows.with_clusters(clusters.clone())?;
///     }
///     Ok(Arc::new(rows))
/// };
/// conformance::rows(&make)?;
/// # Ok::<(), conformance::Failure>(())
/// ```
///
/// # Errors
/// The first of the [`rows_laws`] that does not hold.
pub fn rows(make: &dyn Fn(&Table) -> Result<Arc<dyn Rows>>) -> std::result::Result<(), Failure> {
    check_all(rows::LAWS, |check| check(make))
}

/// Checks an oracle, whatever holds its rows. Nobody may interrupt it meanwhile, or ask it anything.
///
/// ```
/// use agglio::{activation::named, conformance, oracle::Problem, rows::Dense};
///
/// let rows = Dense::new(vec![0., 1., 2., 3., 4., 5.], 1, vec![0.11, 0.32, 0.45, 0.81, 0.88, 0.97])?;
/// conformance::oracle(&Problem::new(named("sigmoid")?).on(&rows)?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first of the [`oracle_laws`] that does not hold.
pub fn oracle(oracle: &dyn Oracle) -> std::result::Result<(), Failure> {
    check_all(oracle::LAWS, |check| check(oracle))
}

/// The laws of [`activation`](fn@activation), in the order in which they are checked.
pub fn activation_laws() -> impl Iterator<Item = &'static str> {
    activation::LAWS.iter().map(|law| law.says)
}

/// The laws of [`rows`](fn@rows), in the order in which they are checked.
pub fn rows_laws() -> impl Iterator<Item = &'static str> {
    rows::LAWS.iter().map(|law| law.says)
}

/// The laws of [`oracle`](fn@oracle), in the order in which they are checked.
pub fn oracle_laws() -> impl Iterator<Item = &'static str> {
    oracle::LAWS.iter().map(|law| law.says)
}
