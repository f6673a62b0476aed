//! A *heat*: several plans run side by side on one oracle, which answers what they ask at the same time in one visit of the
//! rows.

use crate::error::Result;
use crate::fit::{Fitting, Outcome};
use crate::observe::Silent;
use crate::oracle::{Fold, Oracle, Query, Share};
use crate::strategy::Plan;

/// Where a plan of a heat has ended.
pub(crate) struct Reached {
    pub outcome: Outcome,
    /// Standard deviation of noise before φ, as a model would have it, where the fit ends at τ = 0.
    pub deviation: Option<f64>,
    /// Rows that were visited for it.
    pub visited: u64,
}

/// A run of a heat, until it is over.
struct Runner<'a> {
    plan: &'a Plan,
    share: &'a Share<'a>,
    start: Vec<f64>,
    fitting: Option<Fitting<'a>>,
    outcome: Option<Outcome>,
}

impl Plan {
    /// Whether a heat answers what these plans ask at once: they see the same oracle, and look at it once a step.
    pub(crate) fn runs_beside(&self, other: &Plan) -> bool {
        let problem = |plan: &Plan| (plan.scaling, plan.intercept, plan.l2.to_bits(), plan.settings.cap == 0.0);
        self.solver.asks_once()
            && self.solver == other.solver
            && problem(self) == problem(other)
            && self.activation.name() == other.activation.name()
    }

    /// Where each of these plans ends, which run beside each other.
    ///
    /// # Errors
    /// If one of them cannot be run on these rows.
    pub(crate) fn heat(plans: &[Plan], oracle: &Fold<'_>) -> Result<Vec<Reached>> {
        let shares: Vec<Share<'_>> = plans.iter().map(|_| Share::new(oracle)).collect();
        let runners = plans.iter().zip(&shares).map(|(plan, share)| Runner::begin(plan, share, oracle));
        let mut runners: Vec<Runner<'_>> = runners.collect::<Result<_>>()?;
        while runners.iter().any(|runner| runner.fitting.is_some()) {
            answer(oracle, &mut runners);
            runners.iter_mut().for_each(Runner::step);
        }
        Ok(runners.into_iter().filter_map(|runner| runner.end(oracle)).collect())
    }
}

/// Answers what the runs ask.
fn answer(oracle: &Fold<'_>, runners: &mut [Runner<'_>]) {
    let (asking, questions): (Vec<usize>, Vec<Query<'_>>) =
        runners.iter().enumerate().filter_map(|(i, runner)| Some((i, runner.question()?))).unzip();
    let answers = oracle.ask_together(&questions);
    for (i, answer) in asking.into_iter().zip(answers) {
        let Runner { share, fitting, .. } = &mut runners[i];
        share.count(answer.rows);
        if let Some(fitting) = fitting {
            fitting.tell(answer);
        }
    }
}

impl<'a> Runner<'a> {
    fn begin(plan: &'a Plan, share: &'a Share<'a>, oracle: &Fold<'_>) -> Result<Runner<'a>> {
        let start = plan.begin(oracle)?;
        let (method, stop) = plan.method(share, &start)?;
        let fitting = Some(Fitting::begin(share, method, start.clone(), stop));
        Ok(Runner { plan, share, start, fitting, outcome: None })
    }

    fn question(&self) -> Option<Query<'_>> {
        self.fitting.as_ref()?.question()
    }

    fn step(&mut self) {
        let over = self.fitting.as_mut().and_then(|fitting| fitting.step(&mut Silent));
        if let Some(over) = over {
            self.outcome = self.fitting.take().map(|fitting| fitting.end(over));
        }
    }

    fn end(self, oracle: &Fold<'_>) -> Option<Reached> {
        let outcome = self.plan.judge(self.share, &self.start, self.outcome?);
        Some(self.plan.reached(oracle, outcome.into(), self.share.visited()))
    }
}
