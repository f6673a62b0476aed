//! *Starts*: the points from which runs of a race begin.

pub mod both_sides;
pub mod constant;
pub mod linear;
pub mod matching;
pub mod neighbours;
pub mod scan;
