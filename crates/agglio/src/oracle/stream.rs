//! A *stream* is a shard whose rows are not in memory: every pass reads them again, block by block.

use std::ops::Range;
use std::slice;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::activation;
use crate::error::{Error, ErrorKind, Result};
use crate::math::tree::LEAF;
use crate::oracle::facts::Measured;
use crate::oracle::frame::Frame;
use crate::oracle::labels::{LabelPreimages, Tally};
use crate::oracle::partial_sums::PartialSums;
use crate::oracle::partition::merge;
use crate::oracle::query::{Batch, Query};
use crate::oracle::read_ahead::{Block, Interrupt, ReadAhead};
use crate::oracle::sample::Sample;
use crate::oracle::shard::{Held, Shard, Shards};
use crate::rows::{Blocks, MomentSums, Moments, Rows, require_block_rows};

/// A table that is read block by block in every pass, with the bits of the same table in memory.
///
/// In memory are at most three blocks, one in use and two read ahead, and the samples that fits begin on, gathered in one
/// pass each. A larger sample than [`Stream::with_room`] allows is gathered again for every query, in parts.
///
/// Solvers that visit rows in minibatches, and bootstrap samples of rows, are refused. If a block cannot be read the fit ends
/// with that error. An interrupt ends a pass within a second, with [`ErrorKind::Interrupted`].
///
/// ```
/// use std::sync::Arc;
/// use agglio::{Options, activation::named, fit::Silent, oracle::Stream, rows::{Cut, Dense}};
///
/// let dose: Vec<f64> = (0..3000).map(|i| i as f64 / 1000.0).collect();
/// let share = dose.iter().map(|x| 1.0 / (1.0 + (2.0 - 1.5 * x).exp())).collect();
/// let rows = Dense::new(dose, 1, share)?;
/// let plan = Options::new(named("sigmoid")?).stream(true).build()?;
/// let stream = Stream::new(Arc::new(Cut::new(&rows, 1024)?))?;
/// let fitted = plan.fit_shards(Box::new(stream), &mut Silent)?;
/// assert_eq!(fitted.coefficients, plan.fit(&rows)?.coefficients);
/// # Ok::<(), agglio::Error>(())
/// ```
#[derive(Debug)]
pub struct Stream {
    blocks: Arc<dyn Blocks>,
    /// The most rows of the samples that are kept: a power of two of leaves.
    room: usize,
    interrupt: Interrupt,
    frame: Option<Prepared>,
    /// The samples that are kept, the last one in use last.
    samples: Mutex<Vec<(Arc<Shard>, Sample)>>,
}

/// What is asked of a shard, and how its answers are merged.
type Question<'a, T> = dyn Fn(&Shard) -> Result<T> + 'a;
type Merge<'a, T> = dyn Fn(T, T) -> Result<T> + 'a;

/// The frame, and what other rows of a block must know of each other.
#[derive(Debug)]
struct Prepared {
    frame: Arc<Frame>,
    /// Whether some label of the table has two preimages.
    both: bool,
}

impl Stream {
    /// Bytes of the samples that are kept unless given.
    pub const ROOM: usize = 128 << 20;

    /// The rows of these blocks.
    ///
    /// # Errors
    /// If there are no rows, or a block has another number of rows than a power of two times 1024.
    pub fn new(blocks: Arc<dyn Blocks>) -> Result<Stream> {
        require_block_rows(blocks.block_rows())?;
        if blocks.rows() == 0 {
            return Err(Error::data("a table of 0 rows has nothing to fit"));
        }
        let stream =
            Stream { blocks, room: LEAF, interrupt: Interrupt::default(), frame: None, samples: Mutex::default() };
        Ok(stream.with_room(Stream::ROOM))
    }

    /// Sets the bytes of the samples that are kept, but at least those of 1024 rows. While a sample is gathered it takes twice
    /// as much. Default: [`Stream::ROOM`].
    #[must_use]
    pub fn with_room(self, bytes: usize) -> Stream {
        let leaves = bytes / self.blocks.row_bytes().max(1) / LEAF;
        Stream { room: LEAF << leaves.max(1).ilog2(), ..self }
    }

    /// The key and the positions of a part of a permutation; none for all rows.
    fn positions(&self, batch: Batch) -> Result<Option<(u64, Range<usize>)>> {
        match batch {
            Batch::All => Ok(None),
            Batch::Part { key, start, .. } => Ok(Some((key, start..start + batch.len(self.blocks.rows())))),
            Batch::Resample { .. } => Err(ErrorKind::Incompatible {
                one: "`stream`".to_owned(),
                other: "a bootstrap of the rows".to_owned(),
                reason: "it draws rows from all over the table; use a sandwich covariance or the wild bootstrap"
                    .to_owned(),
            }
            .into()),
        }
    }

    /// All blocks, in order.
    fn pass(&self) -> Result<ReadAhead<'_>> {
        let blocks = self.blocks.rows().div_ceil(self.blocks.block_rows());
        ReadAhead::new(&self.blocks, (0..blocks).collect(), &self.interrupt)
    }

    fn prepared(&self) -> Result<&Prepared> {
        self.frame.as_ref().ok_or_else(|| Error::data("a shard was asked before it was prepared"))
    }

    /// A shard of a block, for these queries.
    fn shard(&self, (first, rows): Block, queries: &[Query<'_>]) -> Result<Shard> {
        let Prepared { frame, both } = self.prepared()?;
        let labels = match queries.iter().any(Query::needs_preimages) {
            true => LabelPreimages::of(rows.as_ref(), frame, *both).0,
            false => LabelPreimages::default(),
        };
        Ok(Shard::prepared_with(rows, Held::From(first), frame, labels))
    }

    /// Asks a shard of each block, in one pass, and merges what they return.
    fn ask_all<T>(&self, queries: &[Query<'_>], ask: &Question<'_, T>, two: &Merge<'_, T>) -> Result<T> {
        merge(self.pass()?.map(|block| ask(&self.shard(block?, queries)?)), two)
    }

    /// Asks a sample for a part of a permutation, or several of them one after the other, and merges what they return.
    fn ask_part<T>(&self, key: u64, positions: Range<usize>, ask: &Question<'_, T>, two: &Merge<'_, T>) -> Result<T> {
        if positions.end <= self.room && !positions.is_empty() {
            return ask(self.kept(key, positions.end)?.as_ref());
        }
        let part = |from: usize| {
            let to = positions.end.clamp(from + 1, from + self.room);
            ask(&self.sample_shard(&Sample::gather(&self.blocks, key, from..to, &self.interrupt)?)?)
        };
        match positions.is_empty() {
            // sums over no rows have the form of those over some
            true => part(0),
            false => merge(positions.clone().step_by(self.room).map(part), two),
        }
    }

    /// The sample of a key, up to a position at least.
    fn kept(&self, key: u64, end: usize) -> Result<Arc<Shard>> {
        // nothing is locked while rows are gathered, which other threads of a pool may help with
        let sample = match self.taken(key) {
            Some((shard, sample)) if sample.positions().end >= end => {
                self.keep(shard.clone(), sample);
                return Ok(shard);
            }
            // by doubling, so that a sample that grows step by step takes few passes
            Some((_, sample)) => {
                let to = end.max(2 * sample.positions().end).min(self.room).min(self.blocks.rows());
                sample.grown(&self.blocks, to, &self.interrupt)?
            }
            None => Sample::gather(&self.blocks, key, 0..end, &self.interrupt)?,
        };
        let shard = Arc::new(self.sample_shard(&sample)?);
        self.keep(shard.clone(), sample);
        Ok(shard)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Arc<Shard>, Sample)>> {
        self.samples.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the sample of a key out of those that are kept.
    fn taken(&self, key: u64) -> Option<(Arc<Shard>, Sample)> {
        let mut samples = self.lock();
        let known = samples.iter().position(|(_, sample)| sample.key == key);
        known.map(|at| samples.remove(at))
    }

    /// Keeps a sample, and drops those that were used least recently until there is room for it.
    fn keep(&self, shard: Arc<Shard>, sample: Sample) {
        let mut samples = self.lock();
        let rows =
            |samples: &[(Arc<Shard>, Sample)]| samples.iter().map(|(_, sample)| sample.rows.len()).sum::<usize>();
        while !samples.is_empty() && rows(&samples) + sample.rows.len() > self.room {
            samples.remove(0);
        }
        samples.push((shard, sample));
    }

    fn sample_shard(&self, sample: &Sample) -> Result<Shard> {
        let Prepared { frame, both } = self.prepared()?;
        let (labels, _) = LabelPreimages::of(sample.rows.as_ref(), frame, *both);
        let (key, permutation, from) = (sample.key, sample.permutation, sample.from);
        Ok(Shard::prepared_with(sample.rows.clone(), Held::Sample { key, permutation, from }, frame, labels))
    }

    /// Moments of the columns, from the sums of the first pass.
    fn moments(&self, pivot: &[f64], sums: MomentSums) -> Result<Moments> {
        let found = sums.moments(pivot);
        let Some(pivot) = found.better_pivot(pivot) else { return Ok(found) };
        let parts = self.pass()?.map(|block| Ok(MomentSums::about(pivot, block?.1.as_ref())));
        Ok(merge(parts, |left, right| Ok(left.merge(right)))?.moments(pivot).of_second_pass())
    }
}

impl Shards for Stream {
    fn rows_here(&self) -> usize {
        self.blocks.rows()
    }

    fn heed(&mut self, interrupt: &Arc<AtomicBool>) {
        self.interrupt = Interrupt::new(interrupt);
    }

    fn is_streamed(&self) -> bool {
        true
    }

    fn measure(&self, range: activation::Range, columns: bool) -> Result<Measured> {
        let mut pivot = None;
        let parts = self.pass()?.map(|block| {
            let (_, rows) = block?;
            let rows: &dyn Rows = rows.as_ref();
            let sums = columns.then(|| MomentSums::about(pivot.get_or_insert_with(|| MomentSums::pivot(rows)), rows));
            Ok((Measured::of(rows, range, false), sums))
        });
        let both = |left: (Measured, Option<MomentSums>), right: (Measured, Option<MomentSums>)| {
            Ok((left.0.merge(right.0)?, left.1.zip(right.1).map(|(left, right)| left.merge(right))))
        };
        let (measured, sums) = merge(parts, both)?;
        let moments = sums.map(|sums| self.moments(&pivot.unwrap_or_default(), sums)).transpose()?;
        Ok(Measured { moments, ..measured })
    }

    fn prepare(&mut self, frame: &Frame) -> Result<Tally> {
        self.samples.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        let parts = self.pass()?.map(|block| Ok(LabelPreimages::of(block?.1.as_ref(), frame, false).1));
        let tally = merge(parts, |left, right| Ok(left.merge(right)))?;
        self.frame = Some(Prepared { frame: Arc::new(frame.clone()), both: tally.some_have_two });
        Ok(tally)
    }

    fn answer_one(&self, query: &Query<'_>) -> Result<PartialSums> {
        let ask = |shard: &Shard| shard.answer_one(query);
        let two = |left: PartialSums, right| Ok(left.merge(right));
        match self.positions(query.batch)? {
            None => self.ask_all(slice::from_ref(query), &ask, &two),
            Some((key, positions)) => self.ask_part(key, positions, &ask, &two),
        }
    }

    fn answer(&self, queries: &[Query<'_>]) -> Result<Vec<PartialSums>> {
        let mut answers = vec![PartialSums::default(); queries.len()];
        let mut open: Vec<usize> = (0..queries.len()).collect();
        // queries about the same rows are answered together, as in memory
        while let Some(&first) = open.first() {
            let batch = queries[first].batch;
            let (group, rest): (Vec<usize>, Vec<usize>) =
                open.into_iter().partition(|&query| queries[query].batch == batch);
            let asked: Vec<Query<'_>> = group.iter().map(|&query| queries[query].clone()).collect();
            let ask = |shard: &Shard| shard.answer(&asked);
            let two = |left: Vec<PartialSums>, right: Vec<PartialSums>| {
                Ok(left.into_iter().zip(right).map(|(left, right)| left.merge(right)).collect())
            };
            let found = match self.positions(batch)? {
                None => self.ask_all(&asked, &ask, &two)?,
                Some((key, positions)) => self.ask_part(key, positions, &ask, &two)?,
            };
            group.into_iter().zip(found).for_each(|(query, answer)| answers[query] = answer);
            open = rest;
        }
        Ok(answers)
    }
}
