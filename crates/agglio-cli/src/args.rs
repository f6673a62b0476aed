//! *Arguments*: the flags as typed, before anything is looked up, opened or checked against anything else.

use std::path::PathBuf;
use std::str::FromStr;

use agglio::Noise;
use clap::{Args, Parser, Subcommand, ValueEnum};

const EXAMPLE: &str = "\
Example:
  agglio demo
  agglio simulate --rows 1000 --features 5 --activation sigmoid --noise post:0.05 -o data.csv
  agglio fit data.csv --target y --activation sigmoid --model model.json
  agglio predict model.json data.csv -o predictions.csv
  agglio score model.json data.csv

Exit status: 0 converged, 3 fitted but not converged, 2 bad usage, input or output.";

/// Fits y ≈ φ(xᵀw + b) by least squares through a non-convex activation φ, with no starting guess.
#[derive(Debug, Parser)]
#[command(name = "agglio", version, after_help = EXAMPLE, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Fit the data that is part of this program, and print the summary
    Demo,
    /// Fit a model to a table
    Fit(Box<FitArgs>),
    /// Predict the labels of a table by a model
    Predict(PredictArgs),
    /// Compare the predictions of a model with the labels of a table
    Score(ScoreArgs),
    /// Write a table drawn from a known model
    Simulate(SimulateArgs),
}

#[derive(Debug, Parser)]
#[command(allow_negative_numbers = true)]
pub struct FitArgs {
    /// A CSV file with a header; `-` is standard input
    pub data: PathBuf,
    /// The column of labels y
    #[arg(long, value_name = "Y", help_heading = "Model")]
    pub target: String,
    /// The columns that are features [default: all that are nothing else]
    #[arg(long, value_name = "A,B", value_delimiter = ',', help_heading = "Model", conflicts_with = "drop")]
    pub features: Option<Vec<String>>,
    /// Columns that are not features; all others are
    #[arg(long, value_name = "A,B", value_delimiter = ',', help_heading = "Model")]
    pub drop: Option<Vec<String>>,
    /// φ: sigmoid, softplus, leaky-softplus[:K=0.2], silu, gelu, tanh, probit, exp or identity
    #[arg(long, value_name = "NAME[:K]", default_value = "sigmoid", help_heading = "Model")]
    pub activation: String,
    /// Fit xᵀw without b
    #[arg(long, help_heading = "Model")]
    pub no_intercept: bool,
    /// A column that is added to xᵀw
    #[arg(long, value_name = "COL", help_heading = "Model")]
    pub offset: Option<String>,
    /// A column of weights ≥ 0 of the rows
    #[arg(long, value_name = "COL", help_heading = "Model")]
    pub weights: Option<String>,
    #[command(flatten)]
    pub method: MethodArgs,
    /// gd, sgd, svrg, saga, momentum, nesterov, adam or yogi; a key=value after it is the same as the flag
    #[arg(long, value_name = "NAME[:key=value,…]", default_value = "gd", help_heading = "Method", display_order = 0)]
    pub solver: String,
    /// How the result is printed
    #[arg(long, default_value = "table", help_heading = "Output")]
    pub format: Format,
    /// Write the model, for `predict` and `score`
    #[arg(long, value_name = "M.json", help_heading = "Output")]
    pub model: Option<PathBuf>,
    /// Write a line for every step
    #[arg(long, value_name = "T.csv", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// Replace output files that exist
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// Draws random starts and minibatches; changes nothing where none are used
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = whole::<u64>, help_heading = "Run")]
    pub seed: u64,
    /// Number of threads; changes no result [default: one for each core]
    #[arg(long, value_name = "N", value_parser = whole::<usize>, help_heading = "Run")]
    pub threads: Option<usize>,
    /// No warnings and no progress, errors only
    #[arg(long, help_heading = "Run")]
    pub quiet: bool,
}

/// The flags that may also be typed as keys after the solver's name.
#[derive(Clone, Debug, Parser)]
pub struct MethodArgs {
    /// Where noise enters: before φ (least squares on φ⁻¹(y)) or after it (least squares on y) [default: post]
    #[arg(long, value_name = "pre|post", value_parser = noise, help_heading = "Noise")]
    pub noise: Option<Noise>,
    /// The last temperature, 0 to 1 [default: 0 for `pre`, 1 for `post`]
    #[arg(long, value_name = "T", value_parser = number, help_heading = "Noise")]
    pub tau_max: Option<f64>,
    /// The first temperature; 1 is no graduation [default: 0.01, lower for a far start]
    #[arg(long, value_name = "T", value_parser = number, help_heading = "Method")]
    pub tau0: Option<f64>,
    /// Growth of the temperature a stage, above 1 [default: 1.05]
    #[arg(long, value_name = "B", value_parser = number, help_heading = "Method")]
    pub beta: Option<f64>,
    /// Step length in the solver's units [default: 1/Λ from the data; 0.3 for adam, yogi]
    #[arg(long, value_name = "E", value_parser = number, help_heading = "Method")]
    pub eta: Option<f64>,
    /// Rows in a minibatch, for sgd, svrg, saga, adam, yogi [default: 50]
    #[arg(long, value_name = "N", value_parser = whole::<usize>, help_heading = "Method")]
    pub batch: Option<usize>,
    /// Most steps on all rows, or passes of minibatches [default: 3000 steps, 500 passes]
    #[arg(long, value_name = "N", value_parser = whole::<usize>, help_heading = "Method")]
    pub epochs: Option<usize>,
    /// The relative gradient to stop at [default: 1e-10]
    #[arg(long, value_name = "T", value_parser = number, help_heading = "Method")]
    pub tol: Option<f64>,
    /// Where to begin; S scales N(0, I), 10/√d unless given [default: zero]
    #[arg(long, value_name = "zero|random[:S]|W.json", help_heading = "Method")]
    pub init: Option<String>,
    /// Units of the solver: columns standardised, or as they are [default: standard]
    #[arg(long, value_name = "standard|none", hide_possible_values = true, help_heading = "Method")]
    pub scaling: Option<Scaling>,
    /// Keep ‖w‖ ≤ R in the solver's units [default: no bound]
    #[arg(long, value_name = "R", value_parser = number, help_heading = "Method")]
    pub radius: Option<f64>,
}

#[derive(Debug, Args)]
pub struct PredictArgs {
    /// A model that `fit --model` wrote
    pub model: PathBuf,
    /// A CSV file with the model's columns, in any order among any others; `-` is standard input
    pub data: PathBuf,
    /// Where the predictions go [default: standard output]
    #[arg(short, value_name = "OUT.csv", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Predict medians instead of means, which differ under noise before φ
    #[arg(long, help_heading = "Output")]
    pub median: bool,
    /// Replace an output file that exists
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// No warnings and no progress, errors only
    #[arg(long, help_heading = "Run")]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct ScoreArgs {
    /// A model that `fit --model` wrote
    pub model: PathBuf,
    /// A CSV file with the model's columns and its target; `-` is standard input
    pub data: PathBuf,
    /// How the result is printed
    #[arg(long, default_value = "table", help_heading = "Output")]
    pub format: Format,
    /// No warnings and no progress, errors only
    #[arg(long, help_heading = "Run")]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
pub struct SimulateArgs {
    /// Number of rows
    #[arg(long, value_name = "N", value_parser = whole::<usize>, help_heading = "Model")]
    pub rows: usize,
    /// Number of features, columns x1 … xD
    #[arg(long, value_name = "D", value_parser = whole::<usize>, help_heading = "Model")]
    pub features: usize,
    /// φ: sigmoid, softplus, leaky-softplus[:K=0.2], silu, gelu, tanh, probit, exp or identity
    #[arg(long, value_name = "NAME[:K]", help_heading = "Model")]
    pub activation: String,
    /// Length of the true w [default: as drawn from N(0, I)]
    #[arg(long, value_name = "R", value_parser = number, help_heading = "Model")]
    pub norm: Option<f64>,
    /// How features are drawn: scaled (N(0, I)/√d), normal, corr:R, uniform or t:NU
    #[arg(long, default_value = "scaled", help_heading = "Model")]
    pub design: String,
    /// none, pre:S[:gauss|uniform|sign], post:S[:gauss|uniform|truncated] or mult:S
    #[arg(long, default_value = "none", help_heading = "Noise")]
    pub noise: String,
    /// Where the table goes; `-` is standard output
    #[arg(short, value_name = "DATA", help_heading = "Output")]
    pub output: PathBuf,
    /// Write the true w, for `fit --init`
    #[arg(long, value_name = "W.json", help_heading = "Output")]
    pub truth: Option<PathBuf>,
    /// Replace output files that exist
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// Draws w, the features and the noise
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = whole::<u64>, help_heading = "Run")]
    pub seed: u64,
    /// No warnings and no progress, errors only
    #[arg(long, help_heading = "Run")]
    pub quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Table,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scaling {
    Standard,
    None,
}

fn noise(typed: &str) -> Result<Noise, String> {
    match typed {
        "pre" => Ok(Noise::Pre),
        "post" => Ok(Noise::Post),
        "auto" => Err("it comes with solver `auto`, which does not exist yet; use `post` or `pre`".into()),
        _ => Err("it is `pre` or `post`".into()),
    }
}

fn whole<T: FromStr>(typed: &str) -> Result<T, &'static str> {
    typed.parse().map_err(|_| "it must be a whole number, not negative and below 2^64")
}

fn number(typed: &str) -> Result<f64, &'static str> {
    typed.parse().map_err(|_| "it must be a number")
}
