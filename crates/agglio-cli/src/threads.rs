//! *Threads*: how many there may be.

use std::thread::available_parallelism;

use crate::memory;

/// More threads than this are a slip of the finger.
pub const MOST: usize = 1024;

/// As many as were asked for, or one for each core; one where addresses are limited, since each thread keeps a share of
/// them for itself.
pub fn count(asked: Option<usize>) -> usize {
    match asked {
        Some(asked) => asked.min(MOST),
        None if memory::is_limited() => 1,
        None => available_parallelism().map_or(1, usize::from),
    }
}
