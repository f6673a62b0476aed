//! *Reading* converts files to tables of numbers. An error gives the position of the problem and says what to do.

mod block;
mod cache;
mod cell;
mod csv;
mod decimal;
mod pieces;
mod records;
mod rows;
mod signature;
mod survey;

pub use self::csv::{Csv, Missing};
pub use crate::table::{Category, Features, Part, Selection, Table, Verbatim};
pub use cache::{Cache, CacheWriter, Layout};
pub use pieces::Pieces;
