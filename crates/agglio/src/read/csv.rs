//! Comma-separated values with a header.

use std::io::Read;
use std::path::Path;

use csv::{ByteRecord, ReaderBuilder, Trim};

use crate::error::{Error, ErrorKind, Result};
use crate::read::selection::Columns;
use crate::read::{Selection, Table};

/// Longest piece of a bad cell that is shown.
const SHOWN: usize = 64;

/// Reads the selected columns; `path` is named in errors.
///
/// # Errors
/// If the file is not a table with a header, a selected column is missing, or a selected cell is not a finite number.
pub fn read_csv(source: impl Read, path: &Path, selection: &Selection) -> Result<Table> {
    let mut reader = ReaderBuilder::new().flexible(true).trim(Trim::All).from_reader(source);
    let header = header(reader.byte_headers().map_err(|why| broken(path, &why))?, path)?;
    let columns = selection.locate(&header, path)?;
    let mut table = Table {
        names: columns.features.iter().map(|&j| header[j].clone()).collect(),
        weights: columns.weights.map(|_| Vec::new()),
        offsets: columns.offset.map(|_| Vec::new()),
        ..Table::default()
    };
    let mut record = ByteRecord::new();
    let mut rows = 0;
    while reader.read_byte_record(&mut record).map_err(|why| broken(path, &why))? {
        Row { record: &record, header: &header, path }.append(&columns, &mut table)?;
        rows += 1;
    }
    match rows {
        0 => Err(Error::file(path, "0 data rows: there is a header and nothing below it")),
        _ => Ok(table),
    }
}

fn header(record: &ByteRecord, path: &Path) -> Result<Vec<String>> {
    if record.is_empty() {
        return Err(Error::file(path, "no rows: the file is empty"));
    }
    let names: Vec<String> = record.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    for (j, name) in names.iter().enumerate() {
        if name.is_empty() {
            return Err(Error::file(path, format!("column {} has no name in the header", j + 1)));
        }
        if names[..j].contains(name) {
            return Err(Error::file(path, format!("two columns are called `{name}`; rename one")));
        }
    }
    Ok(names)
}

fn broken(path: &Path, why: &csv::Error) -> Error {
    Error::file(path, why)
}

/// One line of the file.
struct Row<'a> {
    record: &'a ByteRecord,
    header: &'a [String],
    path: &'a Path,
}

impl Row<'_> {
    fn append(&self, columns: &Columns, table: &mut Table) -> Result<()> {
        if self.record.len() != self.header.len() {
            let (found, expected) = (self.record.len(), self.header.len());
            return Err(self.error(None, format!("{found} fields where the header has {expected}")));
        }
        for &j in &columns.features {
            table.values.push(self.number(j)?);
        }
        if let Some(j) = columns.target {
            table.labels.push(self.number(j)?);
        }
        for (column, values) in [(columns.weights, &mut table.weights), (columns.offset, &mut table.offsets)] {
            if let (Some(j), Some(values)) = (column, values) {
                values.push(self.number(j)?);
            }
        }
        Ok(())
    }

    fn number(&self, j: usize) -> Result<f64> {
        let cell = self.record.get(j).unwrap_or_default();
        let text = std::str::from_utf8(cell).ok();
        match text.and_then(|text| text.parse::<f64>().ok()) {
            Some(value) if value.is_finite() => Ok(value),
            Some(_) if cell.iter().any(u8::is_ascii_digit) => {
                Err(self.bad(j, "overflows a double; rescale the column"))
            }
            Some(_) => Err(self.bad(j, "is not finite; remove the row or the column")),
            None if is_missing(cell) => Err(self.bad(j, "is a missing value; remove the row or the column")),
            None => Err(self.bad(j, "is not a number; encode the column or leave it out with --drop")),
        }
    }

    fn bad(&self, j: usize, what: &str) -> Error {
        let cell = self.record.get(j).unwrap_or_default();
        let shown = cell[..cell.len().min(SHOWN)].escape_ascii();
        self.error(Some(self.header[j].clone()), format!("`{shown}` {what}"))
    }

    fn error(&self, column: Option<String>, what: String) -> Error {
        let line = self.record.position().map_or(0, csv::Position::line);
        ErrorKind::Cell { file: self.path.to_owned(), line, column, what }.into()
    }
}

fn is_missing(cell: &[u8]) -> bool {
    let known: [&[u8]; 7] = [b"", b"NA", b"N/A", b"null", b"NULL", b"?", b"."];
    known.contains(&cell)
}
