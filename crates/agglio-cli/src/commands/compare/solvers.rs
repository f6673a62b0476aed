//! Several *solvers* on one model: a line for each.

use agglio::text::escape::visible;
use agglio::text::format;
use anyhow::Result;
use serde::Serialize;

use super::Run;
use crate::args::Format;
use crate::tabular::{first_that_fits, left, pairs, right, ruled};
use crate::{hint, print};

/// The result of one solver, or its error.
#[derive(Debug, Serialize)]
struct Line<'a> {
    solver: &'a str,
    loss: Option<f64>,
    noise: Option<&'static str>,
    passes: Option<f64>,
    seconds: f64,
    status: Option<String>,
    certified: bool,
    smallest_eigenvalue: Option<f64>,
    /// ‖w − w*‖ without the intercept, if w* was given.
    distance: Option<f64>,
    error: Option<String>,
}

/// The runs as they are printed; `known` if the true coefficients are.
///
/// # Errors
/// Never, as far as known.
pub fn show(runs: &[Run], known: bool, format: Format) -> Result<String> {
    let lines: Vec<Line<'_>> = runs.iter().map(Line::new).collect();
    match format {
        Format::Table => Ok(table_of(&lines, known)),
        Format::Json => print::pretty(&lines),
    }
}

impl<'a> Line<'a> {
    fn new(run: &'a Run) -> Line<'a> {
        let report = run.fitted.as_ref().ok().map(|fit| &fit.report);
        let certificate = report.map(|report| &report.certificate);
        Line {
            solver: &run.name,
            loss: report.map(|report| report.loss),
            noise: report.map(|report| report.noise.name()),
            passes: report.map(|report| report.passes),
            seconds: run.seconds,
            status: report.map(|report| report.status().to_string()),
            certified: certificate.is_some_and(|certificate| certificate.certified()),
            smallest_eigenvalue: certificate.and_then(|certificate| certificate.smallest_eigenvalue),
            distance: run.fitted.as_ref().ok().and_then(|fit| fit.distance),
            error: run.fitted.as_ref().err().map(hint::words),
        }
    }

    /// The cells below [`header`].
    fn cells(&self, known: bool, curved: bool) -> Vec<comfy_table::Cell> {
        let show = |value: Option<f64>, text: fn(f64) -> String| value.map(text).unwrap_or_default();
        let words = self.status.as_deref().unwrap_or("error, see below");
        let distance = known.then(|| right(show(self.distance, |d| format!("{d:.1e}"))));
        let numbers = [
            left(visible(self.solver)),
            right(show(self.loss, format::short)),
            left(self.noise.unwrap_or_default()),
            right(show(self.passes, |passes| format!("{passes:.0}"))),
            right(format::seconds(self.seconds)),
            left(if self.certified { "yes" } else { "no" }),
        ];
        let curvature = curved.then(|| right(show(self.smallest_eigenvalue, |ratio| format!("{ratio:.0e}"))));
        numbers.into_iter().chain(curvature).chain(distance).chain([left(words)]).collect()
    }
}

/// A line for each solver, and below them why some could not be run.
fn table_of(lines: &[Line<'_>], known: bool) -> String {
    // where names are long, there is no room for the curvature
    let tables = [true, false].map(|curved| {
        let mut table = ruled(header(known, curved));
        table.add_rows(lines.iter().map(|line| line.cells(known, curved)));
        table
    });
    let failed = lines.iter().filter_map(|line| Some((line.solver, visible(line.error.as_ref()?))));
    let errors = failed.map(|(solver, why)| format!("\n{}", pairs(&[(&*visible(solver), why)])));
    format!("{}\n{}", first_that_fits(tables), errors.collect::<String>())
}

/// The names of the columns; `known` if the true coefficients are, `curved` if the curvature is shown.
fn header(known: bool, curved: bool) -> Vec<comfy_table::Cell> {
    let numbers = ["loss", "noise", "passes", "time", "certified"].map(|name| match name {
        "noise" | "certified" => left(name),
        _ => right(name),
    });
    let (curvature, distance) = (curved.then(|| right("λmin/λmax")), known.then(|| right("‖w−w*‖")));
    [left("solver")].into_iter().chain(numbers).chain(curvature).chain(distance).chain([left("status")]).collect()
}
