//! The laws of an oracle.

mod answers;
mod batches;
mod derivatives;
mod facts;
mod sandwich;

use super::numbers::{close, size};
use super::{Law, Verdict};
use crate::Symmetric;
use crate::oracle::{
    Answer, Batch, Gradient, Hessian, LabelChoice, Margin, Model, Objective, Oracle, PreimageBranch, Query, Value,
    Want, Weighting,
};

/// A law, and the function that checks it for an oracle.
type OracleLaw = Law<fn(&dyn Oracle) -> Verdict>;

pub(super) const LAWS: &[OracleLaw] = &[
    // first, since the others take the shape of θ from the facts
    Law { says: "the facts are those of the answers", check: facts::facts },
    Law { says: "answers have the type, the shape and the rows of their questions", check: answers::types },
    Law { says: "what is asked for beside the loss does not change it", check: answers::wants },
    Law { says: "the gradient is the derivative of the loss", check: derivatives::gradient },
    Law { says: "the full curvature is the derivative of the gradient", check: derivatives::curvature },
    Law { says: "the penalty is λ‖w‖² in loss and gradient, and on no intercept", check: derivatives::penalty },
    Law { says: "the column norms are the diagonal of the Gauss–Newton curvature", check: derivatives::norms },
    Law { says: "the curvature times a vector is the product", check: derivatives::products },
    Law { says: "the matching loss is least squares without the derivative", check: derivatives::matching },
    Law { says: "the normal equations are the problem at τ = 0", check: derivatives::normal_equations },
    Law { says: "labels do not matter at τ = 1, and default labels are those of the oracle", check: batches::labels },
    Law { says: "batches that part the rows merge to all rows", check: batches::batches },
    Law { says: "memory answers with coefficients and with differences to them", check: batches::memory },
    Law { says: "several questions have the answers of each, in their order", check: answers::together },
    Law { says: "an answer does not depend on what was asked before", check: answers::history },
    Law { says: "every row that a question visits is counted", check: answers::visits },
    Law { says: "bread and meat are sums over the rows of a sandwich", check: sandwich::meat },
    Law { says: "scores of clusters are gradients", check: sandwich::clusters },
    Law { says: "the mean slope is that of the matching loss, with its derivative", check: sandwich::mean_slope },
    Law { says: "the baseline is the best model without covariates", check: facts::baseline },
    Law { says: "the losses of predictions agree with each other", check: facts::predictions },
];

const TAUS: [f64; 4] = [0.0, 1e-6, 0.3, 1.0];

/// Labels that do not jump as θ moves.
const SMOOTH: LabelChoice = LabelChoice { margin: Margin::Nth(0), branch: PreimageBranch::Right };

type Outcome<T> = Result<T, String>;

/// Points of ordinary size.
fn points(oracle: &dyn Oracle) -> Vec<Vec<f64>> {
    let scale = (2.0 / (oracle.dim() as f64).sqrt()).min(1.0);
    let wave = |f: &dyn Fn(f64) -> f64| (0..oracle.dim()).map(|j| scale * f(j as f64)).collect();
    vec![wave(&|_| 0.0), wave(&|j| 0.4 * (j + 1.0).sin()), wave(&|j| 0.9 * (2.0 * j + 0.5).cos())]
}

fn cases(oracle: &dyn Oracle) -> Vec<(Vec<f64>, f64)> {
    points(oracle).into_iter().flat_map(|theta| TAUS.map(|tau| (theta.clone(), tau))).collect()
}

/// A direction to move θ in, or to multiply with.
fn direction(oracle: &dyn Oracle) -> Vec<f64> {
    (0..oracle.dim()).map(|j| (1.3 * j as f64 + 0.8).cos()).collect()
}

/// The kinds of meat, with leverages below one.
fn weightings(oracle: &dyn Oracle) -> Vec<Weighting<'static>> {
    let root: Vec<f64> = direction(oracle).iter().map(|v| 1e-2 * v).collect();
    let half = root.iter().enumerate().map(|(j, v)| if j % 2 == 0 { -v } else { 0.5 * v }).collect();
    let roots = vec![root, half];
    let leverage = |power: i32| Weighting::Leverage { roots: roots.clone().into(), power };
    vec![Weighting::Plain, leverage(1), leverage(2), Weighting::Clusters]
}

fn ask(oracle: &dyn Oracle, query: &Query<'_>) -> Outcome<Answer> {
    oracle.ask(query).map_err(|error| format!("The oracle fails: {error}."))
}

fn value(oracle: &dyn Oracle, query: &Query<'_>) -> Outcome<Value> {
    ask(oracle, query)?.value().map_err(|error| error.to_string())
}

fn gradient_of(oracle: &dyn Oracle, query: &Query<'_>) -> Outcome<Gradient> {
    ask(oracle, query)?.gradient().map_err(|error| error.to_string())
}

fn model(oracle: &dyn Oracle, query: &Query<'_>) -> Outcome<Model> {
    ask(oracle, query)?.model().map_err(|error| error.to_string())
}

/// A question about least squares with labels that do not jump.
fn smooth<'a>(theta: &'a [f64], tau: f64, want: Want<'a>) -> Query<'a> {
    Query::at(theta, tau, Batch::All, want).with_labels(SMOOTH)
}

/// The curvature of least squares at a point.
fn matrix_of(oracle: &dyn Oracle, theta: &[f64], tau: f64, hessian: Hessian) -> Outcome<Symmetric> {
    let model = model(oracle, &smooth(theta, tau, Want::Curvature(hessian)))?;
    model.into_matrix().ok_or_else(|| at(theta, tau) + "there is no curvature.")
}

/// The wants that answer with a model. The curvature of a wide θ is never formed.
fn model_wants(oracle: &dyn Oracle) -> Vec<Want<'static>> {
    let all = [Want::Stationarity, Want::Curvature(Hessian::GaussNewton), Want::Curvature(Hessian::Full)];
    let most = if oracle.is_wide() { 1 } else { all.len() };
    all.into_iter().take(most).collect()
}

fn same(what: &str, found: &[f64], expected: &[f64], slack: f64) -> Verdict {
    let wrong = found.iter().zip(expected).position(|(found, expected)| !close(*found, *expected, slack));
    match wrong {
        _ if found.len() != expected.len() => {
            Err(format!("The {what} has {} numbers, not {}.", found.len(), expected.len()))
        }
        None => Ok(()),
        Some(i) => Err(format!("Number {i} of the {what} is {:e}, not {:e}.", found[i], expected[i])),
    }
}

/// The errors of a sum that rounding explains.
fn slack(numbers: &[f64]) -> f64 {
    1e-11 * size(numbers) + f64::MIN_POSITIVE
}

fn at(theta: &[f64], tau: f64) -> String {
    format!("At θ = {theta:?}, τ = {tau:e}: ")
}

/// The errors of a gradient that rounding explains: ‖J_j‖ times the size of the labels and the residuals.
fn gradient_slack(oracle: &dyn Oracle, theta: &[f64], tau: f64) -> Outcome<f64> {
    Ok(1e-11 * size(&gradient_scales(oracle, theta, tau, Objective::Loss)?) + f64::MIN_POSITIVE)
}

fn gradient_scales(oracle: &dyn Oracle, theta: &[f64], tau: f64, objective: Objective) -> Outcome<Vec<f64>> {
    let model = model(oracle, &smooth(theta, tau, Want::Stationarity).of(objective))?;
    let residual = (model.loss + model.label_square).sqrt();
    Ok(model.column_norms.iter().map(|norm| 2.0 * norm * residual).collect())
}
