//! The flags of `predict`.

use std::path::PathBuf;

use agglio::model::Of;
use clap::Args;

use super::answer::level;
use super::shared::{CsvArgs, Names, plain_names};

#[derive(Debug, Args)]
pub struct PredictArgs {
    /// A model file of `fit --model`
    pub model: PathBuf,
    /// A CSV file with the covariates and the offset of the model, in any order (with --inverse: the response and the offset);
    /// other columns are ignored; `-` is standard input
    pub data: PathBuf,
    #[command(flatten)]
    pub csv: CsvArgs,
    /// Columns `std_error`, `lower` and `upper` beside the prediction. confidence: an interval for the mean response;
    /// prediction: an interval for one further response
    #[arg(long, value_name = "KIND", value_parser = interval, help_heading = "Prediction")]
    pub interval: Option<Of>,
    /// Confidence level of the intervals [default: 0.95]
    #[arg(long, value_name = "L", value_parser = level, help_heading = "Prediction")]
    pub level: Option<f64>,
    /// Predict the linear predictor xᵀw + b + offset instead of the response
    #[arg(long, help_heading = "Prediction")]
    pub linear: bool,
    /// Predict medians instead of means (they differ under noise before φ)
    #[arg(long, help_heading = "Prediction")]
    pub median: bool,
    /// Inverse prediction (calibration): for each response the covariate, such as the dose, and its interval. --interval
    /// confidence (the default): the response is a mean that is known exactly; prediction: it is one observation
    #[arg(long, help_heading = "Prediction")]
    pub inverse: bool,
    /// Columns of the data to copy in front of the prediction, separated by commas
    #[arg(long, value_name = "COLS", value_parser = plain_names, help_heading = "Output")]
    pub keep: Vec<Names>,
    /// File for the predictions [default: standard output]
    #[arg(short, long, value_name = "OUT.csv", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Replace an output file that exists
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// Print no warnings and no progress bar; results and errors are still printed
    #[arg(long, help_heading = "Run")]
    pub quiet: bool,
}

impl PredictArgs {
    /// The confidence level of intervals.
    pub fn level(&self) -> f64 {
        self.level.unwrap_or(0.95)
    }
}

fn interval(typed: &str) -> Result<Of, &'static str> {
    match typed {
        "confidence" => Ok(Of::Confidence),
        "prediction" => Ok(Of::Prediction),
        _ => Err("it must be `confidence` or `prediction`"),
    }
}
