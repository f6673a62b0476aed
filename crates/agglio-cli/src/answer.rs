//! An *answer* is what a fit says beyond its coefficients: standard errors, intervals, tests and effective doses.

use agglio::activation::{Activation, named};
use agglio::inference::{
    Available, Covariance, Curve, Distribution, Intervals, Line, LinearHypothesis, Reading, Resampling, Summary, Test,
    Unavailable, Uniqueness, estimates_table, has_asymptotes, parameter_names,
};
use agglio::oracle::ResponseName;
use agglio::spec::{Entry, Pair};

use agglio::table::Term;
use agglio::text::format;
use agglio::{Fitted, Scale, Spec};
use anyhow::{Result, bail};
use serde_json::{Map, Value, json};

use crate::args::{AnswerArgs, Se};

/// The midpoint of a curve over the logarithm of a dose.
const EC50: &str = "ec50";

/// The heads of a table of the parameters of a curve.
pub const PARAMETERS: [&str; 2] = ["parameter", "estimate"];

/// What is asked of a fit.
#[derive(Clone, Debug)]
pub struct Question {
    /// None if there are to be no standard errors.
    kind: Option<Covariance>,
    /// The column of the clusters.
    pub cluster: Option<String>,
    intervals: Intervals,
    level: f64,
    ec: Vec<f64>,
    tests: Vec<String>,
    /// The curve whose parameters are asked for.
    pub curve: Option<agglio::Curve>,
}

impl Default for Question {
    fn default() -> Question {
        let kind = Some(Covariance::Classical);
        let (ec, tests, curve) = (Vec::new(), Vec::new(), None);
        Question { kind, cluster: None, intervals: Intervals::Wald, level: 0.95, ec, tests, curve }
    }
}

/// The answer to a question.
#[derive(Debug, Default)]
pub struct Answer {
    /// None if there is a note.
    pub summary: Option<Summary>,
    /// Why there is no summary.
    pub note: Option<String>,
    /// Results of tests with their texts; none if none was asked for.
    tests: Option<Vec<(String, Test)>>,
    /// Percentages with their values of the covariate; none if none was asked for.
    ec: Option<Vec<(f64, Reading)>>,
    /// The curve that was fitted by its name, with its parameters.
    curve: Option<(agglio::Curve, Vec<Line<'static>>)>,
    midpoint: Option<(&'static str, Reading)>,
    slope: Option<Reading>,
    /// The radius within which the fit is the only minimum, or why there is none.
    uniqueness: Option<Available<Uniqueness>>,
    /// Lines that have no answer, for the reason of the note.
    unanswered: Vec<(String, Option<String>)>,
    /// Whether the answer was cut short by a signal.
    pub is_interrupted: bool,
}

impl Question {
    /// Checks the flags of an answer as far as that needs no data.
    ///
    /// # Errors
    /// If flags contradict each other or the activation.
    pub fn new(args: &AnswerArgs, spec: &Spec) -> Result<Question> {
        let seed = spec.seed.unwrap_or(0);
        let (kind, cluster) = match &args.se {
            None => (Some(Covariance::usual(spec.loss())), None),
            Some(Se::None) => (None, None),
            Some(Se::Of(kind)) => (Some(*kind), None),
            Some(Se::Cluster(column)) => (Some(Covariance::Cluster), Some(column.clone())),
            Some(Se::Bootstrap(replicates, resampling)) => {
                (Some(Covariance::Bootstrap { replicates: *replicates, seed, resampling: *resampling }), None)
            }
        };
        let is_wild = matches!(kind, Some(Covariance::Bootstrap { resampling: Resampling::Wild, .. }));
        if is_wild && spec.loss().is_convex() {
            bail!(
                "--se bootstrap:B:wild does not go with this --loss: {}; use --se bootstrap",
                Unavailable::WildLikelihood
            );
        }
        if kind.is_none() {
            let asked = [(args.intervals == Intervals::Profile, "--intervals"), (!args.ec.is_empty(), "--ec")];
            let asked = asked.into_iter().chain([(!args.test.is_empty(), "--test")]).find(|(asked, _)| *asked);
            if let Some((_, flag)) = asked {
                bail!("{flag} needs standard errors: leave out --se none");
            }
        }
        let equal = matches!(kind, None | Some(Covariance::Classical | Covariance::Hessian));
        if args.intervals == Intervals::Profile && !equal {
            bail!(
                "--intervals profile assumes errors of equal variance, so it goes with --se classical or hessian only"
            );
        }
        let phi = named(spec.activation())?;
        if !args.ec.is_empty() && !has_asymptotes(phi.as_ref()) {
            let name = spec.activation();
            bail!("--ec needs an activation that rises from one asymptote to another, such as sigmoid, but not {name}");
        }
        let (ec, tests) = (args.ec.clone(), args.test.clone());
        Ok(Question { kind, cluster, intervals: args.intervals, level: args.level(), ec, tests, curve: None })
    }

    /// The same for a curve by name, whose parameters are asked for too.
    #[must_use]
    pub fn about(self, curve: Option<agglio::Curve>) -> Question {
        Question { curve, ..self }
    }

    /// Checks it once the names of the covariates are known.
    ///
    /// # Errors
    /// If a hypothesis is not about these coefficients, or there is not exactly one covariate for --ec.
    pub fn check(&self, spec: &Spec, names: &[String]) -> Result<()> {
        if !self.ec.is_empty() && names.len() != 1 {
            bail!(
                "--ec needs a model with exactly one covariate, but this one has {}; name it with --features",
                names.len()
            );
        }
        self.hypotheses(&all_names(spec, names)).map(drop)
    }

    fn hypotheses(&self, names: &[String]) -> Result<Vec<Vec<LinearHypothesis>>> {
        Ok(self.tests.iter().map(|text| LinearHypothesis::parse(text, names)).collect::<agglio::Result<_>>()?)
    }

    /// The answer of a fit.
    ///
    /// # Errors
    /// If hypotheses contradict each other, or rows are lost.
    pub fn ask(&self, fitted: &Fitted, spec: &Spec, names: &[String]) -> Result<Answer> {
        let Some(kind) = self.kind else {
            return Ok(Answer::none("no standard errors were asked for"));
        };
        let inference = match fitted.inference(kind)? {
            Ok(inference) => inference,
            Err(reason) => return Ok(Answer { unanswered: self.asked(), ..Answer::none(&reason.to_string()) }),
        };
        let summary = inference.summary(names, self.level, self.intervals)?;
        let mut answer = Answer::of(&summary, named(spec.activation())?.as_ref(), fitted.affine, self.curve);
        answer.uniqueness = Some(inference.uniqueness()?);
        answer.ec = (!self.ec.is_empty()).then(|| self.readings(&summary, spec, fitted.affine));
        let tests = self.tests.iter().zip(self.hypotheses(&summary.names)?);
        let tests = tests.map(|(text, hypotheses)| Ok((text.clone(), inference.wald_test(&hypotheses)?)));
        answer.tests = Some(tests.collect::<Result<Vec<_>>>()?).filter(|tests| !tests.is_empty());
        Ok(answer)
    }

    /// The names of the lines that tests and effective doses would have, with what was asked.
    fn asked(&self) -> Vec<(String, Option<String>)> {
        let ec = self.ec.iter().map(|percent| (format!("ec{percent}"), None));
        ec.chain(self.tests.iter().map(|text| ("test".to_owned(), Some(text.clone())))).collect()
    }

    /// Whether it asks for lines that only a table or JSON has.
    pub fn has_lines(&self) -> bool {
        !self.asked().is_empty()
    }

    fn readings(&self, summary: &Summary, spec: &Spec, scale: Scale) -> Vec<(f64, Reading)> {
        let Ok(phi) = named(spec.activation()) else { return Vec::new() };
        let curve = Curve::new(summary, phi.as_ref(), [scale.offset, scale.scale], is_log(summary));
        let read = |&percent: &f64| curve.and_then(|curve| curve.effective(percent)).map(|reading| (percent, reading));
        self.ec.iter().filter_map(read).collect()
    }
}

impl Answer {
    /// No answer, for a reason.
    pub fn none(reason: &str) -> Answer {
        Answer { note: Some(reason.to_owned()), ..Answer::default() }
    }

    /// No answer, because it was cut short.
    pub fn interrupted() -> Answer {
        Answer { is_interrupted: true, ..Answer::none("interrupted before they were computed") }
    }

    /// The answer that a summary gives by itself, and for a curve by its name.
    pub fn of(summary: &Summary, activation: &dyn Activation, scale: Scale, named: Option<agglio::Curve>) -> Answer {
        let log = is_log(summary);
        let curve = Curve::new(summary, activation, [scale.offset, scale.scale], log);
        let midpoint = curve.and_then(|curve| curve.midpoint()).filter(|own| own.estimate.value.is_finite());
        Answer {
            midpoint: midpoint.map(|reading| (if log { EC50 } else { "midpoint" }, reading)),
            slope: curve.and_then(|curve| curve.slope()).filter(|own| own.estimate.value.is_finite()),
            summary: Some(summary.clone()),
            curve: named.map(|curve| (curve, curve.lines(summary, scale))).filter(|(_, lines)| !lines.is_empty()),
            ..Answer::default()
        }
    }

    /// The estimates of the main table: the parameters of a curve, else the coefficients.
    pub fn estimates(&self) -> Option<Vec<Line<'_>>> {
        let own = self.curve.as_ref().map(|(_, lines)| lines.clone());
        own.or_else(|| self.summary.as_ref().map(Summary::lines))
    }

    /// The main table; none without standard errors.
    pub fn table(&self) -> Option<String> {
        let summary = self.summary.as_ref()?;
        Some(match &self.curve {
            Some((_, lines)) => estimates_table(PARAMETERS, lines, summary.interval_level),
            None => summary.table(),
        })
    }

    /// A warning of the midpoint of a curve outside the values of the covariate, which has these bounds. Without a curve by
    /// name or the logarithm of a dose, the midpoint is no result that was asked for.
    pub fn extrapolation(&self, bounds: [f64; 2]) -> Option<String> {
        let (name, reading) = self.midpoint.as_ref().filter(|(name, _)| *name == EC50 || self.curve.is_some())?;
        let [low, high] = if *name == EC50 { bounds.map(f64::exp) } else { bounds };
        let value = reading.estimate.value;
        let is_outside = value < low || value > high;
        let name = self.curve.as_ref().and_then(|(curve, _)| curve.midpoint()).unwrap_or(name);
        let [value, from, to] = [value, low, high].map(format::short);
        is_outside.then(|| format!("{name} is {value}, outside the data ({from} to {to}): it is extrapolated"))
    }

    /// Lines of a summary: statistics, and what was read off the curve.
    pub fn lines(&self, pre: bool) -> Vec<(String, String)> {
        let Some(summary) = &self.summary else {
            let reason = self.note.as_deref().unwrap_or("the model has no covariance");
            let unanswered = |(name, text): &(String, Option<String>)| {
                let what = text.as_ref().map(|text| format!("{text}: ")).unwrap_or_default();
                (name.clone(), format!("{what}none, for the same reason"))
            };
            let first = ("std. errors".to_owned(), format!("none: {reason}"));
            return std::iter::once(first).chain(self.unanswered.iter().map(unanswered)).collect();
        };
        let mut lines: Vec<(String, String)> =
            summary.statistics(pre).into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        lines.extend(self.mixed_intervals().map(|words| ("intervals".to_owned(), words)));
        let own = self.curve.as_ref().and_then(|(curve, _)| curve.midpoint());
        let midpoint = self.midpoint.iter().filter(|_| own.is_none());
        lines.extend(midpoint.map(|(name, own)| ((*name).to_owned(), summary.reading(own))));
        let named = own.or(self.midpoint.as_ref().map(|(name, _)| *name).filter(|name| *name == EC50));
        let there = named.map_or("midpoint slope".to_owned(), |name| format!("slope at {name}"));
        lines.extend(self.slope.iter().map(|own| (there.clone(), summary.reading(own))));
        let ec = self.ec.iter().flatten().map(|(percent, own)| (format!("ec{percent}"), summary.reading(own)));
        lines.extend(ec);
        let tests = self.tests.iter().flatten();
        lines.extend(tests.map(|(text, test)| ("test".to_owned(), format!("{text}: {}", in_words(test)))));
        lines
    }

    /// The radius within which the fit is the only minimum; none if it is not known.
    pub fn uniqueness(&self) -> Option<Uniqueness> {
        self.uniqueness?.ok()
    }

    /// The same in words. Only one of the reasons why it is not known can change with the fit.
    pub fn uniqueness_in_words(&self) -> Option<String> {
        match self.uniqueness? {
            Ok(own) => Some(own.to_string()),
            Err(reason) => (reason == Unavailable::ManyCoefficients).then(|| reason.to_string()),
        }
    }

    /// Which parameters of a curve have no profile interval although the others have.
    fn mixed_intervals(&self) -> Option<String> {
        let ((curve, _), summary) = self.curve.as_ref().zip(self.summary.as_ref())?;
        let wald: Vec<&str> = curve.composite().collect();
        let is_mixed = summary.interval_kind == Intervals::Profile && !wald.is_empty();
        is_mixed.then(|| format!("profile; of {} Wald, as it depends on two coefficients", wald.join(", ")))
    }

    pub fn standard_errors(&self) -> Option<Map<String, Value>> {
        let summary = self.summary.as_ref()?;
        let errors = summary.estimates().into_iter().map(|own| json!(own.standard_error));
        Some(summary.names.iter().cloned().zip(errors).collect())
    }

    pub fn intervals(&self) -> Option<Map<String, Value>> {
        let summary = self.summary.as_ref()?;
        Some(summary.names.iter().cloned().zip(summary.intervals.iter().map(|ends| json!(ends))).collect())
    }

    pub fn covariance(&self) -> Option<Value> {
        let summary = self.summary.as_ref()?;
        let count = summary.names.len();
        let row = |i: usize| (0..count).map(|j| summary.covariance_of(i, j)).collect::<Vec<f64>>();
        Some(json!({"names": summary.names, "matrix": (0..count).map(row).collect::<Vec<_>>()}))
    }

    pub fn tests(&self) -> Option<Vec<Value>> {
        let object = |(text, test): &(String, Test)| {
            let (numerator, denominator) = degrees(test);
            json!({"hypothesis": text, "f": test.statistic, "df": [numerator, denominator], "p_value": test.p_value})
        };
        Some(self.tests.as_ref()?.iter().map(object).collect())
    }

    pub fn ec(&self) -> Option<Vec<Value>> {
        let object = |(percent, own): &(f64, Reading)| {
            let mut object = Map::from_iter([("percent".to_owned(), json!(percent))]);
            object.extend(reading(own));
            Value::Object(object)
        };
        Some(self.ec.as_ref()?.iter().map(object).collect())
    }

    pub fn parameters(&self) -> Option<Map<String, Value>> {
        let (_, lines) = self.curve.as_ref()?;
        let object = |Line { name, estimate, interval }: &Line<'_>| {
            let ends = interval.map(|end| end.unwrap_or(f64::NAN));
            ((*name).to_owned(), Value::Object(reading(&Reading { estimate: *estimate, interval: ends })))
        };
        Some(lines.iter().map(object).collect())
    }

    pub fn midpoint(&self) -> Option<Value> {
        self.midpoint.as_ref().map(|(name, own)| {
            let mut object = Map::from_iter([("name".to_owned(), json!(name))]);
            object.extend(reading(own));
            Value::Object(object)
        })
    }

    pub fn slope(&self) -> Option<Value> {
        self.slope.as_ref().map(|own| Value::Object(reading(own)))
    }
}

fn reading(own: &Reading) -> Map<String, Value> {
    let interval = own.interval.map(|end| Some(end).filter(|end| end.is_finite()));
    let object = [
        ("estimate", json!(own.estimate.value)),
        ("standard_error", json!(own.estimate.standard_error)),
        ("interval", json!(interval)),
    ];
    object.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

pub fn degrees(test: &Test) -> (f64, f64) {
    match test.distribution {
        Distribution::F { numerator, denominator } => (numerator, denominator),
        _ => (f64::NAN, f64::NAN),
    }
}

/// `F(3, 15) = 2.31, p = 0.118`
pub fn in_words(test: &Test) -> String {
    let (numerator, denominator) = degrees(test);
    let p = if test.p_value < 5e-4 { "p < 0.001".to_owned() } else { format!("p = {:.3}", test.p_value) };
    format!("F({numerator}, {denominator}) = {}, {p}", agglio::text::format::brief(test.statistic))
}

/// Whether the only covariate is the logarithm of a column.
fn is_log(summary: &Summary) -> bool {
    let term = summary.names.first().and_then(|name| Term::parse(name).ok());
    term.is_some_and(|term| term.logarithm_of().is_some())
}

/// The names of all parameters, before the fit.
fn all_names(spec: &Spec, covariates: &[String]) -> Vec<String> {
    let free = |pair: Option<Pair>, names: [ResponseName; 2]| {
        let entries = pair.map_or(Vec::new(), |Pair(first, second)| vec![first, second]);
        entries.into_iter().zip(names).filter(|(entry, _)| *entry == Entry::Free).map(|(_, name)| name).collect()
    };
    let range: Vec<ResponseName> = free(spec.range, [ResponseName::Lower, ResponseName::Upper]);
    let affine: Vec<ResponseName> = free(spec.affine, [ResponseName::Offset, ResponseName::Scale]);
    let response = if spec.range.is_some() { range } else { affine };
    parameter_names(covariates, spec.intercept != Some(false), &response)
}
