//! A *scanner* reads the parts of a term from left to right.

use super::term::{Factor, Function, SPECIAL, Term, Transform};
use crate::text::escape::short;
use crate::text::suggest::nearest;

/// The functions of a column.
const FUNCTIONS: [(&str, Function); 2] = [("log", Function::Log), ("sqrt", Function::Sqrt)];
/// The largest power.
const LARGEST_POWER: f64 = 100.0;
/// The power closest to 0.
const SMALLEST_POWER: f64 = 1e-3;

/// The text that has not been read yet.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    rest: &'a str,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Scanner<'a> {
        Scanner { rest: text.trim() }
    }

    /// Reads a character if it comes next.
    pub fn take(&mut self, c: char) -> bool {
        let rest = self.rest.trim_start().strip_prefix(c);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Checks that nothing is left.
    pub fn end(&self) -> Result<(), String> {
        match self.rest.trim() {
            "" => Ok(()),
            rest => Err(format!(
                "there is `{}` after its end; put a name with special characters in backticks",
                short(rest.as_bytes())
            )),
        }
    }

    /// Reads factors with colons between them.
    pub fn term(&mut self) -> Result<Term, String> {
        let mut factors = vec![self.factor()?];
        while self.take(':') {
            factors.push(self.factor()?);
        }
        Ok(Term(factors))
    }

    /// `x`, `f(x)` or either with a power
    fn factor(&mut self) -> Result<Factor, String> {
        if self.rest.trim_start().starts_with('*') {
            return Err("write a power with `^`, and a glob with `*` alone, without other terms".into());
        }
        if self.rest.trim_start().starts_with('(') {
            return Err("parentheses only follow a function; write the terms one by one".into());
        }
        let is_quoted = self.rest.trim_start().starts_with('`');
        let mut factor = Factor::plain(&self.name()?);
        if !is_quoted && self.take('(') {
            factor = self.call(&factor.column)?;
        }
        if self.take('^') {
            factor.transform.power = self.power()?;
        }
        Ok(factor)
    }

    /// The argument of a function, and the closing parenthesis.
    fn call(&mut self, function: &str) -> Result<Factor, String> {
        let function = named(function)?;
        let column = self.name()?;
        if self.take(')') {
            return Ok(Factor { column, transform: Transform { function, power: 1.0 } });
        }
        Err(match self.rest.trim_start().chars().next() {
            None => "`)` is missing".into(),
            Some('(' | '^' | ':' | '*') => {
                "only a column can stand in parentheses; write the power after them: log(x)^2".into()
            }
            Some(_) => "put a name with special characters in backticks: log(`a-b`)".into(),
        })
    }

    /// A name, in backticks or not.
    fn name(&mut self) -> Result<String, String> {
        let text = self.rest.trim_start();
        if let Some(rest) = text.strip_prefix('`') {
            return self.backticked(rest);
        }
        let end = text.find(|c| SPECIAL.contains(c)).unwrap_or(text.len());
        let (name, rest) = text.split_at_checked(end).unwrap_or((text, ""));
        self.rest = rest;
        match name.trim() {
            "" => Err(match rest.chars().next() {
                Some(c) => format!("a name is missing before `{c}`"),
                None => "a name is missing at its end".into(),
            }),
            name => Ok(name.to_owned()),
        }
    }

    /// A name up to the closing backtick; two backticks stand for one.
    fn backticked(&mut self, mut rest: &'a str) -> Result<String, String> {
        let mut name = String::new();
        loop {
            let (part, after) = rest.split_once('`').ok_or("a backtick is opened and never closed")?;
            name.push_str(part);
            match after.strip_prefix('`') {
                Some(after) => rest = after,
                None => {
                    self.rest = after;
                    return if name.is_empty() { Err("a name is missing between backticks".into()) } else { Ok(name) };
                }
            }
            name.push('`');
        }
    }

    fn power(&mut self) -> Result<f64, String> {
        let text = self.rest.trim_start();
        let is_part = |(k, c): (usize, char)| c.is_ascii_digit() || c == '.' || (k == 0 && c == '-');
        let end = text.char_indices().find(|&at| !is_part(at)).map_or(text.len(), |(end, _)| end);
        let (number, rest) = text.split_at_checked(end).unwrap_or((text, ""));
        self.rest = rest;
        let power: Option<f64> = number.parse().ok();
        let allowed = |power: &f64| (SMALLEST_POWER..=LARGEST_POWER).contains(&power.abs());
        power.filter(allowed).ok_or_else(|| {
            "a power is a number from -100 to 100 other than 0 (0.001 or more apart from it), such as x^2, x^0.5 or x^-1"
                .into()
        })
    }
}

/// The function of this name.
fn named(name: &str) -> Result<Function, String> {
    if let Some((_, function)) = FUNCTIONS.iter().find(|(known, _)| *known == name) {
        return Ok(*function);
    }
    Err(match name {
        "C" => {
            "categories are not supported yet; encode the column as columns of 0 and 1 (dummy coding) and list these"
                .into()
        }
        "I" => "write x^2 in place of I(x^2), and put other computed columns into the table".into(),
        "ln" => "write log(x), which is the natural logarithm".into(),
        "offset" => "an offset is no covariate: it has a fixed coefficient of 1 and stands by itself".into(),
        _ => {
            let near =
                nearest(name, &FUNCTIONS.map(|(known, _)| known)).map(|near| format!(" (did you mean `{near}`?)"));
            let name = short(name.as_bytes());
            let near = near.unwrap_or_default();
            format!("no function is called `{name}`{near}; the functions are log (natural logarithm) and sqrt")
        }
    })
}
