//! Figure 2: AGGLIO and its competitors on a sigmoid, without noise, with noise before φ and with noise after it.

use agglio::Solver;
use agglio::number::brief;

use crate::claim::{Bound, Claim};
use crate::contest::{self, Entrant};
use crate::contestant::Contestant;
use crate::error::Result;
use crate::expected::published;
use crate::figure::Figure;
use crate::figures::field::{self, moment};
use crate::goal::Goal;
use crate::grid::{self, Axis, Key};
use crate::request::Request;
use crate::statistics::Spread;
use crate::task::Task;
use crate::track::Over;
use crate::tuning;

/// What is left for graduation to win.
const NEAR: &str = "near w*, well tuned, it is descent with steps of α/ε, as long as AGGLIO's: what graduation saves is the \
                    way there";

/// Figure 2a: without noise.
///
/// # Errors
/// If somebody wants it to end.
pub fn a(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    let task = Task::usual("sigmoid");
    let entrants = contest::hold(&task, &field::EVERYBODY, request, hear)?;
    let goals = [1e-6, 1e-12, 1e-14].map(Goal::at);
    let mut figure =
        field::figure("fig2a", "AGGLIO and its competitors, sigmoid, no noise", &task, &entrants, &goals, request);
    figure.claims = noiseless(&entrants);
    hear("Yogi with its authors' decay");
    figure.claims.extend(fixed_values(&task, &entrants, request)?);
    Ok(figure)
}

/// Figure 2b: noise before φ.
///
/// # Errors
/// If somebody wants it to end.
pub fn b(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    noisy(
        "fig2b",
        "AGGLIO and its competitors, sigmoid, noise before φ",
        &Task::usual("sigmoid").pre(0.5),
        request,
        hear,
    )
}

/// Figure 2c: noise after φ. The caption has σ = 0.5; the published run has 0.05.
///
/// # Errors
/// If somebody wants it to end.
pub fn c(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    let task = Task::usual("sigmoid").post(0.05);
    let mut figure = noisy("fig2c", "AGGLIO and its competitors, sigmoid, noise after φ", &task, request, hear)?;
    figure.parameters.push(field::caption_noise());
    Ok(figure)
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
    let mut claims: Vec<Claim> = field::rivals(entrants).map(ratio).collect();
    let last = ours.finals();
    claims.push(Claim::new(
        "text, convergence",
        "without noise AGGLIO ends at machine precision, such as 1e-14",
        format!("AGGLIO-SGD ends at {}, at most {}", brief(last.median), brief(last.high)),
        last.high,
        Bound::AtMost(goal),
    ));
    claims
}

/// The paper tunes all four numbers of Yogi, since it finds the two that its authors fix, β₁ and β₂, sub-optimal.
fn fixed_values(task: &Task, entrants: &[Entrant], request: &Request) -> Result<Option<Claim>> {
    let Some(yogi) = contest::of(entrants, &Contestant::YOGI) else { return Ok(None) };
    let axes = grid::axes(Solver::Yogi, true).unwrap_or_default();
    let free: Vec<Axis> = axes.into_iter().filter(|axis| matches!(axis.key, Key::Eta | Key::Epsilon)).collect();
    let candidates = grid::settings(&free);
    let setting = tuning::best(task, &yogi.contestant, candidates, request)?;
    let runs = contest::runs(task, &yogi.contestant, &setting, request)?;
    let goal = Goal::at(1e-12);
    let [tuned, fixed] = [&yogi.tuned, &runs].map(|runs| goal.reached(runs, Over::Passes).median);
    Ok(Some(Claim::new(
        "text, hyperparameter ranges",
        "the two numbers that Yogi's authors fix, β₁ = 0.9 and β₂ = 0.999, are sub-optimal",
        format!(
            "to {}, α and ε tuned: {} passes with these, {} with all four tuned",
            goal.words,
            brief(fixed),
            brief(tuned)
        ),
        fixed / tuned,
        Bound::AtLeast(1.0),
    )))
}

fn noisy(name: &'static str, title: &str, task: &Task, request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    let entrants = contest::hold(task, &field::EVERYBODY, request, hear)?;
    let goal = Goal::minimum(&entrants);
    let mut figure = field::figure(name, title, task, &entrants, std::slice::from_ref(&goal), request);
    figure.claims = comparable(&entrants, &goal);
    Ok(figure)
}

/// With noise AGGLIO is to be comparable to its competitors or better, in speed and in error.
fn comparable(entrants: &[Entrant], goal: &Goal) -> Vec<Claim> {
    let ours = [Contestant::AGGLIO_GD, Contestant::AGGLIO_SGD];
    let ours: Vec<&Entrant> = ours.iter().filter_map(|contestant| contest::of(entrants, contestant)).collect();
    let lowest = |who: &[&Entrant]| Spread::of(who.iter().map(|entrant| entrant.finals().median)).low;
    let rivals: Vec<&Entrant> = field::rivals(entrants).collect();
    let ((us, time), (them, their_time)) =
        (field::fastest(ours.iter().copied(), goal), field::fastest(rivals.iter().copied(), goal));
    let (error, their_error) = (lowest(&ours), lowest(&rivals));
    vec![
        Claim::new(
            "text, convergence",
            "with noise AGGLIO converges comparably or better: in at most twice the time of the fastest competitor, tuned or \
             as it comes",
            format!("to {}: {us} {}, {them} {}", goal.words, moment(time), moment(their_time)),
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
