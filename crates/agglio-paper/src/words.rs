//! *Words* for people: numbers of few digits, and what claims come to.

use agglio::text::format;

use crate::claim::{Bound, Tally};
use crate::figure::{Cell, Figure};

/// A number of a claim; a dash if there is none.
pub fn value(value: f64) -> String {
    match value {
        v if v.is_nan() => "–".into(),
        f64::INFINITY => "∞".into(),
        f64::NEG_INFINITY => "−∞".into(),
        v => format::brief(v),
    }
}

/// Three significant digits of a cell; `never` if the number is not finite.
fn brief(value: f64) -> String {
    if value.is_finite() { format::brief(value) } else { "never".into() }
}

/// The bound on a number, in words.
pub fn bound(bound: Bound) -> String {
    match bound {
        Bound::AtMost(limit) => format!("at most {}", value(limit)),
        Bound::AtLeast(limit) => format!("at least {}", value(limit)),
    }
}

/// How many times over a claim holds; nothing where that cannot be said.
pub fn margin(margin: f64) -> String {
    if margin.is_finite() { format!("{}×", value(margin)) } else { value(margin) }
}

/// A cell of a table, in parts that a line may be broken between.
pub fn cell(cell: &Cell) -> Vec<String> {
    match cell {
        Cell::Text(text) => vec![text.clone()],
        Cell::Number(value) => vec![brief(*value)],
        Cell::Range { median, low, high } if low == high && median == low => vec![brief(*median)],
        Cell::Range { median, low, high } => {
            vec![brief(*median), format!("({} … {})", brief(*low), brief(*high))]
        }
    }
}

/// How many claims of a figure held.
pub fn held(figure: &Figure) -> String {
    match Tally::of(&figure.claims) {
        tally if tally.all() == 0 => "–".into(),
        tally => format!("{} of {}", tally.held, tally.all()),
    }
}

/// How many claims of figures got each verdict.
pub fn tally<'a>(figures: impl IntoIterator<Item = &'a Figure>) -> Tally {
    Tally::of(figures.into_iter().flat_map(|figure| &figure.claims))
}

/// How many claims held, failed and tied, in one sentence without an end.
pub fn outcome(tally: Tally) -> String {
    format!("{} of {} claims held, {} failed, {} undecided", tally.held, tally.all(), tally.failed, tally.undecided)
}
