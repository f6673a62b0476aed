//! The *certificate* of a fit: what can be said about the point that was reached, whoever reached it.
//!
//! It looks at the gradient relative to its scale, at the smallest eigenvalue of the full Hessian, at rows whose slope
//! has vanished and at the loss of the model without covariates and of the linear stage, and puts the result into one
//! sentence. It certifies a strict local minimum that explains something. That no other minimum is lower it cannot know.
//!
//! The Hessian is seen in units in which the curvature at τ = 0, penalty included, has a diagonal of ones: eigenvalues then
//! compare directions whatever the units of the columns. Where a ball holds the coefficients back it is the Hessian of the
//! Lagrangian.

use crate::fit::Outcome;
use crate::krylov;
use crate::linalg::Symmetric;
use crate::oracle::{Fold, Hessian, Oracle, Query, Want};
use crate::report::Status;
use crate::rows::Batch;

/// What was found at the point that a fit returns.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Certificate {
    /// max_j |J_jᵀr|/(‖J_j‖‖r‖); none where all slopes have vanished.
    pub relative_gradient: Option<f64>,
    /// Whether the residual is only rounding, so that its gradient says nothing.
    pub exact: bool,
    /// Smallest eigenvalue of the full Hessian over the largest; none if not computed.
    pub smallest_eigenvalue: Option<f64>,
    /// Rows that the Hessian was taken over.
    pub curvature_rows: usize,
    /// Products with vectors that the eigenvalues were found by, where the Hessian is too large to be formed: the true
    /// smallest one may be smaller. None where it was formed.
    pub curvature_products: Option<usize>,
    /// Share of the rows, by weight, whose slope is below a thousandth of φ′(0).
    pub saturated: f64,
    /// Loss of the model without covariates.
    pub baseline_loss: f64,
    /// Loss, on the rows of the first stage, of the line at τ = 0 that solver `auto` begins with.
    pub linear_loss: Option<f64>,
    /// Columns that the data cannot tell apart, or cannot see.
    pub unidentified: Vec<usize>,
    /// Paths that ended at the loss that was kept, of how many, the first included; none without restarts.
    pub restarts: Option<(usize, usize)>,
    /// Whether a ball holds the coefficients back, so that the point is an optimum on its surface.
    pub held_back: bool,
    /// How the fit ended, in view of all this.
    pub status: Status,
}

/// Rows beyond which the Hessian is taken over a sample.
const MOST_ROWS: usize = 50_000;
/// The sample, a beginning of one fixed permutation.
const SAMPLE: usize = 20_000;
const SAMPLE_KEY: u64 = 0x6365_7274;
/// The relative gradient above which no point is called a minimum.
const STATIONARY: f64 = 1e-2;
/// Ratio of eigenvalues at which a direction counts as flat.
const FLAT: f64 = 1e-12;

/// Products with the Hessian for its outermost eigenvalues.
const PRODUCTS: usize = 60;

impl Certificate {
    /// Examines where a fit ended: one pass over the rows, or over a sample where there are many, and a few more where it
    /// looks odd. What the rows
    /// leave open of θ is set to zero: of all θ that fit as well, this is the one of least norm.
    pub(crate) fn examine(oracle: &Fold<'_>, outcome: &mut Outcome) -> Certificate {
        let spectrum = Spectrum::at(oracle, outcome);
        let mut certificate = Certificate {
            relative_gradient: outcome.sums.relative_gradient(),
            exact: outcome.sums.is_rounding(),
            smallest_eigenvalue: spectrum.ratio,
            curvature_rows: spectrum.rows,
            curvature_products: oracle.is_wide().then_some(PRODUCTS),
            saturated: spectrum.saturated,
            baseline_loss: oracle.baseline().loss,
            linear_loss: None,
            unidentified: Vec::new(),
            restarts: None,
            held_back: outcome.multiplier > 0.0,
            status: outcome.reason.into(),
        };
        if certificate.is_flat() {
            certificate.explain_flatness(oracle, outcome);
        } else if certificate.status == Status::IterationLimit && runs_away(oracle, outcome) {
            certificate.status = Status::Diverging;
        } else if certificate.status == Status::Converged && certificate.explains_nothing(oracle, outcome) {
            certificate.status = Status::Plateau;
        } else if certificate.status == Status::Plateau && certificate.explains_much(oracle, outcome) {
            // no slope has vanished: rounding alone keeps the gradient from falling further
            certificate.status = Status::Converged;
        }
        certificate
    }

    /// Whether the point is a strict local minimum that explains something, however loose the tolerance was.
    pub fn certified(&self) -> bool {
        self.status == Status::Converged
            && self.is_stationary()
            && self.smallest_eigenvalue.is_some_and(|ratio| ratio > FLAT)
    }

    fn is_stationary(&self) -> bool {
        self.exact || self.relative_gradient.is_some_and(|gradient| gradient <= STATIONARY)
    }

    /// The model without covariates is among those that were fitted: a stationary point above it is no optimum.
    fn explains_nothing(&self, oracle: &Fold<'_>, outcome: &Outcome) -> bool {
        let loss = outcome.sums.loss - oracle.penalty(&outcome.theta);
        outcome.tau == 1.0 && loss > self.baseline_loss * (1.0 + 1e-9) + outcome.sums.rounding()
    }

    fn explains_much(&self, oracle: &Fold<'_>, outcome: &Outcome) -> bool {
        let loss = outcome.sums.loss - oracle.penalty(&outcome.theta);
        outcome.tau == 1.0 && loss <= 0.9 * self.baseline_loss && self.saturated < 0.5
    }

    fn is_flat(&self) -> bool {
        self.smallest_eigenvalue.is_some_and(|ratio| ratio.abs() <= FLAT) || self.saturated >= 1.0
    }

    /// A flat direction is the data's fault (columns that it cannot tell apart), or that of slopes which have vanished:
    /// on the way to an optimum at infinity, or at a point that explains nothing.
    fn explain_flatness(&mut self, oracle: &Fold<'_>, outcome: &mut Outcome) {
        if self.status == Status::Plateau && runs_away(oracle, outcome) {
            self.status = Status::Diverging;
        }
        if self.status != Status::Converged && self.status != Status::IterationLimit {
            return;
        }
        if self.status == Status::IterationLimit && !self.is_stationary() && !runs_away(oracle, outcome) {
            return;
        }
        let open = Open::of(oracle);
        open.clear(&mut outcome.theta);
        self.unidentified = open.columns;
        self.status = match self.unidentified.is_empty() {
            false => Status::NotIdentified,
            // nothing left to explain, or something explained: coefficients grow for a reason
            true if outcome.sums.loss < self.baseline_loss || runs_away(oracle, outcome) => Status::Diverging,
            true if outcome.sums.loss == 0.0 || outcome.sums.is_rounding() => Status::Diverging,
            true => Status::Plateau,
        };
    }
}

/// Whether the loss goes on falling, by half at least, on the ray from zero through θ: the optimum is at infinity.
fn runs_away(oracle: &Fold<'_>, outcome: &Outcome) -> bool {
    let farther = |times: f64| outcome.theta.iter().map(|theta| times * theta).collect::<Vec<f64>>();
    let losses = oracle.losses(&[1.0, 2.0, 4.0, 8.0, 16.0].map(farther), outcome.tau, sample(oracle));
    losses.windows(2).all(|pair| pair[1] < pair[0] || pair[1] == 0.0)
        && losses.last() < losses.first().map(|loss| 0.5 * loss).as_ref()
}

/// The outermost eigenvalues of the Hessian at the end.
struct Spectrum {
    /// The smallest over the largest.
    ratio: Option<f64>,
    /// Share of saturated rows.
    saturated: f64,
    /// Rows that both are over.
    rows: usize,
}

impl Spectrum {
    fn at(oracle: &Fold<'_>, outcome: &Outcome) -> Spectrum {
        if oracle.is_wide() { Spectrum::by_products(oracle, outcome) } else { Spectrum::of_matrix(oracle, outcome) }
    }

    fn of_matrix(oracle: &Fold<'_>, outcome: &Outcome) -> Spectrum {
        let ask =
            || oracle.ask(&Query::new(&outcome.theta, outcome.tau, sample(oracle), Want::Curvature(Hessian::Full)));
        let sums = if outcome.sums.curvature.is_some() { outcome.sums.clone() } else { ask() };
        let values = sums.curvature.and_then(|mut matrix| {
            (0..oracle.coefficients()).for_each(|j| matrix.set(j, j, matrix.at(j, j) + outcome.multiplier));
            Some(scaled(oracle, &matrix).eigen()?.values)
        });
        Spectrum { ratio: values.as_deref().and_then(ratio), saturated: sums.saturated, rows: sums.rows }
    }

    fn by_products(oracle: &Fold<'_>, outcome: &Outcome) -> Spectrum {
        let ratio = match lacks_rows(oracle) && outcome.multiplier == 0.0 {
            true => Some(0.0),
            false => ratio_by_products(oracle, &outcome.theta, outcome.tau, outcome.multiplier),
        };
        Spectrum { ratio, saturated: outcome.sums.saturated, rows: sample(oracle).len(oracle.rows()) }
    }
}

/// The smallest eigenvalue over the largest as far as [`PRODUCTS`] with the Hessian at (θ, τ), plus `multiplier` for each
/// coefficient, show.
fn ratio_by_products(oracle: &Fold<'_>, theta: &[f64], tau: f64, multiplier: f64) -> Option<f64> {
    let (rows, units) = (sample(oracle), units(oracle));
    let times = |v: &[f64]| {
        let v: Vec<f64> = v.iter().zip(&units).map(|(v, unit)| v / unit).collect();
        let want = Want::CurvatureTimes(Hessian::Full, &v);
        let mut product = oracle.ask(&Query::new(theta, tau, rows, want)).curvature_times;
        product.iter_mut().zip(&v[..oracle.coefficients()]).for_each(|(h, v)| *h += multiplier * v);
        lift(oracle, &v, &units, &mut product);
        product.iter().zip(&units).map(|(h, unit)| h / unit).collect()
    };
    ratio(&krylov::ritz_values(times, oracle.dim(), PRODUCTS))
}

/// Fewer rows than coefficients leave some combination of them open, unless a penalty decides.
fn lacks_rows(oracle: &Fold<'_>) -> bool {
    let alive = oracle.dim() - oracle.coordinates().dead_columns().len();
    oracle.rows() < alive && oracle.l2() == 0.0
}

/// A column that carries nothing has no say in what is identified: its curvature is taken to be one.
fn lift(oracle: &Fold<'_>, v: &[f64], units: &[f64], product: &mut [f64]) {
    oracle.coordinates().dead_columns().into_iter().for_each(|j| product[j] = units[j] * units[j] * v[j]);
}

fn ratio(values: &[f64]) -> Option<f64> {
    let (least, most) = (values.first()?, values.last()?);
    Some(if *most > 0.0 { least / most } else { 0.0 })
}

/// Square roots of the diagonal of the curvature at τ = 0: in these units it is one.
fn units(oracle: &Fold<'_>) -> Vec<f64> {
    let slope = oracle.labels().activation().slope(0.0);
    let squares = if oracle.coordinates().is_standard() {
        vec![1.0; oracle.dim()]
    } else {
        let origin = vec![0.0; oracle.dim()];
        let line = oracle.ask(&Query::new(&origin, 0.0, sample(oracle), Want::Stationarity));
        line.column_norms.iter().map(|norm| (norm / slope).powi(2)).collect()
    };
    let unit = |(j, square): (usize, &f64)| {
        let own = slope * slope * square + if j < oracle.coefficients() { oracle.l2() } else { 0.0 };
        if own > 0.0 { (2.0 * own).sqrt() } else { 1.0 }
    };
    squares.iter().enumerate().map(unit).collect()
}

/// A curvature in these units. A column that carries nothing has the coefficient zero and no say in what is identified.
fn scaled(oracle: &Fold<'_>, matrix: &Symmetric) -> Symmetric {
    let (mut scaled, units) = (matrix.clone(), units(oracle));
    for j in 0..units.len() {
        (j..units.len()).for_each(|i| scaled.set(i, j, matrix.at(i, j) / units[i] / units[j]));
    }
    let most = scaled.largest_diagonal();
    oracle.coordinates().dead_columns().into_iter().for_each(|j| scaled.set(j, j, most));
    scaled
}

fn sample(oracle: &dyn Oracle) -> Batch {
    match oracle.rows() {
        0..=MOST_ROWS => Batch::All,
        _ => Batch::Part { key: SAMPLE_KEY, start: 0, len: SAMPLE.max(20 * oracle.dim()) },
    }
}

/// What the rows leave open of θ, whatever φ.
struct Open {
    /// Columns with a share in a direction that no row sees.
    columns: Vec<usize>,
    /// Of these directions, those that are not seen up to rounding.
    directions: Vec<Vec<f64>>,
}

impl Open {
    fn of(oracle: &Fold<'_>) -> Open {
        let nothing = Open { columns: Vec::new(), directions: Vec::new() };
        let origin = vec![0.0; oracle.dim()];
        if oracle.is_wide() {
            let flat = || ratio_by_products(oracle, &origin, 0.0, 0.0).is_some_and(|ratio| ratio.abs() <= FLAT);
            // which ones would take the matrix to tell
            let all = if lacks_rows(oracle) || flat() { oracle.coefficients() } else { 0 };
            return Open { columns: (0..all).collect(), ..nothing };
        }
        let line = oracle.ask(&Query::new(&origin, 0.0, sample(oracle), Want::Line));
        let Some(eigen) = line.curvature.and_then(|matrix| scaled(oracle, &matrix).eigen()) else { return nothing };
        let most = eigen.values.last().copied().unwrap_or(0.0);
        let below =
            |share: f64| eigen.values.iter().zip(&eigen.vectors).filter(move |(value, _)| value.abs() <= share * most);
        let open: Vec<&Vec<f64>> = below(FLAT).map(|(_, vector)| vector).collect();
        let columns = (0..oracle.dim()).filter(|&j| open.iter().any(|vector| vector[j].abs() > 1e-6)).collect();
        let (units, rounding) = (units(oracle), oracle.dim() as f64 * f64::EPSILON);
        let in_theta = |vector: &Vec<f64>| vector.iter().zip(&units).map(|(v, unit)| v / unit).collect();
        Open { columns, directions: orthonormal(below(rounding).map(|(_, vector)| in_theta(vector)).collect()) }
    }

    /// Takes these directions out of θ.
    fn clear(&self, theta: &mut [f64]) {
        for direction in &self.directions {
            let along: f64 = theta.iter().zip(direction).map(|(theta, v)| theta * v).sum();
            theta.iter_mut().zip(direction).for_each(|(theta, v)| *theta -= along * v);
        }
    }
}

/// Directions of length one, each at a right angle to those before it.
fn orthonormal(mut directions: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for k in 0..directions.len() {
        let (before, rest) = directions.split_at_mut(k);
        let Some(own) = rest.first_mut() else { break };
        // twice, since units may differ by many orders
        for v in before.iter().chain(&*before) {
            let along = dot(own, v);
            own.iter_mut().zip(v).for_each(|(own, v)| *own -= along * v);
        }
        let length = dot(own, own).sqrt();
        own.iter_mut().for_each(|v| *v = if length > 0.0 { *v / length } else { 0.0 });
    }
    directions
}
