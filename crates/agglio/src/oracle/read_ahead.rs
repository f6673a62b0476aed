//! To *read ahead* is to read the next block of a table while the one before it is in use.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, ErrorKind, Result};
use crate::rows::{Blocks, Rows};

/// How long passes go on after an interrupt. Where a pass is shorter, the fit ends as it does in memory: with the best point
/// so far.
const GRACE: Duration = Duration::from_millis(500);
/// How often the flag is looked at while a block is being read.
const WATCH: Duration = Duration::from_millis(20);

/// The flag that ends passes, and since when it has been set.
#[derive(Debug, Default)]
pub(super) struct Interrupt {
    flag: Arc<AtomicBool>,
    since: Mutex<Option<Instant>>,
}

impl Interrupt {
    pub fn new(flag: &Arc<AtomicBool>) -> Interrupt {
        Interrupt { flag: flag.clone(), since: Mutex::default() }
    }

    /// An error once the flag has been set for some time.
    fn check(&self) -> Result<()> {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.flag.load(Ordering::Relaxed) {
            *since = None;
            return Ok(());
        }
        match since.get_or_insert_with(Instant::now).elapsed() < GRACE {
            true => Ok(()),
            false => Err(ErrorKind::Interrupted.into()),
        }
    }
}

/// A block of a table: its rows, and the position of the first one.
pub(super) type Block = (usize, Arc<dyn Rows>);

/// Some blocks of a table in order, each read on a thread while the one before it is in use. At most two of them wait.
pub(super) struct ReadAhead<'a> {
    blocks: &'a dyn Blocks,
    interrupt: &'a Interrupt,
    /// The blocks that are still to come.
    wanted: std::vec::IntoIter<usize>,
    read: Receiver<Result<Arc<dyn Rows>>>,
}

impl<'a> ReadAhead<'a> {
    /// Begins to read these blocks.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn new(blocks: &'a Arc<dyn Blocks>, wanted: Vec<usize>, interrupt: &'a Interrupt) -> Result<ReadAhead<'a>> {
        // one block waits in the channel, and the thread holds the next one until there is room
        let (sender, read) = sync_channel(1);
        let (source, order) = (blocks.clone(), wanted.clone());
        let read_all = move || {
            for block in order {
                let rows = source.read(block);
                // nobody listens after an error or an interrupt
                if rows.is_err() | sender.send(rows).is_err() {
                    break;
                }
            }
        };
        let started = thread::Builder::new().name("agglio-read".to_owned()).spawn(read_all);
        started.map_err(|why| Error::data(format!("the thread that reads ahead cannot be started ({why})")))?;
        Ok(ReadAhead { blocks: blocks.as_ref(), interrupt, wanted: wanted.into_iter(), read })
    }

    fn receive(&self, rows: Range<usize>) -> Result<Block> {
        loop {
            self.interrupt.check()?;
            match self.read.recv_timeout(WATCH) {
                Ok(read) => {
                    let found = read?;
                    return match found.len() == rows.len() {
                        true => Ok((rows.start, found)),
                        false => Err(unreadable(&rows, &format!("a block has {} rows", found.len()))),
                    };
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(unreadable(&rows, "their reader has panicked")),
            }
        }
    }
}

fn unreadable(rows: &Range<usize>, why: &str) -> Error {
    Error::data(format!("rows {} to {} could not be read: {why}", rows.start + 1, rows.end))
}

impl Iterator for ReadAhead<'_> {
    type Item = Result<Block>;

    fn next(&mut self) -> Option<Result<Block>> {
        let first = self.wanted.next()? * self.blocks.block_rows();
        Some(self.receive(first..self.blocks.rows().min(first + self.blocks.block_rows())))
    }
}
