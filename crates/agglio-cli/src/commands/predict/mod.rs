//! `predict`: a model and a table in, a column of predictions out.

mod lines;
mod wanted;

use std::path::Path;
use std::process::ExitCode;

use agglio::model::{Model, Of};
use agglio::read::{Features, Selection};
use anyhow::{Result, bail};

use super::{columns_of, read_model};
use crate::args::{CsvArgs, Names, PredictArgs};
use crate::output::{self, Output};
use crate::source::{Source, require_csv};
use crate::{interrupt, print};
use lines::Lines;
use wanted::Wanted;

pub fn run(args: &PredictArgs) -> Result<ExitCode> {
    check(args)?;
    let path = args.output.as_deref().unwrap_or(Path::new("-"));
    require_csv(path, "written")?;
    let output = Output::or_stdout(path, args.force)?;
    let source = Source::new(&args.data, args.csv)?;
    output::require_distinct([&output], &[&args.model, &args.data])?;
    let model = read_model(&args.model)?;
    let wanted = Wanted::new(args, &model)?;
    let selection = selection(args, &model)?;
    let read = source.read_with(&selection, args.quiet, |pieces| {
        let (mut table, mut lines) = (pieces.table(), Lines::new(&output, &selection.kept, &wanted)?);
        while pieces.append_to(&mut table)? {
            interrupt::check()?;
            lines.take(&table.kept, &wanted.numbers(&table)?)?;
            table.clear();
        }
        Ok(lines)
    });
    // which may be why there was no more to read
    interrupt::check()?;
    let lines = read?;
    print::warnings(wanted.warning(lines.not_finite, lines.rows).as_slice(), args.quiet);
    lines.publish()?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses flags that mean nothing together.
///
/// # Errors
/// Says which, and why.
pub fn check(args: &PredictArgs) -> Result<()> {
    let cases = [
        (
            args.linear && args.median,
            "--linear has no --median: the linear predictor is one number, and not a distribution",
        ),
        (
            args.linear && args.interval == Some(Of::Prediction),
            "--linear has no --interval prediction: an observation is a response, and not a linear predictor; leave out \
             --linear, or use --interval confidence",
        ),
        (
            args.inverse && args.linear,
            "--inverse goes from the response to the covariate, and --linear stops halfway: leave one of them out",
        ),
        (args.inverse && args.median, "--inverse has no --median: leave one of them out"),
        (
            args.level.is_some() && args.interval.is_none() && !args.inverse,
            "--level is that of an interval: pass --interval confidence or --interval prediction too",
        ),
    ];
    match cases.into_iter().find(|(applies, _)| *applies) {
        Some((_, reason)) => bail!(reason),
        None => Ok(()),
    }
}

/// The columns to read.
fn selection(args: &PredictArgs, model: &Model) -> Result<Selection> {
    let kept = args.keep.iter().flat_map(|Names(names)| names.clone()).collect();
    let selection = Selection { kept, ..columns_of(model, args.csv)? };
    if !args.inverse {
        return Ok(selection);
    }
    require_target(model, args.csv)?;
    Ok(Selection { target: Some(model.target().to_owned()), features: Features::Nothing, ..selection })
}

/// Refuses a file without a header if the response is known by name only.
///
/// # Errors
/// Says so.
pub(super) fn require_target(model: &Model, csv: CsvArgs) -> Result<()> {
    if csv.no_header && model.columns().is_none() {
        bail!("the model knows its columns by name, so the response cannot be found in a file without a header");
    }
    Ok(())
}

pub(super) fn overflow_warning(overflown: usize, rows: usize) -> Option<String> {
    (overflown > 0).then(|| format!("{overflown} of {rows} predictions are infinite or NaN (overflow)"))
}
