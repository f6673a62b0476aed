//! The *names* of the columns of a table, and their positions.

use std::collections::HashMap;

use crate::error::{Error, Hint, Result};
use crate::text::escape::short;
use crate::text::join::first_few;
use crate::text::suggest::nearest;

/// The column names of a table and their positions.
#[derive(Debug)]
pub(super) struct Names<'a> {
    pub names: &'a [String],
    places: HashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    pub fn new(names: &'a [String]) -> Names<'a> {
        Names { names, places: names.iter().enumerate().map(|(j, name)| (name.as_str(), j)).collect() }
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// The name of a column as it stands in messages.
    pub fn shown(&self, j: usize) -> String {
        short(self.names.get(j).map(String::as_str).unwrap_or_default().as_bytes())
    }

    /// The position of a column, if there is one of this name.
    pub fn get(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// The position of a column.
    ///
    /// # Errors
    /// If there is none of this name. The message has the most similar name.
    pub fn find(&self, name: &str) -> Result<usize> {
        self.get(name).ok_or_else(|| self.unknown(name))
    }

    /// The error for a name that does not exist.
    pub fn unknown(&self, name: &str) -> Error {
        let near = nearest(name, self.names).map(|near| format!("did you mean `{}`?", short(near.as_bytes())));
        // a header of one name may be one of several, read with the wrong delimiter
        let hint = (near.is_none() && self.names.len() == 1).then_some(Hint::Delimiter);
        let what = format!("no column is called `{}`; {}", short(name.as_bytes()), near.unwrap_or(self.listed()));
        Error::data(what).with_hint(hint)
    }

    /// Lists the existing names.
    fn listed(&self) -> String {
        let names = first_few(self.names.iter().map(|name| format!("`{}`", short(name.as_bytes()))));
        match self.names.len() {
            1 => format!("the only column is {names}; if these are several names, put commas between them"),
            _ => format!("the columns are {names}"),
        }
    }
}
