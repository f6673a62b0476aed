//! Figure 2: AGGLIO and its competitors on a sigmoid, without noise, with noise before φ and with noise after it.

use agglio::number::brief;

use crate::claim::{Bound, Claim};
use crate::contest::{self, Entrant};
use crate::contestant::Contestant;
use crate::error::Result;
use crate::expected::published;
use crate::figure::Figure;
use crate::goal::Goal;
use crate::problem::Problem;
use crate::request::Request;
use crate::statistics::Spread;
use crate::task::Task;
use crate::track::Over;

/// Everybody in the figure, and who is only in its table.
pub(super) const FIELD: [Contestant; 11] = [
    Contestant::AGGLIO_GD,
    Contestant::AGGLIO_SGD,
    Contestant::ADAM,
    Contestant::YOGI,
    Contestant::NGD,
    Contestant::GRADOPT,
    Contestant::AUTO,
    Contestant::LM,
    Contestant::LBFGS,
    Contestant::IRLS,
    Contestant::GLMTRON,
];

/// What is left for graduation to win.
const NEAR: &str = "near w*, well tuned, it is descent with steps of α/ε, as long as AGGLIO's: what graduation saves is the \
                    way there";

/// Figure 2a: without noise.
///
/// # Errors
/// If somebody wants it to end.
pub fn a(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    let task = Task::usual("sigmoid");
    let entrants = contest::hold(&task, &FIELD, request, hear)?;
    let goals = [1e-6, 1e-12, 1e-14].map(Goal::at);
    Ok(Figure {
        claims: noiseless(&entrants),
        ..field("fig2a", "Sigmoid without noise", &task, &entrants, &goals, request)
    })
}

/// Figure 2b: noise before φ.
///
/// # Errors
/// If somebody wants it to end.
pub fn b(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    noisy("fig2b", "Sigmoid, noise before φ", &Task::usual("sigmoid").pre(0.5), request, hear)
}

/// Figure 2c: noise after φ. The caption has σ = 0.5; the published run has 0.05.
///
/// # Errors
/// If somebody wants it to end.
pub fn c(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    noisy("fig2c", "Sigmoid, noise after φ", &Task::usual("sigmoid").post(0.05), request, hear)
}

/// The figure of a contest, without claims.
pub(super) fn field(
    name: &'static str,
    title: &str,
    problem: &dyn Problem,
    entrants: &[Entrant],
    goals: &[Goal],
    request: &Request,
) -> Figure {
    Figure {
        name,
        title: format!("{title}: AGGLIO beside its competitors"),
        caption:
            "The distance to the true model along each fit: median of the seeds, with a band from the lowest to the \
                  highest. Dashed methods are not in the paper."
                .into(),
        parameters: contest::parameters(problem, request),
        panels: contest::panels(problem, entrants, title),
        columns: 2,
        tables: vec![contest::table(problem, entrants, goals)],
        ..Figure::default()
    }
}

fn noiseless(entrants: &[Entrant]) -> Vec<Claim> {
    let goal = published("fig2a", "AGGLIO");
    // the variant with the minibatches that all others have
    let Some(ours) = contest::of(entrants, &Contestant::AGGLIO_SGD) else { return Vec::new() };
    let arrival = |entrant: &Entrant| entrant.reaches(&Goal::at(goal)).median;
    let time = arrival(ours);
    let ratio = |rival: &Entrant| {
        let theirs = arrival(rival);
        let name = rival.contestant.name;
        let claim = Claim::new(
            "text, convergence",
            format!("AGGLIO reaches {goal:e} at least twice as fast as {name}"),
            format!("{name} takes {}, AGGLIO-SGD {}", moment(theirs), moment(time)),
            theirs / time,
            Bound::AtLeast(2.0),
        );
        if rival.contestant.solver.is_adaptive() { claim.remark(NEAR) } else { claim }
    };
    let mut claims: Vec<Claim> = rivals(entrants).map(ratio).collect();
    let last = ours.finals();
    claims.push(Claim::new(
        "text, convergence",
        "without noise AGGLIO ends at machine precision, such as 1e-14",
        format!("AGGLIO-SGD ends at {}, at most {}", brief(last.median), brief(last.high)),
        last.high,
        Bound::AtMost(goal),
    ));
    claims.extend(contest::of(entrants, &Contestant::YOGI).map(|yogi| fixed_values(yogi, goal)));
    claims
}

/// The paper tunes all four numbers of Yogi, since it finds those that its authors fix sub-optimal.
fn fixed_values(yogi: &Entrant, goal: f64) -> Claim {
    let [tuned, fixed] = [&yogi.tuned, &yogi.untuned].map(|runs| Goal::at(goal).reached(runs, Over::Seconds).median);
    Claim::new(
        "text, hyperparameter ranges",
        "the values that Yogi's authors fix are sub-optimal",
        format!("to {goal:e}: with these {}, tuned {}", moment(fixed), moment(tuned)),
        fixed / tuned,
        Bound::AtLeast(1.0),
    )
}

/// The paper's competitors among them.
pub(super) fn rivals(entrants: &[Entrant]) -> impl Iterator<Item = &Entrant> {
    Contestant::COMPETITORS.iter().filter_map(|rival| contest::of(entrants, rival))
}

/// A time in words, or that it does not come.
pub(super) fn moment(time: f64) -> String {
    if time.is_finite() { format!("{} ms", brief(1e3 * time)) } else { "for ever".into() }
}

fn noisy(name: &'static str, title: &str, task: &Task, request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    let entrants = contest::hold(task, &FIELD, request, hear)?;
    let goal = Goal::minimum(&entrants);
    let mut figure = field(name, title, task, &entrants, std::slice::from_ref(&goal), request);
    figure.claims = comparable(&entrants, &goal);
    Ok(figure)
}

/// With noise AGGLIO is to be comparable to its competitors or better, in speed and in error.
fn comparable(entrants: &[Entrant], goal: &Goal) -> Vec<Claim> {
    let ours = [Contestant::AGGLIO_GD, Contestant::AGGLIO_SGD];
    let ours: Vec<&Entrant> = ours.iter().filter_map(|contestant| contest::of(entrants, contestant)).collect();
    let fastest = |who: &[&Entrant]| Spread::of(who.iter().map(|entrant| entrant.reaches(goal).median)).low;
    let lowest = |who: &[&Entrant]| Spread::of(who.iter().map(|entrant| entrant.finals().median)).low;
    let rivals: Vec<&Entrant> = rivals(entrants).collect();
    let (time, their_time, error, their_error) = (fastest(&ours), fastest(&rivals), lowest(&ours), lowest(&rivals));
    vec![
        Claim::new(
            "text, convergence",
            "with noise AGGLIO converges comparably or better: in at most twice the time of the fastest competitor",
            format!("to {}: AGGLIO {}, the fastest competitor {}", goal.words, moment(time), moment(their_time)),
            time / their_time,
            Bound::AtMost(2.0),
        ),
        Claim::new(
            "figure 2",
            "with noise AGGLIO ends no farther from w* than the best competitor (5 % allowed)",
            format!("AGGLIO {}, the best competitor {}", brief(error), brief(their_error)),
            error / their_error,
            Bound::AtMost(1.05),
        ),
    ]
}
