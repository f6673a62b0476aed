//! *CSV* files (comma-separated values), with or without a header.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use crate::error::{Error, ErrorKind, Hint, Result};
use crate::read::cell;
use crate::read::records::{Broken, LONGEST, MOST_FIELDS, Records};
use crate::read::rows::Rows;
use crate::read::{Pieces, Selection, Table, signature};
use crate::text::escape;

/// Candidate delimiters. Of equally frequent ones the first is chosen.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The treatment of a row with a missing value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// It is an error. The default.
    #[default]
    Error,
    /// The row is dropped and counted.
    Drop,
}

/// A reader of CSV files, with its options.
///
/// # Examples
///
/// ```
/// use std::path::Path;
///
/// use agglio::read::{Csv, Missing, Selection};
///
/// let text = "a;y\n1;0.5\n;0.2\n3;0.9\n";
/// let selection = Selection { target: Some("y".into()), ..Selection::default() };
/// let table = Csv::new().missing(Missing::Drop).read(text.as_bytes(), Path::new("a.csv"), &selection)?;
/// assert_eq!((table.values, table.labels, table.dropped), (vec![1.0, 3.0], vec![0.5, 0.9], 1));
/// # Ok::<(), agglio::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Csv {
    delimiter: Option<u8>,
    pub(super) header: bool,
    pub(super) missing: Missing,
    pub(super) memory: u64,
    threads: Option<usize>,
}

impl Default for Csv {
    fn default() -> Csv {
        Csv { delimiter: None, header: true, missing: Missing::Error, memory: u64::MAX, threads: None }
    }
}

impl Csv {
    /// A reader that detects the delimiter, for a file with a header.
    #[must_use]
    pub fn new() -> Csv {
        Csv::default()
    }

    /// Sets the delimiter. Default: the most frequent of `,` `;` `|` and tab in the first line.
    #[must_use]
    pub fn delimiter(mut self, delimiter: Option<u8>) -> Csv {
        self.delimiter = delimiter;
        self
    }

    /// Sets whether the first line has the column names. Without a header they are 1, 2, 3 and so on. Default: true.
    #[must_use]
    pub fn header(mut self, header: bool) -> Csv {
        self.header = header;
        self
    }

    /// Sets the treatment of rows with missing values. Default: they are an error.
    #[must_use]
    pub fn missing(mut self, missing: Missing) -> Csv {
        self.missing = missing;
        self
    }

    /// Sets the maximum memory in bytes for the numbers and for the working memory of a fit per row. Default: no limit.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Csv {
        self.memory = bytes;
        self
    }

    /// Sets the number of threads that parse text, ≥ 1; at most eight are used. Default: the number of cores. The
    /// result does not depend on it.
    #[must_use]
    pub fn threads(mut self, threads: Option<usize>) -> Csv {
        self.threads = threads;
        self
    }

    /// Reads the selected columns in one pass. Errors name `path`.
    ///
    /// # Errors
    /// If the text is not a table, a selected column is missing, or a selected cell is not a finite number.
    pub fn read(&self, source: impl Read, path: &Path, selection: &Selection) -> Result<Table> {
        let mut pieces = self.open(source, path, selection)?;
        let mut table = pieces.table();
        while pieces.append_to(&mut table)? {}
        Ok(table)
    }

    /// Starts to read the selected columns in pieces, for tables that are larger than memory.
    ///
    /// # Errors
    /// If the text does not begin like a table, or a selected column does not exist.
    ///
    /// # Examples
    ///
    /// ```
    /// # use std::path::Path;
    /// # use agglio::read::{Csv, Selection};
    /// let mut pieces = Csv::new().open("a,b\n1,2\n3,4\n".as_bytes(), Path::new("a.csv"), &Selection::default())?;
    /// let (mut table, mut sum) = (pieces.table(), 0.0);
    /// while pieces.append_to(&mut table)? {
    ///     sum += table.values.iter().sum::<f64>();
    ///     table.clear();
    /// }
    /// assert_eq!(sum, 10.0);
    /// # Ok::<(), agglio::Error>(())
    /// ```
    pub fn open<'a, R: Read>(&self, source: R, path: &'a Path, selection: &Selection) -> Result<Pieces<'a, R>> {
        let mut records = self.records(source, path)?;
        let more = records.advance().map_err(|why| broken(&why, &records, path))?;
        let header = match (more, self.header) {
            (false, _) => return Err(Error::file(path, "no rows: the file is empty")),
            (true, true) => named(&records, path)?,
            (true, false) => (1..=records.len()).map(|j| j.to_string()).collect(),
        };
        let rows = Rows::new(path, header, self, selection)?;
        Ok(Pieces::new(records, rows, self.threads))
    }

    /// The records of a source that does not start like another file format.
    fn records<R: Read>(&self, source: R, path: &Path) -> Result<Records<R>> {
        let mut records = Records::new(source).map_err(|why| Error::file(path, why))?;
        if let Some(what) = signature::recognise(records.ahead()) {
            return Err(Error::file(path, format!("this is {what}")));
        }
        if records.ahead().starts_with(BYTE_ORDER_MARK) {
            records.skip(BYTE_ORDER_MARK.len());
        }
        let delimiter = self.delimiter.unwrap_or_else(|| most_frequent(records.ahead()));
        records.delimit(delimiter);
        Ok(records)
    }
}

/// The most frequent delimiter in the first line that is not blank. Quoted text is ignored.
fn most_frequent(text: &[u8]) -> u8 {
    let blank = text.iter().take_while(|byte| byte.is_ascii_whitespace() && **byte != b'\t').count();
    let (mut quoted, mut begins_field) = (false, true);
    let mut counts = [0_usize; DELIMITERS.len()];
    for &byte in &text[blank..] {
        quoted ^= byte == b'"' && (quoted || begins_field);
        begins_field = DELIMITERS.contains(&byte) || (begins_field && byte == b' ');
        if !quoted && (byte == b'\n' || byte == b'\r') {
            break;
        }
        if let Some(j) = DELIMITERS.iter().position(|&other| other == byte && !quoted) {
            counts[j] += 1;
        }
    }
    let most = counts.iter().max().copied().unwrap_or(0);
    let first = counts.iter().position(|&count| count == most);
    first.and_then(|j| DELIMITERS.get(j)).copied().unwrap_or(b',')
}

/// The column names in the first record.
fn named<R: Read>(records: &Records<R>, path: &Path) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::with_capacity(records.len());
    let mut seen: HashMap<&[u8], usize> = HashMap::with_capacity(records.len());
    for j in 0..records.len() {
        let name = records.get(j);
        let Ok(text) = std::str::from_utf8(name) else {
            let what = format!(
                "the name of column {}, `{}`, is not UTF-8; save the file as UTF-8",
                j + 1,
                escape::short(name)
            );
            return Err(Error::file(path, what));
        };
        if name.is_empty() {
            let hint = if j == 0 { "; if it is a row number, write the file without it" } else { "" };
            return Err(Error::file(path, format!("column {} has no name in the header{hint}", j + 1)));
        }
        if seen.insert(name, j).is_some() {
            let what = format!("two columns are called `{}`; rename one", escape::short(name));
            return Err(Error::file(path, what).with_hint(cell::parse(name).ok().map(|_| Hint::NoHeader)));
        }
        names.push(text.to_owned());
    }
    Ok(names)
}

/// The error for a source without a readable next record.
pub(super) fn broken<R: Read>(why: &Broken, records: &Records<R>, path: &Path) -> Error {
    let (line, what) = match why {
        Broken::Read(why) => return Error::file(path, why),
        Broken::Long => {
            (records.start().line, format!("the line is longer than {} MB; is this a text file?", LONGEST >> 20))
        }
        Broken::Blank => (records.start().line, format!("more than {LONGEST} blank lines before this line")),
        Broken::Wide => (records.start().line, format!("the line has more than {MOST_FIELDS} fields")),
        Broken::Unclosed(line) => (*line, "a double quote is opened and never closed".to_owned()),
        Broken::AfterQuote => (
            records.start().line,
            "there is text after a closing quote; write `\"\"` for a quote inside quotes".to_owned(),
        ),
    };
    ErrorKind::Cell { file: path.to_owned(), line, column: None, what }.into()
}
