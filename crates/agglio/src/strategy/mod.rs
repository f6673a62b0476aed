//! A *strategy* decides which runs of the loop to make, from where, and which result to keep.

mod options;
mod single;
mod start;

pub use options::{Noise, Options, Plan};
pub use start::Start;
