//! *Text* for readers: numbers, names and quotations in messages and files. It is for the crates of this project and
//! not part of the public interface.

pub mod bounded;
pub mod columns;
pub mod escape;
pub mod format;
pub(crate) mod join;
pub mod suggest;
