//! The *journal* of a fit has the runs of the loop that have ended, in order, and the state of the one under way.
//!
//! A race depends on the rows, the options and the ends of its runs alone. So a fit is resumed by making its race again:
//! runs of the journal are taken as they ended, and the last one goes on from its state.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::fit::{FitLoop, Outcome};
use crate::oracle::{Model, Oracle};
use crate::race::checkpoint::{Checkpoint, Finished, Running};
use crate::race::referee::{Decision, Judgement, Referee};
use crate::save::{Draft, publish};

/// After a checkpoint, this multiple of the time that it took passes before the next one.
const WAIT_PER_WRITE: u32 = 100;
/// The time of the first checkpoint is not known. It is assumed to be at least this.
const ASSUMED_WRITE: Duration = Duration::from_millis(10);
/// Bytes per second of the first checkpoint.
const ASSUMED_RATE: f64 = 1e8;

/// The journal of a fit, and the file that it is saved to.
pub(crate) struct Journal {
    checkpoint: Checkpoint,
    /// The runs of the checkpoint that this fit has taken.
    taken: usize,
    file: Option<CheckpointFile>,
    /// The run under way at the beginning of a stage, for a checkpoint of a fit that loses its rows.
    kept: Option<Running>,
    /// When it was kept, and the time to wait after that.
    kept_at: Instant,
    kept_for: Duration,
}

/// A file that is written again and again.
pub(crate) struct CheckpointFile {
    path: PathBuf,
    /// The time between two checkpoints, where it was asked for.
    every: Option<Duration>,
    last: Instant,
    /// The time to wait after the last one.
    wait: Duration,
    /// Bytes per second of the last one.
    rate: f64,
    written: usize,
    /// Why the last one could not be written.
    fault: Option<Error>,
}

/// How the checkpoints of a fit were written.
#[derive(Debug, Default)]
pub(crate) struct Saved {
    pub written: usize,
    pub fault: Option<Error>,
}

impl Journal {
    /// The journal of a fit that begins or goes on at a checkpoint.
    pub fn new(checkpoint: Checkpoint, file: Option<CheckpointFile>) -> Journal {
        Journal { checkpoint, taken: 0, file, kept: None, kept_at: Instant::now(), kept_for: Duration::ZERO }
    }

    /// How its checkpoints were written.
    pub fn into_saved(self) -> Saved {
        self.file.map_or_else(Saved::default, |file| Saved { written: file.written, fault: file.fault })
    }

    /// The end of the next run, if it is known.
    pub(super) fn next(&mut self, oracle: &dyn Oracle, referee: Option<&mut Referee<'_>>) -> Option<Outcome> {
        let Finished { outcome, decision, visited } = self.checkpoint.finished.get(self.taken)?.clone();
        self.taken += 1;
        catch_up(oracle, visited);
        referee.into_iter().for_each(|referee| referee.judgement.decision = decision);
        Some(outcome)
    }

    /// The state of the run that was under way, if it is the next.
    pub(super) fn running(&mut self, oracle: &dyn Oracle, referee: Option<&mut Referee<'_>>) -> Option<Vec<u8>> {
        let Running { state, judgement, visited } = self.kept.insert(self.checkpoint.running.take()?).clone();
        catch_up(oracle, visited);
        referee.into_iter().for_each(|referee| referee.judgement = judgement);
        Some(state)
    }

    /// Enters a run that has ended. Of a run that a referee has ended, its point is enough.
    pub(super) fn enter(&mut self, outcome: &Outcome, decision: Option<Decision>, oracle: &dyn Oracle) {
        let mut outcome = outcome.clone();
        if decision.is_some() {
            let loss = outcome.model.loss;
            outcome.model = Model::default();
            outcome.model.loss = loss;
        }
        self.checkpoint.finished.push(Finished { outcome, decision, visited: oracle.visited() });
        self.taken += 1;
        self.kept = None;
        self.write();
    }

    /// Keeps the state of a run whose next stage begins, and writes a checkpoint, each if it is time for it.
    pub(super) fn offer(&mut self, run: &FitLoop<'_>, judgement: Judgement, oracle: &dyn Oracle) {
        let Some(file) = &mut self.file else { return };
        let begun = Instant::now();
        if !file.is_due() && self.kept_at.elapsed() < self.kept_for {
            return;
        }
        match run.save() {
            Ok(state) => self.kept = Some(Running { state, judgement, visited: oracle.visited() }),
            Err(why) => file.fault = Some(why),
        }
        (self.kept_at, self.kept_for) = (Instant::now(), WAIT_PER_WRITE * begun.elapsed());
        self.write();
    }

    /// Writes a checkpoint of a fit that has lost its rows, from its last state that is known.
    pub fn save_loss(mut self) {
        let text = self.text();
        if let Some(file) = self.file {
            // the loss of the rows is the error that is reported
            drop(text.and_then(|text| file.replace(&text)));
        }
    }

    fn write(&mut self) {
        let (begun, text) = match &self.file {
            Some(file) if file.is_due() => (Instant::now(), self.text()),
            _ => return,
        };
        if let Some(file) = &mut self.file {
            file.write(begun, text);
        }
    }

    fn text(&mut self) -> Result<String> {
        // the state of a fit that is resumed stays until its run is under way again
        let Some(kept) = self.kept.take() else { return self.checkpoint.text() };
        self.checkpoint.running = Some(kept);
        let text = self.checkpoint.text();
        self.kept = self.checkpoint.running.take();
        text
    }
}

/// Counts the rows that the interrupted fit had visited by then.
fn catch_up(oracle: &dyn Oracle, visited: u64) {
    oracle.add_visited(visited.saturating_sub(oracle.visited()));
}

impl CheckpointFile {
    /// The file at `path`, which is replaced if it exists.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(path: PathBuf, every: Option<Duration>) -> Result<CheckpointFile> {
        // a folder that cannot be written to is told before the fit, not hours later
        drop(Draft::new(&path, true).map_err(|why| Error::file(&path, why))?);
        let wait = every.unwrap_or(WAIT_PER_WRITE * ASSUMED_WRITE);
        let (last, rate) = (Instant::now(), ASSUMED_RATE);
        Ok(CheckpointFile { path, every, last, wait, rate, written: 0, fault: None })
    }

    fn is_due(&self) -> bool {
        self.last.elapsed() >= self.wait
    }

    /// Writes a text that was begun at this time, unless writing would take more than its share of the time. After a fault the
    /// next attempt comes later.
    fn write(&mut self, begun: Instant, text: Result<String>) {
        let bytes = text.as_ref().map_or(0.0, |text| text.len() as f64);
        let expected = WAIT_PER_WRITE * Duration::from_secs_f64(bytes / self.rate);
        if self.every.is_none() && self.last.elapsed() < expected {
            self.wait = expected;
            return;
        }
        self.fault = text.and_then(|text| self.replace(&text)).err();
        let took = begun.elapsed();
        self.last = Instant::now();
        self.wait = match (self.every, &self.fault) {
            (Some(every), None) => every,
            (None, None) => WAIT_PER_WRITE * took,
            (_, Some(_)) => 2 * self.wait.max(ASSUMED_WRITE),
        };
        if self.fault.is_none() {
            (self.written, self.rate) = (self.written + 1, bytes / took.as_secs_f64());
        }
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
