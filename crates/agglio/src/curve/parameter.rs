//! A *parameter* of a curve is a function of the parameters of its fit: of one of them, or the midpoint.

use crate::oracle::ResponseName;

/// A parameter of a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// w.
    Slope,
    /// c.
    Intercept,
    /// A free entry of the response scale.
    Response(ResponseName),
}

/// A monotone function of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Map {
    /// v.
    Same,
    /// −v for a curve a + b·φ with b ≥ 0, else v.
    Against,
    /// 1/v.
    Reciprocal,
    /// e^(−v).
    ExpOfMinus,
}

/// A parameter of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parameter {
    /// A function of one parameter of the fit.
    Of(Entry, Map),
    /// −c/w, the covariate at which z = 0.
    Midpoint,
    /// e^(−c/w), for a covariate that is a logarithm.
    ExpMidpoint,
}

/// The parameters of a fit with their values.
#[derive(Clone, Debug)]
pub(super) struct Point<'a> {
    pub entries: Vec<Entry>,
    pub values: &'a [f64],
    /// Whether b ≥ 0 in a + b·φ.
    pub rises: bool,
}

impl Entry {
    /// Its name in a [`Plan`](crate::Plan) with one covariate.
    pub fn name(self) -> &'static str {
        match self {
            Entry::Slope => "slope",
            Entry::Intercept => "intercept",
            Entry::Response(name) => name.name(),
        }
    }
}

impl Map {
    /// The value and the derivative at v.
    fn at(self, v: f64, rises: bool) -> (f64, f64) {
        match self {
            Map::Against if rises => (-v, -1.0),
            Map::Same | Map::Against => (v, 1.0),
            Map::Reciprocal => (v.recip(), -(v * v).recip()),
            Map::ExpOfMinus => ((-v).exp(), -(-v).exp()),
        }
    }

    /// The ends of an interval; an open end stays open. A pole in the interval opens both.
    fn interval(self, [low, high]: [Option<f64>; 2], rises: bool) -> [Option<f64>; 2] {
        let is_left = low.is_some_and(|low| low > 0.0) || high.is_some_and(|high| high < 0.0);
        if self == Map::Reciprocal && !is_left {
            return [None, None];
        }
        let [one, other] = [low, high].map(|end| end.map(|end| self.at(end, rises).0));
        if matches!(self, Map::Same) || self == Map::Against && !rises { [one, other] } else { [other, one] }
    }
}

impl Parameter {
    /// The parameter of the fit that it is a function of, if it is only one.
    pub fn entry(self) -> Option<Entry> {
        match self {
            Parameter::Of(entry, _) => Some(entry),
            Parameter::Midpoint | Parameter::ExpMidpoint => None,
        }
    }

    /// The parameters of the fit that it is a function of.
    pub fn entries(self) -> Vec<Entry> {
        self.entry().map_or(vec![Entry::Slope, Entry::Intercept], |entry| vec![entry])
    }

    /// Its value, and its gradient by the parameters of the fit.
    pub fn at(self, point: &Point<'_>) -> (f64, Vec<f64>) {
        let (w, c) = (point.value(Entry::Slope), point.value(Entry::Intercept));
        let midpoint = -c / w;
        let by = |factor: f64| vec![(Entry::Slope, -factor * midpoint / w), (Entry::Intercept, -factor / w)];
        let (value, derivatives) = match self {
            Parameter::Of(entry, map) => {
                let (value, derivative) = map.at(point.value(entry), point.rises);
                (value, vec![(entry, derivative)])
            }
            Parameter::Midpoint => (midpoint, by(1.0)),
            Parameter::ExpMidpoint => (midpoint.exp(), by(midpoint.exp())),
        };
        let derivative = |entry: &Entry| derivatives.iter().find(|(of, _)| of == entry).map_or(0.0, |(_, own)| *own);
        (value, point.entries.iter().map(derivative).collect())
    }

    /// Its interval from those of the parameters of the fit; none if it is a function of several.
    pub fn interval(self, point: &Point<'_>, intervals: &[[Option<f64>; 2]]) -> Option<[Option<f64>; 2]> {
        let Parameter::Of(entry, map) = self else { return None };
        Some(map.interval(*intervals.get(point.place(entry)?)?, point.rises))
    }
}

impl Point<'_> {
    fn place(&self, entry: Entry) -> Option<usize> {
        self.entries.iter().position(|own| *own == entry)
    }

    fn value(&self, entry: Entry) -> f64 {
        self.place(entry).and_then(|place| self.values.get(place)).copied().unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_follow_monotone_functions() {
        let ends = [Some(0.5), Some(2.0)];
        assert_eq!(Map::Same.interval(ends, true), ends);
        assert_eq!(Map::Against.interval(ends, false), ends);
        assert_eq!(Map::Against.interval(ends, true), [Some(-2.0), Some(-0.5)]);
        assert_eq!(Map::Reciprocal.interval(ends, true), ends);
        assert_eq!(Map::ExpOfMinus.interval(ends, true), [2.0, 0.5].map(|end: f64| Some((-end).exp())));
        // an open end, and a pole
        assert_eq!(Map::Reciprocal.interval([Some(0.5), None], true), [None, Some(2.0)]);
        assert_eq!(Map::Reciprocal.interval([None, Some(-0.5)], true), [Some(-2.0), None]);
        assert_eq!(Map::Reciprocal.interval([Some(-0.5), Some(2.0)], true), [None, None]);
    }
}
