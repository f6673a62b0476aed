//! The rows of an oracle, *gathered* once: equal rows as one, in coordinates in which they are white.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::landscape::FAR;
use super::small::{self, MOST, Matrix, ZERO};
use crate::error::Result;
use crate::oracle::{Ask, Batch, Oracle, Query};

/// Pivots smaller than this, relatively, are those of collinear columns.
const COLLINEAR: f64 = 1e-12;

/// The rows of an oracle.
pub(super) struct Gathered {
    pub columns: Vec<Vec<f64>>,
    pub label: Vec<f64>,
    pub weight: Vec<f64>,
    pub offset: Vec<f64>,
    /// Whether a row is at minus infinity.
    is_far: Vec<bool>,
}

impl Gathered {
    pub fn of(oracle: &dyn Oracle, entries: &[usize], has_coefficient: bool) -> Result<Gathered> {
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
    pub fn merged(mut self) -> (Gathered, f64) {
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
    pub fn factor(&self) -> Option<Matrix> {
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
    pub fn whitened(mut self, factor: &Matrix) -> Gathered {
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
