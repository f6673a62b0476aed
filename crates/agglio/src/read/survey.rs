//! A *survey* counts the cells that are bad in the same way as the first one, so that one message tells how many.

use std::io::Read;
use std::path::Path;

use crate::error::{Error, ErrorKind, Hint};
use crate::read::cell::{self, Fault};
use crate::read::records::Records;
use crate::text::escape;

/// Bytes read beyond the first bad cell: a second's work, since the source may be endless.
const SURVEYED: u64 = 1 << 24;

/// A bad cell, and how many more there are like it.
#[derive(Debug)]
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
    /// It is a feature that the file may do without.
    can_be_dropped: bool,
}

impl Survey {
    /// Begins at a bad cell of the current record.
    pub fn new<R: Read>(
        records: &Records<R>,
        column: usize,
        fault: Fault,
        is_first_row: bool,
        can_be_dropped: bool,
    ) -> Survey {
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
            can_be_dropped,
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
        let name = header.get(self.column).map(String::as_str).unwrap_or_default();
        let others = match (self.same_fault.saturating_sub(1), more) {
            (0, _) => String::new(),
            (1, false) => " (one more such cell)".to_owned(),
            (others, false) => format!(" ({others} more such cells)"),
            (others, true) => format!(" (at least {others} more such cells)"),
        };
        let (wrong, advice) = self.fault.describe(&self.cell);
        let is_text = self.fault == Fault::Text && cell::misspelt(&self.cell).is_none();
        let (others, leave) = match is_text {
            true if self.is_whole_column(more) => (", nor is any other cell of the column", self.leave_out()),
            true => (others.as_str(), self.leave_out()),
            false => (others.as_str(), ""),
        };
        let what = format!("`{}` {wrong}{others}; {advice}{leave}", escape::short(&self.cell));
        let column = Some(escape::short(name.as_bytes()));
        let hint = match self.fault {
            Fault::Missing | Fault::Nan => Some(Hint::DropRows),
            Fault::Text if is_text && self.can_be_dropped => Some(Hint::DropColumn(name.to_owned())),
            _ => None,
        };
        Error::from(ErrorKind::Cell { file: path.to_owned(), line: self.line, column, what }).with_hint(hint)
    }

    /// Whether all of the column is bad in this way.
    fn is_whole_column(&self, more: bool) -> bool {
        self.is_first_row && !more && self.rows > 1 && self.same_column == self.rows
    }

    fn leave_out(&self) -> &'static str {
        if self.can_be_dropped { ", or leave it out" } else { "" }
    }
}
