//! The *loss* ρ(φ(z), y) of a row: its value, and the coefficients of the row in gradient and curvature.
//!
//! All formulas that are specific to a loss belong in this file. Upper layers see its properties, never its name.

use multiversion::multiversion;
use serde::{Deserialize, Serialize};

use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::math::vector::{self, sum_of};
use crate::oracle::facts::{Measured, Spread};
use crate::oracle::query::At;
use crate::text::format::brief;

/// The loss that a fit minimises at τ = 1. Below τ = 1 every fit is least squares on graduated labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Loss {
    /// ρ = (μ − y)², μ = φ(z): least squares.
    #[default]
    Squares,
    /// ρ = −[y ln μ + (1 − y) ln(1 − μ)], μ = φ(z), for shares 0 ≤ y ≤ 1: the quasi-likelihood of a Bernoulli response.
    ///
    /// It is convex in z for the activations that it takes. Reference: Papke and Wooldridge (1996).
    Bernoulli,
}

/// The function whose gradient is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Objective {
    /// The loss of the problem. For least squares at any τ: gradient (2/n) Σ ω r φ̂′ x.
    #[default]
    Loss,
    /// The matching loss of φ, whose gradient has no factor φ̂′: gradient (2/n) Σ ω r x, curvature (2/n) Σ ω φ̂′ x xᵀ.
    /// The reported loss is least squares.
    Matching,
}

/// The form in which a row enters the sums of a query. The driver multiplies sums by 2, as least squares needs it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Residual r = φ̂ − y^τ and derivative D = φ̂′.
    Squares,
    /// The same, for the matching loss.
    Matching,
    /// ρ′/2 in place of the residual, and D = √(i/2), where i = φ′²/(μ(1 − μ)) is the expected ρ″.
    Likelihood,
}

/// Weighted sums over rows.
pub(super) struct Compared {
    /// Sum of the losses.
    pub loss: f64,
    /// Sum of the squared residuals. For a likelihood they are (μ − y)²/(2μ(1 − μ)), but at most the loss.
    pub square: f64,
    /// Sum of the squared labels; for a likelihood, of the weights.
    pub label: f64,
    /// The largest of the squared residuals.
    pub largest: f64,
}

impl Loss {
    /// Whether the loss is convex in θ for every table, so that one run finds the minimum and no temperatures are needed.
    pub fn is_convex(self) -> bool {
        self == Loss::Bernoulli
    }

    /// The mean loss in words.
    pub fn unit(self) -> &'static str {
        match self {
            Loss::Squares => "mean square",
            Loss::Bernoulli => "mean negative quasi-log-likelihood",
        }
    }

    /// The name of the share of the loss that a fit explains.
    pub fn explained(self) -> &'static str {
        match self {
            Loss::Squares => "r²",
            Loss::Bernoulli => "pseudo-r² (McFadden)",
        }
    }

    /// Σ ω ρ(y, y): the loss of predictions that equal the labels, and the least of all.
    pub fn least(self, labels: &[f64], weights: Option<&[f64]>) -> f64 {
        let entropy = |y: f64| -(product(y, y.ln()) + product(1.0 - y, (-y).ln_1p()));
        match (self, weights) {
            (Loss::Squares, _) => 0.0,
            (Loss::Bernoulli, None) => labels.iter().map(|&y| entropy(y)).sum(),
            (Loss::Bernoulli, Some(weights)) => labels.iter().zip(weights).map(|(&y, &w)| product(w, entropy(y))).sum(),
        }
    }

    /// The loss that a fit is compared with, for that share: the variance of the response, or the loss of the model without
    /// covariates. None if there is nothing to explain.
    pub(crate) fn of_reference(self, variance: Option<f64>, baseline: f64) -> Option<f64> {
        match self {
            Loss::Squares => variance,
            Loss::Bernoulli => Some(baseline).filter(|baseline| *baseline > 0.0),
        }
    }

    /// Why it cannot be fitted with an activation, if it cannot.
    pub(crate) fn objection(self, phi: &dyn Activation) -> Option<&'static str> {
        let fits = self == Loss::Squares || phi.is_log_concave();
        (!fits).then_some(
            "it needs means between 0 and 1; use activation `sigmoid`, `probit` or `cloglog`, or loss `squares`",
        )
    }

    /// The standard deviation of a response with this mean, divided by σ: the root of the dispersion of a likelihood.
    pub(crate) fn spread(self, mean: f64) -> f64 {
        match self {
            Loss::Squares => 1.0,
            Loss::Bernoulli => (mean * (1.0 - mean)).max(0.0).sqrt(),
        }
    }

    /// Refuses labels that the loss is not defined for.
    pub(super) fn require_labels(self, measured: &Measured) -> Result<()> {
        let (least, most) = (measured.smallest, measured.largest);
        if self == Loss::Squares || (least >= 0.0 && most <= 1.0) {
            return Ok(());
        }
        let advice = match least >= 0.0 {
            true => {
                format!("divide it by its highest possible value (percentages: by 100), here at least {}", brief(most))
            }
            false => "rescale it".to_owned(),
        };
        Err(Error::data(format!(
            "the response runs from {} to {}, and loss `bernoulli` needs shares from 0 to 1: {advice}, or use loss `squares`",
            brief(least),
            brief(most)
        )))
    }

    /// The mean loss of a constant prediction.
    pub(super) fn of_constant(self, labels: &Spread, constant: f64) -> f64 {
        match self {
            Loss::Squares => labels.about(constant),
            Loss::Bernoulli => -(product(labels.mean, constant.ln()) + product(1.0 - labels.mean, (-constant).ln_1p())),
        }
    }

    /// The loss of a row at τ = 1, half of its derivative by z, and half of its expected second derivative.
    pub(super) fn at(self, phi: &dyn Activation, z: f64, y: f64) -> [f64; 3] {
        match self {
            Loss::Squares => {
                let (r, derivative) = (phi.value(z) - y, phi.derivative(z));
                [r * r, r * derivative, derivative * derivative]
            }
            Loss::Bernoulli => {
                let slopes = phi.log_derivative(z);
                [-mixed(y, phi.log_value(z)), -0.5 * mixed(y, slopes), 0.5 * information(slopes)]
            }
        }
    }

    /// The weighted sum of the losses of rows at τ = 1.
    pub(super) fn total(self, phi: &dyn Activation, z: &[f64], label: &[f64], weight: &[f64]) -> f64 {
        let [mut left, mut right] = [vec![0.0; z.len()], vec![0.0; z.len()]];
        match self {
            Loss::Squares => phi.respond(z, &mut left),
            Loss::Bernoulli => phi.log_respond(z, [&mut left, &mut right]),
        }
        let loss = |i: usize| match self {
            Loss::Squares => weight[i] * (left[i] - label[i]) * (left[i] - label[i]),
            Loss::Bernoulli => -weight[i] * mixed(label[i], [left[i], right[i]]),
        };
        (0..z.len()).filter(|&i| weight[i] > 0.0).map(loss).sum()
    }
}

impl Form {
    pub fn of(loss: Loss, at: &At<'_>) -> Form {
        match (at.objective, loss) {
            (Objective::Matching, _) => Form::Matching,
            (Objective::Loss, Loss::Bernoulli) if at.tau == 1.0 => Form::Likelihood,
            (Objective::Loss, _) => Form::Squares,
        }
    }

    /// a = ω r D, ω r or ω ρ′/2: the coefficients of the gradient.
    pub fn weigh_gradient(self, weight: &[f64], r: &[f64], derivative: &[f64], a: &mut [f64]) {
        match self {
            Form::Squares => multiply(a, weight, r, derivative),
            Form::Matching | Form::Likelihood => vector::zip(weight, r, a, |weight, r| weight * r),
        }
    }

    /// b = ω D², or ω: the coefficients of the squared column norms of J.
    pub fn weigh_norms(self, weight: &[f64], derivative: &[f64], b: &mut [f64]) {
        match self {
            Form::Squares | Form::Likelihood => vector::zip(weight, derivative, b, |weight, d| weight * (d * d)),
            Form::Matching => b.copy_from_slice(weight),
        }
    }

    /// h = ω D², or ω φ̂′: the coefficients of the Gauss–Newton curvature.
    pub fn weigh_curvature(self, weight: &[f64], derivative: &[f64], h: &mut [f64]) {
        match self {
            Form::Squares | Form::Likelihood => multiply(h, weight, derivative, derivative),
            Form::Matching => vector::zip(weight, derivative, h, |weight, d| weight * d),
        }
    }

    /// Σ ω r², and Σ ω (μ − y)²/(2μ(1 − μ)) for a likelihood: half of Pearson's statistic.
    pub fn pearson(self, weight: &[f64], r: &[f64], derivative: &[f64]) -> f64 {
        match self {
            Form::Squares | Form::Matching => sum_of(weight, r, |weight, r| weight * (r * r)),
            Form::Likelihood => {
                let rows = weight.iter().zip(r).zip(derivative).filter(|((weight, _), _)| **weight > 0.0);
                rows.map(|((weight, r), d)| if *r == 0.0 { 0.0 } else { weight * (r / d) * (r / d) }).sum()
            }
        }
    }

    /// The derivative D below which a row counts as saturated: a thousandth of the curvature of a likelihood at z = 0, and
    /// of φ′(0) elsewhere.
    pub fn flat(self, phi: &dyn Activation) -> f64 {
        match self {
            Form::Squares | Form::Matching => 1e-3 * phi.derivative(0.0).abs(),
            Form::Likelihood => (1e-3 * 0.5 * information(phi.log_derivative(0.0))).sqrt(),
        }
    }
}

/// Replaces values of φ by the residuals φ − y. A row without weight contributes zero, even if its value overflows.
pub(super) fn compare(weight: &[f64], label: &mut [f64], value: &mut [f64]) -> Compared {
    subtract(value, label);
    mask(weight, value);
    mask(weight, label);
    let square = |weight: f64, x: f64| weight * (x * x);
    let largest = largest(weight, value);
    let loss = sum_of(weight, value, square);
    Compared { loss, square: loss, label: sum_of(weight, label, square), largest }
}

/// Writes ρ′/2 and D of [`Form::Likelihood`]. Their squared ratio is the squared residual. If μ is far from y it grows like
/// 1/μ, so one row could hide the gradient of all others; the loss of the row, which grows like ln(1/μ), is its bound.
pub(super) fn compare_likelihood(
    phi: &dyn Activation,
    [weight, z]: [&[f64]; 2],
    label: &mut [f64],
    [residual, derivative]: [&mut [f64]; 2],
    [left, right]: [&mut [f64]; 2],
) -> Compared {
    mask(weight, label);
    phi.log_respond(z, [&mut *left, &mut *right]);
    phi.log_respond_derivative(z, [&mut *residual, &mut *derivative]);
    let mut sums = Compared { loss: 0.0, square: 0.0, label: 0.0, largest: 0.0 };
    for i in 0..z.len() {
        let (weight, slopes) = (weight[i], [residual[i], derivative[i]]);
        (residual[i], derivative[i]) = (0.0, 0.0);
        // at a row without weight anything may overflow
        if weight <= 0.0 {
            continue;
        }
        let (loss, half) = (-mixed(label[i], [left[i], right[i]]), 0.5 * information(slopes));
        residual[i] = -0.5 * mixed(label[i], slopes);
        derivative[i] = half.sqrt();
        let square = (residual[i] * residual[i] / half).min(loss);
        sums.loss += weight * loss;
        sums.square += weight * square;
        sums.label += weight;
        sums.largest = sums.largest.max(weight * square);
    }
    sums
}

/// Writes h = ω ρ″/2, the coefficients of the exact curvature of a likelihood.
pub(super) fn weigh_likelihood(
    phi: &dyn Activation,
    [weight, z, label]: [&[f64]; 3],
    h: &mut [f64],
    [left, right]: [&mut [f64]; 2],
) {
    phi.log_respond_second_derivative(z, [&mut *left, &mut *right]);
    for (i, h) in h.iter_mut().enumerate() {
        *h = if weight[i] > 0.0 { -0.5 * weight[i] * mixed(label[i], [left[i], right[i]]) } else { 0.0 };
    }
}

/// y·a + (1 − y)·b.
fn mixed(y: f64, [a, b]: [f64; 2]) -> f64 {
    product(y, a) + product(1.0 - y, b)
}

/// φ′²/(μ(1 − μ)), from the derivatives of ln φ and ln(1 − φ).
fn information([left, right]: [f64; 2]) -> f64 {
    product(left, -right)
}

/// A product in which zero times infinity is zero.
fn product(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

/// The largest weighted square.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
fn largest(weight: &[f64], x: &[f64]) -> f64 {
    let squares = x.iter().zip(weight).map(|(x, weight)| weight * (x * x));
    squares.fold(0.0, |most, square| if square > most { square } else { most })
}

#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
fn subtract(value: &mut [f64], label: &[f64]) {
    value.iter_mut().zip(label).for_each(|(value, label)| *value -= label);
}

/// Sets entries of rows without weight to zero.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn mask(weight: &[f64], x: &mut [f64]) {
    x.iter_mut().zip(weight).for_each(|(x, &weight)| *x = if weight > 0.0 { *x } else { 0.0 });
}

/// Writes the products of three factors.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
fn multiply(product: &mut [f64], a: &[f64], b: &[f64], c: &[f64]) {
    let factors = a.iter().zip(b).zip(c);
    product.iter_mut().zip(factors).for_each(|(product, ((a, b), c))| *product = a * b * c);
}
