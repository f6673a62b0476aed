//! The *form* of a value: how it is read from text, written as text, and which values are allowed.

use std::fmt::Display;
use std::str::FromStr;

use crate::oracle::{Loss, PreimageBranch};
use crate::outcome::Noise;
use crate::rows::Scaling;
use crate::solver::Solver;
use crate::solver::direction::V0;
use crate::spec::{Pair, Prove, Restarts, Start};
use crate::text::join::quoted;
use crate::theory::{Algorithm, Statement};

/// A value, or else the allowed values as a clause that follows a semicolon.
pub(super) type Read<T> = Result<T, String>;

/// A value with a text of its type: a number, a name.
pub(super) struct Plain(pub &'static str);

pub(super) const NUMBER: Plain = Plain("it must be a number");
pub(super) const WHOLE: Plain = Plain("it must be a whole number, not negative and below 2^64");
pub(super) const NAME: Plain = Plain("it must be a name");
pub(super) const PAIR: Plain = Plain("it must be two entries with a comma between them, each a number or `free`");
pub(super) const FLAG: Plain = Plain("it must be `true` or `false`");

impl Plain {
    pub fn read<T: FromStr>(&self, text: &str) -> Read<T> {
        text.parse().map_err(|_| self.0.to_owned())
    }

    pub fn text(&self, value: &impl Display) -> String {
        value.to_string()
    }
}

/// One of a few values, each with its word.
pub(super) struct Words<T: 'static>(&'static [(T, &'static str)]);

pub(super) const LOSS: Words<Loss> = Words(&[(Loss::Squares, "squares"), (Loss::Bernoulli, "bernoulli")]);
pub(super) const NOISE: Words<Noise> = Words(&[(Noise::Post, "post"), (Noise::Pre, "pre"), (Noise::Auto, "auto")]);
pub(super) const SCALING: Words<Scaling> = Words(&[(Scaling::Standard, "standard"), (Scaling::None, "none")]);
pub(super) const DECAY: Words<bool> = Words(&[(false, "none"), (true, "stall")]);
pub(super) const MOMENT: Words<V0> = Words(&[(V0::Zero, "zero"), (V0::Gradient, "gradient")]);
pub(super) const BRANCH: Words<PreimageBranch> =
    Words(&[(PreimageBranch::Nearer, "nearer"), (PreimageBranch::Left, "left"), (PreimageBranch::Right, "right")]);
pub(super) const ALGORITHM: Words<Algorithm> = Words(&[(Algorithm::One, "1"), (Algorithm::Two, "2")]);
pub(super) const CONSTANTS: Words<Statement> =
    Words(&[(Statement::Corrected, "corrected"), (Statement::Printed, "printed")]);

impl<T: Copy + PartialEq> Words<T> {
    pub fn read(&self, text: &str) -> Read<T> {
        let found = self.0.iter().find(|(_, word)| *word == text).map(|(value, _)| *value);
        found.ok_or_else(|| format!("it must be {}", quoted(self.0.iter().map(|(_, word)| *word), "or")))
    }

    pub fn text(&self, value: &T) -> String {
        self.0.iter().find(|(known, _)| known == value).map(|(_, word)| (*word).to_owned()).unwrap_or_default()
    }
}

/// The name of a solver.
pub(super) struct SolverName;

impl SolverName {
    pub fn read(&self, text: &str) -> Read<Solver> {
        Solver::named(text)
    }

    pub fn text(&self, value: &Solver) -> String {
        value.name().to_owned()
    }
}

/// A number of restarts, or `auto`.
pub(super) struct CountOrAuto;

impl CountOrAuto {
    pub fn read(&self, text: &str) -> Read<Restarts> {
        match text {
            "auto" => Ok(Restarts::Auto),
            count => count.parse().map(Restarts::Count).map_err(|_| "it must be a whole number or `auto`".to_owned()),
        }
    }

    pub fn text(&self, value: &Restarts) -> String {
        match value {
            Restarts::Auto => "auto".to_owned(),
            Restarts::Count(count) => count.to_string(),
        }
    }
}

/// A gap, `auto` or `none`.
pub(super) struct GapOrWord;

impl GapOrWord {
    pub fn read(&self, text: &str) -> Read<Prove> {
        match text {
            "auto" => Ok(Prove::Auto),
            "none" => Ok(Prove::None),
            gap => gap.parse().map(Prove::Gap).map_err(|_| "it must be a number, `auto` or `none`".to_owned()),
        }
    }

    pub fn text(&self, value: &Prove) -> String {
        match value {
            Prove::Auto => "auto".to_owned(),
            Prove::None => "none".to_owned(),
            Prove::Gap(gap) => gap.to_string(),
        }
    }
}

/// `zero`, `random`, `random:S`, or a point as `at:b,w1,w2` and so on.
pub(super) struct Place;

impl Place {
    pub fn read(&self, text: &str) -> Read<Start> {
        let numbers = |text: &str| text.split(',').map(str::parse).collect::<Result<Vec<f64>, _>>();
        match text.split_once(':') {
            None if text == "zero" => Ok(Start::Zero),
            None if text == "random" => Ok(Start::Random(None)),
            Some(("random", scale)) => scale
                .parse()
                .map(|scale| Start::Random(Some(scale)))
                .map_err(|_| "`random:` must be followed by a number".into()),
            Some(("at", point)) => match numbers(point).as_deref() {
                Ok([intercept, coefficients @ ..]) => {
                    Ok(Start::At { coefficients: coefficients.to_vec(), intercept: *intercept })
                }
                _ => Err("`at:` must be followed by numbers: the intercept, then the coefficients".into()),
            },
            _ => Err("it must be `zero`, `random`, `random:S` or a point".into()),
        }
    }

    pub fn text(&self, value: &Start) -> String {
        match value {
            Start::Zero => "zero".into(),
            Start::Random(None) => "random".into(),
            Start::Random(Some(scale)) => format!("random:{scale}"),
            Start::At { coefficients, intercept } => {
                let point: Vec<String> = [intercept].into_iter().chain(coefficients).map(f64::to_string).collect();
                format!("at:{}", point.join(","))
            }
        }
    }
}

/// Which values are allowed, as a test and as a clause that follows a semicolon.
pub(super) struct Range<T: ?Sized>(pub fn(&T) -> bool, pub &'static str);

pub(super) const POSITIVE: Range<f64> = Range(|x| x.is_finite() && *x > 0.0, "it must be finite and positive");
pub(super) const NOT_NEGATIVE: Range<f64> = Range(|x| x.is_finite() && *x >= 0.0, "it must be finite and not negative");
pub(super) const FRACTION: Range<f64> = Range(|x| (0.0..1.0).contains(x), "it must be at least 0 and below 1");
pub(super) const COSINE: Range<f64> = Range(|x| (0.0..1.0).contains(x), "it must be at least 0 and below 1");
pub(super) const UNIT: Range<f64> = Range(|x| (0.0..=1.0).contains(x), "it must be between 0 and 1");
pub(super) const FIRST: Range<f64> =
    Range(|x| *x > 0.0 && *x <= 1.0, "it must be above 0 and at most the last temperature");
pub(super) const GROWTH: Range<f64> =
    Range(|x| x.is_finite() && *x > 1.0, "it must be finite and above 1, so that the temperature rises");
pub(super) const COUNT: Range<usize> = Range(|count| *count > 0, "it must be at least 1");
pub(super) const PLACE: Range<Start> =
    Range(Start::is_finite, "its numbers must be finite, and S of `random:S` not negative");

pub(super) const GAP: Range<Prove> = Range(Prove::is_allowed, "a gap must be above 0 and below 1");

pub(super) const PAIR_RANGE: Range<Pair> = Range(Pair::is_finite, "its numbers must be finite");

impl<T> Range<T> {
    pub const ANY: Range<T> = Range(|_| true, "");

    /// The reason why a value is not allowed; none if it is allowed.
    pub fn complaint(&self, value: &T) -> Option<&'static str> {
        (!(self.0)(value)).then_some(self.1)
    }
}
