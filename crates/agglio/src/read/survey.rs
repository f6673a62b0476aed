//! A *survey* counts the cells with the same fault as the first bad cell, so that one message can give their number.

use std::io::Read;
use std::path::Path;

use crate::error::{Error, ErrorKind};
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
}

impl Survey {
    /// Starts at a bad cell of the current record.
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

    /// Whether the survey has reached its end.
    pub fn is_over<R: Read>(&self, records: &Records<R>) -> bool {
        records.bytes() >= self.until
    }

    /// Counts the bad cells of the current record.
    pub fn count<R: Read>(&mut self, records: &Records<R>, columns: impl Iterator<Item = usize>) {
        let same = |&j: &usize| cell::parse(records.get(j)).err() == Some(self.fault);
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
        let what = match self.fault {
            Fault::Text if cell::misspelt(&self.cell).is_none() => self.describe_text(name, more, &others),
            fault => format!("{}{others}", fault.describe(&self.cell)),
        };
        let what = format!("`{}` {what}", escape::short(&self.cell));
        let name = Some(escape::short(name.as_bytes()));
        ErrorKind::Cell { file: path.to_owned(), line: self.line, column: name, what }.into()
    }

    /// Describes a cell that is not a number, or a column without any number.
    fn describe_text(&self, name: &str, more: bool, others: &str) -> String {
        let whole_column = self.is_first_row && !more && self.rows > 1 && self.same_column == self.rows;
        let (also, others) = match whole_column {
            true => (", and neither is any other cell of the column", ""),
            false => ("", others),
        };
        // a shell or the flag itself would change other characters
        let is_plain = |c: char| c.is_alphanumeric() || "_-.".contains(c);
        let can_be_typed = self.can_be_dropped && name.chars().all(is_plain) && name.len() <= escape::LONGEST;
        let how = match can_be_typed {
            true if name.starts_with('-') => format!(" with --drop={name}"),
            true => format!(" with --drop {name}"),
            false => String::new(),
        };
        let leave = if self.can_be_dropped { format!(", or leave it out{how}") } else { String::new() };
        format!("is not a number{also}; encode the column as numbers{leave}{others}")
    }
}
