//! Every figure of the AGGLIO paper by name: its data, its runs, its picture, its numbers, and whether its claims hold.

pub mod boston;
pub mod claim;
pub mod contest;
pub mod contestant;
pub mod error;
pub mod figure;
pub mod figures;
pub mod grid;
pub mod problem;
pub mod settings;
pub mod statistics;
pub mod task;
pub mod track;

pub use error::{Error, Result};
