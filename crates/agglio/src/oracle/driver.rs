//! The *driver* is the oracle over shards. It merges their sums and converts them to means in the coordinates of the
//! solver.

use std::f64::consts::PI;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::math::linalg::Symmetric;
use crate::oracle::answer::{
    Answer, ConstantModel, Curvature, Departure, Gradient, MeanSlope, Meat, Mixture, Model, NormalEquations, Value,
};
use crate::oracle::baseline::Baseline;
use crate::oracle::clip::{Clip, clips};
use crate::oracle::facts::{Facts, Measured, Traits};
use crate::oracle::frame::Frame;
use crate::oracle::labels::MARGIN;
use crate::oracle::layout::Layout;
use crate::oracle::loss::Loss;
use crate::oracle::partial_sums::{ClusterScore, PartialSums, Weighted};
use crate::oracle::projection::Projection;
use crate::oracle::query::{Ask, At, Batch, Hessian, LabelChoice, Memory, Query, ResponseChoice, Want, Weighting};
use crate::oracle::response::{FreeResponse, ResponseBlock, ResponseScale};
use crate::oracle::shard::{Shard, Shards};
use crate::oracle::{Oracle, given_up};
use crate::rows::{Coordinates, Rows, Scaling};

/// The curvature of a response scale that is held fixed: θ and the solution have the same entries.
const IDENTITY: [[f64; 2]; 2] = [[1.0, 0.0], [0.0, 1.0]];

/// If the best response scale lowers the loss by less than this share, it is the one of the query.
const STILL: f64 = 1e-14;

/// `y ≈ a + b·φ(xᵀw + intercept)`
///
/// The problem to fit: the activation, the coordinates and the penalty.
#[derive(Clone, Debug)]
pub struct Problem {
    /// φ.
    pub activation: Arc<dyn Activation>,
    /// The loss at τ = 1. Default: least squares.
    pub loss: Loss,
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
    /// The free entries of the response scale. Default: none.
    pub response: FreeResponse,
    /// λ of the penalty λ‖w‖², which excludes the intercept. Default: 0.
    pub l2: f64,
    /// The coordinates of another fit, to score its points on these rows. Default: measured on the rows.
    pub coordinates: Option<Coordinates>,
    /// The units of the free response scale of another problem, so that θ means the same in both. Default: measured on the
    /// rows.
    pub scale: Option<ResponseScale>,
}

impl Problem {
    /// The problem with all defaults for this activation.
    pub fn new(activation: Arc<dyn Activation>) -> Problem {
        Problem {
            activation,
            loss: Loss::default(),
            scaling: Scaling::Standard,
            intercept: true,
            margins: vec![MARGIN],
            tau_max: None,
            labels: LabelChoice::default(),
            response: FreeResponse::default(),
            l2: 0.0,
            coordinates: None,
            scale: None,
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
    loss: Loss,
    labels: LabelChoice,
    mean_weight: f64,
    /// Mean square of the factors by which a relative error of y enters y^τ, on a path that ends below τ = 1.
    blurred_square: f64,
    has_offsets: bool,
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
        problem.loss.require_labels(&measured)?;
        let frame = frame(problem, &measured)?;
        let tally = shards.prepare(&frame)?;
        let constant = |intercept: f64| {
            let sums = shards.answer_one(&Query::new(Batch::All, Ask::Constant { intercept }))?;
            let weight = measured.rows as f64 * measured.mean_weight();
            Ok(sums.numbers.first().map_or(f64::NAN, |sum| sum / weight))
        };
        let baseline = match &frame.response {
            Some(_) => Baseline::of_mean(&measured),
            None => Baseline::of(problem, &measured, &tally, &constant)?,
        };
        let facts = Facts {
            rows: measured.rows,
            counted: measured.counted.weight as usize,
            total_weight: measured.total_weight(),
            effective_fraction: measured.effective_fraction(),
            log_weights: measured.log_weights,
            has_clusters: measured.has_clusters,
            layout: Layout {
                coefficients: measured.width,
                intercept: problem.intercept,
                response: frame.response.as_ref().map_or([false; 2], ResponseScale::free),
            },
            coordinates: frame.coordinates.clone(),
            l2: problem.l2,
            label_bounds: (measured.smallest, measured.largest),
            label_square: measured.labels.about(0.0),
            tied_share: measured.tied_share(),
            preimages: tally,
            margins: frame.clips.len(),
            clips_some: frame.narrowest.changes(&measured),
            baseline,
            has_limits: measured.has_limits,
            is_convex: problem.loss.is_convex(),
            bounds_curvature: !problem.loss.is_convex() && frame.response.is_none() && activation.shape().is_some(),
            response: frame.response.clone(),
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
            loss: problem.loss,
            labels: problem.labels,
            mean_weight: measured.mean_weight(),
            blurred_square: tally.blurred_square / measured.rows as f64,
            has_offsets: measured.has_offsets,
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

    /// Whether the rows have offsets.
    pub(crate) fn has_offsets(&self) -> bool {
        self.has_offsets
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
                let sides = sums.right_sides.into_iter().map(|side| self.vector(side, scale));
                let mut right_sides: Vec<Vec<f64>> = sides.collect();
                let mut matrix = self.matrix(sums.products, sums.curvature, scale);
                self.penalise_matrix(&mut matrix);
                if let Some(response) = &self.facts.response {
                    // the response scale of each start is its own solution
                    right_sides.iter_mut().zip(response.starts()).for_each(|(side, start)| side.extend(start));
                    matrix = matrix.map(|matrix| self.bordered(matrix, [&[], &[]], IDENTITY));
                }
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
                let (activation, loss) = (self.activation.clone(), self.loss);
                let (response, along) = (self.facts.response.clone(), columns.collect());
                Answer::Projection(Projection { activation, loss, at, along, response, label, weight })
            }
            Ask::Meat { weighting, .. } => Answer::Meat(self.meat(weighting, sums, mean)),
            Ask::MeanSlope { theta } => {
                let value = sums.numbers.first().map_or(f64::NAN, |sum| sum * mean);
                let mut gradient = self.vector(sums.curvature, mean);
                // the slope bφ′ is proportional to β
                gradient.extend(self.free(&[0.0, value / self.entries(theta)[1]]));
                Answer::MeanSlope(MeanSlope { value, gradient })
            }
            Ask::LongestRow => {
                let derivative = self.facts.activation.derivative_at_zero;
                Answer::Number(2.0 * derivative * derivative * (sums.largest / self.mean_weight) + 2.0 * self.facts.l2)
            }
        }
    }

    fn finish_at(&self, at: &At<'_>, sums: PartialSums, mean: f64) -> Answer {
        let (unpenalised, penalty) = (finite_or_infinite(sums.loss * mean), self.facts.penalty(&at.theta));
        let value = Value {
            rows: sums.rows,
            loss: unpenalised + penalty,
            unpenalised,
            square: finite_or_infinite(sums.square * mean) + penalty,
            label_square: sums.label_square * mean + self.blurred_square,
            largest_square: sums.largest * mean,
            response: None,
        };
        if let Want::CurvatureTimes(_, v) = &at.want {
            let mut product = self.vector(sums.curvature, 2.0 * mean);
            self.penalise(&mut product, v);
            match at.tau == 1.0 {
                true => product.extend(self.free(&sums.numbers).map(|sum| 2.0 * mean * sum)),
                false => product.extend_from_slice(self.facts.layout.response(v)),
            }
            return Answer::Product(product);
        }
        if let Some(response) = &self.facts.response {
            return self.finish_projected(at, response, value, sums, mean);
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

    /// The answer at the best response scale for w. The loss is quadratic in α and β, so loss, gradient and Gauss–Newton
    /// curvature there follow from those at the response scale of the query.
    fn finish_projected(
        &self,
        at: &At<'_>,
        response: &ResponseScale,
        mut value: Value,
        sums: PartialSums,
        mean: f64,
    ) -> Answer {
        let (units, block) = (response.units(), ResponseBlock::of(&sums.numbers, mean));
        let best = at.tau == 1.0 && at.response == ResponseChoice::Best;
        let projects = best && at.want != Want::Curvature(Hessian::Full);
        let (step, decrease) = if projects { block.step(units, response.free()) } else { ([0.0; 2], 0.0) };
        let [alpha, beta] = self.entries(&at.theta);
        if projects {
            // a difference of nearly equal losses is known only to rounding
            let loss = (value.unpenalised - decrease).max(4.0 * f64::EPSILON * decrease);
            value.loss += loss - value.unpenalised;
            value.unpenalised = loss;
            value.square = value.loss;
            value.response = Some([alpha + step[0], beta + step[1]]);
        }
        if at.want == Want::Loss {
            return Answer::Value(value);
        }
        // D = bφ′ grows with b
        let growth = if beta == 0.0 { 1.0 } else { (beta + step[1]) / beta };
        let mut cross = sums.response.into_iter().zip(units).map(|(sums, unit)| self.vector(sums, 2.0 * mean * unit));
        let cross = [cross.next().unwrap_or_default(), cross.next().unwrap_or_default()];
        let mut gradient = self.vector(sums.gradient, 2.0 * mean);
        for (cross, step) in cross.iter().zip(step) {
            gradient.iter_mut().zip(cross).for_each(|(g, cross)| *g += step * cross);
        }
        gradient.iter_mut().for_each(|g| *g *= growth);
        self.penalise(&mut gradient, &at.theta);
        let rest = if projects { [0.0; 2] } else { block.gradient(units).map(|g| 2.0 * g) };
        gradient.extend(self.free(&rest));
        let first_order = Gradient { value, gradient, remembered: Vec::new() };
        if at.want == Want::Gradient {
            return Answer::Gradient(first_order);
        }
        let squares = self.facts.coordinates.squares(sums.norms.rows, sums.norms.total);
        let corner = if at.tau == 1.0 { block.curvature(units) } else { IDENTITY };
        let own = if at.tau == 1.0 { [corner[0][0].sqrt(), corner[1][1].sqrt()] } else { [0.0; 2] };
        let mut matrix = self.matrix(sums.products, sums.curvature, 2.0 * mean * growth * growth);
        self.penalise_matrix(&mut matrix);
        let cross = cross.map(|cross| cross.iter().map(|cross| growth * cross).collect::<Vec<f64>>());
        let corner = corner.map(|row| row.map(|entry| if at.tau == 1.0 { 2.0 * entry } else { entry }));
        let matrix = matrix.map(|matrix| self.bordered(matrix, [&cross[0], &cross[1]], corner));
        let hessian = if let Want::Curvature(hessian) = at.want { Some(hessian) } else { None };
        let norms = squares.iter().map(|s| growth.abs() * (s * mean).sqrt());
        Answer::Model(Model {
            first_order,
            column_norms: norms.chain(self.free(&own)).collect(),
            saturated: sums.saturated * mean,
            curvature: matrix.zip(hessian).map(|(matrix, hessian)| Curvature { matrix, hessian }),
        })
    }

    /// For an exact Hessian, which does not follow from that at another response scale: the same query at the best one, unless
    /// that is where it was asked.
    fn moved<'q>(&self, query: &Query<'q>, sums: &PartialSums) -> Option<(Query<'q>, [f64; 2])> {
        let (response, Ask::At(at)) = (self.facts.response.as_ref()?, &query.ask) else { return None };
        let best = at.tau == 1.0 && at.response == ResponseChoice::Best;
        if !best || at.want != Want::Curvature(Hessian::Full) {
            return None;
        }
        let mean = 1.0 / (sums.rows as f64 * self.mean_weight);
        let (step, decrease) = ResponseBlock::of(&sums.numbers, mean).step(response.units(), response.free());
        if decrease <= STILL * sums.loss * mean {
            return None;
        }
        let [alpha, beta] = self.entries(&at.theta);
        let (best, mut theta) = ([alpha + step[0], beta + step[1]], at.theta.to_vec());
        self.facts.layout.adopt(&mut theta, Some(best));
        let ask = Ask::At(At { theta: theta.into(), ..at.clone() });
        Some((Query { ask, ..query.clone() }, best))
    }

    /// α and β of θ; zero and one if they are fixed.
    fn entries(&self, theta: &[f64]) -> [f64; 2] {
        let response = self.facts.response.as_ref();
        response.map_or([0.0, 1.0], |response| response.read(self.facts.layout.response(theta)))
    }

    /// Those of two numbers that belong to a free entry of the response scale.
    fn free<'n>(&self, numbers: &'n [f64]) -> impl Iterator<Item = f64> + use<'n> {
        let free = self.facts.layout.response;
        numbers.iter().zip(free).filter(|(_, free)| *free).map(|(number, _)| *number)
    }

    /// A matrix over coefficients and intercept, with the rows and columns of the free response scale added.
    fn bordered(&self, matrix: Symmetric, cross: [&[f64]; 2], corner: [[f64; 2]; 2]) -> Symmetric {
        let (layout, inner) = (self.facts.layout, matrix.order());
        let mut out = Symmetric::zero(layout.dim());
        for (out, column) in out.columns_mut().zip(matrix.columns()) {
            out[..inner].copy_from_slice(column);
        }
        let free: Vec<usize> = (0..2).filter(|&k| layout.response[k]).collect();
        for (i, &k) in free.iter().enumerate() {
            cross[k].iter().enumerate().for_each(|(j, &entry)| out.set(inner + i, j, entry));
            free[..=i].iter().enumerate().for_each(|(j, &other)| out.set(inner + i, inner + j, corner[k][other]));
        }
        out
    }

    /// The bread and the meat of a sandwich.
    fn meat(&self, weighting: &Weighting<'_>, sums: PartialSums, mean: f64) -> Meat {
        // weights are squared in the meat
        let square_mean = mean / self.mean_weight;
        let units = self.facts.response.as_ref().map_or([1.0; 2], ResponseScale::units);
        let corner = |numbers: &[f64], scale: f64| ResponseBlock::of(numbers, scale).curvature(units);
        let whole = |matrix: Option<Symmetric>, cross: Vec<Weighted>, numbers: &[f64], scale: f64| {
            let mut cross = cross.into_iter().zip(units).map(|(sums, unit)| self.vector(sums, scale * unit));
            let cross = [cross.next().unwrap_or_default(), cross.next().unwrap_or_default()];
            matrix.map(|matrix| self.bordered(matrix, [&cross[0], &cross[1]], corner(numbers, scale)))
        };
        let bread = self.matrix(sums.products, sums.curvature, mean);
        let bread = whole(bread, sums.response, &sums.numbers, mean);
        let clusters = sums.clusters.len();
        let matrix = match weighting {
            Weighting::Clusters => self.cluster_meat(sums.clusters, units, square_mean),
            Weighting::Plain | Weighting::Leverage { .. } => {
                let meat = self.matrix(sums.meat_products, sums.meat, square_mean);
                let meat = whole(meat, sums.meat_response, &sums.meat_numbers, square_mean);
                meat.unwrap_or_else(|| Symmetric::zero(self.facts.layout.dim()))
            }
        };
        Meat { square: sums.pearson * mean, bread, matrix, clusters, largest_leverage: sums.largest }
    }

    /// Σ s·sᵀ over the scores s of the clusters.
    fn cluster_meat(&self, clusters: Vec<ClusterScore>, units: [f64; 2], scale: f64) -> Symmetric {
        let mut matrix = Symmetric::zero(self.facts.layout.dim());
        for ClusterScore { score, response: [offset, slope], .. } in clusters {
            let mut score = self.vector(score, 1.0);
            score.extend(self.free(&[units[0] * offset, units[1] * slope]));
            matrix.add_outer(scale, &score);
        }
        matrix
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
        let sums = self.shards.answer_one(query)?;
        match self.moved(query, &sums) {
            None => Ok(self.finish(query, sums)),
            Some((moved, best)) => {
                self.count(&moved);
                let answer = self.finish(&moved, self.shards.answer_one(&moved)?);
                Ok(match answer {
                    Answer::Model(mut model) => {
                        model.response = Some(best);
                        Answer::Model(model)
                    }
                    other => other,
                })
            }
        }
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
    let own = || ResponseScale::of(problem.response, activation.as_ref(), measured);
    let response = problem.scale.clone().or_else(own);
    if response.is_some() {
        clips = vec![Clip::NONE];
    }
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
    let (weight_unit, mean_weight, rows) = (measured.weight_unit, measured.mean_weight(), measured.rows);
    let (loss, labels, tau_max) = (problem.loss, problem.labels, problem.tau_max);
    Ok(Frame {
        activation,
        loss,
        coordinates,
        clips,
        narrowest,
        labels,
        response,
        tau_max,
        weight_unit,
        mean_weight,
        rows,
    })
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
