//! Several *models* of one response: a line for each, and tests of those that are nested.

use agglio::inference::{Deviance, Distribution, Goodness, Test};
use agglio::nested::Structure;
use agglio::read::Part;
use agglio::rows::Rows;
use agglio::text::escape::visible;
use agglio::text::format;
use agglio::{Loss, Plan};
use anyhow::{Result, bail};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Contender, Data, Run};
use crate::args::Format;
use crate::tabular::{first_that_fits, left, pairs, right, ruled};
use crate::{hint, print};

/// A smaller model fits better than one that contains it, if its deviance is lower by more than this share.
const ROUNDING: f64 = 1e-9;

/// Which models contain which.
#[derive(Debug)]
pub struct Nested {
    /// Whether the model of the row contains the model of the column.
    contains: Vec<Vec<bool>>,
    loss: Loss,
    solver: &'static str,
    rows: usize,
}

impl Nested {
    /// Of models whose covariates are these parts of one table.
    ///
    /// # Errors
    /// If the models cannot be compared.
    pub fn new(contenders: &[Contender], parts: &[Part], data: &[Data]) -> Result<Nested> {
        let plan = |(contender, data): (&Contender, &Data)| contender.plan.for_table(&data.names, data.rows.len());
        let plans: Vec<Plan> = contenders.iter().zip(data).map(plan).collect::<Result<_>>()?;
        let models: Vec<Structure<'_>> =
            plans.iter().zip(parts).map(|(plan, part)| Structure::new(plan, part)).collect();
        if !models.iter().all(|one| models.iter().all(|other| one.is_comparable(other))) {
            bail!(
                "with noise before the activation the response is φ⁻¹(y), so only models of the same activation and response scale \
                 can be compared: use --noise post"
            );
        }
        let contains = models.iter().map(|one| models.iter().map(|other| one.contains(other)).collect()).collect();
        let spec = contenders.first().map(|contender| &contender.plan.spec);
        Ok(Nested {
            contains,
            loss: spec.map(agglio::Spec::loss).unwrap_or_default(),
            solver: spec.map(|spec| spec.solver().name()).unwrap_or_default(),
            rows: data.first().map_or(0, |data| data.rows.len()),
        })
    }

    fn has(&self, larger: usize, smaller: usize) -> bool {
        self.contains.get(larger).and_then(|row| row.get(smaller)) == Some(&true)
    }
}

/// A model as it is printed.
#[derive(Debug, Serialize)]
struct Line {
    model: String,
    parameters: Option<usize>,
    deviance: Option<f64>,
    df_residual: Option<usize>,
    log_likelihood: Option<f64>,
    aic: Option<f64>,
    bic: Option<f64>,
    loss: Option<f64>,
    noise: Option<&'static str>,
    passes: Option<f64>,
    seconds: f64,
    status: Option<String>,
    certified: bool,
    distance: Option<f64>,
    /// Why there are no statistics.
    note: Option<String>,
    error: Option<String>,
    #[serde(skip)]
    typed: usize,
    #[serde(skip)]
    measure: Option<Deviance>,
}

/// A model beside the next larger one that contains it.
#[derive(Debug)]
struct Pair {
    smaller: usize,
    /// None if no larger model contains it.
    larger: Option<usize>,
    /// The tests, or why there are none.
    tests: Result<Tests, String>,
}

#[derive(Debug)]
struct Tests {
    f: Test,
    likelihood_ratio: Option<Test>,
}

/// The runs as they are printed.
///
/// # Errors
/// If a test cannot be computed.
pub fn show(runs: Vec<Run>, nested: &Nested, format: Format) -> Result<String> {
    let mut lines: Vec<Line> = runs.into_iter().enumerate().map(|(typed, run)| Line::new(typed, &run)).collect();
    // those that failed come last
    lines.sort_by_key(|line| (line.parameters.is_none(), line.parameters));
    let tests = pairs_of(&lines, nested)?;
    match format {
        Format::Table => Ok(table_of(&lines, &tests, nested.loss)),
        Format::Json => print::pretty(&json!({
            "models": lines,
            "tests": tests.iter().map(|pair| pair.json(&lines)).collect::<Vec<_>>(),
            "solver": nested.solver,
            "rows": nested.rows,
            "version": env!("CARGO_PKG_VERSION"),
        })),
    }
}

impl Line {
    fn new(typed: usize, run: &Run) -> Line {
        let fit = run.fitted.as_ref().ok();
        let report = fit.map(|fit| &fit.report);
        let statistics = fit.and_then(|fit| fit.statistics.as_ref());
        let (goodness, measure): (Option<Goodness>, Option<Deviance>) =
            statistics.and_then(|own| own.as_ref().ok()).copied().unzip();
        Line {
            model: run.name.clone(),
            parameters: report.map(|report| report.parameters),
            deviance: measure.map(|own| own.deviance),
            df_residual: goodness.map(|own| own.df_residual),
            log_likelihood: goodness.map(|own| own.log_likelihood),
            aic: goodness.map(|own| own.aic),
            bic: goodness.map(|own| own.bic),
            loss: report.map(|report| report.loss),
            noise: report.map(|report| report.noise.name()),
            passes: report.map(|report| report.passes),
            seconds: run.seconds,
            status: report.map(|report| report.status().to_string()),
            certified: report.is_some_and(|report| report.certificate.certified()),
            distance: fit.and_then(|fit| fit.distance),
            note: statistics.and_then(|own| own.as_ref().err()).map(|why| match report {
                Some(report) if !report.certificate.certified() => format!("not certified: {}", report.status()),
                _ => why.to_string(),
            }),
            error: run.fitted.as_ref().err().map(hint::words),
            typed,
            measure,
        }
    }

    fn cells(&self, place: usize, known: bool) -> Vec<comfy_table::Cell> {
        let count = |count: Option<usize>| right(count.map(|count| count.to_string()).unwrap_or_default());
        let criterion = |value: Option<f64>| right(value.map(|value| format!("{value:.1}")).unwrap_or_default());
        let distance = known.then(|| right(self.distance.map(|d| format!("{d:.1e}")).unwrap_or_default()));
        let numbers = [
            right(place + 1),
            left(visible(&self.model)),
            count(self.parameters),
            right(self.deviance.map(format::short).unwrap_or_default()),
            count(self.df_residual),
            criterion(self.aic),
            criterion(self.bic),
        ];
        let status = left(self.status.as_deref().unwrap_or("error, see below"));
        numbers.into_iter().chain(distance).chain([status]).collect()
    }
}

/// Each model beside the next larger one that contains it. The largest ones have none to be compared with.
fn pairs_of(lines: &[Line], nested: &Nested) -> Result<Vec<Pair>> {
    let most = lines.iter().filter_map(|line| line.parameters).max();
    let smaller = lines.iter().enumerate().filter(|(_, line)| line.parameters < most && line.parameters.is_some());
    let pair = |(place, line): (usize, &Line)| {
        let contains = |other: &Line| other.parameters > line.parameters && nested.has(other.typed, line.typed);
        let larger = lines.iter().position(contains);
        let tests = match larger.and_then(|place| lines.get(place)) {
            Some(larger) => tests(line, larger)?,
            None => Err("in no larger model: compare it by AIC and BIC".to_owned()),
        };
        Ok(Pair { smaller: place, larger, tests })
    };
    smaller.map(pair).collect()
}

/// The tests of a model against one that contains it, or why there are none.
fn tests(smaller: &Line, larger: &Line) -> Result<Result<Tests, String>> {
    let missing = |line: &Line| format!("no test, because `{}` has no statistics", visible(&line.model));
    let (own, its) = match (&smaller.measure, &larger.measure) {
        (Some(own), Some(its)) => (own, its),
        (None, _) => return Ok(Err(missing(smaller))),
        (_, None) => return Ok(Err(missing(larger))),
    };
    if its.deviance - own.deviance > ROUNDING * its.deviance.abs() {
        return Ok(Err(format!(
            "no test, because `{}` should fit at least as well but does not: it ended in a local minimum; try --solvers \
             auto:restarts=20",
            visible(&larger.model)
        )));
    }
    Ok(Ok(Tests { f: own.f_test(its)?, likelihood_ratio: own.likelihood_ratio_test(its)? }))
}

impl Pair {
    fn json(&self, lines: &[Line]) -> Value {
        let name = |place: usize| lines.get(place).map(|line| line.model.as_str());
        let tests = self.tests.as_ref().ok();
        json!({
            "model": name(self.smaller),
            "within": self.larger.and_then(name),
            "f": tests.map(|own| object(&own.f)),
            "likelihood_ratio": tests.and_then(|own| own.likelihood_ratio.as_ref()).map(object),
            "note": self.tests.as_ref().err(),
        })
    }

    /// `1 in 2`
    fn name(&self) -> String {
        let larger = self.larger.map(|larger| format!(" in {}", larger + 1));
        format!("{}{}", self.smaller + 1, larger.unwrap_or_default())
    }

    fn cells(&self, tests: &Tests) -> Vec<comfy_table::Cell> {
        let cells = |test: &Test| {
            let df = match test.distribution {
                Distribution::F { numerator, denominator } => format!("{numerator}, {denominator}"),
                Distribution::ChiSquared { df } => df.to_string(),
                _ => String::new(),
            };
            [right(format::brief(test.statistic)), right(df), right(probability(test.p_value))]
        };
        let ratio = tests.likelihood_ratio.as_ref().map(cells);
        [left(self.name())].into_iter().chain(cells(&tests.f)).chain(ratio.into_iter().flatten()).collect()
    }
}

fn object(test: &Test) -> Value {
    let df = match test.distribution {
        Distribution::F { numerator, denominator } => json!([numerator, denominator]),
        Distribution::ChiSquared { df } => json!(df),
        _ => Value::Null,
    };
    json!({"statistic": test.statistic, "df": df, "p_value": test.p_value})
}

fn probability(p: f64) -> String {
    if p < 5e-4 { "<0.001".to_owned() } else { format!("{p:.3}") }
}

/// The models, their tests, and below them why some have none.
fn table_of(lines: &[Line], tests: &[Pair], loss: Loss) -> String {
    let known = lines.iter().any(|line| line.distance.is_some());
    let deviance = if loss.is_convex() { "−2 ln L" } else { "RSS" };
    let numbers = ["parameters", deviance, "df", "AIC", "BIC"].map(right);
    let header = [right(""), left("model")].into_iter().chain(numbers).chain(known.then(|| right("‖w−w*‖")));
    let mut models = ruled(header.chain([left("status")]));
    models.add_rows(lines.iter().enumerate().map(|(place, line)| line.cells(place, known)));
    let mut text = first_that_fits([models]) + "\n";
    let made: Vec<(&Pair, &Tests)> = tests.iter().filter_map(|pair| Some((pair, pair.tests.as_ref().ok()?))).collect();
    if !made.is_empty() {
        let has_ratio = made.iter().any(|(_, tests)| tests.likelihood_ratio.is_some());
        let ratio = has_ratio.then_some(["χ²", "df", "p"].map(right));
        let header = [left("model")].into_iter().chain(["F", "df", "p"].map(right)).chain(ratio.into_iter().flatten());
        let mut table = ruled(header);
        table.add_rows(made.iter().map(|(pair, tests)| pair.cells(tests)));
        text += &format!("\n{}\n", first_that_fits([table]));
    }
    let notes = notes(lines, tests, loss);
    match notes.is_empty() {
        true => text,
        false => {
            text + "\n" + &pairs(&notes.iter().map(|(name, note)| (name.as_str(), note.clone())).collect::<Vec<_>>())
        }
    }
}

fn notes(lines: &[Line], tests: &[Pair], loss: Loss) -> Vec<(String, String)> {
    let place = |place: usize| (place + 1).to_string();
    let faults = lines.iter().enumerate().filter_map(|(index, line)| {
        let why = line.error.as_ref().or(line.note.as_ref())?;
        Some((place(index), visible(why)))
    });
    let untested = tests.iter().filter_map(|pair| Some((pair.name(), pair.tests.as_ref().err()?.clone())));
    let made = tests.iter().filter_map(|pair| pair.tests.as_ref().ok());
    let quasi = loss.is_convex() && made.clone().any(|tests| tests.likelihood_ratio.is_none());
    let quasi = quasi.then(|| {
        let note = "the quasi-likelihood of shares has no likelihood-ratio test; F assumes variances proportional to μ(1 − μ), \
                    and `fit --test` does not";
        ("note".to_owned(), note.to_owned())
    });
    faults.chain(untested).chain(quasi).collect()
}
