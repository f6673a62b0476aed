//! A *block* is a run of whole lines that one thread converts to numbers.
//!
//! It accepts plain lines only: no quotes, no blank lines, the expected number of fields, and a number where one is
//! expected. For other lines it only reports that they exist. [`Records`] then reads them and describes the problem.
//!
//! [`Records`]: crate::read::records::Records

use std::collections::TryReserveError;

use memchr::{memchr, memchr3};

use crate::read::selection::Columns;
use crate::read::{Table, cell, decimal};

/// The layout of the fields of a line.
#[derive(Debug)]
pub struct Layout {
    delimiter: u8,
    /// For each column of the file, the position of its number in a row: covariates first, then response, weight and
    /// offset.
    places: Vec<Option<usize>>,
    features: usize,
    target: Option<usize>,
    weights: Option<usize>,
    offset: Option<usize>,
    /// Whether rows with missing values are dropped.
    drop: bool,
}

impl Layout {
    /// The layout of lines with `width` fields; none if the delimiter could be part of a number or of a line end.
    pub fn new(columns: &Columns, width: usize, delimiter: u8, drop: bool) -> Option<Layout> {
        if delimiter.is_ascii_digit() || b"+-.eE\"\n\r".contains(&delimiter) {
            return None;
        }
        let mut places = vec![None; width];
        for (place, j) in columns.all().enumerate() {
            *places.get_mut(j)? = Some(place);
        }
        let place = |column: Option<usize>| column.and_then(|j| places.get(j).copied().flatten());
        let (target, weights, offset) = (place(columns.target), place(columns.weights), place(columns.offset));
        Some(Layout { delimiter, features: columns.features.len(), target, weights, offset, drop, places })
    }

    /// Number of numbers in a line.
    fn numbers(&self) -> usize {
        self.features + [self.target, self.weights, self.offset].iter().flatten().count()
    }

    /// Upper bound on the number of rows in a text. Each field ends with one byte, and each number has at least one.
    fn most_rows(&self, bytes: usize) -> usize {
        bytes / (self.places.len() + self.numbers()).max(1) + 1
    }
}

/// The numbers of a run of lines. A block is reused, so that no memory is allocated while it is filled.
#[derive(Debug, Default)]
pub struct Block {
    values: Vec<f64>,
    labels: Vec<f64>,
    weights: Vec<f64>,
    offsets: Vec<f64>,
    /// The numbers of the current line.
    line: Vec<f64>,
    /// Number of rows that are kept.
    pub rows: usize,
    /// Number of rows that are dropped because of a missing value.
    pub dropped: usize,
    /// Whether every line was plain.
    pub plain: bool,
}

/// The problems of a line.
#[derive(Clone, Copy, Default)]
struct Bad {
    any: bool,
    missing: bool,
}

impl Block {
    /// Empties the block and reserves the memory for a text of `bytes` bytes.
    ///
    /// # Errors
    /// If the memory cannot be reserved.
    pub fn prepare(&mut self, bytes: usize, layout: &Layout) -> Result<(), TryReserveError> {
        let rows = layout.most_rows(bytes);
        (self.rows, self.dropped, self.plain) = (0, 0, false);
        self.line.resize(layout.numbers(), 0.0);
        self.values.clear();
        self.values.try_reserve(rows * layout.features)?;
        let single = [
            (&mut self.labels, layout.target),
            (&mut self.weights, layout.weights),
            (&mut self.offsets, layout.offset),
        ];
        for (numbers, place) in single {
            numbers.clear();
            numbers.try_reserve(if place.is_some() { rows } else { 0 })?;
        }
        Ok(())
    }

    /// Parses whole lines.
    pub fn parse(&mut self, text: &[u8], layout: &Layout) {
        self.plain = memchr(b'"', text).is_none() && self.take_lines(text, layout).is_some();
    }

    fn take_lines(&mut self, mut text: &[u8], layout: &Layout) -> Option<()> {
        while !text.is_empty() {
            let (bad, rest) = self.take_line(text, layout)?;
            text = rest;
            match bad {
                Bad { any: false, .. } => self.keep_line(layout),
                Bad { missing: true, .. } if layout.drop => self.dropped += 1,
                Bad { .. } => return None,
            }
        }
        Some(())
    }

    /// Parses one line. Returns its problems and the remaining text, or none if the line is not plain.
    fn take_line<'t>(&mut self, mut text: &'t [u8], layout: &Layout) -> Option<(Bad, &'t [u8])> {
        let mut bad = Bad::default();
        let (last, others) = layout.places.split_last()?;
        for place in others {
            text = self.take_field(text, *place, layout.delimiter, &mut bad)?;
            text = text.split_first().filter(|(first, _)| **first == layout.delimiter)?.1;
        }
        text = self.take_field(text, *last, layout.delimiter, &mut bad)?;
        text = text.strip_prefix(b"\n").or_else(|| text.strip_prefix(b"\r\n"))?;
        // a line without a delimiter may be a blank line
        if bad.any && others.is_empty() {
            return None;
        }
        bad.any |= layout.weights.and_then(|place| self.line.get(place)).is_some_and(|&weight| weight < 0.0);
        Some((bad, text))
    }

    /// Parses one field. Returns the remaining text, which begins with the delimiter or line end after the field.
    fn take_field<'t>(
        &mut self,
        text: &'t [u8],
        place: Option<usize>,
        delimiter: u8,
        bad: &mut Bad,
    ) -> Option<&'t [u8]> {
        let Some(place) = place else { return text.get(memchr3(delimiter, b'\n', b'\r', text)?..) };
        let number = self.line.get_mut(place)?;
        if let Some((value, bytes)) = decimal::leading(text) {
            let rest = text.get(bytes..)?;
            if rest.first().is_some_and(|&next| next == delimiter || next == b'\n' || next == b'\r') {
                *number = value;
                return Some(rest);
            }
        }
        let (field, rest) = text.split_at_checked(memchr3(delimiter, b'\n', b'\r', text)?)?;
        match cell::parse(field.trim_ascii()) {
            Ok(value) => *number = value,
            Err(fault) => {
                // reset the number, so that a bad weight is not also counted as negative
                *number = 0.0;
                bad.any = true;
                bad.missing |= fault.is_missing();
            }
        }
        Some(rest)
    }

    fn keep_line(&mut self, layout: &Layout) {
        self.values.extend_from_slice(self.line.get(..layout.features).unwrap_or_default());
        let single = [
            (&mut self.labels, layout.target),
            (&mut self.weights, layout.weights),
            (&mut self.offsets, layout.offset),
        ];
        for (numbers, place) in single {
            numbers.extend(place.and_then(|place| self.line.get(place)));
        }
        self.rows += 1;
    }

    /// Appends its rows to a table of the same columns.
    pub fn append_to(&self, table: &mut Table) {
        table.values.extend_from_slice(&self.values);
        table.labels.extend_from_slice(&self.labels);
        for (all, new) in [(&mut table.weights, &self.weights), (&mut table.offsets, &self.offsets)] {
            all.iter_mut().for_each(|all| all.extend_from_slice(new));
        }
        table.rows += self.rows;
        table.dropped += self.dropped;
    }
}
