//! A *part* of a table holds the covariates of one of several models that are read together.

use std::collections::HashMap;

use super::covariates::Covariate;
use super::selection::{Features, Roles, Selection};
use super::table::Table;
use crate::error::{Error, Result};
use crate::text::escape::short;

/// The covariates and the offset of one model, as positions among the covariates of all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Positions of its covariates.
    pub covariates: Vec<usize>,
    /// Position of its offset.
    pub offset: Option<usize>,
}

impl Part {
    /// Whether the model has no other covariate than this column, or no covariate and this column as offset.
    pub(super) fn has_only(&self, column: usize) -> bool {
        match self.covariates.as_slice() {
            [] => self.offset == Some(column),
            [only] => *only == column && self.offset != Some(column),
            _ => false,
        }
    }

    pub(super) fn uses(&self, column: usize) -> bool {
        self.offset == Some(column) || self.covariates.contains(&column)
    }
}

impl Selection {
    /// The columns of several models, to be read at once. [`Table::parts`] has the models in the same order. A row is complete if
    /// it is complete for all of them.
    ///
    /// # Errors
    /// If the models differ in their response, weights or categories.
    ///
    /// # Examples
    ///
    /// ```
    /// use agglio::table::{Formula, Selection};
    ///
    /// let models = ["y ~ b", "y ~ a*b"].map(|text| Formula::parse(text).map(|formula| formula.selection()));
    /// let all = Selection::of_all(&models.into_iter().collect::<Result<Vec<_>, _>>()?)?;
    /// let table = all.table(&[("a", &[1.0, 2.0]), ("b", &[3.0, 4.0]), ("y", &[0.1, 0.2])])?;
    /// assert_eq!(table.names, ["b", "a", "a:b"]);
    /// assert_eq!(table.part(&table.parts[0]).values, [3.0, 4.0]);
    /// # Ok::<(), agglio::Error>(())
    /// ```
    pub fn of_all(selections: &[Selection]) -> Result<Selection> {
        let first = selections.first().cloned().unwrap_or_default();
        let same = |other: &&Selection| (&other.weights, &other.categories) == (&first.weights, &first.categories);
        if let Some(other) = selections.iter().find(|other| other.target != first.target) {
            let [one, other] = [&first, other].map(|own| short(own.target.as_deref().unwrap_or_default().as_bytes()));
            return Err(Error::data(format!(
                "the models have different responses, `{one}` and `{other}`: only models of the same response can be compared"
            )));
        }
        if !selections.iter().all(|other| same(&other)) {
            return Err(Error::data(
                "the models have different weights or categories, so they cannot be read together",
            ));
        }
        Ok(Selection { features: Features::AnyOf(selections.to_vec()), offset: None, ..first })
    }
}

/// The roles of columns for several models: each covariate once, and the positions of each model's own.
pub(super) fn union(models: Vec<Roles>) -> (Roles, Vec<Part>) {
    let (mut all, mut places) = (Roles::default(), HashMap::new());
    let mut parts = Vec::with_capacity(models.len());
    for model in models {
        let Roles { covariates, offset, target, weights, categories, kept } = model;
        let mut place = |covariate: Covariate| {
            *places.entry(covariate.key()).or_insert_with(|| {
                all.covariates.push(covariate);
                all.covariates.len() - 1
            })
        };
        parts.push(Part {
            covariates: covariates.into_iter().map(&mut place).collect(),
            offset: offset.map(&mut place),
        });
        all = Roles { target, weights, categories, kept, ..all };
    }
    (all, parts)
}

impl Table {
    /// The table of one of several models.
    pub fn part(&self, part: &Part) -> Table {
        let columns = self.names.len();
        let row = |row: usize| self.values.get(row * columns..(row + 1) * columns).unwrap_or_default();
        let of = |row: &[f64], column: usize| row.get(column).copied().unwrap_or_default();
        let values: Vec<f64> =
            (0..self.rows).flat_map(|k| part.covariates.iter().map(move |&column| of(row(k), column))).collect();
        let offsets = part.offset.map(|column| (0..self.rows).map(|k| of(row(k), column)).collect::<Vec<f64>>());
        let infinite = |numbers: &[f64]| numbers.iter().filter(|number| number.is_infinite()).count();
        Table {
            names: part.covariates.iter().filter_map(|&column| self.names.get(column).cloned()).collect(),
            at_limit: if self.at_limit == 0 { 0 } else { infinite(&values) + offsets.as_deref().map_or(0, infinite) },
            values,
            offsets,
            labels: self.labels.clone(),
            weights: self.weights.clone(),
            rows: self.rows,
            dropped: self.dropped,
            columns: self.columns,
            ..Table::default()
        }
    }
}
