//! The flags of `effects`.

use std::path::PathBuf;

use clap::Args;

use super::answer::level;
use super::shared::{CsvArgs, FitFormat, fit_format, name};

#[derive(Debug, Args)]
pub struct EffectsArgs {
    /// A model file of `fit --model`
    pub model: PathBuf,
    /// A CSV file with the covariates and the offset of the model, in any order; `-` is standard input
    pub data: PathBuf,
    #[command(flatten)]
    pub csv: CsvArgs,
    /// A column with a weight for each row of the average, 0 or more [default: all rows count the same]
    #[arg(long, value_name = "COL", value_parser = name, help_heading = "Model")]
    pub weights: Option<String>,
    /// Confidence level of the intervals
    #[arg(long, value_name = "L", default_value = "0.95", value_parser = level, help_heading = "Inference")]
    pub level: f64,
    /// How the effects are printed: table, json or tidy[:json]. tidy is CSV with the columns of R's package broom
    #[arg(long, value_name = "FORM", default_value = "table", value_parser = format, help_heading = "Output")]
    pub format: FitFormat,
    /// Print no warnings and no progress bar; results and errors are still printed
    #[arg(long, help_heading = "Run")]
    pub quiet: bool,
}

/// A form of the result that is not about a fit.
fn format(typed: &str) -> Result<FitFormat, &'static str> {
    match fit_format(typed) {
        Ok(format @ (FitFormat::Table | FitFormat::Json | FitFormat::Tidy { .. })) => Ok(format),
        _ => Err("it must be table, json or tidy, or tidy:json"),
    }
}
