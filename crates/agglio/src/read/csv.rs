//! Comma-separated values, with or without a header.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use crate::quote;
use crate::read::cell::{self, Fault};
use crate::read::records::{Broken, LONGEST, MOST_FIELDS, Records};
use crate::read::selection::Columns;
use crate::read::survey::Survey;
use crate::read::{Features, Selection, Table, signature};

/// Delimiters that are looked for; of equally frequent ones the first is taken.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Rows that may be dropped, beside a thousand for each that is kept.
const MOST_DROPPED: usize = 1 << 22;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What becomes of a row with a missing value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// It is an error. The default.
    #[default]
    Error,
    /// The row is left out, and counted.
    Drop,
}

/// How a CSV file is written, and what to make of it.
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
    header: bool,
    missing: Missing,
    memory: u64,
}

impl Default for Csv {
    fn default() -> Csv {
        Csv { delimiter: None, header: true, missing: Missing::Error, memory: u64::MAX }
    }
}

impl Csv {
    /// A file with a header, whose delimiter is found.
    #[must_use]
    pub fn new() -> Csv {
        Csv::default()
    }

    /// What separates fields. Default: the one of `,` `;` `|` and tab that is most frequent in the first line.
    #[must_use]
    pub fn delimiter(mut self, delimiter: Option<u8>) -> Csv {
        self.delimiter = delimiter;
        self
    }

    /// Whether the first line names the columns; without, they are called 1, 2, 3 and so on. Default: true.
    #[must_use]
    pub fn header(mut self, header: bool) -> Csv {
        self.header = header;
        self
    }

    /// What becomes of rows with missing values. Default: they are an error.
    #[must_use]
    pub fn missing(mut self, missing: Missing) -> Csv {
        self.missing = missing;
        self
    }

    /// Most bytes that the numbers may take, with those that a fit keeps beside each row. Default: no bound.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Csv {
        self.memory = bytes;
        self
    }

    /// Reads the selected columns in one pass; `path` is named in errors.
    ///
    /// # Errors
    /// If the text is not a table, a selected column is missing, or a selected cell is not a finite number.
    pub fn read(&self, source: impl Read, path: &Path, selection: &Selection) -> Result<Table> {
        let mut records = self.open(source, path)?;
        let mut more = records.advance().map_err(|why| broken(&why, &records, path))?;
        let header = match (more, self.header) {
            (false, _) => return Err(Error::file(path, "no rows: the file is empty")),
            (true, true) => named(&records, path)?,
            (true, false) => (1..=records.len()).map(|j| j.to_string()).collect(),
        };
        let columns = selection.locate(&header, path)?;
        let mut rows = Rows {
            path,
            header: &header,
            has_header: self.header,
            columns,
            can_drop: matches!(selection.features, Features::All | Features::Except(_)),
            missing: self.missing,
            survey: None,
        };
        let mut table = rows.empty_table();
        if self.header {
            more = records.advance().map_err(|why| broken(&why, &records, path))?;
        }
        while more && rows.want_more(&records) {
            self.reserve_row(&mut table, path)?;
            rows.take(&records, &mut table)?;
            more = match records.advance() {
                Err(why) if rows.survey.is_none() => return Err(broken(&why, &records, path)),
                // what was wrong first is said
                Err(_) => break,
                Ok(more) => more,
            };
        }
        rows.finish(table, more)
    }

    fn open<R: Read>(&self, source: R, path: &Path) -> Result<Records<R>> {
        let mut records = Records::new(source).map_err(|why| Error::file(path, why))?;
        if let Some(what) = signature::recognise(records.ahead()) {
            return Err(Error::file(path, format!("it is {what}")));
        }
        if records.ahead().starts_with(BYTE_ORDER_MARK) {
            records.skip(BYTE_ORDER_MARK.len());
        }
        let delimiter = self.delimiter.unwrap_or_else(|| most_frequent(records.ahead()));
        records.delimit(delimiter);
        Ok(records)
    }

    /// Room for one more row, if there may be and is.
    fn reserve_row(&self, table: &mut Table, path: &Path) -> Result<()> {
        if table.bytes() <= self.memory && table.try_reserve_row().is_ok() {
            return Ok(());
        }
        let rows = table.rows;
        let what =
            format!("the memory that is free holds {rows} rows and no more; give it fewer columns, or fewer rows");
        Err(Error::file(path, what))
    }
}

/// The likeliest delimiter, by the first line that is not blank; what is quoted does not count.
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

/// The names in the first record.
fn named<R: Read>(records: &Records<R>, path: &Path) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::with_capacity(records.len());
    let mut seen: HashMap<&[u8], usize> = HashMap::with_capacity(records.len());
    for j in 0..records.len() {
        let name = records.get(j);
        let Ok(text) = std::str::from_utf8(name) else {
            let what =
                format!("the name of column {}, `{}`, is not UTF-8; save the file as UTF-8", j + 1, quote::short(name));
            return Err(Error::file(path, what));
        };
        if name.is_empty() {
            let hint = if j == 0 { "; if it numbers the rows, write the file without it" } else { "" };
            return Err(Error::file(path, format!("column {} has no name in the header{hint}", j + 1)));
        }
        if seen.insert(name, j).is_some() {
            let hint = if cell::parse(name).is_ok() { "; if there is no header, say --no-header" } else { "" };
            return Err(Error::file(
                path,
                format!("two columns are called `{}`; rename one{hint}", quote::short(name)),
            ));
        }
        names.push(text.to_owned());
    }
    Ok(names)
}

fn broken<R: Read>(why: &Broken, records: &Records<R>, path: &Path) -> Error {
    let (line, what) = match why {
        Broken::Read(why) => return Error::file(path, why),
        Broken::Long => (records.start().line, format!("the line has more than {} MB; is it text?", LONGEST >> 20)),
        Broken::Blank => (records.start().line, format!("more than {LONGEST} blank lines come before this one")),
        Broken::Wide => (records.start().line, format!("the line has more than {MOST_FIELDS} fields")),
        Broken::Unclosed(line) => (*line, "a quote is opened that is never closed".to_owned()),
        Broken::AfterQuote => {
            (records.start().line, "text follows a closing quote; write `\"\"` for a quote inside quotes".to_owned())
        }
    };
    ErrorKind::Cell { file: path.to_owned(), line, column: None, what }.into()
}

/// What rows are turned into numbers by.
struct Rows<'a> {
    path: &'a Path,
    header: &'a [String],
    has_header: bool,
    columns: Columns,
    /// Features that cannot be used may be left out.
    can_drop: bool,
    missing: Missing,
    /// The first bad cell, once there is one; from then on cells are only counted.
    survey: Option<Survey>,
}

impl Rows<'_> {
    fn empty_table(&self) -> Table {
        Table {
            names: self.columns.features.iter().map(|&j| self.header[j].clone()).collect(),
            weights: self.columns.weights.map(|_| Vec::new()),
            offsets: self.columns.offset.map(|_| Vec::new()),
            columns: self.header.len(),
            ..Table::default()
        }
    }

    fn want_more<R: Read>(&self, records: &Records<R>) -> bool {
        self.survey.as_ref().is_none_or(|survey| !survey.is_over(records))
    }

    /// Takes in one record.
    fn take<R: Read>(&mut self, records: &Records<R>, table: &mut Table) -> Result<()> {
        if let Some(survey) = &mut self.survey {
            survey.count(records, self.columns.all());
            return Ok(());
        }
        self.require_width(records)?;
        match self.append(records, table) {
            Ok(()) => table.rows += 1,
            // whichever of its bad cells comes first
            Err(_) if self.missing == Missing::Drop && self.has_missing(records) => {
                table.truncate();
                table.dropped += 1;
                return self.require_use(table);
            }
            Err((column, fault)) => {
                let can_be_dropped = self.can_drop && self.columns.features.contains(&column);
                let mut survey = Survey::new(records, column, fault, table.rows == 0, can_be_dropped);
                survey.count(records, self.columns.all());
                self.survey = Some(survey);
            }
        }
        Ok(())
    }

    fn has_missing<R: Read>(&self, records: &Records<R>) -> bool {
        self.columns.all().any(|j| cell::parse(records.get(j)).is_err_and(Fault::is_missing))
    }

    /// Ends a source that has nothing to offer, since it may have no end.
    fn require_use(&self, table: &Table) -> Result<()> {
        if table.dropped <= MOST_DROPPED + 1000 * table.rows {
            return Ok(());
        }
        let what = format!(
            "{} rows have a missing value, and {} have none; is this the right column?",
            table.dropped, table.rows
        );
        Err(Error::file(self.path, what))
    }

    fn require_width<R: Read>(&self, records: &Records<R>) -> Result<()> {
        let (found, expected) = (records.len(), self.header.len());
        if found == expected {
            return Ok(());
        }
        let start = records.start();
        let plural = if found == 1 { "" } else { "s" };
        let first = if self.has_header { "header" } else { "first line" };
        let what = format!("{found} field{plural} where the {first} has {expected} (at byte {})", start.byte);
        Err(ErrorKind::Cell { file: self.path.to_owned(), line: start.line, column: None, what }.into())
    }

    fn append<R: Read>(&self, records: &Records<R>, table: &mut Table) -> std::result::Result<(), (usize, Fault)> {
        let number = |j: usize| cell::parse(records.get(j)).map_err(|fault| (j, fault));
        for &j in &self.columns.features {
            table.values.push(number(j)?);
        }
        if let Some(j) = self.columns.target {
            table.labels.push(number(j)?);
        }
        if let (Some(j), Some(weights)) = (self.columns.weights, &mut table.weights) {
            let weight = number(j)?;
            if weight < 0.0 {
                return Err((j, Fault::Negative));
            }
            weights.push(weight);
        }
        if let (Some(j), Some(offsets)) = (self.columns.offset, &mut table.offsets) {
            offsets.push(number(j)?);
        }
        Ok(())
    }

    fn finish(self, table: Table, more: bool) -> Result<Table> {
        if let Some(survey) = &self.survey {
            return Err(survey.error(self.header, self.path, more));
        }
        match (table.rows, table.dropped) {
            (0, 0) => Err(Error::file(self.path, "0 data rows: there is a header and nothing below it")),
            (0, dropped) => Err(Error::file(self.path, format!("0 data rows: all {dropped} have a missing value"))),
            _ => Ok(table),
        }
    }
}
