//! A *query* is a question about some rows: which ones, with which graduated labels, and what is asked.
//!
//! It can be sent to another process. Its answer depends on nothing else.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::oracle::labels::PreimageChoice;
use crate::oracle::loss::Objective;

/// Which rows a question is about: a rule that any holder of rows can evaluate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
}

/// The graduated labels that a question is about. At τ = 1 the choice makes no difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelChoice {
    /// How far labels are kept off the bounds of the range.
    pub margin: Margin,
    /// Which of two preimages a label takes.
    pub branch: PreimageBranch,
}

/// How far labels are kept off the bounds of the range of φ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Margin {
    /// By one of the margins that make a difference, the widest first.
    Nth(usize),
    /// Not at all.
    None,
}

impl Default for Margin {
    fn default() -> Margin {
        Margin::Nth(0)
    }
}

/// Which of two preimages a graduated label takes, where φ is not monotone (SiLU, GELU).
///
/// Reference: the footnote to "invertible" in the paper, which says that either one works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PreimageBranch {
    /// The one whose graduated label is nearer to φ̂_τ(z).
    #[default]
    Nearer,
    /// The one on the falling branch, whatever z is.
    Left,
    /// The one on the rising branch, whatever z is.
    Right,
}

/// A question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Query<'a> {
    /// The rows asked.
    pub batch: Batch,
    /// Their graduated labels; where none are chosen, the default ones.
    pub labels: Option<LabelChoice>,
    /// What is asked of them.
    pub ask: Ask<'a>,
}

/// What is asked of rows. Points are in the solver's coordinates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask<'a> {
    /// The graduated objective at a point.
    At(At<'a>),
    /// The normal equations of linear least squares on φ⁻¹(y), the problem at τ = 0, with a right-hand side for every
    /// choice of preimages.
    NormalEquations {
        /// Whether the matrix is wanted beside the right-hand sides.
        matrix: bool,
        /// The choices of preimages, each of which has a right-hand side.
        choices: Vec<PreimageChoice>,
    },
    /// The expectation step of a mixture over preimages, under noise before φ.
    Mixture {
        /// θ.
        theta: Cow<'a, [f64]>,
        /// Standard deviation of the noise.
        sigma: f64,
    },
    /// The mean of (E φ(z + ε) − y)², ε ~ N(0, σ²): the loss of the means that are predicted under noise before φ.
    MeanLoss {
        /// θ.
        theta: Cow<'a, [f64]>,
        /// Standard deviation of the noise.
        sigma: f64,
    },
    /// How the labels depart from noise before φ, beside a fit under noise after it.
    Departure(Ends<'a>),
    /// The predictors of the rows, one by one, along lines through a point.
    Projection {
        /// The point.
        theta: Cow<'a, [f64]>,
        /// The directions of the lines.
        directions: Cow<'a, [Vec<f64>]>,
    },
    /// The model without covariates, φ(b + offset): Σ ω r², Σ ω r φ′ and Σ ω φ′². No covariate is read.
    Constant {
        /// b.
        intercept: f64,
    },
    /// max ω_i·‖x_i‖².
    LongestRow,
}

/// The graduated objective at (θ, τ).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct At<'a> {
    /// The point θ.
    pub theta: Cow<'a, [f64]>,
    /// The temperature τ in [0, 1].
    pub tau: f64,
    /// What is wanted there.
    pub want: Want<'a>,
    /// The function whose gradient is wanted.
    pub objective: Objective,
    /// What the rows do with the numbers that they are remembered by.
    pub memory: Memory<'a>,
}

/// What is wanted at a point. Each want includes the loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Want<'a> {
    /// The loss alone.
    Loss,
    /// Loss and gradient.
    Gradient,
    /// Loss, gradient and the root mean squares of the columns of J, which the stop rule compares the gradient with.
    Stationarity,
    /// Loss, gradient, column norms and the d×d curvature.
    Curvature(Hessian),
    /// The curvature times a vector, without forming it.
    CurvatureTimes(Hessian, Cow<'a, [f64]>),
}

/// Which second derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Hessian {
    /// (2/n) Σ ω φ̂′² x xᵀ: positive semi-definite.
    GaussNewton,
    /// (2/n) Σ ω (φ̂′² + r·φ̂″) x xᵀ: exact.
    Full,
}

/// What becomes of the coefficient with which each row entered the last gradient (SAGA's table).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Memory<'a> {
    /// Nothing.
    #[default]
    Unused,
    /// The answer has the coefficient of each row.
    Renew,
    /// The answer has the coefficient of each row, and the gradient's difference to these earlier ones: a number for each
    /// position of the batch.
    Difference(Cow<'a, [f64]>),
}

/// A fit under noise before φ, and another one under noise after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ends<'a> {
    /// θ under noise before φ.
    pub pre: Cow<'a, [f64]>,
    /// Root mean square of its residuals φ⁻¹(y) − z.
    pub residual: f64,
    /// Standard deviation of the noise before φ.
    pub sigma: f64,
    /// θ under noise after φ.
    pub post: Cow<'a, [f64]>,
}

impl<'a> Query<'a> {
    /// A question with the default labels.
    pub fn new(batch: Batch, ask: Ask<'a>) -> Query<'a> {
        Query { batch, labels: None, ask }
    }

    /// A question about least squares at (θ, τ), without memory.
    pub fn at(theta: impl Into<Cow<'a, [f64]>>, tau: f64, batch: Batch, want: Want<'a>) -> Query<'a> {
        let (objective, memory) = (Objective::Squares, Memory::Unused);
        Query::new(batch, Ask::At(At { theta: theta.into(), tau, want, objective, memory }))
    }

    /// The same question about another function's gradient, where it is about one.
    pub fn of(mut self, objective: Objective) -> Query<'a> {
        if let Ask::At(at) = &mut self.ask {
            at.objective = objective;
        }
        self
    }

    /// The same question with memory, where it is about a gradient.
    pub fn remembering(mut self, memory: Memory<'a>) -> Query<'a> {
        if let Ask::At(at) = &mut self.ask {
            at.memory = memory;
        }
        self
    }

    /// The same question about these graduated labels, unless others were chosen before.
    pub fn with_labels(mut self, labels: LabelChoice) -> Query<'a> {
        self.labels = self.labels.or(Some(labels));
        self
    }

    /// Points at which each row is visited, so that passes can be counted.
    pub(super) fn points(&self) -> usize {
        match &self.ask {
            Ask::Constant { .. } => 0,
            Ask::Departure(_) => 2,
            // at the origin nothing is multiplied
            Ask::Projection { theta, directions } => {
                directions.len() + usize::from(theta.iter().any(|theta| *theta != 0.0))
            }
            _ => 1,
        }
    }
}
