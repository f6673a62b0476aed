//! A *sweep*: where a method ends as one number of its setting or its task changes.

use crate::contestant::{Contestant, End};
use crate::error::Result;
use crate::figure::{Cell, Line, Marks, Table};
use crate::grid::Setting;
use crate::request::Request;
use crate::statistics::Spread;
use crate::task::Task;

/// The errors at the end, over a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// Who.
    pub contestant: Contestant,
    /// Over what.
    pub x: Vec<f64>,
    /// Over the seeds, for each x.
    pub errors: Vec<Spread>,
    /// Whether half of the fits or more are not certified, for each x.
    pub open: Vec<bool>,
}

/// Epochs that a fit may take: the slowest temperatures need a thousand to arrive.
const EPOCHS: usize = 3000;

/// Fits the task and setting of each x, for every seed.
///
/// # Errors
/// If somebody wants it to end.
pub fn run(
    contestant: &Contestant,
    x: &[f64],
    at: impl Fn(f64) -> (Task, Setting),
    request: &Request,
) -> Result<Sweep> {
    let mut sweep = Sweep { contestant: *contestant, x: x.to_vec(), errors: Vec::new(), open: Vec::new() };
    for &value in x {
        let (task, setting) = at(value);
        let end = |seed| contestant.reach(&task, &setting, EPOCHS, seed, request);
        let ends: Vec<End> = request.all_seeds().map(end).collect::<Result<_>>()?;
        sweep.errors.push(Spread::of(ends.iter().map(|end| end.error)));
        sweep.open.push(2 * ends.iter().filter(|end| !end.certified).count() >= ends.len());
    }
    Ok(sweep)
}

/// The medians and quartiles of errors over a number, with a mark each.
pub fn line(name: impl Into<String>, x: &[f64], errors: &[Spread], open: &[bool]) -> Line {
    let pick = |of: fn(&Spread) -> f64| errors.iter().map(of).collect();
    Line {
        name: name.into(),
        x: x.to_vec(),
        y: pick(|spread| spread.median),
        lower: pick(|spread| spread.lower),
        upper: pick(|spread| spread.upper),
        marks: Marks::All,
        open: open.to_vec(),
        ..Line::default()
    }
}

impl Sweep {
    /// As a curve with marks.
    pub fn line(&self) -> Line {
        line(self.contestant.name, &self.x, &self.errors, &self.open)
    }

    /// The spread with the largest median.
    pub fn worst_spread(&self) -> Spread {
        let worst = self.errors.iter().copied().max_by(|one, other| one.median.total_cmp(&other.median));
        worst.unwrap_or_else(|| Spread::of([]))
    }

    /// The medians.
    pub fn medians(&self) -> Vec<f64> {
        self.errors.iter().map(|spread| spread.median).collect()
    }
}

/// The errors of several methods, a row for each x.
pub fn table(x: &str, sweeps: &[Sweep]) -> Table {
    let names = sweeps.iter().map(|sweep| sweep.contestant.name.to_owned());
    let values = sweeps.first().map_or(&[][..], |sweep| &sweep.x);
    let row = |(i, &value): (usize, &f64)| {
        let cells = sweeps.iter().filter_map(|sweep| sweep.errors.get(i).copied().map(Cell::from));
        std::iter::once(Cell::Number(value)).chain(cells).collect()
    };
    Table {
        title: "‖w − w*‖ at the end: median, lowest and highest over the seeds".into(),
        columns: std::iter::once(x.to_owned()).chain(names).collect(),
        rows: values.iter().enumerate().map(row).collect(),
    }
}

/// What every sweep is made with.
pub fn parameters(data: &str, request: &Request) -> Vec<(String, String)> {
    [
        ("data", data.into()),
        ("model", "no intercept, columns as they are; start 10·N(0, I)/√d".into()),
        ("seeds", format!("{} from {}", request.seeds, request.seed)),
        ("limit", format!("{EPOCHS} epochs")),
        ("projection and cap", request.projection().into()),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .into()
}
