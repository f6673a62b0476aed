//! A disk that fails when it is told to.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use agglio::save::{Disk, System};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Create,
    Write,
    Sync,
    Rename,
    HardLink,
    SyncFolder,
    Remove,
}

/// What may fail while removing still works.
pub const FALLIBLE: [Step; 5] = [Step::Write, Step::Sync, Step::Rename, Step::HardLink, Step::SyncFolder];

pub type Verdict = dyn Fn(Step) -> io::Result<()> + Send + Sync;

/// A disk whose every step is first put to a verdict, and which writes a few bytes at a time.
pub struct Faulty {
    pub verdict: Box<Verdict>,
    pub most: usize,
}

impl fmt::Debug for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Faulty")
    }
}

impl Disk for Faulty {
    fn create(&self, path: &Path) -> io::Result<File> {
        (self.verdict)(Step::Create)?;
        System.create(path)
    }

    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
        (self.verdict)(Step::Write)?;
        System.write(file, &bytes[..bytes.len().min(self.most)])
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        (self.verdict)(Step::Sync)?;
        System.sync(file)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        (self.verdict)(Step::Rename)?;
        System.rename(from, to)
    }

    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        (self.verdict)(Step::HardLink)?;
        System.hard_link(from, to)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        (self.verdict)(Step::SyncFolder)?;
        System.sync_folder(folder)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        (self.verdict)(Step::Remove)?;
        System.remove(path)
    }
}

/// Fails the `nth` step, from 1, of some kinds, and those after it if `sticky`.
pub fn failing(kinds: &'static [Step], nth: usize, sticky: bool) -> (Arc<AtomicUsize>, Box<Verdict>) {
    let seen = Arc::new(AtomicUsize::new(0));
    let count = seen.clone();
    let verdict = move |step| {
        let now = if kinds.contains(&step) { count.fetch_add(1, Relaxed) + 1 } else { 0 };
        let fails = if sticky { now >= nth } else { now == nth };
        if fails { Err(io::Error::other("injected")) } else { Ok(()) }
    };
    (seen, Box::new(verdict))
}
