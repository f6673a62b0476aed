//! Every figure of the AGGLIO paper by name: its data, its runs, its picture, its numbers, and whether its claims hold.
//!
//! [`catalogue`] knows the figures, [`figure::Figure`] is what a run makes of one, and [`folder`] is where it all goes:
//! pictures of [`plot`], files of [`numbers`], and the [`page`] about them. Most figures are a [`contest`] of
//! [`contestant`]s on a [`problem`].

pub mod boston;
pub mod catalogue;
pub mod claim;
pub mod contest;
pub mod contestant;
pub mod error;
pub mod expected;
pub mod figure;
pub mod figures;
pub mod folder;
pub mod goal;
pub mod grid;
mod landscape;
pub mod machine;
pub mod numbers;
pub mod page;
pub mod plot;
pub mod problem;
pub mod request;
pub mod selection;
pub mod statistics;
pub mod task;
pub mod track;
pub mod tuning;
pub mod words;

pub use error::{Error, Result};
