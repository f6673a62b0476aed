//! The *driver* is the oracle over shards. It merges their sums and converts them to means in the coordinates of the
//! solver.

use std::f64::consts::PI;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::math::linalg::Symmetric;
use crate::oracle::answer::{
    Answer, ConstantModel, Curvature, Departure, Gradient, Mixture, Model, NormalEquations, Value,
};
use crate::oracle::baseline::Baseline;
use crate::oracle::clip::{Clip, clips};
use crate::oracle::facts::{Facts, Measured, Traits};
use crate::oracle::frame::Frame;
use crate::oracle::labels::MARGIN;
use crate::oracle::layout::Layout;
use crate::oracle::partial_sums::{PartialSums, Weighted};
use crate::oracle::projection::Projection;
use crate::oracle::query::{Ask, At, Batch, LabelChoice, Memory, Query, Want};
use crate::oracle::shard::{Shard, Shards};
use crate::oracle::{Oracle, given_up};
use crate::rows::{Coordinates, Rows, Scaling};

/// `y ≈ φ(xᵀw + b)`
///
/// The problem to fit: the activation, the coordinates and the penalty.
#[derive(Clone, Debug)]
pub struct Problem {
    /// φ.
    pub activation: Arc<dyn Activation>,
    /// The units of the solver. Default: standardised.
    pub scaling: Scaling,
    /// Whether the model has an intercept b. Default: yes.
    pub intercept: bool,
    /// Margins between labels and the bounds of the range, relative to its width, the widest first. Default:
    /// [`MARGIN`].
    pub margins: Vec<f64>,
    /// A last temperature between 0 and 1. On such a path only labels without a preimage are clipped, because no later
    /// stage uses the labels unchanged. Default: none.
    pub tau_max: Option<f64>,
    /// The graduated labels for queries without a choice. Default: [`LabelChoice::default`].
    pub labels: LabelChoice,
    /// λ of the penalty λ‖w‖², which excludes the intercept. Default: 0.
    pub l2: f64,
    /// The coordinates of another fit, to score its points on these rows. Default: measured on the rows.
    pub coordinates: Option<Coordinates>,
}

impl Problem {
    /// The problem with all defaults for this activation.
    pub fn new(activation: Arc<dyn Activation>) -> Problem {
        Problem {
            activation,
            scaling: Scaling::Standard,
            intercept: true,
            margins: vec![MARGIN],
            tau_max: None,
            labels: LabelChoice::default(),
            l2: 0.0,
            coordinates: None,
        }
    }

    /// The problem without intercept, scaling and margins: the setting of the theorems in the paper.
    pub fn plain(activation: Arc<dyn Activation>) -> Problem {
        Problem { scaling: Scaling::None, intercept: false, margins: vec![0.0], ..Problem::new(activation) }
    }

    /// The oracle of this problem for a table in this process.
    ///
    /// # Errors
    /// As [`Driver::new`].
    pub fn on(&self, rows: &dyn Rows) -> Result<Driver> {
        Driver::new(Box::new(Shard::new(rows.share())), self)
    }
}

/// An oracle over shards.
///
/// The bits of its answers do not depend on the number of threads.
#[derive(Debug)]
pub struct Driver {
    shards: Box<dyn Shards>,
    facts: Facts,
    activation: Arc<dyn Activation>,
    labels: LabelChoice,
    mean_weight: f64,
    /// Mean square of the factors by which a relative error of y enters y^τ, on a path that ends below τ = 1.
    blurred_square: f64,
    visited: AtomicU64,
    interrupt: Arc<AtomicBool>,
}

impl Driver {
    /// Measures the rows and prepares the shards for a problem.
    ///
    /// # Errors
    /// If the rows cannot be fitted, or a shard fails.
    pub fn new(mut shards: Box<dyn Shards>, problem: &Problem) -> Result<Driver> {
        let activation = &problem.activation;
        let columns = problem.scaling == Scaling::Standard && problem.coordinates.is_none();
        let measured = shards.measure(activation.range(), columns)?;
        // scoring works for a single row too
        if problem.coordinates.is_none() {
            measured.require_fittable()?;
        }
        if measured.width == 0 && !problem.intercept {
            return Err(Error::data("the model has neither a covariate nor an intercept: there is nothing to fit"));
        }
        let frame = frame(problem, &measured)?;
        let tally = shards.prepare(&frame)?;
        let constant = |intercept: f64| {
            let sums = shards.answer_one(&Query::new(Batch::All, Ask::Constant { intercept }))?;
            let weight = measured.rows as f64 * measured.mean_weight();
            Ok(sums.numbers.first().map_or(f64::NAN, |sum| sum / weight))
        };
        let baseline = Baseline::of(activation.as_ref(), problem.intercept, &measured, &tally, &constant)?;
        let facts = Facts {
            rows: measured.rows,
            counted: measured.counted.weight as usize,
            total_weight: measured.total_weight(),
            effective_fraction: measured.effective_fraction(),
            layout: Layout { coefficients: measured.width, intercept: problem.intercept },
            coordinates: frame.coordinates.clone(),
            l2: problem.l2,
            label_bounds: (measured.smallest, measured.largest),
            label_square: measured.labels.about(0.0),
            tied_share: measured.tied_share(),
            preimages: tally,
            margins: frame.clips.len(),
            clips_some: frame.narrowest.changes(&measured),
            baseline,
            activation: Traits {
                derivative_at_zero: activation.derivative(0.0).abs(),
                largest_slope: activation.largest_slope(),
                range: activation.range(),
                argmin: frame.argmin().filter(|_| tally.with_two_preimages > 0),
                is_monotone: frame.far_left().is_none(),
            },
        };
        Ok(Driver {
            visited: AtomicU64::new(frame.coordinates.passes() * measured.rows as u64),
            shards,
            facts,
            activation: activation.clone(),
            labels: problem.labels,
            mean_weight: measured.mean_weight(),
            blurred_square: tally.blurred_square / measured.rows as f64,
            interrupt: Arc::default(),
        })
    }

    /// Sets a flag that interrupts the run when it becomes true.
    pub fn with_interrupt(mut self, flag: Arc<AtomicBool>) -> Driver {
        self.interrupt = flag;
        self
    }

    /// Takes in a better model without covariates than a closed form gives.
    pub(crate) fn with_baseline(mut self, baseline: Baseline) -> Driver {
        self.facts.baseline = baseline;
        self
    }

    /// The activation.
    pub(crate) fn activation(&self) -> &Arc<dyn Activation> {
        &self.activation
    }

    fn count(&self, query: &Query<'_>) {
        let rows = query.points() * query.batch.len(self.facts.rows);
        self.visited.fetch_add(rows as u64, Ordering::Relaxed);
    }

    /// Converts sums over the rows to means in the coordinates of the solver.
    fn finish(&self, query: &Query<'_>, mut sums: PartialSums) -> Answer {
        sums.sort();
        let mean = 1.0 / (sums.rows as f64 * self.mean_weight);
        match &query.ask {
            Ask::At(at) => self.finish_at(at, sums, mean),
            Ask::NormalEquations { .. } => {
                let derivative = self.facts.activation.derivative_at_zero;
                let scale = 2.0 * mean * derivative * derivative;
                let sides = sums.right_sides.into_iter();
                let right_sides = sides.map(|side| self.vector(side, scale)).collect();
                let mut matrix = self.matrix(sums.products, sums.curvature, scale);
                self.penalise_matrix(&mut matrix);
                Answer::NormalEquations(NormalEquations { matrix, right_sides })
            }
            Ask::Mixture { .. } => {
                let derivative = self.facts.activation.derivative_at_zero;
                let scale = 2.0 * mean * derivative * derivative;
                let right_side = sums.right_sides.into_iter().next().map(|side| self.vector(side, scale));
                let square = finite_or_infinite(sums.loss * mean);
                let log_jacobian = sums.numbers.first().map_or(f64::NAN, |sum| sum * mean);
                Answer::Mixture(Mixture {
                    square,
                    log_likelihood: log_jacobian - 0.5 * ((2.0 * PI * square).ln() + 1.0),
                    right_side: right_side.unwrap_or_default(),
                })
            }
            Ask::MeanLoss { .. } => Answer::Number(sums.loss * mean),
            Ask::Departure(_) => Answer::Departure(departure(&sums.numbers)),
            Ask::Constant { .. } => {
                let number = |k: usize| sums.numbers.get(k).map_or(f64::NAN, |sum| sum * mean);
                Answer::Constant(ConstantModel { loss: number(0), gradient: number(1), curvature: number(2) })
            }
            Ask::Projection { .. } => {
                let mut columns = sums.columns.into_iter();
                let mut next = || columns.next().unwrap_or_default();
                let (label, weight, at) = (next(), next(), next());
                let activation = self.activation.clone();
                Answer::Projection(Projection { activation, at, along: columns.collect(), label, weight })
            }
            Ask::LongestRow => {
                let derivative = self.facts.activation.derivative_at_zero;
                Answer::Number(2.0 * derivative * derivative * (sums.largest / self.mean_weight) + 2.0 * self.facts.l2)
            }
        }
    }

    fn finish_at(&self, at: &At<'_>, sums: PartialSums, mean: f64) -> Answer {
        let unpenalised = finite_or_infinite(sums.loss * mean);
        let value = Value {
            rows: sums.rows,
            loss: unpenalised + self.facts.penalty(&at.theta),
            unpenalised,
            label_square: sums.label_square * mean + self.blurred_square,
            largest_square: sums.largest * mean,
        };
        if let Want::CurvatureTimes(_, v) = &at.want {
            let mut product = self.vector(sums.curvature, 2.0 * mean);
            self.penalise(&mut product, v);
            return Answer::Product(product);
        }
        if at.want == Want::Loss {
            return Answer::Value(value);
        }
        let mut gradient = self.vector(sums.gradient, 2.0 * mean);
        // the coefficients of rows do not contain the penalty, which belongs to no row
        if at.memory == Memory::Unused {
            self.penalise(&mut gradient, &at.theta);
        }
        let remembered = sums.columns.into_iter().next().unwrap_or_default();
        let first_order = Gradient { value, gradient, remembered };
        let hessian = match &at.want {
            Want::Stationarity => None,
            Want::Curvature(hessian) => Some(*hessian),
            _ => return Answer::Gradient(first_order),
        };
        let squares = self.facts.coordinates.squares(sums.norms.rows, sums.norms.total);
        let mut matrix = self.matrix(sums.products, sums.curvature, 2.0 * mean);
        self.penalise_matrix(&mut matrix);
        Answer::Model(Model {
            first_order,
            column_norms: squares.iter().map(|s| (s * mean).sqrt()).collect(),
            saturated: sums.saturated * mean,
            curvature: matrix.zip(hessian).map(|(matrix, hessian)| Curvature { matrix, hessian }),
        })
    }

    fn vector(&self, sums: Weighted, scale: f64) -> Vec<f64> {
        let mut vector = self.facts.coordinates.vector(sums.rows, sums.total);
        vector.iter_mut().for_each(|v| *v *= scale);
        vector
    }

    fn matrix(&self, products: Option<Symmetric>, border: Weighted, scale: f64) -> Option<Symmetric> {
        let mut matrix = self.facts.coordinates.products(&products?, border.rows, border.total);
        matrix.lower_mut().iter_mut().for_each(|h| *h *= scale);
        Some(matrix)
    }

    /// Adds 2λ·w.
    fn penalise(&self, vector: &mut [f64], theta: &[f64]) {
        if self.facts.l2 > 0.0 {
            let w = self.facts.layout.coefficients(theta);
            vector.iter_mut().zip(w).for_each(|(g, w)| *g += 2.0 * self.facts.l2 * w);
        }
    }

    fn penalise_matrix(&self, matrix: &mut Option<Symmetric>) {
        if let Some(matrix) = matrix.as_mut().filter(|_| self.facts.l2 > 0.0) {
            let coefficients = 0..self.facts.layout.coefficients;
            coefficients.for_each(|j| matrix.set(j, j, matrix.at(j, j) + 2.0 * self.facts.l2));
        }
    }
}

impl Oracle for Driver {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn ask(&self, query: &Query<'_>) -> Result<Answer> {
        if let Some(nothing) = given_up(self, query) {
            return Ok(nothing);
        }
        self.count(query);
        Ok(self.finish(query, self.shards.answer_one(query)?))
    }

    fn ask_all(&self, queries: &[Query<'_>]) -> Result<Vec<Answer>> {
        queries.iter().for_each(|query| self.count(query));
        let sums = self.shards.answer(queries)?;
        Ok(queries.iter().zip(sums).map(|(query, sums)| self.finish(query, sums)).collect())
    }

    fn labels(&self) -> LabelChoice {
        self.labels
    }

    fn visited(&self) -> u64 {
        self.visited.load(Ordering::Relaxed)
    }

    fn add_visited(&self, rows: u64) {
        self.visited.fetch_add(rows, Ordering::Relaxed);
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }
}

/// The frame of a problem, from measurements of the rows.
fn frame(problem: &Problem, measured: &Measured) -> Result<Frame> {
    let (activation, range) = (problem.activation.clone(), problem.activation.range());
    let mut clips = clips(activation.as_ref(), measured, &problem.margins);
    let narrowest = clips.last().copied().unwrap_or(Clip::NONE);
    if problem.tau_max.is_some() {
        clips.iter_mut().for_each(|clip| *clip = clip.sparing(range));
    }
    let coordinates = match &problem.coordinates {
        Some(coordinates) => coordinates.clone(),
        None => Coordinates::new(
            measured.moments.clone(),
            measured.units.clone(),
            measured.width,
            problem.intercept,
            measured.can_centre,
        )?,
    };
    let (weight_unit, rows) = (measured.weight_unit, measured.rows);
    let (labels, tau_max) = (problem.labels, problem.tau_max);
    Ok(Frame { activation, coordinates, clips, narrowest, labels, tau_max, weight_unit, rows })
}

/// Activations are never NaN, so a sum that is NaN has overflowed.
fn finite_or_infinite(sum: f64) -> f64 {
    if sum.is_nan() { f64::INFINITY } else { sum }
}

/// Means, variances and covariance from the sums of [`Ask::Departure`].
fn departure(sums: &[f64]) -> Departure {
    let weight = sums.first().copied().unwrap_or(f64::NAN);
    let mean = |k: usize| sums.get(k).map_or(f64::NAN, |sum| sum / weight);
    Departure {
        excess: mean(1),
        excess_variance: mean(2) - mean(1) * mean(1),
        square: mean(3),
        cube: mean(4),
        fourth: mean(5),
        slope_variance: mean(7) - mean(6) * mean(6),
        slope_covariance: mean(8) - mean(3) * mean(6),
    }
}
