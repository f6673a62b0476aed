//! A *query* asks for sums over some rows. It gives the rows, their graduated labels, and the sums.
//!
//! It can be sent to another process. Its answer depends on nothing else.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::oracle::labels::PreimageChoice;
use crate::oracle::loss::Objective;

/// The rows of a query, as a rule that any shard can evaluate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Batch {
    /// Every row, in order.
    All,
    /// The rows π_key(`start`) … π_key(`start` + `len` − 1) of the keyed permutation of all rows.
    Part {
        /// The key of the permutation.
        key: u64,
        /// First position.
        start: usize,
        /// Number of positions.
        len: usize,
    },
    /// As many rows as the table has, drawn with replacement and in the order of the table: a bootstrap sample.
    Resample {
        /// The key of the draws.
        key: u64,
    },
}

impl Batch {
    /// Number of rows of the batch, for a table of `rows` rows.
    pub fn len(&self, rows: usize) -> usize {
        match *self {
            Batch::All | Batch::Resample { .. } => rows,
            Batch::Part { start, len, .. } => len.min(rows.saturating_sub(start)),
        }
    }
}

/// The responses that the labels are made of, as a rule that any shard can evaluate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Responses<'a> {
    /// Those of the table.
    #[default]
    Observed,
    /// `ŷ ± (y − ŷ)`: predictions at a point, with residuals of random signs, one for each row of the table: a wild bootstrap
    /// sample. At τ < 1 the same holds for the graduated labels. For least squares only.
    ///
    /// Reference: Wu (1986), with the signs of Davidson and Flachaire (2008).
    Wild {
        /// The key of the signs.
        key: u64,
        /// The point of the predictions.
        theta: Cow<'a, [f64]>,
    },
}

/// The choice of graduated labels. At τ = 1 it has no effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelChoice {
    /// The distance of labels from the bounds of the range.
    pub margin: Margin,
    /// The choice between two preimages.
    pub branch: PreimageBranch,
}

/// The distance between labels and the bounds of the range of φ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Margin {
    /// One of the margins in use, the widest first.
    Nth(usize),
    /// No margin.
    None,
}

impl Default for Margin {
    fn default() -> Margin {
        Margin::Nth(0)
    }
}

/// The choice between two preimages of a graduated label, if φ is not monotone (SiLU, GELU).
///
/// Reference: the footnote to "invertible" in the paper, which says that either one works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PreimageBranch {
    /// The one whose graduated label is nearer to φ̂_τ(z).
    #[default]
    Nearer,
    /// The one on the decreasing branch, for every z.
    Left,
    /// The one on the increasing branch, for every z.
    Right,
}

/// A query: the rows, their graduated labels, and the sums to compute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Query<'a> {
    /// The rows.
    pub batch: Batch,
    /// Their graduated labels. Without a choice, those of the oracle.
    pub labels: Option<LabelChoice>,
    /// The responses to which predictions at a point are compared.
    #[serde(default)]
    pub responses: Responses<'a>,
    /// The sums.
    pub ask: Ask<'a>,
}

/// The sums that a query asks for. Points are in the coordinates of the solver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask<'a> {
    /// The graduated objective at a point.
    At(At<'a>),
    /// The normal equations of linear least squares on φ⁻¹(y), the problem at τ = 0, with one right-hand side for each
    /// choice of preimages.
    NormalEquations {
        /// Whether to compute the matrix in addition to the right-hand sides.
        matrix: bool,
        /// The choices of preimages.
        choices: Vec<PreimageChoice>,
    },
    /// The expectation step of a mixture over preimages, under noise before φ.
    Mixture {
        /// θ.
        theta: Cow<'a, [f64]>,
        /// Standard deviation of the noise.
        sigma: f64,
    },
    /// The mean of (E φ(z + ε) − y)², ε ~ N(0, σ²): the loss of the mean predictions under noise before φ.
    MeanLoss {
        /// θ.
        theta: Cow<'a, [f64]>,
        /// Standard deviation of the noise.
        sigma: f64,
    },
    /// Statistics of the deviation of the labels from noise before φ, compared with a fit under noise after φ.
    Departure(Ends<'a>),
    /// The linear predictors along lines through a point, row by row.
    Projection {
        /// The point.
        theta: Cow<'a, [f64]>,
        /// The directions of the lines.
        directions: Cow<'a, [Vec<f64>]>,
        /// Whether rows at minus infinity have their weights. Without them they have none.
        limits: bool,
    },
    /// The model without covariates, φ(b + offset): Σ ω ρ, and half of its first and of its expected second derivative by b.
    /// Covariates are not read.
    Constant {
        /// b.
        intercept: f64,
    },
    /// The bread Σ ω JJᵀ and the meat of a sandwich covariance at (θ, τ), with J = ∂φ̂_τ(z)/∂θ.
    ///
    /// Reference: White (1980); MacKinnon and White (1985).
    Meat {
        /// θ.
        theta: Cow<'a, [f64]>,
        /// The temperature τ in [0, 1].
        tau: f64,
        /// The residuals of the meat.
        weighting: Weighting<'a>,
    },
    /// The mean of φ′(z) and its derivative by θ. They give average marginal effects.
    MeanSlope {
        /// θ.
        theta: Cow<'a, [f64]>,
    },
    /// 2φ′(0)²·max ω_i‖x_i‖² + 2λ, the largest curvature of a single row at τ = 0, with weights of mean one.
    LongestRow,
}

/// The graduated objective at (θ, τ).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct At<'a> {
    /// The point θ.
    pub theta: Cow<'a, [f64]>,
    /// The temperature τ in [0, 1].
    pub tau: f64,
    /// The sums.
    pub want: Want<'a>,
    /// The function whose gradient is computed.
    pub objective: Objective,
    /// The use of the table of row coefficients (SAGA).
    pub memory: Memory<'a>,
    /// Whether the answer is about the best response scale for w, or about the one in θ.
    pub response: ResponseChoice,
}

/// The response scale that an answer at τ = 1 is about, if it has free entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResponseChoice {
    /// The best one for w. The value of the answer contains it.
    #[default]
    Best,
    /// The one in θ.
    AsGiven,
}

/// The sums at a point. All but [`Want::CurvatureTimes`] include the loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Want<'a> {
    /// The loss alone.
    Loss,
    /// Loss and gradient.
    Gradient,
    /// Loss, gradient and the root mean squares of the columns of J, which are the scale of the gradient in the stop
    /// rule.
    Stationarity,
    /// Loss, gradient, column norms and the d×d curvature.
    Curvature(Hessian),
    /// The curvature times a vector, without forming it.
    CurvatureTimes(Hessian, Cow<'a, [f64]>),
}

/// The kind of second derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Hessian {
    /// (2/n) Σ ω φ̂′² x xᵀ: positive semi-definite. For a likelihood, the expected information.
    GaussNewton,
    /// (2/n) Σ ω (φ̂′² + r·φ̂″) x xᵀ: exact. For a likelihood, (1/n) Σ ω ρ″ x xᵀ.
    Full,
}

/// The meat of a sandwich covariance: how residuals r are squared and summed. Weights have mean one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Weighting<'a> {
    /// Σ ω² r² JJᵀ, and the bread.
    Plain,
    /// Σ ω² r² (1 − h)^−k JJᵀ, with the leverage h = ω·Jᵀ(Σ ω JJᵀ)⁻¹J of a row. Without the bread.
    Leverage {
        /// Vectors u with Σ u·uᵀ = (Σ ω JJᵀ)⁻¹.
        roots: Cow<'a, [Vec<f64>]>,
        /// k.
        power: i32,
    },
    /// Σ s·sᵀ over the clusters, s = Σ ω r J over the rows of a cluster, and the bread.
    Clusters,
}

/// The use of the coefficients of the rows in the last gradient (the table of SAGA).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Memory<'a> {
    /// They are not used.
    #[default]
    Unused,
    /// The answer contains the coefficient of each row.
    Renew,
    /// The answer contains the coefficient of each row, and the gradient is computed from the difference to these
    /// earlier coefficients: one number for each position of the batch.
    Difference(Cow<'a, [f64]>),
}

/// A fit under noise before φ, and a fit under noise after φ.
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
    /// A query with the default labels.
    pub fn new(batch: Batch, ask: Ask<'a>) -> Query<'a> {
        Query { batch, labels: None, responses: Responses::Observed, ask }
    }

    /// A query for the loss at (θ, τ), without memory.
    pub fn at(theta: impl Into<Cow<'a, [f64]>>, tau: f64, batch: Batch, want: Want<'a>) -> Query<'a> {
        let (objective, memory) = (Objective::Loss, Memory::Unused);
        let response = ResponseChoice::Best;
        Query::new(batch, Ask::At(At { theta: theta.into(), tau, want, objective, memory, response }))
    }

    /// Sets the objective, if the query is about one.
    pub fn of(mut self, objective: Objective) -> Query<'a> {
        if let Ask::At(at) = &mut self.ask {
            at.objective = objective;
        }
        self
    }

    /// Sets the memory, if the query is about a gradient.
    pub fn remembering(mut self, memory: Memory<'a>) -> Query<'a> {
        if let Ask::At(at) = &mut self.ask {
            at.memory = memory;
        }
        self
    }

    /// Sets the graduated labels, unless they are already set.
    pub fn with_labels(mut self, labels: LabelChoice) -> Query<'a> {
        self.labels = self.labels.or(Some(labels));
        self
    }

    /// Sets the responses, unless they are already set.
    pub fn with_responses(self, responses: &Responses<'a>) -> Query<'a> {
        match self.responses {
            Responses::Observed => Query { responses: responses.clone(), ..self },
            Responses::Wild { .. } => self,
        }
    }

    /// Whether the answer depends on the preimages of labels, which nothing does at τ = 1.
    pub(super) fn needs_preimages(&self) -> bool {
        match &self.ask {
            Ask::At(At { tau, .. }) | Ask::Meat { tau, .. } => *tau < 1.0,
            Ask::NormalEquations { .. } | Ask::Mixture { .. } | Ask::Departure(_) => true,
            Ask::MeanLoss { .. }
            | Ask::Projection { .. }
            | Ask::Constant { .. }
            | Ask::MeanSlope { .. }
            | Ask::LongestRow => false,
        }
    }

    /// Number of points at which each row is evaluated, for the count of passes.
    pub(super) fn points(&self) -> usize {
        let predictions = usize::from(self.responses != Responses::Observed);
        predictions
            + match &self.ask {
                Ask::Constant { .. } => 0,
                Ask::Departure(_) => 2,
                // at the origin no product is needed
                Ask::Projection { theta, directions, .. } => {
                    directions.len() + usize::from(theta.iter().any(|theta| *theta != 0.0))
                }
                _ => 1,
            }
    }
}
