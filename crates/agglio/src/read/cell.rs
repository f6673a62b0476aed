//! A *cell* is the text of one number in a file. Parsing it gives the number, or a fault.

use crate::read::decimal;
use crate::table::Domain;

/// The texts that mean a missing value.
const MISSING: [&[u8]; 9] = [b"", b"na", b"n/a", b"#n/a", b"null", b"none", b"nil", b"?", b"."];

/// The texts that mean a missing category. Other words for a missing number may be levels.
const MISSING_LEVELS: [&[u8]; 6] = [b"", b"na", b"n/a", b"#n/a", b"null", b"nan"];

/// Why a cell is not a usable number, or not a usable level of a category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An empty cell, or a word for a missing value.
    Missing,
    /// `nan`, which some programs write for a missing value.
    Nan,
    /// `inf` or `-inf`.
    Infinite,
    /// A number larger than the largest double.
    Overflow,
    /// A weight below zero.
    Negative,
    /// A number that a term cannot take.
    Domain(Domain),
    /// A level, or a kept text, that is not UTF-8.
    Encoding,
    /// Anything else.
    Text,
}

/// Reads the level in a cell of a category.
///
/// # Errors
/// If the cell is missing, or is not UTF-8.
pub fn level(cell: &[u8]) -> Result<&str, Fault> {
    if MISSING_LEVELS.iter().any(|missing| missing.eq_ignore_ascii_case(cell)) {
        return Err(Fault::Missing);
    }
    text(cell)
}

/// Reads a cell that is kept as text.
///
/// # Errors
/// If it is not UTF-8.
pub fn text(cell: &[u8]) -> Result<&str, Fault> {
    std::str::from_utf8(cell).map_err(|_| Fault::Encoding)
}

/// Parses the number in a cell.
///
/// # Errors
/// If the cell holds no number, or the number is not finite.
pub fn parse(cell: &[u8]) -> Result<f64, Fault> {
    match decimal::leading(cell) {
        Some((value, bytes)) if bytes == cell.len() => Ok(value),
        _ => parse_any(cell),
    }
}

fn parse_any(cell: &[u8]) -> Result<f64, Fault> {
    let number = std::str::from_utf8(cell).ok().and_then(|text| text.parse::<f64>().ok());
    match number {
        Some(value) if value.is_finite() => Ok(value),
        Some(_) if cell.iter().any(u8::is_ascii_digit) => Err(Fault::Overflow),
        Some(value) if value.is_nan() => Err(Fault::Nan),
        Some(_) => Err(Fault::Infinite),
        None if MISSING.iter().any(|missing| missing.eq_ignore_ascii_case(cell)) => Err(Fault::Missing),
        None => Err(Fault::Text),
    }
}

impl Fault {
    /// Whether the cell stands for an unknown value.
    pub fn is_missing(self) -> bool {
        matches!(self, Fault::Missing | Fault::Nan)
    }

    /// Describes the fault, and what to do.
    pub fn describe(self, cell: &[u8]) -> (&'static str, &'static str) {
        match self {
            Fault::Missing => ("is a missing value", "fill it in or remove the row"),
            Fault::Nan => ("is not finite", "correct it or remove the row"),
            Fault::Infinite => ("is not finite", "correct it, or remove the row or the column"),
            Fault::Overflow => ("overflows a double", "rescale the column"),
            Fault::Negative => ("is negative", "weights must be at least 0"),
            Fault::Domain(domain) => domain.describe(),
            Fault::Encoding => ("is not UTF-8", "save the file as UTF-8"),
            Fault::Text => ("is not a number", misspelt(cell).unwrap_or("encode the column as numbers")),
        }
    }
}

/// Describes the spelling error in a text that was probably meant to be a number.
pub fn misspelt(cell: &[u8]) -> Option<&'static str> {
    let point: Vec<u8> = cell.iter().map(|&byte| if byte == b',' { b'.' } else { byte }).collect();
    let digits: Vec<u8> = cell.iter().copied().filter(|byte| !b",_' ".contains(byte)).collect();
    let is = |word: &str| cell.eq_ignore_ascii_case(word.as_bytes());
    if parse(&point).is_ok() || parse(&digits).is_ok() {
        Some("write decimals with a point, and no separator between thousands")
    } else if is("true") || is("false") {
        Some("write 1 for true and 0 for false")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_numbers_or_say_why_not() {
        for (cell, expected) in [
            ("1", Ok(1.0)),
            ("+1.5e-3", Ok(1.5e-3)),
            (".5", Ok(0.5)),
            ("1e-400", Ok(0.0)),
            ("", Err(Fault::Missing)),
            ("Null", Err(Fault::Missing)),
            ("NaN", Err(Fault::Nan)),
            ("-Infinity", Err(Fault::Infinite)),
            ("1e400", Err(Fault::Overflow)),
            ("0x10", Err(Fault::Text)),
            ("1_000", Err(Fault::Text)),
            ("1,5", Err(Fault::Text)),
        ] {
            assert_eq!(parse(cell.as_bytes()), expected, "{cell}");
        }
    }
}
