//! A *source* of data: a file, or standard input.

use std::fs::File;
use std::io::{self, Cursor, Read, stdin};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, SystemTime};

use agglio::error::ErrorKind;
use agglio::read::{Csv, Missing, Pieces, Selection, Table};
use anyhow::{Context, Error, Result, bail};

use crate::args::{CsvArgs, TableArgs};
use crate::{interrupt, memory, progress, threads};

/// Number of bytes that are read from a stream at a time: the capacity of a pipe.
const CHUNK: usize = 1 << 16;
/// Number of chunks that are read ahead.
const AHEAD: usize = 4;
/// Time between two checks for signals.
const PATIENCE: Duration = Duration::from_millis(50);

/// Extensions of file names that are not CSV, with the names of their formats.
const OTHERS: [(&str, &str); 16] = [
    ("parquet", "a Parquet file"),
    ("arrow", "an Arrow file"),
    ("feather", "an Arrow file"),
    ("ipc", "an Arrow file"),
    ("libsvm", "a LIBSVM file"),
    ("svm", "a LIBSVM file"),
    ("npy", "a NumPy file"),
    ("npz", "a NumPy file"),
    ("json", "a JSON file"),
    ("xlsx", "a spreadsheet"),
    ("xls", "a spreadsheet"),
    ("gz", "a compressed file"),
    ("zst", "a compressed file"),
    ("bz2", "a compressed file"),
    ("xz", "a compressed file"),
    ("zip", "a compressed file"),
];

/// Where a table is read from, and how it is written there.
#[derive(Debug)]
pub struct Source {
    /// None is standard input.
    file: Option<PathBuf>,
    csv: Csv,
    /// The file has no line of names.
    pub no_header: bool,
    threads: usize,
}

enum Open {
    /// An ordinary file.
    File(File),
    /// A source that may block.
    Stream(Stream),
}

/// Standard input, a pipe or a device. A separate thread reads it, so that a signal is noticed while it waits for data.
struct Stream {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Cursor<Vec<u8>>,
}

impl Source {
    /// The source that `typed` names; `-` is standard input.
    ///
    /// # Errors
    /// If the name is that of a format which is not read.
    pub fn new(typed: &Path, csv: CsvArgs) -> Result<Source> {
        require_csv(typed, "read")?;
        let file = Some(typed).filter(|typed| typed.as_os_str() != "-").map(Path::to_owned);
        let reader = Csv::new().header(!csv.no_header).delimiter(csv.delimiter);
        Ok(Source { file, csv: reader, no_header: csv.no_header, threads: 1 }.threads(None))
    }

    /// The table that flags name.
    ///
    /// # Errors
    /// As [`Source::new`].
    pub fn of(table: &TableArgs) -> Result<Source> {
        Ok(Source::new(&table.data, table.csv)?.missing(table.missing))
    }

    /// The same source, with another rule for rows that have missing values.
    pub fn missing(self, missing: Missing) -> Source {
        Source { csv: self.csv.missing(missing), ..self }
    }

    /// The same source, read by this number of threads; by default one for each core.
    pub fn threads(self, asked: Option<usize>) -> Source {
        let threads = threads::count(asked);
        Source { csv: self.csv.threads(Some(threads)), threads, ..self }
    }

    /// The file, if it is one.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Its name in messages.
    fn name(&self) -> &Path {
        self.file().unwrap_or(Path::new("standard input"))
    }

    /// Adds the name of the source to an error in the data.
    pub fn blame(&self, why: agglio::Error) -> Error {
        let is_data = matches!(why.kind(), ErrorKind::Data(_) | ErrorKind::Feature { .. });
        let error = Error::new(why);
        if is_data { error.context(self.name().display().to_string()) } else { error }
    }

    /// Reads the selected columns, with a bar that shows how far it has come unless `quiet`.
    ///
    /// # Errors
    /// If there is nothing to read, or the selected columns do not exist.
    pub fn read(&self, selection: &Selection, quiet: bool) -> Result<Table> {
        let table = self.read_with(selection, quiet, |pieces| {
            let mut table = pieces.table();
            while pieces.append_to(&mut table)? {}
            Ok(table)
        })?;
        self.require_finite(&table)?;
        Ok(table)
    }

    /// Refuses a dose of 0, which only predictions can take so far.
    fn require_finite(&self, table: &Table) -> Result<()> {
        let (count, names) = (table.at_limit, table.names.join(", "));
        if count > 0 {
            let rows = if count == 1 { "1 row has".to_owned() } else { format!("{count} rows have") };
            bail!(
                "{}: {rows} a dose of 0, where `{names}` is minus infinity; a fit cannot use such rows yet: remove them",
                self.name().display()
            );
        }
        Ok(())
    }

    /// As [`Source::read`], but `take` processes the pieces.
    ///
    /// # Errors
    /// Those of [`Source::read`] and of `take`.
    pub fn read_with<T>(
        &self,
        selection: &Selection,
        quiet: bool,
        take: impl FnOnce(&mut Pieces<'_, &mut dyn Read>) -> Result<T>,
    ) -> Result<T> {
        let name = self.name();
        let mut open = self.open().with_context(|| name.display().to_string())?;
        let before = open.state();
        let bar = progress::reading(name, before.map(|(length, _)| length), quiet);
        let csv = self.csv.clone().memory(memory::available(self.threads));
        let mut watched = bar.wrap_read(&mut open);
        let pieces = csv.open(&mut watched as &mut dyn Read, name, selection);
        let taken = pieces.map_err(Error::new).and_then(|mut pieces| take(&mut pieces));
        bar.finish_and_clear();
        let taken = taken?;
        if open.state() != before {
            bail!("{}: the file changed while it was read; run the command again", name.display());
        }
        Ok(taken)
    }

    fn open(&self) -> io::Result<Open> {
        let Some(path) = &self.file else { return Ok(Open::Stream(Stream::new(stdin())?)) };
        let file = File::open(path)?;
        let is_file = file.metadata().is_ok_and(|meta| meta.is_file());
        Ok(if is_file { Open::File(file) } else { Open::Stream(Stream::new(file)?) })
    }
}

impl Open {
    /// Length and time of an ordinary file.
    fn state(&self) -> Option<(u64, Option<SystemTime>)> {
        match self {
            Open::Stream(_) => None,
            Open::File(file) => file.metadata().ok().map(|meta| (meta.len(), meta.modified().ok())),
        }
    }
}

impl Read for Open {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Open::File(file) => file.read(buffer),
            Open::Stream(stream) => stream.read(buffer),
        }
    }
}

impl Stream {
    fn new(mut source: impl Read + Send + 'static) -> io::Result<Stream> {
        let (sender, chunks) = sync_channel(AHEAD);
        let read = move || loop {
            let mut chunk = vec![0; CHUNK];
            let read = source.read(&mut chunk).map(|bytes| {
                chunk.truncate(bytes);
                chunk
            });
            if read.as_ref().is_err_and(|why| why.kind() == io::ErrorKind::Interrupted) {
                continue;
            }
            let is_last = !read.as_ref().is_ok_and(|chunk| !chunk.is_empty());
            // or whoever read it has gone
            if sender.send(read).is_err() || is_last {
                return;
            }
        };
        thread::Builder::new().spawn(read)?;
        Ok(Stream { chunks, chunk: Cursor::default() })
    }

    /// The next piece, which is empty at the end.
    fn next(&self) -> io::Result<Vec<u8>> {
        loop {
            match self.chunks.recv_timeout(PATIENCE) {
                Ok(chunk) => return chunk,
                Err(RecvTimeoutError::Timeout) => interrupt::check().map_err(io::Error::other)?,
                Err(RecvTimeoutError::Disconnected) => return Ok(Vec::new()),
            }
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.chunk.position() == self.chunk.get_ref().len() as u64 {
            self.chunk = Cursor::new(self.next()?);
        }
        self.chunk.read(buffer)
    }
}

/// Refuses a file name with the extension of another format.
///
/// # Errors
/// If the name ends like that of a known format other than CSV.
pub fn require_csv(path: &Path, done: &str) -> Result<()> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    match OTHERS.iter().find(|(other, _)| *other == ending) {
        Some((_, what)) => bail!("{}: the name is that of {what}, but only CSV is {done} so far", path.display()),
        None => Ok(()),
    }
}

/// Reads a small text file; errors call it by its `kind`.
///
/// # Errors
/// If it cannot be read, is too large, or is not text.
pub fn read_text(path: &Path, kind: &str) -> Result<String> {
    Ok(agglio::text::bounded::read(path, kind)?)
}
