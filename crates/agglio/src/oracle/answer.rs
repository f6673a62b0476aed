//! An *answer* holds weighted means over the rows of a query, in the coordinates of the solver. Its type depends on the
//! query.

use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::math::linalg::{Symmetric, norm};
use crate::oracle::projection::Projection;
use crate::oracle::query::Hessian;

/// The answer to a query.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The loss.
    Value(Value),
    /// Loss and gradient.
    Gradient(Gradient),
    /// Loss, gradient and its scale, and the curvature if it was asked for.
    Model(Model),
    /// The curvature times a vector.
    Product(Vec<f64>),
    /// The normal equations.
    NormalEquations(NormalEquations),
    /// The expectation step of a mixture over preimages.
    Mixture(Mixture),
    /// The departure from noise before φ.
    Departure(Departure),
    /// The linear predictors along lines.
    Projection(Projection),
    /// The model without covariates.
    Constant(ConstantModel),
    /// The sums of a sandwich covariance.
    Meat(Meat),
    /// The mean slope of φ.
    MeanSlope(MeanSlope),
    /// A single number.
    Number(f64),
}

/// The loss at a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Value {
    /// Number of rows of the query.
    pub rows: usize,
    /// L̂_τ, with the penalty.
    pub loss: f64,
    /// L̂_τ without the penalty.
    pub unpenalised: f64,
    /// Mean square of the residuals, with the penalty. For least squares it is `loss`; for another loss it is the loss to
    /// second order, and at most the loss.
    pub square: f64,
    /// Mean square of the graduated labels; one for a likelihood. It gives the scale of rounding errors in the residuals.
    pub label_square: f64,
    /// The contribution of the row with the largest residual to the loss, without the penalty.
    pub largest_square: f64,
    /// The free entries (α, β) of the response scale that the answer is about, if they are not those of the query.
    pub response: Option<[f64; 2]>,
}

/// Loss and gradient at a point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gradient {
    /// The loss.
    pub value: Value,
    /// ∇L̂_τ.
    pub gradient: Vec<f64>,
    /// The coefficient of each row of the batch, in order, if the query asked for it (see
    /// [`Memory`](crate::oracle::Memory)).
    pub remembered: Vec<f64>,
}

/// Loss, gradient and the scale of the gradient at a point, and the curvature if it was asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Loss and gradient.
    pub first_order: Gradient,
    /// ‖J_j‖/√n for each column of J = (φ̂′_i x_ij), or of J = (x_ij) for the matching loss. 2‖J_j‖²/n is the diagonal of
    /// the Gauss–Newton curvature, for every loss.
    pub column_norms: Vec<f64>,
    /// Weighted share of the rows whose derivative is below a thousandth of φ′(0).
    pub saturated: f64,
    /// The curvature.
    pub curvature: Option<Curvature>,
}

/// A curvature matrix and its kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curvature {
    /// The matrix.
    pub matrix: Symmetric,
    /// The kind of second derivative.
    pub hessian: Hessian,
}

/// The normal equations of the linear problem at τ = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct NormalEquations {
    /// The curvature at τ = 0, if it was asked for.
    pub matrix: Option<Symmetric>,
    /// One right-hand side for each choice of preimages in the query, in order.
    pub right_sides: Vec<Vec<f64>>,
}

/// The expectation step of a mixture over preimages.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    /// Expected square of ẑ − z.
    pub square: f64,
    /// Mean log-likelihood of y, with that square as the variance of the noise.
    pub log_likelihood: f64,
    /// The right-hand side for the expected ẑ, to be used with the curvature at τ = 0.
    pub right_side: Vec<f64>,
}

/// The model without covariates at an intercept: means by weight. With least squares, r = φ(b + offset) − y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstantModel {
    /// The loss: for least squares, the mean of r².
    pub loss: f64,
    /// Half of the derivative of the loss: the mean of r·φ′.
    pub gradient: f64,
    /// Half of the Gauss–Newton curvature: the mean of φ′².
    pub curvature: f64,
}

/// The sums of a sandwich covariance, as means over the rows. Weights have mean one.
#[derive(Clone, Debug, PartialEq)]
pub struct Meat {
    /// Mean of ω r². For a likelihood, half of Pearson's statistic divided by the number of rows.
    pub square: f64,
    /// Mean of ω JJᵀ; none if leverages were asked for, since the query already contains it.
    pub bread: Option<Symmetric>,
    /// The sum that the query asks for, divided by the number of rows.
    pub matrix: Symmetric,
    /// Number of clusters with a positive weight, if scores of clusters were asked for.
    pub clusters: usize,
    /// The largest leverage, if leverages were asked for.
    pub largest_leverage: f64,
}

/// The mean slope of φ, and its derivative by θ.
#[derive(Clone, Debug, PartialEq)]
pub struct MeanSlope {
    /// Mean of ω φ′(z).
    pub value: f64,
    /// Mean of ω φ″(z)·(x, 1).
    pub gradient: Vec<f64>,
}

/// Statistics that distinguish noise before φ from noise after φ. If a label has two preimages, e², e³ and e⁴ below are
/// expectations over both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Departure {
    /// Mean of D = (E φ(z + ε) − y)² − (φ(z′) − y)², z from the fit with noise before φ, z′ from the fit with noise
    /// after φ.
    pub excess: f64,
    /// Variance of D.
    pub excess_variance: f64,
    /// Mean of e², e = (φ⁻¹(y) − z)/σ̂, σ̂ the root mean square residual of the fit with noise before φ.
    pub square: f64,
    /// Mean of e³.
    pub cube: f64,
    /// Mean of e⁴.
    pub fourth: f64,
    /// Variance of g = ln|φ′(z)|.
    pub slope_variance: f64,
    /// Covariance of e² and g.
    pub slope_covariance: f64,
}

impl Answer {
    /// The loss, from every answer that contains it.
    ///
    /// # Errors
    /// If the answer has another type: the oracle has answered another query. The other methods have the same error.
    pub fn value(self) -> Result<Value> {
        match self {
            Answer::Value(value) => Ok(value),
            Answer::Gradient(gradient) => Ok(gradient.value),
            Answer::Model(model) => Ok(model.value),
            _ => Err(wrong()),
        }
    }

    /// Loss and gradient, from every answer that contains them.
    ///
    /// # Errors
    /// As [`Answer::value`].
    pub fn gradient(self) -> Result<Gradient> {
        match self {
            Answer::Gradient(gradient) => Ok(gradient),
            Answer::Model(model) => Ok(model.first_order),
            _ => Err(wrong()),
        }
    }

    /// Loss, gradient and its scale, and the curvature if it was asked for.
    ///
    /// # Errors
    /// As [`Answer::value`].
    pub fn model(self) -> Result<Model> {
        match self {
            Answer::Model(model) => Ok(model),
            _ => Err(wrong()),
        }
    }

    /// The curvature times a vector.
    ///
    /// # Errors
    /// As [`Answer::value`].
    pub fn product(self) -> Result<Vec<f64>> {
        match self {
            Answer::Product(product) => Ok(product),
            _ => Err(wrong()),
        }
    }

    /// The normal equations.
    ///
    /// # Errors
    /// As [`Answer::value`].
    pub fn normal_equations(self) -> Result<NormalEquations> {
        match self {
            Answer::NormalEquations(equations) => Ok(equations),
            _ => Err(wrong()),
        }
    }

    /// The expectation step of a mixture.
    ///
    /// # Errors
    /// As [`Answer::value`].
    pub fn mixture(self) -> Result<Mixture> {
        match self {
            Answer::Mixture(mixture) => Ok(mixture),
            _ => Err(wrong()),
        }
    }

    /// The departure from noise before φ.
    ///
    /// # Errors
    /// As [`Answer::value`].
    pub fn departure(self) -> Result<Departure> {
        match self {
            Answer::Departure(departure) => Ok(departure),
            _ => Err(wrong()),
        }
    }

    /// The linear predictors along lines.
    ///
    /// # Errors
    /// As [`Answer::value`].
    pub fn projection(self) -> Result<Projection> {
        match self {
            Answer::Projection(projection) => Ok(projection),
            _ => Err(wrong()),
        }
    }

    /// The model without covariates.
    ///
    /// # Errors
    /// As [`Answer::value`].
    pub fn constant(self) -> Result<ConstantModel> {
        match self {
            Answer::Constant(model) => Ok(model),
            _ => Err(wrong()),
        }
    }

    /// The sums of a sandwich covariance.
    ///
    /// # Errors
    /// As [`Answer::value`].
    pub fn meat(self) -> Result<Meat> {
        match self {
            Answer::Meat(meat) => Ok(meat),
            _ => Err(wrong()),
        }
    }

    /// The mean slope of φ.
    ///
    /// # Errors
    /// As [`Answer::value`].
    pub fn mean_slope(self) -> Result<MeanSlope> {
        match self {
            Answer::MeanSlope(slope) => Ok(slope),
            _ => Err(wrong()),
        }
    }

    /// A single number.
    ///
    /// # Errors
    /// As [`Answer::value`].
    pub fn number(self) -> Result<f64> {
        match self {
            Answer::Number(number) => Ok(number),
            _ => Err(wrong()),
        }
    }
}

fn wrong() -> Error {
    Error::data("an oracle has answered another question than the one it was asked")
}

impl Deref for Gradient {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.value
    }
}

impl DerefMut for Gradient {
    fn deref_mut(&mut self) -> &mut Value {
        &mut self.value
    }
}

impl Deref for Model {
    type Target = Gradient;

    fn deref(&self) -> &Gradient {
        &self.first_order
    }
}

impl DerefMut for Model {
    fn deref_mut(&mut self) -> &mut Gradient {
        &mut self.first_order
    }
}

impl Value {
    /// The largest decrease of the loss that rounding errors of the residuals can cause.
    pub fn rounding(&self) -> f64 {
        let unit = 2.0 * f64::EPSILON;
        // the loss of an exact fit is not zero if it is a likelihood; a difference of infinite losses counts as zero
        let offset = (self.loss - self.square).max(0.0);
        unit * self.square.sqrt() * self.label_square.sqrt() + unit * unit * self.label_square + unit * offset
    }

    /// Whether the residuals are at the level of their rounding errors.
    pub fn is_rounding(&self) -> bool {
        self.loss.is_finite() && self.square <= (64.0 * f64::EPSILON).powi(2) * self.label_square
    }
}

impl Gradient {
    /// Whether loss and gradient are finite.
    pub fn is_finite(&self) -> bool {
        self.loss.is_finite() && self.gradient.iter().all(|g| g.is_finite())
    }

    /// ‖∇L̂_τ‖.
    pub fn norm(&self) -> f64 {
        norm(&self.gradient)
    }
}

impl Model {
    /// `max_j |J_jᵀr|/(‖J_j‖‖r‖)`
    ///
    /// The largest cosine between the residual and a column of J: the gradient relative to its scale. None if every
    /// derivative has vanished (a plateau).
    pub fn relative_gradient(&self) -> Option<f64> {
        if self.square == 0.0 {
            return Some(0.0);
        }
        // if sums have overflowed, every ratio would look small or be NaN
        if !self.is_finite() {
            return Some(1.0);
        }
        let residual = self.square.sqrt();
        // a column norm that underflows while its gradient does not is no evidence for a stationary point
        let cosine = |(g, norm): (&f64, &f64)| match *norm > 0.0 {
            true => Some(g.abs() / (2.0 * norm * residual)),
            false => (*g != 0.0).then_some(1.0),
        };
        self.gradient.iter().zip(&self.column_norms).filter_map(cosine).reduce(f64::max)
    }

    /// The matrix of the curvature.
    pub fn matrix(&self) -> Option<&Symmetric> {
        self.curvature.as_ref().map(|curvature| &curvature.matrix)
    }

    /// The matrix of the curvature, without a copy.
    pub fn into_matrix(self) -> Option<Symmetric> {
        self.curvature.map(|curvature| curvature.matrix)
    }
}

/// The sums that the loop has at a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Known {
    /// Loss and gradient, perhaps over a batch only.
    Estimate(Gradient),
    /// Loss, gradient and its scale, exact over all rows of the stage.
    Exact(Model),
}

impl Deref for Known {
    type Target = Gradient;

    fn deref(&self) -> &Gradient {
        match self {
            Known::Estimate(gradient) => gradient,
            Known::Exact(model) => model,
        }
    }
}

impl Known {
    /// The exact model, if there is one.
    pub fn model(&self) -> Option<&Model> {
        match self {
            Known::Estimate(_) => None,
            Known::Exact(model) => Some(model),
        }
    }

    /// The exact model, if there is one, without a copy.
    pub fn into_model(self) -> Option<Model> {
        match self {
            Known::Estimate(_) => None,
            Known::Exact(model) => Some(model),
        }
    }

    /// The curvature, if there is one.
    pub fn curvature(&self) -> Option<&Symmetric> {
        self.model()?.matrix()
    }
}

impl TryFrom<Answer> for Known {
    type Error = Error;

    fn try_from(answer: Answer) -> Result<Known> {
        match answer {
            Answer::Model(model) => Ok(Known::Exact(model)),
            answer => answer.gradient().map(Known::Estimate),
        }
    }
}
