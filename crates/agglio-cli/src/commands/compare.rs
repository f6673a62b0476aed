//! `compare`: one table, several solvers, and a line for each.

use std::collections::HashSet;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use agglio::model::Coefficients;
use agglio::rows::{Dense, Rows};
use agglio::spec::Group;
use agglio::text::escape::visible;
use agglio::text::format;
use agglio::{Report, Solver};
use anyhow::Result;
use serde::Serialize;

use super::fit::table_warnings;
use crate::args::{CompareArgs, Format};
use crate::method::Method;
use crate::plan::{self, COEFFICIENTS_FILE, FitPlan};
use crate::progress::Watch;
use crate::source::{self, Source};
use crate::tabular::{first_that_fits, left, pairs, right, ruled};
use crate::{hint, interrupt, output, print};

/// Some solver could not be run on this data.
const FAILED: u8 = 2;

/// The result of one solver, or its error.
#[derive(Debug, Serialize)]
struct Run {
    solver: String,
    loss: Option<f64>,
    noise: Option<&'static str>,
    passes: Option<f64>,
    seconds: f64,
    status: Option<String>,
    certified: bool,
    smallest_eigenvalue: Option<f64>,
    /// ‖w − w*‖ without the intercept, where w* was given.
    distance: Option<f64>,
    error: Option<String>,
}

pub fn run(args: &CompareArgs) -> Result<ExitCode> {
    // what is wrong with any of them is said before data is read
    let plan =
        |solver: &String| FitPlan::new(Source::of(&args.table)?, plan::selection(&args.table)?, method(args, solver)?);
    let plans: Vec<FitPlan> = args.solvers.iter().map(plan).collect::<Result<_>>()?;
    let truth = args.truth.as_deref().map(weights).transpose()?;
    let Some(first) = plans.first() else { return Ok(ExitCode::SUCCESS) };
    let table = first.source.read(&first.selection, args.run.quiet)?;
    let names = table.names.clone();
    let truth = truth.map(|(path, weights)| weights.in_order(&names, path)).transpose()?;
    let response = format!("`{}`", first.target());
    let mut warnings = table_warnings(&table, first.source.no_header);
    let rows = table.into_rows().map_err(|why| first.source.blame(why))?;
    let mut runs = Vec::with_capacity(plans.len());
    interrupt::hold();
    for (plan, solver) in plans.iter().zip(&args.solvers) {
        let begun = Instant::now();
        let fitted = fit(plan, &names, &rows, args.run.quiet);
        let seconds = begun.elapsed().as_secs_f64();
        warnings.extend(plan.warnings.iter().cloned().chain(plan.batch_warning(rows.len())));
        warnings.extend(fitted.iter().flat_map(|report| report.warnings_on(&response, &names)));
        runs.push(Run::new(solver.trim(), seconds, &fitted, truth.as_deref()));
        if interrupt::is_caught() {
            break;
        }
    }
    print::warnings(&once(warnings), args.run.quiet);
    output::print(&match args.format {
        Format::Table => table_of(&runs, truth.is_some()),
        Format::Json => print::pretty(&runs)?,
    })?;
    if interrupt::is_caught() {
        return Ok(interrupt::exit_code());
    }
    let failed = runs.iter().any(|run| run.error.is_some());
    Ok(if failed { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

/// Checks every solver's flags.
///
/// # Errors
/// For bad usage.
pub fn check(args: &CompareArgs) -> Result<()> {
    plan::selection(&args.table)?;
    args.solvers.iter().try_for_each(|solver| method(args, solver)?.options().map(drop))
}

/// Each of them once, since most are about the data and the same for all solvers.
pub(super) fn once(warnings: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    warnings.into_iter().filter(|warning| seen.insert(warning.clone())).collect()
}

/// The options that all solvers share, and those of this one.
fn method(args: &CompareArgs, solver: &str) -> Result<Method> {
    // commas stand between solvers here
    let (mut shared, solver) = (args.shared(), solver.trim().replace(';', ","));
    if solver.split(':').next() == Some(Solver::Linear.name()) {
        // the stage at τ = 0 has but one end
        shared.spec = shared.spec.filtered(|key| key.group != Group::Noise);
    }
    shared.solved_by(&solver)
}

fn weights(path: &Path) -> Result<(&Path, Coefficients)> {
    Ok((path, Coefficients::from_json(&source::read_text(path, COEFFICIENTS_FILE)?, path)?))
}

fn fit(plan: &FitPlan, names: &[String], rows: &Dense, quiet: bool) -> Result<Report> {
    let mut watch = Watch::new(plan.spec.last_temperature(), quiet, None)?;
    let report = plan.for_table(names, rows.len())?.fit_observed(rows, &mut watch).map_err(|why| why.with_names(names));
    watch.finish()?;
    Ok(report?.into_report())
}

impl Run {
    fn new(solver: &str, seconds: f64, fitted: &Result<Report>, truth: Option<&[f64]>) -> Run {
        let report = fitted.as_ref().ok();
        let certificate = report.map(|report| &report.certificate);
        Run {
            solver: solver.to_owned(),
            loss: report.map(|report| report.loss),
            noise: report.map(|report| report.noise.name()),
            passes: report.map(|report| report.passes),
            seconds,
            status: report.map(|report| report.status().to_string()),
            certified: certificate.is_some_and(|certificate| certificate.certified()),
            smallest_eigenvalue: certificate.and_then(|certificate| certificate.smallest_eigenvalue),
            distance: report.zip(truth).map(|(report, truth)| distance(&report.coefficients, truth)),
            error: fitted.as_ref().err().map(hint::words),
        }
    }

    /// The cells below [`header`].
    fn cells(&self, known: bool, curved: bool) -> Vec<comfy_table::Cell> {
        let show = |value: Option<f64>, text: fn(f64) -> String| value.map(text).unwrap_or_default();
        let words = self.status.as_deref().unwrap_or("error, see below");
        let distance = known.then(|| right(show(self.distance, |d| format!("{d:.1e}"))));
        let numbers = [
            left(visible(&self.solver)),
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

fn distance(w: &[f64], truth: &[f64]) -> f64 {
    w.iter().zip(truth).map(|(w, truth)| (w - truth) * (w - truth)).sum::<f64>().sqrt()
}

/// A line for each solver, and below them why some could not be run.
fn table_of(runs: &[Run], known: bool) -> String {
    // where names are long, there is no room for the curvature
    let tables = [true, false].map(|curved| {
        let mut table = ruled(header(known, curved));
        table.add_rows(runs.iter().map(|run| run.cells(known, curved)));
        table
    });
    let failed = runs.iter().filter_map(|run| Some((run.solver.as_str(), visible(run.error.as_ref()?))));
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
