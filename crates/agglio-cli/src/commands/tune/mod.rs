//! `tune`: one table, one solver, many settings, and the one that does best on rows it has not seen.

mod found;

use std::process::ExitCode;
use std::time::Instant;

use agglio::Plan;
use agglio::read::Table;
use agglio::rows::{Dense, Rows};
use agglio::tune::{Score, Split, tune};
use anyhow::{Context, Result, bail};

use self::found::{Candidate, Found};
use super::compare::once;
use super::fit::table_warnings;
use crate::args::{FitArgs, Format, TuneArgs};
use crate::grid::{Grid, paper};
use crate::plan::{self, FitPlan};
use crate::{interrupt, memory, output, print, progress, solver_keys, threads};

/// The share of the rows that is held out unless something else is said.
const HOLDOUT: f64 = 0.2;
/// No setting led anywhere.
const FAILED: u8 = 2;

pub fn run(args: &TuneArgs) -> Result<ExitCode> {
    let split = split(args)?;
    let (candidates, mut warnings) = candidates(args)?;
    // what is wrong with any of them is said before data is read
    let plan = |one: &Candidate| FitPlan::new(fit_args(args, one)).with_context(|| one.name());
    let plans: Vec<FitPlan> = candidates.iter().map(plan).collect::<Result<_>>()?;
    let Some(first) = plans.first() else { return Ok(ExitCode::SUCCESS) };
    let table = first.source.read(&first.selection, first.quiet)?;
    let names = table.names.clone();
    warnings.extend(table_warnings(&table, first.no_header));
    warnings
        .extend(plans.iter().flat_map(|plan| plan.warnings.clone().into_iter().chain(plan.batch_warning(table.rows))));
    require_memory(&table, args)?;
    let rows = table.into_rows().map_err(|why| first.source.blame(why))?;
    let fits: Vec<Plan> = plans.iter().map(|plan| plan.for_table(&names, rows.len())).collect::<Result<_>>()?;
    interrupt::hold();
    let begun = Instant::now();
    let scores = search(&rows, &fits, split, args).map_err(|why| first.source.blame(why.with_names(&names)))?;
    let found = Found::new(args, candidates, scores, rows.len(), begun.elapsed().as_secs_f64(), once(warnings));
    print::warnings(&found.warnings, args.run.quiet);
    output::print(&match args.format {
        Format::Table => found.table(),
        Format::Json => found.json()?,
    })?;
    Ok(match found.best() {
        _ if interrupt::is_caught() => interrupt::exit_code(),
        Some(_) => ExitCode::SUCCESS,
        None => ExitCode::from(FAILED),
    })
}

/// Checks every setting's flags.
///
/// # Errors
/// For bad usage.
pub fn check(args: &TuneArgs) -> Result<()> {
    split(args)?;
    let (candidates, _) = candidates(args)?;
    candidates.iter().try_for_each(|one| plan::check(&fit_args(args, one)).map(drop).with_context(|| one.name()))
}

fn split(args: &TuneArgs) -> Result<Split> {
    let seed = args.run.seed;
    Ok(match args.folds {
        Some(folds) => Split::folds(folds, seed)?,
        None => Split::holdout(args.holdout.unwrap_or(HOLDOUT), seed)?,
    })
}

/// The search puts a copy of the table in order.
fn require_memory(table: &Table, args: &TuneArgs) -> Result<()> {
    let needed = 8 * table.rows as u64 * (table.names.len() as u64 + 3);
    let free = memory::available(threads::count(args.run.threads));
    let [needed_mb, free_mb] = [needed, free].map(|bytes| bytes.div_ceil(1 << 20));
    match needed <= free {
        true => Ok(()),
        false => {
            bail!("a copy of the table takes {needed_mb} MB, and {free_mb} MB are free; tune on a part of the rows")
        }
    }
}

fn search(rows: &Dense, fits: &[Plan], split: Split, args: &TuneArgs) -> agglio::Result<Vec<Option<Score>>> {
    let bar = progress::searching(fits.len() * args.folds.unwrap_or(1), args.run.quiet);
    let scores = tune(rows, fits, split, &|done, _| bar.set_position(done as u64));
    bar.finish_and_clear();
    scores
}

/// The settings as solvers, and what is to be said about them.
fn candidates(args: &TuneArgs) -> Result<(Vec<Candidate>, Vec<String>)> {
    let (mut solver, mut warnings) = (args.solver.trim().to_owned(), Vec::new());
    let solver_keys::Typed { solver: name, method, .. } = solver_keys::parse(&solver, args.method.clone())?;
    let grid = match args.grid.trim() {
        "paper" => {
            if method.scaling.is_none() {
                solver = with_key(&solver, "scaling", "none");
                warnings.push(
                    "the paper's steps are for columns as they are: scaling is none; say --scaling otherwise".into(),
                );
            }
            Grid::parse(&paper::axes(name, &method)?.join(";"))?
        }
        typed => Grid::parse(typed)?,
    };
    require_free(&grid, &args.solver)?;
    let settings = match args.random {
        None => grid.all()?,
        Some(count) => {
            let drawn = grid.draw(count, args.run.seed)?;
            if drawn.len() < count {
                warnings.push(format!("the grid has only {} settings; all of them are tried", drawn.len()));
            }
            drawn
        }
    };
    Ok((settings.into_iter().map(|setting| Candidate::new(&solver, setting)).collect(), warnings))
}

/// Refuses keys that are in the grid and after the solver's name.
fn require_free(grid: &Grid, solver: &str) -> Result<()> {
    let keys = solver.split_once(':').map_or("", |(_, keys)| keys).split(',');
    let fixed: Vec<&str> = keys.map(|key| key.split('=').next().unwrap_or_default().trim()).collect();
    match grid.keys().find(|key| fixed.contains(key)) {
        Some(key) => bail!("{key} is given twice, in the grid and after the solver's name; leave one out"),
        None => Ok(()),
    }
}

/// The solver as typed, with one key more.
fn with_key(solver: &str, key: &str, value: &str) -> String {
    let between = if solver.contains(':') { ',' } else { ':' };
    format!("{solver}{between}{key}={value}")
}

/// The flags of `fit` with this setting.
fn fit_args(args: &TuneArgs, candidate: &Candidate) -> FitArgs {
    FitArgs {
        table: args.table.clone(),
        method: args.method.clone(),
        solver: candidate.solver.clone(),
        format: args.format,
        model: None,
        trace: None,
        force: false,
        run: args.run.clone(),
    }
}
