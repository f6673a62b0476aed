//! A *selection* assigns a role to the columns of a file: covariate, response, weight or offset.

use std::collections::HashMap;
use std::path::Path;

use crate::error::{Error, Hint, Result};
use crate::text::escape::short;
use crate::text::join::first_few;
use crate::text::suggest::nearest;

/// The columns that are covariates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Features {
    /// Every column that is not target, weights or offset. The default.
    #[default]
    All,
    /// These columns, in this order.
    Only(Vec<String>),
    /// Every column that is not target, weights or offset, except these.
    Except(Vec<String>),
    /// The covariates of a model, in a file without a header. The file has exactly these columns in this order, or it
    /// has `columns` columns and the names are column numbers.
    InOrder {
        /// Their names: column numbers if the model was fitted on a file without a header.
        names: Vec<String>,
        /// Number of columns of the file on which the model was fitted.
        columns: Option<usize>,
    },
}

/// The roles of the columns of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The column of the response; none if only covariates are read.
    pub target: Option<String>,
    /// The covariates.
    pub features: Features,
    /// The column of the weights.
    pub weights: Option<String>,
    /// The column of the offset, which is added to xᵀw.
    pub offset: Option<String>,
}

/// Positions of the selected columns in the header of a file.
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
                return Err(Error::file(path, format!("{found} columns, but the model has {wanted} covariates{or}")));
            }
        };
        let columns = Columns { features, target, weights, offset };
        columns.check(&header)?;
        Ok(columns)
    }
}

impl Columns {
    /// All selected columns.
    pub fn all(&self) -> impl Iterator<Item = usize> {
        self.features.iter().copied().chain([self.target, self.weights, self.offset].into_iter().flatten())
    }

    /// Checks that there is a covariate, and that no column has two roles.
    fn check(&self, header: &Header<'_>) -> Result<()> {
        if self.features.is_empty() {
            return Err(Error::file(header.path, "no covariate is left; a model needs at least one"));
        }
        let parts = [(self.target, "target"), (self.weights, "weights"), (self.offset, "offset")];
        let mut seen: HashMap<usize, &str> = HashMap::with_capacity(self.features.len());
        let used = parts.iter().filter_map(|&(j, part)| j.map(|j| (j, part)));
        for (j, part) in used.chain(self.features.iter().map(|&j| (j, "a covariate"))) {
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

/// The column names of a file and their positions.
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

    /// Lists the existing names.
    fn listed(&self) -> String {
        let names = first_few(self.names.iter().map(|name| format!("`{}`", short(name.as_bytes()))));
        match self.names.len() {
            1 => format!("the only column is {names}; if these are several names, put commas between them"),
            _ => format!("the columns are {names}"),
        }
    }
}
