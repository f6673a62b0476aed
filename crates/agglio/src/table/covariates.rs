//! The *covariates* of a model as columns and terms over the columns of one table.

use std::collections::{HashMap, HashSet};

use super::item::{Item, matches};
use super::names::Names;
use super::term::{Factor, Term, Transform};
use crate::error::{Error, Result};
use crate::text::escape::short;

/// A covariate, or an offset.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Covariate {
    /// A column as it is.
    Column(usize),
    /// A product of transformed columns.
    Term { name: String, factors: Vec<(usize, Transform)> },
}

/// Factors in a fixed order, by which equal terms are recognised.
pub(super) type Key = Vec<(usize, u8, u64)>;

impl Covariate {
    /// The column or the term of a text.
    ///
    /// # Errors
    /// If it is neither.
    pub fn exactly(text: &str, names: &Names<'_>) -> Result<Covariate> {
        let text = text.trim();
        match names.get(text) {
            Some(j) => Ok(Covariate::Column(j)),
            None => match Term::parse(text) {
                Ok(term) => Covariate::of(&term, names),
                // a name of a model may look like a pattern
                Err(why) => Err(if text.contains(['(', ':', '^', '`']) { why } else { names.unknown(text) }),
            },
        }
    }

    /// A term over the columns of a table. A column that has the name of the term, or of a factor, comes before it.
    fn of(term: &Term, names: &Names<'_>) -> Result<Covariate> {
        let name = term.name();
        if let Some(j) = names.get(&name) {
            return Ok(Covariate::Column(j));
        }
        let located = |factor: &Factor| match names.get(&factor.to_string()) {
            Some(j) => Ok((j, Transform::IDENTITY)),
            None => names.find(&factor.column).map(|j| (j, factor.transform)),
        };
        let factors: Vec<(usize, Transform)> = term.factors().iter().map(located).collect::<Result<_>>()?;
        match factors.as_slice() {
            [(j, Transform::IDENTITY)] => Ok(Covariate::Column(*j)),
            _ => Ok(Covariate::Term { name, factors }),
        }
    }

    /// The columns that it is computed from.
    pub fn columns(&self) -> impl Iterator<Item = usize> {
        let (column, factors): (Option<usize>, &[(usize, Transform)]) = match self {
            Covariate::Column(j) => (Some(*j), &[]),
            Covariate::Term { factors, .. } => (None, factors),
        };
        column.into_iter().chain(factors.iter().map(|(j, _)| *j))
    }

    /// Equal covariates have equal keys.
    pub fn key(&self) -> Key {
        let part = |(j, transform): &(usize, Transform)| (*j, transform.function as u8, transform.power.to_bits());
        let mut key: Key = match self {
            Covariate::Column(j) => vec![part(&(*j, Transform::IDENTITY))],
            Covariate::Term { factors, .. } => factors.iter().map(part).collect(),
        };
        key.sort_unstable();
        key
    }
}

/// Whether a text that is no column was probably meant as a term.
fn looks_like_term(text: &str) -> bool {
    text.contains(['(', ':', '^', '`', '*'])
}

/// A list of covariates that grows.
#[derive(Debug)]
pub(super) struct Covariates<'a> {
    names: &'a Names<'a>,
    /// The columns that have another role.
    taken: &'a [bool],
    list: Vec<Covariate>,
    /// Whether each was named itself, and did not come from a pattern.
    known: HashMap<Key, bool>,
}

impl<'a> Covariates<'a> {
    pub fn new(names: &'a Names<'a>, taken: &'a [bool]) -> Covariates<'a> {
        Covariates { names, taken, list: Vec::new(), known: HashMap::new() }
    }

    /// Adds the covariates of a text.
    ///
    /// # Errors
    /// If it names no column, cannot be read, or names a covariate twice.
    pub fn add(&mut self, text: &str) -> Result<()> {
        let text = text.trim();
        if let Some(j) = self.names.get(text) {
            return self.push(Covariate::Column(j), true);
        }
        match self.item(text)? {
            Item::Others => self.add_others(),
            Item::Glob(pattern) => self.matching(&pattern)?.into_iter().try_for_each(|column| self.push(column, false)),
            Item::Term(term) => self.push(Covariate::of(&term, self.names)?, true),
            crossed @ Item::Cross(_) => {
                crossed.terms().iter().try_for_each(|term| self.push(Covariate::of(term, self.names)?, false))
            }
        }
    }

    /// Adds every column without another role.
    ///
    /// # Errors
    /// Never: such columns may be in the list already.
    pub fn add_others(&mut self) -> Result<()> {
        let free: Vec<usize> = (0..self.names.len()).filter(|&j| self.is_free(j)).collect();
        free.into_iter().try_for_each(|j| self.push(Covariate::Column(j), false))
    }

    /// The list without the covariates of these texts.
    ///
    /// # Errors
    /// If one of them names no column, or cannot be read.
    pub fn without(self, texts: &[String]) -> Result<Vec<Covariate>> {
        if texts.is_empty() {
            return Ok(self.list);
        }
        let mut dropped: HashSet<Key> = HashSet::new();
        for text in texts {
            let found = self.dropped(text.trim())?;
            let is_there = |covariate: &Covariate| self.known.contains_key(&covariate.key());
            if !found.iter().any(|covariate| matches!(covariate, Covariate::Column(_)) || is_there(covariate)) {
                let text = short(text.trim().as_bytes());
                return Err(Error::data(format!("`{text}` is not among the covariates, so it cannot be left out")));
            }
            dropped.extend(found.iter().map(Covariate::key));
        }
        Ok(self.list.into_iter().filter(|covariate| !dropped.contains(&covariate.key())).collect())
    }

    fn dropped(&self, text: &str) -> Result<Vec<Covariate>> {
        if let Some(j) = self.names.get(text) {
            return Ok(vec![Covariate::Column(j)]);
        }
        match self.item(text)? {
            Item::Others => Ok((0..self.names.len()).map(Covariate::Column).collect()),
            Item::Glob(pattern) => self.matching(&pattern),
            terms => terms.terms().iter().map(|term| Covariate::of(term, self.names)).collect(),
        }
    }

    fn item(&self, text: &str) -> Result<Item> {
        Item::parse(text).map_err(|why| if looks_like_term(text) { why } else { self.names.unknown(text) })
    }

    fn is_free(&self, j: usize) -> bool {
        self.taken.get(j) == Some(&false)
    }

    /// The free columns whose names match a pattern.
    fn matching(&self, pattern: &str) -> Result<Vec<Covariate>> {
        let names = self.names.names.iter().enumerate();
        let found = names.filter(|(j, name)| self.is_free(*j) && matches(pattern, name));
        let found: Vec<Covariate> = found.map(|(j, _)| Covariate::Column(j)).collect();
        match found.is_empty() {
            false => Ok(found),
            true => {
                Err(Error::data(format!("no column that could be a covariate matches `{}`", short(pattern.as_bytes()))))
            }
        }
    }

    /// Adds a covariate; `named` if it was named itself.
    fn push(&mut self, covariate: Covariate, named: bool) -> Result<()> {
        match self.known.insert(covariate.key(), named) {
            Some(true) if named => {
                let what = match &covariate {
                    Covariate::Column(j) => format!("column `{}`", self.names.shown(*j)),
                    Covariate::Term { name, .. } => format!("the term `{name}`"),
                };
                return Err(Error::data(format!("{what} is used twice as a covariate")));
            }
            Some(before) => drop(self.known.insert(covariate.key(), named || before)),
            None => self.list.push(covariate),
        }
        Ok(())
    }
}
