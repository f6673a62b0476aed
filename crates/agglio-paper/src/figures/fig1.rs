//! *Figure 1* (`fig:surfaces`): what graduation does to four activations, and to the loss around w*.

use std::sync::Arc;

use crate::error::Result;
use crate::expected::published;
use agglio::activation::{Activation, named};
use agglio::text::format::brief;

use crate::claim::{Bound, Claim};
use crate::contestant::Contestant;
use crate::figure::{Axis, Cell, Content, Figure, Line, Panel, Surface, Table};
use crate::landscape::{Dent, FEATURES, HALF_WIDTH, Landscape, POINTS, RADII, ROWS, gamma};
use crate::request::Request;
use crate::statistics::Spread;
use crate::task::Task;

/// As typed, and as written.
const ACTIVATIONS: [(&str, &str); 4] =
    [("sigmoid", "sigmoid"), ("softplus", "softplus"), ("leaky-softplus", "leaky softplus"), ("silu", "SiLU")];
/// Temperatures of the curves.
const TAUS: [f64; 4] = [1.0, 0.5, 0.1, 0.01];
/// Temperatures of the surfaces.
const WARM: f64 = 1.0;
const COLD: f64 = 0.01;
/// Points of a curve, and how far apart they are.
const CURVE: i32 = 50;
const STEP: f64 = 0.2;
/// How far below zero an eigenvalue is, as a share of the greatest, that is no rounding.
const NEGATIVE: f64 = 1e-9;
/// Points along a side of a surface.
const SIDE: usize = 33;
const QUICK_SIDE: usize = 21;

const CAPTION: &str = "Top: the graduated activations, φ_τ(z) − φ_τ(0), at four temperatures. Middle: the loss of least \
squares in a plane around w* that also contains the origin. Bottom: the loss of the graduated problem, L_τ at τ = 0.01, in \
the same plane. Where the loss is not convex at τ = 1, the ball around w* in which it is widens; the sigmoid's loss becomes \
flatter.";

/// Draws it.
///
/// # Errors
/// None that a user could cause.
pub fn draw(request: &Request, say: &dyn Fn(&str)) -> Result<Figure> {
    let side = if request.quick { QUICK_SIDE } else { SIDE };
    let mut views = Vec::new();
    for (typed, written) in ACTIVATIONS {
        say(written);
        views.push(View::new(named(typed)?, written, side, request)?);
    }
    let curves = views.iter().map(View::curves);
    let warm = views.iter().map(|view| view.panel(WARM, &view.warm));
    let cold = views.iter().map(|view| view.panel(COLD, &view.cold));
    Ok(Figure {
        name: "fig1",
        title: format!(
            "Effect of graduation on four activations and on the loss around w*, n = {ROWS}, d = {FEATURES}, no noise"
        ),
        caption: CAPTION.into(),
        parameters: parameters(request, side),
        panels: curves.chain(warm).chain(cold).collect(),
        columns: ACTIVATIONS.len(),
        tables: vec![heights(&views), basins(&views), strengths(&views), dents(&views)],
        claims: views
            .iter()
            .filter_map(View::flattening)
            .chain(views.iter().filter_map(View::non_convexity))
            .chain(views.iter().map(View::strengthening))
            .chain([slowness(request)?])
            .collect(),
        seconds: 0.0,
    })
}

/// The panels and claims of one activation.
struct View {
    activation: Arc<dyn Activation>,
    name: &'static str,
    warm: Surface,
    cold: Surface,
    basins: Pairs,
    strengths: Pairs,
    /// At τ = 1, for each seed.
    dents: Vec<Dent>,
}

/// Numbers at both temperatures, for each seed.
#[derive(Default)]
struct Pairs(Vec<[f64; 2]>);

impl Pairs {
    fn warm(&self) -> Vec<f64> {
        self.0.iter().map(|[warm, _]| *warm).collect()
    }

    fn cold(&self) -> Vec<f64> {
        self.0.iter().map(|[_, cold]| *cold).collect()
    }

    /// By how much the second is at least greater.
    fn least_gain(&self) -> f64 {
        self.0.iter().map(|[warm, cold]| cold / warm).fold(f64::INFINITY, f64::min)
    }
}

impl View {
    fn new(activation: Arc<dyn Activation>, name: &'static str, side: usize, request: &Request) -> Result<View> {
        let first = Landscape::new(activation.clone(), request.seed)?;
        let (warm, cold) = (first.surface(WARM, side)?, first.surface(COLD, side)?);
        let (mut basins, mut strengths, mut dents) = (Pairs::default(), Pairs::default(), Vec::new());
        for seed in request.all_seeds() {
            request.check()?;
            let landscape = Landscape::new(activation.clone(), seed)?;
            basins.0.push([landscape.basin(WARM)?, landscape.basin(COLD)?]);
            strengths.0.push([landscape.strength(HALF_WIDTH, WARM)?, landscape.strength(HALF_WIDTH, COLD)?]);
            dents.push(landscape.dent(WARM)?);
        }
        Ok(View { activation, name, warm, cold, basins, strengths, dents })
    }

    fn curves(&self) -> Panel {
        let x: Vec<f64> = (-CURVE..=CURVE).map(|i| f64::from(i) * STEP).collect();
        let line = |tau: f64| {
            let mut y = vec![0.0; x.len()];
            self.activation.graduate(tau, &x, &mut y);
            y.iter_mut().for_each(|y| *y *= gamma(&*self.activation, tau));
            Line { name: format!("τ = {tau}"), x: x.clone(), y, ..Line::default() }
        };
        Panel {
            title: self.name.into(),
            x: axis("z"),
            y: axis("φ_τ(z) − φ_τ(0)"),
            content: Content::Lines(TAUS.map(line).into()),
        }
    }

    fn panel(&self, tau: f64, surface: &Surface) -> Panel {
        Panel {
            title: format!("{}, τ = {tau}", self.name),
            x: axis("from w* to the origin"),
            y: axis("across"),
            content: Content::Surface(surface.clone()),
        }
    }

    /// Whether the loss became as flat as the caption says, which it says of bounded activations.
    fn flattening(&self) -> Option<Claim> {
        if gamma(&*self.activation, COLD) == 1.0 {
            return None;
        }
        let [before, after] = [&self.warm, &self.cold].map(highest);
        let [their_before, their_after] = ["before", "after"].map(|when| published("fig1", when));
        Some(Claim::new(
            "caption",
            format!(
                "graduation flattens the objective of the {}: 0–{their_after} after, 0–{their_before} before (twice as much \
                 after allowed)",
                self.name
            ),
            format!("0–{before:.2} before, 0–{after:.4} after, in a plane so wide that the first is about the paper's"),
            after,
            Bound::AtMost(2.0 * their_after),
        ))
    }

    /// Whether the loss at τ = 1 is curved downwards somewhere on the line through w* and the origin; for every seed.
    fn non_convexity(&self) -> Option<Claim> {
        let by_ratio = |one: &&Dent, other: &&Dent| one.ratio.total_cmp(&other.ratio);
        let (shallow, deep) = (self.dents.iter().max_by(by_ratio)?, self.dents.iter().min_by(by_ratio)?);
        let ratio = shallow.ratio;
        let claim = Claim::new(
            "text, graduation",
            format!("the loss of {} is non-convex at τ = 1", self.name),
            format!(
                "the smallest eigenvalue of the Hessian over the largest, where it is lowest on the line from w* through the \
                 origin, is {} to {} by data set (the first at {} times the distance to the origin)",
                brief(deep.ratio),
                brief(ratio),
                brief(deep.share)
            ),
            ratio,
            Bound::AtMost(-NEGATIVE),
        );
        Some(match ratio < 0.0 {
            true => claim,
            false => claim.remark(
                "no negative eigenvalue was found, nor was one at points drawn at random around w*, so the loss looks \
                 convex; a search is no proof. Half of the rows have a large slope wherever w is, and outweigh the others",
            ),
        })
    }

    /// Whether the basin widened or, where it was as wide as the plane before, became more strongly convex; for every seed.
    fn strengthening(&self) -> Claim {
        if self.strengths.warm().iter().any(|strength| *strength <= 0.0) {
            return Claim::new(
                "introduction, key idea",
                format!(
                    "graduation expands the neighbourhood of w* where the loss of {} is strongly convex",
                    self.name
                ),
                format!(
                    "radius at least {} at τ = 0.01, {} at τ = 1",
                    median(self.basins.cold()),
                    median(self.basins.warm())
                ),
                self.basins.least_gain(),
                Bound::AtLeast(2.0),
            );
        }
        let [warm, cold] = [self.strengths.warm(), self.strengths.cold()].map(median);
        Claim::new(
            "caption",
            format!("graduation strengthens the convexity of the loss of {} around w*", self.name),
            format!("least/greatest eigenvalue {cold:.3} at τ = 0.01, {warm:.3} at τ = 1"),
            self.strengths.least_gain(),
            Bound::AtLeast(1.0),
        )
        .remark(
            "on such data the loss is convex wherever it was looked at, at τ = 1 too; graduation conditions it better",
        )
    }
}

fn axis(label: &str) -> Axis {
    Axis::new(label, false)
}

fn highest(surface: &Surface) -> f64 {
    surface.z.iter().flatten().copied().fold(0.0, f64::max)
}

fn median(values: Vec<f64>) -> f64 {
    Spread::of(values).median
}

/// Whether the caption is right that too low a temperature makes descent slow: with the paper's steps, whose length it does
/// not change, on the paper's L_τ.
fn slowness(request: &Request) -> Result<Claim> {
    const STEPS: usize = 100;
    const ETA: f64 = 350.0;
    let task = Task::usual("sigmoid");
    let gd = Contestant::AGGLIO_GD;
    let ends = |tau: f64| -> Result<f64> {
        // a step η on L_τ is one of ηγ² on L̂_τ
        let setting = vec![("eta", ETA * tau * tau), ("tau0", tau), ("tau-max", tau)];
        let error = |seed| gd.reach(&task, &setting, STEPS, seed, request);
        Ok(median(request.all_seeds().map(|seed| Ok(error(seed)?.error)).collect::<Result<_>>()?))
    };
    let [warm, cold] = [ends(WARM)?, ends(COLD)?];
    let claim = Claim::new(
        "caption",
        "excessive graduation slows descent down",
        format!("{STEPS} steps of η = {ETA} leave an error of {} at τ = 0.01, {} at τ = 1", brief(cold), brief(warm)),
        cold / warm,
        Bound::AtLeast(1.0),
    );
    Ok(claim.by_construction().remark(
        "L_τ of a sigmoid is τ² times a loss that hardly depends on τ, so that a fixed η is τ² times as short; with steps of \
         η/τ², as in the paper's experiments, low temperatures are the fastest",
    ))
}

fn parameters(request: &Request, side: usize) -> Vec<(String, String)> {
    let radii = (RADII.into_iter().fold(f64::INFINITY, f64::min), RADII.into_iter().fold(0.0, f64::max));
    [
        ("rows", ROWS.to_string()),
        ("features", format!("{FEATURES}, x ~ N(0, I)/√{FEATURES}")),
        ("true model", "w* ~ N(0, I), no noise".into()),
        ("plane", format!("±{HALF_WIDTH} around w*, one side through the origin, the other drawn at random")),
        ("seeds", format!("{} from {}", request.seeds, request.seed)),
        ("projection and cap", request.projection().into()),
        ("surfaces", format!("{side} × {side} points, seed {}", request.seed)),
        (
            "balls around w*",
            format!(
                "of radius {} to {}, {POINTS} random points each and points of the line through w* and the origin",
                radii.0, radii.1
            ),
        ),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

fn heights(views: &[View]) -> Table {
    let cell = |surface: &Surface| Cell::Number(highest(surface));
    table("Highest loss in the plane", views.iter().map(|view| (view.name, [cell(&view.warm), cell(&view.cold)])))
}

fn basins(views: &[View]) -> Table {
    let title = "Radius of the largest ball around w* in which the loss is convex";
    table(title, views.iter().map(|view| (view.name, ranges(&view.basins))))
}

fn strengths(views: &[View]) -> Table {
    let title = format!("Least eigenvalue of the Hessian within {HALF_WIDTH} of w*, divided by the greatest");
    table(&title, views.iter().map(|view| (view.name, ranges(&view.strengths))))
}

fn dents(views: &[View]) -> Table {
    let row = |view: &View| -> Vec<Cell> {
        let [ratio, share]: [fn(&Dent) -> f64; 2] = [|dent| dent.ratio, |dent| dent.share];
        let [ratio, share] = [ratio, share].map(|of| Cell::from(Spread::of(view.dents.iter().map(of))));
        vec![Cell::Text(view.name.into()), ratio, share]
    };
    Table {
        title: "Where the loss at τ = 1 is least convex on the line from w* through the origin".into(),
        columns: ["activation", "least/greatest eigenvalue", "distance from w* ÷ ‖w*‖"].map(Into::into).into(),
        rows: views.iter().map(row).collect(),
    }
}

fn ranges(pairs: &Pairs) -> [Cell; 2] {
    [pairs.warm(), pairs.cold()].map(|values| Spread::of(values).into())
}

fn table(title: &str, rows: impl Iterator<Item = (&'static str, [Cell; 2])>) -> Table {
    let row = |(name, cells): (&str, [Cell; 2])| [Cell::Text(name.into())].into_iter().chain(cells).collect();
    Table {
        title: title.into(),
        columns: ["activation", "τ = 1", "τ = 0.01"].map(Into::into).into(),
        rows: rows.map(row).collect(),
    }
}
