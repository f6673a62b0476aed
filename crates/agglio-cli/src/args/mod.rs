//! *Arguments* are the flags as typed, before names are looked up and files are opened.

mod answer;
mod brief;
mod effects;
mod flags;
mod groups;
mod models;
mod predict;
mod shared;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

pub use answer::{AnswerArgs, Se};
use anyhow::Result;
pub use effects::EffectsArgs;
use flags::{Flags, ProofKeys, SharedKeys, SolverKeys};
pub use groups::{GroupArgs, require_table_only};
pub use models::{Model, Models};
pub use predict::PredictArgs;
pub use shared::{CsvArgs, FitFormat, Format, Names, RunArgs, TableArgs};
use shared::{fit_format, name, number, whole};

use crate::method::Method;

const EXAMPLE: &str = "\
Example:
  agglio demo
  agglio simulate --rows 1000 --features 5 --activation sigmoid --noise post:0.05 -o data.csv
  agglio fit data.csv --target y --activation sigmoid --model model.json
  agglio predict model.json data.csv -o predictions.csv
  agglio score model.json data.csv
  agglio effects model.json data.csv
  agglio compare data.csv --target y --solvers auto,gd,lm
  agglio theory --activation sigmoid --radius 1
  agglio tune data.csv --target y --solver gd --grid 'eta=1,4,16;tau0=logspace(1e-4,0.1,4)'
  agglio paper fig1 --out figures

The paper is \"AGGLIO: Global Optimization for Locally Convex Functions\" by Dey, Mukhoty and Kar.

Exit status: 0 success (for a fit: certified), 3 fitted but not certified, 2 bad usage, input or output, 130 or 143 interrupted.";

/// Fits y ≈ φ(xᵀw + b) by least squares for a nonlinear activation φ, without starting values.
#[derive(Debug, Parser)]
#[command(name = "agglio", version, after_help = EXAMPLE, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// The definition of the command line, with all of its help.
pub fn definition() -> clap::Command {
    brief::brief(Cli::command().mut_subcommands(flags::explained))
}

/// Reads the words of a command line, the first of which is the program's name.
///
/// # Errors
/// For bad usage; a request for help or the version is one too.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let words: Vec<OsString> = words.into_iter().collect();
    let mut unexplained = brief::brief(Cli::command());
    match unexplained.try_get_matches_from_mut(&words) {
        Ok(mut matches) => Cli::from_arg_matches_mut(&mut matches).map_err(|why| why.format(&mut unexplained)),
        Err(why) if shows_help(&why) => Err(definition().try_get_matches_from(words).err().unwrap_or(why)),
        Err(why) => Err(why),
    }
}

fn shows_help(why: &clap::Error) -> bool {
    matches!(why.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand)
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Fit a data set that comes with the program
    Demo,
    /// Fit a model to a table
    ///
    /// The method is graduation: the fit begins at a low temperature τ, where the curve is almost a straight line, and follows the
    /// solution as τ rises to 1, where the curve is φ
    Fit(Box<FitArgs>),
    /// Compare several models fitted to one table, or several solvers
    ///
    /// Several models: repeat one of --formula, --curve, --range and --affine, once for each model, to see their statistics and
    /// tests of nested models.
    /// Several solvers: list them after --solvers
    Compare(Box<CompareArgs>),
    /// Try many settings of a solver, ranked by loss on held-out rows
    ///
    /// Solver auto and the mean response are shown for comparison
    Tune(Box<TuneArgs>),
    /// Predict the response for a table
    Predict(PredictArgs),
    /// Print the average marginal effects of the covariates
    ///
    /// An effect is the change of the response for each unit of a covariate, averaged over the rows of a table. Standard errors
    /// are by the delta method. A term such as log(x) is one covariate
    Effects(EffectsArgs),
    /// Compare the predictions of a model with the responses of a table
    Score(ScoreArgs),
    /// Print the results in a model file, without the data
    ///
    /// A model file has the estimates, their covariance and the statistics of the fit. It has no verdict, no effort, and no results of
    /// --ec and --test
    Show(ShowArgs),
    /// Write a table drawn from a known model
    Simulate(SimulateArgs),
    /// Print the bounds of the paper's theorems; compare them with data
    Theory(Box<TheoryArgs>),
    /// Reproduce the figures of the paper, and check its claims
    Paper(Box<PaperArgs>),
    /// Measure the speed of the program (takes minutes)
    ///
    /// The time of each computation is compared with a bound that this machine sets
    Bench(BenchArgs),
    /// Print the manual pages, or the completions for a shell
    Generate(GenerateArgs),
}

/// What `generate` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    Man,
    Bash,
    Zsh,
    Fish,
    Powershell,
}

#[derive(Debug, Args)]
pub struct GenerateArgs {
    /// `man` for the manual pages, or the shell that the completions are for
    pub kind: Kind,
    /// A file, or an existing folder. In a folder files get their usual names, and each command has its own manual page
    /// [default: standard output]
    #[arg(short, long, value_name = "FILE|DIR", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Replace output files that exist
    #[arg(long, help_heading = "Output")]
    pub force: bool,
}

#[derive(Debug, Args)]
pub struct PaperArgs {
    /// Figures and tables, such as fig1, fig2a, table1 or theorems; fig2 stands for fig2a, fig2b and fig2c [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// The folder for pictures, numbers, index.html and claims.csv (also --output). Files of the same names are
    /// replaced; index.html and claims.csv cover only the figures of this run
    #[arg(short, long, alias = "output", value_name = "DIR", help_heading = "Output")]
    pub out: PathBuf,
    /// Fewer and smaller runs: about two minutes for all figures
    #[arg(long, help_heading = "Experiments")]
    pub quick: bool,
    /// Use the parameters of the authors' published code where they differ from those printed in the paper
    #[arg(long, help_heading = "Experiments")]
    pub as_published: bool,
    /// Number of runs of each method on each problem; their seeds count up from --seed [default: 10, with --quick 3]
    #[arg(long, value_name = "N", value_parser = whole::<usize>, help_heading = "Experiments")]
    pub seeds: Option<usize>,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Debug, Parser)]
#[command(allow_negative_numbers = true)]
pub struct FitArgs {
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub groups: GroupArgs,
    #[command(flatten)]
    pub flags: Flags<SolverKeys>,
    #[arg(long, value_name = "NAME[:key=value,…]", default_value = "auto", help_heading = "Method", display_order = 0)]
    pub solver: String,
    #[command(flatten)]
    pub answer: AnswerArgs,
    #[command(flatten)]
    pub proof: Flags<ProofKeys>,
    /// How the result is printed: table, json, tidy, glance or augment[:json]. tidy, glance and augment are CSV with the columns of R's package broom: one row for each
    /// coefficient, for the fit, or for each observation; with `:json` after the name they are JSON [default: table; CSV with --by]
    #[arg(long, value_name = "FORM", value_parser = fit_format, help_heading = "Output")]
    pub format: Option<FitFormat>,
    /// Write the model to this file, for `predict`, `effects`, `score` and `show` (also --output)
    #[arg(short = 'o', long, alias = "output", value_name = "M.json", help_heading = "Output")]
    pub model: Option<PathBuf>,
    /// Write a CSV file with one line per step of the fit
    #[arg(long, value_name = "T.csv", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// A file with the true coefficients w*, from `simulate --truth`, to show the distance ‖w − w*‖, also in the trace
    #[arg(long, value_name = "W.json", help_heading = "Output")]
    pub truth: Option<PathBuf>,
    /// Replace output files that exist
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    #[command(flatten)]
    pub run: RunArgs,
    /// Save the state of the fit to this file from time to time, for --resume; takes less than 1 % of the time
    #[arg(long, value_name = "F", help_heading = "Run")]
    pub checkpoint: Option<PathBuf>,
    /// Continue the fit of a checkpoint file. The data and the options must be the same, except --threads, --quiet and output files
    #[arg(long, value_name = "F", help_heading = "Run")]
    pub resume: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
pub struct CompareArgs {
    #[command(flatten)]
    pub models: Models,
    #[command(flatten)]
    pub flags: Flags<SharedKeys>,
    /// The solvers, as for `fit --solver`, but with `;` between keys: gd,'sgd:batch=20;tol=1e-2',auto. Several models are fitted by
    /// one solver [default for several models: auto]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', help_heading = "Method")]
    pub solvers: Vec<String>,
    /// A file with the true coefficients w*, from `simulate --truth`, to show the distance ‖w − w*‖, also in the traces
    #[arg(long, value_name = "W.json", help_heading = "Output")]
    pub truth: Option<PathBuf>,
    /// Write a CSV file with one line per step for each solver (or model) into this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// Replace output files that exist
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// How the result is printed
    #[arg(long, default_value = "table", help_heading = "Output")]
    pub format: Format,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Debug, Parser)]
#[command(allow_negative_numbers = true)]
pub struct TuneArgs {
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub flags: Flags<SolverKeys>,
    /// The solver, as for `fit --solver`; keys that are given here or by flags are the same in all settings
    #[arg(long, value_name = "NAME[:key=value,…]", help_heading = "Method", display_order = 0)]
    pub solver: String,
    /// The values to try for keys of --solver: a list, linspace(FROM,TO,COUNT) or logspace(FROM,TO,COUNT); with --random
    /// also uniform(FROM,TO) and loguniform(FROM,TO). `standard`: a built-in list for each main key that is not
    /// fixed, with learning rates around the default one. `paper`: the values of the paper, and no scaling
    #[arg(long, value_name = "standard|paper|KEY=V1,V2;…", default_value = "standard", help_heading = "Search")]
    pub grid: String,
    /// Try only N settings, drawn at random from the grid
    #[arg(long, value_name = "N", value_parser = whole::<usize>, help_heading = "Search")]
    pub random: Option<usize>,
    /// Share of the rows, drawn at random, that is held out to score the fits [default: 0.2]
    #[arg(long, value_name = "F", value_parser = number, help_heading = "Search", conflicts_with = "folds")]
    pub holdout: Option<f64>,
    /// K-fold cross-validation: hold out each of K parts in turn; the score is the mean
    #[arg(long, value_name = "K", value_parser = whole::<usize>, help_heading = "Search")]
    pub folds: Option<usize>,
    /// How the result is printed
    #[arg(
        long,
        value_name = "table|json",
        hide_possible_values = true,
        default_value = "table",
        help_heading = "Output"
    )]
    pub format: Format,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Debug, Args)]
pub struct ScoreArgs {
    /// A model file of `fit --model`
    pub model: PathBuf,
    /// A CSV file with the columns of the model and its target; `-` is standard input
    pub data: PathBuf,
    #[command(flatten)]
    pub csv: CsvArgs,
    /// How the result is printed
    #[arg(long, default_value = "table", help_heading = "Output")]
    pub format: Format,
    /// Print no warnings and no progress bar; results and errors are still printed
    #[arg(long, help_heading = "Run")]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct ShowArgs {
    /// A model file of `fit --model`
    pub model: PathBuf,
    /// How the model is printed
    #[arg(long, default_value = "table", help_heading = "Output")]
    pub format: Format,
}

#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
pub struct SimulateArgs {
    /// Number of rows
    #[arg(long, value_name = "N", value_parser = whole::<usize>, help_heading = "Model")]
    pub rows: usize,
    /// Number of covariates (columns x1 … xD)
    #[arg(long, value_name = "D", value_parser = whole::<usize>, help_heading = "Model")]
    pub features: usize,
    /// φ: sigmoid (or logistic, logit), softplus, leaky-softplus[:K=0.2], silu (or swish), gelu, tanh, probit, exp,
    /// identity, arctan, cloglog, gompertz or expm1
    #[arg(long, value_name = "NAME[:K]", help_heading = "Model")]
    pub activation: String,
    /// Length of the true w [default: as drawn from N(0, I)]
    #[arg(long, value_name = "R", value_parser = number, help_heading = "Model")]
    pub norm: Option<f64>,
    /// Distribution of the covariates: scaled (N(0, I)/√d), normal (N(0, I)), corr:R (correlation R between neighbours),
    /// uniform, or t:NU (Student's t)
    #[arg(long, default_value = "scaled", help_heading = "Model")]
    pub design: String,
    /// none, pre:S[:gauss|uniform|sign] before φ, post:S[:gauss|uniform|truncated] after φ, or mult:S, which multiplies φ by
    /// 1 + ε. ε is normal with standard deviation S, uniform on (−S, S), or ±S (sign); truncated: normal, drawn
    /// again until the response is inside the range of φ
    #[arg(long, default_value = "none", help_heading = "Noise")]
    pub noise: String,
    /// File for the table; `-` is standard output
    #[arg(short, long, value_name = "DATA", help_heading = "Output")]
    pub output: PathBuf,
    /// Write the true coefficients, for `fit --init`, `fit --truth` and `compare --truth`
    #[arg(long, value_name = "W.json", help_heading = "Output")]
    pub truth: Option<PathBuf>,
    /// Replace output files that exist
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// Seed for w, the covariates and the noise
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = whole::<u64>, help_heading = "Run")]
    pub seed: u64,
    /// Print no warnings and no progress bar; results and errors are still printed
    #[arg(long, help_heading = "Run")]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
pub struct TheoryArgs {
    /// φ: sigmoid, softplus or leaky-softplus[:K=0.2]; with --check also silu, gelu, tanh, probit, exp, identity, arctan,
    /// cloglog, gompertz or expm1
    #[arg(long, value_name = "NAME[:K]", help_heading = "Model")]
    pub activation: String,
    /// Bound R on the length of the true w
    #[arg(long, value_name = "R", value_parser = number, help_heading = "Model")]
    pub radius: f64,
    /// none, pre:S[:gauss|uniform|sign] before φ, or post:S:uniform after φ (for a radius of at most 1). The noise is normal
    /// with standard deviation S, uniform on (−S, S), or ±S (sign)
    #[arg(long, default_value = "none", help_heading = "Noise")]
    pub noise: String,
    /// Number of rows n: print the constants and error bounds for a sample of n rows; needs --features
    #[arg(long, value_name = "N", value_parser = whole::<usize>, requires = "features", help_heading = "Data")]
    pub rows: Option<usize>,
    /// Number of covariates; needed for --rows, for the epochs of Algorithm 2 and for noise after φ
    #[arg(long, value_name = "D", value_parser = whole::<usize>, help_heading = "Data")]
    pub features: Option<usize>,
    /// A CSV file. Solver auto fits it without intercept and scaling, and eigenvalues of the Hessian are measured around the fit
    #[arg(long, value_name = "DATA", requires = "target", conflicts_with_all = ["rows", "features"], help_heading = "Data")]
    pub check: Option<PathBuf>,
    /// The response column y of that file; all other columns are covariates
    #[arg(long, value_name = "Y", value_parser = name, requires = "check", help_heading = "Data")]
    pub target: Option<String>,
    /// How the result is printed
    #[arg(long, default_value = "table", help_heading = "Output")]
    pub format: Format,
    #[command(flatten)]
    pub run: RunArgs,
}

/// The options that are given by flags.
fn given<K>(table: &TableArgs, flags: &Flags<K>, run: &RunArgs) -> Method {
    table.method().and(&flags.method).and(&run.flags.method)
}

impl FitArgs {
    /// The method, by flags and by keys after the solver's name.
    ///
    /// # Errors
    /// As [`Method::solved_by`].
    pub fn method(&self) -> Result<Method> {
        given(&self.table, &self.flags, &self.run).and(&self.proof.method).solved_by(&self.solver)
    }
}

impl CompareArgs {
    /// The options of a model that all solvers share.
    pub fn shared(&self, model: &Model) -> Method {
        given(&model.table, &self.flags, &self.run)
    }
}

impl TuneArgs {
    /// The method with a solver as it is typed.
    ///
    /// # Errors
    /// As [`Method::solved_by`].
    pub fn method(&self, solver: &str) -> Result<Method> {
        given(&self.table, &self.flags, &self.run).solved_by(solver.trim())
    }
}
