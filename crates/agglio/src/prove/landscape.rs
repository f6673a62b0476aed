//! The *landscape* of a fit is its loss as a function of few numbers, with its rows in the order in which bounds are
//! summed.
//!
//! ```text
//! F(v, ρ) = Σ ω_i (A(ρ) + B(ρ)·φ(u_iᵀv + o_i) − y_i)² + vᵀPv,      Σ ω_i u_i u_iᵀ = 1,   Σ ω_i = 1
//! ```
//!
//! v are the coefficients in coordinates in which the rows are white, and ρ the free entries of the response scale.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::Unprovable;
use super::small::{self, MOST, Matrix, Vector, ZERO};
use crate::activation::{Activation, Shape};
use crate::error::Result;
use crate::oracle::{Ask, Batch, Facts, Oracle, Query};

/// A row at minus infinity lies at least this far along the coefficient.
pub(super) const FAR: f64 = 1e100;
/// Pivots smaller than this, relatively, are those of collinear columns.
const COLLINEAR: f64 = 1e-12;
/// What is left of a column without its projection on others, relative to the column: up to here it is rounding.
const DEPENDENT: f64 = 1e-12;
/// From here on it is a direction.
const NEARLY_DEPENDENT: f64 = 1e-6;
/// Free asymptotes are searched for within so many ranges of the labels around them.
pub(super) const ASYMPTOTES_WITHIN: f64 = 10.0;

/// `α + β·φ`: the factor of a free entry of the response scale.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Term {
    pub alpha: f64,
    pub beta: f64,
}

impl Term {
    /// The sum with `factor` times another term.
    pub fn plus(self, other: Term, factor: f64) -> Term {
        Term { alpha: self.alpha + factor * other.alpha, beta: self.beta + factor * other.beta }
    }
}

/// The response A + B·φ, with its free entries.
#[derive(Clone, Debug)]
pub(super) struct Response {
    /// The part without a free entry.
    pub fixed: Term,
    /// The factors of the free entries.
    pub free: Vec<Term>,
    /// The values between which they are searched for.
    pub bounds: Vec<[f64; 2]>,
    /// Whether both asymptotes are free and φ is point-symmetric, so that only the first one being the lower is searched.
    pub is_mirrored: bool,
}

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
    /// cannot be told from rounding, or if there are no more rows than directions.
    pub fn part(&self, rows: &[u32]) -> Option<Landscape> {
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
        self.penalty = [ZERO; MOST];
        let is_coefficient = |entry: &usize| *entry < facts.layout.coefficients;
        for (row, _) in self.back.iter().zip(&self.entries).filter(|(_, entry)| is_coefficient(entry)) {
            for k in 0..self.predictors {
                (0..self.predictors).for_each(|l| self.penalty[k][l] += facts.l2 * row[k] * row[l]);
            }
        }
    }
}

impl Response {
    /// The free entries for a and b in a + b·φ.
    fn entries(&self, a: f64, b: f64) -> Vec<f64> {
        match self.free.as_slice() {
            [first, second] => {
                // a = Σ α_m·ρ_m and b = Σ β_m·ρ_m
                let determinant = first.alpha * second.beta - second.alpha * first.beta;
                vec![
                    (a * second.beta - b * second.alpha) / determinant,
                    (b * first.alpha - a * first.beta) / determinant,
                ]
            }
            [Term { alpha: 0.0, .. }] => vec![b],
            [_] => vec![a],
            _ => Vec::new(),
        }
    }
}

/// The response of a fit, or why it cannot be searched.
fn response(facts: &Facts, activation: &dyn Activation) -> std::result::Result<Response, Unprovable> {
    let one = Term { alpha: 0.0, beta: 1.0 };
    let Some(scale) = &facts.response else {
        return Ok(Response { fixed: one, free: Vec::new(), bounds: Vec::new(), is_mirrored: false });
    };
    let (left, right) = activation.limits();
    let width = right - left;
    if !width.is_finite() {
        return Err(Unprovable::UnboundedScale);
    }
    let [lowest, highest] = asymptotes_within(facts);
    let (a, b) = scale.user(&vec![1.0; facts.layout.response.iter().filter(|free| **free).count()]);
    Ok(match scale.free() {
        [true, true] => Response {
            fixed: Term::default(),
            free: vec![
                Term { alpha: right / width, beta: -1.0 / width },
                Term { alpha: -left / width, beta: 1.0 / width },
            ],
            bounds: vec![[lowest, highest]; 2],
            is_mirrored: activation.centre().is_some(),
        },
        // the offset is free, and both asymptotes are within
        [true, false] => Response {
            fixed: Term { alpha: 0.0, beta: b },
            free: vec![Term { alpha: 1.0, beta: 0.0 }],
            bounds: vec![[lowest - (b * left).min(b * right), highest - (b * left).max(b * right)]],
            is_mirrored: false,
        },
        // the scale is free, and the asymptote that is not at the offset is within
        _ => {
            let limit = if left.abs() > right.abs() { left } else { right };
            let ends = [(lowest - a) / limit, (highest - a) / limit];
            Response {
                fixed: Term { alpha: a, beta: 0.0 },
                free: vec![one],
                bounds: vec![[ends[0].min(ends[1]), ends[0].max(ends[1])]],
                is_mirrored: false,
            }
        }
    })
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

/// The interval in which free asymptotes are searched for.
pub(super) fn asymptotes_within(facts: &Facts) -> [f64; 2] {
    let (low, high) = facts.label_bounds;
    [low - ASYMPTOTES_WITHIN * (high - low), high + ASYMPTOTES_WITHIN * (high - low)]
}

/// The rows of an oracle.
struct Gathered {
    columns: Vec<Vec<f64>>,
    label: Vec<f64>,
    weight: Vec<f64>,
    offset: Vec<f64>,
    /// Whether a row is at minus infinity.
    is_far: Vec<bool>,
}

impl Gathered {
    fn of(oracle: &dyn Oracle, entries: &[usize], has_coefficient: bool) -> Result<Gathered> {
        let (layout, origin) = (oracle.facts().layout, oracle.facts().layout.zero());
        let directions: Vec<Vec<f64>> = entries.iter().map(|&entry| layout.unit(entry)).collect();
        let ask =
            Ask::Projection { theta: Cow::Borrowed(&origin), directions: Cow::Borrowed(&directions), limits: true };
        let projection = oracle.ask(&Query::new(Batch::All, ask))?.projection()?;
        let total: f64 = projection.weights().iter().sum();
        let counted: Vec<usize> = (0..oracle.rows()).filter(|&i| projection.weights()[i] > 0.0).collect();
        let gather = |column: &[f64]| counted.iter().map(|&i| column[i]).collect::<Vec<f64>>();
        let offset = gather(projection.at());
        // without a coefficient it is the offset that is far away, on the left whatever the intercept
        let is_far = offset.iter().map(|offset| has_coefficient && *offset == f64::NEG_INFINITY).collect();
        Ok(Gathered {
            columns: (0..entries.len()).map(|line| gather(projection.along(line))).collect(),
            label: gather(projection.labels()),
            weight: gather(projection.weights()).into_iter().map(|weight| weight / total).collect(),
            offset: offset.into_iter().map(|offset| offset.max(-FAR)).collect(),
            is_far,
        })
    }

    /// Equal rows as one, with their mean response and their total weight, and the mean square of responses about these means.
    ///
    /// ```text
    /// Σ ω_i (f − y_i)² = Ω(f − ȳ)² + Σ ω_i (y_i − ȳ)²
    /// ```
    ///
    /// A bound for each row alone would not see that their predictions are the same.
    fn merged(mut self) -> (Gathered, f64) {
        let key = |i: usize| -> Vec<u64> {
            let entries = self.columns.iter().map(|column| column[i]).filter(|_| !self.is_far[i]);
            // −0 is the same as 0
            entries.chain([self.offset[i], f64::from(u8::from(self.is_far[i]))]).map(|x| (x + 0.0).to_bits()).collect()
        };
        let mut groups: BTreeMap<Vec<u64>, Vec<usize>> = BTreeMap::new();
        (0..self.label.len()).for_each(|i| groups.entry(key(i)).or_default().push(i));
        let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
        groups.sort_unstable();
        let mut unexplained = 0.0;
        let (mut label, mut weight) = (Vec::new(), Vec::new());
        for rows in &groups {
            let total: f64 = rows.iter().map(|&i| self.weight[i]).sum();
            let mean = rows.iter().map(|&i| self.weight[i] / total * self.label[i]).sum();
            unexplained +=
                rows.iter().map(|&i| self.weight[i] * (self.label[i] - mean) * (self.label[i] - mean)).sum::<f64>();
            label.push(mean);
            weight.push(total);
        }
        let first = |column: &[f64]| groups.iter().map(|rows| column[rows[0]]).collect::<Vec<f64>>();
        self.columns = self.columns.iter().map(|column| first(column)).collect();
        self.offset = first(&self.offset);
        self.is_far = groups.iter().map(|rows| self.is_far[rows[0]]).collect();
        (Gathered { label, weight, ..self }, unexplained)
    }

    /// The Cholesky factor of Σ ω x xᵀ over the finite rows; none if columns are collinear.
    fn factor(&self) -> Option<Matrix> {
        let (mut factor, order) = ([ZERO; MOST], self.columns.len());
        let near = || (0..self.label.len()).filter(|&i| !self.is_far[i]);
        for i in 0..order {
            for j in 0..=i {
                let (a, b) = (&self.columns[i], &self.columns[j]);
                let sum: f64 = near().map(|row| self.weight[row] * a[row] * b[row]).sum();
                let rest = sum - (0..j).map(|k| factor[i][k] * factor[j][k]).sum::<f64>();
                if i == j && rest.partial_cmp(&(COLLINEAR * sum)) != Some(std::cmp::Ordering::Greater) {
                    return None;
                }
                factor[i][j] = if i == j { rest.sqrt() } else { rest / factor[j][j] };
            }
        }
        Some(factor)
    }

    /// The rows u = L⁻¹x. A row at minus infinity is far along the direction of the first coefficient.
    fn whitened(mut self, factor: &Matrix) -> Gathered {
        let order = self.columns.len();
        for i in 0..self.label.len() {
            let mut u = ZERO;
            for j in 0..order {
                let own = if self.is_far[i] { if j == 0 { -1.0 } else { 0.0 } } else { self.columns[j][i] };
                let rest = own - (0..j).map(|k| factor[j][k] * u[k]).sum::<f64>();
                u[j] = rest / factor[j][j];
            }
            if self.is_far[i] {
                let length = small::norm(&u);
                u.iter_mut().for_each(|u| *u *= 2.0 * FAR / length);
            }
            self.columns.iter_mut().zip(u).for_each(|(column, u)| column[i] = u);
        }
        self.offset.iter_mut().zip(&self.is_far).filter(|(_, far)| **far).for_each(|(offset, _)| *offset = 0.0);
        self
    }
}
