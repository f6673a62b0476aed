//! A *source* of data: a file, or standard input.

use std::fs::File;
use std::io::{Read, Stdin, stdin};
use std::path::{Path, PathBuf};

use agglio::read::{Selection, Table, read_csv};
use anyhow::{Context, Result, bail};

use crate::progress;

/// Endings of names that are not CSV, with what they are.
const OTHERS: [(&str, &str); 17] = [
    ("parquet", "Parquet"),
    ("arrow", "Arrow"),
    ("feather", "Arrow"),
    ("ipc", "Arrow"),
    ("libsvm", "LIBSVM"),
    ("svm", "LIBSVM"),
    ("npy", "NumPy"),
    ("npz", "NumPy"),
    ("json", "JSON"),
    ("xlsx", "a spreadsheet"),
    ("xls", "a spreadsheet"),
    ("tsv", "tab-separated"),
    ("gz", "compressed"),
    ("zst", "compressed"),
    ("bz2", "compressed"),
    ("xz", "compressed"),
    ("zip", "compressed"),
];

/// Where a table is read from.
#[derive(Debug)]
pub enum Source {
    Stdin,
    File(PathBuf),
}

enum Open {
    Stdin(Stdin),
    File(File),
}

impl Source {
    /// The source that `typed` names; `-` is standard input.
    ///
    /// # Errors
    /// If the name is that of a format which is not read.
    pub fn new(typed: &Path) -> Result<Source> {
        if typed.as_os_str() == "-" {
            return Ok(Source::Stdin);
        }
        require_csv(typed, "read")?;
        Ok(Source::File(typed.to_owned()))
    }

    /// The file, if it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Source::Stdin => None,
            Source::File(path) => Some(path),
        }
    }

    /// Reads the selected columns, with a bar that shows how far it has come unless `quiet`.
    ///
    /// # Errors
    /// If there is nothing to read, or it is not what the selection needs.
    pub fn read(&self, selection: &Selection, quiet: bool) -> Result<Table> {
        let name = self.file().unwrap_or(Path::new("standard input"));
        let open = self.open().with_context(|| name.display().to_string())?;
        let bar = progress::reading(name, open.length(), quiet);
        let table = read_csv(bar.wrap_read(open), name, selection);
        bar.finish_and_clear();
        Ok(table?)
    }

    fn open(&self) -> std::io::Result<Open> {
        Ok(match self {
            Source::Stdin => Open::Stdin(stdin()),
            Source::File(path) => Open::File(File::open(path)?),
        })
    }
}

impl Open {
    fn length(&self) -> Option<u64> {
        match self {
            Open::Stdin(_) => None,
            Open::File(file) => file.metadata().ok().filter(std::fs::Metadata::is_file).map(|meta| meta.len()),
        }
    }
}

impl Read for Open {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Open::Stdin(stdin) => stdin.read(buffer),
            Open::File(file) => file.read(buffer),
        }
    }
}

/// Refuses a name of another format, so that no table is read from or written to what it cannot be.
///
/// # Errors
/// If the name ends like that of a known format other than CSV.
pub fn require_csv(path: &Path, done: &str) -> Result<()> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    match OTHERS.iter().find(|(other, _)| *other == ending) {
        Some((_, what)) => bail!("{}: by its name it is {what}, but only CSV is {done} so far", path.display()),
        None => Ok(()),
    }
}

/// Reads a small text file, such as a model.
///
/// # Errors
/// If it cannot be read, or is not text.
pub fn read_text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| path.display().to_string())
}
