//! A *term* is a covariate that is computed from columns: a column, its logarithm, square root or power, or a product of
//! these.

use std::fmt;

/// `f(x)` of one column; the logarithm is the natural one
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// x
    Identity,
    /// ln x, for x > 0
    Log,
    /// √x, for x ≥ 0
    Sqrt,
}

/// `f(x)^k`, a transformation of one number
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// f.
    pub function: Function,
    /// k, from −100 to 100, not 0. Fractional powers need f(x) ≥ 0, and negative ones f(x) ≠ 0.
    pub power: f64,
}

/// A transformed column, as part of a [`Term`].
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    /// Name of the column.
    pub column: String,
    /// Its transformation.
    pub transform: Transform,
}

/// `Π_k f_k(x_k)`, a product of one or more factors
///
/// Its text can be parsed back: names with special characters are in backticks.
///
/// # Examples
///
/// ```
/// use agglio::table::Term;
///
/// let term = Term::parse("log(dose) : age^2")?;
/// assert_eq!(term.to_string(), "log(dose):age^2");
/// assert_eq!(Term::parse("`log(dose)`")?.name(), "log(dose)");
/// # Ok::<(), agglio::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Term(pub(super) Vec<Factor>);

/// Why a number has no transformed value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    /// The logarithm of a number that is not positive.
    Log,
    /// The square root of a negative number.
    Sqrt,
    /// A fractional power of a negative number.
    Fraction,
    /// A negative power of zero.
    Zero,
    /// The value of the term overflows.
    Overflow,
}

/// The characters that end a name outside backticks.
pub(super) const SPECIAL: &str = "`:*^()~,+-";

impl Transform {
    /// The number as it is.
    pub const IDENTITY: Transform = Transform { function: Function::Identity, power: 1.0 };

    /// The natural logarithm of the number.
    pub const LOGARITHM: Transform = Transform { function: Function::Log, power: 1.0 };

    /// The value at x.
    pub(crate) fn apply(self, x: f64) -> Result<f64, Domain> {
        let base = match self.function {
            Function::Identity => x,
            Function::Log if x > 0.0 => x.ln(),
            Function::Log => return Err(Domain::Log),
            Function::Sqrt if x >= 0.0 => x.sqrt(),
            Function::Sqrt => return Err(Domain::Sqrt),
        };
        let value = match self.power {
            1.0 => return Ok(base),
            2.0 => base * base,
            power if base < 0.0 && power.fract() != 0.0 => return Err(Domain::Fraction),
            power if base == 0.0 && power < 0.0 => return Err(Domain::Zero),
            power => base.powf(power),
        };
        if value.is_finite() { Ok(value) } else { Err(Domain::Overflow) }
    }
}

impl Domain {
    /// Describes the problem of a cell, and what to do.
    pub(crate) fn describe(self) -> (&'static str, &'static str) {
        match self {
            Domain::Log => ("has no logarithm", "correct it, remove the row, or use the column without log"),
            Domain::Sqrt => ("has no square root", "correct it, remove the row, or use the column without sqrt"),
            Domain::Fraction => {
                ("is negative and has no fractional power", "correct it, remove the row, or use a whole power")
            }
            Domain::Zero => ("has no negative power", "correct it, remove the row, or use a positive power"),
            Domain::Overflow => ("overflows a double in its term", "rescale the column"),
        }
    }
}

impl Factor {
    pub(super) fn plain(column: &str) -> Factor {
        Factor { column: column.to_owned(), transform: Transform::IDENTITY }
    }
}

impl Term {
    /// The term that is a column.
    pub fn column(name: &str) -> Term {
        Term(vec![Factor::plain(name)])
    }

    /// Its factors, at least one.
    pub fn factors(&self) -> &[Factor] {
        &self.0
    }

    /// The name of the column, if the term is a column as it is.
    pub fn as_column(&self) -> Option<&str> {
        match self.0.as_slice() {
            [factor] if factor.transform == Transform::IDENTITY => Some(&factor.column),
            _ => None,
        }
    }

    /// The name of the column, if the term is the natural logarithm of one.
    pub fn logarithm_of(&self) -> Option<&str> {
        match self.0.as_slice() {
            [factor] if factor.transform == Transform::LOGARITHM => Some(&factor.column),
            _ => None,
        }
    }

    /// Its name in reports and model files: the name of the column, or the text of the term.
    pub fn name(&self) -> String {
        self.as_column().map_or_else(|| self.to_string(), ToOwned::to_owned)
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = quoted(&self.column);
        match self.transform.function {
            Function::Identity => write!(f, "{column}")?,
            Function::Log => write!(f, "log({column})")?,
            Function::Sqrt => write!(f, "sqrt({column})")?,
        }
        if self.transform.power == 1.0 { Ok(()) } else { write!(f, "^{}", self.transform.power) }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, factor) in self.0.iter().enumerate() {
            let colon = if k == 0 { "" } else { ":" };
            write!(f, "{colon}{factor}")?;
        }
        Ok(())
    }
}

/// The name of a column inside a term: as it is, or in backticks if it has special characters. A backtick in the name is
/// doubled.
///
/// # Examples
///
/// ```
/// use agglio::table::quoted;
///
/// assert_eq!((quoted("dose mg"), quoted("log(dose)")), ("dose mg".into(), "`log(dose)`".into()));
/// ```
pub fn quoted(name: &str) -> String {
    let is_plain = !name.is_empty() && name != "." && name.trim() == name && !name.contains(|c| SPECIAL.contains(c));
    if is_plain { name.to_owned() } else { format!("`{}`", name.replace('`', "``")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_outside_the_domain_are_refused() {
        let apply = |function, power, x| Transform { function, power }.apply(x);
        assert_eq!(apply(Function::Log, 1.0, 0.0), Err(Domain::Log));
        assert_eq!(apply(Function::Log, 2.0, -1.0), Err(Domain::Log));
        assert_eq!(apply(Function::Log, 2.0, 0.5), Ok(0.5_f64.ln() * 0.5_f64.ln()));
        assert_eq!(apply(Function::Sqrt, 1.0, -1e-300), Err(Domain::Sqrt));
        assert_eq!(apply(Function::Sqrt, 3.0, 4.0), Ok(8.0));
        assert_eq!(apply(Function::Identity, 0.5, -4.0), Err(Domain::Fraction));
        assert_eq!(apply(Function::Identity, -1.0, 0.0), Err(Domain::Zero));
        assert_eq!(apply(Function::Identity, -1.0, -4.0), Ok(-0.25));
        assert_eq!(apply(Function::Identity, 3.0, -2.0), Ok(-8.0));
        assert_eq!(apply(Function::Identity, 100.0, 1e9), Err(Domain::Overflow));
        assert_eq!(apply(Function::Log, 0.5, 0.5), Err(Domain::Fraction));
    }
}
