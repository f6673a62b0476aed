//! Every figure of the AGGLIO paper by name: its data, its runs, its picture, its numbers, and whether its claims hold.
//!
//! [`catalogue`] knows the figures, [`figure::Figure`] is what a run makes of one, and [`folder`] is where it all goes:
//! pictures of [`plot`], files of [`numbers`], and the [`page`] about them.

pub mod catalogue;
pub mod claim;
pub mod figure;
pub mod figures;
pub mod folder;
mod landscape;
pub mod machine;
pub mod numbers;
pub mod page;
pub mod plot;
pub mod selection;
pub mod words;
