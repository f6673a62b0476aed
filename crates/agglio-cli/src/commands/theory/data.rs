//! The theory on *data*: curvatures that are measured around a fit, and the bounds of the theory.

use std::path::Path;

use agglio::math::rng::{Random, Stream};
use agglio::oracle::{Oracle, Problem};
use agglio::read::Selection;
use agglio::rows::{Dense, Scaling};
use agglio::simulate::LabelNoise;
use agglio::theory::measure::Around;
use agglio::theory::{Constants, Setting};
use agglio::{Noise, Report};
use anyhow::{Result, bail};
use serde::Serialize;

use super::Asked;
use crate::args::CsvArgs;
use crate::commands::fit::table_warnings;
use crate::plan::FitPlan;
use crate::print;
use crate::source::Source;
use crate::tabular::{flush_left, left, pairs, right, ruled};
use agglio::text::format::brief;

/// Shares of R at which balls are measured.
const SHARES: [f64; 4] = [2.0, 1.0, 0.25, 0.0625];
/// Number of random points of a ball, in addition to its centre.
const POINTS: usize = 8;
/// How far labels are kept off the range's bounds, where they have no preimage.
const MARGIN: f64 = 1e-6;

/// The measurements.
#[derive(Debug, Serialize)]
pub struct Checked {
    file: String,
    pub rows: usize,
    pub features: usize,
    /// ‖w‖ of the fit that the balls are around.
    norm: f64,
    certified: bool,
    balls: Vec<Ball>,
}

/// Extreme eigenvalues of the Hessian of L_τ in a ball, with bounds where there are any.
#[derive(Debug, Serialize)]
struct Ball {
    r: f64,
    tau: f64,
    least: f64,
    lambda: Option<f64>,
    greatest: f64,
    smoothness: Option<f64>,
    printed_smoothness: Option<f64>,
    holds: Option<bool>,
}

/// Reads a table as `compare` does, fits it, and measures around the fit.
///
/// # Errors
/// If the table cannot be read or fitted, or is too small for the theory of a sample.
pub fn check(asked: &Asked<'_>, file: &Path, target: &str) -> Result<Checked> {
    let (plan, quiet) = (plan(asked, file, target)?, asked.args.run.quiet);
    let table = plan.source.read(&plan.selection, quiet)?;
    let mut warnings = plan.warnings.clone();
    warnings.extend(table_warnings(&table, false));
    let names = table.names.clone();
    let setting = asked.setting(Some(table.rows), Some(names.len()))?;
    let fitting = plan.for_table(&names, table.rows)?;
    let measured = fitting.install(table.rows, || {
        let rows = table.into_rows()?;
        let report = fitting.fit(&rows)?;
        let balls = balls(asked, setting.as_ref(), &rows, &report)?;
        Ok::<_, agglio::Error>((report, balls))
    })?;
    let (report, balls) = measured.map_err(|why| plan.source.blame(why.with_names(&names)))?;
    let Some(balls) = balls else { bail!("{}: the Hessian is not finite; rescale the columns", file.display()) };
    warnings.extend(report.warnings_on(&format!("`{target}`"), &names));
    let norm = report.coefficients.iter().map(|w| w * w).sum::<f64>().sqrt();
    if norm > asked.args.radius {
        warnings.push(format!("the fitted w has length {}, more than the radius", brief(norm)));
    }
    if !report.certificate.certified() {
        warnings.push(format!("the fit at the centre of the balls is not certified: {}", report.verdict()));
    }
    print::warnings(&warnings, quiet);
    let certified = report.certificate.certified();
    Ok(Checked { file: file.display().to_string(), rows: report.rows, features: names.len(), norm, certified, balls })
}

/// A fit in the setting of the theory: no intercept, columns as they are.
fn plan(asked: &Asked<'_>, file: &Path, target: &str) -> Result<FitPlan> {
    let mut method = asked.args.run.flags.method.clone();
    method.spec.activation = Some(asked.args.activation.clone());
    method.spec.intercept = Some(false);
    method.spec.scaling = Some(Scaling::None);
    method.spec.noise = Some(if matches!(asked.noise, LabelNoise::Pre(..)) { Noise::Pre } else { Noise::Post });
    let selection = Selection { target: Some(target.to_owned()), ..Selection::default() };
    FitPlan::new(Source::new(file, CsvArgs::default())?, selection, method)
}

fn balls(
    asked: &Asked<'_>,
    setting: Option<&Setting>,
    rows: &Dense,
    report: &Report,
) -> agglio::Result<Option<Vec<Ball>>> {
    let problem = Problem { margins: vec![MARGIN], ..Problem::plain(asked.activation.clone()) };
    let oracle = problem.on(rows)?;
    let centre = oracle.facts().coordinates.from_user(&report.coefficients, 0.0);
    let mut random = Random::new(asked.args.run.seed(), Stream::Probes);
    let mut balls = Vec::new();
    for radius in SHARES.map(|share| share * asked.args.radius) {
        for tau in temperatures(setting, radius) {
            let around = Around { centre: &centre, radius, tau, points: POINTS };
            let Some(found) = around.curvature(&oracle, &mut random)? else { return Ok(None) };
            balls.push(Ball::new(setting, radius, tau, found));
        }
    }
    Ok(Some(balls))
}

/// That of the theory, where it has one, and the last.
fn temperatures(setting: Option<&Setting>, r: f64) -> Vec<f64> {
    let mut temperatures = vec![setting.map_or(0.1, |setting| setting.temperature(r, 1.0)), 1.0];
    temperatures.dedup();
    temperatures
}

impl Ball {
    fn new(setting: Option<&Setting>, r: f64, tau: f64, found: Constants) -> Ball {
        let bound = setting.map(|setting| setting.constants(r, tau));
        let holds = |bound: &Constants| bound.convexity <= found.convexity && found.smoothness <= bound.smoothness;
        // without constants there is no saying what the paper's scale would be
        let unit = setting.map_or(1.0, |setting| setting.gamma(tau).powi(2));
        Ball {
            r,
            tau,
            least: unit * found.convexity,
            lambda: bound.map(|bound| unit * bound.convexity),
            greatest: unit * found.smoothness,
            smoothness: bound.map(|bound| unit * bound.smoothness),
            printed_smoothness: setting.map(|setting| unit * setting.printed(r, tau).smoothness),
            holds: bound.as_ref().map(holds),
        }
    }

    /// The measurements, with the bounds if there are any.
    fn cells(&self) -> Vec<comfy_table::Cell> {
        let measured = [self.r, self.tau, self.least, self.greatest].map(|value| right(brief(value)));
        let bounds = [self.lambda, self.smoothness, self.printed_smoothness].into_iter().flatten();
        let word = self.holds.map(|holds| left(if holds { "yes" } else { "no" }));
        measured.into_iter().chain(bounds.map(|value| right(brief(value)))).chain(word).collect()
    }
}

impl Checked {
    pub fn table(&self) -> String {
        let holds: Vec<bool> = self.balls.iter().filter_map(|ball| ball.holds).collect();
        let words = match holds.len() {
            0 => "none: the theory has no constants for this activation".to_owned(),
            all => format!("{} of {all} hold", holds.iter().filter(|holds| **holds).count()),
        };
        let around = format!("the fit of solver auto (‖w‖ = {}, certified: {})", brief(self.norm), self.certified);
        let head = pairs(&[
            ("checked on", format!("{}, {} rows, {} covariates", self.file, self.rows, self.features)),
            ("balls around", around),
            ("min, max", format!("eigenvalue of the Hessian over {} points of each ball", POINTS + 1)),
            ("bounds", words),
        ]);
        let bounds = ["λ", "Λ", "printed Λ", "hold"].into_iter().filter(|_| !holds.is_empty());
        let names = ["r", "τ", "min", "max"].into_iter().chain(bounds);
        let mut table = ruled(names.map(|name| if name == "hold" { left(name) } else { right(name) }));
        table.add_rows(self.balls.iter().map(Ball::cells));
        format!("{head}\n{}\n", flush_left(&mut table))
    }
}
