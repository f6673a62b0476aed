//! A *selection* assigns a role to the columns of a table: covariate, response, weight, offset, category, or text to keep.

use super::category::Category;
use super::columns::Columns;
use super::covariates::{Covariate, Covariates};
use super::names::Names;
use super::part;
use super::term::{Term, quoted};
use super::verbatim::Verbatim;
use crate::error::{Error, Hint, Result};
use crate::text::join::first_few;

/// The covariates. Texts are columns or terms; see [`Item`](super::Item). A column whose name is such a text comes before the
/// term.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Features {
    /// Every column that has no other role. The default.
    #[default]
    All,
    /// These columns and terms, in this order. A glob, `a*b` and `.` stand for several.
    Only(Vec<String>),
    /// Every column that has no other role, except these.
    Except(Vec<String>),
    /// The right side of a formula.
    Terms {
        /// The columns and terms, as in [`Features::Only`].
        add: Vec<String>,
        /// Those to leave out.
        drop: Vec<String>,
    },
    /// The covariates of a model: a text is one column or one term.
    Exactly(Vec<String>),
    /// The only column that has no other role, for a model of one covariate.
    Sole {
        /// Columns that are not it.
        drop: Vec<String>,
        /// What it is used as.
        as_what: Sole,
    },
    /// No covariates: the other roles alone are read.
    Nothing,
    /// The covariates of a model, in a file without a header. The file has exactly these columns in this order, or it
    /// has `columns` columns and the names are column numbers.
    InOrder {
        /// Their names: column numbers if the model was fitted on a file without a header.
        names: Vec<String>,
        /// Number of columns of the file on which the model was fitted.
        columns: Option<usize>,
    },
    /// The covariates and the offsets of several models; see [`Selection::of_all`].
    AnyOf(Vec<Selection>),
}

/// What the only column of a model is used as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sole {
    /// A covariate.
    Plain,
    /// A covariate that is its logarithm.
    Log,
    /// An offset that is its logarithm.
    LogOffset,
}

/// The roles of the columns of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The column of the response; none if only covariates are read.
    pub target: Option<String>,
    /// The covariates.
    pub features: Features,
    /// The column of the weights.
    pub weights: Option<String>,
    /// The column or term of the offset, which is added to xᵀw.
    pub offset: Option<String>,
    /// Columns of text, which are read as categories.
    pub categories: Vec<String>,
    /// Columns whose cells are kept as text. They may have another role too.
    pub kept: Vec<String>,
}

/// The columns of each role.
#[derive(Debug, Default)]
pub(super) struct Roles {
    pub covariates: Vec<Covariate>,
    pub target: Option<usize>,
    pub weights: Option<usize>,
    pub offset: Option<Covariate>,
    pub categories: Vec<usize>,
    pub kept: Vec<usize>,
}

impl Selection {
    /// Finds the columns by their names.
    pub(crate) fn locate(&self, header: &[String]) -> Result<Columns> {
        let names = Names::new(header);
        let (roles, parts) = match &self.features {
            Features::AnyOf(models) => {
                part::union(models.iter().map(|model| model.roles(&names)).collect::<Result<_>>()?)
            }
            _ => (self.roles(&names)?, Vec::new()),
        };
        Ok(Columns::new(&names, roles, parts))
    }

    /// The columns of each role by their positions.
    fn roles(&self, names: &Names<'_>) -> Result<Roles> {
        let one = |name: &Option<String>| name.as_ref().map(|name| names.find(name)).transpose();
        let (target, weights) = (one(&self.target)?, one(&self.weights)?);
        let offset = self.offset.as_ref().map(|text| Covariate::exactly(text, names)).transpose()?;
        let categories: Vec<usize> = self.categories.iter().map(|name| names.find(name)).collect::<Result<_>>()?;
        let mut taken = vec![false; names.len()];
        let offset_columns = offset.iter().flat_map(Covariate::columns);
        for j in target.into_iter().chain(weights).chain(offset_columns).chain(categories.iter().copied()) {
            if let Some(taken) = taken.get_mut(j) {
                *taken = true;
            }
        }
        let (covariates, offset) = match &self.features {
            Features::Sole { drop, as_what } => {
                let sole = sole(names, &taken, drop, *as_what)?;
                if *as_what == Sole::LogOffset { (Vec::new(), Some(sole)) } else { (vec![sole], offset) }
            }
            _ => (self.covariates(names, &taken)?, offset),
        };
        if covariates.is_empty() && offset.is_none() && self.features != Features::Nothing {
            return Err(Error::data("no covariate is left; a model needs a covariate or an offset"));
        }
        check_roles(names, [(target, "target"), (weights, "weights")], offset.as_ref(), &covariates)?;
        let kept = self.kept.iter().map(|name| names.find(name)).collect::<Result<_>>()?;
        Ok(Roles { covariates, target, weights, offset, categories, kept })
    }

    fn covariates(&self, names: &Names<'_>, taken: &[bool]) -> Result<Vec<Covariate>> {
        let every = [".".to_owned()];
        let (add, drop): (&[String], &[String]) = match &self.features {
            Features::All => (&every, &[]),
            Features::Only(add) => (add, &[]),
            Features::Except(drop) => (&every, drop),
            Features::Terms { add, drop } => (add, drop),
            Features::Exactly(texts) => return texts.iter().map(|text| Covariate::exactly(text, names)).collect(),
            Features::Nothing | Features::Sole { .. } => return Ok(Vec::new()),
            Features::InOrder { names: model, columns } => return self.in_order(model, *columns, names),
            Features::AnyOf(_) => return Err(Error::data("several models cannot be part of another model")),
        };
        let mut covariates = Covariates::new(names, taken);
        // every other column, even if a column is called `.`
        match self.features {
            Features::All | Features::Except(_) => covariates.add_others()?,
            _ => add.iter().try_for_each(|text| covariates.add(text))?,
        }
        covariates.without(drop)
    }

    /// The covariates of a model in a file without names.
    fn in_order(&self, model: &[String], columns: Option<usize>, names: &Names<'_>) -> Result<Vec<Covariate>> {
        let found = names.len();
        let is_term = |name: &&String| Term::parse(name).is_ok_and(|term| term.as_column().is_none());
        let term = model.iter().find(is_term);
        if model.len() == found && self.target.is_none() && term.is_none() {
            return Ok((0..found).map(Covariate::Column).collect());
        }
        if columns == Some(found) {
            return model.iter().map(|text| Covariate::exactly(text, names)).collect();
        }
        let wanted = model.len();
        Err(Error::data(match (term, columns) {
            (Some(term), Some(columns)) => format!(
                "{found} columns, but the model has the term `{term}` and was fitted to {columns} columns: give it all of them"
            ),
            (Some(term), None) => {
                format!("the model has the term `{term}`, so its columns are found by name: give the file a header")
            }
            (None, columns) => {
                let or = columns.map(|columns| format!(" (or {columns} columns, as in the file of the fit)"));
                format!("{found} columns, but the model has {wanted} covariates{}", or.unwrap_or_default())
            }
        }))
    }

    /// Empty columns of kept text.
    pub(crate) fn empty_kept(&self) -> Vec<Verbatim> {
        self.kept.iter().map(|name| Verbatim::new(name)).collect()
    }

    /// Empty categories.
    pub(crate) fn empty_categories(&self) -> Vec<Category> {
        self.categories.iter().map(|name| Category::new(name)).collect()
    }
}

/// The only column that has no role yet, in its own.
fn sole(names: &Names<'_>, taken: &[bool], drop: &[String], as_what: Sole) -> Result<Covariate> {
    let mut others = Covariates::new(names, taken);
    others.add_others()?;
    let left: Vec<usize> = others.without(drop)?.iter().flat_map(Covariate::columns).collect();
    let name = |j: usize| names.names.get(j).map(String::as_str).unwrap_or_default();
    match left.as_slice() {
        [only] if as_what == Sole::Plain => Ok(Covariate::Column(*only)),
        [only] => Covariate::exactly(&format!("log({})", quoted(name(*only))), names),
        [] => Err(Error::data("no column is left for the covariate of the curve")),
        [first, ..] => {
            let shown = first_few(left.iter().map(|&j| format!("`{}`", names.shown(j))));
            let what = format!("the curve has one covariate, but {} columns are left ({shown}): name it", left.len());
            Err(Error::data(what).with_hint(Some(Hint::NameCovariate(name(*first).to_owned()))))
        }
    }
}

/// Checks that no column has two roles. Only terms may share a column, with each other
/// and with the offset.
fn check_roles(
    names: &Names<'_>,
    single: [(Option<usize>, &'static str); 2],
    offset: Option<&Covariate>,
    covariates: &[Covariate],
) -> Result<()> {
    let mut roles: Vec<Option<&str>> = vec![None; names.len()];
    for (j, role) in single.into_iter().filter_map(|(j, role)| Some((j?, role))) {
        claim(&mut roles, j, role, names)?;
    }
    let offset = offset.map(|offset| (offset, "offset"));
    for (covariate, role) in offset.into_iter().chain(covariates.iter().map(|covariate| (covariate, "a covariate"))) {
        match covariate {
            Covariate::Column(j) => claim(&mut roles, *j, role, names)?,
            Covariate::Term { name, .. } => {
                let other = |j: usize| Some((j, roles.get(j).copied().flatten()?));
                let is_single = |(_, other): &(usize, &str)| ["target", "weights"].contains(other);
                if let Some((j, other)) = covariate.columns().filter_map(other).find(is_single) {
                    let column = names.shown(j);
                    return Err(Error::data(format!("column `{column}` is used as {other} and in the term `{name}`")));
                }
            }
        }
    }
    Ok(())
}

/// Gives a column a role.
fn claim(roles: &mut [Option<&'static str>], j: usize, role: &'static str, names: &Names<'_>) -> Result<()> {
    let Some(before) = roles.get_mut(j) else { return Ok(()) };
    match before.replace(role) {
        None => Ok(()),
        Some(other) => {
            let twice = if other == role { format!("twice as {role}") } else { format!("as {other} and as {role}") };
            Err(Error::data(format!("column `{}` is used {twice}", names.shown(j))))
        }
    }
}
