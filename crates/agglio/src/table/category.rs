//! A *category* column has text in place of numbers: each row has one of several levels.

use std::collections::HashMap;

/// A column of text: a code for each row, and the levels that the codes stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Category {
    /// Name of the column.
    pub name: String,
    /// The position of each row's level in `levels`.
    pub codes: Vec<u32>,
    /// The distinct texts. They are sorted (by their bytes in UTF-8) once all rows have been read.
    pub levels: Vec<String>,
}

impl Category {
    /// An empty column.
    pub(crate) fn new(name: &str) -> Category {
        Category { name: name.to_owned(), ..Category::default() }
    }

    /// Sorts the levels, so that they depend neither on the order of the rows nor on the number of threads.
    pub(crate) fn sort(&mut self) {
        let mut order: Vec<usize> = (0..self.levels.len()).collect();
        order.sort_by_key(|&old| self.levels.get(old));
        let mut codes = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            if let Some(code) = codes.get_mut(old) {
                *code = new as u32;
            }
        }
        self.codes.iter_mut().for_each(|code| *code = codes.get(*code as usize).copied().unwrap_or(0));
        self.levels.sort_unstable();
    }
}

/// The levels found so far, in order of first appearance.
#[derive(Clone, Debug, Default)]
pub(crate) struct Levels {
    codes: HashMap<String, u32>,
    names: Vec<String>,
    /// Bytes that they take.
    pub bytes: u64,
}

impl Levels {
    /// The code of a level, which is new or known.
    pub fn code(&mut self, level: &str) -> u32 {
        if let Some(&code) = self.codes.get(level) {
            return code;
        }
        let code = self.names.len() as u32;
        self.codes.insert(level.to_owned(), code);
        self.names.push(level.to_owned());
        // two copies of the text, each with its bookkeeping
        self.bytes += 2 * (level.len() as u64 + 32);
        code
    }

    /// The levels.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Forgets all levels and keeps the memory.
    pub fn clear(&mut self) {
        self.codes.clear();
        self.names.clear();
        self.bytes = 0;
    }

    /// Gives a column the levels that it does not have yet.
    pub fn copy_to(&self, category: &mut Category) {
        category.levels.extend_from_slice(self.names.get(category.levels.len()..).unwrap_or_default());
    }
}
