//! `fit`: a table in, a model out.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use agglio::model::{Model, Origin};
use agglio::read::Table;
use agglio::rows::Dense;
use agglio::{Report, Status};
use anyhow::{Context, Result, bail};

use super::groups;
use crate::answer::{Answer, Question};
use crate::args::{FitArgs, FitFormat};
use crate::output::{self, Output, PipeClosed, Writer};
use crate::plan::{self, FitPlan};
use crate::print::{self, Fitted};
use crate::progress::Watch;
use crate::source::Source;
use crate::truth::distance;
use crate::{broom, interrupt};

/// Fitted, but not certified.
pub const NOT_CERTIFIED: u8 = 3;

/// Where a fit is written, and whether its progress is shown.
#[derive(Debug, Default)]
pub struct Outputs {
    model: Option<Output>,
    trace: Option<Output>,
    checkpoint: Option<PathBuf>,
    quiet: bool,
    /// Whether the result has the observations.
    observations: bool,
}

impl Outputs {
    fn new(args: &FitArgs, inputs: &[&Path]) -> Result<Outputs> {
        let output = |path: &Option<PathBuf>| path.as_ref().map(|path| Output::new(path, args.force)).transpose();
        let (model, trace) = (output(&args.model)?, output(&args.trace)?);
        let checkpoint = args.checkpoint.as_ref().map(|path| checkpoint(path, args)).transpose()?;
        let resumed = args.resume.as_deref().filter(|resume| !args.checkpoint.iter().any(|path| is_same(path, resume)));
        let inputs: Vec<&Path> = inputs.iter().copied().chain(resumed).collect();
        output::require_distinct([&model, &trace, &checkpoint].into_iter().flatten(), &inputs)?;
        let observations = matches!(args.format, Some(FitFormat::Augment { .. }));
        Ok(Outputs { model, trace, checkpoint: args.checkpoint.clone(), quiet: args.run.quiet, observations })
    }
}

/// The checkpoint file. A fit that is resumed may go on with the same file.
fn checkpoint(path: &Path, args: &FitArgs) -> Result<Output> {
    let replaces = args.force || args.resume.iter().any(|resume| is_same(path, resume));
    match Output::new(path, replaces)? {
        Output::File { typed, path, replace } => Ok(Output::File { typed, path, replace }),
        _ => bail!("{}: a checkpoint needs a regular file", path.display()),
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// The checkpoint to continue from. A file that the fit is saved to as well need not exist yet, so that one command can be
/// repeated until the fit has ended.
fn resumed(args: &FitArgs) -> Option<&Path> {
    let begins = args.resume == args.checkpoint && args.resume.as_ref().is_some_and(|file| !file.exists());
    args.resume.as_deref().filter(|_| !begins)
}

pub fn run(args: &FitArgs) -> Result<ExitCode> {
    if let Some(by) = &args.groups.by {
        return groups::run(args, by);
    }
    require_groups(args)?;
    let (method, selection) = (args.method()?, plan::selection(&args.table)?);
    let question = Question::new(&args.answer, &method.spec)?.about(args.table.curve);
    require_lines(args, &question)?;
    let plan =
        FitPlan::new(Source::of(&args.table)?, selection, method)?.asking(question).knowing(args.truth.as_deref())?;
    let plan = plan.saved_to(args.checkpoint.as_deref(), resumed(args))?;
    let outputs = Outputs::new(args, &plan.inputs())?;
    let begun = Instant::now();
    let table = plan.source.read(&plan.selection, outputs.quiet)?;
    let read_seconds = begun.elapsed().as_secs_f64();
    interrupt::hold();
    let (fitted, written) = fit(&plan, &outputs, table, read_seconds)?;
    // files before words: a closed pipe must not cost the model
    let wrote = !written.is_empty();
    output::publish(written)?;
    print::warnings(&fitted.warnings, outputs.quiet);
    let result = match args.format.unwrap_or(FitFormat::Table) {
        FitFormat::Table => fitted.table(),
        FitFormat::Json => fitted.json()?,
        FitFormat::Tidy { json } => broom::tidy(&fitted).text(json)?,
        FitFormat::Glance { json } => broom::glance(&fitted).text(json)?,
        FitFormat::Augment { json } => broom::augment(&fitted)?.text(json)?,
    };
    show(&result).map_err(|why| if wrote { why.context("the files were written, but not the result") } else { why })?;
    let code = exit_code(&fitted);
    fitted.model_error.map_or(Ok(code), Err)
}

/// Checks the flags.
///
/// # Errors
/// For bad usage.
pub fn check(args: &FitArgs) -> Result<()> {
    let method = args.method()?;
    method.options()?;
    require_lines(args, &Question::new(&args.answer, &method.spec)?)?;
    match &args.groups.by {
        Some(by) => groups::check(args, by).map(drop),
        None => require_groups(args).and_then(|()| plan::selection(&args.table).map(drop)),
    }
}

/// Refuses parameters to be shared by groups if there are no groups.
fn require_groups(args: &FitArgs) -> Result<()> {
    match args.groups.share.is_empty() {
        true => Ok(()),
        false => bail!("--share names what groups share: pass the column of the groups with --by"),
    }
}

/// Refuses questions whose answers the format has no place for.
fn require_lines(args: &FitArgs, question: &Question) -> Result<()> {
    let is_broom = !matches!(args.format, None | Some(FitFormat::Table | FitFormat::Json));
    if args.groups.by.is_none() && is_broom && question.has_lines() {
        bail!("tidy, glance and augment have no place for --test and --ec: use --format table or json");
    }
    Ok(())
}

/// Prints the result. The exit code is the same if the reader closes the pipe.
pub fn show(result: &str) -> Result<()> {
    output::print(result).or_else(|why| if why.is::<PipeClosed>() { Ok(()) } else { Err(why) })
}

pub fn exit_code(fitted: &Fitted) -> ExitCode {
    match fitted.certified() {
        _ if fitted.is_interrupted() => interrupt::exit_code(),
        true => ExitCode::SUCCESS,
        false => ExitCode::from(NOT_CERTIFIED),
    }
}

/// Fits a table by a plan. The files that it writes are not yet published.
///
/// # Errors
/// If the data cannot be fitted by this plan, or a file cannot be written.
pub fn fit(plan: &FitPlan, outputs: &Outputs, table: Table, read_seconds: f64) -> Result<(Fitted, Vec<Writer>)> {
    let begun = Instant::now();
    let (names, columns, offset) = (table.names.clone(), table.columns, table.offset_name.clone());
    plan.question.check(&plan.spec, &names)?;
    let truth = plan.truth(&names)?;
    let kept = outputs.observations.then(|| table.clone());
    let least_loss = plan.spec.loss().least(&table.labels, table.weights.as_deref());
    let variance = print::variance(&table.labels, table.weights.as_deref());
    let doses = bounds(&table);
    let mut warnings = plan.warnings.clone();
    warnings.extend(plan.batch_warning(table.labels.len()));
    warnings.extend(table_warnings(&table, plan.source.no_header));
    let (fitted, answer, mut written, rows) = fit_watched(plan, outputs, table, truth.as_deref())?;
    warnings.extend(fitted.checkpoint_fault().map(|why| format!("the last checkpoint could not be written: {why}")));
    warnings.extend(resume_hint(outputs, &fitted));
    warnings.extend(doses.and_then(|doses| answer.extrapolation(doses)));
    let report = fitted.into_report();
    warnings.extend(report.warnings_on(&format!("`{}`", plan.target()), &names));
    // a model that was cut short would pass for one that was fitted
    let is_interrupted = report.status() == Status::Interrupted || answer.is_interrupted;
    if is_interrupted && outputs.model.is_some() {
        warnings.push("interrupted, so no model was written".into());
    }
    let r_squared = report.explained(variance);
    if report.certificate.certified() && r_squared.is_some_and(|share| share < -1e-9) {
        let check = if offset.is_some() { "; check the sign and the scale of the offset" } else { "" };
        warnings.push(format!("r² is negative: the mean of the response predicts better than this model{check}"));
    }
    let model = || model(plan, &report, (&names, offset.as_deref()), columns, &answer);
    let observations = kept.map(|table| Ok::<_, anyhow::Error>((table, model()?))).transpose()?;
    let file = if is_interrupted { Ok(None) } else { model_file(outputs, model).context("no model was written") };
    let model_error = file.map(|file| written.extend(file)).err();
    let fitted = Fitted {
        r_squared,
        least_loss,
        distance: truth.map(|truth| distance(&report.coefficients, &truth)),
        answer,
        observations,
        model_error,
        target: plan.target().to_owned(),
        intercept: plan.spec.intercept != Some(false),
        activation: plan.spec.activation().to_owned(),
        curve: plan.question.curve,
        solver: plan.spec.solver().name(),
        seconds: begun.elapsed().as_secs_f64(),
        read_seconds,
        seed: plan.spec.seed.unwrap_or(0),
        report,
        names,
        warnings,
    };
    // giving a large table back takes a while, and is no part of the fit
    drop(rows);
    Ok((fitted, written))
}

/// The smallest and the largest finite value of the only covariate.
fn bounds(table: &Table) -> Option<[f64; 2]> {
    let finite = table.values.iter().copied().filter(|value| value.is_finite() && table.names.len() == 1);
    finite.map(|value| [value; 2]).reduce(|[low, high], [value, _]| [low.min(value), high.max(value)])
}

/// How an interrupted fit is continued.
fn resume_hint(outputs: &Outputs, fitted: &agglio::Fitted) -> Option<String> {
    let file = outputs.checkpoint.as_ref().filter(|_| fitted.status() == Status::Interrupted)?.display();
    Some(match fitted.checkpoints() {
        0 => "interrupted before the first checkpoint".to_owned(),
        _ => format!("to continue from the last checkpoint, pass --resume '{file}'"),
    })
}

fn fit_watched(
    plan: &FitPlan,
    outputs: &Outputs,
    table: Table,
    truth: Option<&[f64]>,
) -> Result<(agglio::Fitted, Answer, Vec<Writer>, Dense)> {
    let names = &table.names.clone();
    let library_plan = plan.for_table(names, table.rows)?;
    let trace = outputs.trace.as_ref().map(Output::open).transpose()?;
    let mut watch = Watch::new(plan.spec.last_temperature(), outputs.quiet, trace, truth)?;
    let fitted = library_plan.install(table.rows, || {
        let rows = rows_of(table)?;
        let fitted = library_plan.fit_observed(&rows, &mut watch)?;
        let answer = plan.question.ask(&fitted, &plan.spec, names);
        // what was cut short would pass for what was computed
        let answer = if interrupt::is_caught() { Ok(Answer::interrupted()) } else { answer };
        Ok((fitted, answer, rows))
    });
    let fitted = fitted.flatten().map_err(|why| plan.source.blame(why.with_names(names)));
    let written = watch.finish()?;
    let (fitted, answer, rows) = fitted?;
    Ok((fitted, answer?, written.into_iter().collect(), rows))
}

/// The rows of a table, with their clusters if it has a category.
fn rows_of(mut table: Table) -> agglio::Result<Dense> {
    let clusters = table.categories.pop();
    let rows = table.into_rows()?;
    match clusters {
        Some(clusters) => rows.with_clusters(clusters.codes),
        None => Ok(rows),
    }
}

/// Warnings about a table that can be fitted, but looks wrong.
pub fn table_warnings(table: &Table, no_header: bool) -> Vec<String> {
    let mut warnings = Vec::new();
    if !no_header && !table.names.is_empty() && table.names.iter().all(|name| name.parse::<f64>().is_ok()) {
        warnings.push("all column names are numbers; if the file has no header, pass --no-header".into());
    }
    if table.dropped > 0 {
        let all = table.rows + table.dropped;
        warnings.push(format!("{} of {all} rows have a missing value and were dropped", table.dropped));
    }
    // a row without weight explains nothing
    let counts = |row: usize| table.weights.as_ref().is_none_or(|weights| weights[row] > 0.0);
    let mut labels = table.labels.iter().enumerate().filter(|(row, _)| counts(*row)).map(|(_, label)| label);
    if let Some(first) = labels.next().filter(|&first| labels.all(|label| label == first)) {
        warnings.push(format!("the response is always {first}: there is nothing to explain"));
    }
    warnings
}

fn model_file(outputs: &Outputs, model: impl Fn() -> Result<Model>) -> Result<Option<Writer>> {
    let Some(output) = &outputs.model else { return Ok(None) };
    let mut writer = output.open()?;
    writer.put(&model()?.to_json())?;
    Ok(Some(writer))
}

/// The model of a report, with the names of its covariates and of its offset.
fn model(
    plan: &FitPlan,
    report: &Report,
    (names, offset): (&[String], Option<&str>),
    columns: usize,
    answer: &Answer,
) -> Result<Model> {
    let origin = Origin {
        activation: plan.spec.activation(),
        solver: plan.spec.solver().name(),
        target: plan.target(),
        offset,
        columns: plan.source.no_header.then_some(columns),
        names,
    };
    let model = Model::new(report, &origin)?;
    let model = plan.question.curve.into_iter().fold(model, Model::with_curve);
    Ok(match &answer.summary {
        Some(summary) => model.with_inference(summary.clone())?,
        None => model,
    })
}
