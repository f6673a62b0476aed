//! To *resume* a model is to fit a plan from its coefficients: a warm start, for rows that have changed or grown.

use std::path::Path;

use crate::activation::canonical;
use crate::error::{Error, ErrorKind, Result};
use crate::fitted::Fitted;
use crate::model::{Coefficients, Model};
use crate::plan::Plan;
use crate::race::Rules;
use crate::rows::Rows;
use crate::spec::{Spec, Start};

impl Plan {
    /// Fits the rows from the coefficients of a model, which was fitted to other rows with the same covariates in the same
    /// order, such as the first of these.
    ///
    /// The fit ends at the same minimum as [`Plan::fit`] where the old one is near it, in fewer passes: the default solver goes
    /// on from there at the last temperature. If it does not end at a certified minimum, it fits the rows as [`Plan::fit`] does
    /// too, and keeps the better fit. The penalty, the radius and the units of the coordinates are those of the new rows.
    ///
    /// # Errors
    /// As [`Plan::resuming`] and [`Plan::fit`], and if the rows have another number of covariates than the model.
    ///
    /// ```
    /// use agglio::{Options, activation::named, model::Model, rows::Dense};
    ///
    /// let dose: Vec<f64> = (0..400).map(|i| (i * 37 % 400) as f64 / 100.0).collect();
    /// let share: Vec<f64> = dose.iter().map(|x| 1.0 / (1.0 + (2.0 - x).exp()) + 0.1 * (9.0 * x).sin()).collect();
    /// let plan = Options::new(named("sigmoid")?).build()?;
    /// // the rows of yesterday, and those of today
    /// let yesterday = plan.fit(&Dense::new(dose[..300].to_vec(), 1, share[..300].to_vec())?)?;
    /// let model = Model::try_from(&yesterday)?;
    /// let today = Dense::new(dose, 1, share)?;
    /// let (warm, cold) = (plan.resume(&model, &today)?, plan.fit(&today)?);
    /// assert!(warm.passes < cold.passes);
    /// assert!((warm.loss - cold.loss).abs() < 1e-12);
    /// # Ok::<(), agglio::Error>(())
    /// ```
    pub fn resume(&self, model: &Model, rows: &dyn Rows) -> Result<Fitted> {
        self.resuming(model, None)?.fit(rows)
    }

    /// The same plan from the coefficients of a model, as [`Plan::resume`] fits it: for [`Plan::fit_observed`] and
    /// [`Plan::fit_shards`]. `names` are those of the covariates of the rows; without them the order is that of the model.
    ///
    /// # Errors
    /// If the covariates have other names than those of the model, if the model has another activation, response scale, loss or
    /// intercept, if the solver does not begin at a point, or if the fit has a checkpoint, which holds a start already.
    pub fn resuming(&self, model: &Model, names: Option<&[String]>) -> Result<Plan> {
        self.require_start()?;
        self.require_like(model)?;
        let coefficients = match names {
            None => model.coefficients().to_vec(),
            Some(names) => {
                let known = model.names().into_iter().zip(model.coefficients().iter().copied()).collect();
                Coefficients { intercept: 0.0, coefficients: known }.in_order(names, Path::new("the model"))?
            }
        };
        let start = Start::At { coefficients, intercept: model.intercept() };
        let spec = Spec { start: Some(start.clone()), ..self.spec.clone() };
        let rules = Rules { start, is_warm: true, ..self.rules.clone() };
        Ok(Plan { spec, rules, ..self.clone() })
    }

    /// Refuses a plan that does not begin at a point, or begins at another one.
    fn require_start(&self) -> Result<()> {
        let solver = self.rules.solver;
        let reason = match solver.refusal("init") {
            Some(reason) => reason,
            None if self.rules.settings.tau_max == 0.0 => "at a last temperature of 0 the fit has no start",
            None if self.is_saved() => "a fit with a checkpoint begins where that says; leave the checkpoint out",
            None if self.spec.start.is_some() => "the plan has a start already; leave `init` out",
            None => return Ok(()),
        };
        Err(refused(format!("solver `{solver}`"), reason.to_owned()))
    }

    /// Refuses a model of another problem.
    fn require_like(&self, model: &Model) -> Result<()> {
        let activation = self.activation.name();
        let has_free_scale = self.spec.has_free_response();
        let (offset, scale) = self.response.user((0.0, 1.0));
        let own = model.affine();
        let reason = if canonical(model.activation()) != canonical(&activation) {
            format!("the model has the activation `{}`", model.activation())
        } else if model.criterion() != self.spec.loss() {
            "the model was fitted by another loss".to_owned()
        } else if !has_free_scale && (own.offset, own.scale) != (offset, scale) {
            format!("the response of the model has offset {} and scale {}", own.offset, own.scale)
        } else if !self.intercept && model.intercept() != 0.0 {
            "the model has an intercept".to_owned()
        } else {
            return Ok(());
        };
        Err(refused(format!("a plan with activation `{activation}`"), reason))
    }
}

fn refused(one: String, reason: String) -> Error {
    ErrorKind::Incompatible { one, other: "the start at this model".to_owned(), reason }.into()
}
