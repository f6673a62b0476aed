//! agglio fits `y ≈ φ(xᵀw + b)` by least squares, without starting values.
//!
//! The activation φ makes the problem non-convex. agglio begins at a low temperature τ, where the curve is almost a straight
//! line, and follows the solution as τ rises to one, where the curve is φ.
//!
//! ```
//! use agglio::{Options, activation::named, rows::Dense, simulate::Simulation};
//!
//! let data = Simulation::new(named("sigmoid")?, 1000, 5).draw()?;
//! let rows = Dense::new(data.values, 5, data.labels)?;
//! let report = Options::new(named("sigmoid")?).intercept(false).build()?.fit(&rows)?;
//! for (found, truth) in report.coefficients.iter().zip(&data.truth) {
//!     assert!((found - truth).abs() < 1e-12);
//! }
//! # Ok::<(), agglio::Error>(())
//! ```
//!
//! | you want to | use |
//! |---|---|
//! | choose what to fit, and how | [`Options`], [`activation::named`], [`Solver`] |
//! | fit a table in memory, or a CSV file | [`rows::Dense`], [`read::Csv`], [`Plan::fit`] |
//! | name covariates by a formula, such as `y ~ log(dose) + a:b` | [`table::Formula`] |
//! | read the result | [`Fitted`], [`Report`], [`Certificate`] |
//! | fit one curve for each group of rows | [`Plan::fit_groups`], [`groups`] |
//! | know how far to trust it: standard errors, intervals, tests | [`Fitted::inference`], [`inference`] |
//! | compare two models, one of which is a special case of the other | [`nested`], [`inference::Deviance`] |
//! | save a model and predict | [`model::Model`] |
//! | compare settings, or simulate data | [`tune`], [`simulate`] |
//! | add an activation, a storage of rows or an oracle | [`activation::Activation`], [`rows::Rows`], [`oracle::Oracle`], [`conformance`] |
//! | follow a fit step by step, or build a solver from its parts | [`fit`](mod@fit), [`solver`] |
//! | compute the bounds of the paper's theorems | [`theory`] |
//!
//! From the options of a fit to its numbers:
//!
//! ```text
//! spec ─▶ plan ─▶ race ─▶ fit ─▶ solver {schedule, estimator, direction, step rule} ─▶ oracle ─▶ {rows, activation}
//! ```
//!
//! The method is that of the AGGLIO paper (Dey, Mukhoty and Kar); labels such as `algo:main` name its parts.

pub mod activation;
// hidden modules serve the program, the figures and the tests of this repository, and may change at any time
#[doc(hidden)]
pub mod bench;
mod certificate;
pub mod conformance;
mod curve;
pub mod error;
pub mod fit;
mod fitted;
pub mod groups;
pub mod inference;
#[doc(hidden)]
pub mod math;
pub mod model;
pub mod nested;
pub mod oracle;
mod outcome;
mod plan;
pub mod prove;
mod race;
pub mod read;
mod report;
pub mod rows;
#[doc(hidden)]
pub mod save;
pub mod simulate;
pub mod solver;
pub mod spec;
pub mod table;
#[doc(hidden)]
pub mod text;
pub mod theory;
pub mod tune;

pub use certificate::Certificate;
pub use curve::Curve;
pub use error::{Error, Result};
pub use fitted::Fitted;
pub use math::linalg::Symmetric;
pub use oracle::Loss;
pub use outcome::{LogLikelihoods, Noise, Objection, Status, StopReason};
pub use plan::Plan;
pub use report::{Report, Scale};
pub use solver::Solver;
pub use spec::{Options, Restarts, Spec, Start};

/// The README's Rust, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;

/// The Rust of the book's page on the library, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
pub struct Library;
