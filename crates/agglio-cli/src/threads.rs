//! The number of *threads*.

use std::sync::LazyLock;
use std::thread::available_parallelism;

use crate::memory;

/// More threads than this are probably a typing error.
pub const MOST: usize = 1024;

/// Found once: the system is asked through half a dozen files, and a search asks for each of its settings.
static CORES: LazyLock<usize> = LazyLock::new(|| available_parallelism().map_or(1, usize::from));

/// As many as were asked for, or one for each core. Where addresses are limited, as many of those that were asked for as
/// leave half of them to the data, and else one: each thread keeps a share for itself.
pub fn count(asked: Option<usize>) -> usize {
    match (asked, memory::most_threads()) {
        (Some(asked), most) => asked.min(MOST).min(most.unwrap_or(MOST)),
        (None, Some(_)) => 1,
        (None, None) => *CORES,
    }
}
