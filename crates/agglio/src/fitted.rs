//! A *fitted* problem: the rows, the oracle over them and the result of a fit, kept together.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::activation::Activation;
use crate::certificate::Certificate;
use crate::error::{Error, Result};
use crate::fit::Outcome;
use crate::inference::{Available, Covariance, EndPoint, Inference, Interval, Intervals, plain_table};
use crate::math::linalg::Symmetric;
use crate::model::{Centre, Model, Origin};
use crate::oracle::{Ask, Batch, Driver, LabelChoice, Oracle, Problem, Query};
use crate::report::Report;
use crate::rows::Rows;

/// The result of a fit, with its rows and its oracle.
///
/// It dereferences to its [`Report`]. The rows are shared, not copied; [`Fitted::into_report`] releases them.
#[derive(Debug)]
pub struct Fitted {
    driver: Driver,
    /// φ as the user gave it.
    activation: Arc<dyn Activation>,
    outcome: Outcome,
    report: Report,
    /// The graduated labels of the fit.
    labels: LabelChoice,
    /// Whether the coefficients were restricted to a ball.
    restricted: bool,
    checkpoints: usize,
    checkpoint_fault: Option<Error>,
}

impl Fitted {
    pub(crate) fn new(driver: Driver, activation: Arc<dyn Activation>, outcome: Outcome, report: Report) -> Fitted {
        let labels = driver.labels();
        Fitted {
            driver,
            activation,
            outcome,
            report,
            labels,
            restricted: false,
            checkpoints: 0,
            checkpoint_fault: None,
        }
    }

    /// Sets the graduated labels of the fit, and whether the coefficients were restricted to a ball.
    pub(crate) fn ended_with(self, labels: LabelChoice, restricted: bool) -> Fitted {
        Fitted { labels, restricted, ..self }
    }

    pub(crate) fn with_checkpoints(self, checkpoints: usize, checkpoint_fault: Option<Error>) -> Fitted {
        Fitted { checkpoints, checkpoint_fault, ..self }
    }

    /// Number of checkpoints that were written.
    pub fn checkpoints(&self) -> usize {
        self.checkpoints
    }

    /// Why the last checkpoint could not be written, if it could not. The fit went on.
    pub fn checkpoint_fault(&self) -> Option<&Error> {
        self.checkpoint_fault.as_ref()
    }

    /// Coefficients in the user's units, losses and counts.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The report alone; the rows are released.
    pub fn into_report(self) -> Report {
        self.report
    }

    /// The tests at the end point, and their results.
    pub fn certificate(&self) -> &Certificate {
        &self.report.certificate
    }

    /// The oracle over the rows of the fit.
    pub fn oracle(&self) -> &dyn Oracle {
        &self.driver
    }

    /// The end point of the loop, in the solver's coordinates.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// `V = B⁻¹·M·B⁻¹`
    ///
    /// Standard errors, intervals and tests, or the reason why there are none. It takes one pass over the rows, or two for
    /// hc2 and hc3; inside [`Plan::install`](crate::Plan::install) it runs on the threads of a fit.
    ///
    /// # Errors
    /// If rows are lost or cannot be read.
    ///
    /// ```
    /// use agglio::{Options, activation::named, inference::Covariance, rows::Dense};
    ///
    /// let dose = vec![0.0, 1.0, 2.0, 3.0, 4.0];
    /// let rows = Dense::new(dose, 1, vec![0.05, 0.11, 0.31, 0.49, 0.78])?;
    /// let fitted = Options::new(named("sigmoid")?).build()?.fit(&rows)?;
    /// match fitted.inference(Covariance::Classical)? {
    ///     Ok(inference) => assert_eq!(inference.confidence_intervals(0.95)?.len(), 2),
    ///     Err(reason) => println!("{reason}"),
    /// }
    /// # Ok::<(), agglio::Error>(())
    /// ```
    pub fn inference(&self, kind: Covariance) -> Result<Available<Inference<'_>>> {
        let end = EndPoint {
            outcome: &self.outcome,
            labels: self.labels,
            certified: self.report.certificate.certified(),
            restricted: self.restricted,
        };
        Inference::new(&self.driver, end, kind)
    }

    /// The covariance of coefficients, intercept and free response scale, of the [usual kind](Covariance::usual), or the reason
    /// why there is none. It takes one pass over the rows; for several results ask [`Fitted::inference`] once.
    ///
    /// # Errors
    /// As [`Fitted::inference`].
    ///
    /// ```
    /// use agglio::{Options, activation::named, rows::Dense};
    ///
    /// let rows = Dense::new(vec![0.0, 1.0, 2.0, 3.0, 4.0], 1, vec![0.05, 0.11, 0.31, 0.49, 0.78])?;
    /// let fitted = Options::new(named("sigmoid")?).build()?.fit(&rows)?;
    /// let covariance = fitted.covariance()??;
    /// assert_eq!(covariance.order(), 2);
    /// assert!(covariance.at(1, 0) < 0.0);
    /// # Ok::<(), agglio::Error>(())
    /// ```
    pub fn covariance(&self) -> Result<Available<Symmetric>> {
        Ok(self.usual_inference()?.map(|inference| inference.covariance()))
    }

    /// `β ± t_{(1 + level)/2}·standard error`
    ///
    /// Wald's confidence intervals of coefficients, intercept and free response scale, with standard errors of the
    /// [usual kind](Covariance::usual), or the reason why there are none. None for the coefficient of a constant column.
    ///
    /// # Errors
    /// If the level is not between 0 and 1, and as [`Fitted::inference`].
    ///
    /// ```
    /// use agglio::{Options, activation::named, rows::Dense};
    ///
    /// let rows = Dense::new(vec![0.0, 1.0, 2.0, 3.0, 4.0], 1, vec![0.05, 0.11, 0.31, 0.49, 0.78])?;
    /// let fitted = Options::new(named("sigmoid")?).build()?.fit(&rows)?;
    /// let slope = fitted.confidence_intervals(0.95)??[0].expect("the dose is not constant");
    /// assert!(slope.lower < Some(fitted.coefficients[0]) && Some(fitted.coefficients[0]) < slope.upper);
    /// # Ok::<(), agglio::Error>(())
    /// ```
    pub fn confidence_intervals(&self, level: f64) -> Result<Available<Vec<Option<Interval>>>> {
        match self.usual_inference()? {
            Ok(inference) => inference.confidence_intervals(level).map(Ok),
            Err(reason) => Ok(Err(reason)),
        }
    }

    fn usual_inference(&self) -> Result<Available<Inference<'_>>> {
        self.inference(Covariance::usual(self.report.criterion))
    }

    /// Predicts the responses of further rows, which have the covariates of the fit in the same order. Their labels are
    /// not used.
    ///
    /// # Errors
    /// If they have another number of covariates.
    ///
    /// ```
    /// use agglio::{Options, activation::named, model::Centre, rows::Dense};
    ///
    /// let dose = vec![0.0, 1.0, 2.0, 3.0, 4.0];
    /// let rows = Dense::new(dose, 1, vec![0.05, 0.11, 0.31, 0.49, 0.78])?;
    /// let fitted = Options::new(named("sigmoid")?).build()?.fit(&rows)?;
    /// let predictions = fitted.predict(&rows, Centre::Mean)?;
    /// assert!((predictions[2] - 0.31).abs() < 0.05);
    /// # Ok::<(), agglio::Error>(())
    /// ```
    pub fn predict(&self, rows: &dyn Rows, centre: Centre) -> Result<Vec<f64>> {
        let facts = self.driver.facts();
        if rows.width() != facts.layout.coefficients {
            let (given, fitted) = (rows.width(), facts.layout.coefficients);
            return Err(Error::data(format!("the rows have {given} covariates, but the fit had {fitted}")));
        }
        let activation = self.driver.activation();
        let problem = Problem {
            intercept: facts.layout.intercept,
            coordinates: Some(facts.coordinates.clone()),
            ..Problem::new(activation.clone())
        };
        let ask = Ask::Projection {
            theta: Cow::Borrowed(&self.outcome.theta),
            directions: Cow::Borrowed(&[]),
            limits: false,
        };
        let projection = problem.on(rows)?.ask(&Query::new(Batch::All, ask))?.projection()?;
        let mut predictions = vec![0.0; rows.len()];
        match self.report.sigma.filter(|_| centre == Centre::Mean) {
            Some(sigma) => activation.average(sigma, projection.at(), &mut predictions),
            None => activation.respond(projection.at(), &mut predictions),
        }
        if let Some(response) = &facts.response {
            let (offset, scale) = response.user(facts.layout.response(&self.outcome.theta));
            predictions.iter_mut().for_each(|value| *value = offset + scale * *value);
        }
        Ok(predictions)
    }

    /// The model for a file, with these names of the covariates and of the response. Its offset, if the rows have one, is called
    /// `offset`. The activation may be your own: [`Model::load_with`] loads such a file. It keeps the covariance of the
    /// [usual kind](Covariance::usual) if there is one; [`Model::with_inference`] puts another in its place.
    ///
    /// # Errors
    /// If names are missing, duplicate or too long for a file, or if rows are lost.
    pub fn model(&self, target: &str, names: &[String]) -> Result<Model> {
        let (activation, solver) = (self.activation.name(), self.report.solver.name());
        let offset = self.driver.has_offsets().then_some("offset");
        let origin = Origin { activation: &activation, solver, target, offset, columns: None, names };
        let model = Model::with_activation(&self.report, &origin, self.activation.clone())?;
        match self.usual_inference()? {
            Ok(inference) => model.with_inference(inference.summary(names, 0.95, Intervals::Wald)?),
            Err(_) => Ok(model),
        }
    }
}

/// The model of a fit. Covariates are called x1, x2 and so on, and the response y; [`Fitted::model`] takes other names.
///
/// ```
/// use agglio::{Options, activation::named, model::Model, rows::Dense};
///
/// let rows = Dense::new(vec![0.0, 1.0, 2.0, 3.0, 4.0], 1, vec![0.05, 0.11, 0.31, 0.49, 0.78])?;
/// let fitted = Options::new(named("sigmoid")?).build()?.fit(&rows)?;
/// let model = Model::try_from(&fitted)?;
/// assert_eq!(model.names(), ["x1"]);
/// assert!(model.inference().is_some());
/// # Ok::<(), agglio::Error>(())
/// ```
impl TryFrom<&Fitted> for Model {
    type Error = Error;

    fn try_from(fitted: &Fitted) -> Result<Model> {
        fitted.model("y", &fitted.names())
    }
}

/// The table of coefficients with standard errors of the [usual kind](Covariance::usual), or with the reason why there are none, and statistics of the fit.
/// Covariates are called x1, x2 and so on.
impl fmt::Display for Fitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = &self.report;
        let names = self.names();
        let summary = self.usual_inference().and_then(|found| {
            found
                .map(|inference| inference.summary(&names, 0.95, Intervals::Wald))
                .map_or_else(|why| Ok(Err(why)), |own| own.map(Ok))
        });
        let (table, lines) = match summary {
            Ok(Ok(summary)) => (summary.table(), summary.statistics(report.tau == 0.0)),
            Ok(Err(reason)) => (self.plain_table(&names), vec![("std. errors", format!("none: {reason}"))]),
            Err(why) => (self.plain_table(&names), vec![("std. errors", format!("none: {why}"))]),
        };
        let status = ("status", report.status().to_string());
        let verdict = ("verdict", report.verdict_on("the response"));
        let rows = ("observations", report.rows.to_string());
        writeln!(f, "{table}")?;
        for (name, value) in [rows].into_iter().chain(lines).chain([status, verdict]) {
            write!(f, "\n{name:<14}  {value}")?;
        }
        Ok(())
    }
}

impl Fitted {
    /// Names for covariates that have none.
    fn names(&self) -> Vec<String> {
        (1..=self.report.coefficients.len()).map(|j| format!("x{j}")).collect()
    }

    fn plain_table(&self, names: &[String]) -> String {
        let intercept = Some(self.report.intercept).filter(|_| self.driver.facts().layout.intercept);
        plain_table(names, &self.report.coefficients, intercept)
    }
}

impl Deref for Fitted {
    type Target = Report;

    fn deref(&self) -> &Report {
        &self.report
    }
}
