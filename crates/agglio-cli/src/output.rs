//! An *output* is where a result goes: standard output, or a file that appears whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use agglio::save::{self, Draft};
use anyhow::{Context, Error, Result, bail};

use crate::interrupt;

/// The reader of standard output has closed the pipe. This is not an error.
#[derive(Debug)]
pub struct PipeClosed;

impl std::fmt::Display for PipeClosed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("standard output is closed")
    }
}

impl std::error::Error for PipeClosed {}

/// An output that has been checked: it can be written to.
#[derive(Debug)]
pub enum Output {
    Stdout,
    /// A pipe or device. It is written to directly, because renaming would replace it by a file.
    Special(PathBuf),
    File {
        typed: PathBuf,
        /// Its path, with symbolic links resolved.
        path: PathBuf,
        replace: bool,
    },
}

impl Output {
    /// The file that `typed` names.
    ///
    /// # Errors
    /// If it exists and may not be replaced, or its folder does not exist or cannot be written to.
    pub fn new(typed: &Path, force: bool) -> Result<Output> {
        probe(typed, force).with_context(|| typed.display().to_string())
    }

    /// As [`Output::new`], with `-` for standard output, also by the name that the system has for it: where it goes to a
    /// file, that file is there already.
    ///
    /// # Errors
    /// As [`Output::new`].
    pub fn or_stdout(typed: &Path, force: bool) -> Result<Output> {
        if typed.as_os_str() == "-" || is_stdout(typed) { Ok(Output::Stdout) } else { Output::new(typed, force) }
    }

    /// Opens it. No file appears under its name before the writer is published.
    ///
    /// # Errors
    /// If the system says no.
    pub fn open(&self) -> Result<Writer> {
        Ok(match self {
            Output::Stdout => Writer::Stdout(BufWriter::new(io::stdout())),
            Output::Special(path) => {
                let file = OpenOptions::new().write(true).open(path);
                Writer::Special(BufWriter::new(file.with_context(|| path.display().to_string())?), path.clone())
            }
            Output::File { typed, path, replace } => {
                Writer::File(Draft::new(path, *replace).with_context(|| typed.display().to_string())?)
            }
        })
    }
}

fn probe(typed: &Path, force: bool) -> Result<Output> {
    if typed.as_os_str() == "-" || is_stdout(typed) {
        bail!("results go to standard output; name a file");
    }
    if fs::metadata(typed).is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
        return Ok(Output::Special(typed.to_owned()));
    }
    // a file that cannot be made now could not be made after the fit either
    match interrupt::shield(|| Draft::new(typed, force).map(|draft| draft.path().to_owned()))? {
        Ok(path) => Ok(Output::File { typed: typed.to_owned(), path, replace: force }),
        Err(why) if why.kind() == ErrorKind::AlreadyExists => bail!("the file exists; pass --force to replace it"),
        Err(why) => Err(why.into()),
    }
}

/// Whether the name is that of the file which standard output goes to.
fn is_stdout(typed: &Path) -> bool {
    let stdout = fs::canonicalize("/dev/stdout").ok().filter(|path| path.is_file());
    stdout.is_some() && fs::canonicalize(typed).ok() == stdout
}

/// Refuses outputs that would overwrite each other, or an input.
///
/// # Errors
/// If two of them are one file.
pub fn require_distinct<'a>(outputs: impl IntoIterator<Item = &'a Output>, inputs: &[&Path]) -> Result<()> {
    // a file may come by way of standard input too
    let inputs = inputs.iter().copied().chain([Path::new("/dev/stdin")]);
    let mut seen: Vec<PathBuf> = inputs.filter_map(|path| fs::canonicalize(path).ok()).collect();
    for output in outputs {
        let Output::File { typed, path, .. } = output else { continue };
        if seen.contains(path) {
            bail!("{}: the same file is also an input or another output; name another file", typed.display());
        }
        seen.push(path.clone());
    }
    Ok(())
}

/// An output being written.
#[derive(Debug)]
pub enum Writer {
    Stdout(BufWriter<io::Stdout>),
    Special(BufWriter<File>, PathBuf),
    File(Draft),
}

impl Writer {
    /// Writes all of a text.
    ///
    /// # Errors
    /// If the system says no, with the place.
    pub fn put(&mut self, text: &str) -> Result<()> {
        let written = match self {
            Writer::Stdout(stdout) => stdout.write_all(text.as_bytes()),
            Writer::Special(file, _) => file.write_all(text.as_bytes()),
            Writer::File(draft) => draft.write_all(text.as_bytes()),
        };
        written.map_err(|why| self.failed(why))
    }

    fn failed(&self, why: io::Error) -> Error {
        match self {
            Writer::Stdout(_) if why.kind() == ErrorKind::BrokenPipe => PipeClosed.into(),
            Writer::Stdout(_) => Error::new(why).context("standard output"),
            Writer::Special(_, path) => Error::new(why).context(path.display().to_string()),
            Writer::File(draft) => Error::new(why).context(draft.path().display().to_string()),
        }
    }

    /// The draft of a file. A pipe or device is flushed instead.
    fn settle(mut self) -> Result<Option<Draft>> {
        let flushed = match &mut self {
            Writer::Stdout(stdout) => stdout.flush(),
            Writer::Special(file, _) => file.flush(),
            Writer::File(_) => Ok(()),
        };
        flushed.map_err(|why| self.failed(why))?;
        Ok(if let Writer::File(draft) = self { Some(draft) } else { None })
    }
}

/// Publishes written outputs: all files or none, after everything else has been written.
///
/// # Errors
/// If the system says no; then all files are as they were.
pub fn publish(writers: impl IntoIterator<Item = Writer>) -> Result<()> {
    let drafts: Vec<Option<Draft>> = writers.into_iter().map(Writer::settle).collect::<Result<_>>()?;
    Ok(save::publish(drafts.into_iter().flatten())?)
}

/// Prints a result.
///
/// # Errors
/// [`PipeClosed`] if nobody reads it, or the error of the system.
pub fn print(text: &str) -> Result<()> {
    let mut stdout = Output::Stdout.open()?;
    stdout.put(text)?;
    publish([stdout])
}
