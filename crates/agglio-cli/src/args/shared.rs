//! Flags that several commands share, and how their values are read.

use std::path::PathBuf;
use std::str::FromStr;

use agglio::read::Missing;
use clap::{Args, ValueEnum};

use super::flags::{Flags, ModelKeys, RunKeys};
use crate::method::Method;

/// The data, and the roles of its columns.
#[derive(Clone, Debug, Args)]
pub struct TableArgs {
    /// A CSV file; `-` is standard input
    pub data: PathBuf,
    /// The response column y
    #[arg(long, value_name = "Y", value_parser = name, help_heading = "Model")]
    pub target: String,
    /// The covariates (columns x), separated by commas; put a name with a comma in "double quotes" [default: every column
    /// that is not target, weights or offset]
    #[arg(long, value_name = "A,B", value_parser = names, help_heading = "Model", conflicts_with = "drop")]
    pub features: Vec<Names>,
    /// Columns to leave out (same syntax as --features)
    #[arg(long, value_name = "A,B", value_parser = names, help_heading = "Model")]
    pub drop: Vec<Names>,
    #[command(flatten)]
    pub model: Flags<ModelKeys>,
    /// Fit without the intercept b
    #[arg(long, help_heading = "Model")]
    pub no_intercept: bool,
    /// A column that is added to xᵀw + b, with a fixed coefficient of 1
    #[arg(long, value_name = "COL", value_parser = name, help_heading = "Model")]
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

/// Names of columns that were typed in one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names(pub Vec<String>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Table,
    Json,
}

impl TableArgs {
    /// The options of a fit that are given with the table.
    pub fn method(&self) -> Method {
        let mut method = self.model.method.clone();
        method.spec.intercept = self.no_intercept.then_some(false);
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

/// Names with commas between them, in quotes or not, as in a file's header.
fn names(typed: &str) -> Result<Names, &'static str> {
    let mut names = Vec::new();
    let mut rest = Some(typed);
    while let Some(text) = rest {
        let name = match text.trim_ascii_start().strip_prefix('"') {
            Some(quoted) => {
                let (name, after) =
                    unquote(quoted).ok_or("a name that begins with a double quote must end with one")?;
                rest = match after.trim_ascii_start() {
                    "" => None,
                    after => {
                        Some(after.strip_prefix(',').ok_or("a name in double quotes must be followed by a comma")?)
                    }
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
