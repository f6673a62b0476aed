//! A *model* is the stored result of a fit: the coefficients for predictions, and a description of the fit.
//!
//! The file is JSON with a version and a checksum. Its numbers give the same bits when read back.

mod by_name;
mod coefficients;
mod effects;
mod file;
mod interval;
mod inverse;

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use by_name::ByName;
pub use coefficients::Coefficients;
pub use effects::MarginalEffects;
use file::File;
pub use interval::{Of, Prediction};
pub use inverse::Inverse;

use crate::activation::{Activation, Affine, Registry};
use crate::error::{Error, ErrorKind, Hint, Result};
use crate::inference::{ScaledResponse, Summary};
use crate::oracle::Loss;
use crate::outcome::Status;
use crate::report::{Report, Scale};
use crate::save::{Draft, publish};
use crate::text::{bounded, escape};

/// The maximum number of columns of a table, so that a number in a file cannot request unlimited memory.
const MOST_COLUMNS: usize = u32::MAX as usize;

/// A fitted model.
#[derive(Clone, Debug)]
pub struct Model {
    /// The activation of the name in the file.
    activation: Arc<dyn Activation>,
    /// The same with the scale of the response.
    phi: Arc<dyn Activation>,
    file: File,
    coefficients: Vec<f64>,
}

/// The description of a fit that its report does not contain.
#[derive(Clone, Debug)]
pub struct Origin<'a> {
    /// The activation as typed.
    pub activation: &'a str,
    /// The solver's name.
    pub solver: &'a str,
    /// Name of the target column.
    pub target: &'a str,
    /// The column or term of the offset.
    pub offset: Option<&'a str>,
    /// Number of columns of the table, if they have no names and are identified by their position.
    pub columns: Option<usize>,
    /// Names of the covariates, in the order of the report.
    pub names: &'a [String],
}

/// The centre of the predicted distribution under pre-activation noise, where mean and median differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Centre {
    /// E φ(xᵀw + ε). The default.
    #[default]
    Mean,
    /// φ(xᵀw).
    Median,
}

impl Model {
    /// Creates the model of a report.
    ///
    /// # Errors
    /// If the activation is not built in ([`Fitted::model`](crate::Fitted::model) takes any), if names are missing, duplicate or
    /// too long for a file, or if the report is not finite.
    pub fn new(report: &Report, origin: &Origin<'_>) -> Result<Model> {
        let activation = find(origin.activation, &Registry::new()).map_err(Error::data)?;
        Model::with_activation(report, origin, activation)
    }

    /// Creates the model of a report with this activation.
    pub(crate) fn with_activation(
        report: &Report,
        origin: &Origin<'_>,
        activation: Arc<dyn Activation>,
    ) -> Result<Model> {
        let file = File {
            activation: origin.activation.into(),
            target: origin.target.into(),
            offset: origin.offset.map(Into::into),
            columns: origin.columns,
            curve: None,
            affine: Some(report.affine).filter(|affine| *affine != Scale::default()),
            intercept: report.intercept,
            coefficients: ByName::new(origin.names, &report.coefficients).map_err(Error::data)?,
            noise: report.noise.name().into(),
            tau: report.tau,
            deviation: report.sigma,
            criterion: report.criterion,
            loss: Some(report.loss).filter(|loss| loss.is_finite()),
            status: report.status().to_string(),
            solver: origin.solver.into(),
            rows: report.rows,
            inference: None,
        };
        let model = Model::of(file, activation).map_err(Error::data)?;
        match model.to_json().len() as u64 {
            0..=bounded::LARGEST => Ok(model),
            size => Err(Error::data(format!(
                "the model file would have {size} bytes, more than can be read back; use shorter column names"
            ))),
        }
    }

    /// The same model with the covariance of its parameters, which intervals of predictions need. It is left out if a file of
    /// it could not be read back.
    ///
    /// # Errors
    /// If the summary is that of another fit.
    pub fn with_inference(self, summary: Summary) -> Result<Model> {
        let inference = Some(summary).filter(Summary::is_valid);
        let file = File { inference, ..self.file.clone() };
        let model = Model::of(file, self.activation.clone()).map_err(Error::data)?;
        Ok(if model.to_json().len() as u64 <= bounded::LARGEST { model } else { self })
    }

    /// The same model with the name of the curve that it is.
    pub(crate) fn called(mut self, curve: &str) -> Model {
        self.file.curve = Some(curve.to_owned());
        self
    }

    /// The name of the curve that was fitted.
    pub(crate) fn curve_name(&self) -> Option<&str> {
        self.file.curve.as_deref()
    }

    /// Creates the model of a file, if its numbers are valid.
    fn of(file: File, activation: Arc<dyn Activation>) -> std::result::Result<Model, String> {
        let phi = match file.affine {
            None => activation.clone(),
            Some(Scale { offset, scale }) if offset.is_finite() && scale.is_finite() => {
                Arc::new(Affine::new(activation.clone(), offset, scale))
            }
            Some(_) => return Err("not a model file: its response scale is not finite".into()),
        };
        let noise = match file.noise.as_str() {
            "pre" => file.tau == 0.0 && file.deviation.is_some_and(|s| s.is_finite() && s >= 0.0),
            "post" => file.tau > 0.0 && file.tau <= 1.0 && file.deviation.is_none(),
            _ => false,
        };
        if !noise {
            return Err("not a model file: its noise, temperature and deviation contradict each other".into());
        }
        if let Some(columns) = file.columns.filter(|columns| !(1..=MOST_COLUMNS).contains(columns)) {
            return Err(format!("not a model file: no table has {columns} columns"));
        }
        let known = Status::ALL.iter().any(|status| status.to_string() == file.status);
        if !known || file.rows == 0 || file.loss.is_some_and(|loss| loss < 0.0) {
            return Err("not a model file: its status, rows or loss cannot come from a fit".into());
        }
        let coefficients = file.coefficients.values();
        let names = file.coefficients.0.iter().map(|(name, _)| name);
        let others = |own: &Summary| !own.is_valid() || !own.names.iter().take(own.covariates).eq(names);
        if file.inference.as_ref().is_some_and(others) {
            return Err("not a model file: its covariance is not one of its coefficients".into());
        }
        // an offset alone is also a model
        match file.intercept.is_finite() && (!coefficients.is_empty() || file.offset.is_some()) {
            true => Ok(Model { activation, phi, file, coefficients }),
            false => Err("not a model file: it has no coefficients, or an intercept that is not finite".into()),
        }
    }

    /// The model as JSON, in the newest version.
    pub fn to_json(&self) -> String {
        self.file.text()
    }

    /// Reads a model from JSON of this version or an older one. Errors name `path`.
    ///
    /// # Errors
    /// If the text is not a model of a known version, if it was changed after it was written (version 1 has no checksum
    /// and cannot detect this), if it has unknown fields or invalid numbers, or if its activation is not built in.
    pub fn from_json(text: &str, path: &Path) -> Result<Model> {
        Model::from_json_with(text, path, &Registry::new())
    }

    /// As [`Model::from_json`], for a model whose activation may also be one of the registry.
    ///
    /// # Errors
    /// As [`Model::from_json`], if the activation is neither built in nor registered.
    pub fn from_json_with(text: &str, path: &Path, registry: &Registry) -> Result<Model> {
        let model = File::parse(text).and_then(|file| {
            let activation = find(&file.activation, registry)?;
            Model::of(file, activation)
        });
        model.map_err(|why| Error::file(path, escape::ends(&why)))
    }

    /// Writes the model to a file, which appears completely or not at all. `replace` allows the file to exist.
    ///
    /// # Errors
    /// If the file exists and may not be replaced, or if the system refuses. An existing file is then unchanged.
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
    /// let (activation, solver, target) = ("sigmoid", "auto", "y");
    /// let origin = Origin { activation, solver, target, offset: None, columns: None, names: &names };
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

    /// Reads a model from a file; see the example of [`Model::save`].
    ///
    /// # Errors
    /// If the file cannot be read or is larger than [`bounded::LARGEST`], and as [`Model::from_json`].
    pub fn load(path: &Path) -> Result<Model> {
        Model::from_json(&bounded::read(path, "model file")?, path)
    }

    /// As [`Model::load`], for a model whose activation may also be one of the registry. The example `own_activation` shows it.
    ///
    /// # Errors
    /// As [`Model::load`], if the activation is neither built in nor registered.
    pub fn load_with(path: &Path, registry: &Registry) -> Result<Model> {
        Model::from_json_with(&bounded::read(path, "model file")?, path, registry)
    }

    /// Names of the covariates, which are columns or terms; see [`Features::Exactly`](crate::table::Features::Exactly).
    pub fn names(&self) -> Vec<String> {
        self.file.coefficients.0.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Name of the target column.
    pub fn target(&self) -> &str {
        &self.file.target
    }

    /// The column or term of the offset.
    pub fn offset(&self) -> Option<&str> {
        self.file.offset.as_deref()
    }

    /// Number of columns of the table of the fit, if they had no names.
    pub fn columns(&self) -> Option<usize> {
        self.file.columns
    }

    /// The activation as typed.
    pub fn activation(&self) -> &str {
        &self.file.activation
    }

    /// Covariance, intervals and statistics of the fit; none if it had no standard errors.
    pub fn inference(&self) -> Option<&Summary> {
        self.file.inference.as_ref()
    }

    /// The same, or the reason why there is none.
    ///
    /// # Errors
    /// If the fit had no standard errors.
    pub fn require_inference(&self) -> Result<&Summary> {
        self.inference().ok_or_else(|| {
            let why = match self.file.status == Status::Converged.to_string() {
                true => "the fit had no standard errors".to_owned(),
                false => format!("its fit was not certified (status `{}`)", self.file.status),
            };
            let what = format!("the model has no covariance, which intervals need: {why}");
            Error::data(what).with_hint(Some(Hint::StandardErrors))
        })
    }

    /// The intercept; zero if there is none.
    pub fn intercept(&self) -> f64 {
        self.file.intercept
    }

    /// The coefficients, in the order of [`Model::names`].
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// The scale of the response.
    pub fn affine(&self) -> Scale {
        self.file.affine.unwrap_or_default()
    }

    /// The scale of the response, with its asymptotes.
    fn response(&self) -> ScaledResponse {
        let Scale { offset, scale } = self.affine();
        ScaledResponse::new(self.activation.as_ref(), offset, scale)
    }

    /// The loss that the fit minimised.
    pub fn criterion(&self) -> Loss {
        self.file.criterion
    }

    /// The noise model, `post` or `pre`.
    pub fn noise(&self) -> &str {
        &self.file.noise
    }

    /// The last temperature of the fit.
    pub fn tau(&self) -> f64 {
        self.file.tau
    }

    /// Mean loss of the fit, such as the mean square of the residuals; none if it overflowed.
    pub fn loss(&self) -> Option<f64> {
        self.file.loss
    }

    /// How the fit ended.
    pub fn status(&self) -> &str {
        &self.file.status
    }

    /// The solver of the fit.
    pub fn solver(&self) -> &str {
        &self.file.solver
    }

    /// Number of rows of the fit.
    pub fn rows(&self) -> usize {
        self.file.rows
    }

    /// `z = xᵀw + b + offset`
    ///
    /// The linear predictor of each row of a row-major table, as in [`Model::predict`].
    pub fn predictors(&self, values: &[f64], offsets: Option<&[f64]>) -> Vec<f64> {
        // a lone covariate may be −∞, and has no effect if its coefficient is zero
        let w = if self.coefficients == [0.0] { &[] } else { self.coefficients.as_slice() };
        let dot = |x: &[f64]| x.iter().zip(w).map(|(x, w)| x * w).sum::<f64>();
        let offset = |i: usize| offsets.and_then(|o| o.get(i)).copied().unwrap_or(0.0);
        if self.coefficients.is_empty() {
            return offsets.unwrap_or_default().iter().map(|offset| self.file.intercept + offset).collect();
        }
        let rows = values.chunks(self.coefficients.len()).enumerate();
        rows.map(|(i, x)| dot(x) + self.file.intercept + offset(i)).collect()
    }

    /// Predicts the response of each row of a row-major table, with the covariates in the order of [`Model::names`]. A
    /// model without covariates predicts one response for each offset.
    ///
    /// Under post-activation noise the prediction is φ(xᵀw), the mean of y. Under pre-activation noise it is the mean
    /// E φ(xᵀw + ε), ε ~ N(0, σ²), by [`Activation::average`], or φ(xᵀw), which is the median if φ is increasing.
    pub fn predict(&self, values: &[f64], offsets: Option<&[f64]>, centre: Centre) -> Vec<f64> {
        let z = self.predictors(values, offsets);
        let mut out = vec![0.0; z.len()];
        match self.file.deviation {
            Some(sigma) if centre == Centre::Mean => self.phi.average(sigma, &z, &mut out),
            _ => self.phi.respond(&z, &mut out),
        }
        out
    }
}

/// The activation of a model.
fn find(name: &str, registry: &Registry) -> std::result::Result<Arc<dyn Activation>, String> {
    registry.find(name).map_err(|why| match why.kind() {
        ErrorKind::UnknownActivation { nearest, .. } => {
            let near = nearest.as_ref().map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
            format!(
                "its activation `{name}` is not built in{near}; a Rust program that defines it can load the model with \
                 `Model::load_with` and a `Registry`"
            )
        }
        _ => why.to_string(),
    })
}
