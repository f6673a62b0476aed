//! *Words* for people: numbers of few digits, and what claims come to.

use agglio::number;

use crate::claim::Bound;
use crate::figure::{Cell, Figure};

/// Three significant digits; what is not finite never came.
pub fn brief(value: f64) -> String {
    if value.is_finite() { number::brief(value) } else { "never".into() }
}

/// What a number must be.
pub fn bound(bound: Bound) -> String {
    match bound {
        Bound::AtMost(limit) => format!("at most {}", brief(limit)),
        Bound::AtLeast(limit) => format!("at least {}", brief(limit)),
    }
}

/// How many times over a claim holds; nothing where that cannot be said.
pub fn margin(margin: f64) -> String {
    match margin {
        m if m.is_nan() => "–".into(),
        m if m.is_infinite() => "∞".into(),
        m => format!("{}×", brief(m)),
    }
}

/// A cell of a table.
pub fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Number(value) => brief(*value),
        Cell::Range { median, low, high } if low == high && median == low => brief(*median),
        Cell::Range { median, low, high } => format!("{} ({} … {})", brief(*median), brief(*low), brief(*high)),
    }
}

/// How many claims of a figure held.
pub fn held(figure: &Figure) -> String {
    match tally([figure]) {
        (_, 0) => "–".into(),
        (held, all) => format!("{held} of {all}"),
    }
}

/// How many claims of figures held, and how many there are.
pub fn tally<'a>(figures: impl IntoIterator<Item = &'a Figure>) -> (usize, usize) {
    let claims = figures.into_iter().flat_map(|figure| &figure.claims);
    claims.fold((0, 0), |(held, all), claim| (held + usize::from(claim.held()), all + 1))
}
