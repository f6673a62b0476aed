//! The footnote on SiLU: negative labels have two *preimages*, and AGGLIO is said to work with either.

use agglio::text::format::brief;

use crate::claim::{Bound, Claim};
use crate::contest::{self, Entrant};
use crate::contestant::{Contestant, Run};
use crate::error::Result;
use crate::figure::{Figure, Table};
use crate::figures::field::{self, median};
use crate::goal::Goal;
use crate::grid::Setting;
use crate::request::Request;
use crate::statistics::Spread;
use crate::task::Task;
use crate::track::Over;

const FOOTNOTE: &str = "footnote on SiLU";

/// An error from which w* is found but for rounding.
const FOUND: f64 = 1e-12;

/// A low temperature and a higher one, both held to the end.
const HELD: [f64; 2] = [0.01, 0.5];

const SMOOTH: &str = "at τ = 1 the two graduated labels are the same, and as τ → 0 each tends to half of its preimage: \
                      a rising temperature puts a wrong choice right, a low one does not";

const HURRIES: &str = "each is tuned alone: for a fixed branch the search may choose τ₀ = 0.1 and a quick rise, and so avoid \
                       the low temperatures, at which such labels lead away from w*";

/// A variant with the nearer preimage, and the same with each branch.
const PAIRS: [(&Contestant, [&Contestant; 2]); 2] = [
    (&Contestant::AGGLIO_GD, [&Contestant::LEFT_GD, &Contestant::RIGHT_GD]),
    (&Contestant::AGGLIO_SGD, [&Contestant::LEFT_SGD, &Contestant::RIGHT_SGD]),
];

/// Adds the claims of the footnote, and a table of the runs behind them.
///
/// # Errors
/// If somebody wants it to end.
pub fn add(
    figure: &mut Figure,
    task: &Task,
    entrants: &[Entrant],
    request: &Request,
    hear: &dyn Fn(&str),
) -> Result<()> {
    let fixed = contest::hold(task, &Contestant::FIXED_PREIMAGES, request, hear)?;
    let goals = [1e-6, FOUND].map(Goal::at);
    let title = "Labels of one branch throughout; columns as above".into();
    figure.tables.push(Table { title, ..contest::table(task, &fixed, &goals) });
    figure.claims.extend(fixed.iter().map(works));
    figure.claims.push(smooth(task, request)?);
    let of = |from, contestant| contest::of(from, contestant);
    for (nearer, [left, right]) in PAIRS {
        if let (Some(nearer), Some(left), Some(right)) = (of(entrants, nearer), of(&fixed, left), of(&fixed, right)) {
            figure.claims.extend(slower(nearer, [left, right]));
        }
    }
    Ok(())
}

/// "Taking either value … was found to work well."
fn works(fixed: &Entrant) -> Claim {
    let errors = fixed.finals();
    Claim::new(
        FOOTNOTE,
        format!("{} finds w* on every seed (to {FOUND:e})", fixed.contestant.name),
        format!("median {}, at most {}", brief(errors.median), brief(errors.high)),
        errors.high,
        Bound::AtMost(FOUND),
    )
}

/// "Due to the smoothness of φ_τ, especially for small temperature values": the lower the temperature, the nearer to w* a
/// fit with fixed preimages should end.
fn smooth(task: &Task, request: &Request) -> Result<Claim> {
    let errors = |tau: f64| -> Result<Vec<f64>> {
        let setting: Setting = vec![("tau0", tau), ("tau-max", tau)];
        let end = |seed: u64| {
            let left = Contestant::LEFT_GD.reach(task, &setting, Contestant::EPOCHS, seed, request)?;
            let right = Contestant::RIGHT_GD.reach(task, &setting, Contestant::EPOCHS, seed, request)?;
            Ok(left.error.min(right.error))
        };
        request.all_seeds().map(end).collect()
    };
    let [low, high] = HELD;
    let (at_low, at_high) = (errors(low)?, errors(high)?);
    let ratio = Spread::of_ratios(at_low.iter().copied(), at_high.iter().copied());
    Ok(Claim::new(
        FOOTNOTE,
        format!(
            "either branch works especially at small temperatures: held at τ = {low} AGGLIO-GD ends no farther from w* than \
             held at τ = {high}"
        ),
        format!(
            "the better branch leaves an error of {} at τ = {low} and {} at τ = {high}",
            brief(median(&at_low)),
            brief(median(&at_high))
        ),
        ratio.median,
        Bound::AtMost(1.0),
    )
    .over(ratio)
    .remark(SMOOTH))
}

/// The nearer of the two, which this project takes, against the faster of both branches, seed by seed.
fn slower(nearer: &Entrant, fixed: [&Entrant; 2]) -> [Claim; 2] {
    let goal = Goal::at(FOUND);
    let epochs = |runs: &[Run]| goal.arrivals(runs, Over::Epochs);
    let claim = |when: &str, ours: &[Run], [left, right]: [&[Run]; 2]| {
        let (ours, left, right) = (epochs(ours), epochs(left), epochs(right));
        let theirs: Vec<f64> = left.iter().zip(&right).map(|(left, right)| left.min(*right)).collect();
        let saved = Spread::of_ratios(theirs.iter().copied(), ours.iter().copied());
        let name = nearer.contestant.name;
        Claim::new(
            "beyond the paper",
            format!("{name}, {when}, takes fewer epochs with the nearer preimage than with either branch throughout"),
            format!(
                "to {}: {} with the nearer, {} with the faster branch",
                goal.words,
                field::epochs(&ours),
                field::epochs(&theirs)
            ),
            saved.median,
            Bound::AtLeast(1.0),
        )
        .over(saved)
    };
    [
        claim("tuned", &nearer.tuned, fixed.map(|entrant| &entrant.tuned[..])).remark(HURRIES),
        claim("as it comes", &nearer.untuned, fixed.map(|entrant| &entrant.untuned[..])),
    ]
}
