//! The *spectrum* is the part of the eigenvalues of the Hessian at the end of a fit that a certificate needs: the smallest
//! relative to the largest, and the directions that the data does not determine.
//!
//! θ is scaled so that the curvature at τ = 0, penalty included, has ones on its diagonal. The eigenvalues then do not depend
//! on the units of the columns. If the bound ‖w‖ ≤ R is active, the Hessian is that of the Lagrangian, and its multiplier
//! counts as a penalty.

use crate::error::Result;
use crate::fit::Outcome;
use crate::math::krylov;
use crate::math::linalg::{Symmetric, dot};
use crate::oracle::{Ask, Batch, Hessian, Model, Oracle, Query, Want};
use crate::outcome::StopReason;

/// Above this number of rows the Hessian is computed from a sample.
const MOST_ROWS: usize = 50_000;
/// Smallest number of rows of the sample, which is the beginning of one fixed permutation.
const SAMPLE: usize = 20_000;
const CERTIFICATE_KEY: u64 = 0x6365_7274;
/// Up to this ratio of eigenvalues a direction counts as flat.
pub(crate) const FLAT: f64 = 1e-12;
/// Up to this ratio of eigenvalues a point may lie on a slope that leads to infinity, instead of at a minimum.
pub(crate) const TAIL: f64 = 1e-6;
/// The same relative to the curvature at τ = 0, for a convex loss: every row that determines the direction is saturated.
const VANISHED: f64 = 1e-9;
/// Maximum number of directions of little curvature that are examined.
const MOST_DIRECTIONS: usize = 3;
/// Largest relative difference between sums over a sample and over all rows that is attributed to chance.
const CHANCE: f64 = 0.1;
/// Number of Hessian–vector products for the smallest and largest eigenvalue.
pub(crate) const PRODUCTS: usize = 60;

/// The smallest and largest eigenvalue of the Hessian at the end point, and related numbers.
pub(crate) struct Spectrum {
    /// The smallest eigenvalue divided by the one of largest absolute value.
    pub ratio: Option<f64>,
    /// ½·gᵀH⁻¹g divided by the loss: the relative decrease that a Newton step predicts.
    pub newton_decrement: Option<f64>,
    /// Share of saturated rows.
    pub saturated: f64,
    /// Number of rows from which these numbers were computed.
    pub rows: usize,
    /// The smallest ratio of a diagonal entry of the Hessian to that of the Gauss–Newton matrix.
    pub residual_curvature: Option<f64>,
    /// The Hessian, and the rows from which it was computed; none if it is not formed.
    pub hessian: Option<(Batch, Symmetric)>,
    /// Eigenvectors with almost no curvature, in the units of θ, from the smallest eigenvalue on. For a convex loss, the
    /// component of θ in their span is the first.
    pub flattest: Vec<Vec<f64>>,
}

impl Spectrum {
    pub fn at(oracle: &dyn Oracle, outcome: &Outcome) -> Result<Spectrum> {
        if outcome.reason == StopReason::Interrupted {
            // an interrupted fit makes no further pass, and its point is not tested
            return Ok(Spectrum {
                ratio: None,
                newton_decrement: None,
                saturated: outcome.model.saturated,
                rows: 0,
                residual_curvature: None,
                hessian: None,
                flattest: Vec::new(),
            });
        }
        if oracle.is_wide() { Spectrum::by_products(oracle, outcome) } else { Spectrum::of_matrix(oracle, outcome) }
    }

    fn of_matrix(oracle: &dyn Oracle, outcome: &Outcome) -> Result<Spectrum> {
        if outcome.model.curvature.as_ref().is_some_and(|curvature| curvature.hessian == Hessian::Full) {
            return Spectrum::of_model(Batch::All, oracle, outcome, outcome.model.clone());
        }
        or_over_all(oracle, |rows| {
            let query = Query::at(&outcome.theta, outcome.tau, rows, Want::Curvature(Hessian::Full));
            let model = oracle.ask(&query)?.model()?;
            let alike = rows == Batch::All || stands_for(&model, &outcome.model);
            Ok((Spectrum::of_model(rows, oracle, outcome, model)?, alike))
        })
    }

    /// The spectrum of the curvature of this model, with the units of these rows.
    fn of_model(rows: Batch, oracle: &dyn Oracle, outcome: &Outcome, model: Model) -> Result<Spectrum> {
        let Model { first_order, column_norms, saturated, curvature } = model;
        let matrix = curvature.map(|curvature| {
            let mut matrix = curvature.matrix;
            (0..oracle.facts().layout.coefficients)
                .for_each(|j| matrix.set(j, j, matrix.at(j, j) + outcome.multiplier));
            matrix
        });
        let scaled = match &matrix {
            Some(matrix) => Some(scaled(oracle, rows, matrix, outcome.multiplier)?),
            None => None,
        };
        let ratio = scaled.as_ref().and_then(krylov::outermost).map(|(least, most)| ratio(least, most));
        let tail = scaled.filter(|_| ratio.is_some_and(|ratio| ratio.abs() <= TAIL)).and_then(|matrix| matrix.eigen());
        let (g, loss) = (&outcome.model.gradient, outcome.model.loss);
        let residual_curvature = matrix.as_ref().and_then(|matrix| {
            let share = |(j, norm): (usize, &f64)| matrix.at(j, j) / (2.0 * norm * norm);
            column_norms.iter().enumerate().filter(|(_, norm)| **norm > 0.0).map(share).reduce(f64::min)
        });
        let step = matrix.as_ref().and_then(|matrix| matrix.solve_safely(&vec![0.0; g.len()], g));
        let flattest = match tail {
            None => Vec::new(),
            Some(eigen) => {
                let units = units(oracle, rows, outcome.multiplier)?;
                let most = eigen.values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
                let low = eigen.values.iter().zip(&eigen.vectors).filter(|(value, _)| **value <= TAIL * most);
                let low: Vec<&Vec<f64>> = low.map(|(_, vector)| vector).collect();
                let in_theta = |vector: &Vec<f64>| vector.iter().zip(&units).map(|(v, unit)| v / unit).collect();
                // a cone of directions in which a convex loss falls need not contain an eigenvector, but θ has moved into it
                let moved = oracle.facts().is_convex.then(|| component(&outcome.theta, &units, &low));
                moved.iter().chain(low.into_iter().take(MOST_DIRECTIONS)).map(in_theta).collect()
            }
        };
        Ok(Spectrum {
            ratio,
            newton_decrement: step.map(|p| 0.5 * dot(&p, g) / loss),
            saturated,
            rows: first_order.rows,
            residual_curvature,
            hessian: matrix.map(|matrix| (rows, matrix)),
            flattest,
        })
    }

    fn by_products(oracle: &dyn Oracle, outcome: &Outcome) -> Result<Spectrum> {
        or_over_all(oracle, |rows| {
            let there = || oracle.ask(&Query::at(&outcome.theta, outcome.tau, rows, Want::Stationarity))?.model();
            let alike = rows == Batch::All || stands_for(&there()?, &outcome.model);
            Ok((Spectrum::by_products_over(rows, oracle, outcome)?, alike))
        })
    }

    fn by_products_over(rows: Batch, oracle: &dyn Oracle, outcome: &Outcome) -> Result<Spectrum> {
        let ratio = match lacks_rows(oracle) && outcome.multiplier == 0.0 {
            true => Some(0.0),
            false => ratio_by_products(oracle, rows, &outcome.theta, outcome.tau, outcome.multiplier)?,
        };
        // an upper bound: in these units each of the d components of g is at most the relative gradient, and each eigenvalue
        // at least the smallest
        let gradient = outcome.model.relative_gradient();
        let newton_decrement =
            ratio.zip(gradient).map(|(ratio, gradient)| oracle.dim() as f64 * gradient * gradient / ratio.abs());
        let (saturated, rows) = (outcome.model.saturated, rows.len(oracle.rows()));
        Ok(Spectrum {
            ratio,
            newton_decrement,
            saturated,
            rows,
            residual_curvature: None,
            hessian: None,
            flattest: Vec::new(),
        })
    }
}

/// The component of θ, in these units, in the span of orthonormal vectors.
fn component(theta: &[f64], units: &[f64], vectors: &[&Vec<f64>]) -> Vec<f64> {
    let scaled: Vec<f64> = theta.iter().zip(units).map(|(theta, unit)| theta * unit).collect();
    let mut component = vec![0.0; theta.len()];
    for vector in vectors {
        let along = dot(&scaled, vector);
        component.iter_mut().zip(*vector).for_each(|(sum, v)| *sum += along * v);
    }
    component
}

/// The spectrum over a sample of the rows if that is enough, else over all rows. A sample is not enough if some direction has
/// almost no curvature, since the few rows of a rare category may be missing from it, or if its sums differ from those of all
/// rows.
fn or_over_all(oracle: &dyn Oracle, over: impl Fn(Batch) -> Result<(Spectrum, bool)>) -> Result<Spectrum> {
    let sample = sample(oracle);
    let (first, alike) = over(sample)?;
    let decided = alike && first.ratio.is_some_and(|ratio| ratio > TAIL);
    if decided || sample == Batch::All { Ok(first) } else { Ok(over(Batch::All)?.0) }
}

/// Whether loss and column norms of a sample differ from those of all rows only by chance. They differ more if the sample
/// misses a few rows of high leverage.
fn stands_for(sample: &Model, all: &Model) -> bool {
    let alike = |a: f64, b: f64| (a - b).abs() <= CHANCE * a.max(b);
    let columns = || sample.column_norms.iter().zip(&all.column_norms);
    (all.is_rounding() || alike(sample.loss, all.loss)) && columns().all(|(a, b)| alike(a * a, b * b))
}

/// The smallest eigenvalue divided by the largest, estimated from [`PRODUCTS`] products with the Hessian at (θ, τ) over these
/// rows, plus `multiplier` for each coefficient.
fn ratio_by_products(
    oracle: &dyn Oracle,
    rows: Batch,
    theta: &[f64],
    tau: f64,
    multiplier: f64,
) -> Result<Option<f64>> {
    let units = units(oracle, rows, multiplier)?;
    let layout = oracle.facts().layout;
    let times = |v: &[f64]| {
        let v: Vec<f64> = v.iter().zip(&units).map(|(v, unit)| v / unit).collect();
        let mut product = oracle.curvature_times(theta, tau, rows, Hessian::Full, &v)?;
        product.iter_mut().zip(layout.coefficients(&v)).for_each(|(h, v)| *h += multiplier * v);
        lift(oracle, &v, &units, &mut product);
        Ok(product.iter().zip(&units).map(|(h, unit)| h / unit).collect())
    };
    let values = krylov::ritz_values(times, oracle.dim(), PRODUCTS)?;
    Ok(values.first().zip(values.last()).map(|(least, most)| ratio(*least, *most)))
}

/// Whether some direction of a convex loss has lost its curvature although the columns determine it: every row that it changes
/// is saturated. Separation can lead into a cone of directions, of which none that is tried need be one of the cone.
pub(crate) fn has_vanished(oracle: &dyn Oracle, curvature: Option<f64>) -> Result<bool> {
    let Some(curvature) = curvature.filter(|ratio| *ratio <= TAIL) else { return Ok(false) };
    if !oracle.facts().is_convex || oracle.is_wide() {
        return Ok(false);
    }
    let ask = Ask::NormalEquations { matrix: true, choices: Vec::new() };
    let Some(line) = oracle.ask(&Query::new(Batch::All, ask))?.normal_equations()?.matrix else { return Ok(false) };
    let line = krylov::outermost(&scaled(oracle, Batch::All, &line, 0.0)?).map(|(least, most)| ratio(least, most));
    Ok(line.is_some_and(|line| curvature <= VANISHED * line))
}

/// Whether there are fewer rows than coefficients, so that the coefficients are not determined. A penalty determines them.
fn lacks_rows(oracle: &dyn Oracle) -> bool {
    let alive = oracle.dim() - oracle.facts().coordinates.dead_columns().len();
    oracle.rows() < alive && oracle.facts().l2 == 0.0
}

/// Sets the curvature of constant columns to one, so that they do not affect the smallest eigenvalue.
fn lift(oracle: &dyn Oracle, v: &[f64], units: &[f64], product: &mut [f64]) {
    oracle.facts().coordinates.dead_columns().into_iter().for_each(|j| product[j] = units[j] * units[j] * v[j]);
}

/// The smallest value divided by the one of largest absolute value.
fn ratio(least: f64, most: f64) -> f64 {
    let greatest = most.abs().max(least.abs());
    if greatest > 0.0 { least / greatest } else { 0.0 }
}

/// Square roots of the diagonal of the curvature at τ = 0, where the `multiplier` of a ball counts as a penalty. In these
/// units the diagonal is one.
fn units(oracle: &dyn Oracle, rows: Batch, multiplier: f64) -> Result<Vec<f64>> {
    let slope = oracle.facts().activation.derivative_at_zero;
    let squares = if oracle.facts().coordinates.is_standard() {
        vec![1.0; oracle.dim()]
    } else {
        let origin = vec![0.0; oracle.dim()];
        let line = oracle.ask(&Query::at(&origin, 0.0, rows, Want::Stationarity))?.model()?;
        line.column_norms.iter().map(|norm| (norm / slope).powi(2)).collect()
    };
    let unit = |(j, square): (usize, &f64)| {
        let pull = if j < oracle.facts().layout.coefficients { oracle.facts().l2 + 0.5 * multiplier } else { 0.0 };
        let own = slope * slope * square + pull;
        if own > 0.0 { (2.0 * own).sqrt() } else { 1.0 }
    };
    Ok(squares.iter().enumerate().map(unit).collect())
}

/// A curvature in these units. The diagonal entry of a constant column, whose coefficient is zero, is set to the largest one,
/// so that it does not affect the smallest eigenvalue.
fn scaled(oracle: &dyn Oracle, rows: Batch, matrix: &Symmetric, multiplier: f64) -> Result<Symmetric> {
    let (mut scaled, units) = (matrix.clone(), units(oracle, rows, multiplier)?);
    for j in 0..units.len() {
        (j..units.len()).for_each(|i| scaled.set(i, j, matrix.at(i, j) / units[i] / units[j]));
    }
    let most = scaled.largest_diagonal();
    oracle.facts().coordinates.dead_columns().into_iter().for_each(|j| scaled.set(j, j, most));
    Ok(scaled)
}

/// The rows from which the Hessian is computed first.
fn sample(oracle: &dyn Oracle) -> Batch {
    // rows of little weight contain little information
    let len = (SAMPLE.max(20 * oracle.dim()) as f64 / oracle.facts().effective_fraction).ceil() as usize;
    match oracle.rows() > MOST_ROWS && oracle.rows() > len {
        true => Batch::Part { key: CERTIFICATE_KEY, start: 0, len },
        false => Batch::All,
    }
}

/// Directions of θ along which the data does not determine the coefficients, for any φ: those of collinear columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct UnidentifiedDirections {
    /// Columns that contribute to such a direction.
    pub columns: Vec<usize>,
    /// The directions that are exactly collinear, to rounding.
    directions: Vec<Vec<f64>>,
}

impl UnidentifiedDirections {
    pub fn of(oracle: &dyn Oracle) -> Result<UnidentifiedDirections> {
        let nothing = UnidentifiedDirections::default();
        let origin = vec![0.0; oracle.dim()];
        if oracle.is_wide() {
            let ratio = || ratio_by_products(oracle, Batch::All, &origin, 0.0, 0.0);
            let flat = lacks_rows(oracle) || ratio()?.is_some_and(|ratio| ratio.abs() <= FLAT);
            // without the matrix it is not known which columns are collinear, so all are named
            let all = if flat { oracle.facts().layout.coefficients } else { 0 };
            return Ok(UnidentifiedDirections { columns: (0..all).collect(), ..nothing });
        }
        let ask = Ask::NormalEquations { matrix: true, choices: Vec::new() };
        let line = oracle.ask(&Query::new(Batch::All, ask))?.normal_equations()?;
        let Some(matrix) = line.matrix else { return Ok(nothing) };
        let Some(eigen) = scaled(oracle, Batch::All, &matrix, 0.0)?.eigen() else { return Ok(nothing) };
        let most = eigen.values.last().copied().unwrap_or(0.0);
        let below =
            |share: f64| eigen.values.iter().zip(&eigen.vectors).filter(move |(value, _)| value.abs() <= share * most);
        let open: Vec<&Vec<f64>> = below(FLAT).map(|(_, vector)| vector).collect();
        let columns = (0..oracle.dim()).filter(|&j| open.iter().any(|vector| vector[j].abs() > 1e-6)).collect();
        let (units, rounding) = (units(oracle, Batch::All, 0.0)?, oracle.dim() as f64 * f64::EPSILON);
        let in_theta = |vector: &Vec<f64>| vector.iter().zip(&units).map(|(v, unit)| v / unit).collect();
        Ok(UnidentifiedDirections {
            columns,
            directions: orthonormal(below(rounding).map(|(_, vector)| in_theta(vector)).collect()),
        })
    }

    /// θ without its components along these directions: the minimum-norm solution. None if there are no such directions.
    pub fn take_out_of(&self, theta: &[f64]) -> Option<Vec<f64>> {
        if self.directions.is_empty() {
            return None;
        }
        let mut theta = theta.to_vec();
        for direction in &self.directions {
            let along = dot(&theta, direction);
            theta.iter_mut().zip(direction).for_each(|(theta, v)| *theta -= along * v);
        }
        Some(theta)
    }
}

/// An orthonormal basis, by the Gram–Schmidt process.
fn orthonormal(mut directions: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for k in 0..directions.len() {
        let (before, rest) = directions.split_at_mut(k);
        let Some(own) = rest.first_mut() else { break };
        // twice, since units may differ by many orders of magnitude
        for v in before.iter().chain(&*before) {
            let along = dot(own, v);
            own.iter_mut().zip(v).for_each(|(own, v)| *own -= along * v);
        }
        let length = dot(own, own).sqrt();
        own.iter_mut().for_each(|v| *v = if length > 0.0 { *v / length } else { 0.0 });
    }
    directions
}
