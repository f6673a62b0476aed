//! A *spec* says how to fit: one serialisable struct of every option, with one table of keys.
//!
//! Flags, keys after a solver's name, grids and keyword arguments are texts for these keys:
//!
//! ```
//! use agglio::{Options, Solver, spec::Spec};
//!
//! let mut spec = Spec::default();
//! spec.set("solver", "sgd")?;
//! spec.set("batch", "20")?;
//! assert_eq!((spec.solver, spec.batch), (Some(Solver::Sgd), Some(20)));
//! assert!(spec.set("bach", "20").unwrap_err().to_string().contains("did you mean `batch`?"));
//! let plan = Options::from_spec(spec)?.build()?;
//! # let _ = plan;
//! # Ok::<(), agglio::Error>(())
//! ```

mod check;
mod form;
mod keys;
mod options;
mod response;
mod start;
mod text;
mod theory;

pub use keys::{Group, KEYS, Key, Spec};
pub use options::Options;
pub(crate) use response::Response;
pub use response::{Entry, Pair};
pub use start::{Prove, Restarts, Start};

use crate::activation::canonical;
use crate::error::{Error, Result};
use crate::oracle::Loss;
use crate::outcome::Noise;
use crate::rows::Scaling;
use crate::solver::Solver;
use crate::theory::{Algorithm, Course};

impl Spec {
    /// Sets an option by its key, from text.
    ///
    /// # Errors
    /// If there is no such key, or the text is not a value of it. [`Options::build`] checks whether the value is in its range.
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let key = Key::find(key, "option", |_| true)?;
        (key.set)(self, value).map_err(|allowed| Error::parameter(key.name, format!("`{value}`"), &allowed))
    }

    /// The value of a key as text; none if it is not given.
    ///
    /// # Errors
    /// If there is no such key.
    pub fn get(&self, key: &str) -> Result<Option<String>> {
        Key::find(key, "option", |_| true).map(|key| (key.get)(self))
    }

    /// Whether an option is given; false for a key that does not exist.
    pub fn has(&self, key: &str) -> bool {
        self.given().any(|(given, _)| given.name == key)
    }

    /// The options that are given, in the order of [`KEYS`].
    pub fn given(&self) -> impl Iterator<Item = (&'static Key, String)> {
        KEYS.iter().filter_map(|key| Some((key, (key.get)(self)?)))
    }

    /// The options for which `keep` returns true.
    #[must_use]
    pub fn filtered(&self, keep: impl Fn(&Key) -> bool) -> Spec {
        let mut spec = Spec::default();
        KEYS.iter().filter(|key| keep(key)).for_each(|key| (key.copy)(self, &mut spec));
        spec
    }

    /// Takes every option that another spec gives.
    pub fn update(&mut self, other: &Spec) {
        KEYS.iter().for_each(|key| (key.copy)(other, self));
    }

    /// The activation by its name, never by an alias: `sigmoid` unless given.
    pub fn activation(&self) -> &str {
        self.activation.as_deref().map_or("sigmoid", canonical)
    }

    /// The solver that is used: `auto` unless given.
    pub fn solver(&self) -> Solver {
        self.solver.unwrap_or(Solver::Auto)
    }

    /// The loss that is minimised: least squares unless given.
    pub fn loss(&self) -> Loss {
        self.loss.unwrap_or_default()
    }

    /// The last temperature; the noise model determines it unless it is given.
    pub fn last_temperature(&self) -> f64 {
        // the theory caps the temperature by the size of the noise
        let linear = self.noise == Some(Noise::Pre) && self.solver() != Solver::Theory;
        self.tau_max.unwrap_or(if linear { 0.0 } else { 1.0 })
    }

    /// Whether both noise models are compared: only by solver `auto`, and only if the last temperature is not given. A penalty
    /// or a radius shrinks the two fits by different amounts, so their likelihoods cannot be compared.
    pub(crate) fn compares(&self) -> bool {
        let open = self.tau_max.is_none() && self.noise != Some(Noise::Pre);
        let open = open && !self.has_free_response() && !self.loss().is_convex();
        open && self.solver() == Solver::Auto && self.l2.is_none_or(|l2| l2 == 0.0) && self.radius.is_none()
    }

    /// T, the maximum number of stages.
    pub(crate) fn epochs(&self) -> usize {
        self.epochs.unwrap_or(match self.algorithm {
            Some(Algorithm::Two) => Course::EPOCHS,
            _ => self.solver().default_epochs(),
        })
    }

    /// The coordinates of the solver; solver `theory` uses the user's units.
    pub(crate) fn scaling(&self) -> Scaling {
        self.scaling.unwrap_or(if self.solver() == Solver::Theory { Scaling::None } else { Scaling::Standard })
    }
}
