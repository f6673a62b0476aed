//! `simulate`: a table drawn from a known model.

use std::process::ExitCode;

use agglio::activation::named;
use agglio::model::Coefficients;
use agglio::simulate::{Simulated, Simulation};
use agglio::text::format;
use anyhow::{Result, bail};

use crate::args::SimulateArgs;
use crate::output::{self, Output, Writer};
use crate::source::require_csv;
use crate::{interrupt, memory};

pub fn run(args: &SimulateArgs) -> Result<ExitCode> {
    let simulation = simulation(args)?;
    require_csv(&args.output, "written")?;
    let output = Output::or_stdout(&args.output, args.force)?;
    let truth = args.truth.as_ref().map(|path| Output::new(path, args.force)).transpose()?;
    output::require_distinct([&output].into_iter().chain(&truth), &[])?;
    require_memory(args.rows, args.features)?;
    let drawn = simulation.draw()?;
    interrupt::hold();
    write(&drawn, &output, truth.as_ref())?;
    Ok(ExitCode::SUCCESS)
}

fn write(drawn: &Simulated, output: &Output, truth: Option<&Output>) -> Result<()> {
    let names: Vec<String> = (1..=drawn.truth.len()).map(|j| format!("x{j}")).collect();
    let mut written = truth.map(Output::open).transpose()?;
    if let Some(writer) = &mut written {
        let coefficients = names.iter().cloned().zip(drawn.truth.iter().copied()).collect();
        writer.put(&Coefficients { intercept: 0.0, coefficients }.to_json())?;
    }
    // whoever does not read the table to its end must not cost the file
    if matches!(output, Output::Stdout) {
        output::publish(written.take())?;
    }
    let table = table(output, &names, drawn)?;
    interrupt::check()?;
    output::publish(written.into_iter().chain([table]))
}

/// Checks the flags.
///
/// # Errors
/// For bad usage.
pub fn check(args: &SimulateArgs) -> Result<()> {
    simulation(args).map(drop)
}

fn simulation(args: &SimulateArgs) -> Result<Simulation> {
    let simulation = Simulation::new(named(&args.activation)?, args.rows, args.features)
        .design(args.design.parse()?)
        .noise(args.noise.parse()?)
        .seed(args.seed);
    Ok(match args.norm {
        Some(norm) => simulation.norm(norm),
        None => simulation,
    })
}

fn require_memory(rows: usize, features: usize) -> Result<()> {
    let bytes = features.checked_add(1).and_then(|columns| rows.checked_mul(columns)?.checked_mul(8));
    if bytes.is_none_or(|bytes| bytes as u64 > memory::available(1)) {
        bail!("a table of {rows} × {features} does not fit into memory; ask for fewer rows or covariates");
    }
    Ok(())
}

fn table(output: &Output, names: &[String], drawn: &Simulated) -> Result<Writer> {
    let mut writer = output.open()?;
    writer.put(&format!("{},y\n", names.join(",")))?;
    let mut line = String::new();
    for (row, &label) in drawn.values.chunks(names.len().max(1)).zip(&drawn.labels) {
        line.clear();
        for &value in row {
            format::push_exact(&mut line, value);
            line.push(',');
        }
        format::push_exact(&mut line, label);
        line.push('\n');
        interrupt::check()?;
        writer.put(&line)?;
    }
    Ok(writer)
}
