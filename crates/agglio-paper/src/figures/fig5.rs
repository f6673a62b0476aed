//! Figure 5: where AGGLIO-GD and AGGLIO-SGD end when one of η, τ0 and β is set badly.

use agglio::text::format::brief;

use crate::claim::{Bound, Claim};
use crate::contestant::Contestant;
use crate::error::Result;
use crate::expected::rounding;
use crate::figure::{Axis, Content, Figure, Line, Panel};
use crate::figures::sweep::{self, Sweep};
use crate::grid::{Setting, linspace, logspace, symbol};
use crate::problem::Problem;
use crate::request::Request;
use crate::statistics::Spread;
use crate::task::Task;

/// One key that is varied while the others stay.
struct Study {
    name: &'static str,
    key: &'static str,
    log: bool,
    values: Vec<f64>,
    fixed: [(&'static str, f64); 2],
}

/// Figure 5a: the step length.
///
/// # Errors
/// If somebody wants it to end.
pub fn a(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    let (values, fixed) = (linspace(200.0, 400.0, 9), [("tau0", 0.1), ("beta", 1.01)]);
    Study { name: "fig5a", key: "eta", log: false, values, fixed }.draw(request, hear)
}

/// Figure 5b: the first temperature.
///
/// # Errors
/// If somebody wants it to end.
pub fn b(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    let (values, fixed) = (logspace(1e-4, 1e-1, 7), [("eta", 350.0), ("beta", 1.01)]);
    Study { name: "fig5b", key: "tau0", log: true, values, fixed }.draw(request, hear)
}

/// Figure 5c: the temperature's increment.
///
/// # Errors
/// If somebody wants it to end.
pub fn c(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    let (values, fixed) = (linspace(1.01, 2.0, 9), [("eta", 350.0), ("tau0", 0.1)]);
    Study { name: "fig5c", key: "beta", log: false, values, fixed }.draw(request, hear)
}

impl Study {
    fn draw(&self, request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
        let task = Task::usual("sigmoid");
        let sweeps = [Contestant::AGGLIO_GD, Contestant::AGGLIO_SGD].map(|contestant| {
            hear(&format!("running {}", contestant.name));
            let at =
                |value: f64| -> (Task, Setting) { (task, [(self.key, value)].into_iter().chain(self.fixed).collect()) };
            sweep::run(&contestant, &self.values, at, request)
        });
        let sweeps: Vec<Sweep> = sweeps.into_iter().collect::<Result<_>>()?;
        let fixed = self.fixed.map(|(key, value)| format!("{} = {value}", symbol(key))).join(", ");
        Ok(Figure {
            name: self.name,
            title: format!("The error at the end over {}, {fixed}: {}", self.swept(), task.title()),
            caption: format!(
                "The distance to the true model at the end, over {}, with {fixed}: median of the seeds, with a band between \
                 their quartiles.",
                self.swept()
            ),
            parameters: sweep::parameters(&task.described(), request),
            panels: vec![self.panel(&sweeps)],
            columns: 1,
            tables: vec![sweep::table(symbol(self.key), &sweeps)],
            claims: self.claims(&sweeps),
            ..Figure::default()
        })
    }

    /// The key and the range that was swept.
    fn swept(&self) -> String {
        let Spread { low, high, .. } = Spread::of(self.values.iter().copied());
        format!("{} from {low} to {high}", symbol(self.key))
    }

    fn panel(&self, sweeps: &[Sweep]) -> Panel {
        let lines: Vec<Line> = sweeps.iter().map(Sweep::line).collect();
        Panel {
            title: format!("‖w − w*‖ at the end, over {}", self.swept()),
            x: Axis::new(symbol(self.key), self.log),
            y: Axis::new("‖w − w*‖", true),
            content: Content::Lines(lines),
        }
    }

    /// The caption has roughly the same error for all values.
    fn steadiness(&self, sweep: &Sweep) -> Claim {
        let Spread { low, high, .. } = Spread::of(sweep.medians());
        Claim::new(
            "caption of figure 5",
            format!(
                "{} ends with roughly the same error for every {} (within three times)",
                sweep.contestant.name,
                self.swept()
            ),
            format!("medians from {} to {}", brief(low), brief(high)),
            high / low,
            Bound::AtMost(3.0),
        )
    }

    fn claims(&self, sweeps: &[Sweep]) -> Vec<Claim> {
        let claim = |sweep: &Sweep| {
            let name = sweep.contestant.name;
            rounding(self.name, name, &format!("{name}, for every {},", self.swept()), sweep.worst_spread())
        };
        let mut claims: Vec<Claim> = sweeps.iter().map(claim).collect();
        claims.extend(sweeps.iter().map(|sweep| self.steadiness(sweep)));
        claims
    }
}
