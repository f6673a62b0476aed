//! `tune`: one table, one solver, many settings, and the setting that is best on held-out rows.

mod found;

use std::process::ExitCode;
use std::time::Instant;

use agglio::read::Table;
use agglio::rows::{Dense, Rows};
use agglio::spec::{Group, Key};
use agglio::tune::{Score, Split, mean_loss, tune};
use agglio::{Plan, Solver};
use anyhow::{Context, Result, bail};

use self::found::{Beside, Candidate, Found};
use super::compare::once;
use super::fit::table_warnings;
use crate::args::{Format, TuneArgs};
use crate::grid::{Grid, paper, standard};
use crate::method::Method;
use crate::plan::{self, FitPlan};
use crate::source::Source;
use crate::{interrupt, memory, output, print, progress, threads};

/// The default share of held-out rows.
const HOLDOUT: f64 = 0.2;
/// The exit code if no setting can be recommended.
const FAILED: u8 = 2;

pub fn run(args: &TuneArgs) -> Result<ExitCode> {
    let split = split(args)?;
    // what is wrong with any of them is said before data is read
    let alone = is_standard(args).then(|| plan(args, args.method(&args.solver)?)).transpose()?;
    let auto = plan(args, auto(&args.method(&args.solver)?))?;
    let (mut candidates, mut warnings) = candidates(args, Some(1.0))?;
    let mut plans = plans(args, &candidates)?;
    let table = auto.source.read(&auto.selection, args.run.quiet)?;
    let names = table.names.clone();
    warnings.extend(table_warnings(&table, auto.source.no_header));
    require_memory(&table, args)?;
    let rows = table.into_rows().map_err(|why| auto.source.blame(why))?;
    let blame = |why: agglio::Error| auto.source.blame(why.with_names(&names));
    interrupt::hold();
    let begun = Instant::now();
    if let Some(alone) = alone {
        let step = alone.for_table(&names, rows.len())?.default_step(&rows).map_err(blame)?;
        (candidates, _) = self::candidates(args, step)?;
        plans = self::plans(args, &candidates)?;
    }
    warnings
        .extend(plans.iter().flat_map(|plan| plan.warnings.clone().into_iter().chain(plan.batch_warning(rows.len()))));
    let for_table = |plan: &FitPlan| plan.for_table(&names, rows.len());
    let fits: Vec<Plan> = plans.iter().map(for_table).collect::<Result<_>>()?;
    let (beside, scores) = search(&rows, &for_table(&auto)?, &fits, split, args).map_err(blame)?;
    let found = Found::new(args, candidates, scores, beside, begun.elapsed().as_secs_f64(), once(warnings));
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
    plan::selection(&args.table)?;
    let check = |solver: &str| args.method(solver)?.options().map(drop);
    if is_standard(args) {
        check(&args.solver)?;
    }
    let (candidates, _) = candidates(args, Some(1.0))?;
    candidates.iter().try_for_each(|one| check(&one.solver).with_context(|| one.name()))
}

/// Whether the values depend on the data.
fn is_standard(args: &TuneArgs) -> bool {
    args.grid.trim() == "standard"
}

fn plans(args: &TuneArgs, candidates: &[Candidate]) -> Result<Vec<FitPlan>> {
    let plan = |one: &Candidate| plan(args, args.method(&one.solver)?);
    candidates.iter().map(|one| plan(one).with_context(|| one.name())).collect()
}

fn plan(args: &TuneArgs, method: Method) -> Result<FitPlan> {
    FitPlan::new(Source::of(&args.table)?, plan::selection(&args.table)?, method)
}

fn split(args: &TuneArgs) -> Result<Split> {
    let seed = args.run.seed();
    Ok(match args.folds {
        Some(folds) => Split::folds(folds, seed)?,
        None => Split::holdout(args.holdout.unwrap_or(HOLDOUT), seed)?,
    })
}

/// The search puts a copy of the table in order.
fn require_memory(table: &Table, args: &TuneArgs) -> Result<()> {
    let needed = 8 * table.rows as u64 * (table.names.len() as u64 + 3);
    let free = memory::available(threads::count(args.run.threads()));
    let [needed_mb, free_mb] = [needed, free].map(|bytes| bytes.div_ceil(1 << 20));
    match needed <= free {
        true => Ok(()),
        false => {
            bail!(
                "a copy of the table needs {needed_mb} MB, but only {free_mb} MB are free; tune on a subset of the rows"
            )
        }
    }
}

/// The losses to compare with, then the scores of all settings.
fn search(
    rows: &Dense,
    auto: &Plan,
    fits: &[Plan],
    split: Split,
    args: &TuneArgs,
) -> agglio::Result<(Beside, Vec<Option<Score>>)> {
    let folds = args.folds.unwrap_or(1);
    let bar = progress::searching((1 + fits.len()) * folds, args.run.quiet);
    let mean = mean_loss(rows, split)?;
    let auto = tune(rows, std::slice::from_ref(auto), split, &|done, _| bar.set_position(done as u64))?;
    let scores = tune(rows, fits, split, &|done, _| bar.set_position((folds + done) as u64));
    bar.finish_and_clear();
    Ok((Beside { rows: rows.len(), mean, auto: auto.into_iter().next().flatten() }, scores?))
}

/// The settings as solvers, with warnings about them. `step` gives the standard grid the default learning rate, which is
/// measured on the data.
fn candidates(args: &TuneArgs, step: Option<f64>) -> Result<(Vec<Candidate>, Vec<String>)> {
    let (mut solver, mut warnings) = (args.solver.trim().to_owned(), Vec::new());
    let spec = args.method(&solver)?.spec;
    let grid = match args.grid.trim() {
        "paper" => {
            if spec.scaling.is_none() {
                solver = with_key(&solver, "scaling", "none");
                warnings.push(
                    "the paper's steps are for unscaled columns, so scaling is none; pass --scaling standard to change that".into(),
                );
            }
            Grid::parse(&paper::axes(&spec)?.join(";"))?
        }
        "standard" => Grid::parse(&standard::axes(&spec, step)?.join(";"))?,
        typed => Grid::parse(typed)?,
    };
    require_free(&grid, &args.solver)?;
    let settings = match args.random {
        None => grid.all()?,
        Some(count) => {
            let drawn = grid.draw(count, args.run.seed())?;
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

/// The method of solver `auto`, with the options of the problem and none of the solver.
fn auto(method: &Method) -> Method {
    // the radius of `theory` keeps nothing within it
    let radius = method.spec.solver() != Solver::Theory;
    let is_kept = |key: &Key| match key.group {
        Group::Model | Group::Noise | Group::Run => true,
        _ => ["scaling", "l2"].contains(&key.name) || (key.name == "radius" && radius),
    };
    Method { spec: method.spec.filtered(is_kept), start: None }
}
