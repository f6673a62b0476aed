//! `predict`: a model and a table in, a column of predictions out.

use std::path::Path;
use std::process::ExitCode;

use agglio::model::Centre;
use anyhow::Result;

use super::{columns_of, read_model};
use crate::args::PredictArgs;
use crate::output::{self, Output};
use crate::source::{Source, require_csv};
use crate::{interrupt, number, print};

pub fn run(args: &PredictArgs) -> Result<ExitCode> {
    let path = args.output.as_deref().unwrap_or(Path::new("-"));
    require_csv(path, "written")?;
    let output = Output::or_stdout(path, args.force)?;
    let source = Source::new(&args.data, args.csv)?;
    output::require_distinct([&output], &[&args.model, &args.data])?;
    let model = read_model(&args.model)?;
    let table = source.read(&columns_of(&model, args.csv)?, args.quiet)?;
    let centre = if args.median { Centre::Median } else { Centre::Mean };
    let predictions = model.predict(&table.values, table.offsets.as_deref(), centre);
    print::warnings(&overflow_warning(&predictions), args.quiet);
    interrupt::hold();
    write(&output, &predictions)
}

/// The header and one line a prediction.
fn write(output: &Output, predictions: &[f64]) -> Result<ExitCode> {
    let mut writer = output.open()?;
    writer.put("prediction\n")?;
    for &prediction in predictions {
        interrupt::check()?;
        writer.put(&number::exact(prediction))?;
        writer.put("\n")?;
    }
    interrupt::check()?;
    output::publish([writer])?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn overflow_warning(predictions: &[f64]) -> Vec<String> {
    match predictions.iter().filter(|prediction| !prediction.is_finite()).count() {
        0 => Vec::new(),
        some => vec![format!("{some} of {} predictions overflow and are not finite", predictions.len())],
    }
}
