//! A *plan* is a spec that has been checked, with every default filled in: how to fit, whatever the rows.

mod proof;
mod report;
mod resume;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rayon::ThreadPool;

use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::fit::{Observer, Silent};
use crate::fitted::Fitted;
use crate::math::tree;
use crate::oracle::{
    Driver, Facts, FreeResponse, LEAF, LabelChoice, MARGIN, MARGINS, Oracle, PreimageBranch, Problem, Shard, Shards,
};
use crate::race::{self, Checkpoint, CheckpointFile, Found, Journal, Rules, Runs, Saved};
use crate::report::{Report, Scale};
use crate::rows::{Rows, Scaling};
use crate::solver::Solver;
use crate::solver::preset::Settings;
use crate::spec::{Options, Pair, Response, Restarts, Spec};

/// Options that have been checked.
#[derive(Clone, Debug)]
pub struct Plan {
    spec: Spec,
    /// φ as the user gave it.
    activation: Arc<dyn Activation>,
    /// The scale of the response, with the activation that a fit sees.
    response: Response,
    intercept: bool,
    scaling: Scaling,
    branch: PreimageBranch,
    l2: f64,
    threads: Option<usize>,
    interrupt: Arc<AtomicBool>,
    /// Where checkpoints go, and how often.
    checkpoint: Option<(PathBuf, Option<Duration>)>,
    /// The checkpoint that a fit continues.
    resumed: Option<(PathBuf, Arc<Checkpoint>)>,
    /// Which runs of the loop to make.
    rules: Rules,
    /// Whether solver `auto` proves small fits without being asked.
    proves_by_itself: bool,
}

impl Options {
    /// Checks everything that can be checked without data.
    ///
    /// # Errors
    /// For a number outside its range, for choices that do not go together, naming both, and for a checkpoint that cannot be
    /// read or is of a fit with other options.
    pub fn build(self) -> Result<Plan> {
        self.check()?;
        let (theory, spec) = (self.course()?, self.spec);
        let load = |path: PathBuf| {
            let checkpoint = Checkpoint::load(&path)?;
            checkpoint.require_spec(&spec, &self.activation.name()).map_err(|why| Error::file(&path, why))?;
            Ok::<_, Error>((path, Arc::new(checkpoint)))
        };
        let resumed = self.resume.map(load).transpose()?;
        Ok(Plan {
            rules: Rules {
                solver: spec.solver(),
                settings: settings(&spec),
                theory,
                // an explicit cap says where to end
                noise: spec.noise.filter(|_| spec.tau_max.is_none()).unwrap_or_default(),
                compares: spec.compares(),
                epochs: spec.epochs(),
                tolerance: spec.tolerance.unwrap_or(1e-10),
                start: spec.start.clone().unwrap_or_default(),
                is_warm: false,
                restarts: spec.restarts.unwrap_or(Restarts::Count(0)),
            },
            response: spec.response(&self.activation)?,
            activation: self.activation,
            branch: spec.branch.unwrap_or_default(),
            intercept: spec.intercept.unwrap_or(true),
            scaling: spec.scaling(),
            l2: spec.l2.unwrap_or(0.0),
            threads: spec.threads,
            interrupt: self.interrupt,
            checkpoint: self.checkpoint.map(|path| (path, self.checkpoint_every)),
            resumed,
            spec,
            proves_by_itself: true,
        })
    }
}

impl Plan {
    /// The options that were given.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Fits the rows.
    ///
    /// A fit that does not converge is not an error: the report says so.
    ///
    /// # Errors
    /// If the data cannot be fitted by this plan.
    pub fn fit(&self, rows: &dyn Rows) -> Result<Fitted> {
        self.fit_shards(Box::new(Shard::new(rows.share())), &mut Silent)
    }

    /// Bytes that the curvature of a fit takes, if it is formed, in all copies that are in use at once. Memory that grows only
    /// with the rows is not included.
    pub fn memory(&self, rows: usize, columns: usize) -> u64 {
        let FreeResponse { offset, scale, .. } = self.response.free;
        let dim = columns + [self.intercept, offset, scale].into_iter().map(usize::from).sum::<usize>();
        if !self.rules.solver.forms_curvature(dim) {
            return 0;
        }
        // partial sums wait at each level of the tree that leaves merge in; then the matrix, its factors, its eigenvectors
        let copies = u64::from(usize::BITS - rows.div_ceil(LEAF).leading_zeros()) + 6;
        copies.saturating_mul((dim as u64).saturating_pow(2)).saturating_mul(8)
    }

    /// The learning rate of the solver on these rows if none is given: 1/Λ, or α of Adam, Yogi and NGD. None for a solver that
    /// takes none, or searches for it. Takes about 25 passes over the rows.
    ///
    /// # Errors
    /// If the data cannot be fitted by this plan.
    pub fn default_step(&self, rows: &dyn Rows) -> Result<Option<f64>> {
        self.install(rows.len(), || {
            let driver = self.oracle(rows)?;
            self.rules.solver.default_step(&self.rules.settings, &driver, &self.rules.begin(&driver)?)
        })?
    }

    /// As [`Plan::fit`], with an observer that hears of every step and may end the fit.
    ///
    /// # Errors
    /// As [`Plan::fit`].
    pub fn fit_observed(&self, rows: &dyn Rows, observer: &mut dyn Observer) -> Result<Fitted> {
        self.fit_shards(Box::new(Shard::new(rows.share())), observer)
    }

    /// Runs `work` on the thread pool that a fit of `rows` rows would use. At most 1024 rows, `threads(1)` and calls from
    /// inside a rayon pool stay on the calling thread. A table can be made on the same threads.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn install<T: Send>(&self, rows: usize, work: impl FnOnce() -> T + Send) -> Result<T> {
        Ok(match self.pool(rows)? {
            Some(pool) => pool.install(work),
            None => work(),
        })
    }

    /// The thread pool of a fit of `rows` rows, if it is not the calling thread.
    fn pool(&self, rows: usize) -> Result<Option<ThreadPool>> {
        if rows <= LEAF { Ok(None) } else { tree::pool(self.threads) }
    }

    /// Fits rows that are held elsewhere, or in several places.
    ///
    /// # Errors
    /// As [`Plan::fit`], and if rows are lost.
    pub fn fit_shards(&self, mut shards: Box<dyn Shards>, observer: &mut dyn Observer) -> Result<Fitted> {
        let is_streamed = shards.is_streamed();
        if is_streamed {
            Spec { stream: Some(true), ..self.spec.clone() }.check_stream()?;
        }
        let pool = self.pool(shards.rows_here())?;
        shards.heed(&self.interrupt);
        let fit = || {
            let driver = self.driver(shards)?.with_interrupt(self.interrupt.clone());
            let mut runs = Runs::new(observer).with_journal(self.journal(&driver)?);
            let (found, report) = match self.find(&driver, &mut runs) {
                Ok(found) => found,
                Err(why) => {
                    // the rows of a stream may be there again tomorrow
                    runs.into_journal().filter(|_| is_streamed).into_iter().for_each(Journal::save_loss);
                    return Err(why);
                }
            };
            let Saved { written, fault } = runs.into_journal().map(Journal::into_saved).unwrap_or_default();
            let restricted = self.rules.settings.radius.is_some();
            let fitted = Fitted::new(driver, self.activation.clone(), found.outcome, report)
                .ended_with(found.labels, restricted);
            Ok(fitted.with_checkpoints(written, fault))
        };
        // all of the work runs inside the pool, so that a step does not pay for waking it
        match pool {
            Some(pool) => pool.install(fit),
            None => fit(),
        }
    }

    /// Makes the runs, and reports the one that is kept.
    fn find(&self, driver: &Driver, runs: &mut Runs<'_>) -> Result<(Found, Report)> {
        let mut found = self.rules.find(driver, runs)?;
        let proof = self.prove(driver, &mut found, runs)?;
        let report = Report { proof, ..self.report(driver, &mut found)? };
        Ok((found, report))
    }

    /// The journal of a fit that is saved or resumed.
    fn journal(&self, oracle: &dyn Oracle) -> Result<Option<Journal>> {
        if self.checkpoint.is_none() && self.resumed.is_none() {
            return Ok(None);
        }
        let checkpoint = match &self.resumed {
            Some((path, checkpoint)) => {
                checkpoint.require_rows(oracle).map_err(|why| Error::file(path, why))?;
                Checkpoint::clone(checkpoint)
            }
            None => Checkpoint::new(&self.spec, &self.activation.name(), oracle)?,
        };
        let file = self.checkpoint.clone().map(|(path, every)| CheckpointFile::new(path, every)).transpose()?;
        Ok(Some(Journal::new(checkpoint, file)))
    }

    /// The plan of least squares on other entries of the response scale, with or without an intercept.
    ///
    /// # Errors
    /// If the data can never identify what is free.
    pub(crate) fn with_response(&self, range: Option<Pair>, affine: Option<Pair>, intercept: bool) -> Result<Plan> {
        let spec = Spec { range, affine, intercept: Some(intercept), ..self.spec.clone() };
        let response = spec.response(&self.activation)?;
        let rules = Rules { compares: false, ..self.rules.clone() };
        Ok(Plan { response, intercept, spec, rules, ..self.clone() })
    }

    /// The same plan, which makes no proof by itself: many fits would take too long.
    #[must_use]
    pub fn without_own_proofs(&self) -> Plan {
        Plan { proves_by_itself: false, ..self.clone() }
    }

    /// The report of a point that was found.
    ///
    /// # Errors
    /// If a coefficient overflows or underflows in the user's units, or rows are lost.
    pub(crate) fn report(&self, oracle: &dyn Oracle, found: &mut Found) -> Result<Report> {
        report::of(self, oracle, found)
    }

    /// The response scale at θ, in front of φ as the user gave it.
    pub(crate) fn scale_at(&self, facts: &Facts, theta: &[f64]) -> Scale {
        let own = facts.response.as_ref().map(|scale| scale.user(facts.layout.response(theta)));
        let (offset, scale) = self.response.user(own.unwrap_or((0.0, 1.0)));
        Scale { offset, scale }
    }

    /// Which runs of the loop to make.
    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The flag that ends fits.
    pub(crate) fn interrupt(&self) -> &Arc<AtomicBool> {
        &self.interrupt
    }

    /// Whether two plans see the same problem, so that one oracle answers both.
    pub(crate) fn sees_problem_of(&self, other: &Plan) -> bool {
        let linear = |plan: &Plan| plan.rules.settings.tau_max == 0.0;
        let problem = |plan: &Plan| (plan.scaling, plan.intercept, plan.l2.to_bits(), linear(plan), plan.branch);
        // a name or `Debug` need not show all parameters of an activation
        let response = |plan: &Plan| (plan.spec.range, plan.spec.affine, plan.spec.loss());
        problem(self) == problem(other)
            && response(self) == response(other)
            && Arc::ptr_eq(&self.activation, &other.activation)
    }

    /// Whether a fit is saved, or continues one that was.
    pub(crate) fn is_saved(&self) -> bool {
        self.checkpoint.is_some() || self.resumed.is_some()
    }

    /// Whether the model has an intercept.
    pub(crate) fn has_intercept(&self) -> bool {
        self.intercept
    }

    /// φ as the user gave it.
    pub(crate) fn activation(&self) -> &dyn Activation {
        self.activation.as_ref()
    }

    /// The same, shared.
    pub(crate) fn shared_activation(&self) -> &Arc<dyn Activation> {
        &self.activation
    }

    /// Number of threads, where it was asked for.
    pub(crate) fn threads(&self) -> Option<usize> {
        self.threads
    }

    /// Most stages.
    pub(crate) fn epochs(&self) -> usize {
        self.rules.epochs
    }

    /// Whether the flag that ends fits is set.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// The problem that this plan solves.
    pub(crate) fn problem(&self) -> Problem {
        // a fit that ends at τ = 0 would keep clipped labels, and the theorems are for unclipped ones
        let linear = self.is_linear();
        let between = !linear && self.rules.settings.tau_max < 1.0;
        let margins = match (linear, self.rules.solver) {
            (true, _) => vec![0.0],
            (false, Solver::Auto) if !between => MARGINS.to_vec(),
            (false, _) => vec![MARGIN],
        };
        Problem {
            scaling: self.scaling,
            intercept: self.intercept,
            margins,
            tau_max: between.then_some(self.rules.settings.tau_max),
            labels: self.labels(),
            l2: self.l2,
            loss: self.spec.loss(),
            response: self.response.free,
            ..Problem::new(self.response.activation.clone())
        }
    }

    /// Whether the fit ends, or begins, at φ⁻¹(y), so that every label must have a preimage.
    pub(crate) fn is_linear(&self) -> bool {
        self.rules.settings.tau_max == 0.0 || matches!(self.rules.solver, Solver::Linear | Solver::Theory)
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
            let baseline = race::improve_baseline(&driver)?;
            driver = driver.with_baseline(baseline);
        }
        if self.is_linear() {
            driver.facts().require_preimages(&self.activation.name())?;
        }
        Ok(driver)
    }

    /// The graduated labels that a run begins with.
    pub(crate) fn labels(&self) -> LabelChoice {
        LabelChoice { branch: self.branch, ..LabelChoice::default() }
    }
}

/// The settings of the solver's parts.
fn settings(spec: &Spec) -> Settings {
    Settings {
        tau0: spec.tau0,
        beta: spec.beta.unwrap_or(1.05),
        tau_max: spec.last_temperature(),
        eta: spec.eta,
        mu: spec.mu.unwrap_or(0.9),
        betas: (spec.beta1.unwrap_or(0.9), spec.beta2.unwrap_or(0.99)),
        epsilon: spec.epsilon,
        decay: spec.decay,
        v0: spec.v0.unwrap_or_default(),
        passes: spec.passes,
        delta: spec.delta,
        batch: spec.batch,
        radius: spec.radius,
        seed: spec.seed.unwrap_or(0),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::spec::KEYS;

    /// Everything but the options as they were given.
    fn filled_in(options: Options) -> String {
        format!("{:?}", Plan { spec: Spec::default(), ..options.build().unwrap() })
    }

    #[test]
    fn defaults_are_those_of_the_table() {
        let is_value = |key: &&crate::spec::Key| key.set(&mut Spec::default(), key.default).is_ok();
        // left to the solver
        for key in KEYS.iter().filter(is_value).filter(|key| key.name != "passes") {
            let solver = Solver::ALL.into_iter().find(|&solver| key.is_for(solver)).unwrap();
            let activation = if key.name == "branch" { "silu" } else { "sigmoid" };
            let mut options = Options::new(crate::activation::named(activation).unwrap()).solver(solver);
            if solver == Solver::Theory {
                options = options.intercept(false).radius(1.0);
            }
            let given = options.clone().set(key.name, key.default).unwrap();
            assert_eq!(filled_in(options), filled_in(given), "{}", key.name);
        }
    }
}
