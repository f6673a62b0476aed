//! The *columns* of a selection: their positions in a table, and what is computed from them.

use std::collections::HashMap;

use super::covariates::Covariate;
use super::design::{Design, Misfit, Piece};
use super::names::Names;
use super::part::Part;
use super::selection::Roles;
use super::term::Transform;
use crate::text::escape::short;

/// Positions of the selected columns in a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Columns {
    /// The columns of numbers that covariates are made of. Without a design these are the covariates.
    pub features: Vec<usize>,
    pub target: Option<usize>,
    pub weights: Option<usize>,
    /// The column of the offset, unless the design computes it.
    pub offset: Option<usize>,
    /// The column or term of the offset.
    pub offset_name: Option<String>,
    /// How covariates and offset are computed; none if all of them are columns.
    pub design: Option<Design>,
    /// Names of the covariates.
    pub names: Vec<String>,
    /// Columns of text.
    pub categories: Vec<usize>,
    /// Columns whose text is kept.
    pub kept: Vec<usize>,
    /// The models, if the columns are those of several ones.
    pub parts: Vec<Part>,
}

impl Columns {
    pub(super) fn new(names: &Names<'_>, roles: Roles, parts: Vec<Part>) -> Columns {
        let Roles { covariates, target, weights, offset, categories, kept } = roles;
        let is_column = |covariate: &Covariate| matches!(covariate, Covariate::Column(_));
        let plain = covariates.iter().chain(&offset).all(is_column);
        let (features, design) =
            if plain { (columns(&covariates), None) } else { compile(&covariates, offset.as_ref(), &parts) };
        let name = |covariate: Covariate| match covariate {
            Covariate::Column(j) => names.names.get(j).cloned().unwrap_or_default(),
            Covariate::Term { name, .. } => name,
        };
        let offset_name = offset.clone().map(name);
        let offset = offset.filter(|_| plain).and_then(|offset| offset.columns().next());
        let names = covariates.into_iter().map(name).collect();
        Columns { features, target, weights, offset, offset_name, design, names, categories, kept, parts }
    }

    /// All columns of numbers.
    pub fn all(&self) -> impl Iterator<Item = usize> {
        self.features.iter().copied().chain([self.target, self.weights, self.offset].into_iter().flatten())
    }

    /// Whether rows have an offset.
    pub fn has_offset(&self) -> bool {
        self.offset.is_some() || self.design.as_ref().is_some_and(Design::has_offset)
    }

    /// The term that a number has no place in, as part of a message.
    pub fn needed(&self, misfit: &Misfit) -> String {
        let name = misfit.term.and_then(|index| self.names.get(index));
        name.map_or(" (in the offset)".into(), |name| format!(" (in `{}`)", short(name.as_bytes())))
    }

    /// Why a number in column `j` has no place in a term, if it has none.
    pub fn domain_of(&self, j: usize, value: f64) -> Option<super::Domain> {
        let place = self.features.iter().position(|&column| column == j)?;
        self.design.as_ref()?.domain_of(place, value)
    }
}

/// The columns of covariates that are columns.
fn columns(covariates: &[Covariate]) -> Vec<usize> {
    covariates.iter().flat_map(Covariate::columns).collect()
}

/// The columns that terms need, each once, and the terms over them.
fn compile(covariates: &[Covariate], offset: Option<&Covariate>, parts: &[Part]) -> (Vec<usize>, Option<Design>) {
    let (mut features, mut places) = (Vec::new(), HashMap::new());
    let mut place = |j: usize| {
        *places.entry(j).or_insert_with(|| {
            features.push(j);
            features.len() - 1
        })
    };
    let mut pieces = |covariate: &Covariate| -> Vec<Piece> {
        match covariate {
            Covariate::Column(j) => vec![Piece { place: place(*j), transform: Transform::IDENTITY }],
            Covariate::Term { factors, .. } => {
                factors.iter().map(|&(j, transform)| Piece { place: place(j), transform }).collect()
            }
        }
    };
    let terms = covariates.iter().map(&mut pieces).collect();
    let offset = offset.map(&mut pieces);
    (features, Some(Design::new(terms, offset, parts)))
}
