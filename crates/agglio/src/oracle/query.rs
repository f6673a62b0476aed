//! The *query*: where, at which temperature, over which rows, and what is asked.

use crate::math::rng::Permutation;
use crate::rows::Run;

/// Which rows a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Batch {
    /// Every row, in order.
    All,
    /// The rows π_key(`start`) … π_key(`start` + `len` − 1) of the keyed permutation of all rows.
    Part {
        /// Names the permutation.
        key: u64,
        /// First position.
        start: usize,
        /// Number of positions.
        len: usize,
    },
}

impl Batch {
    /// Number of rows asked, of `rows` in all.
    pub fn len(&self, rows: usize) -> usize {
        match *self {
            Batch::All => rows,
            Batch::Part { start, len, .. } => len.min(rows.saturating_sub(start)),
        }
    }

    /// Calls `visit` with the run of rows at positions `from` … `from + count` of this batch.
    pub(crate) fn with_run<T>(&self, rows: usize, from: usize, count: usize, visit: impl FnOnce(Run<'_>) -> T) -> T {
        match *self {
            Batch::All => visit(Run::Span(from..from + count)),
            Batch::Part { key, start, .. } => visit(Run::Picked(&Permutation::new(key, rows).run(start + from, count))),
        }
    }
}

/// What is asked for. Each want includes the loss, and all but the first the gradient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Want<'a> {
    /// The loss alone.
    Loss,
    /// Loss and gradient.
    Gradient,
    /// Loss, gradient and the root mean squares of the columns of J that the stop rule compares it with.
    Stationarity,
    /// Loss, gradient, column norms and the d×d curvature.
    Curvature(Hessian),
    /// Loss, gradient and the curvature times a vector, without forming it.
    CurvatureTimes(Hessian, &'a [f64]),
    /// What the expectation step of a mixture over preimages needs, with noise of this deviation before φ: `loss` is the
    /// expected square of ẑ − z, `log_likelihood` the mean log density of y, `right_sides` the one of expected ẑ. τ does
    /// not matter.
    Mixture(f64),
    /// The normal equations of linear least squares on φ⁻¹(y), the problem at τ = 0, with a right-hand side for every
    /// choice of preimages. θ and τ do not matter.
    NormalEquations,
    /// The right-hand sides of [`Want::NormalEquations`] alone.
    RightSides,
}

/// Which second derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hessian {
    /// (2/n) Σ ω φ̂′² x xᵀ: positive semi-definite.
    GaussNewton,
    /// (2/n) Σ ω (φ̂′² + r·φ̂″) x xᵀ: exact.
    Full,
}

/// Which function's gradient.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// The graduated least-squares loss: gradient (2/n) Σ ω r φ̂′ x.
    #[default]
    Squares,
    /// The matching loss of φ, whose gradient has no φ̂′: (2/n) Σ ω r x, curvature (2/n) Σ ω φ̂′ x xᵀ. The loss
    /// reported beside it is that of `Squares`.
    Matching,
}

/// What the asked rows do with their memory of the last gradient they contributed (SAGA's table).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// Leave it alone.
    #[default]
    Unused,
    /// Remember what they contribute now.
    Renew,
    /// Remember what they contribute now, and answer with the gradient's difference to what they remembered.
    Difference,
}

/// A question: where, at which temperature, over which rows, and what.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The point θ, in the solver's coordinates.
    pub theta: &'a [f64],
    /// The temperature τ in [0, 1].
    pub tau: f64,
    /// The rows asked.
    pub batch: Batch,
    /// What to answer with.
    pub want: Want<'a>,
    /// Whose gradient.
    pub objective: Objective,
    /// What the rows do with their memory, one number each.
    pub memory: Memory,
}

impl<'a> Query<'a> {
    /// A question about least squares, without memory.
    pub fn new(theta: &'a [f64], tau: f64, batch: Batch, want: Want<'a>) -> Query<'a> {
        Query { theta, tau, batch, want, objective: Objective::Squares, memory: Memory::Unused }
    }
}
