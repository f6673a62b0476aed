//! `compare`: one table, and several solvers or several models.

mod models;
mod solvers;
mod traces;

use std::collections::HashSet;
use std::process::ExitCode;
use std::time::Instant;

use agglio::inference::{Covariance, Deviance, Goodness, Unavailable};
use agglio::read::{Selection, Table};
use agglio::rows::{Dense, Rows};
use agglio::spec::Group;
use agglio::{Noise, Report, Solver};
use anyhow::{Result, bail};

use super::fit::table_warnings;
use crate::args::{CompareArgs, Model};
use crate::method::Method;
use crate::output::{Output, Writer};
use crate::plan::{self, FitPlan};
use crate::progress::Watch;
use crate::source::Source;
use crate::truth::{Truth, distance};
use crate::{interrupt, output, print};
use traces::Traces;

/// Some solver or model could not be run on this data.
const FAILED: u8 = 2;

/// A solver or a model, under the name that was typed.
#[derive(Debug)]
struct Contender {
    name: String,
    plan: FitPlan,
}

/// The data of a model.
#[derive(Debug)]
struct Data {
    names: Vec<String>,
    rows: Dense,
    /// The true coefficients, if they are known.
    truth: Option<Vec<f64>>,
}

/// The fit of a contender.
#[derive(Debug)]
struct Run {
    name: String,
    seconds: f64,
    fitted: Result<Fit>,
}

/// What is compared of a fit.
#[derive(Debug)]
struct Fit {
    report: Report,
    distance: Option<f64>,
    /// Statistics of the whole fit, or why there are none; none if they were not asked for.
    statistics: Option<Result<(Goodness, Deviance), Unavailable>>,
}

pub fn run(args: &CompareArgs) -> Result<ExitCode> {
    // what is wrong with any of them is said before data is read
    let contenders = contenders(args)?;
    let truth = args.truth.as_deref().map(Truth::read).transpose()?;
    let Some(first) = contenders.first().map(|contender| &contender.plan) else { return Ok(ExitCode::SUCCESS) };
    let several = args.models.each()?.len() > 1;
    let inputs: Vec<_> =
        contenders.iter().flat_map(|own| own.plan.inputs()).chain(truth.as_ref().map(Truth::path)).collect();
    let traces = Traces::new(args.trace.as_deref(), &contenders, args.force, &inputs)?;
    let table = read(args, &contenders, several)?;
    let mut warnings = table_warnings(&table, first.source.no_header);
    let parts = table.parts.clone();
    let data = data(table, truth.as_ref(), &first.source)?;
    let nested = several.then(|| models::Nested::new(&contenders, &parts, &data)).transpose()?;
    interrupt::hold();
    let (mut runs, mut written) = (Vec::with_capacity(contenders.len()), Vec::new());
    for ((contender, own), trace) in contenders.iter().zip(data.iter().cycle()).zip(traces.outputs()) {
        let (run, trace) = contender.fit(own, trace, args.run.quiet, several);
        warnings.extend(contender.warnings(&run, own));
        written.extend(trace);
        runs.push(run);
        if interrupt::is_caught() {
            break;
        }
    }
    let failed = runs.iter().any(|run| run.fitted.is_err());
    output::publish(written)?;
    print::warnings(&once(warnings), args.run.quiet);
    output::print(&match nested {
        Some(nested) => models::show(runs, &nested, args.format)?,
        None => solvers::show(&runs, truth.is_some(), args.format)?,
    })?;
    Ok(match failed {
        _ if interrupt::is_caught() => interrupt::exit_code(),
        true => ExitCode::from(FAILED),
        false => ExitCode::SUCCESS,
    })
}

/// Checks the flags of every solver and model.
///
/// # Errors
/// For bad usage.
pub fn check(args: &CompareArgs) -> Result<()> {
    let selections: Vec<Selection> = pairs(args)?
        .into_iter()
        .map(|(model, solver)| {
            method(args, model, solver)?.options()?;
            plan::selection(&model.table)
        })
        .collect::<Result<_>>()?;
    Ok(Selection::of_all(&selections).map(drop)?)
}

/// Each of them once, since most are about the data and the same for all solvers.
pub(super) fn once(warnings: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    warnings.into_iter().filter(|warning| seen.insert(warning.clone())).collect()
}

/// The models with their solvers: either one model and several solvers, or several models and one solver.
fn pairs(args: &CompareArgs) -> Result<Vec<(&Model, &str)>> {
    match (args.models.each()?, args.solvers.as_slice()) {
        ([_], []) => bail!(
            "nothing to compare: list several solvers after --solvers, or give several models by repeating --formula, --curve, \
             --range or --affine"
        ),
        ([model], solvers) => Ok(solvers.iter().map(|solver| (model, solver.as_str())).collect()),
        (models, [] | [_]) => {
            let solver = args.solvers.first().map_or(Solver::Auto.name(), String::as_str);
            Ok(models.iter().map(|model| (model, solver)).collect())
        }
        (_, solvers) => {
            bail!("several models are fitted by one solver, but --solvers has {}: leave one", solvers.len())
        }
    }
}

fn contenders(args: &CompareArgs) -> Result<Vec<Contender>> {
    let contender = |(model, solver): (&Model, &str)| {
        let method = method(args, model, solver)?;
        if model.typed.is_some() && method.spec.noise == Some(Noise::Auto) {
            bail!("--noise auto may choose another noise model for each model: choose post or pre to compare them");
        }
        let plan = FitPlan::new(Source::of(&model.table)?, plan::selection(&model.table)?, method)?;
        let name = model.typed.clone().unwrap_or_else(|| solver.trim().to_owned());
        Ok(Contender { name, plan })
    };
    pairs(args)?.into_iter().map(contender).collect()
}

/// The options that all solvers share, and those of this one.
fn method(args: &CompareArgs, model: &Model, solver: &str) -> Result<Method> {
    // commas stand between solvers here
    let (mut shared, solver) = (args.shared(model), solver.trim().replace(';', ","));
    if solver.split(':').next() == Some(Solver::Linear.name()) {
        // the stage at τ = 0 has but one end
        shared.spec = shared.spec.filtered(|key| key.group != Group::Noise);
    }
    shared.solved_by(&solver)
}

/// The table of all contenders.
fn read(args: &CompareArgs, contenders: &[Contender], several: bool) -> Result<Table> {
    let selections: Vec<Selection> = contenders.iter().map(|contender| contender.plan.selection.clone()).collect();
    let first = contenders.first().map(|contender| &contender.plan);
    let Some(first) = first else { bail!("there is nothing to compare") };
    let selection = if several { Selection::of_all(&selections)? } else { first.selection.clone() };
    first.source.read(&selection, args.run.quiet)
}

/// The data of each model, or of the only one.
fn data(table: Table, truth: Option<&Truth>, source: &Source) -> Result<Vec<Data>> {
    let tables = match table.parts.as_slice() {
        [] => vec![table],
        parts => parts.iter().map(|part| table.part(part)).collect(),
    };
    let data = |table: Table| {
        let names = table.names.clone();
        let truth = truth.map(|truth| truth.in_order(&names)).transpose()?;
        Ok(Data { names, rows: table.into_rows().map_err(|why| source.blame(why))?, truth })
    };
    tables.into_iter().map(data).collect()
}

impl Contender {
    /// Fits the data. The trace is not yet published; there is none if the data cannot be fitted.
    fn fit(&self, data: &Data, trace: Option<&Output>, quiet: bool, measured: bool) -> (Run, Option<Writer>) {
        let begun = Instant::now();
        let fitted = self.try_fit(data, trace, quiet, measured);
        let seconds = begun.elapsed().as_secs_f64();
        let (fitted, written) = match fitted {
            Ok((fit, written)) => (Ok(fit), written),
            Err(why) => (Err(why), None),
        };
        (Run { name: self.name.clone(), seconds, fitted }, written)
    }

    fn try_fit(
        &self,
        Data { names, rows, truth }: &Data,
        trace: Option<&Output>,
        quiet: bool,
        measured: bool,
    ) -> Result<(Fit, Option<Writer>)> {
        let plan = self.plan.for_table(names, rows.len())?;
        // solvers are compared by their own work
        let plan = if measured { plan } else { plan.without_own_proofs() };
        let trace = trace.map(Output::open).transpose()?;
        let mut watch = Watch::new(self.plan.spec.last_temperature(), quiet, trace, truth.as_deref())?;
        let fitted = plan.install(rows.len(), || {
            let fitted = plan.fit_observed(rows, &mut watch)?;
            let statistics = |fitted: &agglio::Fitted| {
                let found = fitted.inference(Covariance::Classical)?;
                Ok::<_, agglio::Error>(found.map(|own| (*own.goodness(), own.deviance())))
            };
            let statistics = measured.then(|| statistics(&fitted)).transpose()?;
            Ok((fitted.into_report(), statistics))
        });
        let written = watch.finish()?;
        let (report, statistics) = fitted.flatten().map_err(|why: agglio::Error| why.with_names(names))?;
        let distance = truth.as_deref().map(|truth| distance(&report.coefficients, truth));
        Ok((Fit { report, distance, statistics }, written))
    }

    fn warnings(&self, run: &Run, data: &Data) -> Vec<String> {
        let response = format!("`{}`", self.plan.target());
        let own = self.plan.warnings.iter().cloned().chain(self.plan.batch_warning(data.rows.len()));
        own.chain(run.fitted.iter().flat_map(|fit| fit.report.warnings_on(&response, &data.names))).collect()
    }
}
