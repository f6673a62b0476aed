//! Every figure of the AGGLIO paper by name: its data, its runs, its picture, its numbers, and whether its claims hold.

pub mod claim;
pub mod figure;
