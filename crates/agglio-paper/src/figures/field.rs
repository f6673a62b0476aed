//! The *field* of a contest: who is in it, and the figure that it makes.

use agglio::number::brief;

use crate::contest::{self, Entrant};
use crate::contestant::Contestant;
use crate::figure::Figure;
use crate::goal::Goal;
use crate::problem::Problem;
use crate::request::Request;

/// AGGLIO, its competitors, and what a reader would add.
pub const EVERYBODY: [Contestant; 11] = [
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
    Figure {
        name,
        title: title.into(),
        caption:
            "The distance to the true model along each fit: median of the seeds, with a band from the lowest to the \
                  highest. Dashed methods are not in the paper."
                .into(),
        parameters: contest::parameters(problem, request),
        panels: contest::panels(problem, entrants),
        columns: 2,
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

/// The fastest of some to a goal, tuned or as it comes: who, and when.
pub fn fastest<'a>(who: impl IntoIterator<Item = &'a Entrant>, goal: &Goal) -> (String, f64) {
    let times = who.into_iter().map(|entrant| entrant.fastest(goal));
    let least = times.min_by(|(_, one), (_, other)| one.total_cmp(other));
    least.unwrap_or_else(|| ("nobody".into(), f64::NAN))
}
