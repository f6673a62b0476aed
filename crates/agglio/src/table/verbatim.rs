//! A *verbatim* column is text that is copied as it is: it has no meaning for a model.

use std::collections::TryReserveError;

/// The texts of a column, row by row, one after the other in one allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verbatim {
    /// Name of the column.
    pub name: String,
    text: String,
    /// The end of each row's text.
    ends: Vec<usize>,
}

impl Verbatim {
    /// An empty column.
    pub(crate) fn new(name: &str) -> Verbatim {
        Verbatim { name: name.to_owned(), ..Verbatim::default() }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text of a row; empty if there is no such row.
    pub fn get(&self, row: usize) -> &str {
        let end = |row: usize| self.ends.get(row).copied();
        let start = row.checked_sub(1).map_or(Some(0), end);
        start.zip(end(row)).and_then(|(start, end)| self.text.get(start..end)).unwrap_or_default()
    }

    /// Bytes that its rows take.
    pub fn bytes(&self) -> u64 {
        (self.text.len() + size_of::<usize>() * self.ends.len()) as u64
    }

    /// Appends a row.
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    /// Appends the rows of another column.
    pub fn append(&mut self, other: &Verbatim) {
        let before = self.text.len();
        self.text.push_str(&other.text);
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }

    /// Keeps the first rows.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.ends.truncate(rows);
        self.text.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// Reserves memory for `rows` further rows of `bytes` bytes together.
    ///
    /// # Errors
    /// If the memory cannot be reserved.
    pub(crate) fn try_reserve(&mut self, rows: usize, bytes: usize) -> Result<(), TryReserveError> {
        self.ends.try_reserve(rows)?;
        self.text.try_reserve(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_what_was_pushed() {
        let mut column = Verbatim::new("id");
        ["a", "", "é,\"b\""].into_iter().for_each(|text| column.push(text));
        let mut twice = column.clone();
        twice.append(&column);
        assert_eq!(
            (twice.len(), twice.get(2), twice.get(3), twice.get(4), twice.get(5)),
            (6, "é,\"b\"", "a", "", "é,\"b\"")
        );
        assert_eq!(twice.get(6), "");
        twice.truncate(4);
        assert_eq!((twice.len(), twice.get(3), twice.get(4)), (4, "a", ""));
        twice.push("c");
        assert_eq!(twice.get(4), "c");
        twice.truncate(0);
        assert!(twice.is_empty() && twice.bytes() == 0);
    }
}
