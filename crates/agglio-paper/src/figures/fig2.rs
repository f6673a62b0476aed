//! Figure 2: AGGLIO and its competitors on a sigmoid, without noise, with noise before φ and with noise after it.

use agglio::Solver;
use agglio::text::format::brief;

use crate::claim::{Bound, Claim};
use crate::contest::{self, Entrant};
use crate::contestant::{Contestant, Run};
use crate::error::Result;
use crate::expected::published;
use crate::figure::Figure;
use crate::figures::field::{self, median, moment};
use crate::goal::Goal;
use crate::grid::{self, Axis};
use crate::request::Request;
use crate::statistics::Spread;
use crate::task::Task;
use crate::track::Over;
use crate::tuning;

const TITLE: &str = "AGGLIO and its competitors";

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
    let mut figure = field::figure("fig2a", TITLE, &task, &entrants, &goals, request);
    figure.claims = noiseless(&entrants);
    figure.claims.extend(field::graduation(&entrants, &Goal::at(1e-12)));
    hear("Yogi with its authors' decay");
    figure.claims.extend(fixed_values(&task, &entrants, request)?);
    figure.claims.extend(second_moment(&task, &entrants, request, hear)?);
    Ok(figure)
}

/// Figure 2b: noise before φ.
///
/// # Errors
/// If somebody wants it to end.
pub fn b(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    noisy("fig2b", &Task::usual("sigmoid").pre(0.5), request, hear)
}

/// Figure 2c: noise after φ. The caption has σ = 0.5; the published run has 0.05.
///
/// # Errors
/// If somebody wants it to end.
pub fn c(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    let task = Task::usual("sigmoid").post(0.05);
    let mut figure = noisy("fig2c", &task, request, hear)?;
    figure.parameters.push(field::caption_noise());
    Ok(figure)
}

fn noiseless(entrants: &[Entrant]) -> Vec<Claim> {
    let goal = published("fig2a", "AGGLIO");
    // the variant with the minibatches that all others have
    let Some(ours) = contest::of(entrants, &Contestant::AGGLIO_SGD) else { return Vec::new() };
    let arrivals = |entrant: &Entrant| entrant.arrivals(&Goal::at(goal), Over::Seconds);
    let times = arrivals(ours);
    let ratio = |rival: &Entrant| {
        let (name, theirs) = (rival.contestant.name, arrivals(rival));
        let faster = Spread::of_ratios(theirs.iter().copied(), times.iter().copied());
        let claim = Claim::new(
            "text, convergence",
            format!("AGGLIO reaches {goal:e} at least twice as fast as {name}"),
            format!("{name} takes {}, AGGLIO-SGD {}", moment(median(&theirs)), moment(median(&times))),
            faster.median,
            Bound::AtLeast(2.0),
        )
        .over(faster);
        field::against(rival, if rival.contestant.solver.is_adaptive() { claim.remark(NEAR) } else { claim })
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
    let free: Vec<Axis> = axes.into_iter().filter(|axis| matches!(axis.key, "eta" | "epsilon")).collect();
    let candidates = grid::settings(&free);
    let setting = tuning::best(task, &yogi.contestant, candidates, request)?;
    let runs = contest::runs(task, &yogi.contestant, &setting, request)?;
    let goal = Goal::at(1e-12);
    let [tuned, fixed] = [&yogi.tuned, &runs].map(|runs| goal.arrivals(runs, Over::Passes));
    let slower = Spread::of_ratios(fixed.iter().copied(), tuned.iter().copied());
    Ok(Some(
        Claim::new(
            "text, hyperparameter ranges",
            "the two numbers that Yogi's authors fix, β₁ = 0.9 and β₂ = 0.999, are sub-optimal",
            format!(
                "to {}, α and ε tuned: {} passes with these, {} with all four tuned",
                goal.words,
                brief(median(&fixed)),
                brief(median(&tuned))
            ),
            slower.median,
            Bound::AtLeast(1.0),
        )
        .over(slower),
    ))
}

/// The paper begins Yogi's second moment at zero, which did better than the start that its authors advise.
fn second_moment(task: &Task, entrants: &[Entrant], request: &Request, hear: &dyn Fn(&str)) -> Result<Vec<Claim>> {
    let advised = contest::hold(task, &[Contestant::YOGI_FROM_GRADIENT], request, hear)?;
    let (Some(zero), Some(advised)) = (contest::of(entrants, &Contestant::YOGI), advised.first()) else {
        return Ok(Vec::new());
    };
    let goal = Goal::at(1e-12);
    let claim = |source: &'static str, when: &str, zero: &[Run], advised: &[Run]| {
        let [ours, theirs] = [zero, advised].map(|runs| goal.arrivals(runs, Over::Passes));
        let slower = Spread::of_ratios(theirs.iter().copied(), ours.iter().copied());
        let [ours, theirs] = [&ours, &theirs].map(|passes| brief(median(passes)));
        let measured = format!("to {}: {ours} passes from zero, {theirs} from the square", goal.words);
        let statement = format!(
            "{when} Yogi does better with v₀ = 0 than with the square of the first gradient, which its authors advise"
        );
        Claim::new(source, statement, measured, slower.median, Bound::AtLeast(1.0)).over(slower)
    };
    Ok(vec![
        claim("text, benchmarks", "tuned,", &zero.tuned, &advised.tuned),
        claim("beyond the paper", "with its authors' values,", &zero.untuned, &advised.untuned),
    ])
}

fn noisy(name: &'static str, task: &Task, request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    let entrants = contest::hold(task, &field::EVERYBODY, request, hear)?;
    let goal = Goal::minimum(&entrants);
    let mut figure = field::figure(name, TITLE, task, &entrants, std::slice::from_ref(&goal), request);
    figure.claims = comparable(&entrants, &goal);
    figure.claims.extend(field::graduation(&entrants, &goal));
    Ok(figure)
}

/// With noise AGGLIO is to be comparable to its competitors or better, in speed and in error.
fn comparable(entrants: &[Entrant], goal: &Goal) -> Vec<Claim> {
    let ours = [Contestant::AGGLIO_GD, Contestant::AGGLIO_SGD];
    let ours: Vec<&Entrant> = ours.iter().filter_map(|contestant| contest::of(entrants, contestant)).collect();
    let rivals: Vec<&Entrant> = field::rivals(entrants).collect();
    let ((us, times), (them, their_times)) =
        (field::fastest(ours.iter().copied(), goal), field::fastest(rivals.iter().copied(), goal));
    let slower = Spread::of_ratios(times.iter().copied(), their_times.iter().copied());
    let [errors, their_errors] = [&ours, &rivals].map(|who| nearest(who));
    let farther = Spread::of_ratios(errors.iter().copied(), their_errors.iter().copied());
    vec![
        Claim::new(
            "text, convergence",
            "with noise AGGLIO converges comparably or better: in at most twice the time of the fastest competitor, tuned or \
             as it comes",
            format!("to {}: {us} {}, {them} {}", goal.words, moment(median(&times)), moment(median(&their_times))),
            slower.median,
            Bound::AtMost(2.0),
        )
        .over(slower),
        Claim::new(
            "figure 2",
            "with noise AGGLIO ends no farther from w* than the best competitor (5 % allowed)",
            format!("AGGLIO {}, the best competitor {}", brief(median(&errors)), brief(median(&their_errors))),
            farther.median,
            Bound::AtMost(1.05),
        )
        .over(farther),
    ]
}

/// The lowest error that some methods end with, seed by seed.
fn nearest(who: &[&Entrant]) -> Vec<f64> {
    let lower = |one: Vec<f64>, other: Vec<f64>| one.iter().zip(&other).map(|(one, other)| one.min(*other)).collect();
    who.iter().map(|entrant| entrant.ends()).reduce(lower).unwrap_or_default()
}
