//! *Rows* are the records of a file as numbers, terms and levels, with the first fault among them.

use std::io::Read;
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use crate::read::block::Block;
use crate::read::cell::{self, Fault};
use crate::read::records::Records;
use crate::read::survey::Survey;
use crate::read::{Category, Csv, Features, Missing, Selection, Table, Verbatim};
use crate::table::{Columns, Levels, Misfit};

/// Number of rows that may be dropped, in addition to a thousand for each row that is kept.
const MOST_DROPPED: usize = 1 << 22;

/// The first bad cell of a record.
struct Bad {
    column: usize,
    fault: Fault,
    /// The term that it does not fit.
    misfit: Option<Misfit>,
}

/// Converts records to rows of numbers, one at a time.
#[derive(Debug)]
pub(super) struct Rows<'a> {
    pub path: &'a Path,
    header: Vec<String>,
    pub has_header: bool,
    pub columns: Columns,
    /// The columns of text without rows, and their levels so far.
    categories: Vec<Category>,
    levels: Vec<Levels>,
    /// The columns of kept text without rows.
    kept_text: Vec<Verbatim>,
    /// The numbers of a record that terms are computed from.
    numbers: Vec<f64>,
    /// Whether the user may drop covariates that cannot be used.
    can_drop: bool,
    pub missing: Missing,
    memory: u64,
    /// Number of rows kept and dropped so far, over all tables.
    kept: usize,
    dropped: usize,
    /// The first bad cell. After it, bad cells are only counted.
    pub survey: Option<Survey>,
}

impl<'a> Rows<'a> {
    /// The rows of a file with these names of columns.
    ///
    /// # Errors
    /// If a selected column does not exist.
    pub fn new(path: &'a Path, header: Vec<String>, csv: &Csv, selection: &Selection) -> Result<Rows<'a>> {
        Ok(Rows {
            path,
            columns: selection.locate(&header).map_err(|why| why.in_file(path))?,
            levels: vec![Levels::default(); selection.categories.len()],
            categories: selection.empty_categories(),
            kept_text: selection.empty_kept(),
            numbers: Vec::new(),
            header,
            has_header: csv.header,
            can_drop: matches!(selection.features, Features::All | Features::Except(_)),
            missing: csv.missing,
            memory: csv.memory,
            kept: 0,
            dropped: 0,
            survey: None,
        })
    }

    /// Number of columns of the file.
    pub fn width(&self) -> usize {
        self.header.len()
    }

    pub fn empty_table(&self) -> Table {
        Table::new(&self.columns, self.categories.clone(), self.kept_text.clone(), self.width())
    }

    pub fn want_more<R: Read>(&self, records: &Records<R>) -> bool {
        self.survey.as_ref().is_none_or(|survey| !survey.is_over(records))
    }

    /// Converts one record.
    pub fn take<R: Read>(&mut self, records: &Records<R>, table: &mut Table) -> Result<()> {
        self.reserve_row(table)?;
        if let Some(mut survey) = self.survey.take() {
            survey.count(|j| self.fault(records, j), self.columns.all());
            self.survey = Some(survey);
            return Ok(());
        }
        self.require_width(records)?;
        match self.append(records, table) {
            Ok(at_limit) => {
                table.rows += 1;
                table.at_limit += usize::from(at_limit);
                self.kept += 1;
            }
            // the row is dropped even if another bad cell comes before the missing one
            Err(_) if self.missing == Missing::Drop && self.has_missing(records) => {
                table.truncate();
                table.dropped += 1;
                self.dropped += 1;
                return self.require_use();
            }
            Err(bad) => {
                table.truncate();
                let can_be_dropped = self.can_drop && self.columns.features.contains(&bad.column);
                let needed = bad.misfit.map(|misfit| self.columns.needed(&misfit)).unwrap_or_default();
                let mut survey = Survey::new(records, bad.column, bad.fault, self.kept == 0, can_be_dropped, needed);
                survey.count(|j| self.fault(records, j), self.columns.all());
                self.survey = Some(survey);
            }
        }
        Ok(())
    }

    /// The fault of a number in column `j`, on its own or in a term.
    fn fault<R: Read>(&self, records: &Records<R>, j: usize) -> Option<Fault> {
        match cell::parse(records.get(j)) {
            Err(fault) => Some(fault),
            Ok(_) if self.columns.weights.is_some_and(|j| cell::parse(records.get(j)) == Ok(0.0)) => None,
            Ok(value) => self.columns.domain_of(j, value).map(Fault::Domain),
        }
    }

    /// Appends a block. False if its records must be read one by one, because one of them may be refused.
    pub fn take_block(&mut self, block: &Block, table: &mut Table) -> bool {
        let most_dropped = self.dropped + block.dropped;
        let bytes = table.bytes(block.rows + 1) + self.level_bytes() + block.text_bytes();
        let fits = bytes <= self.memory && table.try_reserve(block.rows).is_ok();
        if !fits || most_dropped > MOST_DROPPED + 1000 * self.kept {
            return false;
        }
        block.append_to(table, &mut self.levels);
        self.kept += block.rows;
        self.dropped += block.dropped;
        true
    }

    /// Reserves the memory for one more row, within the limit.
    fn reserve_row(&self, table: &mut Table) -> Result<()> {
        if table.bytes(1) + self.level_bytes() <= self.memory && table.try_reserve(1).is_ok() {
            return Ok(());
        }
        let rows = self.kept;
        let what = format!("the free memory holds only {rows} rows; use more memory, or fewer rows or columns");
        Err(Error::file(self.path, what))
    }

    /// Bytes of the levels so far.
    fn level_bytes(&self) -> u64 {
        self.levels.iter().map(|levels| levels.bytes).sum()
    }

    fn has_missing<R: Read>(&self, records: &Records<R>) -> bool {
        let is_missing = |j: &usize| cell::level(records.get(*j)).is_err_and(Fault::is_missing);
        self.columns.all().any(|j| cell::parse(records.get(j)).is_err_and(Fault::is_missing))
            || self.columns.categories.iter().any(is_missing)
    }

    /// Ends the reading of a source that drops nearly every row. It may be endless.
    fn require_use(&self) -> Result<()> {
        if self.dropped <= MOST_DROPPED + 1000 * self.kept {
            return Ok(());
        }
        let what = format!(
            "{} rows have a missing value and only {} have none; is this the right column?",
            self.dropped, self.kept
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
        let what = format!("{found} field{plural}, but the {first} has {expected} (at byte {})", start.byte);
        Err(ErrorKind::Cell { file: self.path.to_owned(), line: start.line, column: None, what }.into())
    }

    /// Appends a record to all columns. Returns whether its covariate is −∞.
    fn append<R: Read>(&mut self, records: &Records<R>, table: &mut Table) -> std::result::Result<bool, Bad> {
        let bad = |column, fault| Bad { column, fault, misfit: None };
        let number = |j: usize| cell::parse(records.get(j)).map_err(|fault| bad(j, fault));
        match self.columns.design {
            None => self.columns.features.iter().try_for_each(|&j| number(j).map(|x| table.values.push(x)))?,
            Some(_) => {
                self.numbers.clear();
                self.columns.features.iter().try_for_each(|&j| number(j).map(|x| self.numbers.push(x)))?;
            }
        }
        if let Some(j) = self.columns.target {
            table.labels.push(number(j)?);
        }
        if let (Some(j), Some(weights)) = (self.columns.weights, &mut table.weights) {
            let weight = number(j)?;
            if weight < 0.0 {
                return Err(bad(j, Fault::Negative));
            }
            weights.push(weight);
        }
        if let (Some(j), Some(offsets)) = (self.columns.offset, &mut table.offsets) {
            offsets.push(number(j)?);
        }
        for (&j, kept) in self.columns.kept.iter().zip(&mut table.kept) {
            kept.push(cell::text(records.get(j)).map_err(|fault| bad(j, fault))?);
        }
        let at_limit = self.append_terms(table)?;
        self.append_levels(records, table)?;
        Ok(at_limit)
    }

    /// Appends what is computed from the numbers of a record. Returns whether its covariate is −∞.
    fn append_terms(&self, table: &mut Table) -> std::result::Result<bool, Bad> {
        let Some(design) = &self.columns.design else { return Ok(false) };
        let counts = table.weights.as_ref().and_then(|weights| weights.last()) != Some(&0.0);
        let computed = design.compute(&self.numbers, counts, &mut table.values).map_err(|misfit| Bad {
            column: self.columns.features.get(misfit.place).copied().unwrap_or_default(),
            fault: Fault::Domain(misfit.domain),
            misfit: Some(misfit),
        })?;
        table.offsets.iter_mut().for_each(|offsets| offsets.extend(computed.offset));
        Ok(computed.at_limit)
    }

    /// Appends the levels of a record. They come last, so that a row that is not kept adds no level.
    fn append_levels<R: Read>(&mut self, records: &Records<R>, table: &mut Table) -> std::result::Result<(), Bad> {
        let level = |j: usize| cell::level(records.get(j)).map_err(|fault| Bad { column: j, fault, misfit: None });
        self.columns.categories.iter().try_for_each(|&j| level(j).map(drop))?;
        let columns = self.columns.categories.iter().zip(&mut self.levels);
        for ((&j, levels), category) in columns.zip(&mut table.categories) {
            category.codes.push(levels.code(level(j)?));
            levels.copy_to(category);
        }
        Ok(())
    }

    /// The error of the rows so far, if there is one. `more` says that the source was not read to its end.
    pub fn finish(&self, more: bool) -> Result<()> {
        if let Some(survey) = &self.survey {
            return Err(survey.error(&self.header, self.path, more));
        }
        match (self.kept, self.dropped) {
            (0, 0) => Err(Error::file(self.path, "no rows: there is only a header")),
            (0, dropped) => {
                Err(Error::file(self.path, format!("no rows are left: all {dropped} have a missing value")))
            }
            _ => Ok(()),
        }
    }
}
