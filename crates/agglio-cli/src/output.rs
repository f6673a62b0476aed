//! An *output* is where a result goes: standard output, or a file that appears whole or not at all.
//!
//! A file is written under another name in the same folder, synced, and renamed, so that a failure at any moment
//! leaves what was there before.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, bail};
use tempfile::TempPath;

/// Whoever read standard output has gone; not a failure of ours.
#[derive(Debug)]
pub struct PipeClosed;

impl std::fmt::Display for PipeClosed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("standard output is closed")
    }
}

impl std::error::Error for PipeClosed {}

/// A place that was found fit to be written to.
#[derive(Debug)]
pub enum Output {
    Stdout,
    /// A pipe or device, which is written to as it is: renaming would put a file in its place.
    Special(PathBuf),
    File {
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
        check(typed, force).with_context(|| typed.display().to_string())
    }

    /// As [`Output::new`], with `-` for standard output.
    ///
    /// # Errors
    /// As [`Output::new`].
    pub fn or_stdout(typed: &Path, force: bool) -> Result<Output> {
        if typed.as_os_str() == "-" { Ok(Output::Stdout) } else { Output::new(typed, force) }
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Output::File { path, .. } => Some(path),
            Output::Stdout | Output::Special(_) => None,
        }
    }

    /// Opens it; nothing is to be seen under its name until the writer is published.
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
            Output::File { path, replace } => {
                let (file, temporary) = temporary(path).with_context(|| path.display().to_string())?;
                Writer::File { file: BufWriter::new(file), temporary, path: path.clone(), replace: *replace }
            }
        })
    }
}

fn check(typed: &Path, force: bool) -> Result<Output> {
    if typed.as_os_str() == "-" {
        bail!("results go to standard output, so this needs a file");
    }
    let path = resolve(typed)?;
    match fs::metadata(&path) {
        Ok(meta) if meta.is_dir() => bail!("it is a folder; name a file in it"),
        Ok(meta) if !meta.is_file() => return Ok(Output::Special(path)),
        Ok(_) if !force => bail!("it exists; use --force to replace it"),
        Err(_) if fs::symlink_metadata(&path).is_ok() => bail!("it is a link that leads nowhere"),
        Ok(_) | Err(_) => {}
    }
    // a file that cannot be made now could not be made after the fit either
    temporary(&path)?;
    Ok(Output::File { path, replace: force })
}

/// The whole path, through links, so that the file is replaced and not a link to it.
fn resolve(typed: &Path) -> Result<PathBuf> {
    if let Ok(path) = fs::canonicalize(typed) {
        return Ok(path);
    }
    let ends_in_separator =
        typed.as_os_str().as_encoded_bytes().last().is_some_and(|&b| std::path::is_separator(b.into()));
    let Some(name) = typed.file_name().filter(|_| !ends_in_separator) else { bail!("it is not the name of a file") };
    let folder = typed.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = fs::canonicalize(folder).with_context(|| format!("the folder {}", folder.display()))?;
    Ok(folder.join(name))
}

/// A file beside `path` that is removed unless it is renamed.
fn temporary(path: &Path) -> Result<(File, TempPath)> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".agglio-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    // the kind alone: the rest of the message is the temporary name, which means nothing to the user
    let file = builder.tempfile_in(folder).map_err(|why| io::Error::from(why.kind()));
    Ok(file.with_context(|| format!("the folder {} cannot be written to", folder.display()))?.into_parts())
}

/// Refuses outputs that would overwrite each other, or what is read.
///
/// # Errors
/// If two of them are one file.
pub fn require_distinct<'a>(outputs: impl IntoIterator<Item = &'a Output>, inputs: &[&Path]) -> Result<()> {
    let mut seen: Vec<PathBuf> = inputs.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
    for path in outputs.into_iter().filter_map(Output::file) {
        if seen.iter().any(|other| other == path) {
            bail!("{}: it is read, or written to already; name another file", path.display());
        }
        seen.push(path.to_owned());
    }
    Ok(())
}

/// An output being written.
#[derive(Debug)]
pub enum Writer {
    Stdout(BufWriter<io::Stdout>),
    Special(BufWriter<File>, PathBuf),
    File { file: BufWriter<File>, temporary: TempPath, path: PathBuf, replace: bool },
}

impl Writer {
    /// Writes all of a text.
    ///
    /// # Errors
    /// If the system says no, with the place.
    pub fn put(&mut self, text: &str) -> Result<()> {
        let written = match self {
            Writer::Stdout(stdout) => stdout.write_all(text.as_bytes()),
            Writer::Special(file, _) | Writer::File { file, .. } => file.write_all(text.as_bytes()),
        };
        written.map_err(|why| self.failed(why))
    }

    fn failed(&self, why: io::Error) -> Error {
        match self {
            Writer::Stdout(_) if why.kind() == io::ErrorKind::BrokenPipe => PipeClosed.into(),
            Writer::Stdout(_) => Error::new(why).context("standard output"),
            Writer::Special(_, path) | Writer::File { path, .. } => Error::new(why).context(path.display().to_string()),
        }
    }

    /// Sees to it that everything has arrived.
    fn settle(&mut self) -> Result<()> {
        let settled = match self {
            Writer::Stdout(stdout) => stdout.flush(),
            Writer::Special(file, _) => file.flush(),
            Writer::File { file, .. } => file.flush().and_then(|()| file.get_ref().sync_all()),
        };
        settled.map_err(|why| self.failed(why))
    }

    /// Puts a settled file under its name.
    fn publish(self) -> Result<()> {
        let Writer::File { file, temporary, path, replace } = self else { return Ok(()) };
        let renamed = if replace {
            if let Ok(old) = fs::metadata(&path) {
                // another file system may not keep them, which is no reason to lose the result
                let _ = file.get_ref().set_permissions(old.permissions());
            }
            temporary.persist(&path)
        } else {
            temporary.persist_noclobber(&path)
        };
        renamed.map_err(|why| Error::new(why.error).context(path.display().to_string()))
    }
}

/// Makes written outputs appear: none of them before all are complete.
///
/// # Errors
/// If the system says no; then those that have not appeared are gone.
pub fn publish(writers: impl IntoIterator<Item = Writer>) -> Result<()> {
    let mut writers: Vec<Writer> = writers.into_iter().collect();
    writers.iter_mut().try_for_each(Writer::settle)?;
    writers.into_iter().try_for_each(Writer::publish)
}

/// Prints a result.
///
/// # Errors
/// [`PipeClosed`] if nobody reads it, or what the system says.
pub fn print(text: &str) -> Result<()> {
    let mut stdout = Output::Stdout.open()?;
    stdout.put(text)?;
    publish([stdout])
}
