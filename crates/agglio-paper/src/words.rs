//! *Words* for people: numbers of few digits, times, and what claims come to.

use crate::claim::Bound;
use crate::figure::{Cell, Figure};

/// Three significant digits; what is not finite never came.
pub fn brief(value: f64) -> String {
    match value {
        v if !v.is_finite() => "never".into(),
        0.0 => "0".into(),
        v if (1e-3..1e6).contains(&v.abs()) => {
            let digits = (2 - v.abs().log10().floor() as i32).max(0) as usize;
            let text = format!("{v:.digits$}");
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
        }
        v => {
            let text = format!("{v:.2e}");
            let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
        }
    }
}

/// A time in seconds, in the unit that suits it.
pub fn time(seconds: f64) -> String {
    match seconds {
        s if s < 0.0995 => format!("{:.0} ms", 1e3 * s),
        s if s < 59.95 => format!("{s:.1} s"),
        s => format!("{:.0} min {:.0} s", (s.round() / 60.0).floor(), s.round() % 60.0),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let texts = [0.0, 0.1, -2.5, 1234.5, 4.4e-16, 1e-15, 0.000_999, 1e6, f64::INFINITY, 0.012_345].map(brief);
        assert_eq!(texts, ["0", "0.1", "-2.5", "1234", "4.4e-16", "1e-15", "9.99e-4", "1e6", "never", "0.0123"]);
    }

    #[test]
    fn times_have_the_unit_that_suits_them() {
        assert_eq!([0.0123, 1.26, 59.96, 125.0].map(time), ["12 ms", "1.3 s", "1 min 0 s", "2 min 5 s"]);
    }
}
