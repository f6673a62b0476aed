//! *Curves* are the fits of groups as one table: a row for each group.

use std::collections::HashSet;

use agglio::Plan;
use agglio::groups::{Curve, GroupFit, Parameter};
use agglio::read::Table;
use agglio::text::escape::visible;
use agglio::text::format;
use anyhow::{Result, bail};
use serde_json::{Map, Value, json};

use crate::csv;
use crate::print::pretty;
use crate::tabular::{first_that_fits, left, pairs, right, ruled};

/// The status of a group that cannot be fitted.
const FAILED: &str = "failed";

/// The columns of the table, apart from those of the whole fit.
#[derive(Debug)]
pub struct Columns {
    by: String,
    parameters: Vec<String>,
    ec50: bool,
}

/// The fits of groups, with everything that is printed about them.
#[derive(Debug)]
pub struct Curves {
    columns: Columns,
    fits: Vec<GroupFit>,
    notes: Vec<Option<String>>,
}

impl Curves {
    /// The columns of the fits of a table.
    ///
    /// # Errors
    /// If two columns would have the same name.
    pub fn columns(by: &str, table: &Table, plan: &Plan) -> Result<Columns> {
        let columns =
            Columns { by: by.to_owned(), parameters: plan.parameter_names(&table.names), ec50: plan.has_ec50(table) };
        let mut seen = HashSet::new();
        if let Some(twice) = columns.header().into_iter().find(|name| !seen.insert(name.clone())) {
            bail!("two columns of the result would be called `{}`: rename the column of the data", visible(&twice));
        }
        Ok(columns)
    }

    pub fn new(columns: Columns, fits: Vec<GroupFit>, target: &str, names: &[String]) -> Curves {
        let response = format!("`{target}`");
        let notes = fits.iter().map(|fit| fit.note(&response, names)).collect();
        Curves { columns, fits, notes }
    }

    pub fn len(&self) -> usize {
        self.fits.len()
    }

    /// Whether every group has a certified fit.
    pub fn certified(&self) -> bool {
        self.fits.iter().all(GroupFit::certified)
    }

    /// The table as CSV; a number that does not exist or is not finite is an empty cell.
    pub fn csv(&self) -> String {
        let mut text = csv::header(self.columns.header().iter().map(String::as_str));
        for (fit, note) in self.fits.iter().zip(&self.notes) {
            text += &csv::line(&self.columns.cells(fit, note.as_deref()));
        }
        text
    }

    /// The table as a JSON array of objects; a number that does not exist or is not finite is null.
    ///
    /// # Errors
    /// Never, as far as known.
    pub fn json(&self) -> Result<String> {
        let header = self.columns.header();
        let object = |(fit, note): (&GroupFit, &Option<String>)| {
            let cells = self.columns.cells(fit, note.as_deref());
            header.iter().cloned().zip(cells).collect::<Map<String, Value>>()
        };
        pretty(&self.fits.iter().zip(&self.notes).map(object).collect::<Vec<_>>())
    }

    /// The table for a terminal: estimates with standard errors if they fit, and the notes below.
    pub fn table(&self) -> String {
        let mut text = first_that_fits([true, false].map(|errors| self.estimates(errors))) + "\n";
        let noted =
            self.fits.iter().zip(&self.notes).filter_map(|(fit, note)| Some((visible(&fit.level), note.clone()?)));
        let noted: Vec<(String, String)> = noted.collect();
        if !noted.is_empty() {
            let rows: Vec<(&str, String)> = noted.iter().map(|(level, note)| (level.as_str(), visible(note))).collect();
            text += &format!("\n{}", pairs(&rows));
        }
        text
    }

    fn estimates(&self, errors: bool) -> comfy_table::Table {
        let names = self.columns.estimated().map(|name| right(visible(name)));
        let mut table = ruled(
            [left(visible(&self.columns.by)), right("rows")]
                .into_iter()
                .chain(names)
                .chain([right("r²"), left("status")]),
        );
        for fit in &self.fits {
            let curve = fit.curve.as_ref().ok();
            let numbers = self.columns.numbers(curve).map(|number| right(estimate(number, errors)));
            let r_squared = curve.and_then(|curve| curve.r_squared).map(format::brief).unwrap_or_default();
            let ends = [right(r_squared), left(status(fit))];
            let begins = [left(visible(&fit.level)), right(fit.observations)];
            table.add_row(begins.into_iter().chain(numbers).chain(ends));
        }
        table
    }
}

impl Columns {
    /// Names of the parameters and of what is computed from them.
    fn estimated(&self) -> impl Iterator<Item = &str> {
        self.parameters.iter().map(String::as_str).chain(self.ec50.then_some("ec50"))
    }

    fn header(&self) -> Vec<String> {
        let estimates = self.estimated().flat_map(|name| [name.to_owned(), format!("{name}_se")]);
        let whole = ["loss", "r_squared", "sigma", "status", "certified", "note"].map(str::to_owned);
        [self.by.clone(), "observations".to_owned()].into_iter().chain(estimates).chain(whole).collect()
    }

    /// The numbers of [`Columns::estimated`].
    fn numbers<'c>(&self, curve: Option<&'c Curve>) -> impl Iterator<Item = Option<Parameter>> + use<'c> {
        let parameters = self.parameters.len();
        let own = (0..parameters).map(move |index| curve.and_then(|curve| curve.parameters.get(index)).copied());
        own.chain(self.ec50.then(|| curve.and_then(|curve| curve.ec50)))
    }

    /// The cells of a row, in the order of the header.
    fn cells(&self, fit: &GroupFit, note: Option<&str>) -> Vec<Value> {
        let curve = fit.curve.as_ref().ok();
        let estimates = self
            .numbers(curve)
            .flat_map(|number| [number.map(|number| number.value), number.and_then(|number| number.standard_error)]);
        let whole = [
            curve.map(|curve| curve.report.loss),
            curve.and_then(|curve| curve.r_squared),
            curve.and_then(|curve| curve.sigma),
        ];
        let numbers = estimates.chain(whole).map(|number| json!(number));
        let begins = [json!(fit.level), json!(fit.observations)];
        let ends = [json!(status(fit)), json!(fit.certified()), json!(note)];
        begins.into_iter().chain(numbers).chain(ends).collect()
    }
}

fn status(fit: &GroupFit) -> String {
    fit.curve.as_ref().map_or(FAILED.to_owned(), |curve| curve.report.status().to_string())
}

/// `1.23456 ± 0.123`
fn estimate(number: Option<Parameter>, errors: bool) -> String {
    let Some(Parameter { value, standard_error }) = number else { return String::new() };
    match standard_error.filter(|_| errors) {
        Some(error) => format!("{} ± {}", format::short(value), format::brief(error)),
        None => format::short(value),
    }
}
