//! A *sample* of a table that is read block by block: the rows at consecutive positions of a permutation, gathered in one
//! pass.

use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::math::rng::Permutation;
use crate::oracle::read_ahead::{Interrupt, ReadAhead};
use crate::rows::{Blocks, Rows};

/// The rows of a sample, in the order of their positions.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    /// The key of the permutation.
    pub key: u64,
    pub permutation: Permutation,
    /// The position of the first row.
    pub from: usize,
    pub rows: Arc<dyn Rows>,
}

impl Sample {
    /// Gathers the rows at these positions. Blocks without such a row are not read.
    ///
    /// # Errors
    /// If a block cannot be read, or its storage cannot be sampled.
    pub fn gather(
        blocks: &Arc<dyn Blocks>,
        key: u64,
        positions: Range<usize>,
        interrupt: &Interrupt,
    ) -> Result<Sample> {
        let permutation = Permutation::new(key, blocks.rows());
        let rows = gather(blocks, permutation.run(positions.start, positions.len()), None, interrupt)?;
        Ok(Sample { key, permutation, from: positions.start, rows })
    }

    /// Its positions.
    pub fn positions(&self) -> Range<usize> {
        self.from..self.from + self.rows.len()
    }

    /// The same sample with the rows up to position `to` − 1.
    ///
    /// # Errors
    /// As [`Sample::gather`].
    pub fn grown(&self, blocks: &Arc<dyn Blocks>, to: usize, interrupt: &Interrupt) -> Result<Sample> {
        let known = self.positions().end;
        let rows = gather(blocks, self.permutation.run(known, to - known), Some(&self.rows), interrupt)?;
        Ok(Sample { rows, ..self.clone() })
    }
}

/// Rows of a table in this order, after those that are known.
fn gather(
    blocks: &Arc<dyn Blocks>,
    rows: Vec<usize>,
    known: Option<&Arc<dyn Rows>>,
    interrupt: &Interrupt,
) -> Result<Arc<dyn Rows>> {
    let block_rows = blocks.block_rows();
    // the rows in the order of the table, each with its place in the sample
    let mut places: Vec<(usize, usize)> = rows.into_iter().enumerate().map(|(place, row)| (row, place)).collect();
    places.sort_unstable();
    let groups: Vec<&[(usize, usize)]> = places.chunk_by(|a, b| a.0 / block_rows == b.0 / block_rows).collect();
    let wanted = groups.iter().filter_map(|group| Some(group.first()?.0 / block_rows)).collect();
    let before = known.map_or(0, |known| known.len());
    let mut tables: Vec<Arc<dyn Rows>> = known.into_iter().cloned().collect();
    let mut order: Vec<(usize, usize)> = (0..before).map(|row| (0, row)).collect();
    order.resize(before + places.len(), (0, 0));
    for (group, block) in groups.iter().zip(ReadAhead::new(blocks, wanted, interrupt)?) {
        let (first, block) = block?;
        tables.push(block.gather(&group.iter().map(|(row, _)| row - first).collect::<Vec<_>>()));
        for (row, (_, place)) in group.iter().enumerate() {
            order[before + place] = (tables.len() - 1, row);
        }
    }
    let assembled = tables.first().and_then(|table| table.assemble(&tables, &order));
    assembled.ok_or_else(|| Error::data("the blocks of a table differ in their columns, or cannot be sampled"))
}
