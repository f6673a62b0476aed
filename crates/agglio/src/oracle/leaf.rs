//! A *leaf* of the tree that sums merge in: some consecutive positions of the asked rows, summed in order.

use crate::math::linalg::Symmetric;
use crate::math::tree::LEAF;
use crate::math::vector::{self, sum, sum_of};
use crate::oracle::branch::PreimageDensity;
use crate::oracle::fold::Fold;
use crate::oracle::{Hessian, Memory, Objective, Query, Want, residual};
use crate::rows::{Addition, Coordinates, Predictor, Run};

/// Rows of so many entries that are visited at once: few enough to be still in the cache when the row's coefficient is known
/// and the row is added to the gradient.
pub(super) fn stride(width: usize) -> usize {
    const CACHED: usize = 8192;
    (CACHED / width).clamp(8, LEAF)
}

/// Unnormalised sums over some leaves, as the rows give them.
#[derive(Clone, Debug, Default)]
pub(super) struct PartialSums {
    pub rows: usize,
    pub loss: f64,
    pub label_square: f64,
    pub largest_square: f64,
    pub log_likelihood: f64,
    pub saturated: f64,
    /// Σ a_i and Σ a_i·(x_i − p), with a the gradient's coefficient of a row and p the pivot.
    pub gradient: Weighted,
    /// Σ (φ̂′)² and Σ (φ̂′)²·(x_i − c)².
    pub norms: Weighted,
    /// Σ h_i and Σ h_i·(x_i − p), with h the curvature's coefficient; or for curvature times a vector, h_i·x_iᵀv.
    pub curvature: Weighted,
    /// Σ h_i·(x_i − p)(x_i − p)ᵀ.
    pub products: Option<Symmetric>,
    /// Σ ω_i ẑ_i and Σ ω_i ẑ_i·(x_i − p) for each choice of preimages, with ẑ = φ⁻¹(y) less the offset.
    pub right_sides: Vec<Weighted>,
}

/// A sum of coefficients and the sum of rows that they multiply.
#[derive(Clone, Debug, Default)]
pub(super) struct Weighted {
    pub total: f64,
    pub rows: Vec<f64>,
}

impl Weighted {
    fn zero(width: usize, used: bool) -> Weighted {
        Weighted { total: 0.0, rows: if used { vec![0.0; width] } else { Vec::new() } }
    }

    fn merge(&mut self, other: &Weighted) {
        self.total += other.total;
        self.rows.iter_mut().zip(&other.rows).for_each(|(a, b)| *a += b);
    }
}

impl PartialSums {
    fn zero(width: usize, want: Want<'_>, choices: usize) -> PartialSums {
        let matrix = matches!(want, Want::Curvature(_) | Want::NormalEquations);
        let right_sides = match want {
            Want::NormalEquations | Want::RightSides => choices,
            Want::Mixture(_) => 1,
            _ => 0,
        };
        PartialSums {
            gradient: Weighted::zero(
                width,
                matches!(want, Want::Gradient | Want::Stationarity | Want::Curvature(_) | Want::CurvatureTimes(..)),
            ),
            norms: Weighted::zero(width, matches!(want, Want::Stationarity | Want::Curvature(_))),
            curvature: Weighted::zero(width, matrix || matches!(want, Want::CurvatureTimes(..))),
            products: matrix.then(|| Symmetric::zero(width)),
            right_sides: (0..right_sides).map(|_| Weighted::zero(width, true)).collect(),
            ..PartialSums::default()
        }
    }

    /// Adds the sums of the leaves to the right of these.
    pub fn merge(mut self, right: PartialSums) -> PartialSums {
        self.rows += right.rows;
        self.loss += right.loss;
        self.label_square += right.label_square;
        self.largest_square = self.largest_square.max(right.largest_square);
        self.log_likelihood += right.log_likelihood;
        self.saturated += right.saturated;
        self.gradient.merge(&right.gradient);
        self.norms.merge(&right.norms);
        self.curvature.merge(&right.curvature);
        if let (Some(left), Some(right)) = (&mut self.products, &right.products) {
            left.add(right);
        }
        self.right_sides.iter_mut().zip(&right.right_sides).for_each(|(left, right)| left.merge(right));
        self
    }
}

/// A question as the rows see it: θ, and the vector that curvature is asked times, in the rows' units.
pub(super) struct RowPass<'a> {
    pub fold: &'a Fold<'a>,
    pub query: &'a Query<'a>,
    pub at: Predictor,
    times: Option<Predictor>,
}

impl<'a> RowPass<'a> {
    pub fn new(fold: &'a Fold<'a>, query: &'a Query<'a>, coordinates: &Coordinates) -> RowPass<'a> {
        let times = match query.want {
            Want::CurvatureTimes(_, v) => Some(coordinates.predictor(v)),
            _ => None,
        };
        RowPass { fold, query, at: coordinates.predictor(query.theta), times }
    }

    /// The sums over positions `from` … `to` of the asked rows.
    pub fn sum(&self, from: usize, to: usize) -> PartialSums {
        let rows = self.fold.rows;
        let stride = stride(rows.width());
        let mut sums = self.nothing();
        let mut room = Scratch::new(stride.min(to - from));
        for start in (from..to).step_by(stride) {
            let count = stride.min(to - start);
            self.query.batch.with_run(rows.len(), start, count, |run| self.visit(&run, &mut room, &mut sums));
        }
        sums
    }

    /// Σ ω_i (E φ(z_i + ε) − y_i)² over positions `from` … `to` of all rows, with noise ε of this deviation.
    pub fn loss_of_means(&self, sigma: f64, from: usize, to: usize) -> f64 {
        let (run, mut room) = (Run::Span(from..to), Scratch::new(to - from));
        let ScratchView { weight, offset, columns: [z, label, mean, ..], .. } = self.enter(&mut room, &run);
        self.predict(&self.at, &run, offset, z);
        self.fold.rows.labels(&run, label);
        self.fold.labels.activation().average(sigma, z, mean);
        residual::compare(weight, label, mean).loss
    }

    /// The sums over no rows.
    pub fn nothing(&self) -> PartialSums {
        PartialSums::zero(self.fold.rows.width(), self.query.want, self.fold.labels.choices())
    }

    fn visit(&self, run: &Run<'_>, room: &mut Scratch, sums: &mut PartialSums) {
        match self.query.want {
            Want::NormalEquations | Want::RightSides => return self.visit_line(run, room, sums),
            Want::Mixture(sigma) => return self.visit_mixture(sigma, run, room, sums),
            _ => {}
        }
        let ScratchView { weight, offset, columns, products } = self.enter(room, run);
        let [z, label, residual, slope, a, mut spare @ ..] = columns;
        self.predict(&self.at, run, offset, z);
        let room = spare.each_mut().map(|column| &mut **column);
        self.compare(run, weight, z, [label, residual, slope], room, sums);
        if self.query.want == Want::Loss {
            return;
        }
        self.weigh_gradient(run, weight, residual, slope, a);
        let [b, h, bend] = spare;
        match self.query.want {
            Want::Stationarity => self.add_norms(run, weight, slope, a, b, sums),
            Want::Curvature(hessian) => {
                self.add_norms(run, weight, slope, a, b, sums);
                self.curve(hessian, z, weight, residual, slope, h, bend);
                self.add(run, [(h, &mut sums.curvature)]);
                if let Some(matrix) = &mut sums.products {
                    self.fold.rows.add_products(run, self.fold.coordinates.pivot(), h, matrix.lower_mut(), products);
                }
            }
            Want::CurvatureTimes(hessian, _) => {
                self.curve(hessian, z, weight, residual, slope, h, bend);
                self.multiply(run, z, h);
                self.add(run, [(a, &mut sums.gradient), (h, &mut sums.curvature)]);
            }
            _ => self.add(run, [(a, &mut sums.gradient)]),
        }
    }

    /// Compares what φ̂_τ makes of z with the labels: residuals, their squares, and slopes where these are wanted.
    pub fn compare(
        &self,
        run: &Run<'_>,
        weight: &[f64],
        z: &[f64],
        [label, residual, slope]: [&mut [f64]; 3],
        room: [&mut [f64]; 3],
        sums: &mut PartialSums,
    ) {
        let wants_slope = self.query.want != Want::Loss;
        self.fold.rows.labels(run, label);
        self.respond(wants_slope, z, residual, slope);
        self.fold.labels.graduate(self.query.tau, run, residual, label, room);
        let squares = residual::compare(weight, label, residual);
        sums.rows += run.len();
        sums.loss += squares.loss;
        sums.label_square += squares.label;
        sums.largest_square = sums.largest_square.max(squares.largest);
        if wants_slope {
            residual::mask(weight, slope);
        }
    }

    /// φ̂_τ(z), or φ(z) at τ = 1, and its slope where that is wanted.
    fn respond(&self, wants_slope: bool, z: &[f64], value: &mut [f64], slope: &mut [f64]) {
        let (tau, activation) = (self.query.tau, self.fold.labels.activation());
        match (tau == 1.0, wants_slope) {
            (true, false) => activation.respond(z, value),
            (true, true) => activation.respond_with_derivative(z, value, slope),
            (false, false) => activation.graduate(tau, z, value),
            (false, true) => activation.graduate_with_derivative(tau, z, value, slope),
        }
    }

    /// ẑ is the left or the right preimage, with odds N(ẑ; z, σ²)/|φ′(ẑ)| given y.
    fn visit_mixture(&self, sigma: f64, run: &Run<'_>, room: &mut Scratch, sums: &mut PartialSums) {
        let ScratchView { weight, offset, columns: [z, left, right, slope, a, ..], .. } = self.enter(room, run);
        self.predict(&self.at, run, offset, z);
        self.fold.labels.both_preimages(run, left, right);
        sums.rows += run.len();
        for i in 0..run.len() {
            if weight[i] == 0.0 {
                slope[i] = 0.0;
                continue;
            }
            let branch =
                |preimage: f64| PreimageDensity::new(self.fold.labels.activation().as_ref(), preimage, z[i], sigma);
            let expected = PreimageDensity::expect(branch(left[i]), branch(right[i]));
            sums.loss += weight[i] * expected.square;
            sums.log_likelihood += weight[i] * expected.log_density;
            slope[i] = expected.preimage;
        }
        a.iter_mut().enumerate().for_each(|(i, a)| *a = weight[i] * (slope[i] - offset[i]));
        if let Some(right) = sums.right_sides.first_mut() {
            self.add(run, [(a, right)]);
        }
    }

    /// At τ = 0 the problem is linear least squares on φ⁻¹(c), whatever θ.
    fn visit_line(&self, run: &Run<'_>, room: &mut Scratch, sums: &mut PartialSums) {
        let ScratchView { weight, offset, columns: [a, b, ..], products: room } = self.enter(room, run);
        sums.rows += run.len();
        let pull = |choice: usize, a: &mut [f64]| {
            self.fold.labels.preimages(choice, run, a);
            for ((a, weight), offset) in a.iter_mut().zip(weight).zip(offset) {
                *a = if *weight > 0.0 { weight * (*a - offset) } else { 0.0 };
            }
        };
        let (pairs, single) = sums.right_sides.as_chunks_mut();
        for (choice, [left, right]) in pairs.iter_mut().enumerate() {
            pull(2 * choice, a);
            pull(2 * choice + 1, b);
            self.add(run, [(a, left), (b, right)]);
        }
        for right in single {
            pull(2 * pairs.len(), a);
            self.add(run, [(a, right)]);
        }
        if let Some(products) = &mut sums.products {
            self.fold.rows.add_products(run, self.fold.coordinates.pivot(), weight, products.lower_mut(), room);
            self.add(run, [(weight, &mut sums.curvature)]);
        }
    }

    /// z = (x − p)ᵀv + constant, and the offset where θ itself is meant.
    pub fn predict(&self, predictor: &Predictor, run: &Run<'_>, offset: &[f64], z: &mut [f64]) {
        self.fold.rows.dots(run, self.fold.coordinates.pivot(), &predictor.v, z);
        vector::add(z, offset, predictor.constant);
    }

    /// Working memory for a run of rows, with its weights and offsets.
    pub fn enter<'b>(&self, room: &'b mut Scratch, run: &Run<'_>) -> ScratchView<'b> {
        let (rows, count, most) = (self.fold.rows, run.len(), room.rows);
        let mut rest = room.columns.as_mut_slice();
        let mut column = || &mut rest.split_off_mut(..most).unwrap_or_default()[..count];
        let (weight, offset) = (column(), column());
        if rows.has_weights() {
            rows.weights(run, weight);
        }
        if rows.has_offsets() {
            rows.offsets(run, offset);
        }
        ScratchView { weight, offset, columns: std::array::from_fn(|_| column()), products: &mut room.products }
    }

    /// a_i = ω_i r_i φ̂′_i (or ω_i r_i), or its difference to what the row remembers.
    pub fn weigh_gradient(&self, run: &Run<'_>, weight: &[f64], r: &[f64], slope: &[f64], a: &mut [f64]) {
        match self.query.objective {
            Objective::Squares => residual::multiply(a, weight, r, slope),
            Objective::Matching => vector::zip(weight, r, a, |weight, r| weight * r),
        }
        if self.query.memory != Memory::Unused {
            run.for_each(|i, row| {
                let before = self.fold.remember(row, a[i]);
                if self.query.memory == Memory::Difference {
                    a[i] -= before;
                }
            });
        }
    }

    /// The gradient, and beside it b_i = ω_i (φ̂′_i)², or ω_i where the gradient has no φ̂′.
    fn add_norms(
        &self,
        run: &Run<'_>,
        weight: &[f64],
        slope: &[f64],
        a: &[f64],
        b: &mut [f64],
        sums: &mut PartialSums,
    ) {
        let flat = 1e-3 * self.fold.labels.activation().derivative(0.0).abs();
        sums.saturated += sum_of(weight, slope, |weight, slope| if slope.abs() < flat { weight } else { 0.0 });
        match self.query.objective {
            Objective::Squares => vector::zip(weight, slope, b, |weight, slope| weight * (slope * slope)),
            Objective::Matching => b.copy_from_slice(weight),
        }
        let (coordinates, both) = (&self.fold.coordinates, [(a, &mut sums.gradient), (&*b, &mut sums.norms)]);
        self.fold.rows.add_rows_and_squares(run, coordinates.pivot(), coordinates.centre(), both.map(weighted));
    }

    /// The curvature's coefficient h of each row, written over `h`.
    #[allow(clippy::too_many_arguments)]
    fn curve(
        &self,
        hessian: Hessian,
        z: &[f64],
        weight: &[f64],
        r: &[f64],
        slope: &[f64],
        h: &mut [f64],
        bend: &mut [f64],
    ) {
        match self.query.objective {
            Objective::Squares => residual::multiply(h, weight, slope, slope),
            Objective::Matching => vector::zip(weight, slope, h, |weight, slope| weight * slope),
        }
        if hessian == Hessian::Full && self.query.objective == Objective::Squares {
            self.fold.labels.activation().graduate_second_derivative(self.query.tau, z, bend);
            h.iter_mut().enumerate().for_each(|(i, h)| *h += weight[i] * r[i] * bend[i]);
        }
    }

    /// Multiplies h_i with x_iᵀv.
    fn multiply(&self, run: &Run<'_>, z: &mut [f64], h: &mut [f64]) {
        if let Some(times) = &self.times {
            self.fold.rows.dots(run, self.fold.coordinates.pivot(), &times.v, z);
            h.iter_mut().zip(z).for_each(|(h, z)| *h *= *z + times.constant);
        }
    }

    fn add<const K: usize>(&self, run: &Run<'_>, additions: [(&[f64], &mut Weighted); K]) {
        self.fold.rows.add_rows(run, self.fold.coordinates.pivot(), &mut additions.map(weighted));
    }
}

/// Adds the coefficients up, and says where the rows are to be added with them.
fn weighted<'a>((a, sums): (&'a [f64], &'a mut Weighted)) -> Addition<'a> {
    sums.total += sum(a);
    Addition { coefficients: a, sums: &mut sums.rows }
}

/// Working memory for one run of rows after the other: columns of numbers, one a row, and what products of rows need.
pub(super) struct Scratch {
    rows: usize,
    /// Weights, which are one, and offsets, which are zero, unless rows have their own; then all others. In one piece: where
    /// columns are a little more than some pages apart, loads wait for stores that they have nothing to do with.
    columns: Vec<f64>,
    products: Vec<f64>,
}

/// The part of it that a run takes.
pub(super) struct ScratchView<'a> {
    pub weight: &'a [f64],
    pub offset: &'a [f64],
    pub columns: [&'a mut [f64]; Scratch::COLUMNS],
    products: &'a mut Vec<f64>,
}

impl Scratch {
    /// Beside weights and offsets.
    const COLUMNS: usize = 8;

    pub fn new(rows: usize) -> Scratch {
        let mut columns = vec![0.0; (2 + Self::COLUMNS) * rows];
        columns[..rows].fill(1.0);
        Scratch { rows, columns, products: Vec::new() }
    }
}
