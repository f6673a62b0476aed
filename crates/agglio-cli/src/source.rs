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

/// Bytes that are asked of a stream at a time: what a pipe holds.
const CHUNK: usize = 1 << 16;
/// Chunks that are read before anyone asks for them.
const AHEAD: usize = 4;
/// Time between two looks at signals.
const PATIENCE: Duration = Duration::from_millis(50);

/// Endings of names that are not CSV, with what they are.
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
    /// What may keep one waiting.
    Stream(Stream),
}

/// Standard input, a pipe or a device, read by a thread of its own, so that a signal is noticed while nothing comes.
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

    /// The same source, with another fate for rows that have missing values.
    pub fn missing(self, missing: Missing) -> Source {
        Source { csv: self.csv.missing(missing), ..self }
    }

    /// The same source, read by so many threads; without, by one for each core.
    pub fn threads(self, asked: Option<usize>) -> Source {
        let threads = threads::count(asked);
        Source { csv: self.csv.threads(Some(threads)), threads, ..self }
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
        self.read_with(selection, quiet, |pieces| {
            let mut table = pieces.table();
            while pieces.append_to(&mut table)? {}
            Ok(table)
        })
    }

    /// As [`Source::read`], with what is done with the pieces.
    ///
    /// # Errors
    /// As [`Source::read`], or what `take` says.
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

/// Refuses a name of another format, so that no table is read from or written to what it cannot be.
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
