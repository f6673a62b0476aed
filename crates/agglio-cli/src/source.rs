//! A *source* of data: a file, or standard input.

use std::fs::File;
use std::io::{Read, Stdin, stdin};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use agglio::error::ErrorKind;
use agglio::read::{Csv, Missing, Selection, Table};
use anyhow::{Context, Error, Result, bail};

use crate::args::{self, CsvArgs};
use crate::{memory, progress};

/// Endings of names that are not CSV, with what they are.
const OTHERS: [(&str, &str); 16] = [
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
    ("gz", "compressed"),
    ("zst", "compressed"),
    ("bz2", "compressed"),
    ("xz", "compressed"),
    ("zip", "compressed"),
];

/// Where a table is read from, and how it is written there.
#[derive(Debug)]
pub struct Source {
    /// None is standard input.
    file: Option<PathBuf>,
    csv: Csv,
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
    pub fn new(typed: &Path, csv: CsvArgs) -> Result<Source> {
        require_csv(typed, "read")?;
        let file = Some(typed).filter(|typed| typed.as_os_str() != "-").map(Path::to_owned);
        Ok(Source { file, csv: Csv::new().header(!csv.no_header).delimiter(csv.delimiter) })
    }

    /// The same source, with another fate for rows that have missing values.
    pub fn missing(self, missing: args::Missing) -> Source {
        let missing = match missing {
            args::Missing::Error => Missing::Error,
            args::Missing::Drop => Missing::Drop,
        };
        Source { csv: self.csv.missing(missing), ..self }
    }

    /// The file, if it is one.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// What it is called in messages.
    fn name(&self) -> &Path {
        self.file().unwrap_or(Path::new("standard input"))
    }

    /// Says of an error that lies in the data where the data is.
    pub fn blame(&self, why: agglio::Error) -> Error {
        let is_data = matches!(why.kind(), ErrorKind::Data(_) | ErrorKind::Feature { .. });
        let error = Error::new(why);
        if is_data { error.context(self.name().display().to_string()) } else { error }
    }

    /// Reads the selected columns, with a bar that shows how far it has come unless `quiet`.
    ///
    /// # Errors
    /// If there is nothing to read, or it is not what the selection needs.
    pub fn read(&self, selection: &Selection, quiet: bool) -> Result<Table> {
        let name = self.name();
        let mut open = self.open().with_context(|| name.display().to_string())?;
        let before = open.state();
        let bar = progress::reading(name, before.map(|(length, _)| length), quiet);
        let table = self.csv.clone().memory(memory::available()).read(bar.wrap_read(&mut open), name, selection);
        bar.finish_and_clear();
        let table = table?;
        if open.state() != before {
            bail!("{}: it changed while it was read; run this again", name.display());
        }
        Ok(table)
    }

    fn open(&self) -> std::io::Result<Open> {
        Ok(match &self.file {
            None => Open::Stdin(stdin()),
            Some(path) => Open::File(File::open(path)?),
        })
    }
}

impl Open {
    /// Length and time of an ordinary file.
    fn state(&self) -> Option<(u64, Option<SystemTime>)> {
        match self {
            Open::Stdin(_) => None,
            Open::File(file) => {
                let meta = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
                Some((meta.len(), meta.modified().ok()))
            }
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
/// If it cannot be read, is too large, or is not text.
pub fn read_text(path: &Path) -> Result<String> {
    Ok(agglio::text::read(path)?)
}
