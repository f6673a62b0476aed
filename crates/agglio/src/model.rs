//! A *model* is what is kept of a fit: enough to predict, and to say where it came from.
//!
//! Kept as JSON, versioned, with floats that read back to the same bits.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::activation::{Activation, named};
use crate::error::{Error, Result};
use crate::linalg;
use crate::report::Report;
use crate::save::{Draft, publish};
use crate::text;

/// What a model file begins with.
const FORMAT: &str = "agglio model";
/// The version this program writes.
const VERSION: u32 = 1;
/// Nodes of the rule that averages predictions over pre-activation noise.
const NODES: usize = 64;

/// A fitted model.
#[derive(Clone, Debug)]
pub struct Model {
    phi: Arc<dyn Activation>,
    file: File,
    coefficients: Vec<f64>,
}

/// A model as it stands in its file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    version: u32,
    activation: String,
    target: String,
    offset: Option<String>,
    intercept: f64,
    coefficients: Map<String, Value>,
    noise: String,
    tau: f64,
    deviation: Option<f64>,
    /// None where it overflows.
    loss: Option<f64>,
    status: String,
    solver: String,
    rows: usize,
}

/// What a model is told about the fit besides its report.
#[derive(Clone, Debug)]
pub struct Origin<'a> {
    /// The activation as typed.
    pub activation: &'a str,
    /// The solver's name.
    pub solver: &'a str,
    /// Name of the target column.
    pub target: &'a str,
    /// Name of the offset column.
    pub offset: Option<&'a str>,
    /// Names of the covariates, in the report's order.
    pub names: &'a [String],
}

/// Which number a prediction is under pre-activation noise, where they differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Centre {
    /// E φ(xᵀw + ε). The default.
    #[default]
    Mean,
    /// φ(xᵀw).
    Median,
}

impl Model {
    /// The model of a report.
    ///
    /// # Errors
    /// If the activation has no name that can be read back, or the report is not finite.
    pub fn new(report: &Report, origin: &Origin<'_>) -> Result<Model> {
        let file = File {
            format: FORMAT.into(),
            version: VERSION,
            activation: origin.activation.into(),
            target: origin.target.into(),
            offset: origin.offset.map(Into::into),
            intercept: report.intercept,
            coefficients: to_map(origin.names, &report.coefficients),
            noise: report.noise.name().into(),
            tau: report.tau,
            deviation: deviation(report),
            loss: Some(report.loss).filter(|loss| loss.is_finite()),
            status: report.status().to_string(),
            solver: origin.solver.into(),
            rows: report.rows,
        };
        file.check().map_err(Error::data)
    }

    /// The model as text.
    pub fn to_json(&self) -> String {
        // a value made of strings, finite numbers and maps always has a text
        let mut text = serde_json::to_string_pretty(&self.file).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads a model from text; `path` is named in errors.
    ///
    /// # Errors
    /// If it is not a model of a version that this program knows, or its numbers cannot be a model's.
    pub fn from_json(text: &str, path: &Path) -> Result<Model> {
        let head: Value = serde_json::from_str(text).map_err(|why| Error::file(path, format!("not a model: {why}")))?;
        if head.get("format").and_then(Value::as_str) != Some(FORMAT) {
            return Err(Error::file(path, format!("not a model: it has no \"format\": \"{FORMAT}\"")));
        }
        match head.get("version").and_then(Value::as_u64) {
            Some(version) if version == u64::from(VERSION) => {}
            version => {
                let found = version.map_or("no version".to_owned(), |v| format!("version {v}"));
                let what =
                    format!("a model of {found}; this program reads version {VERSION}, a newer one may read more");
                return Err(Error::file(path, what));
            }
        }
        let file: File =
            serde_json::from_value(head).map_err(|why| Error::file(path, format!("not a model: {why}")))?;
        file.check().map_err(|why| Error::file(path, why))
    }

    /// Writes the model to a file that appears whole or not at all; `replace` allows one to be there already.
    ///
    /// # Errors
    /// If there is one and it may not be replaced, or the system says no; what was there is then unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use agglio::{Options, activation::named, rows::Dense};
    /// use agglio::model::{Centre, Model, Origin};
    ///
    /// let rows = Dense::new(vec![-2.0, -1.0, 0.0, 1.0], 1, vec![0.1, 0.3, 0.4, 0.8])?;
    /// let report = Options::new(named("sigmoid")?).build()?.fit(&rows)?;
    /// let names = ["dose".to_owned()];
    /// let origin = Origin { activation: "sigmoid", solver: "auto", target: "y", offset: None, names: &names };
    /// let model = Model::new(&report, &origin)?;
    ///
    /// let path = std::env::temp_dir().join(format!("agglio-model-{}.json", std::process::id()));
    /// model.save(&path, false)?;
    /// let again = Model::load(&path)?;
    /// assert_eq!(again.predict(&[0.5], None, Centre::Mean), model.predict(&[0.5], None, Centre::Mean));
    /// assert!(model.save(&path, false).is_err());
    /// # std::fs::remove_file(&path).ok();
    /// # Ok::<(), agglio::Error>(())
    /// ```
    pub fn save(&self, path: &Path, replace: bool) -> Result<()> {
        let failed = |why: io::Error| Error::file(path, why);
        let mut draft = Draft::new(path, replace).map_err(failed)?;
        draft.write_all(self.to_json().as_bytes()).map_err(failed)?;
        publish([draft])
    }

    /// Reads a model from a file, as [`Model::save`] shows.
    ///
    /// # Errors
    /// If the file cannot be read or is larger than [`text::LARGEST`], and as [`Model::from_json`].
    pub fn load(path: &Path) -> Result<Model> {
        Model::from_json(&text::read(path)?, path)
    }

    /// Names of the covariates.
    pub fn names(&self) -> Vec<String> {
        self.file.coefficients.keys().cloned().collect()
    }

    /// Name of the target column.
    pub fn target(&self) -> &str {
        &self.file.target
    }

    /// Name of the offset column.
    pub fn offset(&self) -> Option<&str> {
        self.file.offset.as_deref()
    }

    /// The activation as typed.
    pub fn activation(&self) -> &str {
        &self.file.activation
    }

    /// The predictor xᵀw + b + offset of rows stored one after the other.
    fn predictors(&self, values: &[f64], offsets: Option<&[f64]>) -> Vec<f64> {
        let dot = |x: &[f64]| x.iter().zip(&self.coefficients).map(|(x, w)| x * w).sum::<f64>();
        let offset = |i: usize| offsets.and_then(|o| o.get(i)).copied().unwrap_or(0.0);
        let rows = values.chunks(self.coefficients.len().max(1)).enumerate();
        rows.map(|(i, x)| dot(x) + self.file.intercept + offset(i)).collect()
    }

    /// Predicts the labels of rows stored one after the other, covariates in the order of [`Model::names`].
    ///
    /// Under post-activation noise the prediction is φ(xᵀw), the mean of y. Under pre-activation noise that is the
    /// median, and the mean is E φ(xᵀw + ε), ε ~ N(0, σ²), by Gauss–Hermite.
    pub fn predict(&self, values: &[f64], offsets: Option<&[f64]>, centre: Centre) -> Vec<f64> {
        let z = self.predictors(values, offsets);
        let mut out = vec![0.0; z.len()];
        match self.file.deviation {
            Some(deviation) if centre == Centre::Mean => self.average(&z, deviation, &mut out),
            _ => self.phi.respond(&z, &mut out),
        }
        out
    }

    fn average(&self, z: &[f64], deviation: f64, out: &mut [f64]) {
        let mut response = vec![0.0; z.len()];
        for (node, weight) in linalg::gauss_hermite(NODES) {
            let shifted: Vec<f64> = z.iter().map(|z| z + deviation * node).collect();
            self.phi.respond(&shifted, &mut response);
            out.iter_mut().zip(&response).for_each(|(out, phi)| *out += weight * phi);
        }
    }
}

impl File {
    /// A model of this file, if its numbers can be one's.
    fn check(self) -> std::result::Result<Model, String> {
        let phi = named(&self.activation).map_err(|why| why.to_string())?;
        let coefficients = from_map(&self.coefficients)?;
        let positive = self.deviation.is_none_or(|s| s.is_finite() && s >= 0.0);
        let noise = match self.noise.as_str() {
            "pre" => self.deviation.is_some(),
            "post" => self.deviation.is_none(),
            _ => false,
        };
        if !noise || !(0.0..=1.0).contains(&self.tau) {
            return Err("not a model: its noise, temperature and deviation do not fit together".into());
        }
        match self.intercept.is_finite() && positive && !coefficients.is_empty() {
            true => Ok(Model { phi, file: self, coefficients }),
            false => Err("not a model: a number in it is missing or not finite".into()),
        }
    }
}

/// Standard deviation of pre-activation noise, less the degrees of freedom that the fit took.
fn deviation(report: &Report) -> Option<f64> {
    let free = report.rows.saturating_sub(report.parameters).max(1) as f64;
    report.deviation.map(|deviation| deviation * (report.rows as f64 / free).sqrt())
}

/// A point by column names, as `--truth` writes it and `--init` reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// The intercept.
    pub intercept: f64,
    /// Coefficients by column name.
    pub coefficients: Vec<(String, f64)>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WeightsFile {
    #[serde(default)]
    intercept: f64,
    coefficients: Map<String, Value>,
}

impl Weights {
    /// The weights as text.
    pub fn to_json(&self) -> String {
        let (names, values): (Vec<String>, Vec<f64>) = self.coefficients.iter().cloned().unzip();
        let file = WeightsFile { intercept: self.intercept, coefficients: to_map(&names, &values) };
        let mut text = serde_json::to_string_pretty(&file).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads weights from text; `path` is named in errors.
    ///
    /// # Errors
    /// If it is not `{"intercept": b, "coefficients": {name: value}}` with finite numbers.
    pub fn from_json(text: &str, path: &Path) -> Result<Weights> {
        let wrong = |why: String| Error::file(path, format!("not a weights file: {why}"));
        let file: WeightsFile = serde_json::from_str(text).map_err(|why| wrong(why.to_string()))?;
        let values = from_map(&file.coefficients).map_err(wrong)?;
        let names = file.coefficients.keys().cloned();
        Ok(Weights { intercept: file.intercept, coefficients: names.zip(values).collect() })
    }

    /// The coefficients in the order of `names`.
    ///
    /// # Errors
    /// If the names of the two are not the same.
    pub fn in_order(&self, names: &[String], path: &Path) -> Result<Vec<f64>> {
        if let Some((extra, _)) = self.coefficients.iter().find(|(name, _)| !names.contains(name)) {
            return Err(Error::file(path, format!("it has a coefficient for `{extra}`, which is not a feature")));
        }
        let find = |name: &String| self.coefficients.iter().find(|(other, _)| other == name).map(|(_, value)| *value);
        let missing = |name: &String| Error::file(path, format!("it has no coefficient for the feature `{name}`"));
        names.iter().map(|name| find(name).ok_or_else(|| missing(name))).collect()
    }
}

fn to_map(names: &[String], values: &[f64]) -> Map<String, Value> {
    names.iter().zip(values).map(|(name, value)| (name.clone(), Value::from(*value))).collect()
}

fn from_map(map: &Map<String, Value>) -> std::result::Result<Vec<f64>, String> {
    let number = |(name, value): (&String, &Value)| {
        value.as_f64().filter(|v| v.is_finite()).ok_or_else(|| format!("the coefficient of `{name}` is not a number"))
    };
    map.iter().map(number).collect()
}
