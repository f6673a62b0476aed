//! *Text* for people: numbers, names and quotes as they stand in messages and files. For the crates of this project; not part
//! of the interface.

pub mod bounded;
pub mod escape;
pub mod format;
pub(crate) mod join;
pub mod suggest;
