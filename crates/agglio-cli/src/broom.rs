//! *Broom*: results as tables with the column names of R's package broom, for programs.

use agglio::inference::{Goodness, Line};
use anyhow::{Result, bail};
use serde_json::{Map, Value, json};

use crate::csv;
use crate::print::{Fitted, pretty};

/// The columns of a table of estimates.
const ESTIMATES: [&str; 7] = ["term", "estimate", "std.error", "statistic", "p.value", "conf.low", "conf.high"];

/// A table for programs: names of columns, and rows of numbers and words.
#[derive(Debug)]
pub struct Frame {
    pub header: Vec<String>,
    pub rows: Vec<Vec<Value>>,
}

impl Frame {
    /// The frame as CSV, or as a JSON array of objects. What is missing is an empty cell, or null.
    ///
    /// # Errors
    /// Never, as far as known.
    pub fn text(&self, as_json: bool) -> Result<String> {
        if as_json {
            let object = |row: &Vec<Value>| self.header.iter().cloned().zip(row.iter().cloned()).collect::<Map<_, _>>();
            return pretty(&self.rows.iter().map(object).collect::<Vec<_>>());
        }
        let rows = self.rows.iter().map(csv::line);
        Ok(std::iter::once(csv::header(self.header.iter().map(String::as_str))).chain(rows).collect())
    }
}

/// One row for each line of the main table.
pub fn tidy(fitted: &Fitted) -> Frame {
    if let Some(lines) = fitted.answer.estimates() {
        return estimates(&lines);
    }
    let row = |(name, value): (&str, f64)| {
        let mut row = vec![json!(name), json!(value)];
        row.resize(ESTIMATES.len(), Value::Null);
        row
    };
    let (names, values) = fitted.named_values();
    Frame { header: ESTIMATES.map(String::from).into(), rows: names.into_iter().zip(values).map(row).collect() }
}

/// One row for each estimate.
pub fn estimates(lines: &[Line<'_>]) -> Frame {
    let row = |Line { name, estimate, interval }: &Line<'_>| {
        let [low, high] = *interval;
        let numbers = [Some(estimate.value), estimate.standard_error, estimate.t(), estimate.p_value(), low, high];
        std::iter::once(json!(name)).chain(numbers.map(|number| json!(number))).collect()
    };
    Frame { header: ESTIMATES.map(String::from).into(), rows: lines.iter().map(row).collect() }
}

/// One row for the whole fit.
pub fn glance(fitted: &Fitted) -> Frame {
    let goodness = fitted.answer.summary.as_ref().map(|summary| summary.goodness);
    let pairs = [
        ("r.squared", json!(fitted.r_squared)),
        ("adj.r.squared", json!(fitted.adjusted_r_squared())),
        ("sigma", json!(goodness.map(|own| own.sigma))),
        ("isConv", json!(fitted.certified())),
        ("finTol", json!(fitted.report.certificate.relative_gradient)),
        ("logLik", json!(goodness.map(|own| own.log_likelihood))),
        ("AIC", json!(goodness.map(|own| own.aic))),
        ("BIC", json!(goodness.map(|own| own.bic))),
        ("deviance", json!(fitted.deviance())),
        ("df.residual", json!(goodness.map(|own| own.df_residual))),
        ("nobs", json!(goodness.map_or(fitted.report.rows, |own| own.observations))),
    ];
    let (header, row) = pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).unzip();
    Frame { header, rows: vec![row] }
}

/// One row for each observation: the response, the covariates, and what the model says about it.
///
/// # Errors
/// If the model cannot be made.
pub fn augment(fitted: &Fitted) -> Result<Frame> {
    let Some((table, model)) = &fitted.observations else { bail!("the observations were not kept") };
    let (values, offsets) = (table.values.as_slice(), table.offsets.as_deref());
    let centre = agglio::model::Centre::Mean;
    let predictions = model.predict(values, offsets, centre);
    let of = agglio::model::Of::Confidence;
    let errors = model.inference().map(|_| model.predict_intervals((values, offsets), centre, of, 0.95)).transpose()?;
    // the leverage follows from the classical covariance alone
    let summary = model.inference().filter(|own| own.se.name() == "classical" && model.noise() == "post");
    let mut header = vec![fitted.target.clone()];
    header.extend(fitted.names.iter().cloned());
    header.extend([".fitted", ".resid", ".se.fit", ".hat", ".std.resid", ".cooksd"].map(String::from));
    let width = fitted.names.len();
    let row = |(i, (&label, &prediction)): (usize, (&f64, &f64))| {
        let error = errors.as_ref().and_then(|errors| errors.get(i)).map(|own| own.standard_error);
        let weight = table.weights.as_ref().and_then(|weights| weights.get(i)).copied().unwrap_or(1.0);
        let hat = summary.zip(error).map(|(own, error)| weight * (error / own.goodness.sigma).powi(2));
        let mut row = vec![json!(label)];
        row.extend(values.iter().skip(i * width).take(width).map(|x| json!(x)));
        let residual = label - prediction;
        let [standardised, distance] = influence(weight.sqrt() * residual, hat, summary.map(|own| own.goodness));
        row.extend([
            json!(prediction),
            json!(residual),
            json!(error),
            json!(hat),
            json!(standardised),
            json!(distance),
        ]);
        row
    };
    let rows = table.labels.iter().zip(&predictions).enumerate().map(row).collect();
    Ok(Frame { header, rows })
}

/// `r/(σ̂·√(1 − h))` and `h·(r/(σ̂·(1 − h)))²/p`
///
/// The standardised residual and Cook's distance of an observation with the leverage h. Reference: Cook (1977).
fn influence(residual: f64, hat: Option<f64>, goodness: Option<Goodness>) -> [Option<f64>; 2] {
    let Some((hat, own)) = hat.zip(goodness) else { return [None, None] };
    let standardised = residual / (own.sigma * (1.0 - hat).sqrt());
    let distance = standardised * standardised * hat / ((1.0 - hat) * own.parameters as f64);
    [standardised, distance].map(|value| Some(value).filter(|value| value.is_finite()))
}
