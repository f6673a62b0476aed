//! *Printing* puts results on standard output as tables or JSON, and messages on standard error.

use std::io::Write;
use std::process::ExitCode;

use agglio::inference::{plain_table, values_table};
use agglio::model::Model;
use agglio::prove::{Ended, Proof};
use agglio::read::Table;
use agglio::text::escape::visible;
use agglio::{Curve, LogLikelihoods, Noise, Objection, Report, Status};
use anyhow::Result;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::answer::{Answer, PARAMETERS};
use crate::hint;
use crate::tabular::{flush_left, left, pairs, right, ruled};
use agglio::text::format;

/// Length of the longest message about a command line; such a message may repeat the typed text.
const LONGEST: usize = 300;

/// A fit with everything that is printed about it.
#[derive(Debug)]
pub struct Fitted {
    pub report: Report,
    pub names: Vec<String>,
    pub target: String,
    pub intercept: bool,
    pub activation: String,
    /// The curve that was fitted by its name.
    pub curve: Option<Curve>,
    pub solver: &'static str,
    /// Share of the variance of the labels that is explained; none if they do not vary.
    pub r_squared: Option<f64>,
    /// ‖w − w*‖ without the intercept, if w* was given.
    pub distance: Option<f64>,
    /// Σ ω ρ of predictions that equal the responses, where ρ is the loss of a row.
    pub least_loss: f64,
    /// Standard errors, intervals and tests.
    pub answer: Answer,
    /// The table and the model, if the observations are part of the result.
    pub observations: Option<(Table, Model)>,
    pub seconds: f64,
    pub read_seconds: f64,
    pub seed: u64,
    pub warnings: Vec<String>,
    /// Why no model was written although it was requested.
    pub model_error: Option<anyhow::Error>,
}

/// The object of `fit --format json`, in the contract's order.
#[derive(Serialize)]
struct FittedJson<'a> {
    intercept: f64,
    coefficients: Map<String, Value>,
    affine: Value,
    standard_errors: Option<Map<String, Value>>,
    covariance: Option<Value>,
    se: Option<&'static str>,
    interval_level: Option<f64>,
    intervals: Option<Map<String, Value>>,
    inference_note: Option<&'a str>,
    midpoint: Option<Value>,
    slope: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ec: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tests: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Map<String, Value>>,
    activation: &'a str,
    solver: &'a str,
    noise: &'static str,
    tau: f64,
    noise_choice: Value,
    loss: f64,
    r_squared: Option<f64>,
    sigma: Option<f64>,
    df_residual: Option<usize>,
    log_likelihood: Option<f64>,
    aic: Option<f64>,
    aicc: Option<f64>,
    bic: Option<f64>,
    lower_at_infinity: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<f64>,
    status: String,
    certified: bool,
    certificate: Value,
    unique_within: Option<f64>,
    unique_within_rows: Option<usize>,
    ellipsoid_95: Option<f64>,
    proof: Option<Value>,
    rows: usize,
    passes: f64,
    seconds: f64,
    read_seconds: f64,
    seed: u64,
    warnings: &'a [String],
    version: &'static str,
}

impl Fitted {
    /// Whether the fit, its proof or its standard errors were cut short.
    pub fn is_interrupted(&self) -> bool {
        let in_proof = matches!(&self.report.proof, Some(Ok(proof)) if proof.ended == Ended::Interrupted);
        self.answer.is_interrupted || in_proof || self.report.status() == Status::Interrupted
    }

    /// The fit as one JSON object; a number that is not finite is null.
    ///
    /// # Errors
    /// Never, as far as known: all keys are text.
    pub fn json(&self) -> Result<String> {
        let (report, summary) = (&self.report, self.answer.summary.as_ref());
        let (goodness, uniqueness) = (summary.map(|own| own.goodness), self.answer.uniqueness());
        let coefficients = self.names.iter().zip(&report.coefficients);
        pretty(&FittedJson {
            intercept: report.intercept,
            coefficients: coefficients.map(|(name, value)| (name.clone(), Value::from(*value))).collect(),
            affine: json!(self.report.affine),
            standard_errors: self.answer.standard_errors(),
            covariance: self.answer.covariance(),
            se: summary.map(|own| own.se.name()),
            interval_level: summary.map(|own| own.interval_level),
            intervals: self.answer.intervals(),
            inference_note: self.answer.note.as_deref(),
            midpoint: self.answer.midpoint(),
            slope: self.answer.slope(),
            ec: self.answer.ec(),
            tests: self.answer.tests(),
            parameters: self.answer.parameters(),
            activation: &self.activation,
            solver: self.solver,
            noise: report.noise.name(),
            tau: report.tau,
            noise_choice: report
                .log_likelihoods
                .map_or(Value::Null, |both| json!({"pre": both.pre, "post": both.post})),
            loss: report.loss,
            r_squared: self.r_squared,
            sigma: goodness.map(|own| own.sigma),
            df_residual: goodness.map(|own| own.df_residual),
            log_likelihood: goodness.map(|own| own.log_likelihood),
            aic: goodness.map(|own| own.aic),
            aicc: goodness.and_then(|own| own.aicc),
            bic: goodness.map(|own| own.bic),
            lower_at_infinity: report.certificate.lower_at_infinity,
            distance: self.distance,
            status: report.status().to_string(),
            certified: self.certified(),
            certificate: self.certificate(),
            unique_within: uniqueness.map(|own| own.radius),
            unique_within_rows: uniqueness.map(|own| own.rows),
            ellipsoid_95: uniqueness.map(|own| own.ellipsoid_95),
            proof: report.proof.as_ref().and_then(|proof| proof.as_ref().ok()).map(proof),
            rows: report.rows,
            passes: report.passes,
            seconds: self.seconds,
            read_seconds: self.read_seconds,
            seed: self.seed,
            warnings: &self.warnings,
            version: env!("CARGO_PKG_VERSION"),
        })
    }

    /// The fit as two tables: the coefficients, and how they were reached.
    pub fn table(&self) -> String {
        format!("{}\n\n{}", self.coefficients(), self.summary())
    }

    fn verdict(&self) -> String {
        self.report.verdict_on(&format!("`{}`", visible(&self.target)))
    }

    pub fn certified(&self) -> bool {
        self.report.certificate.certified()
    }

    fn certificate(&self) -> Value {
        let certificate = &self.report.certificate;
        json!({
            "verdict": self.verdict(),
            "relative_gradient": certificate.relative_gradient,
            "matching_gradient": certificate.matching_gradient,
            "smallest_eigenvalue": certificate.smallest_eigenvalue,
            "left_to_gain": certificate.left_to_gain,
            "curvature_rows": certificate.curvature_rows,
            "curvature_products": certificate.curvature_products,
            "saturated": certificate.saturated,
            "baseline_loss": certificate.baseline_loss,
            "linear_loss": certificate.linear_loss,
            "restarts": certificate.restarts.map(|(_, of)| of),
            "agreed": certificate.restarts.map(|(agreed, _)| agreed),
        })
    }

    /// The noise model, with both log-likelihoods if both models were fitted. If the other model is clearly better, another
    /// line says so.
    fn noise(&self) -> Vec<(&'static str, String)> {
        let report = &self.report;
        let is_pre = report.noise == Noise::Pre;
        let place = if is_pre { "before the activation" } else { "after the activation" };
        let Some(LogLikelihoods { pre: Some(pre), post }) = report.log_likelihoods else {
            return vec![("noise", place.into())];
        };
        let [pre, post] = [pre, post].map(|x| if x.is_finite() { format!("{x:.1}") } else { format::short(x) });
        let [before, after] =
            [format!("log-likelihood {pre}; after it: {post}"), format!("log-likelihood {post}; before it: {pre}")];
        if !is_pre && report.likelier == Some(Noise::Pre) {
            let better = format!("noise before the activation fits better ({before}); pass --noise auto to use it");
            return vec![("noise", place.into()), ("note", better)];
        }
        let but = report.objection.filter(|objection| *objection != Objection::Unlikely);
        let but = but.map_or(String::new(), |objection| format!("; {objection}"));
        vec![("noise", format!("{place} ({}{but})", if is_pre { before } else { after }))]
    }

    /// The coefficients by name, the intercept first.
    fn named_coefficients(&self) -> (Vec<&str>, Vec<f64>) {
        let intercept = self.intercept.then_some(("(intercept)", self.report.intercept));
        let named = self.names.iter().map(String::as_str).zip(self.report.coefficients.iter().copied());
        intercept.into_iter().chain(named).unzip()
    }

    /// The numbers of the main table by name: the parameters of a curve, else the coefficients.
    pub fn named_values(&self) -> (Vec<&str>, Vec<f64>) {
        match self.curve {
            Some(curve) => (curve.parameters().collect(), curve.values(&self.report)),
            None => self.named_coefficients(),
        }
    }

    fn coefficients(&self) -> String {
        self.answer.table().unwrap_or_else(|| {
            let intercept = self.intercept.then_some(self.report.intercept);
            match self.curve {
                Some(curve) => parameters(curve, curve.values(&self.report)),
                None => plain_table(&self.names, &self.report.coefficients, intercept),
            }
        })
    }

    /// `1 − (1 − R²)·(n − 1)/(n − p)`
    pub fn adjusted_r_squared(&self) -> Option<f64> {
        let own = self.answer.summary.as_ref()?.goodness;
        let about = own.observations as f64 - 1.0;
        self.r_squared.map(|r_squared| 1.0 - (1.0 - r_squared) * about / own.df_residual as f64)
    }

    /// The residual sum of squares, or twice the distance of a quasi-log-likelihood from its largest value.
    pub fn deviance(&self) -> Option<f64> {
        let own = self.answer.summary.as_ref()?.goodness;
        Some(match self.report.criterion.is_convex() {
            true => 2.0 * (-own.log_likelihood - self.least_loss),
            false => own.residual_sum,
        })
    }

    /// The table of how the coefficients were reached.
    pub fn summary(&self) -> String {
        let report = &self.report;
        let seconds = [self.seconds, self.read_seconds].map(format::seconds);
        let answer = self.answer.lines(report.tau == 0.0);
        let mut rows = vec![
            ("target", visible(&self.target)),
            ("observations", report.rows.to_string()),
            ("activation", self.activation.clone()),
            ("loss", format!("{} ({})", format::short(report.loss), report.criterion.unit())),
            (
                report.criterion.explained(),
                self.r_squared.map_or("undefined: the response is constant".into(), format::short),
            ),
            ("status", report.status().to_string()),
            ("verdict", self.verdict()),
            ("solver", format!("{}, to temperature τ = {}", self.solver, format::brief(report.tau))),
            (
                "effort",
                format!("{:.0} passes over the rows in {}; reading took {}", report.passes, seconds[0], seconds[1]),
            ),
        ];
        let adjusted = self.adjusted_r_squared().map(|adjusted| ("adjusted r²", format::short(adjusted)));
        let answer = answer.iter().map(|(name, value)| (name.as_str(), value.clone()));
        let distance = self.distance.map(|distance| ("‖w−w*‖", format::short(distance)));
        rows.splice(5..5, adjusted.into_iter().chain(distance).chain(answer));
        rows.splice(3..3, self.noise());
        let uniqueness = self.answer.uniqueness_in_words().map(|words| ("uniqueness", words));
        rows.splice(rows.len() - 2..rows.len() - 2, uniqueness);
        if let Some(lower) = report.certificate.lower_at_infinity {
            let lower = format::short(lower);
            let words = format!(
                "the loss falls to {lower} as the coefficients grow without bound; a penalty (--l2) makes that minimum finite"
            );
            rows.insert(rows.len() - 2, ("at infinity", words));
        }
        if let Some(words) = report.proof_in_words() {
            rows.insert(rows.len() - 2, ("proof", words));
        }
        // of a certified fit the verdict has it
        if report.certificate.restarts.is_some_and(|(_, of)| of == 0 || !self.certified()) {
            let words = report.agreement().unwrap_or("none needed: the fit is exact".into());
            rows.insert(rows.len() - 2, ("restarts", words));
        }
        pairs(&rows)
    }
}

fn proof(proof: &Proof) -> Value {
    json!({
        "complete": proof.complete,
        "ended": proof.ended.name(),
        "lower_bound": proof.lower_bound,
        "gap": proof.gap,
        "radius": proof.radius,
        "asymptotes_within": proof.asymptotes_within,
        "boxes": proof.boxes,
        "seconds": proof.seconds,
        "improved_from": proof.improved_from,
    })
}

/// The parameters of a curve without standard errors.
pub fn parameters(curve: Curve, values: Vec<f64>) -> String {
    values_table(PARAMETERS, curve.parameters().map(str::to_owned).collect(), values)
}

/// A table of the coefficients of fits to the same columns, side by side, each below its heading.
pub fn coefficients(fits: &[(&str, &Fitted)]) -> String {
    let mut table = ruled([left("column")].into_iter().chain(fits.iter().map(|(heading, _)| right(heading))));
    let names = fits.first().map(|(_, fitted)| fitted.named_coefficients().0).unwrap_or_default();
    let columns: Vec<Vec<String>> =
        fits.iter().map(|(_, fitted)| format::aligned(fitted.named_coefficients().1)).collect();
    for (row, name) in names.iter().enumerate() {
        let values = columns.iter().map(|column| right(column.get(row).map_or("", String::as_str)));
        table.add_row([left(visible(name))].into_iter().chain(values).collect::<Vec<_>>());
    }
    flush_left(&mut table)
}

/// The errors of a model.
#[derive(Debug, Serialize)]
pub struct Score {
    pub rows: usize,
    /// Mean square of the residuals.
    pub loss: f64,
    pub rmse: f64,
    pub mae: f64,
    /// None where the labels are all the same.
    pub r_squared: Option<f64>,
    /// The predictions that were compared with the labels: `mean`, also under noise before the activation.
    pub predictions: &'static str,
}

impl Score {
    /// The score as one JSON object; a number that is not finite is null.
    ///
    /// # Errors
    /// Never, as far as known.
    pub fn json(&self) -> Result<String> {
        pretty(self)
    }

    pub fn table(&self) -> String {
        pairs(&[
            ("rows", self.rows.to_string()),
            ("loss", format!("{} (mean square)", format::short(self.loss))),
            ("rmse", format::short(self.rmse)),
            ("mae", format::short(self.mae)),
            ("r²", self.r_squared.map_or("undefined: the response is constant".into(), format::short)),
            ("predictions", format!("{} of y", self.predictions)),
        ])
    }
}

pub fn pretty(value: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}

/// Share of the variance of the labels that predictions with this mean squared error explain; none if the labels do not vary.
/// `fit` and `score` both use it.
pub fn r_squared(mean_square: f64, variance: Option<f64>) -> Option<f64> {
    variance.map(|variance| 1.0 - mean_square / variance)
}

/// Weighted variance of labels; none where they do not vary.
pub fn variance(labels: &[f64], weights: Option<&[f64]>) -> Option<f64> {
    // relative to the largest, since a sum of what is finite need not be
    let most = weights.map_or(1.0, |weights| weights.iter().fold(0.0, |most: f64, w| most.max(*w)));
    let weight = |i: usize| weights.and_then(|weights| weights.get(i)).map_or(1.0, |weight| weight / most);
    let mean = |of: &dyn Fn(f64) -> f64| {
        let terms = labels.iter().enumerate().map(|(i, &y)| (weight(i) * of(y), weight(i)));
        let (sum, total) = terms.fold((0.0, 0.0), |(sum, total), (term, weight)| (sum + term, total + weight));
        sum / total
    };
    let centre = mean(&|y| y);
    // asked as such, since the mean of equal numbers may be off by rounding
    let constant = labels.iter().all(|y| Some(y) == labels.first());
    Some(mean(&|y| (y - centre) * (y - centre))).filter(|&variance| !constant && variance > 0.0)
}

/// Prints warnings to standard error, unless `quiet`.
pub fn warnings(warnings: &[String], quiet: bool) {
    warnings.iter().filter(|_| !quiet).for_each(|warning| say("warning", warning));
}

/// Prints results that have no place in a table to standard error.
pub fn notes(notes: &[String], quiet: bool) {
    notes.iter().filter(|_| !quiet).for_each(|note| say("note", note));
}

/// Prints an error with its causes to standard error, in one line.
pub fn error(why: &anyhow::Error) {
    say("error", &hint::words(why));
}

/// Prints help, the version or an error in the command line, and returns the exit code.
pub fn usage(why: &clap::Error) -> ExitCode {
    let text = why.render().to_string();
    let is_plain = |line: &str| line.chars().count() <= LONGEST && !line.chars().any(char::is_control);
    if !why.use_stderr() || text.lines().all(is_plain) {
        // with its colours; there is nobody left to tell if this fails
        let _ = why.print();
    } else {
        let cut = |line: &str| visible(&line.chars().take(LONGEST).collect::<String>()) + "…\n";
        let lines = text.lines().map(|line| if is_plain(line) { format!("{line}\n") } else { cut(line) });
        let _ = write!(std::io::stderr(), "{}", lines.collect::<String>());
    }
    ExitCode::from(u8::try_from(why.exit_code()).unwrap_or(2))
}

fn say(what: &str, text: &str) {
    // there is nobody left to tell if this fails
    let _ = writeln!(std::io::stderr(), "{what}: {}", visible(text));
}
