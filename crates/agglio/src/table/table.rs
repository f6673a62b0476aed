//! A *table* of numbers in memory.

use std::collections::{HashSet, TryReserveError};

use super::category::Category;
use super::columns::Columns;
use super::design::Misfit;
use super::part::Part;
use super::selection::Selection;
use super::verbatim::Verbatim;
use crate::error::{Error, Result};
use crate::rows::Dense;
use crate::text::escape::short;

/// The columns that a problem uses, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Names of the covariates, in the order of the file or in the order of the selection.
    pub names: Vec<String>,
    /// Covariates, row by row.
    pub values: Vec<f64>,
    /// Responses; empty if no target was selected.
    pub labels: Vec<f64>,
    /// Weights, if selected.
    pub weights: Option<Vec<f64>>,
    /// Offsets, if selected.
    pub offsets: Option<Vec<f64>>,
    /// The column or term of the offset.
    pub offset_name: Option<String>,
    /// Columns of text, as selected.
    pub categories: Vec<Category>,
    /// Columns whose text is kept, as selected.
    pub kept: Vec<Verbatim>,
    /// Number of rows that were kept.
    pub rows: usize,
    /// Number of rows that were dropped because of a missing value.
    pub dropped: usize,
    /// Number of rows whose covariate is −∞, or whose offset is if there is no covariate. This is allowed if that is `log(x)`:
    /// these rows have x = 0 and lie at an asymptote of the curve.
    pub at_limit: usize,
    /// Number of columns of the file, selected or not.
    pub columns: usize,
    /// The models, if the table is that of several ones; see [`Selection::of_all`].
    pub parts: Vec<Part>,
}

impl Table {
    /// Numbers that a fit stores per row in addition to the covariates, mainly preimages.
    const BESIDE: u64 = 12;

    /// An empty table of these columns.
    pub(crate) fn new(columns: &Columns, categories: Vec<Category>, kept: Vec<Verbatim>, width: usize) -> Table {
        Table {
            names: columns.names.clone(),
            weights: columns.weights.map(|_| Vec::new()),
            offsets: columns.has_offset().then(Vec::new),
            offset_name: columns.offset_name.clone(),
            categories,
            kept,
            columns: width,
            parts: columns.parts.clone(),
            ..Table::default()
        }
    }

    /// Bytes for the numbers of the table and of `more` further rows, including those that a fit stores.
    pub(crate) fn bytes(&self, more: usize) -> u64 {
        let columns = self.names.len() as u64 + Self::BESIDE;
        let text: u64 = self.kept.iter().map(Verbatim::bytes).sum();
        let kept = text + 8 * self.kept.len() as u64 * more as u64;
        kept + (8 * columns + 4 * self.categories.len() as u64) * (self.rows as u64 + more as u64)
    }

    /// Reserves the memory for `more` further rows.
    pub(crate) fn try_reserve(&mut self, more: usize) -> std::result::Result<(), TryReserveError> {
        grow(&mut self.values, more * self.names.len())?;
        self.categories.iter_mut().try_for_each(|category| grow(&mut category.codes, more))?;
        self.kept.iter_mut().try_for_each(|kept| kept.try_reserve(more, 0))?;
        let single = [Some(&mut self.labels), self.weights.as_mut(), self.offsets.as_mut()];
        single.into_iter().flatten().try_for_each(|numbers| grow(numbers, more))
    }

    /// A table of some rows, without categories and kept text. A row that does not exist is left out.
    pub(crate) fn only(&self, rows: &[usize]) -> Table {
        let width = self.names.len();
        let column = |of: &Vec<f64>| rows.iter().filter_map(|&row| of.get(row).copied()).collect::<Vec<f64>>();
        let mut values = Vec::with_capacity(rows.len() * width);
        rows.iter().for_each(|row| {
            values.extend_from_slice(self.values.get(row * width..(row + 1) * width).unwrap_or_default())
        });
        let infinite = |numbers: &[f64]| numbers.iter().filter(|number| number.is_infinite()).count();
        let offsets = self.offsets.as_ref().map(column);
        // the others have none
        let at_limit = match self.at_limit {
            0 => 0,
            _ => infinite(&values) + offsets.as_deref().map_or(0, infinite),
        };
        Table {
            names: self.names.clone(),
            values,
            labels: column(&self.labels),
            weights: self.weights.as_ref().map(column),
            offsets,
            offset_name: self.offset_name.clone(),
            rows: rows.len(),
            at_limit,
            columns: self.columns,
            ..Table::default()
        }
    }

    /// Removes all rows and keeps the memory. Levels of categories stay.
    pub fn clear(&mut self) {
        (self.rows, self.dropped, self.at_limit) = (0, 0, 0);
        self.truncate();
    }

    /// Removes the numbers of an incomplete row.
    pub(crate) fn truncate(&mut self) {
        self.values.truncate(self.rows * self.names.len());
        for numbers in [Some(&mut self.labels), self.weights.as_mut(), self.offsets.as_mut()].into_iter().flatten() {
            numbers.truncate(self.rows);
        }
        self.categories.iter_mut().for_each(|category| category.codes.truncate(self.rows));
        self.kept.iter_mut().for_each(|kept| kept.truncate(self.rows));
    }

    /// Sets the covariates of rows without weight to zero. They may be codes for missing values, whose size must not
    /// influence the units of a column.
    fn clear_weightless(&mut self) {
        let width = self.names.len().max(1);
        let rows = self.values.chunks_mut(width).zip(self.weights.iter().flatten());
        rows.filter(|(_, weight)| **weight == 0.0).for_each(|(x, _)| x.fill(0.0));
    }

    /// Converts the table to rows for a fit.
    ///
    /// # Errors
    /// If there is nothing to fit, or a weight is negative.
    pub fn into_rows(mut self) -> Result<Dense> {
        self.clear_weightless();
        let limits = self.take_limits();
        let mut rows = Dense::new(self.values, self.names.len(), self.labels)?;
        if let Some(weights) = self.weights {
            rows = rows.with_weights(weights)?;
        }
        if let Some(offsets) = self.offsets {
            rows = rows.with_offsets(offsets)?;
        }
        match limits {
            Some(limits) => rows.with_limits(&limits),
            None => Ok(rows),
        }
    }

    /// Replaces infinite numbers by zero, and returns which rows had them.
    fn take_limits(&mut self) -> Option<Vec<bool>> {
        let numbers = match (self.at_limit, self.names.len()) {
            (0, _) => return None,
            (_, 0) => self.offsets.as_mut()?,
            _ => &mut self.values,
        };
        let limits = numbers.iter().map(|number| number.is_infinite()).collect();
        numbers.iter_mut().filter(|number| number.is_infinite()).for_each(|number| *number = 0.0);
        Some(limits)
    }
}

impl Selection {
    /// Makes a table of columns in memory, each with its name.
    ///
    /// # Errors
    /// If a selected column does not exist, columns have different lengths or the same name, a term has no value in some row,
    /// or categories or kept text are selected, which are not numbers.
    ///
    /// # Examples
    ///
    /// ```
    /// use agglio::table::{Features, Selection};
    ///
    /// let selection = Selection { features: Features::Only(vec!["a:b".into()]), ..Selection::default() };
    /// let table = selection.table(&[("a", &[1.0, 2.0]), ("b", &[3.0, 4.0])])?;
    /// assert_eq!(table.values, [3.0, 8.0]);
    /// # Ok::<(), agglio::Error>(())
    /// ```
    pub fn table(&self, columns: &[(&str, &[f64])]) -> Result<Table> {
        let header: Vec<String> = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        let mut seen = HashSet::new();
        if let Some(twice) = header.iter().find(|name| !seen.insert(*name)) {
            return Err(Error::data(format!("two columns are called `{}`; rename one", short(twice.as_bytes()))));
        }
        if let Some(name) = self.categories.first().or(self.kept.first()) {
            let name = short(name.as_bytes());
            return Err(Error::data(format!("column `{name}` has numbers and no text")));
        }
        let located = self.locate(&header)?;
        let rows = columns.first().map_or(0, |(_, column)| column.len());
        if let Some((name, column)) = columns.iter().find(|(_, column)| column.len() != rows) {
            let (name, len) = (short(name.as_bytes()), column.len());
            return Err(Error::data(format!("column `{name}` has {len} rows, but the first column has {rows}")));
        }
        let mut table = Table::new(&located, Vec::new(), Vec::new(), columns.len());
        let slices: Vec<&[f64]> = columns.iter().map(|(_, column)| *column).collect();
        (0..rows).try_for_each(|row| table.push(&located, &slices, &header, row))?;
        Ok(table)
    }
}

impl Table {
    /// Appends a row of columns in memory.
    fn push(&mut self, located: &Columns, slices: &[&[f64]], header: &[String], row: usize) -> Result<()> {
        let number = |j: usize| slices.get(j).and_then(|column| column.get(row)).copied().unwrap_or(f64::NAN);
        let numbers = located.features.iter().map(|&j| number(j));
        let weight = located.weights.map(number);
        let offset = match &located.design {
            None => {
                self.values.extend(numbers);
                located.offset.map(number)
            }
            Some(design) => {
                let numbers: Vec<f64> = numbers.collect();
                let computed = design.compute(&numbers, weight != Some(0.0), &mut self.values);
                let computed = computed.map_err(|misfit| misfitted(&misfit, located, header, &numbers, row))?;
                self.at_limit += usize::from(computed.at_limit);
                computed.offset
            }
        };
        self.labels.extend(located.target.map(number));
        self.weights.iter_mut().for_each(|weights| weights.extend(weight));
        self.offsets.iter_mut().for_each(|offsets| offsets.extend(offset));
        self.rows += 1;
        Ok(())
    }
}

fn misfitted(misfit: &Misfit, located: &Columns, header: &[String], numbers: &[f64], row: usize) -> Error {
    let name = located.features.get(misfit.place).and_then(|&j| header.get(j)).map(String::as_str).unwrap_or_default();
    let value = numbers.get(misfit.place).copied().unwrap_or(f64::NAN);
    let (wrong, advice) = misfit.domain.describe();
    let (row, name, needed) = (row + 1, short(name.as_bytes()), located.needed(misfit));
    Error::data(format!("row {row}: column `{name}`: {value} {wrong}{needed}; {advice}"))
}

/// Reserves memory for `more` numbers. Grows by at least 25 % if possible: enough for amortised constant-time appends,
/// and small enough under a memory limit, which also counts unused memory.
fn grow<T>(numbers: &mut Vec<T>, more: usize) -> std::result::Result<(), TryReserveError> {
    if numbers.capacity() - numbers.len() >= more {
        return Ok(());
    }
    let quarter = numbers.len() / 4;
    numbers.try_reserve_exact(more.max(quarter)).or_else(|_| numbers.try_reserve_exact(more))
}
