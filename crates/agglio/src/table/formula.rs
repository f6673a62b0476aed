//! A *formula* names the response and the covariates in one line: `y ~ x + log(dose) + a:b`.

use std::fmt;

use super::item::Item;
use super::selection::{Features, Selection};
use super::table::Table;
use super::term::{Term, quoted};
use crate::error::{Error, Result};
use crate::text::escape::short;

/// `y ~ terms`
///
/// | part | meaning |
/// |---|---|
/// | `+ x`, `+ log(x)`, `+ a:b`, `+ a*b`, `+ lag*` | covariates; see [`Item`] |
/// | `.` | every column that has no other role |
/// | `- x` | leave this covariate out |
/// | `- 1`, `+ 0` | no intercept; `+ 1` has no effect |
/// | `offset(x)`, `offset(log(x))` | a term with a fixed coefficient of 1 |
///
/// # Examples
///
/// ```
/// use agglio::{Options, activation::named, table::Formula};
///
/// let dose = [0.5, 1.0, 2.0, 4.0, 8.0];
/// let response = [0.09, 0.21, 0.48, 0.81, 0.89];
/// let formula = Formula::parse("response ~ log(dose)")?;
/// let table = formula.table(&[("dose", &dose[..]), ("response", &response[..])])?;
/// assert_eq!(table.names, ["log(dose)"]);
/// let fitted = Options::new(named("sigmoid")?).intercept(formula.intercept()).build()?.fit(&table.into_rows()?)?;
/// assert!((fitted.coefficients[0] - 1.9).abs() < 0.2);
/// # Ok::<(), agglio::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    target: String,
    add: Vec<Item>,
    drop: Vec<Item>,
    offset: Option<Term>,
    intercept: bool,
}

impl Formula {
    /// Parses a formula.
    ///
    /// # Errors
    /// If the text is not a formula; the message says why and what to write.
    pub fn parse(text: &str) -> Result<Formula> {
        let mut sides = split(text, &['~']);
        let (Some((_, left)), Some((_, right)), None) = (sides.next(), sides.next(), sides.next()) else {
            return Err(refused(text, "it needs one `~` between response and covariates, such as y ~ x1 + log(x2)"));
        };
        let (target, add, drop) = (response(left, text)?, Vec::new(), Vec::new());
        let mut formula = Formula { target, add, drop, offset: None, intercept: true };
        let mut pieces = split(right, &['+', '-']).peekable();
        // a sign may come first
        if pieces.peek().is_some_and(|(_, piece)| piece.trim().is_empty()) && right.trim().starts_with(['+', '-']) {
            pieces.next();
        }
        for (sign, piece) in pieces {
            formula.take(sign != Some('-'), piece.trim(), text)?;
        }
        if formula.add.is_empty() && !formula.intercept {
            return Err(refused(text, "it has neither a covariate nor an intercept"));
        }
        Ok(formula)
    }

    /// Takes in one part of the right side.
    fn take(&mut self, adds: bool, piece: &str, text: &str) -> Result<()> {
        let inner = piece.strip_prefix("offset").map(str::trim_start).and_then(|rest| rest.strip_prefix('('));
        match (piece, inner.and_then(|inner| inner.strip_suffix(')'))) {
            ("", _) => return Err(refused(text, "a term is missing beside `~`, `+` or `-`")),
            ("0" | "1", _) => self.intercept = (piece == "1") == adds,
            (_, Some(_)) if !adds => {
                return Err(refused(text, "an offset cannot be left out with `-`: do not write it"));
            }
            (_, Some(_)) if self.offset.is_some() => {
                return Err(refused(text, "it has two offsets; add them in the table"));
            }
            (_, Some(inner)) => self.offset = Some(Term::parse(inner)?),
            (_, None) if adds => self.add.push(Item::parse(piece)?),
            (_, None) => self.drop.push(Item::parse(piece)?),
        }
        Ok(())
    }

    /// The column of the response.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Whether the model has an intercept. Pass it to [`Options::intercept`](crate::Options::intercept).
    pub fn intercept(&self) -> bool {
        self.intercept
    }

    /// The term of the offset.
    pub fn offset(&self) -> Option<&Term> {
        self.offset.as_ref()
    }

    /// The roles of the columns, for a file.
    pub fn selection(&self) -> Selection {
        let texts = |items: &[Item]| items.iter().map(Item::to_string).collect();
        Selection {
            target: Some(self.target.clone()),
            features: Features::Terms { add: texts(&self.add), drop: texts(&self.drop) },
            offset: self.offset.as_ref().map(Term::to_string),
            ..Selection::default()
        }
    }

    /// The table of the response, covariates and offset, computed from columns with their names.
    ///
    /// # Errors
    /// As [`Selection::table`].
    pub fn table(&self, columns: &[(&str, &[f64])]) -> Result<Table> {
        self.selection().table(columns)
    }
}

/// The column on the left side.
fn response(left: &str, formula: &str) -> Result<String> {
    if left.trim().is_empty() {
        return Err(refused(formula, "a column is missing before `~`"));
    }
    match Item::parse(left)? {
        Item::Term(term) => term.as_column().map(ToOwned::to_owned),
        _ => None,
    }
    .ok_or_else(|| {
        let left = short(left.trim().as_bytes());
        Error::data(format!(
            "`{left}` is on the left side of the formula, where only a column may stand: the model is y ≈ φ(xᵀw + b), so choose \
             φ instead (exp for log(y)), or put the computed response into a column"
        ))
    })
}

fn refused(text: &str, why: &str) -> Error {
    Error::data(format!("the formula `{}` cannot be read: {why}", short(text.trim().as_bytes())))
}

/// Splits a text at characters that are neither in parentheses nor in backticks. Each part comes with the character before
/// it. A minus after `^` is part of a power.
fn split<'a>(text: &'a str, at: &'a [char]) -> impl Iterator<Item = (Option<char>, &'a str)> {
    let mut rest = Some(text);
    let mut before = None;
    std::iter::from_fn(move || {
        let text = rest?;
        let (mut depth, mut in_backticks, mut last) = (0_i64, false, ' ');
        let end = text.char_indices().find(|&(_, c)| {
            in_backticks ^= c == '`';
            if !in_backticks {
                depth += i64::from(c == '(') - i64::from(c == ')');
            }
            let splits = at.contains(&c) && !in_backticks && depth <= 0 && !(c == '-' && last == '^');
            last = if c.is_whitespace() { last } else { c };
            splits
        });
        let part = text.get(..end.map_or(text.len(), |(end, _)| end)).unwrap_or_default();
        let sign = before;
        before = end.map(|(_, c)| c);
        rest = end.and_then(|(end, c)| text.get(end + c.len_utf8()..));
        Some((sign, part))
    })
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // the numbers of the intercept are no columns
        let text = |item: &Item| match item.to_string().as_str() {
            number @ ("0" | "1") => format!("`{number}`"),
            text => text.to_owned(),
        };
        let add = self.add.iter().map(|item| format!(" + {}", text(item)));
        let drop = self.drop.iter().map(|item| format!(" - {}", text(item)));
        let offset = self.offset.iter().map(|term| format!(" + offset({term})"));
        let rest: String = add.chain(offset).chain(drop).collect();
        let intercept = if self.intercept { "1" } else { "0" };
        write!(f, "{} ~ {intercept}{rest}", quoted(&self.target))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> String {
        Formula::parse(text).map_or_else(|why| why.to_string(), |formula| formula.to_string())
    }

    #[test]
    fn formulas_are_read() {
        for (text, expected) in [
            ("y ~ x1 + log(dose) + a:b", "y ~ 1 + x1 + log(dose) + a:b"),
            ("y~x-1", "y ~ 0 + x"),
            ("y ~ 0 + x", "y ~ 0 + x"),
            ("y ~ -1 + x", "y ~ 0 + x"),
            ("y ~ + x", "y ~ 1 + x"),
            ("y ~ 1 + offset(log(x))", "y ~ 1 + offset(log(x))"),
            ("y ~ . - id + x^-1", "y ~ 1 + . + x^-1 - id"),
            ("`y~1` ~ `1` + `a+b`", "`y~1` ~ 1 + `1` + `a+b`"),
            ("y ~ lag* + offset( e )", "y ~ 1 + lag* + offset(e)"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
            assert_eq!(shown(expected), expected);
        }
    }

    #[test]
    fn other_texts_are_refused_with_the_reason() {
        for (text, why) in [
            ("", "one `~`"),
            ("y", "one `~`"),
            ("y ~ x ~ z", "one `~`"),
            ("~ x", "a column is missing before"),
            ("y ~", "a term is missing"),
            ("y ~ x +", "a term is missing"),
            ("y ~ x + + z", "a term is missing"),
            ("log(y) ~ x", "exp for log(y)"),
            ("y + z ~ x", "after its end"),
            ("y:z ~ x", "only a column may stand"),
            ("y ~ 0", "neither a covariate nor an intercept"),
            ("y ~ 0 + offset(x)", "neither a covariate nor an intercept"),
            ("y ~ offset(a) + offset(b)", "two offsets"),
            ("y ~ x - offset(a)", "cannot be left out"),
            ("y ~ offset(a*b)", "stands for several terms"),
            ("y ~ C(site)", "not supported yet"),
            ("y ~ x + offset(", "cannot be read"),
        ] {
            assert!(shown(text).contains(why), "{text}: {}", shown(text));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_back_or_refused(
            text in "[yz`] ?~([-+] ?(log\\([a-c]\\)|[a-c]:[a-c]|[a-c]\\*|[01.a-c]|offset\\([a-c]\\)|`.{0,3}`|.)){0,5}",
        ) {
            if let Ok(formula) = Formula::parse(&text) {
                prop_assert_eq!(Formula::parse(&formula.to_string()).unwrap(), formula);
            }
        }
    }
}
