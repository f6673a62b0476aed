//! *Curves* are the fits of groups as one table: a row for each group.

use std::collections::HashSet;

use agglio::Plan;
use agglio::groups::{Comparison, Curve, GroupFit, Parameter, Residuals, Sharing};
use agglio::read::Table;
use agglio::text::escape::visible;
use agglio::text::format;
use anyhow::{Result, bail};
use serde_json::{Map, Value, json};

use crate::answer::{degrees, in_words};
use crate::csv;
use crate::print::pretty;
use crate::tabular::{first_that_fits, left, pairs, right, ruled};

/// The status of a group that cannot be fitted.
const FAILED: &str = "failed";

/// The columns of the table, apart from those of the whole fit.
#[derive(Debug)]
pub struct Columns {
    by: String,
    /// The curve whose parameters the groups have; none if they have coefficients.
    curve: Option<agglio::Curve>,
    parameters: Vec<String>,
    /// Whether all groups share each parameter.
    shared: Vec<bool>,
    ec50: bool,
    /// What the groups share, if they are fitted jointly.
    sharing: Option<Sharing>,
    potency: bool,
}

/// What a joint fit has beside its groups.
#[derive(Debug)]
pub struct Common {
    /// The confidence level of the intervals.
    pub level: f64,
    pub reference: Option<String>,
    pub comparison: Result<Comparison, String>,
}

/// The fits of groups, with everything that is printed about them.
#[derive(Debug)]
pub struct Curves {
    columns: Columns,
    fits: Vec<GroupFit>,
    notes: Vec<Option<String>>,
    common: Option<Common>,
}

impl Curves {
    /// The columns of the fits of a table.
    ///
    /// # Errors
    /// If two columns would have the same name.
    pub fn columns(
        by: &str,
        table: &Table,
        plan: &Plan,
        curve: Option<agglio::Curve>,
        sharing: Option<Sharing>,
    ) -> Result<Columns> {
        let (parameters, shared) = match curve {
            Some(curve) => {
                (curve.parameters().map(str::to_owned).collect(), sharing.as_ref().map(|sharing| curve.shares(sharing)))
            }
            None => (plan.parameter_names(&table.names), sharing.as_ref().map(|sharing| sharing.shares().to_vec())),
        };
        let columns = Columns {
            by: by.to_owned(),
            curve,
            parameters,
            shared: shared.unwrap_or_default(),
            ec50: plan.has_ec50(table) && curve.and_then(agglio::Curve::midpoint).is_none(),
            potency: sharing.as_ref().is_some_and(|sharing| plan.has_potency(table, sharing)),
            sharing,
        };
        let mut seen = HashSet::new();
        if let Some(twice) = columns.header().into_iter().find(|name| !seen.insert(name.clone())) {
            bail!("two columns of the result would be called `{}`: rename the column of the data", visible(&twice));
        }
        Ok(columns)
    }

    pub fn new(
        columns: Columns,
        fits: Vec<GroupFit>,
        common: Option<Common>,
        target: &str,
        names: &[String],
    ) -> Curves {
        let response = format!("`{target}`");
        let notes = fits.iter().map(|fit| fit.note(&response, names)).collect();
        Curves { columns, fits, notes, common }
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

    /// The result as JSON: an array of groups, or an object that has them beside the results of the joint fit.
    ///
    /// # Errors
    /// Never, as far as known.
    pub fn json(&self) -> Result<String> {
        match &self.common {
            None => self.rows(),
            Some(common) => pretty(&json!({
                "groups": self.objects(),
                "shared": self.columns.shared().collect::<Vec<_>>(),
                "reference": common.reference,
                "comparison": common.comparison.as_ref().ok().map(test),
                "comparison_note": common.comparison.as_ref().err(),
            })),
        }
    }

    /// The table as a JSON array of objects; a number that does not exist or is not finite is null.
    ///
    /// # Errors
    /// Never, as far as known.
    pub fn rows(&self) -> Result<String> {
        pretty(&self.objects())
    }

    fn objects(&self) -> Vec<Map<String, Value>> {
        let header = self.columns.header();
        let object = |(fit, note): (&GroupFit, &Option<String>)| {
            let cells = self.columns.cells(fit, note.as_deref());
            header.iter().cloned().zip(cells).collect::<Map<String, Value>>()
        };
        self.fits.iter().zip(&self.notes).map(object).collect()
    }

    /// The table for a terminal: estimates with standard errors if they fit, else with fewer digits and shorter names, and the
    /// notes below.
    pub fn table(&self) -> String {
        let details = [Detail::Errors, Detail::Values, Detail::Brief];
        let mut text = first_that_fits(details.map(|detail| self.estimates(detail))) + "\n";
        if let Some(common) = &self.common {
            text += &format!("\n{}", pairs(&self.joint_lines(common)));
        }
        let noted =
            self.fits.iter().zip(&self.notes).filter_map(|(fit, note)| Some((visible(&fit.level), note.clone()?)));
        let noted: Vec<(String, String)> = noted.collect();
        if !noted.is_empty() {
            let rows: Vec<(&str, String)> = noted.iter().map(|(level, note)| (level.as_str(), visible(note))).collect();
            text += &format!("\n{}", pairs(&rows));
        }
        text
    }

    /// What is said about all groups of a joint fit at once, beside a table of rows.
    pub fn summary(&self) -> Vec<String> {
        self.common.iter().map(|common| format!("{}: {}", self.columns.tested(), comparison(common))).collect()
    }

    /// The shared parameters, and the test of what is shared.
    fn joint_lines(&self, common: &Common) -> Vec<(&str, String)> {
        let curve = self.fits.iter().find_map(|fit| fit.curve.as_ref().ok());
        let numbers = self.columns.estimated().into_iter().zip(self.columns.numbers(curve));
        let shared = numbers
            .filter(|((_, shared), _)| *shared)
            .map(|((name, _), number)| format!("{} {}", visible(name), Detail::Errors.number(number)));
        let mut lines =
            vec![("shared", shared.collect::<Vec<_>>().join(", ")), (self.columns.tested(), comparison(common))];
        lines.extend(common.reference.as_ref().map(|level| ("reference", format!("{} (potency 1)", visible(level)))));
        lines
    }

    /// The headers of the ends of potencies, if there are potencies.
    fn ends(&self) -> Option<[String; 2]> {
        let tail = 0.5 * (1.0 - self.common.as_ref()?.level);
        self.columns.potency.then(|| [format!("[{}", format::brief(tail)), format!("{}]", format::brief(1.0 - tail))])
    }

    fn estimates(&self, detail: Detail) -> comfy_table::Table {
        let own = |(name, shared): &(&str, bool)| (!shared).then(|| right(detail.name(name)));
        let names: Vec<_> = self.columns.estimated().iter().filter_map(own).collect();
        let mut table = ruled(
            [left(detail.name(&self.columns.by)), right("rows")]
                .into_iter()
                .chain(names)
                .chain(self.ends().into_iter().flatten().map(right))
                .chain([right("r²"), left("status")]),
        );
        for fit in &self.fits {
            let curve = fit.curve.as_ref().ok();
            let numbers = self.columns.estimated().into_iter().zip(self.columns.numbers(curve));
            let numbers: Vec<_> =
                numbers.filter(|((_, shared), _)| !shared).map(|(_, number)| right(detail.number(number))).collect();
            let r_squared =
                curve.and_then(|curve| curve.r_squared).map(|share| format::digits(share, DIGITS)).unwrap_or_default();
            let interval = curve.and_then(|curve| curve.potency).and_then(|potency| potency.interval);
            let interval = self.ends().map(|_| {
                interval.map_or([String::new(), String::new()], |ends| ends.map(|end| format::digits(end, DIGITS)))
            });
            let numbers = numbers.into_iter().chain(interval.into_iter().flatten().map(right));
            let ends = [right(r_squared), left(status(fit))];
            let begins = [left(detail.name(&fit.level)), right(fit.observations)];
            table.add_row(begins.into_iter().chain(numbers).chain(ends));
        }
        table
    }
}

impl Columns {
    /// What the groups share, if they are fitted jointly.
    pub fn sharing(&self) -> Option<&Sharing> {
        self.sharing.as_ref()
    }

    /// What the test of shared against separate curves is called: curves that differ in their potency alone are parallel.
    fn tested(&self) -> &'static str {
        if self.potency { "parallelism" } else { "shared or not" }
    }

    /// Whether all groups share a parameter.
    fn is_shared(&self, parameter: usize) -> bool {
        self.shared.get(parameter) == Some(&true)
    }

    /// The names of the parameters that all groups share.
    fn shared(&self) -> impl Iterator<Item = &str> {
        self.parameters.iter().enumerate().filter(|(k, _)| self.is_shared(*k)).map(|(_, name)| name.as_str())
    }

    /// Names of the parameters and of what is computed from them, and whether they are shared.
    fn estimated(&self) -> Vec<(&str, bool)> {
        let parameters = self.parameters.iter().enumerate().map(|(k, name)| (name.as_str(), self.is_shared(k)));
        let computed = [("ec50", self.ec50), ("potency", self.potency)];
        parameters.chain(computed.into_iter().filter(|(_, has)| *has).map(|(name, _)| (name, false))).collect()
    }

    fn header(&self) -> Vec<String> {
        let estimates = self.estimated().into_iter().flat_map(|(name, _)| [name.to_owned(), format!("{name}_se")]);
        let ends = ["potency_lower", "potency_upper"].map(str::to_owned);
        let estimates = estimates.chain(ends.into_iter().filter(|_| self.potency));
        let whole = ["loss", "r_squared", "sigma", "status", "certified", "note"].map(str::to_owned);
        [self.by.clone(), "observations".to_owned()].into_iter().chain(estimates).chain(whole).collect()
    }

    /// The numbers of [`Columns::estimated`].
    fn numbers<'c>(&self, curve: Option<&'c Curve>) -> impl Iterator<Item = Option<Parameter>> + use<'c> {
        let found = curve.map_or(Vec::new(), |group| match self.curve {
            Some(curve) => curve.of_group(group),
            None => group.parameters.clone(),
        });
        let own = (0..self.parameters.len()).map(move |index| found.get(index).copied());
        let potency =
            |curve: &Curve| curve.potency.map(|own| Parameter { value: own.value, standard_error: own.standard_error });
        let computed = self.ec50.then(|| curve.and_then(|curve| curve.ec50));
        own.chain(computed).chain(self.potency.then(|| curve.and_then(potency)))
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
        let ends = curve.and_then(|curve| curve.potency).and_then(|potency| potency.interval);
        let ends = [0, 1].map(|end| ends.map(|ends| ends[end]));
        let ends = ends.into_iter().filter(|_| self.potency);
        let numbers = estimates.chain(ends).chain(whole).map(|number| json!(number));
        let begins = [json!(fit.level), json!(fit.observations)];
        let ends = [json!(status(fit)), json!(fit.certified()), json!(note)];
        begins.into_iter().chain(numbers).chain(ends).collect()
    }
}

/// The test as JSON.
fn test(comparison: &Comparison) -> Value {
    let Comparison { test, shared, separate, .. } = comparison;
    json!({
        "f": test.statistic,
        "df": degrees(test),
        "p_value": test.p_value,
        "shared": {"residual_sum": shared.sum, "df": shared.df},
        "separate": {"residual_sum": separate.sum, "df": separate.df},
    })
}

/// `F(3, 15) = 2.31, p = 0.118; residual sum of squares 27.3 on 18 df if shared, 14.1 on 15 df if separate`
fn comparison(common: &Common) -> String {
    let Comparison { test, shared, separate, .. } = match &common.comparison {
        Ok(comparison) => comparison,
        Err(why) => return format!("not tested: {why}"),
    };
    let sum = |of: &Residuals| format!("{} on {}", format::short(of.sum), of.df);
    let (test, shared, separate) = (in_words(test), sum(shared), sum(separate));
    format!("{test}; residual sum of squares {shared} degrees of freedom if shared, {separate} if separate")
}

fn status(fit: &GroupFit) -> String {
    fit.curve.as_ref().map_or(FAILED.to_owned(), |curve| curve.report.status().to_string())
}

/// How much of an estimate a table has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    /// `1.23456 ± 0.123`
    Errors,
    /// `1.23456`
    Values,
    /// `1.23`, and names of a few letters.
    Brief,
}

/// Letters that are kept of a long name, at its beginning and at its end.
const LETTERS: [usize; 2] = [5, 6];
/// Digits of numbers that come without standard errors.
const DIGITS: usize = 4;

impl Detail {
    fn number(self, number: Option<Parameter>) -> String {
        let Some(Parameter { value, standard_error }) = number else { return String::new() };
        match (self, standard_error) {
            (Detail::Errors, Some(error)) => format!("{} ± {}", format::short(value), format::brief(error)),
            (Detail::Brief, _) => format::brief(value),
            _ => format::short(value),
        }
    }

    fn name(self, name: &str) -> String {
        let name = visible(name);
        let (count, [first, last]) = (name.chars().count(), LETTERS);
        if self != Detail::Brief || count <= first + last + 1 {
            return name;
        }
        name.chars().take(first).chain(['…']).chain(name.chars().skip(count - last)).collect()
    }
}
