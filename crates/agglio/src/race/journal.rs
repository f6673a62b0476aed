//! The *journal* of a fit has the runs of the loop that have ended, in order, and the state of the one under way.
//!
//! A race depends on the rows, the options and the ends of its runs alone. So a fit is resumed by making its race again:
//! runs of the journal are taken as they ended, and the last one goes on from its state.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::fit::{FitLoop, Outcome};
use crate::oracle::Oracle;
use crate::race::checkpoint::{Checkpoint, Finished, Running};
use crate::race::referee::{Decision, Judgement, Referee};
use crate::save::{Draft, publish};

/// The least share of the time that passes between two checkpoints, in times of writing one: 1 % goes to writing.
const WRITES: u32 = 100;
/// The time that writing takes at least, and bytes that are written in a second, where none has been measured.
const WRITE: Duration = Duration::from_millis(10);
const RATE: f64 = 1e8;

/// The journal of a fit, and the file that it is saved to.
pub(crate) struct Journal {
    checkpoint: Checkpoint,
    /// The runs of the checkpoint that this fit has taken.
    taken: usize,
    file: Option<CheckpointFile>,
}

/// A file that is written again and again.
pub(crate) struct CheckpointFile {
    path: PathBuf,
    /// The time between two checkpoints, where it was asked for.
    every: Option<Duration>,
    last: Instant,
    /// The time to wait after the last one.
    wait: Duration,
    fault: Option<Error>,
}

impl Journal {
    /// The journal of a fit that begins or goes on at a checkpoint.
    pub fn new(checkpoint: Checkpoint, file: Option<CheckpointFile>) -> Journal {
        Journal { checkpoint, taken: 0, file }
    }

    /// Why checkpoints could not be written, if they could not.
    pub fn into_fault(self) -> Option<Error> {
        self.file.and_then(|file| file.fault)
    }

    /// The end of the next run, if it is known.
    pub(super) fn next(&mut self, oracle: &dyn Oracle, referee: Option<&mut Referee<'_>>) -> Option<Outcome> {
        let Finished { outcome, decision, visited } = self.checkpoint.finished.get(self.taken)?.clone();
        self.taken += 1;
        oracle.add_visited(visited.saturating_sub(oracle.visited()));
        referee.into_iter().for_each(|referee| referee.judgement.decision = decision);
        Some(outcome)
    }

    /// The state of the run that was under way, if it is the next.
    pub(super) fn running(&mut self, oracle: &dyn Oracle, referee: Option<&mut Referee<'_>>) -> Option<Vec<u8>> {
        let Running { state, judgement, visited } = self.checkpoint.running.take()?;
        oracle.add_visited(visited.saturating_sub(oracle.visited()));
        referee.into_iter().for_each(|referee| referee.judgement = judgement);
        Some(state)
    }

    /// Takes in a run that has ended.
    pub(super) fn enter(&mut self, outcome: &Outcome, decision: Option<Decision>, oracle: &dyn Oracle) {
        let (outcome, visited) = (outcome.clone(), oracle.visited());
        self.checkpoint.finished.push(Finished { outcome, decision, visited });
        self.taken += 1;
        if self.is_due() {
            self.write();
        }
    }

    /// Writes a checkpoint of a run whose next stage begins, if it is time for one.
    pub(super) fn offer(&mut self, run: &FitLoop<'_>, judgement: Judgement, oracle: &dyn Oracle) {
        if !self.is_due() {
            return;
        }
        match run.save() {
            Ok(state) => {
                self.checkpoint.running = Some(Running { state, judgement, visited: oracle.visited() });
                self.write();
                self.checkpoint.running = None;
            }
            Err(why) => {
                if let Some(file) = &mut self.file {
                    file.fault = Some(why);
                }
            }
        }
    }

    fn is_due(&self) -> bool {
        self.file.as_ref().is_some_and(CheckpointFile::is_due)
    }

    fn write(&mut self) {
        let text = self.checkpoint.text();
        self.file.iter_mut().for_each(|file| file.write(&text));
    }
}

impl CheckpointFile {
    /// The file at `path`, which is replaced if it exists.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(path: PathBuf, every: Option<Duration>) -> Result<CheckpointFile> {
        // a folder that cannot be written to is told before the fit, not hours later
        drop(Draft::new(&path, true).map_err(|why| Error::file(&path, why))?);
        let wait = every.unwrap_or(WRITES * WRITE);
        Ok(CheckpointFile { path, every, last: Instant::now(), wait, fault: None })
    }

    fn is_due(&self) -> bool {
        self.fault.is_none() && self.last.elapsed() >= self.wait
    }

    /// Writes the file, unless that would take more than its share of the time. After a fault it is not written again.
    fn write(&mut self, text: &str) {
        let expected = WRITE + Duration::from_secs_f64(text.len() as f64 / RATE);
        if self.every.is_none() && self.last.elapsed() < WRITES * expected {
            self.wait = WRITES * expected;
            return;
        }
        let begun = Instant::now();
        self.fault = self.replace(text).err();
        self.last = Instant::now();
        self.wait = self.every.unwrap_or_else(|| WRITES * begun.elapsed().max(WRITE));
    }

    fn replace(&self, text: &str) -> Result<()> {
        let fault = |why: io::Error| Error::file(&self.path, why);
        if text.len() as u64 > Checkpoint::LARGEST {
            return Err(Error::file(&self.path, "the checkpoint would be larger than 1 GiB"));
        }
        let mut draft = Draft::new(&self.path, true).map_err(fault)?;
        draft.write_all(text.as_bytes()).map_err(fault)?;
        publish([draft])
    }
}
