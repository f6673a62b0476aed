//! The *options* of a fit: a spec with its activation, to be checked once.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::activation::{Activation, named};
use crate::error::Result;
use crate::spec::Spec;

/// How to fit: a builder, to be turned into a [`Plan`](crate::Plan).
///
/// ```
/// use std::sync::Arc;
/// use agglio::{Options, Solver, activation::Sigmoid};
/// let plan = Options::new(Arc::new(Sigmoid)).solver(Solver::Sgd).batch(20).seed(7).build()?;
/// # let _ = plan;
/// # Ok::<(), agglio::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    pub(crate) activation: Arc<dyn Activation>,
    pub(crate) spec: Spec,
    pub(crate) interrupt: Arc<AtomicBool>,
}

impl Options {
    /// All defaults, for this activation.
    pub fn new(activation: Arc<dyn Activation>) -> Options {
        let name = activation.name();
        Options { activation, spec: Spec::default(), interrupt: Arc::default() }.activation(name)
    }

    /// The options of a spec, whose activation is found by its name; `sigmoid` unless given.
    ///
    /// # Errors
    /// If no activation has this name.
    pub fn from_spec(spec: Spec) -> Result<Options> {
        let activation = named(spec.activation())?;
        Ok(Options { activation, spec, interrupt: Arc::default() })
    }

    /// Sets an option by its key, from text: see [`Spec::set`].
    ///
    /// # Errors
    /// As [`Spec::set`], or if no activation has this name.
    pub fn set(mut self, key: &str, value: &str) -> Result<Options> {
        self.spec.set(key, value)?;
        if key == "activation" {
            self.activation = named(value)?;
        }
        Ok(self)
    }

    /// A flag that ends the fit when it is set, within a few passes over the rows. The report then has the best point so far
    /// and the status `interrupted`. Default: a flag that is never set.
    pub fn interrupt(mut self, flag: Arc<AtomicBool>) -> Options {
        self.interrupt = flag;
        self
    }
}
