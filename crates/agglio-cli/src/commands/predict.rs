//! `predict`: a model and a table in, a column of predictions out.

use std::path::Path;
use std::process::ExitCode;

use agglio::model::Centre;
use agglio::text::format;
use anyhow::{Result, bail};

use super::{columns_of, read_model};
use crate::args::PredictArgs;
use crate::output::{self, Output, Writer};
use crate::source::{Source, require_csv};
use crate::{interrupt, memory, print, threads};

const HEADER: &str = "prediction\n";
/// Number of lines that are written between two checks for signals.
const LINES: usize = 1 << 10;

pub fn run(args: &PredictArgs) -> Result<ExitCode> {
    let path = args.output.as_deref().unwrap_or(Path::new("-"));
    require_csv(path, "written")?;
    let output = Output::or_stdout(path, args.force)?;
    let source = Source::new(&args.data, args.csv)?;
    output::require_distinct([&output], &[&args.model, &args.data])?;
    let model = read_model(&args.model)?;
    let selection = columns_of(&model, args.csv)?;
    let centre = if args.median { Centre::Median } else { Centre::Mean };
    let read = source.read_with(&selection, args.quiet, |pieces| {
        let (mut table, mut column) = (pieces.table(), Column::new(&output)?);
        while pieces.append_to(&mut table)? {
            interrupt::check()?;
            column.take(&model.predict(&table.values, table.offsets.as_deref(), centre))?;
            table.clear();
        }
        Ok(column)
    });
    // which may be why there was no more to read
    interrupt::check()?;
    let column = read?;
    print::warnings(overflow_warning(column.overflown, column.rows).as_slice(), args.quiet);
    column.publish()?;
    Ok(ExitCode::SUCCESS)
}

/// The column of predictions on its way to its place.
struct Column<'a> {
    output: &'a Output,
    rows: usize,
    /// Predictions that are not finite.
    overflown: usize,
    place: Place,
    /// Text of some predictions.
    text: String,
}

/// The place of the predictions until all are known. Only then are they printed, or does the file appear.
enum Place {
    Draft(Writer),
    Memory { predictions: Vec<f64>, most: usize },
}

impl<'a> Column<'a> {
    fn new(output: &'a Output) -> Result<Column<'a>> {
        let place = match output {
            Output::File { .. } => {
                // a signal must not leave the draft behind
                interrupt::hold();
                let mut writer = output.open()?;
                writer.put(HEADER)?;
                Place::Draft(writer)
            }
            Output::Stdout | Output::Special(_) => {
                // no bound where the system does not tell
                let most = usize::try_from(memory::available(threads::count(None)) / 8).unwrap_or(usize::MAX);
                Place::Memory { predictions: Vec::new(), most }
            }
        };
        Ok(Column { output, rows: 0, overflown: 0, place, text: String::new() })
    }

    fn take(&mut self, new: &[f64]) -> Result<()> {
        self.rows += new.len();
        self.overflown += new.iter().filter(|prediction| !prediction.is_finite()).count();
        match &mut self.place {
            Place::Draft(writer) => write(writer, new, &mut self.text),
            Place::Memory { predictions, most } => {
                if self.rows > *most || predictions.try_reserve(new.len()).is_err() {
                    bail!("the free memory holds only {} predictions; write them to a file with -o", predictions.len());
                }
                predictions.extend_from_slice(new);
                Ok(())
            }
        }
    }

    fn publish(mut self) -> Result<()> {
        let writer = match self.place {
            Place::Draft(writer) => writer,
            Place::Memory { predictions, .. } => {
                interrupt::hold();
                let mut writer = self.output.open()?;
                writer.put(HEADER)?;
                write(&mut writer, &predictions, &mut self.text)?;
                writer
            }
        };
        interrupt::check()?;
        output::publish([writer])
    }
}

/// One line a prediction.
fn write(writer: &mut Writer, predictions: &[f64], text: &mut String) -> Result<()> {
    for some in predictions.chunks(LINES) {
        interrupt::check()?;
        text.clear();
        for &prediction in some {
            format::push_exact(text, prediction);
            text.push('\n');
        }
        writer.put(text)?;
    }
    Ok(())
}

pub(super) fn overflow_warning(overflown: usize, rows: usize) -> Option<String> {
    (overflown > 0).then(|| format!("{overflown} of {rows} predictions are infinite or NaN (overflow)"))
}
