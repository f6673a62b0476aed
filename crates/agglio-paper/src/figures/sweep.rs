//! A *sweep*: where a method ends as one number of its setting or its task changes.

use crate::contestant::Contestant;
use crate::error::Result;
use crate::figure::{Cell, Line, Table};
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
    let one = |&x: &f64| -> Result<Spread> {
        let (task, setting) = at(x);
        let error = |seed: u64| contestant.reach(&task, &setting, EPOCHS, seed, request);
        Ok(Spread::of(request.all_seeds().map(error).collect::<Result<Vec<f64>>>()?))
    };
    let errors = x.iter().map(one).collect::<Result<_>>()?;
    Ok(Sweep { contestant: *contestant, x: x.to_vec(), errors })
}

impl Sweep {
    /// As a curve with marks.
    pub fn line(&self) -> Line {
        let pick = |of: fn(&Spread) -> f64| self.errors.iter().map(of).collect();
        Line {
            name: self.contestant.name.into(),
            x: self.x.clone(),
            y: pick(|spread| spread.median),
            low: pick(|spread| spread.low),
            high: pick(|spread| spread.high),
            dashed: self.contestant.role == crate::contestant::Role::Baseline,
            marked: true,
        }
    }

    /// The spread with the largest median.
    pub fn worst_spread(&self) -> Spread {
        let worst = self.errors.iter().copied().max_by(|one, other| one.median.total_cmp(&other.median));
        worst.unwrap_or_else(|| Spread::of([]))
    }

    /// The largest of all; what is no number is larger than any.
    pub fn worst(&self) -> f64 {
        Spread::of(self.errors.iter().map(|spread| spread.high)).high
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
