//! The *theory* of the paper as numbers: bounds on the curvature of the graduated loss around the true model, and the
//! temperatures, steps and errors that follow from them.
//!
//! A [`Setting`] holds the assumptions: the activation, ‖w_*‖ ≤ R, the noise, and the design of the covariates. The
//! design is N(0, I) without noise and with noise before φ, and N(0, I)/√d with noise after φ.
//!
//! - [`Setting::constants`] are λ̂ and Λ̂ in the ball of radius r around w_*, corrected; [`Setting::printed`] are those
//!   of the paper.
//! - [`Setting::path`] is the sequence of steps of Algorithm 1, and [`Setting::epochs`] the epochs of Algorithm 2.
//! - [`Setting::caps`] are the temperatures that noise allows, [`Setting::errors`] the error bounds under noise, and
//!   [`Setting::approach`] the steps for which the distance to w_* is guaranteed to decrease.
//! - [`PrintedSigmoid`] has the constants that the paper prints for the sigmoid, and [`trial`] tests theorems on data.
//! - [`measure`] measures the same quantities on data.
//! - [`descent`] and [`stochastic`] are the two algorithms as methods for [`crate::fit`], and a [`Course`] is one of
//!   them planned for a table: solver `theory`.
//!
//! All values refer to the loss of the oracle, L̂_τ = L_τ/γ²; [`Setting::gamma`] converts them to the paper's.
//!
//! ```
//! use agglio::{activation::named, simulate::LabelNoise, theory::Setting};
//!
//! let setting = Setting::new(named("sigmoid")?.as_ref(), 1.0, LabelNoise::None, None)?;
//! assert_eq!(setting.steps(&[1e-12]), [Some(1424)]);
//! # Ok::<(), agglio::Error>(())
//! ```

mod cap;
mod constants;
mod course;
mod epoch;
mod error;
pub mod measure;
mod path;
mod run;
mod setting;
mod sigmoid;
mod temperature;
pub mod trial;

pub use cap::Caps;
pub use constants::{Constants, Statement};
pub use course::{Algorithm, Course};
pub use epoch::{Epoch, INCREMENT, Sphere};
pub use error::{Approach, Errors};
pub use path::{Leg, MOST_STEPS, Path};
pub use run::{descent, stochastic};
pub use setting::{Perturbation, Setting};
pub use sigmoid::PrintedSigmoid;
