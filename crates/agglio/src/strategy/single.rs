//! The *single* strategy, one run of the loop from one start, and the way into all of them: from rows to a report.

use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::error::{ErrorKind, Result};
use crate::fit::Stop;
use crate::fit::{Observer, Silent};
use crate::fit::{Outcome, fit};
use crate::fitted::Fitted;
use crate::math::tree::install;
use crate::oracle::{
    Batch, Driver, LEAF, LabelChoice, MARGIN, MARGINS, Oracle, OracleClient, Problem, Query, Shard, Shards, Want,
};
use crate::outcome::Noise;
use crate::outcome::Status;
use crate::outcome::StopReason;
use crate::report::Report;
use crate::rows::{Coordinates, Rows};
use crate::solver::{Method, Solver};
use crate::strategy::constant;
use crate::strategy::race::Kept;
use crate::strategy::{Ended, Found, Plan, Reached, unbiased};

impl Plan {
    /// Fits the rows.
    ///
    /// A fit that does not converge is not an error: the report says so.
    ///
    /// # Errors
    /// If the data cannot be fitted by this plan.
    pub fn fit(&self, rows: &dyn Rows) -> Result<Fitted> {
        self.fit_observed(rows, &mut Silent)
    }

    /// Bytes that a fit of a table of this size takes beside what grows with its rows alone: the curvature, where it is
    /// formed, in as many copies as are in use at once.
    pub fn memory(&self, rows: usize, columns: usize) -> u64 {
        let dim = columns + usize::from(self.intercept);
        if !self.solver.forms_curvature(dim) {
            return 0;
        }
        // partial sums wait at each level of the tree that leaves merge in; then the matrix, its factors, its eigenvectors
        let copies = u64::from(usize::BITS - rows.div_ceil(LEAF).leading_zeros()) + 6;
        copies.saturating_mul((dim as u64).saturating_pow(2)).saturating_mul(8)
    }

    /// The length of the first step that the solver takes on these rows where none is given: 1/Λ, or α of Adam, Yogi and
    /// NGD. None for a solver that has no length to set, or searches for it. Takes some 25 passes over the rows.
    ///
    /// # Errors
    /// If the data cannot be fitted by this plan.
    pub fn default_step(&self, rows: &dyn Rows) -> Result<Option<f64>> {
        self.install(rows.len(), || {
            let driver = self.oracle(rows)?;
            let oracle = OracleClient::new(&driver, self.labels());
            self.solver.default_step(&self.settings, &oracle, &self.begin(&oracle)?)
        })?
    }

    /// As [`Plan::fit`], with an observer that hears of every step and may end the fit.
    ///
    /// # Errors
    /// As [`Plan::fit`].
    pub fn fit_observed(&self, rows: &dyn Rows, observer: &mut dyn Observer) -> Result<Fitted> {
        self.install(rows.len(), || self.fit_shards(Box::new(Shard::new(rows.share())), observer))?
    }

    /// Runs `work` on the threads that a fit of so many rows has: the calling one for few rows, where one thread is asked
    /// for, and where it is one of a pool already; else a pool of those that are asked for. So a table can be made on them
    /// too.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn install<T: Send>(&self, rows: usize, work: impl FnOnce() -> T + Send) -> Result<T> {
        if rows <= LEAF {
            return Ok(work());
        }
        // all of the work runs inside the pool, so that a step does not pay for waking it
        install(self.threads, work)
    }

    /// Fits rows that are held elsewhere, or in several places.
    ///
    /// # Errors
    /// As [`Plan::fit`], and if rows are lost.
    pub fn fit_shards(&self, shards: Box<dyn Shards>, observer: &mut dyn Observer) -> Result<Fitted> {
        let driver = self.driver(shards)?.with_interrupt(self.interrupt.clone());
        let (found, report) = {
            let oracle = OracleClient::new(&driver, self.labels());
            let mut found = self.find(&oracle, observer)?;
            let report = self.report(&oracle, &mut found)?;
            (found, report)
        };
        Ok(Fitted::new(driver, found.outcome, report))
    }

    /// Number of threads, where it was asked for.
    pub(crate) fn threads(&self) -> Option<usize> {
        self.threads
    }

    /// Most stages.
    pub(crate) fn epochs(&self) -> usize {
        self.epochs
    }

    /// Whether somebody has raised the flag that ends fits.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Fits rows by plans that run beside each other, the oracle being that of the first, without a word on the points that
    /// are reached, for whoever only compares. Of a plan whose interrupt came nothing is heard.
    pub(crate) fn reach(plans: &[Plan], driver: Driver, ended: Ended<'_>) -> Result<()> {
        match plans {
            [alone] if !alone.solver.asks_once() => alone.reach_alone(driver, ended),
            _ => Plan::lockstep(plans, &driver, &mut |oracle, place, reached| match reached.outcome.reason {
                StopReason::Interrupted => Ok(()),
                _ => ended(oracle, place, reached),
            }),
        }
    }

    fn reach_alone(&self, driver: Driver, ended: Ended<'_>) -> Result<()> {
        let (driver, begun) = (driver.with_interrupt(self.interrupt.clone()), Instant::now());
        let oracle = OracleClient::new(&driver, self.labels());
        let found = self.find(&oracle, &mut Silent)?;
        // which may have left it unfinished, whatever it says of its end
        if !self.is_interrupted() {
            let reached = self.reached(&oracle, found, oracle.visited(), begun.elapsed().as_secs_f64())?;
            ended(&oracle, 0, reached)?;
        }
        Ok(())
    }

    /// What is told of a point that was found, for which so many rows were visited in such a time.
    pub(super) fn reached(&self, oracle: &dyn Oracle, found: Found, visited: u64, seconds: f64) -> Result<Reached> {
        let sigma = self.sigma(oracle, &found)?;
        Ok(Reached { outcome: found.outcome, sigma, visited, seconds })
    }

    /// Standard deviation of noise before φ, where the fit ends at τ = 0, by degrees of freedom.
    fn sigma(&self, oracle: &dyn Oracle, found: &Found) -> Result<Option<f64>> {
        let residual = match found.sigma {
            None if self.settings.tau_max == 0.0 => Some(oracle.rms_preimage_error(&found.outcome.theta)?),
            known => known,
        };
        Ok(residual.map(|residual| unbiased(residual, oracle, Batch::All)))
    }

    /// Makes the runs of the loop that the solver stands for, and keeps one.
    fn find(&self, oracle: &dyn Oracle, observer: &mut dyn Observer) -> Result<Found> {
        Ok(match self.solver {
            Solver::Auto => self.auto(oracle, observer)?,
            Solver::Multistart => {
                let Kept { outcome, agreed, lower_at_infinity } = self.multistart(oracle, observer)?;
                Found { restarts: Some(agreed), lower_at_infinity, ..Found::new(outcome, oracle.labels()) }
            }
            Solver::Irls => Found::new(self.irls(oracle, observer)?, oracle.labels()),
            Solver::Linear => self.linear(oracle)?,
            _ => Found::new(self.single(oracle, observer)?, oracle.labels()),
        })
    }

    /// One run of the loop from the start that was asked for.
    pub(super) fn single(&self, oracle: &dyn Oracle, observer: &mut dyn Observer) -> Result<Outcome> {
        self.single_from(self.begin(oracle)?, oracle, observer)
    }

    /// The start that was asked for, in the oracle's units.
    pub(super) fn begin(&self, oracle: &dyn Oracle) -> Result<Vec<f64>> {
        self.start.theta(&oracle.facts().coordinates, oracle.facts().layout.coefficients, self.settings.seed)
    }

    /// One run of the loop from another start.
    pub(super) fn single_from(
        &self,
        start: Vec<f64>,
        oracle: &dyn Oracle,
        observer: &mut dyn Observer,
    ) -> Result<Outcome> {
        let (method, stop) = self.method(oracle, &start)?;
        let outcome = fit(oracle, method, start.clone(), stop, observer)?;
        self.judge(oracle, &start, outcome)
    }

    /// The solver's parts, and when they are to stop.
    pub(super) fn method(&self, oracle: &dyn Oracle, start: &[f64]) -> Result<(Method, Stop)> {
        let stages = self.solver.stages(&self.settings, self.epochs);
        let method = match &self.theory {
            Some(course) => course.method(oracle, stages, self.settings.batch, self.settings.seed)?,
            None => self.solver.method(&self.settings, oracle, start)?,
        };
        let stop = Stop::new(self.tolerance, stages).patience(self.solver.patience());
        Ok((method, if self.solver.converges_linearly() { stop.beyond_tolerance() } else { stop }))
    }

    /// Says of steps whose length was asked for whether they led uphill, and of those that the theory plans whether they led out
    /// of the numbers.
    pub(super) fn judge(&self, oracle: &dyn Oracle, start: &[f64], outcome: Outcome) -> Result<Outcome> {
        let overshot = self.settings.eta.is_some() && led_away(oracle, start, &outcome)?;
        let reason = match outcome.reason {
            _ if overshot => StopReason::Overshot,
            StopReason::NotFinite if self.theory.is_some() => StopReason::Planned,
            reason => reason,
        };
        Ok(Outcome { reason, ..outcome })
    }

    fn report(&self, oracle: &dyn Oracle, found: &mut Found) -> Result<Report> {
        if oracle.is_interrupted() {
            (found.outcome.reason, found.certificate) = (StopReason::Interrupted, None);
        }
        found.certificate(oracle)?;
        found.take_least_norm(oracle)?;
        let mut certificate = found.certificate(oracle)?;
        let sigma = self.sigma(oracle, found)?;
        certificate.restarts = found.restarts;
        certificate.hessian = None;
        certificate.lower_at_infinity = found.lower_at_infinity;
        certificate.linear_loss = found.linear_loss;
        let outcome = &found.outcome;
        let loss = match outcome.tau == 1.0 {
            true => outcome.model.unpenalised,
            false => oracle.prediction_loss(&outcome.theta, None)?,
        };
        let prediction_loss = match sigma {
            None => loss,
            Some(_) => oracle.prediction_loss(&outcome.theta, sigma)?,
        };
        let facts = oracle.facts();
        let (coefficients, intercept) = facts.coordinates.to_user(&outcome.theta);
        require_coefficients(&facts.coordinates, &outcome.theta, &coefficients)?;
        // noise before φ may have an optimum at which φ itself overflows
        if !loss.is_finite() && certificate.status != Status::Interrupted {
            certificate.status = Status::Diverging;
        }
        let dead_columns = facts.coordinates.dead_columns();
        Ok(Report {
            coefficients,
            intercept,
            loss,
            prediction_loss,
            path_loss: outcome.model.loss,
            log_likelihoods: found.log_likelihoods,
            likelier: found.likelier,
            objection: found.objection,
            sigma,
            tau: outcome.tau,
            cut_short: outcome.reason == StopReason::Limit && sigma.is_none() && outcome.tau < self.settings.tau_max,
            solver: self.solver,
            noise: if sigma.is_some() { Noise::Pre } else { Noise::Post },
            reason: outcome.reason,
            certificate,
            rows: oracle.rows(),
            parameters: facts.parameters(),
            steps: outcome.steps,
            passes: oracle.visited() as f64 / oracle.rows() as f64,
            dead_columns,
            coarse_columns: oracle.facts().coordinates.coarse_columns(),
            labels_without_preimage: oracle.facts().preimages.without_preimage,
            labels_with_two_preimages: oracle.facts().preimages.with_two_preimages,
            label_bounds: facts.label_bounds,
            activation: self.activation.name(),
            activation_range: oracle.facts().activation.range,
        })
    }

    /// The problem that this plan solves.
    pub(crate) fn problem(&self) -> Problem {
        // at τ = 0 a clipped label would never be put right, and the theorems are for labels as they are
        let linear = self.is_linear();
        let between = !linear && self.settings.tau_max < 1.0;
        let margins = match (linear, self.solver) {
            (true, _) => vec![0.0],
            (false, Solver::Auto) if !between => MARGINS.to_vec(),
            (false, _) => vec![MARGIN],
        };
        Problem {
            scaling: self.scaling,
            intercept: self.intercept,
            margins,
            tau_max: between.then_some(self.settings.tau_max),
            l2: self.l2,
            ..Problem::new(self.activation.clone())
        }
    }

    /// Whether the fit ends, or begins, at φ⁻¹(y), so that every label must have a preimage.
    fn is_linear(&self) -> bool {
        self.settings.tau_max == 0.0 || matches!(self.solver, Solver::Linear | Solver::Theory)
    }

    /// The rows as this plan sees them, without its interrupt.
    ///
    /// # Errors
    /// If they cannot be fitted by it.
    pub(crate) fn oracle(&self, rows: &dyn Rows) -> Result<Driver> {
        self.driver(Box::new(Shard::new(rows.share())))
    }

    fn driver(&self, shards: Box<dyn Shards>) -> Result<Driver> {
        let mut driver = Driver::new(shards, &self.problem())?;
        if !driver.facts().baseline.is_exact {
            let baseline = constant::improve(&driver)?;
            driver = driver.with_baseline(baseline);
        }
        if self.is_linear() {
            driver.facts().require_preimages(&self.activation.name())?;
        }
        Ok(driver)
    }

    /// The graduated labels that a run begins with.
    pub(super) fn labels(&self) -> LabelChoice {
        LabelChoice { branch: self.branch, ..LabelChoice::default() }
    }
}

/// Whether a fit ended above where it began, or beyond what is finite.
fn led_away(oracle: &dyn Oracle, start: &[f64], outcome: &Outcome) -> Result<bool> {
    let query = Query::at(start, outcome.tau, Batch::All, Want::Loss);
    let loss = match outcome.reason {
        StopReason::NotFinite | StopReason::Plateau | StopReason::Limit => oracle.ask(&query)?.value()?.loss,
        _ => return Ok(false),
    };
    Ok(match outcome.reason {
        StopReason::NotFinite => loss.is_finite(),
        _ => outcome.model.loss > loss * (1.0 + 1e-9),
    })
}

/// A column so small that its coefficient is no number, or so large that its coefficient is zero or has lost its digits.
fn require_coefficients(coordinates: &Coordinates, theta: &[f64], coefficients: &[f64]) -> Result<()> {
    let refused = |index: usize, what: &str| Err(ErrorKind::Feature { index, what: what.into() }.into());
    if let Some(index) = coefficients.iter().position(|w| !w.is_finite()) {
        return refused(index, "its values are so small that its coefficient overflows; multiply it by a constant");
    }
    match coordinates.underflown(theta, coefficients) {
        None => Ok(()),
        Some(index) => {
            refused(index, "its values are so large that its coefficient underflows; divide it by a constant")
        }
    }
}
