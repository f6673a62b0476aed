//! The *field* of a contest: who is in it, and the figure that it makes.

use agglio::Solver;
use agglio::text::format::brief;

use crate::claim::{Bound, Claim};
use crate::contest::{self, Entrant};
use crate::contestant::Contestant;
use crate::figure::Figure;
use crate::goal::Goal;
use crate::problem::Problem;
use crate::request::Request;
use crate::statistics::Spread;
use crate::track::Over;

/// AGGLIO, its competitors, further methods of interest, and AGGLIO without the rise of the temperature.
pub const EVERYBODY: [Contestant; 16] = [
    Contestant::AGGLIO_GD,
    Contestant::AGGLIO_SGD,
    Contestant::SHORTENING_SGD,
    Contestant::ADAM,
    Contestant::YOGI,
    Contestant::NGD,
    Contestant::GRADOPT,
    Contestant::AUTO,
    Contestant::LM,
    Contestant::LBFGS,
    Contestant::IRLS,
    Contestant::GLMTRON,
    Contestant::PLAIN_GD,
    Contestant::HELD_GD,
    Contestant::PLAIN_SGD,
    Contestant::HELD_SGD,
];

const CAPTION: &str = "The error along each fit: median of the seeds, with a band between their quartiles. Dashed methods are \
not in the paper. A mark ends each curve, and it is open where half of the fits or more are not certified. No axis goes above \
the error of the start.";

const ABLATION: &str = " Beside AGGLIO the last panel has the same methods with steps of the same length and τ = 1 (dotted), \
or τ held at τ₀ (dash-dotted).";

/// Why noise after φ has the deviation that it has.
pub fn caption_noise() -> (String, String) {
    ("noise".into(), "the caption has σ = 0.5; the published run, whose values are known, 0.05".into())
}

/// The figure of a contest, without claims.
pub fn figure(
    name: &'static str,
    title: &str,
    problem: &dyn Problem,
    entrants: &[Entrant],
    goals: &[Goal],
    request: &Request,
) -> Figure {
    let panels = contest::panels(problem, entrants);
    Figure {
        name,
        title: format!("{title}: {}", problem.title()),
        caption: if panels.len() > 2 { format!("{CAPTION}{ABLATION}") } else { CAPTION.into() },
        parameters: contest::parameters(problem, request),
        columns: panels.len(),
        panels,
        tables: vec![contest::table(problem, entrants, goals)],
        ..Figure::default()
    }
}

/// The paper's competitors among them.
pub fn rivals(entrants: &[Entrant]) -> impl Iterator<Item = &Entrant> {
    Contestant::COMPETITORS.iter().filter_map(|rival| contest::of(entrants, rival))
}

/// A time in words, or that it does not come.
pub fn moment(time: f64) -> String {
    if time.is_finite() { format!("{} ms", brief(1e3 * time)) } else { "for ever".into() }
}

/// The fastest of some to a goal, tuned or as it comes: who, and when for each seed.
pub fn fastest<'a>(who: impl IntoIterator<Item = &'a Entrant>, goal: &Goal) -> (String, Vec<f64>) {
    let times = who.into_iter().map(|entrant| entrant.fastest(goal));
    let least = times.min_by(|(_, one), (_, other)| median(one).total_cmp(&median(other)));
    least.unwrap_or_else(|| ("nobody".into(), Vec::new()))
}

/// Marks a claim to be faster than NGD, which nobody could fail: its steps have one length.
pub fn against(rival: &Entrant, claim: Claim) -> Claim {
    if rival.contestant.solver != Solver::Ngd {
        return claim;
    }
    claim.by_construction().remark(
        "steps of NGD have one length, 0.01 at least by the paper's grid, so that it cannot come nearer to w* than about that",
    )
}

/// The middle one.
pub fn median(values: &[f64]) -> f64 {
    Spread::of(values.iter().copied()).median
}

/// What the rise of the temperature saves: epochs to a goal against the same steps without it. Passes would not do: at the
/// last temperature the loop looks at all rows to see whether it may stop, and where τ rises that is later.
pub fn graduation(entrants: &[Entrant], goal: &Goal) -> Vec<Claim> {
    let claim = |bare: &Entrant| {
        let whole = contest::of(entrants, &bare.contestant.whole()?)?;
        let [ours, theirs] = [whole, bare].map(|entrant| entrant.arrivals(goal, Over::Epochs));
        let (name, other) = (whole.contestant.name, bare.contestant.name);
        let saved = Spread::of_ratios(theirs.iter().copied(), ours.iter().copied());
        let measured = format!("to {}: {} ({other}) against {} ({name})", goal.words, epochs(&theirs), epochs(&ours));
        let statement = format!("with steps of the same length {name} takes fewer epochs than {other}");
        Some(Claim::new("beyond the paper", statement, measured, saved.median, Bound::AtLeast(1.0)).over(saved))
    };
    Contestant::ABLATIONS.iter().filter_map(|bare| claim(contest::of(entrants, bare)?)).collect()
}

/// The median of some counts of epochs in words, or that they do not come.
pub fn epochs(values: &[f64]) -> String {
    match median(values) {
        value if value.is_finite() => format!("{} epochs", brief(value)),
        _ => "never".into(),
    }
}
