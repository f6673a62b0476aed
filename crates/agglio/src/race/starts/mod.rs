//! *Starts*: the points from which runs of a race begin. Challengers take them in the order of `try_starts` in
//! `race/auto.rs`.

pub mod both_sides;
pub mod constant;
pub mod linear;
pub mod matching;
pub mod neighbours;
pub mod scan;
