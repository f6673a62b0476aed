//! A *curve* of one covariate by its name in a field: the activation, the response scale and the parameters that its users
//! know.

mod estimates;
mod parameter;

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::oracle::ResponseName;
use crate::spec::{self, Options, Pair};
use crate::table::{Features, Selection, Sole, Term};
use crate::text::join::quoted;
use crate::text::suggest::nearest;

use parameter::Parameter::Of;
use parameter::{Entry, Map, Parameter};

const FREE: Pair = Pair(spec::Entry::Free, spec::Entry::Free);
const FROM_ZERO: Pair = Pair(spec::Entry::Fixed(0.0), spec::Entry::Free);

/// A curve by its name.
///
/// ```
/// use agglio::{Curve, Options, rows::Dense};
///
/// let curve: Curve = "SSlogis".parse()?;
/// let rows = Dense::new(vec![9.0, 14.0, 21.0, 28.0, 42.0, 57.0], 1, vec![9.0, 11.0, 18.0, 22.0, 39.0, 56.0])?;
/// let fitted = curve.options()?.build()?.fit(&rows)?;
/// let names: Vec<&str> = curve.parameters().collect();
/// assert_eq!(names, ["Asym", "xmid", "scal"]);
/// assert!(curve.values(&fitted)[0] > 56.0);
/// # Ok::<(), agglio::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Curve {
    /// `d/(1 + (x/e)^b)`: log-logistic with a lower asymptote of zero, as in drc.
    Ll3,
    /// `c + (d − c)/(1 + (x/e)^b)`: the four-parameter log-logistic curve of drc.
    Ll4,
    /// `Asym/(1 + e^{(xmid − x)/scal})`: logistic growth, as in R.
    SsLogis,
    /// `Asym·exp(−b2·b3^x)`: Gompertz growth, as `SSgompertz` in R.
    Gompertz,
    /// `Vm·x/(K + x)`: enzyme kinetics, as `SSmicmen` in R.
    MichaelisMenten,
    /// `E0 + Emax·x/(EC50 + x)`: pharmacology.
    Emax,
    /// `Emax·x^h/(EC50^h + x^h)`: the Hill equation.
    Hill,
}

/// How the covariate of a curve enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// As it is.
    Plain,
    /// As log x.
    Log,
    /// As log x with a coefficient of one.
    LogOffset,
}

impl Place {
    fn sole(self) -> Sole {
        match self {
            Place::Plain => Sole::Plain,
            Place::Log => Sole::Log,
            Place::LogOffset => Sole::LogOffset,
        }
    }
}

const SLOPE: Entry = Entry::Slope;
const INTERCEPT: Entry = Entry::Intercept;
const LOWER: Entry = Entry::Response(ResponseName::Lower);
const UPPER: Entry = Entry::Response(ResponseName::Upper);
const OFFSET: Entry = Entry::Response(ResponseName::Offset);
const SCALE: Entry = Entry::Response(ResponseName::Scale);

const B: (&str, Parameter) = ("b", Of(SLOPE, Map::Against));
const C: (&str, Parameter) = ("c", Of(LOWER, Map::Same));
const D: (&str, Parameter) = ("d", Of(UPPER, Map::Same));
const E: (&str, Parameter) = ("e", Parameter::ExpMidpoint);
const ASYM: (&str, Parameter) = ("Asym", Of(UPPER, Map::Same));

impl Curve {
    /// Every curve.
    pub const ALL: [Curve; 7] =
        [Curve::Ll3, Curve::Ll4, Curve::SsLogis, Curve::Gompertz, Curve::MichaelisMenten, Curve::Emax, Curve::Hill];

    /// The name as a user types it.
    pub fn name(self) -> &'static str {
        match self {
            Curve::Ll3 => "LL.3",
            Curve::Ll4 => "LL.4",
            Curve::SsLogis => "SSlogis",
            Curve::Gompertz => "gompertz",
            Curve::MichaelisMenten => "michaelis-menten",
            Curve::Emax => "emax",
            Curve::Hill => "hill",
        }
    }

    /// The names of its parameters, and what they are.
    fn table(self) -> &'static [(&'static str, Parameter)] {
        match self {
            Curve::Ll3 => &[B, D, E],
            Curve::Ll4 => &[B, C, D, E],
            Curve::SsLogis => &[ASYM, ("xmid", Parameter::Midpoint), ("scal", Of(SLOPE, Map::Reciprocal))],
            Curve::Gompertz => &[ASYM, ("b2", Of(INTERCEPT, Map::ExpOfMinus)), ("b3", Of(SLOPE, Map::ExpOfMinus))],
            Curve::MichaelisMenten => &[("Vm", Of(UPPER, Map::Same)), ("K", Of(INTERCEPT, Map::ExpOfMinus))],
            Curve::Emax => &[
                ("E0", Of(OFFSET, Map::Same)),
                ("Emax", Of(SCALE, Map::Same)),
                ("EC50", Of(INTERCEPT, Map::ExpOfMinus)),
            ],
            Curve::Hill => {
                &[("Emax", Of(SCALE, Map::Same)), ("EC50", Parameter::ExpMidpoint), ("h", Of(SLOPE, Map::Same))]
            }
        }
    }

    /// The parameters of its fit, in the order of a [`Plan`](crate::Plan).
    fn entries(self) -> Vec<Entry> {
        let slope = (self.place() != Place::LogOffset).then_some(SLOPE);
        let (pair, names) = match self.response() {
            (Some(range), _) => (range, [LOWER, UPPER]),
            (None, affine) => (affine.unwrap_or(FREE), [OFFSET, SCALE]),
        };
        let Pair(first, second) = pair;
        let free = [first, second].into_iter().zip(names).filter(|(entry, _)| *entry == spec::Entry::Free);
        slope.into_iter().chain([INTERCEPT]).chain(free.map(|(_, name)| name)).collect()
    }

    /// The parameter of a [`Plan`](crate::Plan) that groups share if they share a parameter of the curve; none if there is no such
    /// parameter, as for an EC50 beside a slope.
    pub fn shared_name(self, parameter: &str) -> Option<&'static str> {
        let (_, own) = self.table().iter().find(|(name, _)| *name == parameter)?;
        own.entry().map(Entry::name)
    }

    /// The name of the parameter that is the [midpoint](crate::inference::Curve::midpoint), if the fit has a slope beside it.
    pub fn midpoint(self) -> Option<&'static str> {
        let is_midpoint = |own: &Parameter| matches!(own, Parameter::Midpoint | Parameter::ExpMidpoint);
        self.table().iter().find(|(_, own)| is_midpoint(own)).map(|(name, _)| *name)
    }

    /// The parameters that depend on several parameters of the fit, so that an interval of one of those says nothing about them.
    pub fn composite(self) -> impl Iterator<Item = &'static str> {
        self.table().iter().filter(|(_, own)| own.entry().is_none()).map(|(name, _)| *name)
    }

    fn place(self) -> Place {
        match self {
            Curve::Ll3 | Curve::Ll4 | Curve::Hill => Place::Log,
            Curve::SsLogis | Curve::Gompertz => Place::Plain,
            Curve::MichaelisMenten | Curve::Emax => Place::LogOffset,
        }
    }

    /// The names of its parameters.
    pub fn parameters(self) -> impl Iterator<Item = &'static str> {
        self.table().iter().map(|(name, _)| *name)
    }

    /// The name of its activation.
    pub fn activation(self) -> &'static str {
        if self == Curve::Gompertz { "gompertz" } else { "sigmoid" }
    }

    /// Its asymptotes, if it is said by them, else its offset and scale.
    pub fn response(self) -> (Option<Pair>, Option<Pair>) {
        match self {
            Curve::Ll4 => (Some(FREE), None),
            Curve::Ll3 | Curve::SsLogis | Curve::Gompertz | Curve::MichaelisMenten => (Some(FROM_ZERO), None),
            Curve::Emax => (None, Some(FREE)),
            Curve::Hill => (None, Some(FROM_ZERO)),
        }
    }

    /// The options of a fit of this curve.
    ///
    /// # Errors
    /// None in practice: its activation has a name.
    pub fn options(self) -> Result<Options> {
        let options = Options::new(crate::activation::named(self.activation())?);
        Ok(match self.response() {
            (Some(range), _) => options.range(range),
            (None, Some(affine)) => options.affine(affine),
            (None, None) => options,
        })
    }

    /// The columns of a fit, from a selection whose only covariate is the dose, the concentration or the time itself. If it
    /// names no covariate, the only column without another role is taken.
    ///
    /// # Errors
    /// If the selection names several covariates, or has an offset.
    pub fn selection(self, selection: Selection) -> Result<Selection> {
        if selection.offset.is_some() {
            return Err(Error::data(format!("the curve {self} takes no offset")));
        }
        let (named, drop): (&[String], &[String]) = match &selection.features {
            Features::Only(names) => (names, &[]),
            Features::Terms { add, drop } if add.iter().map(String::as_str).eq(["."]) => (&[], drop),
            Features::Terms { add, .. } => (add, &[]),
            Features::Except(drop) => (&[], drop),
            _ => (&[], &[]),
        };
        let only = match named {
            [] => {
                let features = Features::Sole { drop: drop.to_vec(), as_what: self.place().sole() };
                return Ok(Selection { features, ..selection });
            }
            [only] => only,
            _ => return Err(Error::data(format!("the curve {self} has one covariate: name its column alone"))),
        };
        let term = Term::parse(only)?;
        let log = || match term.as_column() {
            Some(column) => Ok(format!("log({})", crate::table::quoted(column))),
            None => Err(Error::data(format!(
                "the curve {self} takes the logarithm itself: give the column `{only}` without it"
            ))),
        };
        Ok(match self.place() {
            Place::Plain => selection,
            Place::Log => Selection { features: Features::Only(vec![log()?]), ..selection },
            Place::LogOffset => Selection { features: Features::Only(Vec::new()), offset: Some(log()?), ..selection },
        })
    }
}

impl fmt::Display for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Curve {
    type Err = Error;

    fn from_str(name: &str) -> Result<Curve> {
        let names = Curve::ALL.map(Curve::name);
        Curve::ALL.into_iter().find(|curve| curve.name().eq_ignore_ascii_case(name)).ok_or_else(|| {
            let hint = nearest(name, &names).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            let allowed = format!("{hint}the curves are {}", quoted(names, "and"));
            Error::parameter("curve", format!("`{name}`"), &allowed)
        })
    }
}
