//! The *error* type of the crate. A message says what is wrong, where it is, and what to do.
//!
//! A fit that does not converge is not an error; it is a [`StopReason`](crate::outcome::StopReason).

use std::fmt;
use std::path::{Path, PathBuf};

/// `Result` with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// An error of this crate. It is as large as one pointer; [`Error::kind`] returns the case, and [`Error::hint`] the advice.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    hint: Option<Hint>,
}

/// A way out that each front end words in its own terms: as a flag, or as a keyword argument.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hint {
    /// Rows with missing values can be dropped.
    DropRows,
    /// The column of this name can be left out of the features.
    DropColumn(String),
    /// The covariate must be named, such as the column of this name.
    NameCovariate(String),
    /// The file may have no line of names.
    NoHeader,
    /// The fields may be separated by another character.
    Delimiter,
    /// The report of a fit says why it has no standard errors.
    StandardErrors,
}

/// The kinds of errors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An unknown activation.
    #[error("no activation is called `{name}`{}; the activations are {known}", nearest.as_ref().map(|n| format!(" (did you mean `{n}`?)")).unwrap_or_default())]
    UnknownActivation {
        /// The name as typed.
        name: String,
        /// The most similar existing name, if one is similar enough.
        nearest: Option<String>,
        /// All existing names.
        known: String,
    },
    /// A piecewise linear activation. Graduation does not change it.
    #[error("`{name}` is positively homogeneous (φ(τz) = τφ(z)), so graduation does not change it; use {instead}")]
    Homogeneous {
        /// The name as typed.
        name: String,
        /// The smooth activations to use instead.
        instead: &'static str,
    },
    /// An option that does not exist.
    #[error("no {noun} is called `{name}`; {}", nearest.as_ref().map_or_else(|| format!("the keys are {known}"), |n| format!("did you mean `{n}`?")))]
    UnknownKey {
        /// The kind of option that was looked for.
        noun: &'static str,
        /// As typed.
        name: String,
        /// The key that exists and is spelled most like it, if any is close.
        nearest: Option<String>,
        /// The keys that exist.
        known: String,
    },
    /// A parameter with a value that is not allowed.
    #[error("{name} is {value}; {allowed}")]
    Parameter {
        /// The name of the parameter.
        name: String,
        /// The value as given.
        value: String,
        /// The allowed values, as a clause that follows a semicolon.
        allowed: String,
    },
    /// A choice that another one rules out.
    #[error("{one} does not take {other}: {reason}")]
    Incompatible {
        /// The choice that stands.
        one: String,
        /// The one that it rules out.
        other: String,
        /// Why, and what to choose instead.
        reason: String,
    },
    /// A pass over rows that were read block by block was ended by an interrupt.
    #[error("interrupted while rows were read")]
    Interrupted,
    /// Data from which no problem can be built.
    #[error("{0}")]
    Data(String),
    /// A covariate that cannot be used.
    #[error("covariate {}: {what}", index + 1)]
    Feature {
        /// Index of the column, from 0.
        index: usize,
        /// What is wrong and what to do.
        what: String,
    },
    /// A position in a data file.
    #[error("{}:{line}: {}{what}", file.display(), column.as_ref().map(|c| format!("column `{c}`: ")).unwrap_or_default())]
    Cell {
        /// The file.
        file: PathBuf,
        /// Line, from 1.
        line: u64,
        /// Name of the column, if the error is in one column.
        column: Option<String>,
        /// What is wrong and what to do.
        what: String,
    },
    /// A whole file.
    #[error("{}: {what}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What is wrong and what to do.
        what: String,
    },
}

/// A number whose text is longer than this is shown with an exponent.
const LONGEST: usize = 24;

impl Error {
    /// The kind of error.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// A way out, where it depends on the front end.
    pub fn hint(&self) -> Option<&Hint> {
        self.0.hint.as_ref()
    }

    /// The same error with a way out.
    #[must_use]
    pub(crate) fn with_hint(mut self, hint: Option<Hint>) -> Error {
        self.0.hint = hint;
        self
    }

    /// The same error with the name of the column in place of its index.
    #[must_use]
    pub fn with_names(self, names: &[String]) -> Error {
        match self.kind() {
            ErrorKind::Feature { index, what } => match names.get(*index) {
                Some(name) => Error::data(format!("column `{name}`: {what}")),
                None => self,
            },
            _ => self,
        }
    }

    /// The same error about data, with the file that the data comes from.
    #[must_use]
    pub(crate) fn in_file(mut self, path: &Path) -> Error {
        if let ErrorKind::Data(what) = &mut self.0.kind {
            self.0.kind = ErrorKind::File { file: path.to_owned(), what: std::mem::take(what) };
        }
        self
    }

    pub(crate) fn parameter(name: &str, value: impl fmt::Display, allowed: &str) -> Error {
        let (name, typed, allowed) = (name.to_owned(), value.to_string(), allowed.to_owned());
        // 1e300 would be shown with three hundred zeros
        let value = match typed.parse::<f64>() {
            Ok(number) if typed.len() > LONGEST => format!("{number:e}"),
            _ => typed,
        };
        ErrorKind::Parameter { name, value, allowed }.into()
    }

    pub(crate) fn data(what: impl Into<String>) -> Error {
        ErrorKind::Data(what.into()).into()
    }

    pub(crate) fn file(file: impl Into<PathBuf>, what: impl fmt::Display) -> Error {
        ErrorKind::File { file: file.into(), what: what.to_string() }.into()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.kind.fmt(f)?;
        self.hint().map_or(Ok(()), |hint| hint.fmt(f))
    }
}

/// The end of the sentence that an error is, in the words of the library.
impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Hint::DropRows => ", or drop the rows with missing values",
            Hint::DropColumn(_) => " of the covariates",
            Hint::NameCovariate(_) => " in the features",
            Hint::NoHeader => "; if there is no header, read the file without one",
            Hint::Delimiter => ", or name the delimiter",
            Hint::StandardErrors => "; its report names the option to change",
        })
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.kind.source()
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Error {
        Error(Box::new(Inner { kind, hint: None }))
    }
}
