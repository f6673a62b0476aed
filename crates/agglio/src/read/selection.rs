//! A *selection* says which columns of a file mean what.

use std::path::Path;

use crate::error::{Error, Result};
use crate::nearest::nearest;

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
        let one = |name: &Option<String>| name.as_ref().map(|name| find(name, header, path)).transpose();
        let (target, weights, offset) = (one(&self.target)?, one(&self.weights)?, one(&self.offset)?);
        let special = [target, weights, offset];
        let plain = |j: &usize| !special.contains(&Some(*j));
        let features = match &self.features {
            Features::All => (0..header.len()).filter(plain).collect(),
            Features::Except(names) => {
                let dropped = find_all(names, header, path)?;
                (0..header.len()).filter(|j| plain(j) && !dropped.contains(j)).collect()
            }
            Features::Only(names) => find_all(names, header, path)?,
        };
        let columns = Columns { features, target, weights, offset };
        columns.check(header, path)?;
        Ok(columns)
    }
}

impl Columns {
    /// A column plays one part.
    fn check(&self, header: &[String], path: &Path) -> Result<()> {
        if self.features.is_empty() {
            return Err(Error::file(path, "no feature columns are left; every model needs one"));
        }
        let parts = [(self.target, "target"), (self.weights, "weights"), (self.offset, "offset")];
        let mut seen: Vec<(usize, &str)> = Vec::new();
        let used = parts.iter().filter_map(|&(j, part)| j.map(|j| (j, part)));
        for (j, part) in used.chain(self.features.iter().map(|&j| (j, "a feature"))) {
            if let Some((_, other)) = seen.iter().find(|(i, _)| *i == j) {
                let twice =
                    if *other == part { format!("twice as {part}") } else { format!("as {other} and as {part}") };
                return Err(Error::file(path, format!("column `{}` is asked for {twice}", header[j])));
            }
            seen.push((j, part));
        }
        Ok(())
    }
}

fn find_all(names: &[String], header: &[String], path: &Path) -> Result<Vec<usize>> {
    names.iter().map(|name| find(name, header, path)).collect()
}

fn find(name: &str, header: &[String], path: &Path) -> Result<usize> {
    header.iter().position(|other| other == name).ok_or_else(|| {
        let hint = match nearest(name, header) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", listed(header)),
        };
        Error::file(path, format!("no column is called `{name}`; {hint}"))
    })
}

/// The first few names, and how many more.
fn listed(header: &[String]) -> String {
    const SHOWN: usize = 12;
    let mut text = header.iter().take(SHOWN).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if header.len() > SHOWN {
        text.push_str(&format!(" and {} more", header.len() - SHOWN));
    }
    text
}
