//! `show`: a model file in, its table out.

use std::process::ExitCode;

use agglio::activation::named;
use agglio::inference::{Summary, plain_table};
use agglio::model::Model;
use agglio::text::escape::visible;
use agglio::text::format;
use anyhow::Result;
use serde_json::{Map, Value, json};

use super::read_model;
use crate::answer::Answer;
use crate::args::{Format, ShowArgs};
use crate::output;
use crate::print::{parameters, pretty};
use crate::tabular::pairs;

/// Why a model file has no standard errors.
const NO_COVARIANCE: &str = "the model file has no covariance";

pub fn run(args: &ShowArgs) -> Result<ExitCode> {
    let model = read_model(&args.model)?;
    let answer = match model.inference() {
        Some(summary) => Answer::of(summary, named(model.activation())?.as_ref(), model.affine(), model.curve()),
        None => Answer::none(NO_COVARIANCE),
    };
    output::print(&match args.format {
        Format::Table => table(&model, &answer),
        Format::Json => pretty(&object(&model, &answer))?,
    })?;
    Ok(ExitCode::SUCCESS)
}

fn table(model: &Model, answer: &Answer) -> String {
    let intercept = Some(model.intercept()).filter(|intercept| *intercept != 0.0);
    let coefficients = answer.table().unwrap_or_else(|| match model.curve() {
        Some(curve) => parameters(curve, curve.values_at(model.coefficients(), model.intercept(), model.affine())),
        None => plain_table(&model.names(), model.coefficients(), intercept),
    });
    let mut rows = vec![
        ("target", visible(model.target())),
        ("observations", model.rows().to_string()),
        ("activation", model.activation().to_owned()),
        ("noise", format!("{} the activation", if model.noise() == "pre" { "before" } else { "after" })),
    ];
    rows.extend(model.offset().map(|offset| ("offset", visible(offset))));
    rows.extend(model.loss().map(|loss| ("loss", format!("{} ({})", format::short(loss), model.criterion().unit()))));
    // without an intercept the regression compares with another model than the mean
    let about_mean = |own: &&Summary| model.noise() == "post" && (own.has_intercept() || !own.response.is_empty());
    let shares = answer.summary.as_ref().filter(about_mean).map(|own| own.goodness);
    rows.extend(shares.and_then(|own| own.r_squared).map(|share| ("r²", format::short(share))));
    rows.extend(shares.and_then(|own| own.adjusted_r_squared).map(|share| ("adjusted r²", format::short(share))));
    let lines = answer.lines(model.noise() == "pre");
    rows.extend(lines.iter().map(|(name, value)| (name.as_str(), value.clone())));
    rows.push(("status", model.status().to_owned()));
    rows.push(("solver", format!("{}, to temperature τ = {}", model.solver(), format::brief(model.tau()))));
    format!("{coefficients}\n\n{}", pairs(&rows))
}

/// The fields of `fit --format json` that a model file knows, in the same order.
fn object(model: &Model, answer: &Answer) -> Map<String, Value> {
    let coefficients: Map<String, Value> =
        model.names().into_iter().zip(model.coefficients().iter().map(|value| json!(value))).collect();
    let summary = answer.summary.as_ref();
    let goodness = summary.map(|own| own.goodness);
    let fields = [
        ("target", json!(model.target())),
        ("offset", json!(model.offset())),
        ("intercept", json!(model.intercept())),
        ("coefficients", json!(coefficients)),
        ("affine", json!(model.affine())),
        ("standard_errors", json!(answer.standard_errors())),
        ("covariance", json!(answer.covariance())),
        ("se", json!(summary.map(|own| own.se.name()))),
        ("interval_level", json!(summary.map(|own| own.interval_level))),
        ("intervals", json!(answer.intervals())),
        ("inference_note", json!(answer.note)),
        ("midpoint", json!(answer.midpoint())),
        ("slope", json!(answer.slope())),
        ("activation", json!(model.activation())),
        ("solver", json!(model.solver())),
        ("noise", json!(model.noise())),
        ("tau", json!(model.tau())),
        ("loss", json!(model.loss())),
        ("sigma", json!(goodness.map(|own| own.sigma))),
        ("df_residual", json!(goodness.map(|own| own.df_residual))),
        ("log_likelihood", json!(goodness.map(|own| own.log_likelihood))),
        ("aic", json!(goodness.map(|own| own.aic))),
        ("aicc", json!(goodness.and_then(|own| own.aicc))),
        ("bic", json!(goodness.map(|own| own.bic))),
        ("status", json!(model.status())),
        ("rows", json!(model.rows())),
        ("version", json!(env!("CARGO_PKG_VERSION"))),
    ];
    let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value));
    let parameters = answer.parameters().map(|own| ("parameters".to_owned(), Value::Object(own)));
    fields.chain(parameters).collect()
}
