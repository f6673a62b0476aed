//! A *block* is a run of whole lines that one thread converts to numbers.
//!
//! It accepts plain lines only: no quotes, no blank lines, the expected number of fields, and a number where one is
//! expected. For other lines it only reports that they exist. [`Records`] then reads them and describes the problem.
//!
//! [`Records`]: crate::read::records::Records

use std::collections::TryReserveError;

use memchr::{memchr, memchr3};

use crate::read::{Table, Verbatim, cell, decimal};
use crate::table::{Columns, Computed, Design, Levels};

/// The use of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// It is skipped.
    None,
    /// Position of its number in a row: covariates first, then response, weight and offset.
    Number(usize),
    /// It is read as text, and perhaps as a number too.
    Words(Words),
}

/// The uses of a field that is read as text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Words {
    /// Position of its number in a row, if it is a number too.
    number: Option<usize>,
    /// Position of its level among the categories.
    level: Option<usize>,
    /// Position of its text among those that are kept.
    kept: Option<usize>,
}

impl Place {
    /// The same field, read as text too; none if it already is such a text.
    fn with(self, words: Words) -> Option<Place> {
        let before = match self {
            Place::None => Words::default(),
            Place::Number(place) => Words { number: Some(place), ..Words::default() },
            Place::Words(words) => words,
        };
        let twice =
            (before.level.is_some() && words.level.is_some()) || (before.kept.is_some() && words.kept.is_some());
        let both =
            Words { number: before.number, level: before.level.or(words.level), kept: before.kept.or(words.kept) };
        (!twice).then_some(Place::Words(both))
    }
}

/// The layout of the fields of a line.
#[derive(Debug)]
pub struct Layout {
    delimiter: u8,
    /// The use of each column of the file.
    places: Vec<Place>,
    /// Number of numbers that covariates are made of.
    features: usize,
    /// How covariates are computed, unless they are these numbers.
    design: Option<Design>,
    categories: usize,
    /// Number of columns of kept text.
    kept: usize,
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
        let mut places = vec![Place::None; width];
        for (place, j) in columns.all().enumerate() {
            *places.get_mut(j)? = Place::Number(place);
        }
        let place = |column: Option<usize>| match places.get(column?)? {
            Place::Number(place) => Some(*place),
            _ => None,
        };
        let (target, weights, offset) = (place(columns.target), place(columns.weights), place(columns.offset));
        for (level, &j) in columns.categories.iter().enumerate() {
            let place = places.get_mut(j)?;
            // none for a column that is read twice
            *place = place.with(Words { level: Some(level), ..Words::default() })?;
        }
        for (kept, &j) in columns.kept.iter().enumerate() {
            let place = places.get_mut(j)?;
            *place = place.with(Words { kept: Some(kept), ..Words::default() })?;
        }
        let (features, design) = (columns.features.len(), columns.design.clone());
        let (categories, kept) = (columns.categories.len(), columns.kept.len());
        Some(Layout { delimiter, features, design, categories, kept, target, weights, offset, drop, places })
    }

    /// Number of covariates.
    fn width(&self) -> usize {
        self.design.as_ref().map_or(self.features, Design::width)
    }

    /// Whether lines have offsets.
    fn has_offset(&self) -> bool {
        self.offset.is_some() || self.design.as_ref().is_some_and(Design::has_offset)
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
    /// Codes of the rows for each category, and the levels of this block.
    codes: Vec<Vec<u32>>,
    levels: Vec<Levels>,
    /// Texts of the rows for each kept column.
    kept: Vec<Verbatim>,
    /// The numbers and codes of the current line.
    line: Vec<f64>,
    line_codes: Vec<u32>,
    /// Number of rows that are kept.
    pub rows: usize,
    /// Number of rows that are dropped because of a missing value.
    pub dropped: usize,
    /// Number of rows whose covariate is −∞.
    at_limit: usize,
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
        (self.rows, self.dropped, self.at_limit, self.plain) = (0, 0, 0, false);
        self.line.resize(layout.numbers(), 0.0);
        self.line_codes.resize(layout.categories, 0);
        self.values.clear();
        self.values.try_reserve(rows * layout.width())?;
        let single = [
            (&mut self.labels, layout.target.is_some()),
            (&mut self.weights, layout.weights.is_some()),
            (&mut self.offsets, layout.has_offset()),
        ];
        for (numbers, is_used) in single {
            numbers.clear();
            numbers.try_reserve(if is_used { rows } else { 0 })?;
        }
        self.codes.resize_with(layout.categories, Vec::new);
        self.levels.resize_with(layout.categories, Levels::default);
        self.levels.iter_mut().for_each(Levels::clear);
        self.kept.resize_with(layout.kept, Verbatim::default);
        self.kept.iter_mut().try_for_each(|kept| {
            kept.truncate(0);
            kept.try_reserve(rows, bytes)
        })?;
        self.codes.iter_mut().try_for_each(|codes| {
            codes.clear();
            codes.try_reserve(rows)
        })
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
                Bad { any: false, .. } => self.keep_line(layout)?,
                Bad { missing: true, .. } if layout.drop => {
                    self.kept.iter_mut().for_each(|kept| kept.truncate(self.rows));
                    self.dropped += 1;
                }
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
    fn take_field<'t>(&mut self, text: &'t [u8], place: Place, delimiter: u8, bad: &mut Bad) -> Option<&'t [u8]> {
        let place = match place {
            Place::Number(place) => place,
            Place::None => return text.get(memchr3(delimiter, b'\n', b'\r', text)?..),
            Place::Words(words) => return self.take_words(text, words, delimiter, bad),
        };
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

    /// Reads one field as text, as [`Block::take_field`] reads a number. Apart, so that reading numbers stays fast.
    #[inline(never)]
    fn take_words<'t>(&mut self, text: &'t [u8], words: Words, delimiter: u8, bad: &mut Bad) -> Option<&'t [u8]> {
        let (field, rest) = text.split_at_checked(memchr3(delimiter, b'\n', b'\r', text)?)?;
        let field = field.trim_ascii();
        if let Some(kept) = words.kept {
            // a cell that is not text is described by the reader of records
            self.kept.get_mut(kept)?.push(cell::text(field).ok()?);
        }
        if let Some(level) = words.level {
            match cell::level(field) {
                Ok(name) => *self.line_codes.get_mut(level)? = self.levels.get_mut(level)?.code(name),
                Err(fault) => {
                    bad.any = true;
                    bad.missing |= fault.is_missing();
                }
            }
        }
        match words.number {
            Some(place) => self.take_field(text, Place::Number(place), delimiter, bad),
            None => Some(rest),
        }
    }

    /// Keeps the current line; none if a term cannot take one of its numbers.
    fn keep_line(&mut self, layout: &Layout) -> Option<()> {
        match &layout.design {
            None => self.values.extend_from_slice(self.line.get(..layout.features).unwrap_or_default()),
            Some(design) => self.compute(design, layout)?,
        }
        let single = [
            (&mut self.labels, layout.target),
            (&mut self.weights, layout.weights),
            (&mut self.offsets, layout.offset),
        ];
        for (numbers, place) in single {
            numbers.extend(place.and_then(|place| self.line.get(place)));
        }
        if layout.categories > 0 {
            self.codes.iter_mut().zip(&self.line_codes).for_each(|(codes, code)| codes.push(*code));
        }
        self.rows += 1;
        Some(())
    }

    /// Appends what is computed from the numbers of the current line.
    #[inline(never)]
    fn compute(&mut self, design: &Design, layout: &Layout) -> Option<()> {
        let numbers = self.line.get(..layout.features).unwrap_or_default();
        let counts = layout.weights.and_then(|place| self.line.get(place)) != Some(&0.0);
        let Computed { offset, at_limit } = design.compute(numbers, counts, &mut self.values).ok()?;
        self.offsets.extend(offset);
        self.at_limit += usize::from(at_limit);
        Some(())
    }

    /// Bytes of its levels and kept texts.
    pub fn text_bytes(&self) -> u64 {
        let levels: u64 = self.levels.iter().map(|levels| levels.bytes).sum();
        levels + self.kept.iter().map(Verbatim::bytes).sum::<u64>()
    }

    /// Appends its rows to a table of the same columns, whose levels so far are `levels`.
    pub fn append_to(&self, table: &mut Table, levels: &mut [Levels]) {
        table.values.extend_from_slice(&self.values);
        table.labels.extend_from_slice(&self.labels);
        for (all, new) in [(&mut table.weights, &self.weights), (&mut table.offsets, &self.offsets)] {
            all.iter_mut().for_each(|all| all.extend_from_slice(new));
        }
        let here = self.codes.iter().zip(&self.levels);
        for ((category, levels), (codes, names)) in table.categories.iter_mut().zip(levels).zip(here) {
            // only levels of rows that are kept, in the order of these rows
            let mut known: Vec<Option<u32>> = vec![None; names.names().len()];
            let code = |&code: &u32| {
                let (known, name) = (known.get_mut(code as usize)?, names.names().get(code as usize)?);
                Some(*known.get_or_insert_with(|| levels.code(name)))
            };
            category.codes.extend(codes.iter().filter_map(code));
            levels.copy_to(category);
        }
        table.kept.iter_mut().zip(&self.kept).for_each(|(all, new)| all.append(new));
        table.rows += self.rows;
        table.dropped += self.dropped;
        table.at_limit += self.at_limit;
    }
}
