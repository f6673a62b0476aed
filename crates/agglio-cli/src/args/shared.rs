//! Flags that several commands share, and how their values are read.

use std::path::PathBuf;
use std::str::FromStr;

use agglio::{Noise, Restarts};
use clap::{Args, Parser, ValueEnum};

/// The data, and what its columns are in the model.
#[derive(Clone, Debug, Args)]
pub struct TableArgs {
    /// A CSV file; `-` is standard input
    pub data: PathBuf,
    /// The column of labels y
    #[arg(long, value_name = "Y", value_parser = name, help_heading = "Model")]
    pub target: String,
    /// The columns that are features; put a name with a comma in "double quotes" [default: every column that is not
    /// target, weights or offset]
    #[arg(long, value_name = "A,B", value_parser = names, help_heading = "Model", conflicts_with = "drop")]
    pub features: Vec<Names>,
    /// Columns that are not features, written in the same way; all others are
    #[arg(long, value_name = "A,B", value_parser = names, help_heading = "Model")]
    pub drop: Vec<Names>,
    /// φ: sigmoid, softplus, leaky-softplus[:K=0.2], silu, gelu, tanh, probit, exp or identity
    #[arg(long, value_name = "NAME[:K]", default_value = "sigmoid", help_heading = "Model")]
    pub activation: String,
    /// Fit xᵀw without b
    #[arg(long, help_heading = "Model")]
    pub no_intercept: bool,
    /// A column that is added to xᵀw
    #[arg(long, value_name = "COL", value_parser = name, help_heading = "Model")]
    pub offset: Option<String>,
    /// A column of row weights, not negative
    #[arg(long, value_name = "COL", value_parser = name, help_heading = "Model")]
    pub weights: Option<String>,
    /// What to do with rows that have an empty cell, NA, null or nan in a column that is used
    #[arg(
        long,
        default_value = "error",
        hide_possible_values = true,
        value_name = "error|drop",
        help_heading = "Data"
    )]
    pub missing: Missing,
    #[command(flatten)]
    pub csv: CsvArgs,
}

/// How the data is written.
#[derive(Clone, Copy, Debug, Args)]
pub struct CsvArgs {
    /// The file has no line of names: columns are called 1, 2, 3 and so on
    #[arg(long, help_heading = "Data")]
    pub no_header: bool,
    /// The field separator: a character, or `tab` [default: the most frequent of , ; | and tab in the first line]
    #[arg(long, value_name = "CHAR", value_parser = delimiter, help_heading = "Data")]
    pub delimiter: Option<u8>,
}

/// What has no say in the model or the method.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// Draws random starts, minibatches, the parts of the rows that fits from other starts begin on, rows held out and the
    /// like; changes nothing where none are used
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = whole::<u64>, help_heading = "Run")]
    pub seed: u64,
    /// Number of threads; changes no result [default: one for each core]
    #[arg(long, value_name = "N", value_parser = whole::<usize>, help_heading = "Run")]
    pub threads: Option<usize>,
    /// No warnings and no progress, errors only
    #[arg(long, help_heading = "Run")]
    pub quiet: bool,
}

/// Where noise enters, and so where the temperature ends.
#[derive(Clone, Debug, Default, Args)]
pub struct NoiseArgs {
    /// Where noise enters: `post`, after φ (least squares on y); `pre`, before it (least squares on φ⁻¹(y)); `auto`, before
    /// it only where that is clearly the better model, for solver auto [default: post]
    #[arg(long, value_name = "post|pre|auto", value_parser = noise, help_heading = "Noise")]
    pub noise: Option<Noise>,
    /// The last temperature, 0 to 1, whatever the noise [default: 0 for `pre`, 1 for `post`]
    #[arg(long, value_name = "T", value_parser = number, help_heading = "Noise")]
    pub tau_max: Option<f64>,
}

/// The solver's units, where it begins in them, and how far it may go.
#[derive(Clone, Debug, Default, Args)]
pub struct PlaceArgs {
    /// Where to begin; S scales N(0, I), 10/√d unless given [default: zero]
    #[arg(long, value_name = "zero|random[:S]|W.json", help_heading = "Method")]
    pub init: Option<String>,
    /// Coordinates of the solver: columns standardised, or as they are [default: standard; none for theory]
    #[arg(long, value_name = "standard|none", hide_possible_values = true, help_heading = "Method")]
    pub scaling: Option<Scaling>,
    /// Keep ‖w‖ ≤ R in the solver's coordinates, without the intercept; not for lbfgs [default: no bound]. For theory: a bound on
    /// the true w, and nothing is projected
    #[arg(long, value_name = "R", value_parser = number, help_heading = "Method")]
    pub radius: Option<f64>,
}

/// The flags that may also be typed as keys after the solver's name.
#[derive(Clone, Debug, Default, Parser)]
pub struct MethodArgs {
    #[command(flatten)]
    pub noise: NoiseArgs,
    /// The first temperature of the paper's variants; 1 is no graduation [default: 0.01, lower for a far start]
    #[arg(long, value_name = "T", value_parser = number, help_heading = "Method")]
    pub tau0: Option<f64>,
    /// Factor by which their temperature grows at each stage, above 1 [default: 1.05]
    #[arg(long, value_name = "B", value_parser = number, help_heading = "Method")]
    pub beta: Option<f64>,
    /// Step length in the solver's coordinates, also of ngd, gradopt, glmtron [default: 1/Λ from the data; 0.3 for adam, yogi, ngd]
    #[arg(long, value_name = "E", value_parser = number, help_heading = "Method")]
    pub eta: Option<f64>,
    /// How much of the last step momentum and nesterov keep, 0 to 1 [default: 0.9]
    #[arg(long, value_name = "M", value_parser = number, help_heading = "Method")]
    pub mu: Option<f64>,
    /// How much of the mean gradient adam and yogi keep, 0 to 1 [default: 0.9]
    #[arg(long, value_name = "B", value_parser = number, help_heading = "Method")]
    pub beta1: Option<f64>,
    /// How much of the mean squared gradient adam and yogi keep, 0 to 1 [default: 0.99]
    #[arg(long, value_name = "B", value_parser = number, help_heading = "Method")]
    pub beta2: Option<f64>,
    /// The ε in the denominator of adam and yogi; if given, their step does not decay [default: eta·Λ, with decay]
    #[arg(long, value_name = "E", value_parser = number, help_heading = "Method")]
    pub epsilon: Option<f64>,
    /// The first smoothing radius of gradopt [default: --radius, or about the distance to the optimum]
    #[arg(long, value_name = "D", value_parser = number, help_heading = "Method")]
    pub delta: Option<f64>,
    /// Rows in a minibatch, for sgd, svrg, saga, adam, yogi, gradopt, theory:algorithm=2 [default: 50], and ngd [default: all]
    #[arg(long, value_name = "N", value_parser = whole::<usize>, help_heading = "Method")]
    pub batch: Option<usize>,
    /// Maximum number of iterations (full batch) or epochs (minibatch) [default: 3000 iterations, 500 epochs]
    #[arg(long, value_name = "N", value_parser = whole::<usize>, help_heading = "Method")]
    pub epochs: Option<usize>,
    /// The relative gradient to stop at [default: 1e-10]
    #[arg(long, value_name = "T", value_parser = number, help_heading = "Method")]
    pub tol: Option<f64>,
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Extra fits of solver auto, started from random subsets of the rows. `auto`: continue until half of them reach the same
    /// minimum [default: 0; solver auto tries other starts by itself where a lower minimum is possible]
    #[arg(long, value_name = "K|auto", value_parser = restarts, help_heading = "Method")]
    pub restarts: Option<Restarts>,
    /// Add L·‖w‖² to the loss, in the solver's coordinates and not on the intercept; not for saga [default: 0]
    #[arg(long, value_name = "L", value_parser = number, help_heading = "Method")]
    pub l2: Option<f64>,
}

/// Names of columns that were typed in one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names(pub Vec<String>);

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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Missing {
    Error,
    Drop,
}

/// Names with commas between them, in quotes or not, as in a file's header.
fn names(typed: &str) -> Result<Names, &'static str> {
    let mut names = Vec::new();
    let mut rest = Some(typed);
    while let Some(text) = rest {
        let name = match text.trim_ascii_start().strip_prefix('"') {
            Some(quoted) => {
                let (name, after) = unquote(quoted).ok_or("a name in double quotes must end with one")?;
                rest = match after.trim_ascii_start() {
                    "" => None,
                    after => Some(after.strip_prefix(',').ok_or("after a name in double quotes comes a comma")?),
                };
                name
            }
            None => {
                let (name, after) = text.split_once(',').map_or((text, None), |(name, after)| (name, Some(after)));
                rest = after;
                name.to_owned()
            }
        };
        names.push(self::name(&name)?);
    }
    Ok(Names(names))
}

/// A name without the blanks around it, which it has not in the file's header either.
pub(super) fn name(typed: &str) -> Result<String, &'static str> {
    match typed.trim_ascii() {
        "" => Err("a name is empty"),
        name => Ok(name.to_owned()),
    }
}

/// What stands before the closing quote, where two in a row are one that does not close, and what after it.
fn unquote(mut text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    loop {
        let (part, after) = text.split_once('"')?;
        name.push_str(part);
        text = after.strip_prefix('"').unwrap_or_default();
        if !after.starts_with('"') {
            return Some((name, after));
        }
        name.push('"');
    }
}

fn delimiter(typed: &str) -> Result<u8, &'static str> {
    match typed.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii_punctuation() && !b"\"'+-.".contains(byte) || *byte == b'\t' => Ok(*byte),
        _ => Err("it is one character such as `,` `;` `|`, or `tab`"),
    }
}

fn noise(typed: &str) -> Result<Noise, String> {
    match typed {
        "pre" => Ok(Noise::Pre),
        "post" => Ok(Noise::Post),
        "auto" => Ok(Noise::Auto),
        _ => Err("it is `post`, `pre` or `auto`".into()),
    }
}

fn restarts(typed: &str) -> Result<Restarts, &'static str> {
    match typed {
        "auto" => Ok(Restarts::Auto),
        count => count.parse().map(Restarts::Count).map_err(|_| "it is a whole number or `auto`"),
    }
}

pub(super) fn whole<T: FromStr>(typed: &str) -> Result<T, &'static str> {
    typed.parse().map_err(|_| "it must be a whole number, not negative and below 2^64")
}

pub(super) fn number(typed: &str) -> Result<f64, &'static str> {
    typed.parse().map_err(|_| "it must be a number")
}
