//! A *selection* says which columns of a file mean what.

use std::collections::HashMap;
use std::path::Path;

use crate::error::{Error, Hint, Result};
use crate::text::escape::short;
use crate::text::join::first_few;
use crate::text::suggest::nearest;

/// Which columns are features.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Features {
    /// Every column that is nothing else. The default.
    #[default]
    All,
    /// These, in this order.
    Only(Vec<String>),
    /// Every column that is nothing else but these.
    Except(Vec<String>),
    /// These, in a file without header: all its columns in this order, or a file of `columns` columns in which they are
    /// found by number.
    InOrder {
        /// Their names; numbers where the file that they come from had no header either.
        names: Vec<String>,
        /// Columns of that file.
        columns: Option<usize>,
    },
}

/// The part that columns of a file play.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The column of labels; none where only features are read.
    pub target: Option<String>,
    /// The features.
    pub features: Features,
    /// The column of weights.
    pub weights: Option<String>,
    /// The column that is added to xᵀw.
    pub offset: Option<String>,
}

/// Positions of the selected columns in a file's header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    pub features: Vec<usize>,
    pub target: Option<usize>,
    pub weights: Option<usize>,
    pub offset: Option<usize>,
}

impl Selection {
    /// Finds the columns in a header.
    pub(super) fn locate(&self, header: &[String], path: &Path) -> Result<Columns> {
        let header = Header::new(header, path);
        let one = |name: &Option<String>| name.as_ref().map(|name| header.find(name)).transpose();
        let (target, weights, offset) = (one(&self.target)?, one(&self.weights)?, one(&self.offset)?);
        let special = [target, weights, offset];
        let plain = |j: &usize| !special.contains(&Some(*j));
        let all = 0..header.names.len();
        let features = match &self.features {
            Features::All => all.filter(plain).collect(),
            Features::Except(names) => {
                let mut dropped = vec![false; all.len()];
                header.find_all(names)?.into_iter().for_each(|j| dropped[j] = true);
                all.filter(|j| plain(j) && !dropped[*j]).collect()
            }
            Features::Only(names) => header.find_all(names)?,
            Features::InOrder { names, .. } if names.len() == all.len() && target.is_none() => all.collect(),
            Features::InOrder { names, columns } if *columns == Some(all.len()) => header.find_all(names)?,
            Features::InOrder { names, columns } => {
                let (found, wanted) = (all.len(), names.len());
                let or = columns
                    .map(|columns| format!(" (or {columns} columns, as in the file of the fit)"))
                    .unwrap_or_default();
                return Err(Error::file(path, format!("{found} columns, but the model has {wanted} features{or}")));
            }
        };
        let columns = Columns { features, target, weights, offset };
        columns.check(&header)?;
        Ok(columns)
    }
}

impl Columns {
    /// Every column that is used.
    pub fn all(&self) -> impl Iterator<Item = usize> {
        self.features.iter().copied().chain([self.target, self.weights, self.offset].into_iter().flatten())
    }

    /// A column plays one part.
    fn check(&self, header: &Header<'_>) -> Result<()> {
        if self.features.is_empty() {
            return Err(Error::file(header.path, "no feature is left; a model needs at least one"));
        }
        let parts = [(self.target, "target"), (self.weights, "weights"), (self.offset, "offset")];
        let mut seen: HashMap<usize, &str> = HashMap::with_capacity(self.features.len());
        let used = parts.iter().filter_map(|&(j, part)| j.map(|j| (j, part)));
        for (j, part) in used.chain(self.features.iter().map(|&j| (j, "a feature"))) {
            if let Some(other) = seen.insert(j, part) {
                let twice =
                    if other == part { format!("twice as {part}") } else { format!("as {other} and as {part}") };
                let name = short(header.names[j].as_bytes());
                return Err(Error::file(header.path, format!("column `{name}` is used {twice}")));
            }
        }
        Ok(())
    }
}

/// The names of a file's columns, and where each of them is.
struct Header<'a> {
    names: &'a [String],
    places: HashMap<&'a str, usize>,
    path: &'a Path,
}

impl<'a> Header<'a> {
    fn new(names: &'a [String], path: &'a Path) -> Header<'a> {
        Header { names, places: names.iter().enumerate().map(|(j, name)| (name.as_str(), j)).collect(), path }
    }

    fn find_all(&self, names: &[String]) -> Result<Vec<usize>> {
        names.iter().map(|name| self.find(name)).collect()
    }

    fn find(&self, name: &str) -> Result<usize> {
        self.places.get(name).copied().ok_or_else(|| {
            let near = nearest(name, self.names).map(|near| format!("did you mean `{}`?", short(near.as_bytes())));
            // a header of one name may be one of several, read with the wrong delimiter
            let hint = (near.is_none() && self.names.len() == 1).then_some(Hint::Delimiter);
            let what = format!("no column is called `{}`; {}", short(name.as_bytes()), near.unwrap_or(self.listed()));
            Error::file(self.path, what).with_hint(hint)
        })
    }

    /// What names there are.
    fn listed(&self) -> String {
        let names = first_few(self.names.iter().map(|name| format!("`{}`", short(name.as_bytes()))));
        match self.names.len() {
            1 => format!("the only column is {names}; if these are several names, put commas between them"),
            _ => format!("the columns are {names}"),
        }
    }
}
