//! The *expected* values: those of the paper's published run, read off its figures. A reproduction must match or beat them.

use agglio::text::format::brief;

use crate::claim::{Bound, Claim};
use crate::statistics::Spread;

const PUBLISHED: &str = include_str!("../expected/published.csv");

/// How far above a published error that is all rounding another may be.
const ROUNDING: f64 = 2.0;
/// How far above a published error of noisy data one on other data may be.
const OTHER_DATA: f64 = 1.1;

/// The published value of a figure; not a number if there is none.
pub fn published(figure: &str, who: &str) -> f64 {
    let mut lines = PUBLISHED.lines().skip(1).map(|line| line.splitn(3, ','));
    let value = lines.find_map(|mut cells| {
        (cells.next() == Some(figure) && cells.next() == Some(who)).then(|| cells.next()).flatten()?.parse().ok()
    });
    value.unwrap_or(f64::NAN)
}

/// That an error which is all rounding is at most twice the published one.
pub fn rounding(figure: &str, who: &str, name: &str, error: Spread) -> Claim {
    let published = published(figure, who);
    Claim::new(
        "published run",
        format!("{name} ends at ‖w − w*‖ ≤ {published:e} (twice that allowed: it is rounding)"),
        spread(error),
        error.median,
        Bound::AtMost(ROUNDING * published),
    )
}

/// That an error of noisy data is at most a tenth above the published one.
pub fn noisy(figure: &str, who: &str, name: &str, error: Spread) -> Claim {
    let published = published(figure, who);
    Claim::new(
        "published run",
        format!("{name}: error {published} or less (a tenth more allowed: other data)"),
        spread(error),
        error.median,
        Bound::AtMost(OTHER_DATA * published),
    )
}

/// A spread in words.
fn spread(error: Spread) -> String {
    format!("median {}, from {} to {}", brief(error.median), brief(error.low), brief(error.high))
}
