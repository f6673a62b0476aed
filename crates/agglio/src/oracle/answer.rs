//! An *answer* has the type of its question: weighted means over the asked rows, in the solver's coordinates.

use std::ops::{Deref, DerefMut};

use crate::error::{Error, Result};
use crate::math::linalg::{Symmetric, norm};
use crate::oracle::projection::Projection;
use crate::oracle::query::Hessian;

/// What an oracle answers.
#[derive(Clone, Debug)]
pub enum Answer {
    /// To a question for the loss.
    Value(Value),
    /// To one for the gradient.
    Gradient(Gradient),
    /// To one for stationarity or curvature.
    Model(Model),
    /// To one for the curvature times a vector.
    Product(Vec<f64>),
    /// To one for the normal equations.
    NormalEquations(NormalEquations),
    /// To one for a mixture over preimages.
    Mixture(Mixture),
    /// To one for the departure from noise before φ.
    Departure(Departure),
    /// To one for the predictors along lines.
    Projection(Projection),
    /// To one for the model without covariates.
    Constant(ConstantModel),
    /// To one for a single number.
    Number(f64),
}

/// The loss at a point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Value {
    /// Number of rows asked.
    pub rows: usize,
    /// L̂_τ, penalty included.
    pub loss: f64,
    /// The same without the penalty.
    pub unpenalised: f64,
    /// Mean square of the graduated labels: what rounding of the residuals is measured by.
    pub label_square: f64,
    /// What the row with the largest residual contributes to the loss, penalty left out.
    pub largest_square: f64,
}

/// Loss and gradient at a point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gradient {
    /// The loss.
    pub value: Value,
    /// ∇L̂_τ.
    pub gradient: Vec<f64>,
    /// The coefficient of each row of the batch, in its order, where memory was asked for.
    pub remembered: Vec<f64>,
}

/// Loss, gradient and the scale of the gradient at a point, and the curvature where it was asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Loss and gradient.
    pub first_order: Gradient,
    /// ‖J_j‖/√n for each column of J = (φ̂′_i x_ij), or of J = (x_ij) for the matching loss.
    pub column_norms: Vec<f64>,
    /// Share of the rows, by weight, whose derivative is below a thousandth of φ′(0).
    pub saturated: f64,
    /// The curvature.
    pub curvature: Option<Curvature>,
}

/// A curvature, and which one it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Curvature {
    /// The matrix.
    pub matrix: Symmetric,
    /// Which second derivative.
    pub hessian: Hessian,
}

/// The normal equations of the problem at τ = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct NormalEquations {
    /// The curvature at τ = 0, where it was asked for.
    pub matrix: Option<Symmetric>,
    /// One right-hand side for each label margin, then one for labels as they are; these take the right one of two
    /// preimages. Where φ is not monotone, one that takes the left ones follows, and one that takes a preimage far to the
    /// left for labels near zero.
    pub right_sides: Vec<Vec<f64>>,
}

/// The expectation step of a mixture over preimages.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    /// Expected square of ẑ − z.
    pub square: f64,
    /// Mean log density of y.
    pub log_likelihood: f64,
    /// The right-hand side of expected ẑ, which belongs to the curvature at τ = 0.
    pub right_side: Vec<f64>,
}

/// The model without covariates at an intercept: means by weight, with r = φ(b + offset) − y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstantModel {
    /// Mean of r².
    pub loss: f64,
    /// Mean of r·φ′: half of the derivative of the loss.
    pub gradient: f64,
    /// Mean of φ′²: half of the Gauss–Newton curvature.
    pub curvature: f64,
}

/// What tells two fits, under noise before φ and after it, apart. Where a label has two preimages, e² is expected over both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Departure {
    /// Mean of D = (E φ(z + ε) − y)² − (φ(z′) − y)², with z of the fit before φ and z′ of the other.
    pub excess: f64,
    /// Variance of D.
    pub excess_variance: f64,
    /// Mean of e², e = (φ⁻¹(y) − z)/residual.
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
    /// The loss, whatever else was asked for beside it.
    ///
    /// # Errors
    /// If no loss was asked for, here and below likewise: the oracle has answered another question.
    pub fn value(self) -> Result<Value> {
        match self {
            Answer::Value(value) => Ok(value),
            Answer::Gradient(gradient) => Ok(gradient.value),
            Answer::Model(model) => Ok(model.value),
            _ => Err(wrong()),
        }
    }

    /// Loss and gradient, whatever else was asked for beside them.
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

    /// Loss, gradient, its scale and perhaps the curvature.
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

    /// The predictors along lines.
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
    /// The decrease of the loss that rounding of the residuals can feign.
    pub fn rounding(&self) -> f64 {
        let unit = 2.0 * f64::EPSILON;
        unit * self.loss.sqrt() * self.label_square.sqrt() + unit * unit * self.label_square
    }

    /// Whether the residual is at the level that rounding leaves of it.
    pub fn is_rounding(&self) -> bool {
        self.loss.is_finite() && self.loss <= (64.0 * f64::EPSILON).powi(2) * self.label_square
    }
}

impl Gradient {
    /// Whether everything that a step uses is finite.
    pub fn is_finite(&self) -> bool {
        self.loss.is_finite() && self.gradient.iter().all(|g| g.is_finite())
    }

    /// ‖∇L̂_τ‖.
    pub fn norm(&self) -> f64 {
        norm(&self.gradient)
    }
}

impl Model {
    /// max_j |J_jᵀr|/(‖J_j‖‖r‖), the largest cosine between the residual and a column of J: the gradient relative to its
    /// own scale. None where every derivative has vanished (a plateau).
    pub fn relative_gradient(&self) -> Option<f64> {
        if self.loss == 0.0 {
            return Some(0.0);
        }
        // beside sums that overflow any gradient would look small, or like no number at all
        if !self.is_finite() {
            return Some(1.0);
        }
        let residual = self.loss.sqrt();
        // a norm that underflows beside a gradient that does not says nothing good
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

    /// The matrix of the curvature, without the rest.
    pub fn into_matrix(self) -> Option<Symmetric> {
        self.curvature.map(|curvature| curvature.matrix)
    }
}

/// What the loop knows at a point.
#[derive(Clone, Debug, PartialEq)]
pub enum Known {
    /// Loss and gradient, perhaps of a few rows only.
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
    /// The exact model, where it is known.
    pub fn model(&self) -> Option<&Model> {
        match self {
            Known::Estimate(_) => None,
            Known::Exact(model) => Some(model),
        }
    }

    /// The exact model, where it is known, without a copy.
    pub fn into_model(self) -> Option<Model> {
        match self {
            Known::Estimate(_) => None,
            Known::Exact(model) => Some(model),
        }
    }

    /// The curvature, where it is known.
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
