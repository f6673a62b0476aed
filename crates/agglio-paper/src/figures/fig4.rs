//! Figure 4: variants of AGGLIO on a sigmoid, without noise, with noise before φ and with noise after it.
//!
//! The runs without the rise of the temperature are those of figure 2, which has the claims about them.

use agglio::text::format::brief;

use crate::claim::{Bound, Claim};
use crate::contest::{self, Entrant};
use crate::contestant::{Contestant, Role};
use crate::error::Result;
use crate::expected::{self, published, rounding};
use crate::figure::Figure;
use crate::figures::field::{self, median, moment};
use crate::goal::Goal;
use crate::request::Request;
use crate::statistics::Spread;
use crate::task::Task;

const TITLE: &str = "Variants of AGGLIO";

/// The paper's four, acceleration, this project's defaults, and AGGLIO without the rise of the temperature.
const VARIANTS: [Contestant; 12] = [
    Contestant::AGGLIO_GD,
    Contestant::AGGLIO_SGD,
    Contestant::AGGLIO_SVRG,
    Contestant::AGGLIO_ADAM,
    Contestant::AGGLIO_MOMENTUM,
    Contestant::AGGLIO_NESTEROV,
    Contestant::SHORTENING_SGD,
    Contestant::AUTO,
    Contestant::PLAIN_GD,
    Contestant::HELD_GD,
    Contestant::PLAIN_SGD,
    Contestant::HELD_SGD,
];

/// The paper's among them.
fn paper(entrants: &[Entrant]) -> impl Iterator<Item = &Entrant> {
    entrants.iter().filter(|entrant| entrant.contestant.role == Role::Ours)
}

/// Figure 4a: without noise.
///
/// # Errors
/// If somebody wants it to end.
pub fn a(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    let task = Task::usual("sigmoid");
    let entrants = contest::hold(&task, &VARIANTS, request, hear)?;
    let goals = [1e-6, 1e-12].map(Goal::at);
    let mut figure = field::figure("fig4a", TITLE, &task, &entrants, &goals, request);
    let end = |entrant: &Entrant| rounding("fig4a", entrant.contestant.name, entrant.contestant.name, entrant.finals());
    figure.claims = paper(&entrants).map(end).collect();
    figure.claims.extend(steps(&entrants));
    figure.claims.extend(sluggish(&entrants, &Goal::at(1e-12)));
    figure.claims.extend(par(&entrants));
    figure.claims.extend(accelerated(&entrants));
    Ok(figure)
}

/// Figure 4b: noise before φ.
///
/// # Errors
/// If somebody wants it to end.
pub fn b(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    noisy("fig4b", &Task::usual("sigmoid").pre(0.5), request, hear)
}

/// Figure 4c: noise after φ, with the published run's σ.
///
/// # Errors
/// If somebody wants it to end.
pub fn c(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    let mut figure = noisy("fig4c", &Task::usual("sigmoid").post(0.05), request, hear)?;
    figure.parameters.push(field::caption_noise());
    Ok(figure)
}

/// The published run of AGGLIO-GD takes about 76 steps to 1e-12.
fn steps(entrants: &[Entrant]) -> Option<Claim> {
    let gd = contest::of(entrants, &Contestant::AGGLIO_GD)?;
    let most = published("fig4a", "iterations");
    let steps = Spread::of(gd.tuned.iter().map(|run| run.error.steps_to(1e-12)));
    Some(Claim::new(
        "published run",
        format!("AGGLIO-GD reaches 1e-12 in about {most} iterations, or fewer"),
        format!("{} to {} iterations", steps.low, steps.high),
        steps.median,
        Bound::AtMost(most),
    ))
}

/// GD, SGD and Adam are said to be comparable, and SVRG slower; each tuned or as it comes.
fn sluggish(entrants: &[Entrant], goal: &Goal) -> Vec<Claim> {
    let times = |who: &Contestant| contest::of(entrants, who).map_or_else(Vec::new, |who| who.fastest(goal).1);
    let trio = [Contestant::AGGLIO_GD, Contestant::AGGLIO_SGD, Contestant::AGGLIO_ADAM].map(|who| times(&who));
    let by_median = |one: &&Vec<f64>, other: &&Vec<f64>| median(one).total_cmp(&median(other));
    let (Some(fast), Some(slow)) = (trio.iter().min_by(by_median), trio.iter().max_by(by_median)) else {
        return Vec::new();
    };
    let svrg = times(&Contestant::AGGLIO_SVRG);
    let apart = Spread::of_ratios(slow.iter().copied(), fast.iter().copied());
    let behind = Spread::of_ratios(svrg.iter().copied(), slow.iter().copied());
    vec![
        Claim::new(
            "text, convergence",
            "AGGLIO's GD, SGD and Adam versions perform comparably (within three times)",
            format!("to {}: from {} to {}", goal.words, moment(median(fast)), moment(median(slow))),
            apart.median,
            Bound::AtMost(3.0),
        )
        .over(apart),
        Claim::new(
            "text, convergence",
            "AGGLIO's SVRG version is more sluggish than GD, SGD and Adam",
            format!(
                "to {}: SVRG takes {}, the slowest of the others {}",
                goal.words,
                moment(median(&svrg)),
                moment(median(slow))
            ),
            behind.median,
            Bound::AtLeast(1.0),
        )
        .over(behind),
    ]
}

/// SVRG is said to end where GD does. With noise both end at the same minimum, which would say nothing.
fn par(entrants: &[Entrant]) -> Option<Claim> {
    let [svrg, gd] = [Contestant::AGGLIO_SVRG, Contestant::AGGLIO_GD].map(|who| contest::of(entrants, &who));
    let (svrg, gd) = (svrg?, gd?);
    let farther = Spread::of_ratios(svrg.ends(), gd.ends());
    let claim = Claim::new(
        "caption of figure 4",
        "SVRG ends on a par with GD (within three times)",
        format!("SVRG at {}, GD at {}", brief(svrg.finals().median), brief(gd.finals().median)),
        farther.median,
        Bound::AtMost(3.0),
    );
    Some(claim.over(farther))
}

/// The steps that acceleration saves, which the paper leaves to future work. Each step visits all rows once.
fn accelerated(entrants: &[Entrant]) -> Vec<Claim> {
    let steps = |who: &Contestant| -> Option<Vec<f64>> {
        Some(contest::of(entrants, who)?.tuned.iter().map(|run| run.error.steps_to(1e-12)).collect())
    };
    let claim = |who: &Contestant| {
        let (ours, plain) = (steps(who)?, steps(&Contestant::AGGLIO_GD)?);
        let saved = Spread::of_ratios(plain.iter().copied(), ours.iter().copied());
        let [few, many] = [&ours, &plain].map(|steps| median(steps));
        let claim = Claim::new(
            "text, future work",
            format!("{} reaches 1e-12 in fewer steps than AGGLIO-GD", who.name),
            format!("{few} steps against {many}: {:.0} % saved", 100.0 * (1.0 - few / many)),
            saved.median,
            Bound::AtLeast(1.0),
        );
        Some(
            claim
                .over(saved)
                .remark("on this data the Hessian is well conditioned, so that there is little to accelerate"),
        )
    };
    [Contestant::AGGLIO_MOMENTUM, Contestant::AGGLIO_NESTEROV].iter().filter_map(claim).collect()
}

fn noisy(name: &'static str, task: &Task, request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    let entrants = contest::hold(task, &VARIANTS, request, hear)?;
    let goal = Goal::minimum(&entrants);
    let mut figure = field::figure(name, TITLE, task, &entrants, std::slice::from_ref(&goal), request);
    // all end near the same minimum, so that four claims would be one
    let farthest = paper(&entrants).max_by(|one, other| one.finals().median.total_cmp(&other.finals().median));
    let end = |entrant: &Entrant| {
        let who = format!("{}, which ends farthest off of the four", entrant.contestant.name);
        expected::noisy(name, "AGGLIO", &who, entrant.finals())
    };
    figure.claims = farthest.map(end).into_iter().collect();
    figure.claims.extend(sluggish(&entrants, &goal));
    Ok(figure)
}
