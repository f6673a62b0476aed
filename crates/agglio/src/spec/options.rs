//! The *options* of a fit: a spec with its activation, to be checked once.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

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
    pub(crate) checkpoint: Option<PathBuf>,
    pub(crate) checkpoint_every: Option<Duration>,
    pub(crate) resume: Option<PathBuf>,
}

impl Options {
    /// All defaults, for this activation.
    pub fn new(activation: Arc<dyn Activation>) -> Options {
        let name = activation.name();
        Options::of(activation, Spec::default()).activation(name)
    }

    /// The options of a spec, whose activation is found by its name; `sigmoid` unless given.
    ///
    /// # Errors
    /// If no activation has this name.
    pub fn from_spec(spec: Spec) -> Result<Options> {
        Ok(Options::of(named(spec.activation())?, spec))
    }

    fn of(activation: Arc<dyn Activation>, spec: Spec) -> Options {
        let (checkpoint, checkpoint_every, resume) = (None, None, None);
        Options { activation, spec, interrupt: Arc::default(), checkpoint, checkpoint_every, resume }
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

    /// Saves the state of a fit to this file on the way, at the end of a stage or of a run, so that [`Options::resume`] can
    /// continue it. The file appears whole or not at all, and replaces the one before. Writing takes less than 1 % of the
    /// time; a fit of less than a second writes nothing. Default: none.
    pub fn checkpoint(mut self, file: impl Into<PathBuf>) -> Options {
        self.checkpoint = Some(file.into());
        self
    }

    /// The time between two checkpoints, in place of one that keeps writing below 1 %. Zero saves at the end of every stage.
    pub fn checkpoint_every(mut self, interval: Duration) -> Options {
        self.checkpoint_every = Some(interval);
        self
    }

    /// Continues the fit of a checkpoint file, with the same bits as if it had not been interrupted.
    ///
    /// The rows and all options but the number of threads must be those of that fit; the activation is known by its name. An
    /// observer hears of the steps from there on. Default: none.
    pub fn resume(mut self, file: impl Into<PathBuf>) -> Options {
        self.resume = Some(file.into());
        self
    }
}
