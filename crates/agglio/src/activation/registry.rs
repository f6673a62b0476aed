//! A *registry* maps names to activations of your own, so that a model file with such a name can be loaded.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::named::{affine_parts, named};
use super::{Activation, Affine};
use crate::error::{Error, ErrorKind, Result};

/// Activations of your own by their names, in addition to those that are built in.
///
/// ```
/// use std::sync::Arc;
/// use agglio::activation::{Activation, Registry};
///
/// #[derive(Debug)]
/// struct Algebraic;
///
/// impl Activation for Algebraic {
///     fn name(&self) -> String {
///         "algebraic".into()
///     }
///     fn value(&self, t: f64) -> f64 {
///         t / t.hypot(1.0)
///     }
///     fn derivative(&self, t: f64) -> f64 {
///         t.hypot(1.0).powi(-3)
///     }
///     fn second_derivative(&self, t: f64) -> f64 {
///         -3.0 * self.value(t) * t.hypot(1.0).powi(-4)
///     }
/// }
///
/// let registry = Registry::new().with(Arc::new(Algebraic))?;
/// assert_eq!(registry.find("algebraic")?.value(0.75), 0.6);
/// assert_eq!(registry.find("tanh")?.name(), "tanh");
/// assert!(Registry::new().find("algebraic").is_err());
/// # Ok::<(), agglio::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Registry {
    own: BTreeMap<String, Arc<dyn Activation>>,
}

impl Registry {
    /// Only the activations that are built in.
    #[must_use]
    pub fn new() -> Registry {
        Registry::default()
    }

    /// The same with another activation, under [`Activation::name`]. An activation with a parameter needs an entry for each
    /// value, and a name that shows it.
    ///
    /// # Errors
    /// If the name is built in, or is here already.
    pub fn with(mut self, activation: Arc<dyn Activation>) -> Result<Registry> {
        let name = activation.name();
        let is_unknown = |why: &Error| matches!(why.kind(), ErrorKind::UnknownActivation { .. });
        if !named(&name).as_ref().is_err_and(is_unknown) {
            return Err(Error::parameter(
                "the name of an activation",
                format!("`{name}`"),
                "it is built in: choose another",
            ));
        }
        match self.own.insert(name.clone(), activation) {
            None => Ok(self),
            Some(_) => {
                Err(Error::parameter("the name of an activation", format!("`{name}`"), "it is registered already"))
            }
        }
    }

    /// The activation of this name.
    ///
    /// # Errors
    /// If it is neither registered nor built in.
    pub fn find(&self, name: &str) -> Result<Arc<dyn Activation>> {
        if let Some(own) = self.own.get(name) {
            return Ok(own.clone());
        }
        match affine_parts(name) {
            Some((offset, scale, inner)) if named(name).is_err() => {
                Ok(Arc::new(Affine::new(self.find(inner)?, offset, scale)))
            }
            _ => named(name),
        }
    }
}
