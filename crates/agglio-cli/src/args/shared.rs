//! Flags that several commands share, and how their values are read.

use std::path::PathBuf;
use std::str::FromStr;

use agglio::Curve;
use agglio::read::Missing;
use agglio::table::{Formula, quoted};
use clap::{Args, ValueEnum};

use super::flags::{Flags, ModelKeys, RunKeys};
use crate::method::Method;

/// The data, and the roles of its columns.
#[derive(Clone, Debug, Args)]
pub struct TableArgs {
    /// A CSV file; `-` is standard input
    pub data: PathBuf,
    /// The response column y
    #[arg(long, value_name = "Y", value_parser = name, help_heading = "Model", required_unless_present = "formula")]
    pub target: Option<String>,
    /// Response and covariates in one line, in place of --target, --features, --drop and --no-intercept: 'y ~ x1 + log(x2) +
    /// a:b'. `.` means every other column; `- x` removes a term; `- 1` or `+ 0` removes the intercept; offset(x) is the same as
    /// --offset x
    #[arg(long, value_name = "FORMULA", value_parser = formula, help_heading = "Model",
        conflicts_with_all = ["target", "features", "drop", "no_intercept"])]
    pub formula: Option<Formula>,
    /// The covariates, separated by commas: columns x, or terms log(x) (natural), sqrt(x), x^2, a:b (product), a*b (a, b and
    /// a:b), lag* (all columns whose names begin with lag). Put a name with special characters in `backticks` or "double quotes"
    /// [default: every column that is not target, weights or offset]
    #[arg(long, value_name = "TERMS", value_parser = names, help_heading = "Model", conflicts_with = "drop")]
    pub features: Vec<Names>,
    /// Columns to leave out (same syntax as --features)
    #[arg(long, value_name = "A,B", value_parser = names, help_heading = "Model")]
    pub drop: Vec<Names>,
    #[command(flatten)]
    pub model: Flags<ModelKeys>,
    /// A curve of one covariate by its name: LL.3, LL.4, SSlogis, gompertz, michaelis-menten, emax or hill. It sets activation
    /// and range. Give the dose, not its logarithm: the curve takes the logarithm where it needs it
    #[arg(long, value_name = "NAME", value_parser = curve, help_heading = "Model",
        conflicts_with_all = ["activation", "range", "affine", "no_intercept", "offset"])]
    pub curve: Option<Curve>,
    /// Fit without the intercept b
    #[arg(long, help_heading = "Model")]
    pub no_intercept: bool,
    /// A column or term that is added to xᵀw + b, with a fixed coefficient of 1
    #[arg(long, value_name = "TERM", value_parser = name, help_heading = "Model")]
    pub offset: Option<String>,
    /// A column with a weight for each row, 0 or more
    #[arg(long, value_name = "COL", value_parser = name, help_heading = "Model")]
    pub weights: Option<String>,
    /// What to do if a row has an empty cell, NA, null or nan in a column that is used: stop with an error, or drop the row
    #[arg(long, value_name = "error|drop", default_value = "error", value_parser = missing, help_heading = "Data")]
    pub missing: Missing,
    #[command(flatten)]
    pub csv: CsvArgs,
}

/// How the data is written.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct CsvArgs {
    /// The file has no header: columns are called 1, 2, 3 and so on
    #[arg(long, help_heading = "Data")]
    pub no_header: bool,
    /// The field separator: a character, or `tab` [default: the most frequent of , ; | and tab in the first line]
    #[arg(long, value_name = "CHAR", value_parser = delimiter, help_heading = "Data")]
    pub delimiter: Option<u8>,
}

/// Options that change no model.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub flags: Flags<RunKeys>,
    /// Print no warnings and no progress bar; results and errors are still printed
    #[arg(long, help_heading = "Run")]
    pub quiet: bool,
}

/// Columns and terms that were typed in one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names(pub Vec<String>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Table,
    Json,
}

/// How a fit is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FitFormat {
    Table,
    Json,
    /// One row for each coefficient, as CSV or JSON.
    Tidy {
        json: bool,
    },
    /// One row for the fit.
    Glance {
        json: bool,
    },
    /// One row for each observation.
    Augment {
        json: bool,
    },
}

pub(super) fn fit_format(typed: &str) -> Result<FitFormat, &'static str> {
    let (name, json) = match typed.split_once(':') {
        Some((name, "json")) => (name, true),
        Some(_) => ("", false),
        None => (typed, false),
    };
    match (name, json) {
        ("table", false) => Ok(FitFormat::Table),
        ("json", false) => Ok(FitFormat::Json),
        ("tidy", json) => Ok(FitFormat::Tidy { json }),
        ("glance", json) => Ok(FitFormat::Glance { json }),
        ("augment", json) => Ok(FitFormat::Augment { json }),
        _ => Err("it must be table, json, tidy, glance or augment, or one of the last three with :json after it"),
    }
}

impl TableArgs {
    /// The options of a fit that are given with the table.
    pub fn method(&self) -> Method {
        let mut method = self.model.method.clone();
        let leaves_out = self.no_intercept || self.formula.as_ref().is_some_and(|formula| !formula.intercept());
        method.spec.intercept = leaves_out.then_some(false);
        if let Some(curve) = self.curve {
            method.spec.activation = Some(curve.activation().to_owned());
            (method.spec.range, method.spec.affine) = curve.response();
        }
        method
    }
}

impl RunArgs {
    pub fn seed(&self) -> u64 {
        self.flags.method.spec.seed.unwrap_or(0)
    }

    pub fn threads(&self) -> Option<usize> {
        self.flags.method.spec.threads
    }
}

fn curve(typed: &str) -> Result<Curve, String> {
    typed.parse().map_err(|why: agglio::Error| why.to_string())
}

/// Columns and terms with commas between them. A name in quotes, as in a file's header, is never a term.
pub(super) fn names(typed: &str) -> Result<Names, &'static str> {
    list(typed, quoted)
}

/// Columns with commas between them.
pub(super) fn plain_names(typed: &str) -> Result<Names, &'static str> {
    list(typed, str::to_owned)
}

/// Texts with commas between them; `unquoted` is what a text in quotes stands for.
fn list(typed: &str, unquoted: impl Fn(&str) -> String) -> Result<Names, &'static str> {
    let mut names = Vec::new();
    let mut rest = Some(typed);
    while let Some(text) = rest {
        let name = match text.trim_ascii_start().strip_prefix('"') {
            Some(quote) => {
                let (name, after) = unquote(quote).ok_or("a name that begins with a double quote must end with one")?;
                rest = match after.trim_ascii_start() {
                    "" => None,
                    after => {
                        Some(after.strip_prefix(',').ok_or("a name in double quotes must be followed by a comma")?)
                    }
                };
                unquoted(&self::name(&name)?)
            }
            None => {
                let (name, after) = comma(text).and_then(|at| text.split_at_checked(at)).unwrap_or((text, ""));
                rest = after.strip_prefix(',');
                name.to_owned()
            }
        };
        names.push(self::name(&name)?);
    }
    Ok(Names(names))
}

/// The first comma that is neither in parentheses nor in backticks, unless these are never closed.
fn comma(text: &str) -> Option<usize> {
    let (mut depth, mut in_backticks) = (0_i64, false);
    let found = text.char_indices().find(|&(_, c)| {
        in_backticks ^= c == '`';
        depth += if in_backticks { 0 } else { i64::from(c == '(') - i64::from(c == ')') };
        c == ',' && depth <= 0 && !in_backticks
    });
    found.map(|(at, _)| at).or_else(|| text.find(',').filter(|_| depth > 0 || in_backticks))
}

fn formula(typed: &str) -> Result<Formula, String> {
    Formula::parse(typed).map_err(|why| why.to_string())
}

/// A name without the spaces around it. The header of a file is read in the same way.
pub(super) fn name(typed: &str) -> Result<String, &'static str> {
    match typed.trim_ascii() {
        "" => Err("a name is empty"),
        name => Ok(name.to_owned()),
    }
}

/// The text before the closing quote, and the text after it. Two quotes in a row stand for one quote inside the name.
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
        _ => Err("it must be one character such as `,` `;` `|`, or `tab`"),
    }
}

fn missing(typed: &str) -> Result<Missing, &'static str> {
    match typed {
        "error" => Ok(Missing::Error),
        "drop" => Ok(Missing::Drop),
        _ => Err("it must be `error` or `drop`"),
    }
}

pub(super) fn whole<T: FromStr>(typed: &str) -> Result<T, &'static str> {
    typed.parse().map_err(|_| "it must be a whole number, not negative and below 2^64")
}

pub(super) fn number(typed: &str) -> Result<f64, &'static str> {
    typed.parse().map_err(|_| "it must be a number")
}
