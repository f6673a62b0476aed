//! A *row pass* computes the sums of one query over some of its rows, in order.

use std::ops::Range;

use crate::math::linalg::Symmetric;
use crate::math::tree::{self, LEAF};
use crate::math::vector::{self, sum, sum_of};
use crate::oracle::loss::{self, Form};
use crate::oracle::meat::no_rows_of_meat;
use crate::oracle::partial_sums::{PartialSums, Weighted};
use crate::oracle::preimage_pass::DEPARTURE;
use crate::oracle::query::{Ask, At, Ends, Hessian, Memory, Query, Responses, Want, Weighting};
use crate::oracle::response::{ResponseAt, ResponseBlock};
use crate::oracle::response_pass::Rescaled;
use crate::oracle::scratch::{Scratch, ScratchView};
use crate::oracle::shard::{Asked, Prepared};
use crate::oracle::wild::Wild;
use crate::rows::{Addition, BLOCK, Predictor, Rows, Run};

/// Number of rows of `width` entries that are processed together. They must still be in the cache when their
/// coefficients are known and they are added to the gradient.
pub(super) fn stride(width: usize) -> usize {
    const CACHED: usize = 8192;
    (CACHED / width.max(1)).clamp(8, LEAF)
}

/// A query with its points in the units of the rows.
pub(super) struct RowPass<'a> {
    pub rows: &'a dyn Rows,
    pub prepared: &'a Prepared,
    pub query: &'a Query<'a>,
    pub asked: &'a Asked,
    /// θ, or the first of several points. None if the sums do not depend on θ.
    pub at: Option<Predictor>,
    /// Further points.
    pub others: Vec<Predictor>,
    /// The predictions that the responses are made of; none if they are those of the table.
    pub wild: Option<Wild>,
    /// The response scale at θ, if it has a free entry.
    pub response: Option<ResponseAt>,
}

impl<'a> RowPass<'a> {
    pub fn new(rows: &'a dyn Rows, prepared: &'a Prepared, query: &'a Query<'a>, asked: &'a Asked) -> RowPass<'a> {
        let point = |theta: &[f64]| prepared.frame.coordinates.predictor(theta);
        let first = |theta: &[f64]| Some(point(theta));
        let (at, others) = match &query.ask {
            Ask::At(At { theta, want: Want::CurvatureTimes(_, v), .. }) => (first(theta), vec![point(v)]),
            Ask::Meat { theta, weighting: Weighting::Leverage { roots, .. }, .. } => {
                (first(theta), roots.iter().map(|root| point(root)).collect())
            }
            Ask::At(At { theta, .. })
            | Ask::Mixture { theta, .. }
            | Ask::MeanLoss { theta, .. }
            | Ask::Meat { theta, .. }
            | Ask::MeanSlope { theta } => (first(theta), Vec::new()),
            Ask::Departure(Ends { pre, post, .. }) => (first(pre), vec![point(post)]),
            Ask::Projection { theta, directions, .. } => (first(theta), directions.iter().map(|v| point(v)).collect()),
            Ask::NormalEquations { .. } | Ask::Constant { .. } | Ask::LongestRow => (None, Vec::new()),
        };
        let response = match (&query.ask, &prepared.frame.response) {
            (Ask::At(At { theta, .. }) | Ask::Meat { theta, .. } | Ask::MeanSlope { theta }, Some(response)) => {
                Some(response.at(theta.get(prepared.frame.coordinates.dim()..).unwrap_or_default()))
            }
            _ => None,
        };
        let wild = match &query.responses {
            Responses::Observed => None,
            Responses::Wild { key, theta } => Some(Wild::new(*key, theta, &prepared.frame)),
        };
        RowPass { rows, prepared, query, asked, at, others, wild, response }
    }

    /// The sums over some positions of the rows. A leaf is summed in order; children are merged.
    pub fn sum(&self, positions: Range<usize>) -> PartialSums {
        if let Some(children) = tree::children(&positions) {
            let (left, right) = tree::join(children.map(|child| move || self.sum(child)));
            return left.merge(right);
        }
        let stride = stride(self.rows.width()).min(positions.len()).max(1);
        let (mut sums, mut scratch, mut picked) = (self.no_rows(), Scratch::new(stride), Vec::new());
        for start in positions.clone().step_by(stride) {
            let run = &self.asked.run(start..positions.end.min(start + stride), &mut picked);
            let view = self.enter(&mut scratch, run);
            if let Some(Predictor { v, constant }) = &self.at {
                self.rows.dots(run, self.pivot(), v, view.z);
                vector::add(view.z, view.offset, *constant);
                self.place_limits(run, v, view.z);
            }
            sums.rows += run.len();
            match &self.query.ask {
                Ask::At(at) => self.add_at(at, start, run, view, &mut sums),
                Ask::NormalEquations { choices, .. } => self.add_normal_equations(choices, run, view, &mut sums),
                Ask::Mixture { sigma, .. } => self.add_mixture(*sigma, run, view, &mut sums),
                Ask::MeanLoss { sigma, .. } => self.add_mean_loss(*sigma, run, view, &mut sums),
                Ask::Departure(ends) => self.add_departure(ends, run, view, &mut sums),
                Ask::Constant { intercept } => self.add_constant(*intercept, run, view, &mut sums),
                Ask::Projection { .. } => self.add_projection(start, run, view, &mut sums),
                Ask::Meat { tau, weighting, .. } => self.add_meat(*tau, weighting, run, view, &mut sums),
                Ask::MeanSlope { .. } => self.add_mean_slope(run, view, &mut sums),
                Ask::LongestRow => self.add_longest(run, view, &mut sums),
            }
        }
        sums
    }

    /// The sums over no rows.
    pub fn no_rows(&self) -> PartialSums {
        let width = self.rows.width();
        match &self.query.ask {
            Ask::At(at) => no_rows_at(at, width, self.response.is_some()),
            Ask::NormalEquations { matrix, choices } => PartialSums {
                curvature: Weighted::zero(width, *matrix),
                products: matrix.then(|| Symmetric::zero(width)),
                right_sides: choices.iter().map(|_| Weighted::zero(width, true)).collect(),
                ..PartialSums::default()
            },
            Ask::Mixture { .. } => PartialSums {
                right_sides: vec![Weighted::zero(width, true)],
                numbers: vec![0.0],
                ..PartialSums::default()
            },
            Ask::Meat { weighting, .. } => no_rows_of_meat(weighting, width, self.response.is_some()),
            Ask::MeanSlope { .. } => {
                PartialSums { curvature: Weighted::zero(width, true), numbers: vec![0.0], ..PartialSums::default() }
            }
            Ask::Departure(_) => PartialSums { numbers: vec![0.0; DEPARTURE], ..PartialSums::default() },
            Ask::Constant { .. } => PartialSums { numbers: vec![0.0; 3], ..PartialSums::default() },
            Ask::Projection { directions, .. } => {
                PartialSums { columns: vec![Vec::new(); 3 + directions.len()], ..PartialSums::default() }
            }
            Ask::MeanLoss { .. } | Ask::LongestRow => PartialSums::default(),
        }
    }

    /// L̂_τ and its derivatives at θ.
    fn add_at(&self, at: &At<'_>, start: usize, run: &Run<'_>, view: ScratchView<'_>, sums: &mut PartialSums) {
        let ScratchView { weight, z, columns: [label, residual, derivative, a, mut spare @ ..], products, .. } = view;
        let scratch = spare.each_mut().map(|column| &mut **column);
        self.compare(at, run, [weight, z], [label, residual, derivative], scratch, sums);
        if at.want == Want::Loss {
            return;
        }
        self.weigh_gradient(at, start, [weight, residual, derivative], a, sums);
        let [b, h, second] = spare;
        match &at.want {
            Want::Stationarity => self.add_norms(at, run, [weight, derivative, a], b, sums),
            Want::Curvature(hessian) => {
                self.add_norms(at, run, [weight, derivative, a], b, sums);
                self.weigh_curvature(at, *hessian, [z, weight, label, residual, derivative], h, [second, b]);
                self.add(run, [(h, &mut sums.curvature)]);
                if let Some(matrix) = &mut sums.products {
                    self.rows.add_products(run, self.pivot(), h, matrix.lower_mut(), products);
                }
            }
            Want::CurvatureTimes(hessian, _) => {
                self.weigh_curvature(at, *hessian, [z, weight, label, residual, derivative], h, [second, b]);
                self.multiply(run, z, h);
                if let Some(response) = self.response.filter(|_| at.tau == 1.0) {
                    let rows = Rescaled { weight, residual, derivative, value: b };
                    self.multiply_response(*hessian, response, &rows, z, h, sums);
                }
                self.add(run, [(h, &mut sums.curvature)]);
            }
            Want::Gradient | Want::Loss => self.add(run, [(a, &mut sums.gradient)]),
        }
    }

    /// Compares φ̂_τ(z) with the labels: computes losses, residuals, their squares, and the derivatives if they are needed.
    pub fn compare(
        &self,
        at: &At<'_>,
        run: &Run<'_>,
        [weight, z]: [&[f64]; 2],
        [label, residual, derivative]: [&mut [f64]; 3],
        scratch: [&mut [f64]; 3],
        sums: &mut PartialSums,
    ) {
        let wants_derivative = at.want != Want::Loss;
        self.rows.labels(run, label);
        let Prepared { frame, labels, .. } = self.prepared;
        let [kept, first, second] = scratch;
        if self.form(at) == Form::Likelihood {
            let (phi, both) = (frame.activation.as_ref(), [residual, derivative]);
            sums.include(&loss::compare_likelihood(phi, [weight, z], label, both, [kept, first]));
            return;
        }
        self.respond(at.tau, wants_derivative, z, residual, derivative);
        match self.response {
            None => {
                let choice = self.query.labels.unwrap_or(frame.labels);
                labels.graduate(choice, frame, at.tau, run, [residual, label], [&mut *kept, first, second]);
            }
            Some(response) if at.tau < 1.0 => {
                self.rescale_graduated(response, at.tau, [residual, derivative, label], [&mut *kept, first, second]);
            }
            Some(response) => self.rescale(response, weight, [residual, derivative], kept),
        }
        if let Some(wild) = &self.wild {
            self.redraw(wild, at.tau, run, label, [first, second]);
        }
        sums.include(&loss::compare(weight, label, residual));
        if wants_derivative {
            loss::mask(weight, derivative);
        }
        if let Some(response) = self.response.filter(|_| at.tau == 1.0) {
            let rows = Rescaled { weight, residual, derivative, value: kept };
            self.add_response(at, response, run, &rows, [first, second], sums);
        }
    }

    /// The form in which rows enter the sums at a point.
    pub(super) fn form(&self, at: &At<'_>) -> Form {
        Form::of(self.prepared.frame.loss, at)
    }

    /// φ̂_τ(z), or φ(z) at τ = 1, and its derivative if it is needed.
    pub(super) fn respond(
        &self,
        tau: f64,
        wants_derivative: bool,
        z: &[f64],
        value: &mut [f64],
        derivative: &mut [f64],
    ) {
        let activation = &self.prepared.frame.activation;
        match (tau == 1.0, wants_derivative) {
            (true, false) => activation.respond(z, value),
            (true, true) => activation.respond_with_derivative(z, value, derivative),
            (false, false) => activation.graduate(tau, z, value),
            (false, true) => activation.graduate_with_derivative(tau, z, value, derivative),
        }
    }

    /// The coefficients of the rows in the gradient, or their differences to the earlier ones.
    pub fn weigh_gradient(
        &self,
        at: &At<'_>,
        start: usize,
        [weight, r, derivative]: [&[f64]; 3],
        a: &mut [f64],
        sums: &mut PartialSums,
    ) {
        self.form(at).weigh_gradient(weight, r, derivative, a);
        if at.memory == Memory::Unused {
            return;
        }
        let known = sums.positions.len();
        self.asked.append_positions(start..start + a.len(), &mut sums.positions);
        sums.columns.iter_mut().for_each(|column| column.extend_from_slice(a));
        if let Memory::Difference(before) = &at.memory {
            let before = sums.positions[known..].iter().map(|&position| before.get(position).copied().unwrap_or(0.0));
            a.iter_mut().zip(before).for_each(|(a, before)| *a -= before);
        }
    }

    /// Adds the gradient and the squared column norms of J.
    fn add_norms(
        &self,
        at: &At<'_>,
        run: &Run<'_>,
        [weight, derivative, a]: [&[f64]; 3],
        b: &mut [f64],
        sums: &mut PartialSums,
    ) {
        let form = self.form(at);
        let flat = form.flat(self.prepared.frame.activation.as_ref());
        sums.saturated += sum_of(weight, derivative, |weight, d| if d.abs() < flat { weight } else { 0.0 });
        form.weigh_norms(weight, derivative, b);
        let both = [(a, &mut sums.gradient), (&*b, &mut sums.norms)];
        let centre = self.prepared.frame.coordinates.centre();
        self.rows.add_rows_and_squares(run, self.pivot(), centre, both.map(weighted));
    }

    /// The coefficient h of each row in the curvature.
    fn weigh_curvature(
        &self,
        at: &At<'_>,
        hessian: Hessian,
        [z, weight, label, r, derivative]: [&[f64]; 5],
        h: &mut [f64],
        [second, spare]: [&mut [f64]; 2],
    ) {
        let form = self.form(at);
        if hessian == Hessian::Full && form == Form::Likelihood {
            let phi = self.prepared.frame.activation.as_ref();
            return loss::weigh_likelihood(phi, [weight, z, label], h, [second, spare]);
        }
        form.weigh_curvature(weight, derivative, h);
        if hessian == Hessian::Full && form == Form::Squares {
            self.prepared.frame.activation.graduate_second_derivative(at.tau, z, second);
            let scale = self.response.map_or(1.0, |response| response.scale);
            h.iter_mut().enumerate().for_each(|(i, h)| *h += weight[i] * r[i] * second[i] * scale);
        }
    }

    /// Replaces z by x_iᵀv, and multiplies h_i with it.
    fn multiply(&self, run: &Run<'_>, z: &mut [f64], h: &mut [f64]) {
        if let Some(times) = self.others.first() {
            self.rows.dots(run, self.pivot(), &times.v, z);
            for (h, z) in h.iter_mut().zip(z) {
                *z += times.constant;
                *h *= *z;
            }
        }
    }

    /// Σ ω (E φ(z + ε) − y)².
    fn add_mean_loss(&self, sigma: f64, run: &Run<'_>, view: ScratchView<'_>, sums: &mut PartialSums) {
        let ScratchView { weight, z, columns: [label, mean, ..], .. } = view;
        self.rows.labels(run, label);
        self.prepared.frame.activation.average(sigma, z, mean);
        sums.loss += loss::compare(weight, label, mean).loss;
    }

    /// Σ ω ρ, and half of its first and of its expected second derivative, of the model without covariates. Covariates are
    /// not read.
    fn add_constant(&self, intercept: f64, run: &Run<'_>, view: ScratchView<'_>, sums: &mut PartialSums) {
        let ScratchView { weight, offset, columns: [label, ..], .. } = view;
        self.rows.labels(run, label);
        let frame = &self.prepared.frame;
        for i in (0..run.len()).filter(|&i| weight[i] > 0.0) {
            let terms = frame.loss.at(frame.activation.as_ref(), intercept + offset[i], label[i]);
            sums.numbers.iter_mut().zip(terms).for_each(|(sum, term)| *sum += weight[i] * term);
        }
    }

    /// Columns: label, weight, z at the point, and the derivative of z along each line.
    fn add_projection(&self, start: usize, run: &Run<'_>, view: ScratchView<'_>, sums: &mut PartialSums) {
        let ScratchView { weight, z, columns: [label, nothing, ..], products, .. } = view;
        self.rows.labels(run, label);
        nothing.fill(0.0);
        self.asked.append_positions(start..start + run.len(), &mut sums.positions);
        let mut columns = sums.columns.iter_mut();
        let mut keep = |values: &[f64]| columns.by_ref().take(1).for_each(|column| column.extend_from_slice(values));
        keep(label);
        keep(weight);
        keep(z);
        let (blocks, mut together) = (self.others.chunks_exact(BLOCK), Vec::new());
        let few = blocks.remainder();
        for lines in blocks {
            together.resize(BLOCK * run.len(), 0.0);
            let points: Vec<f64> = lines.iter().flat_map(|line| line.v.iter().copied()).collect();
            self.rows.dots_many(run, self.pivot(), &points, &mut together, products);
            for (line, z) in lines.iter().zip(together.chunks_exact_mut(run.len())) {
                z.iter_mut().for_each(|z| *z += line.constant);
                keep(z);
            }
        }
        for line in few {
            self.predict(line, run, nothing, z);
            keep(z);
        }
    }

    /// max ω‖x‖² in the coordinates of the solver.
    fn add_longest(&self, run: &Run<'_>, view: ScratchView<'_>, sums: &mut PartialSums) {
        let ScratchView { weight, columns: [squares, ..], .. } = view;
        let coordinates = &self.prepared.frame.coordinates;
        self.rows.square_dots(run, coordinates.centre(), &coordinates.inverse_squares(), squares);
        let constant = f64::from(u8::from(coordinates.intercept()));
        sums.largest = squares.iter().zip(weight).fold(sums.largest, |most, (s, w)| most.max((s + constant) * w));
    }

    /// z = (x − p)ᵀv + constant + offset at a further point; for a direction the offset is zero.
    pub(super) fn predict(&self, predictor: &Predictor, run: &Run<'_>, offset: &[f64], z: &mut [f64]) {
        self.rows.dots(run, self.pivot(), &predictor.v, z);
        vector::add(z, offset, predictor.constant);
    }

    /// The scratch memory of a run of rows, with its weights and offsets.
    pub fn enter<'b>(&self, scratch: &'b mut Scratch, run: &Run<'_>) -> ScratchView<'b> {
        let (rows, count, most) = (self.rows, run.len(), scratch.rows);
        let mut rest = scratch.columns.as_mut_slice();
        let mut column = || &mut rest.split_off_mut(..most).unwrap_or_default()[..count];
        let (weight, offset, z) = (column(), column(), column());
        if rows.has_weights() {
            rows.weights(run, weight);
            let factor = rows.weight_unit() / self.prepared.frame.weight_unit;
            if factor != 1.0 {
                weight.iter_mut().for_each(|weight| *weight *= factor);
            }
        }
        if rows.has_offsets() {
            rows.offsets(run, offset);
        }
        // below τ = 1 a linear predictor at infinity has no graduated label
        if rows.has_limits() && !self.sees_limits() {
            rows.limits(run, z);
            weight.iter_mut().zip(&*z).filter(|(_, limit)| **limit < 0.0).for_each(|(weight, _)| *weight = 0.0);
        }
        ScratchView { weight, offset, z, columns: std::array::from_fn(|_| column()), products: &mut scratch.products }
    }

    /// Whether rows at minus infinity count: at τ = 1, and where they are asked for.
    fn sees_limits(&self) -> bool {
        match &self.query.ask {
            Ask::At(At { tau, .. }) => *tau == 1.0,
            Ask::Projection { limits, .. } => *limits,
            _ => false,
        }
    }

    /// Moves the linear predictors of rows at minus infinity there, or to plus infinity if the coefficient is negative.
    pub(super) fn place_limits(&self, run: &Run<'_>, v: &[f64], z: &mut [f64]) {
        if !self.rows.has_limits() {
            return;
        }
        let mut limits = vec![0.0; run.len()];
        self.rows.limits(run, &mut limits);
        let sign = v.first().map_or(1.0, |v| 1.0_f64.copysign(*v));
        z.iter_mut().zip(limits).filter(|(_, limit)| *limit < 0.0).for_each(|(z, limit)| *z = sign * limit);
    }

    pub(super) fn add<const K: usize>(&self, run: &Run<'_>, additions: [(&[f64], &mut Weighted); K]) {
        self.rows.add_rows(run, self.pivot(), &mut additions.map(weighted));
    }

    pub fn pivot(&self) -> &[f64] {
        self.prepared.frame.coordinates.pivot()
    }
}

fn no_rows_at(at: &At<'_>, width: usize, has_response: bool) -> PartialSums {
    let (want, remembers) = (&at.want, at.memory != Memory::Unused);
    let matrix = matches!(want, Want::Curvature(_));
    let gradient = matches!(want, Want::Gradient | Want::Stationarity | Want::Curvature(_));
    let projects = has_response && at.tau == 1.0;
    let numbers = match want {
        _ if !projects => 0,
        Want::CurvatureTimes(..) => 2,
        _ => ResponseBlock::LEN,
    };
    PartialSums {
        gradient: Weighted::zero(width, gradient),
        norms: Weighted::zero(width, matches!(want, Want::Stationarity | Want::Curvature(_))),
        curvature: Weighted::zero(width, matrix || matches!(want, Want::CurvatureTimes(..))),
        products: matrix.then(|| Symmetric::zero(width)),
        columns: if remembers { vec![Vec::new()] } else { Vec::new() },
        response: if projects && gradient { vec![Weighted::zero(width, true); 2] } else { Vec::new() },
        numbers: vec![0.0; numbers],
        ..PartialSums::default()
    }
}

/// Adds the coefficients to their total, and returns the sum that the rows still have to be added to.
pub(super) fn weighted<'a>((a, sums): (&'a [f64], &'a mut Weighted)) -> Addition<'a> {
    sums.total += sum(a);
    Addition { coefficients: a, sums: &mut sums.rows }
}
