//! The *commands* of the program, one file each.

mod bench;
mod compare;
mod demo;
mod effects;
mod fit;
mod generate;
mod groups;
mod paper;
mod predict;
mod score;
mod show;
mod simulate;
mod theory;
mod tune;

use std::path::Path;
use std::process::ExitCode;

use agglio::model::Model;
use agglio::read::{Features, Selection};
use anyhow::{Result, bail};

use crate::args::{Command, CsvArgs};
use crate::source;

/// Runs a command; the exit code says how it ended.
///
/// # Errors
/// For bad usage, input or output.
pub fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::Bench(args) => bench::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Demo => demo::run(),
        Command::Effects(args) => effects::run(&args),
        Command::Fit(args) => fit::run(&args),
        Command::Generate(args) => generate::run(&args),
        Command::Paper(args) => paper::run(&args),
        Command::Predict(args) => predict::run(&args),
        Command::Score(args) => score::run(&args),
        Command::Show(args) => show::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Theory(args) => theory::run(&args),
        Command::Tune(args) => tune::run(&args),
    }
}

/// Checks a command as far as that needs no file.
///
/// # Errors
/// For bad usage.
pub fn check(command: Command) -> Result<()> {
    match command {
        Command::Compare(args) => compare::check(&args),
        Command::Fit(args) => fit::check(&args),
        Command::Paper(args) => paper::check(&args),
        Command::Predict(args) => predict::check(&args),
        Command::Simulate(args) => simulate::check(&args),
        Command::Theory(args) => theory::check(&args),
        Command::Tune(args) => tune::check(&args),
        Command::Bench(_)
        | Command::Demo
        | Command::Effects(_)
        | Command::Generate(_)
        | Command::Score(_)
        | Command::Show(_) => Ok(()),
    }
}

fn read_model(path: &Path) -> Result<Model> {
    Ok(Model::from_json(&source::read_text(path, "model file")?, path)?)
}

/// The columns and terms that a model needs to predict.
///
/// # Errors
/// If the model knows columns by number and the file is said to have names, which could be numbers by chance.
fn columns_of(model: &Model, csv: CsvArgs) -> Result<Selection> {
    if model.columns().is_some() && !csv.no_header {
        bail!(
            "the model was fitted to a file without a header, so its columns have numbers and no names; pass --no-header"
        );
    }
    let offset = model.offset().map(ToOwned::to_owned);
    let features = match csv.no_header {
        true => Features::InOrder { names: model.names(), columns: model.columns() },
        false => Features::Exactly(model.names()),
    };
    Ok(Selection { features, offset, ..Selection::default() })
}
