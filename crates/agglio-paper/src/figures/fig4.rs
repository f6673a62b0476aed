//! Figure 4: four variants of AGGLIO on a sigmoid, without noise, with noise before φ and with noise after it.

use agglio::number::brief;

use crate::claim::{Bound, Claim};
use crate::contest::{self, Entrant};
use crate::contestant::{Contestant, Role};
use crate::error::Result;
use crate::expected::{self, published, rounding};
use crate::figure::Figure;
use crate::figures::field::{self, moment};
use crate::goal::Goal;
use crate::request::Request;
use crate::statistics::Spread;
use crate::task::Task;

const VARIANTS: [Contestant; 5] =
    [Contestant::AGGLIO_GD, Contestant::AGGLIO_SGD, Contestant::AGGLIO_SVRG, Contestant::AGGLIO_ADAM, Contestant::AUTO];

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
    let mut figure = field::figure("fig4a", "Variants of AGGLIO, sigmoid, no noise", &task, &entrants, &goals, request);
    let end = |entrant: &Entrant| rounding("fig4a", entrant.contestant.name, entrant.contestant.name, entrant.finals());
    figure.claims = paper(&entrants).map(end).collect();
    figure.claims.extend(steps(&entrants));
    figure.claims.extend(sluggish(&entrants, &Goal::at(1e-12)));
    Ok(figure)
}

/// Figure 4b: noise before φ.
///
/// # Errors
/// If somebody wants it to end.
pub fn b(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    noisy("fig4b", "noise before φ", &Task::usual("sigmoid").pre(0.5), request, hear)
}

/// Figure 4c: noise after φ, with the published run's σ.
///
/// # Errors
/// If somebody wants it to end.
pub fn c(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    let mut figure = noisy("fig4c", "noise after φ", &Task::usual("sigmoid").post(0.05), request, hear)?;
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

/// GD, SGD and Adam are said to be comparable, and SVRG slower, at the same error in the end; each tuned or as it comes.
fn sluggish(entrants: &[Entrant], goal: &Goal) -> Vec<Claim> {
    let time = |who: &Contestant| contest::of(entrants, who).map_or(f64::NAN, |who| who.fastest(goal).1);
    let ends = |who: &Contestant| contest::of(entrants, who).map_or(f64::NAN, |who| who.finals().median);
    let trio = [Contestant::AGGLIO_GD, Contestant::AGGLIO_SGD, Contestant::AGGLIO_ADAM];
    let Spread { low, high, .. } = Spread::of(trio.iter().map(time));
    let svrg = time(&Contestant::AGGLIO_SVRG);
    vec![
        Claim::new(
            "text, convergence",
            "AGGLIO's GD, SGD and Adam versions perform comparably (within three times)",
            format!("to {}: from {} to {}", goal.words, moment(low), moment(high)),
            high / low,
            Bound::AtMost(3.0),
        ),
        Claim::new(
            "text, convergence",
            "AGGLIO's SVRG version is more sluggish than GD, SGD and Adam",
            format!("to {}: SVRG takes {}, the slowest of the others {}", goal.words, moment(svrg), moment(high)),
            svrg / high,
            Bound::AtLeast(1.0),
        ),
        Claim::new(
            "caption of figure 4",
            "SVRG ends on a par with GD (within three times)",
            format!("SVRG at {}, GD at {}", brief(ends(&Contestant::AGGLIO_SVRG)), brief(ends(&Contestant::AGGLIO_GD))),
            ends(&Contestant::AGGLIO_SVRG) / ends(&Contestant::AGGLIO_GD),
            Bound::AtMost(3.0),
        ),
    ]
}

fn noisy(name: &'static str, noise: &str, task: &Task, request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    let entrants = contest::hold(task, &VARIANTS, request, hear)?;
    let goal = Goal::minimum(&entrants);
    let title = format!("Variants of AGGLIO, sigmoid, {noise}");
    let mut figure = field::figure(name, &title, task, &entrants, std::slice::from_ref(&goal), request);
    let end = |entrant: &Entrant| expected::noisy(name, "AGGLIO", entrant.contestant.name, entrant.finals());
    figure.claims = paper(&entrants).map(end).collect();
    figure.claims.extend(sluggish(&entrants, &goal));
    Ok(figure)
}
