//! A *pinned* oracle is an oracle in which one parameter has a fixed value, and the others are θ.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::math::linalg::Symmetric;
use crate::oracle::{
    Answer, Ask, At, Batch, Curvature, Facts, Gradient, Hessian, Model, Oracle, Query, ResponseChoice, Want,
};

/// `θ_entry = value − Σ shift_j·θ_j`
///
/// A coefficient is pinned with an empty shift. The intercept in the user's units depends on all entries of θ, so it is
/// pinned with a shift. Only queries about the objective at a point are answered.
pub(super) struct Pinned<'a> {
    oracle: &'a dyn Oracle,
    facts: Facts,
    entry: usize,
    value: f64,
    /// One number for each entry of θ, or empty.
    shift: &'a [f64],
}

impl<'a> Pinned<'a> {
    pub fn new(oracle: &'a dyn Oracle, entry: usize, value: f64, shift: &'a [f64]) -> Pinned<'a> {
        let mut facts = oracle.facts().clone();
        facts.layout = facts.layout.without(entry);
        Pinned { oracle, facts, entry, value, shift }
    }

    /// The whole θ.
    pub fn expand(&self, free: &[f64]) -> Vec<f64> {
        self.insert(free, self.value)
    }

    /// θ without the pinned entry.
    pub fn without(&self, theta: &[f64]) -> Vec<f64> {
        theta.iter().enumerate().filter(|(j, _)| *j != self.entry).map(|(_, theta)| *theta).collect()
    }

    /// θ with an entry for which θ_entry + Σ shift_j·θ_j = `value`.
    fn insert(&self, free: &[f64], value: f64) -> Vec<f64> {
        let mut theta = free.to_vec();
        theta.insert(self.entry.min(theta.len()), 0.0);
        let shifted: f64 = self.shift.iter().zip(&theta).map(|(shift, theta)| shift * theta).sum();
        theta[self.entry] = value - shifted;
        theta
    }

    fn shift_of(&self, entry: usize) -> f64 {
        self.shift.get(entry).copied().unwrap_or(0.0)
    }

    /// The entries of θ that are free.
    fn free(&self) -> Vec<usize> {
        (0..self.oracle.dim()).filter(|entry| *entry != self.entry).collect()
    }

    /// A derivative by the whole θ as one by the free entries.
    fn reduce(&self, gradient: &[f64]) -> Vec<f64> {
        let own = gradient.get(self.entry).copied().unwrap_or(0.0);
        self.free().into_iter().map(|j| gradient[j] - self.shift_of(j) * own).collect()
    }

    /// The same for a second derivative.
    fn reduce_matrix(&self, matrix: &Symmetric) -> Symmetric {
        let (free, k) = (self.free(), self.entry);
        let mut out = matrix.select(&free);
        for (i, &row) in free.iter().enumerate().filter(|_| !self.shift.is_empty()) {
            for (j, &column) in free.iter().enumerate().take(i + 1) {
                let (a, b) = (self.shift_of(row), self.shift_of(column));
                let moved = a * b * matrix.at(k, k) - a * matrix.at(k, column) - b * matrix.at(k, row);
                out.set(i, j, out.at(i, j) + moved);
            }
        }
        out
    }

    /// The norms of the columns of J by the free entries. With a shift they need the Gauss–Newton curvature.
    fn norms(&self, at: &At<'_>, theta: &[f64], model: &Model) -> Result<Vec<f64>> {
        if self.shift.is_empty() {
            return Ok(self.without(&model.column_norms));
        }
        let known = model.curvature.as_ref().filter(|curvature| curvature.hessian == Hessian::GaussNewton);
        let matrix = match known {
            Some(curvature) => Some(curvature.matrix.clone()),
            None => {
                let want = Want::Curvature(Hessian::GaussNewton);
                let response = ResponseChoice::AsGiven;
                let ask = Ask::At(At { theta: Cow::Borrowed(theta), want, response, ..at.clone() });
                self.oracle.ask(&Query::new(Batch::All, ask))?.model()?.into_matrix()
            }
        };
        let reduced = matrix.map(|matrix| self.reduce_matrix(&matrix)).unwrap_or_else(|| Symmetric::zero(0));
        Ok((0..reduced.order()).map(|j| (0.5 * reduced.at(j, j)).max(0.0).sqrt()).collect())
    }

    fn reduce_model(&self, at: &At<'_>, theta: &[f64], model: Model) -> Result<Model> {
        let column_norms = self.norms(at, theta, &model)?;
        let Model { first_order, saturated, curvature, .. } = model;
        let gradient = self.reduce(&first_order.gradient);
        let curvature =
            curvature.map(|Curvature { matrix, hessian }| Curvature { matrix: self.reduce_matrix(&matrix), hessian });
        Ok(Model { first_order: Gradient { gradient, ..first_order }, column_norms, saturated, curvature })
    }
}

impl Oracle for Pinned<'_> {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn ask(&self, query: &Query<'_>) -> Result<Answer> {
        let Ask::At(at) = &query.ask else {
            return Err(Error::data("an oracle with a pinned parameter was asked for more than the loss at a point"));
        };
        let theta = self.expand(&at.theta);
        let want = match &at.want {
            // a direction of θ keeps the pinned value
            Want::CurvatureTimes(hessian, v) => Want::CurvatureTimes(*hessian, self.insert(v, 0.0).into()),
            want => want.clone(),
        };
        // the best response scale need not have the pinned value
        let response = ResponseChoice::AsGiven;
        let whole = Ask::At(At { theta: Cow::Borrowed(&theta), want, response, ..at.clone() });
        Ok(match self.oracle.ask(&Query { ask: whole, ..query.clone() })? {
            Answer::Gradient(gradient) => {
                Answer::Gradient(Gradient { gradient: self.reduce(&gradient.gradient), ..gradient })
            }
            Answer::Model(model) => Answer::Model(self.reduce_model(at, &theta, model)?),
            Answer::Product(product) => Answer::Product(self.reduce(&product)),
            answer => answer,
        })
    }

    fn ask_all(&self, queries: &[Query<'_>]) -> Result<Vec<Answer>> {
        queries.iter().map(|query| self.ask(query)).collect()
    }

    fn visited(&self) -> u64 {
        self.oracle.visited()
    }

    fn add_visited(&self, rows: u64) {
        self.oracle.add_visited(rows);
    }

    fn is_interrupted(&self) -> bool {
        self.oracle.is_interrupted()
    }
}
