//! A *fitted* problem: the rows, the oracle over them and the result of a fit, kept together.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use crate::certificate::Certificate;
use crate::error::{Error, Result};
use crate::fit::Outcome;
use crate::inference::{Available, Covariance, EndPoint, Inference, Intervals, plain_table};
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
    pub(crate) fn new(driver: Driver, outcome: Outcome, report: Report) -> Fitted {
        let labels = driver.labels();
        Fitted { driver, outcome, report, labels, restricted: false, checkpoints: 0, checkpoint_fault: None }
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
        let ask = Ask::Projection { theta: Cow::Borrowed(&self.outcome.theta), directions: Cow::Borrowed(&[]) };
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

    /// The model for a file, with these names of the covariates and of the response, without an offset.
    ///
    /// # Errors
    /// As [`Model::new`].
    pub fn model(&self, target: &str, names: &[String]) -> Result<Model> {
        let (activation, solver) = (self.report.activation.clone(), self.report.solver.name());
        let origin = Origin { activation: &activation, solver, target, offset: None, columns: None, names };
        Model::new(&self.report, &origin)
    }
}

/// The table of coefficients with classical standard errors, or with the reason why there are none, and statistics of the fit.
/// Covariates are called x1, x2 and so on.
impl fmt::Display for Fitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = &self.report;
        let names: Vec<String> = (1..=report.coefficients.len()).map(|j| format!("x{j}")).collect();
        let summary = self.inference(Covariance::Classical).and_then(|found| {
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
