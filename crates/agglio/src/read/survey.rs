//! A *survey* counts the cells with the same fault as the first bad cell, so that one message can give their number.

use std::io::Read;
use std::path::Path;

use crate::error::{Error, ErrorKind, Hint};
use crate::read::cell::{self, Fault};
use crate::read::records::Records;
use crate::text::escape;

/// Bytes that are read after the first bad cell: about a second of work. The source may be endless.
const SURVEYED: u64 = 1 << 24;

/// The first bad cell, and the number of cells with the same fault.
#[derive(Debug)]
pub struct Survey {
    column: usize,
    fault: Fault,
    line: u64,
    cell: Vec<u8>,
    /// The position at which the survey ends.
    until: u64,
    /// Number of rows since the first bad cell, its row included.
    rows: usize,
    same_fault: usize,
    same_column: usize,
    /// Whether the bad cell is in the first row.
    is_first_row: bool,
    /// Whether its column is a covariate that the user may drop.
    can_be_dropped: bool,
    /// The term that cannot take the number, as part of the message.
    needed: String,
}

impl Survey {
    /// Starts at a bad cell of the current record.
    pub fn new<R: Read>(
        records: &Records<R>,
        column: usize,
        fault: Fault,
        is_first_row: bool,
        can_be_dropped: bool,
        needed: String,
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
            needed,
        }
    }

    /// Whether the survey has reached its end.
    pub fn is_over<R: Read>(&self, records: &Records<R>) -> bool {
        records.bytes() >= self.until
    }

    /// Counts the bad cells of the current record; `fault` finds the fault in a column.
    pub fn count(&mut self, fault: impl Fn(usize) -> Option<Fault>, columns: impl Iterator<Item = usize>) {
        let same = |&j: &usize| fault(j) == Some(self.fault);
        self.rows += 1;
        self.same_column += usize::from(same(&self.column));
        self.same_fault += columns.filter(same).count();
    }

    /// The error for the first bad cell, with the number of others; `more` says that the count is incomplete.
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
        let needed = &self.needed;
        let what = format!("`{}` {wrong}{needed}{others}; {advice}{leave}", escape::short(&self.cell));
        let column = Some(escape::short(name.as_bytes()));
        let hint = match self.fault {
            Fault::Missing | Fault::Nan => Some(Hint::DropRows),
            Fault::Text if is_text && self.can_be_dropped => Some(Hint::DropColumn(name.to_owned())),
            _ => None,
        };
        Error::from(ErrorKind::Cell { file: path.to_owned(), line: self.line, column, what }).with_hint(hint)
    }

    /// Whether every cell of the column has this fault.
    fn is_whole_column(&self, more: bool) -> bool {
        self.is_first_row && !more && self.rows > 1 && self.same_column == self.rows
    }

    fn leave_out(&self) -> &'static str {
        if self.can_be_dropped { ", or leave it out" } else { "" }
    }
}
