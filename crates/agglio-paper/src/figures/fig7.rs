//! Figure 7: how AGGLIO's error depends on the number of features, and on the noise before φ.

use agglio::text::format::brief;

use crate::claim::{Bound, Claim};
use crate::contestant::Contestant;
use crate::error::Result;
use crate::expected::rounding;
use crate::figure::{Axis, Content, Figure, Panel};
use crate::figures::sweep::{self, Sweep};
use crate::grid::{Setting, linspace};
use crate::request::Request;
use crate::statistics::Trend;
use crate::task::Task;

/// GD, and SGD with the larger minibatches of this figure.
const PAIR: [Contestant; 2] = [Contestant::AGGLIO_GD, Contestant::AGGLIO_SGD_200];

/// Figure 7a: the number of features.
///
/// # Errors
/// If somebody wants it to end.
pub fn a(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    let x = linspace(10.0, 50.0, 5);
    let at = |d: f64| (Task { features: d as usize, ..Task::usual("sigmoid") }, Setting::new());
    let sweeps = sweeps(&x, at, request, hear)?;
    let claim = |(sweep, who): (&Sweep, &str)| {
        rounding("fig7a", who, &format!("{}, for every d from 10 to 50,", sweep.contestant.name), sweep.worst_spread())
    };
    let claims: Vec<Claim> = sweeps.iter().zip(["AGGLIO-GD", "AGGLIO-SGD"]).map(claim).collect();
    let title = "The error at the end over d from 10 to 50: sigmoid, n = 1000, no noise";
    let data = "sigmoid, n = 1000, d from 10 to 50, no noise; x ~ N(0, I)/√d, w* ~ N(0, I)";
    Ok(Figure { claims, ..figure("fig7a", title, ("features d", "d"), true, data, &sweeps, request) })
}

/// Figure 7b: the noise before φ.
///
/// # Errors
/// If somebody wants it to end.
pub fn b(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    let x = linspace(0.1, 0.5, 5);
    let at = |sigma: f64| (Task::usual("sigmoid").pre(sigma), Setting::new());
    let sweeps = sweeps(&x, at, request, hear)?;
    let claim = |sweep: &Sweep| {
        let trend = Trend::through(&sweep.x, &sweep.medians());
        Claim::new(
            "text, consistency",
            format!("the error of {} grows linearly with σ (r² of a line at least 0.98)", sweep.contestant.name),
            format!("r² = {:.4}, {} for each unit of σ", trend.r_squared, brief(trend.slope)),
            trend.r_squared,
            Bound::AtLeast(0.98),
        )
    };
    let claims = sweeps.iter().map(claim).collect();
    let title = "The error at the end over σ from 0.1 to 0.5: sigmoid, n = 1000, d = 50, noise before φ";
    let data = "sigmoid, n = 1000, d = 50, noise before φ, N(0, σ²); x ~ N(0, I)/√d, w* ~ N(0, I)";
    Ok(Figure { claims, ..figure("fig7b", title, ("σ of the noise before φ", "σ"), false, data, &sweeps, request) })
}

fn sweeps(
    x: &[f64],
    at: impl Fn(f64) -> (Task, Setting) + Copy,
    request: &Request,
    hear: &dyn Fn(&str),
) -> Result<Vec<Sweep>> {
    let one = |contestant: &Contestant| {
        hear(&format!("running {}", contestant.name));
        sweep::run(contestant, x, at, request)
    };
    PAIR.iter().map(one).collect()
}

fn figure(
    name: &'static str,
    title: &str,
    (label, symbol): (&str, &str),
    log: bool,
    data: &str,
    sweeps: &[Sweep],
    request: &Request,
) -> Figure {
    let panel = Panel {
        title: format!("‖w − w*‖ at the end, over {symbol}"),
        x: Axis::new(label, false),
        y: Axis::new("‖w − w*‖", log),
        content: Content::Lines(sweeps.iter().map(Sweep::line).collect()),
    };
    Figure {
        name,
        title: title.into(),
        caption: format!(
            "The distance to the true model at the end, over {symbol}: median of the seeds, with a band between their \
             quartiles. The methods are as they come."
        ),
        parameters: sweep::parameters(data, request),
        panels: vec![panel],
        columns: 1,
        tables: vec![sweep::table(symbol, sweeps)],
        ..Figure::default()
    }
}
