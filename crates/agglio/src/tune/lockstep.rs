//! *Lockstep* is the execution of several plans on one oracle, step by step: the oracle answers the queries of all plans for
//! one step in one visit to the rows. Each plan ends at the same point and after the same step as it would alone.

use std::time::Instant;

use crate::error::Result;
use crate::fit::{Ending, FitLoop, Outcome, Silent};
use crate::oracle::{Known, Oracle, OracleClient, Query};
use crate::outcome::StopReason;
use crate::plan::Plan;
use crate::race::{Found, Runs};

/// The end of a plan.
pub(super) struct Reached {
    pub outcome: Outcome,
    /// Standard deviation of noise before φ, as in the model of the fit, if the fit ends at τ = 0.
    pub sigma: Option<f64>,
    /// Number of rows that were visited for it.
    pub visited: u64,
    /// Its share of the time. The time of a step is divided evenly among the plans that take it.
    pub seconds: f64,
}

impl Reached {
    fn new(plan: &Plan, oracle: &dyn Oracle, found: Found, seconds: f64) -> Result<Reached> {
        let sigma = plan.rules().sigma(oracle, &found)?;
        Ok(Reached { outcome: found.outcome, sigma, visited: oracle.visited(), seconds })
    }
}

/// Is called for every plan that has ended on an oracle, with its index and its end.
pub(super) type Ended<'e> = &'e mut dyn FnMut(&dyn Oracle, usize, Reached) -> Result<()>;

/// Whether two plans can run in lockstep: they have the same problem and solver, and make one query per step.
pub(super) fn run_together(one: &Plan, other: &Plan) -> bool {
    let (solver, same) = (one.rules().solver, other.rules().solver);
    solver.asks_once() && solver == same && one.sees_problem_of(other)
}

/// Runs plans in lockstep, and passes each end to `ended`, without a certificate. Interrupted plans are not reported.
///
/// # Errors
/// If one of the plans cannot be run on these rows; no plan has ended then.
pub(super) fn reach(plans: &[Plan], oracle: &dyn Oracle, ended: Ended<'_>) -> Result<()> {
    match plans {
        [alone] if !alone.rules().solver.asks_once() => reach_alone(alone, oracle, ended),
        _ => run(plans, oracle, &mut |oracle, place, reached| match reached.outcome.reason {
            StopReason::Interrupted => Ok(()),
            _ => ended(oracle, place, reached),
        }),
    }
}

fn reach_alone(plan: &Plan, oracle: &dyn Oracle, ended: Ended<'_>) -> Result<()> {
    let begun = Instant::now();
    let oracle = OracleClient::new(oracle, plan.labels()).beside_others(plan.interrupt());
    let found = plan.rules().find(&oracle, &mut Runs::new(&mut Silent))?;
    // after an interrupt the fit may be unfinished, whatever its stop reason is
    match plan.is_interrupted() {
        true => Ok(()),
        false => ended(&oracle, 0, Reached::new(plan, &oracle, found, begun.elapsed().as_secs_f64())?),
    }
}

fn run(plans: &[Plan], oracle: &dyn Oracle, ended: Ended<'_>) -> Result<()> {
    let client = |plan| OracleClient::new(oracle, Plan::labels(plan)).beside_others(plan.interrupt());
    let clients: Vec<OracleClient<'_>> = plans.iter().map(client).collect();
    let places = plans.iter().zip(&clients).enumerate();
    let runners = places.map(|(place, (plan, client))| Runner::begin(place, plan, client));
    let mut runners: Vec<Runner<'_>> = runners.collect::<Result<_>>()?;
    while !runners.is_empty() {
        step(oracle, &mut runners)?;
        for runner in runners.extract_if(.., |runner| runner.ending.is_some()) {
            let place = runner.place;
            if let Some(reached) = runner.end()? {
                ended(oracle, place, reached)?;
            }
        }
    }
    Ok(())
}

/// Answers the queries of the runs, and lets each run take a step.
fn step(oracle: &dyn Oracle, runners: &mut [Runner<'_>]) -> Result<()> {
    let begun = Instant::now();
    answer(oracle, runners)?;
    for runner in runners.iter_mut() {
        runner.ending = runner.run.step(&mut Silent)?;
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
        runners[i].client.count(answer.rows);
        runners[i].run.tell(answer);
    }
    Ok(())
}

/// A plan on its way.
struct Runner<'a> {
    place: usize,
    plan: &'a Plan,
    client: &'a OracleClient<'a>,
    start: Vec<f64>,
    run: FitLoop<'a>,
    ending: Option<Ending>,
    seconds: f64,
}

impl<'a> Runner<'a> {
    fn begin(place: usize, plan: &'a Plan, client: &'a OracleClient<'a>) -> Result<Runner<'a>> {
        let begun = Instant::now();
        let start = plan.rules().begin(client)?;
        let (method, stop) = plan.rules().method(client, &start)?;
        let run = FitLoop::begin(client, method, start.clone(), stop)?;
        let seconds = begun.elapsed().as_secs_f64();
        Ok(Runner { place, plan, client, start, run, ending: None, seconds })
    }

    fn question(&self) -> Option<Query<'_>> {
        Some(self.run.question()?.with_labels(self.client.labels()))
    }

    fn end(self) -> Result<Option<Reached>> {
        let Some(ending) = self.ending else { return Ok(None) };
        let outcome = self.plan.rules().judge(self.client, &self.start, self.run.end(ending)?)?;
        let found = Found::new(outcome, self.client.labels());
        Reached::new(self.plan, self.client, found, self.seconds).map(Some)
    }
}
