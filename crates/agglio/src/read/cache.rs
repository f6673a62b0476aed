//! A *cache* is a temporary file of rows, which is written once and then read block by block in every pass.
//!
//! It has no name in the file system, so that nothing is left behind, even if the program is killed.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use bytemuck::{Pod, cast_slice, cast_slice_mut};

use crate::error::{Error, Result};
use crate::math::tree::LEAF;
use crate::rows::{Blocks, Columns, Dense, Rows, Units, require_block_rows};

/// Bytes of a block, about: so many that a disk reads them at full speed, and so few that three fit into any memory.
const BLOCK: usize = 8 << 20;

/// Which numbers a row has besides its covariates and its response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Number of covariates.
    pub width: usize,
    /// Whether rows have weights.
    pub weights: bool,
    /// Whether rows have offsets.
    pub offsets: bool,
    /// Whether rows have clusters.
    pub clusters: bool,
}

impl Layout {
    /// Bytes of a row.
    pub fn row_bytes(&self) -> usize {
        let numbers = self.width + 1 + usize::from(self.weights) + usize::from(self.offsets);
        size_of::<f64>() * numbers + size_of::<u32>() * usize::from(self.clusters)
    }

    /// Number of rows of a block of about 8 MB: a power of two times 1024.
    pub fn block_rows(&self) -> usize {
        LEAF << (BLOCK / LEAF / self.row_bytes()).max(1).ilog2()
    }

    /// The position of the block that begins at a row, whose number is a multiple of the rows of a block.
    fn position(&self, row: usize, block_rows: usize) -> u64 {
        row as u64 * self.row_bytes() as u64 + (row / block_rows * size_of::<u32>()) as u64
    }
}

/// A cache that is being written.
///
/// ```
/// use std::sync::Arc;
/// use agglio::{Options, activation::named, fit::Silent, oracle::Stream, rows::Columns};
/// use agglio::read::{CacheWriter, Layout};
///
/// let mut writer = CacheWriter::new(&std::env::temp_dir(), Layout { width: 1, ..Layout::default() })?;
/// // some rows at a time
/// for part in 0..3 {
///     let dose: Vec<f64> = (0..1000).map(|i| f64::from(part) + f64::from(i) / 1000.0).collect();
///     let share: Vec<f64> = dose.iter().map(|x| 1.0 / (1.0 + (2.0 - x).exp())).collect();
///     writer.push(Columns { values: dose, labels: share, ..Columns::default() })?;
/// }
/// let cache = writer.finish()?;
/// let plan = Options::new(named("sigmoid")?).stream(true).build()?;
/// let fitted = plan.fit_shards(Box::new(Stream::new(Arc::new(cache))?), &mut Silent)?;
/// assert!((fitted.coefficients[0] - 1.0).abs() < 1e-9);
/// # Ok::<(), agglio::Error>(())
/// ```
#[derive(Debug)]
pub struct CacheWriter {
    folder: PathBuf,
    file: BufWriter<File>,
    layout: Layout,
    block_rows: usize,
    rows: usize,
    /// The rows that do not fill a block yet.
    open: Columns,
    /// The largest absolute value of each covariate, and the largest weight.
    largest: Vec<f64>,
    largest_weight: f64,
}

/// A cache that is complete.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
    file: Mutex<File>,
    layout: Layout,
    block_rows: usize,
    rows: usize,
    units: Units,
}

impl CacheWriter {
    /// Begins a cache in a folder, with blocks of about 8 MB.
    ///
    /// # Errors
    /// If no file can be made there.
    pub fn new(folder: &Path, layout: Layout) -> Result<CacheWriter> {
        CacheWriter::with_blocks(folder, layout, layout.block_rows())
    }

    /// As [`CacheWriter::new`], with blocks of this number of rows.
    ///
    /// # Errors
    /// As [`CacheWriter::new`], and if their number is not a power of two times 1024.
    pub fn with_blocks(folder: &Path, layout: Layout, block_rows: usize) -> Result<CacheWriter> {
        require_block_rows(block_rows)?;
        // a file for this run alone needs neither a name nor the promise to survive a power failure
        let file = tempfile::tempfile_in(folder).map_err(|why| Error::file(folder, why))?;
        Ok(CacheWriter {
            folder: folder.to_owned(),
            file: BufWriter::with_capacity(1 << 20, file),
            layout,
            block_rows,
            rows: 0,
            open: Columns::default(),
            largest: vec![0.0; layout.width],
            largest_weight: 0.0,
        })
    }

    /// Appends rows.
    ///
    /// # Errors
    /// If a number is not finite, a weight is negative, a column does not have its length, or the disk is full.
    pub fn push(&mut self, rows: Columns) -> Result<()> {
        self.check(&rows)?;
        for row in rows.values.chunks_exact(self.layout.width.max(1)) {
            self.largest.iter_mut().zip(row).for_each(|(largest, x)| *largest = largest.max(x.abs()));
        }
        self.largest_weight = rows.weights.iter().fold(self.largest_weight, |largest, weight| largest.max(*weight));
        self.open.append(rows);
        while self.open.labels.len() >= self.block_rows {
            let block = self.open.split_to(self.block_rows, self.layout.width);
            self.write(&block)?;
        }
        Ok(())
    }

    /// The complete cache.
    ///
    /// # Errors
    /// If there are no rows, all weights are zero, or the disk is full.
    pub fn finish(mut self) -> Result<Cache> {
        if !self.open.labels.is_empty() {
            let block = std::mem::take(&mut self.open);
            self.write(&block)?;
        }
        let CacheWriter { folder, file, layout, block_rows, rows, largest, largest_weight, .. } = self;
        if rows == 0 {
            return Err(Error::data("a table of 0 rows has nothing to fit"));
        }
        if layout.weights && largest_weight == 0.0 {
            return Err(Error::data("all weights are zero"));
        }
        let file = file.into_inner().map_err(|why| Error::file(&folder, full(why.error())))?;
        let units = Units::of(&largest, layout.weights.then_some(largest_weight));
        Ok(Cache { folder, file: Mutex::new(file), layout, block_rows, rows, units })
    }

    fn check(&self, rows: &Columns) -> Result<()> {
        let n = rows.labels.len();
        let Layout { width, weights, offsets, clusters } = self.layout;
        let lengths = [rows.values.len(), rows.weights.len(), rows.offsets.len(), rows.clusters.len()];
        if lengths != [n * width, n * usize::from(weights), n * usize::from(offsets), n * usize::from(clusters)] {
            return Err(Error::data(format!("the columns of {n} rows have other lengths than those of the cache")));
        }
        let first = self.rows + self.open.labels.len();
        let columns = [("covariates", &rows.values, width), ("labels", &rows.labels, 1), ("weights", &rows.weights, 1)];
        for (what, column, width) in columns.into_iter().chain([("offsets", &rows.offsets, 1)]) {
            if let Some(at) = column.iter().position(|x| !x.is_finite()) {
                let row = first + at / width.max(1) + 1;
                let what = format!("{what}: row {row} has {}; every number must be finite", column[at]);
                return Err(Error::data(what));
            }
        }
        match rows.weights.iter().position(|weight| *weight < 0.0) {
            None => Ok(()),
            Some(at) => Err(Error::data(format!("the weight of row {} is negative", first + at + 1))),
        }
    }

    fn write(&mut self, block: &Columns) -> Result<()> {
        let numbers = [&block.values, &block.labels, &block.weights, &block.offsets];
        let mut sum = crc32fast::Hasher::new();
        let parts = numbers.map(|numbers| cast_slice::<f64, u8>(numbers));
        for bytes in parts.into_iter().chain([cast_slice::<u32, u8>(&block.clusters)]) {
            sum.update(bytes);
            self.file.write_all(bytes).map_err(|why| Error::file(&self.folder, full(&why)))?;
        }
        let sum = sum.finalize().to_ne_bytes();
        self.file.write_all(&sum).map_err(|why| Error::file(&self.folder, full(&why)))?;
        self.rows += block.labels.len();
        Ok(())
    }
}

fn full(why: &io::Error) -> String {
    format!("the rows could not be written to a temporary file here: {why}")
}

impl Cache {
    /// Bytes of the file.
    pub fn bytes(&self) -> u64 {
        let blocks = self.rows.div_ceil(self.block_rows);
        self.rows as u64 * self.layout.row_bytes() as u64 + (blocks * size_of::<u32>()) as u64
    }

    fn lost(&self, first: usize, rows: usize, why: impl std::fmt::Display) -> Error {
        let what = format!("rows {} to {} of the temporary file cannot be read again: {why}", first + 1, first + rows);
        Error::file(&self.folder, what)
    }

    fn columns(&self, first: usize, rows: usize) -> io::Result<Columns> {
        let Layout { width, weights, offsets, clusters } = self.layout;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.layout.position(first, self.block_rows)))?;
        let mut sum = crc32fast::Hasher::new();
        let columns = Columns {
            values: read(&mut file, rows * width, &mut sum)?,
            labels: read(&mut file, rows, &mut sum)?,
            weights: read(&mut file, rows * usize::from(weights), &mut sum)?,
            offsets: read(&mut file, rows * usize::from(offsets), &mut sum)?,
            clusters: read(&mut file, rows * usize::from(clusters), &mut sum)?,
        };
        let mut written = [0; size_of::<u32>()];
        file.read_exact(&mut written)?;
        match sum.finalize() == u32::from_ne_bytes(written) {
            true => Ok(columns),
            false => {
                Err(io::Error::new(io::ErrorKind::InvalidData, "their checksum is wrong: the disk has changed them"))
            }
        }
    }
}

/// Reads some numbers.
fn read<T: Pod>(file: &mut File, len: usize, sum: &mut crc32fast::Hasher) -> io::Result<Vec<T>> {
    let mut numbers = vec![T::zeroed(); len];
    let bytes = cast_slice_mut::<T, u8>(&mut numbers);
    file.read_exact(bytes)?;
    sum.update(bytes);
    Ok(numbers)
}

impl Blocks for Cache {
    fn rows(&self) -> usize {
        self.rows
    }

    fn block_rows(&self) -> usize {
        self.block_rows
    }

    fn row_bytes(&self) -> usize {
        self.layout.row_bytes()
    }

    fn read(&self, block: usize) -> Result<Arc<dyn Rows>> {
        let first = block * self.block_rows;
        let rows = self.block_rows.min(self.rows.saturating_sub(first));
        let columns = self.columns(first, rows).map_err(|why| self.lost(first, rows, why))?;
        Ok(Arc::new(Dense::block(columns, self.layout.width, &self.units)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn cache(rows: usize) -> Cache {
        let layout = Layout { width: 2, weights: true, offsets: true, clusters: true };
        let mut writer = CacheWriter::with_blocks(&std::env::temp_dir(), layout, 1024).unwrap();
        let numbers = |len: usize| (0..len).map(|i| i as f64).collect::<Vec<_>>();
        let clusters = (0..rows as u32).collect();
        let (weights, offsets) = (numbers(rows), numbers(rows));
        writer.push(Columns { values: numbers(2 * rows), labels: numbers(rows), weights, offsets, clusters }).unwrap();
        writer.finish().unwrap()
    }

    /// Changes the byte at this position.
    fn damage(cache: &Cache, at: u64) {
        let mut file = cache.file.lock().unwrap();
        let mut byte = [0];
        file.seek(SeekFrom::Start(at)).unwrap();
        file.read_exact(&mut byte).unwrap();
        file.seek(SeekFrom::Start(at)).unwrap();
        file.write_all(&[byte[0] ^ 1]).unwrap();
    }

    #[test]
    fn a_changed_byte_is_found_in_its_block() {
        // numbers, codes and the checksum itself
        for at in [0, 16 * 1024, 44 * 1024 - 3, 44 * 1024 + 3] {
            let cache = cache(2500);
            assert_eq!(cache.bytes(), cache.file.lock().unwrap().metadata().unwrap().len());
            damage(&cache, at);
            let why = cache.read(0).unwrap_err().to_string();
            assert!(why.contains("rows 1 to 1024 of the temporary file") && why.contains("checksum"), "{why}");
            assert!(cache.read(1).is_ok() && cache.read(2).is_ok());
        }
    }

    #[test]
    fn a_file_that_was_cut_is_an_error() {
        let cache = cache(2500);
        cache.file.lock().unwrap().set_len(cache.bytes() - 1).unwrap();
        assert!(cache.read(1).is_ok());
        let why = cache.read(2).unwrap_err().to_string();
        assert!(why.contains("rows 2049 to 2500 of the temporary file cannot be read again"), "{why}");
    }
}
