//! *Blocks* are a table whose rows are read some at a time, in every pass again: a table larger than memory.

use std::fmt::Debug;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::math::tree::LEAF;
use crate::rows::{Part, Rows};

/// A table that is read block by block.
///
/// A block begins at a multiple of its length, which is a power of two times 1024 rows; the last one may be shorter. So the
/// sums over blocks merge to the bits of the sums over the whole table.
///
/// All blocks have the same columns, and those of the table: its [units](Rows::units), its
/// [unit of weights](Rows::weight_unit), and weights, offsets, limits and clusters in every block or in none.
/// [`Stream`](crate::oracle::Stream) fits them.
pub trait Blocks: Debug + Send + Sync {
    /// Number of rows of the table.
    fn rows(&self) -> usize;

    /// Number of rows of every block but the last: a power of two times 1024.
    fn block_rows(&self) -> usize;

    /// Bytes that a row takes in memory.
    fn row_bytes(&self) -> usize;

    /// Reads a block, counted from 0. Several threads may read at once.
    ///
    /// # Errors
    /// If it cannot be read, with the name of what was read.
    fn read(&self, block: usize) -> Result<Arc<dyn Rows>>;
}

/// Checks the number of rows of a block.
///
/// # Errors
/// If it is not a power of two times 1024.
pub(crate) fn require_block_rows(rows: usize) -> Result<()> {
    match rows.is_multiple_of(LEAF) && (rows / LEAF).is_power_of_two() {
        true => Ok(()),
        false => Err(Error::parameter("the number of rows of a block", rows, "it must be a power of two times 1024")),
    }
}

/// A table in memory that is read block by block, for tests and measurements of what reads blocks.
#[derive(Clone, Debug)]
pub struct Cut {
    rows: Arc<dyn Rows>,
    block_rows: usize,
}

impl Cut {
    /// A table in blocks of this many rows.
    ///
    /// # Errors
    /// If their number is not a power of two times 1024.
    pub fn new(rows: &dyn Rows, block_rows: usize) -> Result<Cut> {
        require_block_rows(block_rows)?;
        Ok(Cut { rows: rows.share(), block_rows })
    }
}

impl Blocks for Cut {
    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn block_rows(&self) -> usize {
        self.block_rows
    }

    fn row_bytes(&self) -> usize {
        size_of::<f64>() * (self.rows.width() + 1)
    }

    fn read(&self, block: usize) -> Result<Arc<dyn Rows>> {
        let first = block * self.block_rows;
        Ok(Arc::new(Part::block(&self.rows, first..self.rows.len().min(first + self.block_rows))))
    }
}
