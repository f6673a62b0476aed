//! A *heat*: several plans run side by side on one oracle, which answers what they ask at the same time in one visit of the
//! rows. Each ends where, and when, it would alone.

use std::sync::Arc;
use std::time::Instant;

use crate::error::Result;
use crate::fit::Silent;
use crate::fit::{Ending, FitLoop, Outcome};
use crate::oracle::{Known, Oracle, OracleClient, Query};
use crate::strategy::{Found, Plan};

/// Where a plan of a heat has ended.
pub(crate) struct Reached {
    pub outcome: Outcome,
    /// Standard deviation of noise before φ, as a model would have it, where the fit ends at τ = 0.
    pub sigma: Option<f64>,
    /// Rows that were visited for it.
    pub visited: u64,
    /// Its share of the time, which runs divide evenly as long as they are under way.
    pub seconds: f64,
}

/// Hears of every plan that has ended on an oracle: its place in the heat, and where that was.
pub(crate) type Ended<'e> = &'e mut dyn FnMut(&dyn Oracle, usize, Reached) -> Result<()>;

/// A run of a heat.
struct Runner<'a> {
    place: usize,
    plan: &'a Plan,
    share: &'a OracleClient<'a>,
    start: Vec<f64>,
    fitting: FitLoop<'a>,
    over: Option<Ending>,
    seconds: f64,
}

impl Plan {
    /// Whether a heat answers what these plans ask at once: they see the same oracle, and look at it once a step.
    pub(crate) fn runs_beside(&self, other: &Plan) -> bool {
        let labels = |plan: &Plan| (plan.settings.tau_max == 0.0, plan.branch);
        let problem = |plan: &Plan| (plan.scaling, plan.intercept, plan.l2.to_bits(), labels(plan));
        self.solver.asks_once()
            && self.solver == other.solver
            && problem(self) == problem(other)
            // neither a name nor `Debug` need tell all of an activation's parameters
            && Arc::ptr_eq(&self.activation, &other.activation)
    }

    /// Runs plans beside each other until each has ended; one whose interrupt came says so in its outcome.
    ///
    /// # Errors
    /// If one of them cannot be run on these rows; none has ended then.
    pub(super) fn lockstep(plans: &[Plan], oracle: &dyn Oracle, ended: Ended<'_>) -> Result<()> {
        let shares: Vec<OracleClient<'_>> =
            plans.iter().map(|plan| OracleClient::new(oracle, plan.labels()).beside_others(&plan.interrupt)).collect();
        let places = plans.iter().zip(&shares).enumerate();
        let runners = places.map(|(place, (plan, share))| Runner::begin(place, plan, share));
        let mut runners: Vec<Runner<'_>> = runners.collect::<Result<_>>()?;
        while !runners.is_empty() {
            step(oracle, &mut runners)?;
            for runner in runners.extract_if(.., |runner| runner.over.is_some()) {
                let place = runner.place;
                if let Some(reached) = runner.end()? {
                    ended(oracle, place, reached)?;
                }
            }
        }
        Ok(())
    }
}

/// Answers what the runs ask, and lets each of them take a step.
fn step(oracle: &dyn Oracle, runners: &mut [Runner<'_>]) -> Result<()> {
    let begun = Instant::now();
    answer(oracle, runners)?;
    for runner in runners.iter_mut() {
        runner.step()?;
    }
    let share = begun.elapsed().as_secs_f64() / runners.len() as f64;
    runners.iter_mut().for_each(|runner| runner.seconds += share);
    Ok(())
}

fn answer(oracle: &dyn Oracle, runners: &mut [Runner<'_>]) -> Result<()> {
    let (asking, questions): (Vec<usize>, Vec<Query<'_>>) =
        runners.iter().enumerate().filter_map(|(i, runner)| Some((i, runner.question()?))).unzip();
    for (i, answer) in asking.into_iter().zip(oracle.ask_all(&questions)?) {
        let answer = Known::try_from(answer)?;
        runners[i].share.count(answer.rows);
        runners[i].fitting.tell(answer);
    }
    Ok(())
}

impl<'a> Runner<'a> {
    fn begin(place: usize, plan: &'a Plan, share: &'a OracleClient<'a>) -> Result<Runner<'a>> {
        let begun = Instant::now();
        let start = plan.begin(share)?;
        let (method, stop) = plan.method(share, &start)?;
        let fitting = FitLoop::begin(share, method, start.clone(), stop)?;
        let seconds = begun.elapsed().as_secs_f64();
        Ok(Runner { place, plan, share, start, fitting, over: None, seconds })
    }

    fn question(&self) -> Option<Query<'_>> {
        Some(self.fitting.question()?.with_labels(self.share.labels()))
    }

    fn step(&mut self) -> Result<()> {
        self.over = self.fitting.step(&mut Silent)?;
        Ok(())
    }

    fn end(self) -> Result<Option<Reached>> {
        let Some(over) = self.over else { return Ok(None) };
        let outcome = self.plan.judge(self.share, &self.start, self.fitting.end(over)?)?;
        let found = Found::new(outcome, self.share.labels());
        self.plan.reached(self.share, found, self.share.visited(), self.seconds).map(Some)
    }
}
