//! The *theory* of the paper as numbers: how convex and how smooth graduated losses are around the true model, the
//! temperatures and steps that follow from it, and what of this data confirms.
//!
//! A [`Setting`] says what is assumed: the activation, ‖w_*‖ ≤ R, the noise, and with it the design of the covariates,
//! N(0, I) without noise and with noise before φ, N(0, I)/√d with noise after it. From there
//!
//! - [`Setting::constants`] are λ̂ and Λ̂ in the ball of radius r around w_*, corrected, and beside them as printed;
//! - [`Setting::path`] is Algorithm 1 leg by leg, [`Setting::epochs`] Algorithm 2 epoch by epoch;
//! - [`Setting::caps`] are the temperatures that noise allows, [`Setting::errors`] the errors that are promised then, and
//!   [`Setting::approach`] the steps that lead towards w_* for certain;
//! - [`PrintedSigmoid`] has the sigmoid's own numbers as the paper prints them, and [`trial`] holds theorems to data;
//! - [`measure`] looks at data instead;
//! - [`descent`] and [`stochastic`] are the two algorithms as methods that [`crate::fit`] runs, and a [`Course`] is either of
//!   them planned for a table: solver `theory`.
//!
//! Everything is in the scale of the oracle, L̂_τ = L_τ/γ²; [`Setting::gamma`] leads back to the paper's.
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
