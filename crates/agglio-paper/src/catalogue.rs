//! The *catalogue* knows every figure by its name.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::figure::Figure;
use crate::figures::fig1;

/// What all figures are made with.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Smaller and fewer runs, to see that everything works.
    pub quick: bool,
    /// The parameters of the published run where they differ from the paper's.
    pub as_published: bool,
    /// How many runs there are of each kind.
    pub seeds: usize,
    /// The first seed; the others follow it.
    pub seed: u64,
    /// Number of threads.
    pub threads: usize,
    /// Raised by whoever wants an end.
    pub interrupt: Arc<AtomicBool>,
}

/// How a figure is made; the second argument hears in a few words what is being done.
pub type Draw = fn(&Settings, &dyn Fn(&str)) -> agglio::Result<Figure>;

/// A figure that can be asked for.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// Makes it; how long that took is for the caller to say.
    pub draw: Draw,
}

/// All figures, in the paper's order.
pub const CATALOGUE: &[Entry] = &[Entry { name: "fig1", draw: fig1::draw }];
