//! A *survey* counts the cells that are bad in the same way as the first one, so that one message tells how many.

use std::io::Read;
use std::path::Path;

use crate::error::{Error, ErrorKind};
use crate::read::cell::{self, Fault};
use crate::read::records::Records;

/// Bytes read beyond the first bad cell: a second's work, since the source may be endless.
const SURVEYED: u64 = 1 << 24;

/// A bad cell, and how many more there are like it.
pub struct Survey {
    column: usize,
    fault: Fault,
    line: u64,
    cell: Vec<u8>,
    /// Where reading ends, bad cells or not.
    until: u64,
    /// Rows read since, the first included.
    rows: usize,
    same_fault: usize,
    same_column: usize,
    /// No row came before.
    is_first_row: bool,
}

impl Survey {
    /// Begins at a bad cell of the current record.
    pub fn new<R: Read>(records: &Records<R>, column: usize, fault: Fault, is_first_row: bool) -> Survey {
        Survey {
            column,
            fault,
            line: records.start().line,
            cell: records.get(column).to_vec(),
            until: records.bytes() + SURVEYED,
            rows: 0,
            same_fault: 0,
            same_column: 0,
            is_first_row,
        }
    }

    /// Whether this is as far as it goes.
    pub fn is_over<R: Read>(&self, records: &Records<R>) -> bool {
        records.bytes() >= self.until
    }

    /// Takes in the current record.
    pub fn count<R: Read>(&mut self, records: &Records<R>, columns: impl Iterator<Item = usize>) {
        let same = |&j: &usize| cell::parse(records.get(j)).err() == Some(self.fault);
        self.rows += 1;
        self.same_column += usize::from(same(&self.column));
        self.same_fault += columns.filter(same).count();
    }

    /// The first bad cell, and how many there are; `more` if not all were counted.
    pub fn error(&self, header: &[String], path: &Path, more: bool) -> Error {
        let name = header.get(self.column).map(|name| cell::shown(name.as_bytes()));
        let shown = cell::shown(&self.cell);
        let whole_column = self.is_first_row && self.rows > 1 && self.same_column == self.rows;
        let least = if more { "at least " } else { "" };
        let what = match (self.same_fault - 1, self.fault) {
            (_, Fault::Text) if whole_column => {
                let drop = name.as_deref().unwrap_or_default();
                format!(
                    "`{shown}` is not a number, and neither is any other cell of the column; encode it as numbers, or leave it out with --drop {drop}"
                )
            }
            (0, fault) => format!("`{shown}` {}", fault.describe(&self.cell)),
            (others, fault) => format!("`{shown}` {} ({least}{others} more such cells)", fault.describe(&self.cell)),
        };
        ErrorKind::Cell { file: path.to_owned(), line: self.line, column: name, what }.into()
    }
}
