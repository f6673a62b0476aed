//! An *item* of a list of covariates stands for one or more terms: a term, terms that are crossed, a glob, or all other
//! columns.

use std::fmt;

use super::scanner::Scanner;
use super::term::Term;
use crate::error::{Error, Result};
use crate::text::escape::short;

/// Maximum number of terms that are crossed. Seven of them stand for 127 products.
pub(super) const MOST_CROSSED: usize = 7;

/// Part of a list of covariates.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `.`: every column without another role.
    Others,
    /// A name with a `*` at its beginning or end: every column of such a name without another role.
    Glob(String),
    /// One term.
    Term(Term),
    /// `a*b`: the terms and all of their products.
    Cross(Vec<Term>),
}

impl Item {
    /// Parses the text of an item.
    ///
    /// # Errors
    /// If the text is not an item; the message says why and what to write.
    pub fn parse(text: &str) -> Result<Item> {
        let text = text.trim();
        read(text).map_err(|why| Error::data(format!("the term `{}` cannot be read: {why}", short(text.as_bytes()))))
    }

    /// The terms of the item, if they do not depend on the columns of a table.
    pub(super) fn terms(&self) -> Vec<Term> {
        match self {
            Item::Others | Item::Glob(_) => Vec::new(),
            Item::Term(term) => vec![term.clone()],
            Item::Cross(terms) => products(terms),
        }
    }
}

fn read(text: &str) -> std::result::Result<Item, String> {
    if text == "." {
        return Ok(Item::Others);
    }
    let stars = text.starts_with('*') || text.ends_with('*');
    if stars && !text.contains(|c| "`:^()~,".contains(c)) {
        return Ok(Item::Glob(text.to_owned()));
    }
    let mut scanner = Scanner::new(text);
    let mut terms = vec![scanner.term()?];
    while scanner.take('*') {
        terms.push(scanner.term()?);
    }
    scanner.end()?;
    if terms.len() > MOST_CROSSED {
        return Err(format!("`*` can cross at most {MOST_CROSSED} terms; write the products that you need with `:`"));
    }
    products(&terms).iter().try_for_each(distinct)?;
    Ok(match (terms.pop(), terms.is_empty()) {
        (Some(term), true) => Item::Term(term),
        (last, _) => Item::Cross(terms.into_iter().chain(last).collect()),
    })
}

/// Checks that no factor occurs twice.
fn distinct(term: &Term) -> std::result::Result<(), String> {
    let factors = term.factors();
    match factors.iter().enumerate().find(|(k, factor)| factors.iter().take(*k).any(|other| other == *factor)) {
        Some((_, twice)) => Err(format!("`{twice}` is multiplied by itself; write a power, such as x^2")),
        None => Ok(()),
    }
}

/// The products of all subsets of the terms: those of one term first, then those of two, and so on.
fn products(terms: &[Term]) -> Vec<Term> {
    let subsets = 1_usize..1 << terms.len().min(MOST_CROSSED + 1);
    let product = |subset: usize| {
        let chosen = terms.iter().enumerate().filter(|(k, _)| subset >> k & 1 == 1);
        Term(chosen.flat_map(|(_, term)| term.factors().iter().cloned()).collect())
    };
    // of equally large subsets, the one with the earlier terms comes first, as in other programs
    let order = |subset: &usize| (subset.count_ones(), std::cmp::Reverse(subset.reverse_bits()));
    let mut subsets: Vec<usize> = subsets.collect();
    subsets.sort_by_key(order);
    subsets.into_iter().map(product).collect()
}

impl Term {
    /// Parses one term: `x`, `log(x)`, `sqrt(x)`, `x^2` or a product `a:b` of such factors.
    ///
    /// # Errors
    /// If the text is not a term, or stands for several.
    pub fn parse(text: &str) -> Result<Term> {
        match Item::parse(text)? {
            Item::Term(term) => Ok(term),
            _ => Err(Error::data(format!("`{}` stands for several terms, but one is needed", short(text.as_bytes())))),
        }
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Item::Others => f.write_str("."),
            Item::Glob(pattern) => f.write_str(pattern),
            Item::Term(term) => term.fmt(f),
            Item::Cross(terms) => f.write_str(&terms.iter().map(Term::to_string).collect::<Vec<_>>().join("*")),
        }
    }
}

/// Whether a name matches a pattern, in which each `*` stands for any characters.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn crossed_terms_come_in_the_usual_order() {
        let names: Vec<String> = Item::parse("a*b*c").unwrap().terms().iter().map(Term::name).collect();
        assert_eq!(names, ["a", "b", "c", "a:b", "a:c", "b:c", "a:b:c"]);
    }

    #[test]
    fn stars_at_an_end_make_a_glob() {
        assert_eq!(Item::parse("lag*").unwrap(), Item::Glob("lag*".into()));
        assert_eq!(Item::parse("*_mg").unwrap(), Item::Glob("*_mg".into()));
        assert!(matches!(Item::parse("a*b").unwrap(), Item::Cross(_)));
        assert!(Item::parse("lag*:b").is_err());
        for (pattern, name, expected) in [
            ("lag*", "lag1", true),
            ("lag*", "lag", true),
            ("lag*", "flag", false),
            ("*g", "lag", true),
            ("*a*", "lag", true),
            ("a*a", "a", false),
            ("*ab*ab", "ab", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn other_text_is_refused_with_the_reason() {
        for (text, why) in [
            ("", "a name is missing"),
            ("log(", "a name is missing"),
            ("log(x", "`)` is missing"),
            ("log(log(x))", "only a column"),
            ("log(x^2)", "only a column"),
            ("log10(x)", "no function is called `log10`"),
            ("ln(x)", "write log(x)"),
            ("C(site)", "not supported yet"),
            ("I(x^2)", "write x^2"),
            ("(a+b):c", "parentheses"),
            ("x^", "power"),
            ("x^0", "power"),
            ("x^y", "power"),
            ("x^1e9", "after its end"),
            ("x^101", "power"),
            ("x**2", "write a power with `^`"),
            ("a:", "a name is missing"),
            ("a:a", "multiplied by itself"),
            ("a:b*a", "multiplied by itself"),
            ("a*b*c*d*e*f*g*h", "at most 7"),
            ("`x", "backtick"),
            ("`x`y", "`y` after"),
            ("log(a-b)", "backticks"),
            ("offset(x)", "offset"),
        ] {
            let error = Item::parse(text).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    fn name() -> impl Strategy<Value = String> {
        prop_oneof![4 => "[a-z]{1,3}", 1 => "[-a-z`:*^()~,+. 01é]{1,5}"]
    }

    fn factor() -> impl Strategy<Value = String> {
        let power =
            prop_oneof![Just(String::new()), Just("^2".into()), (-99.0..99.0_f64).prop_map(|k| format!("^{k}"))];
        (name(), 0..3_usize, power).prop_map(|(name, function, power)| {
            let (before, after) = [("", ""), ("log(", ")"), ("sqrt( ", " )")][function];
            format!("{before}{}{after}{power}", crate::table::quoted(&name))
        })
    }

    proptest! {
        /// The text of an item parses to the same item.
        #[test]
        fn texts_of_items_are_read_back(factors in prop::collection::vec(factor(), 1..4), stars in any::<u8>()) {
            let mut text = String::new();
            for (k, factor) in factors.iter().enumerate() {
                let between = if k == 0 { "" } else if stars >> k & 1 == 1 { " * " } else { ":" };
                text = text + between + factor;
            }
            if let Ok(item) = Item::parse(&text) {
                prop_assert_eq!(Item::parse(&item.to_string()).unwrap(), item);
            }
        }

        #[test]
        fn any_text_is_read_back_or_refused(text in "[-a-c`:*^()~,+. 01é]{0,12}|log\\(.{0,4}\\)") {
            if let Ok(item) = Item::parse(&text) {
                prop_assert_eq!(Item::parse(&item.to_string()).unwrap(), item);
            }
        }
    }
}
