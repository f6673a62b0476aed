//! The *landscape* of a fit is its loss as a function of few numbers, with its rows in the order in which bounds are
//! summed.
//!
//! ```text
//! F(v, ρ) = Σ ω_i (A(ρ) + B(ρ)·φ(u_iᵀv + o_i) − y_i)² + vᵀPv,      Σ ω_i u_i u_iᵀ = 1,   Σ ω_i = 1
//! ```
//!
//! v are the coefficients in coordinates in which the rows are white, and ρ the free entries of the response scale.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Unprovable;
use super::gathered::Gathered;
use super::response::{Response, response};
use super::small::{self, MOST, Matrix, Vector, ZERO};
use crate::activation::{Activation, Shape};
use crate::error::Result;
use crate::oracle::{Facts, Oracle};

/// A row at minus infinity lies at least this far along the coefficient.
pub(super) const FAR: f64 = 1e100;
/// What is left of a column without its projection on others, relative to the column: up to here it is rounding.
const DEPENDENT: f64 = 1e-12;
/// From here on it is a direction.
const NEARLY_DEPENDENT: f64 = 1e-6;

/// The loss as a function of few numbers.
#[derive(Debug)]
pub(super) struct Landscape {
    pub activation: Arc<dyn Activation>,
    pub shape: Shape,
    pub response: Response,
    /// Number of entries of v.
    pub predictors: usize,
    /// The entries of the rows, column by column.
    pub columns: Vec<Vec<f64>>,
    pub label: Vec<f64>,
    pub weight: Vec<f64>,
    pub offset: Vec<f64>,
    /// For each covariate that has the same value in several rows: a number for each value.
    level: Vec<Vec<u32>>,
    /// Lengths of the rows.
    pub length: Vec<f64>,
    /// P.
    pub penalty: Matrix,
    /// Absolute values of the terms of P, times the conditioning: its entries are off by a few roundings of these.
    pub penalty_size: Matrix,
    /// Mean square of the responses of equal rows about their means, which no fit can explain.
    pub unexplained: f64,
    /// A relative error of the covariates is at most this many times as large in the rows.
    pub conditioning: f64,
    /// Number of coefficients and intercepts of θ.
    width: usize,
    /// The entries of θ that v determines.
    entries: Vec<usize>,
    /// v as a function of these entries, row by row.
    forward: Matrix,
    /// These entries as a function of v, row by row.
    back: Matrix,
}

impl Landscape {
    /// The landscape of a fit at τ = 1, or the reason why there is none.
    ///
    /// # Errors
    /// If rows are lost.
    pub fn of(
        oracle: &dyn Oracle,
        activation: &Arc<dyn Activation>,
    ) -> Result<std::result::Result<Landscape, Unprovable>> {
        let facts = oracle.facts();
        let Some(shape) = activation.shape() else { return Ok(Err(Unprovable::UnknownShape)) };
        let dead = facts.coordinates.dead_columns();
        let entries: Vec<usize> = (0..oracle.predictor_dim()).filter(|entry| !dead.contains(entry)).collect();
        let response = match response(facts, activation.as_ref()) {
            Ok(response) => response,
            Err(why) => return Ok(Err(why)),
        };
        if entries.len() + response.free.len() > MOST {
            return Ok(Err(Unprovable::TooManyParameters));
        }
        let has_coefficient = entries.first().is_some_and(|entry| *entry < facts.layout.coefficients);
        let rows = Gathered::of(oracle, &entries, has_coefficient)?;
        let Some(factor) = rows.factor() else { return Ok(Err(Unprovable::NotIdentified)) };
        let mirrors = response.is_mirrored && rows.offset.iter().all(|offset| *offset == 0.0);
        let (rows, unexplained) = rows.merged();
        let level = rows.columns.iter().filter_map(|column| levels(column)).collect();
        let rows = rows.whitened(&factor);
        let order = entries.len();
        let (forward, back) = (small::transposed(&factor), small::transposed(&small::inverse_of_lower(&factor, order)));
        let mut landscape = Landscape {
            activation: activation.clone(),
            shape,
            response: Response { is_mirrored: mirrors, ..response },
            predictors: order,
            columns: rows.columns,
            length: Vec::new(),
            label: rows.label,
            weight: rows.weight,
            offset: rows.offset,
            level,
            penalty: [ZERO; MOST],
            penalty_size: [ZERO; MOST],
            unexplained,
            width: oracle.predictor_dim(),
            entries,
            conditioning: small::conditioning(&forward, &back),
            forward,
            back,
        };
        landscape.sort();
        landscape.penalise(facts);
        Ok(Ok(landscape))
    }

    /// The same in the axes of a symmetric matrix of v, such as the Hessian at a candidate: a box then lies along its valley.
    #[must_use]
    pub fn along(mut self, matrix: &Matrix, facts: &Facts) -> Landscape {
        let Some(axes) = small::axes(matrix, self.predictors) else { return self };
        for i in 0..self.rows() {
            let mut u = ZERO;
            u.iter_mut().zip(&self.columns).for_each(|(u, column)| *u = column[i]);
            let turned = small::times(&axes, &u, self.predictors);
            self.columns.iter_mut().zip(turned).for_each(|(column, u)| column[i] = u);
        }
        self.forward = small::product(&axes, &self.forward);
        self.back = small::product(&self.back, &small::transposed(&axes));
        self.penalise(facts);
        self
    }

    /// Rows that have the same value of a covariate, if they are at least this share of the rows. None if the response scale is
    /// free.
    pub fn levels(&self, fewest: f64) -> Vec<Vec<u32>> {
        let mut sets = BTreeMap::<(usize, u32), Vec<u32>>::new();
        for (column, level) in self.level.iter().enumerate().filter(|_| self.response.free.is_empty()) {
            for (i, &value) in level.iter().enumerate() {
                sets.entry((column, value)).or_default().push(i as u32);
            }
        }
        let is_large = |rows: &Vec<u32>| rows.len() as f64 >= fewest * self.rows() as f64 && rows.len() < self.rows();
        sets.into_values().filter(is_large).collect()
    }

    /// The mean square of the labels of some rows about their mean, with the weights of all rows.
    pub fn spread(&self, rows: &[u32]) -> f64 {
        let of = |column: &[f64]| rows.iter().map(|&i| column[i as usize]).collect::<Vec<f64>>();
        let (weight, label) = (of(&self.weight), of(&self.label));
        let total: f64 = weight.iter().sum();
        let mean = weight.iter().zip(&label).map(|(weight, label)| weight / total * label).sum::<f64>();
        weight.iter().zip(&label).map(|(weight, label)| weight * (label - mean) * (label - mean)).sum()
    }

    /// The loss of some rows alone, as a function of the directions that they span. None if these are all directions, if they
    /// cannot be told from rounding, if there are no more rows than directions, or if a row is at minus infinity.
    pub fn part(&self, rows: &[u32]) -> Option<Landscape> {
        if rows.iter().any(|&i| self.length[i as usize] >= FAR) {
            return None;
        }
        let of = |column: &[f64]| rows.iter().map(|&i| column[i as usize]).collect::<Vec<f64>>();
        let weight = of(&self.weight);
        let mut columns: Vec<Vec<f64>> = Vec::new();
        let mut cancelled: f64 = 1.0;
        for column in &self.columns {
            let mut rest = of(column);
            let norm = |column: &[f64]| weighted_dot(&weight, column, column).sqrt();
            let before = norm(&rest);
            // twice is enough
            for known in columns.iter().chain(&columns) {
                let along = weighted_dot(&weight, known, &rest);
                rest.iter_mut().zip(known).for_each(|(rest, known)| *rest -= along * known);
            }
            let after = norm(&rest);
            if after > NEARLY_DEPENDENT * before {
                columns.push(rest.iter().map(|rest| rest / after).collect());
                cancelled = cancelled.max(before / after);
            } else if after > DEPENDENT * before {
                return None;
            }
        }
        let predictors = columns.len();
        if predictors == self.predictors || predictors >= rows.len() || predictors == 0 {
            return None;
        }
        let mut part = Landscape {
            activation: self.activation.clone(),
            shape: self.shape.clone(),
            response: self.response.clone(),
            predictors,
            columns,
            label: of(&self.label),
            offset: of(&self.offset),
            level: self.level.iter().map(|level| rows.iter().map(|&i| level[i as usize]).collect()).collect(),
            weight,
            length: Vec::new(),
            penalty: [ZERO; MOST],
            penalty_size: [ZERO; MOST],
            unexplained: 0.0,
            width: 0,
            conditioning: self.conditioning * self.predictors as f64 * cancelled,
            entries: Vec::new(),
            forward: [ZERO; MOST],
            back: [ZERO; MOST],
        };
        part.sort();
        Some(part)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.label.len()
    }

    /// Number of entries of v and ρ.
    pub fn order(&self) -> usize {
        self.predictors + self.response.free.len()
    }

    /// v and ρ of a point of the solver.
    pub fn point(&self, facts: &Facts, theta: &[f64]) -> Vector {
        let mut own = ZERO;
        own.iter_mut().zip(&self.entries).for_each(|(own, &entry)| *own = theta[entry]);
        let mut point = small::times(&self.forward, &own, self.predictors);
        if let Some(scale) = &facts.response {
            let (a, b) = scale.user(facts.layout.response(theta));
            let free = self.response.entries(a, b);
            point[self.predictors..].iter_mut().zip(free).for_each(|(entry, value)| *entry = value);
        }
        let both = self.predictors..self.order();
        if self.response.is_mirrored && point[both.start] > point[both.start + 1] {
            point.swap(both.start, both.start + 1);
            point[..self.predictors].iter_mut().for_each(|v| *v = -*v);
        }
        point
    }

    /// A point of the solver with these v. The response scale stays as it is in `theta`.
    pub fn theta(&self, v: &Vector, theta: &[f64]) -> Vec<f64> {
        let (mut theta, mut predictors) = (theta.to_vec(), *v);
        predictors[self.predictors..].fill(0.0);
        let own = small::times(&self.back, &predictors, self.predictors);
        self.entries.iter().zip(own).for_each(|(&entry, own)| theta[entry] = own);
        theta
    }

    /// The coefficients and the intercept of θ for these v. Columns without information have the coefficient zero.
    pub fn predictors_of(&self, v: &Vector) -> Vec<f64> {
        let theta = vec![0.0; self.width];
        self.theta(v, &theta)
    }

    /// Puts the longest rows first: they are the first to show that a loss is too large.
    fn sort(&mut self) {
        let square = |i: usize| self.columns.iter().map(|column| column[i] * column[i]).sum::<f64>();
        let mut order: Vec<(f64, usize)> = (0..self.rows()).map(|i| (square(i), i)).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.length = order.iter().map(|(square, _)| square.sqrt()).collect();
        let sorted = |column: &mut Vec<f64>| *column = order.iter().map(|&(_, i)| column[i]).collect();
        self.columns.iter_mut().chain([&mut self.label, &mut self.weight, &mut self.offset]).for_each(sorted);
        self.level.iter_mut().for_each(|level| *level = order.iter().map(|&(_, i)| level[i]).collect());
    }

    /// P, from the penalty on the coefficients: λ‖w‖² as a function of v.
    fn penalise(&mut self, facts: &Facts) {
        (self.penalty, self.penalty_size) = ([ZERO; MOST], [ZERO; MOST]);
        let is_coefficient = |entry: &usize| *entry < facts.layout.coefficients;
        for (row, _) in self.back.iter().zip(&self.entries).filter(|(_, entry)| is_coefficient(entry)) {
            for k in 0..self.predictors {
                for l in 0..self.predictors {
                    self.penalty[k][l] += facts.l2 * row[k] * row[l];
                    self.penalty_size[k][l] += self.conditioning * facts.l2 * (row[k] * row[l]).abs();
                }
            }
        }
    }
}

/// A number for each value of a column, in the order of their first rows; none if all values are different, or all the same.
fn levels(column: &[f64]) -> Option<Vec<u32>> {
    let mut numbers = BTreeMap::new();
    let of = |value: &f64| {
        let next = numbers.len() as u32;
        // −0 is the same as 0
        *numbers.entry((value + 0.0).to_bits()).or_insert(next)
    };
    let level: Vec<u32> = column.iter().map(of).collect();
    (numbers.len() > 1 && numbers.len() < column.len()).then_some(level)
}

fn weighted_dot(weight: &[f64], a: &[f64], b: &[f64]) -> f64 {
    weight.iter().zip(a.iter().zip(b)).map(|(weight, (a, b))| weight * a * b).sum()
}
