//! Theorems 4 and 5: what *noise* costs, before φ under the cap and after it at τ = 1.

use agglio::activation::named;
use agglio::simulate::{LabelNoise, Shape};
use agglio::text::format::brief;
use agglio::theory::Leg;
use agglio::{Noise, Options};

use super::{D, N, Part, measured, promised, setting, trial};
use crate::claim::{Bound, Claim};
use crate::error::Result;
use crate::figure::{Axis, Cell, Content, Line, Marks, Panel, Table};
use crate::request::Request;
use crate::statistics::{Spread, Trend};

/// Deviations of the noise before φ.
const DEVIATIONS: [f64; 6] = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5];
/// Steps of Algorithm 1 under the cap.
const STEPS: usize = 200;
/// Widths of the noise after φ: one that leaves no cap, as the theorem assumes, and one far beyond.
const WIDTHS: [f64; 2] = [0.0035, 0.05];

/// Theorem 4: under the cap the error is at most a multiple of ς.
pub fn before(request: &Request, hear: &dyn Fn(&str)) -> Result<Part> {
    hear("Theorem 4");
    let (mut errors, mut bounds, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for deviation in DEVIATIONS {
        let noise = LabelNoise::Pre(deviation, Shape::Gauss);
        let setting = setting(1.0, noise)?.on_sample(N, D)?;
        let legs: Vec<Leg> = setting.path().take(STEPS).collect();
        let error = |seed| Ok(trial(1.0, noise, N, seed)?.descend(&legs, vec![0.0; D])?.last().copied());
        let found: Vec<Option<f64>> = request.all_seeds().map(error).collect::<Result<_>>()?;
        let found = Spread::of(found.into_iter().flatten());
        let bound = setting.errors(N, D).and_then(|errors| errors.capped).unwrap_or(f64::NAN);
        rows.push(vec![
            Cell::Number(deviation),
            Cell::Number(setting.caps().strictest()),
            found.into(),
            if bound.is_nan() { Cell::Text("nothing".into()) } else { Cell::Number(bound) },
        ]);
        errors.push(found.median);
        bounds.push(bound);
    }
    let trend = Trend::through(&DEVIATIONS, &errors);
    let share = errors.iter().zip(&bounds).map(|(error, bound)| error / bound).fold(0.0, f64::max);
    let columns = ["S", "τ_max", "‖w − w*‖", "promised at most"].map(String::from).into();
    let name = "noise before φ";
    let marked = |line: Line| Line { marks: Marks::All, ..line };
    let lines = vec![
        marked(measured(name, &DEVIATIONS, errors)),
        marked(promised("promised, where anything is", name, &DEVIATIONS, bounds)),
    ];
    let claims = vec![
        Claim::new(
            "Theorem 4",
            "under the cap the error grows as the noise before φ does (r² of a line at least 0.98)",
            format!("r² = {:.4}, {} for each unit of S", trend.r_squared, brief(trend.slope)),
            trend.r_squared,
            Bound::AtLeast(0.98),
        ),
        Claim::new(
            "Theorem 4",
            "under the cap the error is below what the corrected constants promise, where they promise anything",
            format!("{} of it at most", brief(share)),
            share,
            Bound::AtMost(1.0),
        ),
    ];
    let title = format!("Theorem 4, noise N(0, S²) before φ, {STEPS} steps, R = 1");
    let table = Table { title, columns, rows };
    let panel = panel("Theorem 4, noise before φ, R = 1", "deviation S of the noise", lines);
    Ok(Part { panels: vec![panel], tables: vec![table], claims })
}

/// Theorem 5: at τ = 1 the error falls as ς√(d/n).
pub fn after(request: &Request, hear: &dyn Fn(&str)) -> Result<Part> {
    hear("Theorem 5");
    let sizes: &[usize] =
        if request.quick { &[1_000, 10_000, 100_000] } else { &[1_000, 3_000, 10_000, 30_000, 100_000] };
    let x: Vec<f64> = sizes.iter().map(|&rows| rows as f64).collect();
    let (mut lines, mut claims) = (Vec::new(), Vec::new());
    for width in WIDTHS {
        let noise = LabelNoise::Post(width, Shape::Uniform);
        let mut errors = Vec::new();
        for &rows in sizes {
            let logs: Vec<f64> = request.all_seeds().map(|seed| log_error(noise, rows, seed)).collect::<Result<_>>()?;
            request.check()?;
            errors.push((logs.iter().sum::<f64>() / logs.len() as f64).exp());
        }
        let free = setting(1.0, noise)?.caps().strictest() >= 1.0;
        let name = format!("noise after φ, ς = {width}");
        let first = errors.first().copied().unwrap_or(f64::NAN) * (x.first().copied().unwrap_or(f64::NAN)).sqrt();
        let falling = x.iter().map(|rows| first / rows.sqrt()).collect();
        claims.push(claim(width, free, &x, &errors));
        lines.push(Line { marks: Marks::All, ..measured(name.clone(), &x, errors) });
        lines.push(promised(format!("falling as 1/√n, ς = {width}"), &name, &x, falling));
    }
    let mut panel = panel("Theorem 5, noise after φ, τ = 1, ‖w*‖ = 1", "rows n", lines);
    panel.x.log = true;
    Ok(Part { panels: vec![panel], tables: Vec::new(), claims })
}

fn log_error(noise: LabelNoise, rows: usize, seed: u64) -> Result<f64> {
    let trial = trial(1.0, noise, rows, seed)?;
    let plan = Options::new(named("sigmoid")?).intercept(false).noise(Noise::Post).seed(seed).build()?;
    Ok(trial.distance(&plan.fit(&trial.rows)?.coefficients).ln())
}

/// That the slope in log-log is −0.5.
fn claim(width: f64, free: bool, x: &[f64], errors: &[f64]) -> Claim {
    let logs = |values: &[f64]| -> Vec<f64> { values.iter().map(|value| value.ln()).collect() };
    let slope = Trend::through(&logs(x), &logs(errors)).slope;
    let (source, where_) = match free {
        true => ("Theorem 5", "where no cap is needed"),
        false => ("beyond the paper", "beyond what Theorem 5 assumes"),
    };
    Claim::new(
        source,
        format!("noise after φ of width ς = {width}, {where_}: the error at τ = 1 falls as 1/√n (slope −0.5 ± 0.1)"),
        format!("slope {}", brief(slope)),
        (slope + 0.5).abs(),
        Bound::AtMost(0.1),
    )
}

fn panel(title: &str, x: &str, lines: Vec<Line>) -> Panel {
    Panel {
        title: title.into(),
        x: Axis::new(x, false),
        y: Axis::new("‖w − w*‖", true),
        content: Content::Lines(lines),
    }
}
