//! `score`: a model and a labelled table in, the size of its errors out.

use std::process::ExitCode;

use agglio::model::Centre;
use agglio::read::Selection;
use anyhow::{Result, bail};

use super::predict::overflow_warning;
use super::{columns_of, read_model};
use crate::args::{Format, ScoreArgs};
use crate::output;
use crate::print::{self, Score, variance};
use crate::source::Source;

pub fn run(args: &ScoreArgs) -> Result<ExitCode> {
    let source = Source::new(&args.data, args.csv)?;
    let model = read_model(&args.model)?;
    if args.csv.no_header && model.columns().is_none() {
        bail!("the model knows columns by name, so that labels cannot be found in a file without header");
    }
    let selection = Selection { target: Some(model.target().to_owned()), ..columns_of(&model, args.csv)? };
    let table = source.read(&selection, args.quiet)?;
    let predictions = model.predict(&table.values, table.offsets.as_deref(), Centre::Mean);
    let overflown = predictions.iter().filter(|prediction| !prediction.is_finite()).count();
    print::warnings(overflow_warning(overflown, predictions.len()).as_slice(), args.quiet);
    let score = score(&predictions, &table.labels);
    output::print(&match args.format {
        Format::Table => score.table(),
        Format::Json => score.json()?,
    })?;
    Ok(ExitCode::SUCCESS)
}

fn score(predictions: &[f64], labels: &[f64]) -> Score {
    let errors = || predictions.iter().zip(labels).map(|(prediction, label)| prediction - label);
    let rows = labels.len();
    let loss = errors().map(|error| error * error).sum::<f64>() / rows as f64;
    let mae = errors().map(f64::abs).sum::<f64>() / rows as f64;
    let r_squared = print::r_squared(loss, variance(labels, None));
    Score { rows, loss, rmse: loss.sqrt(), mae, r_squared, predictions: "mean" }
}
