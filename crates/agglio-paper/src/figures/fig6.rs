//! Figures 6a and 6b: whether the error vanishes as rows are added, with noise before φ and after it.

use agglio::text::format::brief;
use agglio::{Fitted, Noise, Solver};

use crate::claim::{Bound, Claim};
use crate::contestant::{Contestant, End};
use crate::error::Result;
use crate::expected;
use crate::figure::{Axis, Cell, Content, Figure, Panel, Table};
use crate::figures::sweep;
use crate::grid::Setting;
use crate::problem::{self, Problem};
use crate::request::Request;
use crate::statistics::{Spread, Trend};
use crate::task::Task;

/// Standard deviations of the noise.
const SIGMAS: [f64; 4] = [0.05, 0.1, 0.5, 1.0];
/// Up to this the paper sees the error vanish.
const SMALL: f64 = 0.1;
/// Errors that the axes of both figures reach from and to; the second is about that of the paper's start, √(d + 100).
const SHARED: [f64; 2] = [0.005, 12.0];
/// Epochs that AGGLIO-GD may take.
const EPOCHS: usize = 3000;

/// What noise before φ does to least squares.
const BIAS: &str = "one data set was published; under noise before φ least squares at τ = 1 is biased, by an amount that \
                    depends on w*";

/// Which noise.
struct Study {
    name: &'static str,
    noise: fn(Task, f64) -> Task,
    /// The figure that has a published value for the smallest n, and its σ.
    small: Option<(&'static str, f64)>,
    /// Why AGGLIO-GD may end farther off than the published run, where it may.
    remark: Option<&'static str>,
}

/// Errors for each σ, and for each number of rows.
struct Errors {
    agglio_gd: Method,
    own_default: Method,
}

/// The errors of one method, and whether half of the fits or more are not certified.
#[derive(Default)]
struct Method {
    errors: Vec<Vec<Spread>>,
    open: Vec<Vec<bool>>,
}

impl Method {
    /// Adds the results for one σ, for each number of rows and each seed.
    fn push(&mut self, ends: &[Vec<End>]) {
        self.errors.push(ends.iter().map(|ends| Spread::of(ends.iter().map(|end| end.error))).collect());
        let uncertified = |ends: &Vec<End>| ends.iter().filter(|end| !end.certified).count();
        self.open.push(ends.iter().map(|ends| 2 * uncertified(ends) >= ends.len()).collect());
    }
}

/// Figure 6a: noise before φ.
///
/// # Errors
/// If somebody wants it to end.
pub fn a(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    let study = Study { name: "fig6a", noise: Task::pre, small: Some(("fig4b", 0.5)), remark: Some(BIAS) };
    let (mut figure, errors) = study.draw("before", request, hear)?;
    figure.claims.extend(stalls(&errors.agglio_gd.errors, &sizes(request), "before", ""));
    // linear least squares on φ⁻¹(y) is off by a multiple of σ, so that one σ stands for all
    figure.claims.extend(consistent(&errors.own_default.errors, &sizes(request)).into_iter().take(1));
    Ok(figure)
}

/// Figure 6b: noise after φ.
///
/// # Errors
/// If somebody wants it to end.
pub fn b(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    let study = Study { name: "fig6b", noise: Task::post, small: Some(("fig4c", 0.05)), remark: None };
    let (mut figure, errors) = study.draw("after", request, hear)?;
    let remark = "the published labels are clipped and never put right, which is what stalls; on the labels as they are \
                  least squares at τ = 1 is consistent for any noise after φ";
    figure.claims.extend(stalls(&errors.agglio_gd.errors, &sizes(request), "after", remark));
    figure.claims.extend(consistent(&errors.own_default.errors, &sizes(request)));
    figure.claims.extend(lower_before(&errors.agglio_gd.errors, request, hear)?);
    Ok(figure)
}

/// Numbers of rows.
fn sizes(request: &Request) -> Vec<usize> {
    if request.quick { vec![1_000, 10_000, 100_000] } else { vec![1_000, 3_000, 10_000, 30_000, 100_000] }
}

impl Study {
    fn draw(&self, side: &str, request: &Request, hear: &dyn Fn(&str)) -> Result<(Figure, Errors)> {
        let errors = self.run(request, hear)?;
        let sizes = sizes(request);
        let figure = Figure {
            name: self.name,
            title: format!("The error over n from 1e3 to 1e5: sigmoid, d = 50, noise {side} φ, σ from 0.05 to 1"),
            caption: "Left the paper's method, which ends at τ = 1; right solver auto with noise auto, which decides by likelihood \
                      where the noise is and ends at τ = 0 if it is before φ. Median of the seeds, with a band between their \
                      quartiles. The axes of figures 6a and 6b are the same."
                .into(),
            parameters: parameters(request),
            panels: vec![
                panel("AGGLIO-GD", &errors.agglio_gd, &errors, &sizes),
                panel("solver auto with noise auto", &errors.own_default, &errors, &sizes),
            ],
            columns: 2,
            tables: vec![table(&errors, &sizes)],
            claims: self.values(&errors),
            ..Figure::default()
        };
        Ok((figure, errors))
    }

    fn run(&self, request: &Request, hear: &dyn Fn(&str)) -> Result<Errors> {
        let mut errors = Errors { agglio_gd: Method::default(), own_default: Method::default() };
        for sigma in SIGMAS {
            let (mut theirs, mut ours) = (Vec::new(), Vec::new());
            for rows in sizes(request) {
                hear(&format!("σ = {sigma}, n = {rows}"));
                let task = (self.noise)(Task { rows, ..Task::usual("sigmoid") }, sigma);
                let pairs: Vec<[End; 2]> =
                    request.all_seeds().map(|seed| both(&task, seed, request)).collect::<Result<_>>()?;
                theirs.push(pairs.iter().map(|pair| pair[0]).collect());
                ours.push(pairs.iter().map(|pair| pair[1]).collect());
            }
            errors.agglio_gd.push(&theirs);
            errors.own_default.push(&ours);
        }
        Ok(errors)
    }

    /// Claims that the published values at the largest n, and in figure 4 at the smallest, are matched or beaten.
    fn values(&self, errors: &Errors) -> Vec<Claim> {
        let mut claims = Vec::new();
        for (place, sigma) in SIGMAS.iter().enumerate() {
            let who = format!("σ = {sigma}");
            claims.extend(self.pair(errors, place, (self.name, &who), "n = 1e5", <[Spread]>::last));
            if let Some((figure, _)) = self.small.filter(|(_, small)| small == sigma) {
                claims.extend(self.pair(errors, place, (figure, "AGGLIO"), "n = 1e3", <[Spread]>::first));
            }
        }
        claims
    }

    /// AGGLIO-GD and solver `auto` with noise `auto` against one published value.
    fn pair(
        &self,
        errors: &Errors,
        place: usize,
        (figure, who): (&str, &str),
        rows: &str,
        of: impl Fn(&[Spread]) -> Option<&Spread>,
    ) -> [Claim; 2] {
        let sigma = SIGMAS.get(place).copied().unwrap_or(f64::NAN);
        let end = |method: &str, errors: &Method| {
            let error = errors.errors.get(place).and_then(|errors| of(errors)).copied();
            let name = format!("{method}, {rows}, σ = {sigma}");
            expected::noisy(figure, who, &name, error.unwrap_or_else(|| Spread::of([])))
        };
        let theirs = end("AGGLIO-GD", &errors.agglio_gd);
        let theirs = match self.remark {
            Some(remark) => theirs.remark(remark),
            None => theirs,
        };
        [theirs, end("solver auto with noise auto", &errors.own_default)]
    }
}

/// Where AGGLIO-GD and solver `auto` with noise `auto` end.
fn both(task: &Task, seed: u64, request: &Request) -> Result<[End; 2]> {
    let data = task.draw(seed)?;
    let published = Contestant::AGGLIO_GD.options(task, &Setting::new(), seed, request)?.epochs(EPOCHS).build()?;
    let default = problem::options(task, Solver::Auto, seed, request)?.noise(Noise::Auto).build()?;
    let end = |fit: Fitted| End { error: data.miss(&fit.coefficients), certified: fit.certificate.certified() };
    let ends = [published, default].map(|plan| plan.fit(&data.rows).map(end));
    request.check()?;
    let [published, default] = ends;
    Ok([published?, default?])
}

/// The paper sees small noise vanish, and large noise stay when rows are ten times as many.
fn stalls(errors: &[Vec<Spread>], sizes: &[usize], side: &str, remark: &str) -> Vec<Claim> {
    let claim = |(sigma, errors): (&f64, &Vec<Spread>)| {
        let at = |rows: usize| {
            let spread = sizes.iter().zip(errors).find(|(n, _)| **n == rows);
            spread.map_or(f64::NAN, |(_, spread)| spread.median)
        };
        let [few, some, many] = [1_000, 10_000, 100_000].map(at);
        let measured = format!("{} at n = 1e3, {} at 1e4, {} at 1e5", brief(few), brief(some), brief(many));
        let noise = format!("noise {side} φ of σ = {sigma}: AGGLIO's error");
        if *sigma <= SMALL {
            let statement = format!("{noise} vanishes as rows are added (to a fifth from n = 1e3 to 1e5)");
            return Claim::new("text, consistency", statement, measured, many / few, Bound::AtMost(0.2));
        }
        let statement = format!("{noise} does not fall appreciably with ten times as many rows (by less than a fifth)");
        let claim = Claim::new("text, consistency", statement, measured, many / some, Bound::AtLeast(0.8));
        if remark.is_empty() { claim } else { claim.remark(remark) }
    };
    SIGMAS.iter().zip(errors).map(claim).collect()
}

/// Solver `auto` with noise `auto` is consistent for every noise of the figure.
fn consistent(errors: &[Vec<Spread>], sizes: &[usize]) -> Vec<Claim> {
    let claim = |(sigma, errors): (&f64, &Vec<Spread>)| {
        let x: Vec<f64> = sizes.iter().map(|&rows| (rows as f64).ln()).collect();
        let y: Vec<f64> = errors.iter().map(|spread| spread.median.ln()).collect();
        let slope = Trend::through(&x, &y).slope;
        Claim::new(
            "beyond the paper",
            format!(
                "σ = {sigma}: the error of solver auto with noise auto falls as 1/√n (slope −0.5 ± 0.1 in log-log)"
            ),
            format!("slope {}", brief(slope)),
            (slope + 0.5).abs(),
            Bound::AtMost(0.1),
        )
        .remark("where rows are too few for the noise the minimum itself is far from w*, and the slope too steep")
    };
    SIGMAS.iter().zip(errors).map(claim).collect()
}

/// The caption has noise before φ leave a lower error than the same noise after it: looked at where there are many rows.
fn lower_before(after: &[Vec<Spread>], request: &Request, hear: &dyn Fn(&str)) -> Result<Vec<Claim>> {
    let rows = if request.quick { 10_000 } else { 100_000 };
    let place = sizes(request).iter().position(|&size| size == rows);
    let claim = |(sigma, after): (&f64, &Vec<Spread>)| -> Result<Claim> {
        hear(&format!("σ = {sigma} before φ, to compare"));
        let task = Task { rows, ..Task::usual("sigmoid") }.pre(*sigma);
        let error = |seed| Contestant::AGGLIO_GD.reach(&task, &Setting::new(), EPOCHS, seed, request);
        let before: Vec<End> = request.all_seeds().map(error).collect::<Result<_>>()?;
        let before = Spread::of(before.iter().map(|end| end.error)).median;
        let after = place.and_then(|place| after.get(place)).map_or(f64::NAN, |spread| spread.median);
        Ok(Claim::new(
            "caption of figure 6",
            format!("noise of σ = {sigma} leaves a lower error before φ than after it"),
            format!("AGGLIO-GD, n = {rows}: {} before, {} after", brief(before), brief(after)),
            before / after,
            Bound::AtMost(1.0),
        )
        .remark("noise after φ vanishes with more rows, noise before it does not, at τ = 1"))
    };
    SIGMAS.iter().zip(after).map(claim).collect()
}

fn panel(title: &str, method: &Method, all: &Errors, sizes: &[usize]) -> Panel {
    let x: Vec<f64> = sizes.iter().map(|&rows| rows as f64).collect();
    let lines = SIGMAS.iter().zip(method.errors.iter().zip(&method.open));
    let lines = lines.map(|(sigma, (errors, open))| sweep::line(format!("σ = {sigma}"), &x, errors, open));
    // all panels of figures 6a and 6b have the same axes, but for errors that are lower still
    let drawn = [&all.agglio_gd, &all.own_default].into_iter().flat_map(|method| method.errors.iter().flatten());
    let including = drawn.map(|spread| spread.lower).chain(SHARED).collect();
    Panel {
        title: title.into(),
        x: Axis { including: vec![1e3, 1e5], ..Axis::new("rows n", true) },
        y: Axis { including, most: Some(SHARED[1]), ..Axis::new("‖w − w*‖", true) },
        content: Content::Lines(lines.collect()),
    }
}

fn table(errors: &Errors, sizes: &[usize]) -> Table {
    let rows = [("AGGLIO-GD", &errors.agglio_gd.errors), ("solver auto with noise auto", &errors.own_default.errors)];
    let row = |(method, sigma, errors): (&str, f64, &Vec<Spread>)| -> Vec<Cell> {
        let head = [Cell::Text(method.into()), Cell::Number(sigma)];
        head.into_iter().chain(errors.iter().map(|&spread| Cell::from(spread))).collect()
    };
    let all = rows
        .into_iter()
        .flat_map(|(method, errors)| SIGMAS.iter().zip(errors).map(move |(&sigma, errors)| (method, sigma, errors)));
    Table {
        title: "‖w − w*‖: median, lowest and highest over the seeds".into(),
        columns: ["method".into(), "σ".into()]
            .into_iter()
            .chain(sizes.iter().map(|rows| format!("n = {rows}")))
            .collect(),
        rows: all.map(row).collect(),
    }
}

fn parameters(request: &Request) -> Vec<(String, String)> {
    [
        ("task", "sigmoid, d = 50, x ~ N(0, I)/√d, w* ~ N(0, I)".to_owned()),
        ("AGGLIO-GD", "as it comes (η = 1/Λ, τ0 = 0.01, β = 1.05), start 10·N(0, I)/√d, to τ = 1".into()),
        ("projection and cap", request.projection().into()),
        ("seeds", format!("{} from {}", request.seeds, request.seed)),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .into()
}
