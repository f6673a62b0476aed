//! A *curve* of one covariate by its name in a field: the activation, the response scale and the parameters that its users
//! know.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::inference::{Estimate, Inference};
use crate::oracle::ResponseName;
use crate::report::Report;
use crate::spec::{Entry, Options, Pair};
use crate::table::{Features, Selection, Term};
use crate::text::join::quoted;
use crate::text::suggest::nearest;

const FREE: Pair = Pair(Entry::Free, Entry::Free);
const FROM_ZERO: Pair = Pair(Entry::Fixed(0.0), Entry::Free);

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

/// Slope, intercept and response scale of a fit.
#[derive(Clone, Copy, Debug, Default)]
struct Shape {
    slope: f64,
    intercept: f64,
    lower: f64,
    upper: f64,
    offset: f64,
    scale: f64,
}

impl Shape {
    /// The covariate at which z = 0, on the scale on which it enters.
    fn midpoint(&self) -> f64 {
        -self.intercept / self.slope
    }
}

/// A parameter by its name, as a function of the shape.
type Parameter = (&'static str, fn(&Shape) -> f64);

const B: Parameter = ("b", |shape| if shape.scale < 0.0 { shape.slope } else { -shape.slope });
const C: Parameter = ("c", |shape| shape.lower);
const D: Parameter = ("d", |shape| shape.upper);
const E: Parameter = ("e", |shape| shape.midpoint().exp());

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

    fn table(self) -> &'static [Parameter] {
        match self {
            Curve::Ll3 => &[B, D, E],
            Curve::Ll4 => &[B, C, D, E],
            Curve::SsLogis => {
                &[("Asym", |shape| shape.upper), ("xmid", Shape::midpoint), ("scal", |shape| 1.0 / shape.slope)]
            }
            Curve::Gompertz => &[
                ("Asym", |shape| shape.upper),
                ("b2", |shape| (-shape.intercept).exp()),
                ("b3", |shape| (-shape.slope).exp()),
            ],
            Curve::MichaelisMenten => &[("Vm", |shape| shape.upper), ("K", |shape| (-shape.intercept).exp())],
            Curve::Emax => &[
                ("E0", |shape| shape.offset),
                ("Emax", |shape| shape.scale),
                ("EC50", |shape| (-shape.intercept).exp()),
            ],
            Curve::Hill => {
                &[("Emax", |shape| shape.scale), ("EC50", |shape| shape.midpoint().exp()), ("h", |shape| shape.slope)]
            }
        }
    }

    /// The parameter of a [`Plan`](crate::Plan) that groups share if they share a parameter of the curve; none if there is no such
    /// parameter, as for an EC50 beside a slope.
    pub fn shared_name(self, parameter: &str) -> Option<&'static str> {
        let name = match (self, parameter) {
            (Curve::Ll3 | Curve::Ll4, "b")
            | (Curve::SsLogis, "scal")
            | (Curve::Gompertz, "b3")
            | (Curve::Hill, "h") => "slope",
            (Curve::Ll4, "c") => "lower",
            (Curve::Ll3 | Curve::Ll4, "d") | (Curve::SsLogis | Curve::Gompertz, "Asym") => "upper",
            (Curve::MichaelisMenten, "Vm") => "upper",
            (Curve::Gompertz, "b2") | (Curve::MichaelisMenten, "K") | (Curve::Emax, "EC50") => "intercept",
            (Curve::Emax, "E0") => "offset",
            (Curve::Emax | Curve::Hill, "Emax") => "scale",
            _ => return None,
        };
        Some(name)
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

    /// The columns of a fit, from a selection whose only covariate is the dose, the concentration or the time itself.
    ///
    /// # Errors
    /// If the selection does not name exactly one covariate, or has an offset.
    pub fn selection(self, selection: Selection) -> Result<Selection> {
        let named: &[String] = match &selection.features {
            Features::Only(names) | Features::Terms { add: names, .. } => names,
            _ => &[],
        };
        let [only] = named else {
            return Err(Error::data(format!("the curve {self} has one covariate: name its column")));
        };
        if selection.offset.is_some() {
            return Err(Error::data(format!("the curve {self} takes no offset")));
        }
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

    /// The values of its parameters.
    pub fn values(self, report: &Report) -> Vec<f64> {
        let (offset, scale) = (report.affine.offset, report.affine.scale);
        let (one, other) = (offset, offset + scale);
        let shape = Shape {
            slope: report.coefficients.first().copied().unwrap_or(1.0),
            intercept: report.intercept,
            lower: one.min(other),
            upper: one.max(other),
            offset,
            scale,
        };
        self.table().iter().map(|(_, value)| value(&shape)).collect()
    }

    /// Its parameters with their standard errors, by the delta method.
    pub fn estimates(self, report: &Report, inference: &Inference<'_>) -> Vec<Estimate> {
        let names = inference.response_names();
        let shape = |beta: &[f64]| {
            let (predictor, response) = beta.split_at(beta.len() - names.len());
            let (slope, intercept) = match predictor {
                [slope, intercept] => (*slope, *intercept),
                [intercept] => (1.0, *intercept),
                _ => (f64::NAN, f64::NAN),
            };
            let fixed = Shape { slope, intercept, scale: report.affine.scale, ..Shape::default() };
            names.iter().zip(response).fold(fixed, |shape, (name, &value)| match name {
                ResponseName::Lower => Shape { lower: value, ..shape },
                ResponseName::Upper => Shape { upper: value, ..shape },
                ResponseName::Offset => Shape { offset: value, ..shape },
                ResponseName::Scale => Shape { scale: value, ..shape },
            })
        };
        self.table().iter().map(|(_, value)| inference.function(|beta| value(&shape(beta)))).collect()
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
