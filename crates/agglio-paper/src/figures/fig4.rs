//! Figure 4: four variants of AGGLIO on a sigmoid, without noise, with noise before φ and with noise after it.

use agglio::number::brief;

use crate::claim::{Bound, Claim};
use crate::contest::{self, Entrant};
use crate::contestant::Contestant;
use crate::error::Result;
use crate::figure::Figure;
use crate::figures::fig2::{field, moment};
use crate::settings::Settings;
use crate::statistics::Spread;
use crate::task::Task;
use crate::track::Over;

const VARIANTS: [Contestant; 5] =
    [Contestant::AGGLIO_GD, Contestant::AGGLIO_SGD, Contestant::AGGLIO_SVRG, Contestant::AGGLIO_ADAM, Contestant::AUTO];

/// Where the published run ended without noise.
const FINALS: [(Contestant, f64); 4] = [
    (Contestant::AGGLIO_GD, 5e-16),
    (Contestant::AGGLIO_SGD, 1.4e-15),
    (Contestant::AGGLIO_SVRG, 3e-15),
    (Contestant::AGGLIO_ADAM, 1.3e-15),
];

/// Figure 4a: without noise.
///
/// # Errors
/// If somebody wants it to end.
pub fn a(settings: &Settings, hear: &dyn Fn(&str)) -> Result<Figure> {
    let task = Task::usual("sigmoid");
    let entrants = contest::hold(&task, &VARIANTS, settings, hear)?;
    let goals = [(1e-6, "1e-6"), (1e-12, "1e-12")];
    let mut figure = field("fig4a", "Sigmoid without noise", &task, &entrants, &goals, settings);
    figure.title = "Variants of AGGLIO without noise".into();
    figure.claims =
        FINALS.iter().filter_map(|(who, published)| ends(contest::of(&entrants, who)?, *published)).collect();
    figure.claims.extend(steps(&entrants));
    figure.claims.extend(sluggish(&entrants, 1e-12));
    Ok(figure)
}

/// Figure 4b: noise before φ.
///
/// # Errors
/// If somebody wants it to end.
pub fn b(settings: &Settings, hear: &dyn Fn(&str)) -> Result<Figure> {
    noisy("fig4b", "noise before φ", &Task::usual("sigmoid").pre(0.5), 1.0, settings, hear)
}

/// Figure 4c: noise after φ, with the published run's σ.
///
/// # Errors
/// If somebody wants it to end.
pub fn c(settings: &Settings, hear: &dyn Fn(&str)) -> Result<Figure> {
    noisy("fig4c", "noise after φ", &Task::usual("sigmoid").post(0.05), 0.4, settings, hear)
}

fn ends(entrant: &Entrant, published: f64) -> Option<Claim> {
    let (name, last) = (entrant.contestant.name, entrant.finals());
    Some(Claim::new(
        "published run",
        format!("{name} ends at ‖w − w*‖ ≤ {published:e} (twice that allowed: it is rounding)"),
        format!("median {}, {} to {}", brief(last.median), brief(last.low), brief(last.high)),
        last.median,
        Bound::AtMost(2.0 * published),
    ))
}

/// The published run of AGGLIO-GD takes about 76 steps to 1e-12.
fn steps(entrants: &[Entrant]) -> Option<Claim> {
    let gd = contest::of(entrants, &Contestant::AGGLIO_GD)?;
    let steps = Spread::of(gd.tuned.iter().map(|run| run.error.steps_to(1e-12)));
    Some(Claim::new(
        "published run",
        "AGGLIO-GD reaches 1e-12 in about 76 iterations, or fewer",
        format!("{} to {} iterations", steps.low, steps.high),
        steps.median,
        Bound::AtMost(76.0),
    ))
}

/// GD, SGD and Adam are said to be comparable, and SVRG slower, at the same error in the end.
fn sluggish(entrants: &[Entrant], goal: f64) -> Vec<Claim> {
    let time =
        |who: &Contestant| contest::of(entrants, who).map_or(f64::NAN, |who| who.reaches(goal, Over::Seconds).median);
    let ends = |who: &Contestant| contest::of(entrants, who).map_or(f64::NAN, |who| who.finals().median);
    let trio = [Contestant::AGGLIO_GD, Contestant::AGGLIO_SGD, Contestant::AGGLIO_ADAM];
    let Spread { low, high, median } = Spread::of(trio.iter().map(time));
    let svrg = time(&Contestant::AGGLIO_SVRG);
    vec![
        Claim::new(
            "text, convergence",
            "AGGLIO's GD, SGD and Adam versions perform comparably (within three times)",
            format!("to {goal:e}: from {} to {}", moment(low), moment(high)),
            high / low,
            Bound::AtMost(3.0),
        )
        .remark("the paper's grid leaves β₁ and β₂ of AGGLIO-Adam as they are, 0.9 and 0.99: its momentum takes long to die out"),
        Claim::new(
            "text, convergence",
            "AGGLIO's SVRG version is more sluggish than GD, SGD and Adam",
            format!("to {goal:e}: SVRG takes {}, the middle of the others {}", moment(svrg), moment(median)),
            svrg / median,
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

fn noisy(
    name: &'static str,
    noise: &str,
    task: &Task,
    published: f64,
    settings: &Settings,
    hear: &dyn Fn(&str),
) -> Result<Figure> {
    let entrants = contest::hold(task, &VARIANTS, settings, hear)?;
    let optimum = contest::of(&entrants, &Contestant::AUTO).map_or(f64::NAN, |auto| auto.finals().high);
    let goal = 1.1 * optimum;
    let words = format!("{} (1.1 times the minimum's)", brief(goal));
    let mut figure = field(name, &format!("Sigmoid, {noise}"), task, &entrants, &[(goal, &words)], settings);
    figure.title = format!("Variants of AGGLIO, {noise}");
    let claim = |(who, _): &(Contestant, f64)| {
        let (name, last) = (who.name, contest::of(&entrants, who)?.finals());
        Some(Claim::new(
            "published run",
            format!("{name} ends at about {published} (10 % more allowed: other data)"),
            format!("median {}, {} to {}", brief(last.median), brief(last.low), brief(last.high)),
            last.median,
            Bound::AtMost(1.1 * published),
        ))
    };
    figure.claims = FINALS.iter().filter_map(claim).collect();
    Ok(figure)
}
