//! Figures that no experiment made: each shows what is hard to draw.

use agglio_paper::claim::{Bound, Claim};
use agglio_paper::figure::{Axis, Cell, Content, Figure, Line, Marks, Panel, Stroke, Surface, Table};
use agglio_paper::statistics::Spread;

pub fn all() -> Vec<Figure> {
    vec![stress(), everything(), alone(), surfaces(), empty()]
}

fn axis(label: &str, log: bool) -> Axis {
    Axis::new(label, log)
}

/// A line that falls from 10 to its floor over four decades of time, within a factor of three.
fn falling(name: &str, rate: f64, floor: f64) -> Line {
    let x: Vec<f64> = (0..400).map(|i| 10_f64.powf(-4.0 + f64::from(i) / 80.0)).collect();
    let y: Vec<f64> = x.iter().map(|t| 10.0 * (-rate * t).exp() + floor * (1.0 + 0.3 * (40.0 * t).sin())).collect();
    let lower = y.iter().map(|y| y / 3.0).collect();
    let upper = y.iter().map(|y| y * 3.0).collect();
    Line { name: name.into(), x, y, lower, upper, ..Line::default() }
}

/// Twelve lines of long names with bands over seventeen decades, in three panels.
pub fn stress() -> Figure {
    let line = |i: u32, panel: u32| Line {
        stroke: if i > 5 { Stroke::Dashed } else { Stroke::Solid },
        ..falling(
            &format!("AGGLIO-variant {i} with a long name"),
            f64::from(i + 1) * (4.0 + f64::from(panel)),
            10_f64.powi(-(i as i32) * 17 / 12),
        )
    };
    let panel = |k: u32| Panel {
        title: format!("({}) noise {k} before φ, σ = 0.5", ["a", "b", "c"][k as usize]),
        x: axis("time in s", true),
        y: axis("‖w − w*‖₂", true),
        content: Content::Lines((0..12).map(|i| line(i, k)).collect()),
    };
    Figure {
        name: "stress",
        title: "Twelve solvers in three settings, a title so long that it has to be broken into several lines because no picture would be wide enough for it, and then some more words of it, and even more".into(),
        caption: "Nothing overlaps & nothing < is > \"cut off\".".into(),
        panels: (0..3).map(panel).collect(),
        columns: 3,
        ..Figure::default()
    }
}

/// Every feature there is: gaps, marks, dashes, bands, both kinds of axes, surfaces beside lines, tables and claims.
pub fn everything() -> Figure {
    let few = |name: &str, height: f64| Line {
        name: name.into(),
        x: vec![200.0, 250.0, 300.0, 350.0, 400.0],
        y: vec![height, 1.1 * height, 0.0, 1.3 * height, f64::NAN],
        lower: vec![0.5 * height; 5],
        upper: vec![2.0 * height; 5],
        marks: Marks::All,
        ..Line::default()
    };
    let rates = Panel {
        title: "final error".into(),
        x: axis("step length η", false),
        y: axis("‖w − w*‖", true),
        content: Content::Lines(vec![
            few("GD", 4e-16),
            Line { open: vec![false, true], ..few("SGD", 6e-15) },
            Line { like: Some("GD".into()), stroke: Stroke::Dotted, ..few("GD, τ = 1", 1e-3) },
        ]),
    };
    let rates = Panel { y: Axis { most: Some(1e-5), ..rates.y }, ..rates };
    let linear = Panel {
        title: "linear in σ".into(),
        x: axis("σ of noise before φ", false),
        y: axis("ℓ₂ error", false),
        content: Content::Lines(vec![
            Line {
                name: "GD".into(),
                x: vec![0.1, 0.3, 0.5],
                y: vec![0.2, 0.6, 1.0],
                marks: Marks::All,
                ..Line::default()
            },
            Line {
                name: "β < 1 & more".into(),
                x: vec![0.1, 0.5],
                y: vec![0.3, 0.9],
                stroke: Stroke::Dashed,
                ..Line::default()
            },
        ]),
    };
    let narrow = Panel {
        title: "few decades".into(),
        x: axis("rows n", true),
        y: axis("error", true),
        content: Content::Lines(vec![Line {
            name: "SGD".into(),
            x: vec![1e3, 3e3, 1e4, 3e4, 1e5],
            y: vec![0.35, 0.2, 0.11, 0.06, 0.035],
            lower: vec![0.3, 0.17, 0.1, 0.05, 0.03],
            upper: vec![0.4, 0.25, 0.13, 0.07, 0.04],
            marks: Marks::All,
            ..Line::default()
        }]),
    };
    let mut surface = bowl("loss L", 1e-3);
    surface.z[3][4] = f64::NAN;
    let surface = Panel {
        title: "a surface".into(),
        x: axis("u", false),
        y: axis("v", false),
        content: Content::Surface(surface),
    };
    let table = Table {
        title: "Final errors".into(),
        columns: vec!["solver".into(), "error".into(), "seconds".into()],
        rows: vec![
            vec![
                Cell::Text("GD".into()),
                Cell::Number(4e-16),
                Cell::Range { median: 0.25, low: 0.125, high: f64::INFINITY },
            ],
            vec![Cell::Text("<b>SGD</b>".into()), Cell::Number(f64::INFINITY), Cell::Number(1234567.0)],
        ],
    };
    let claims = vec![
        Claim::new("caption", "GD is ≤ 5e-16 at every η", "4.4e-16", 4.4e-16, Bound::AtMost(5e-16)),
        Claim::new("section 5", "faster than <all> others", "1.2 times", 1.2, Bound::AtLeast(2.0))
            .remark("the published code evaluates the loss inside the timed loop"),
        Claim::new("caption", "a number that never came", "never", f64::NAN, Bound::AtLeast(2.0)),
        Claim::new("caption", "one of two is ahead", "1.1 times", 1.1, Bound::AtLeast(1.0))
            .over(Spread::of([0.5, 1.5])),
        Claim::new("caption", "what could not fail", "3 times", 3.0, Bound::AtLeast(2.0)).by_construction(),
        Claim::new("beyond the paper", "a ratio to what never came", "for ever", f64::INFINITY, Bound::AtLeast(2.0)),
    ];
    Figure {
        name: "everything",
        title: "Every feature: η, τ, β, σ, ℓ & <tags>".into(),
        caption: "A caption with <tags> & an ampersand.".into(),
        parameters: vec![("η".into(), "200 … 400".into()), ("rows".into(), "1000".into())],
        panels: vec![rates, linear, narrow, surface],
        columns: 2,
        tables: vec![table],
        claims,
        seconds: 1.25,
    }
}

/// One panel and one line.
pub fn alone() -> Figure {
    let line = Line { name: "AGGLIO-GD".into(), ..falling("", 6.0, 1e-15) };
    let panel = Panel {
        title: String::new(),
        x: axis("time in s", true),
        y: axis("‖w − w*‖", true),
        content: Content::Lines(vec![line]),
    };
    Figure { name: "alone", title: "One panel".into(), panels: vec![panel], columns: 1, ..Figure::default() }
}

fn bowl(label: &str, unit: f64) -> Surface {
    let x: Vec<f64> = (-15..=15).map(f64::from).collect();
    let height = |x: f64, y: f64| unit * 0.5 * (1.0 - (-(x * x + y * y) / 90.0).exp());
    let z = x.iter().map(|y| x.iter().map(|x| height(*x, *y)).collect()).collect();
    Surface { y: x.clone(), x, z, label: label.into() }
}

/// Four columns of lines above surfaces.
pub fn surfaces() -> Figure {
    let names = ["sigmoid", "softplus", "leaky softplus", "SiLU"];
    let curves = |name: &str| Panel {
        title: name.into(),
        x: axis("z", false),
        y: axis("φ_τ(z)", false),
        content: Content::Lines(
            [1.0, 0.5, 0.1, 0.01]
                .map(|tau| {
                    let x: Vec<f64> = (-50..=50).map(|i| f64::from(i) / 5.0).collect();
                    let y = x.iter().map(|z| 1.0 / (1.0 + (-tau * z).exp())).collect();
                    Line { name: format!("τ = {tau}"), x, y, ..Line::default() }
                })
                .into(),
        ),
    };
    let surface = |name: &str, unit: f64| Panel {
        title: format!("{name}, τ = 1"),
        x: axis("along u", false),
        y: axis("along v", false),
        content: Content::Surface(bowl("loss", unit)),
    };
    let panels = names.map(curves).into_iter().chain(names.map(|name| surface(name, 1.0)));
    let panels = panels.chain(names.map(|name| surface(name, 0.003)));
    Figure {
        name: "surfaces",
        title: "Curves above surfaces".into(),
        panels: panels.collect(),
        columns: 4,
        ..Figure::default()
    }
}

/// Panels with nothing on them.
pub fn empty() -> Figure {
    let panel =
        |log: bool, content: Content| Panel { title: "nothing".into(), x: axis("x", log), y: axis("y", log), content };
    let nothing = Surface { x: vec![0.0], y: vec![], z: vec![vec![], vec![1.0]], label: "z".into() };
    let unplaced = Line { name: "nowhere".into(), x: vec![1.0, -1.0], y: vec![0.0, 1.0], ..Line::default() };
    Figure {
        name: "empty",
        title: String::new(),
        panels: vec![
            panel(false, Content::Lines(vec![])),
            panel(true, Content::Lines(vec![])),
            panel(true, Content::Lines(vec![unplaced])),
            panel(false, Content::Surface(nothing)),
        ],
        ..Figure::default()
    }
}

/// These numbers on both axes, straight and in logarithms.
pub fn of_lines(values: &[f64]) -> Figure {
    let line = Line {
        name: "numbers".into(),
        x: values.to_vec(),
        y: values.to_vec(),
        lower: values.to_vec(),
        upper: values.to_vec(),
        marks: Marks::All,
        ..Line::default()
    };
    let panel = |log: bool| Panel {
        title: "numbers".into(),
        x: axis("x", log),
        y: axis("y", log),
        content: Content::Lines(vec![line.clone()]),
    };
    Figure { name: "numbers", panels: vec![panel(false), panel(true)], columns: 2, ..Figure::default() }
}

/// A surface between two heights.
pub fn of_surface(low: f64, high: f64) -> Figure {
    let z = vec![vec![low, high], vec![high, low]];
    let content = Content::Surface(Surface { x: vec![0.0, 1.0], y: vec![0.0, 1.0], z, label: "z".into() });
    let panel = Panel { title: "numbers".into(), x: axis("x", false), y: axis("y", false), content };
    Figure { name: "numbers", panels: vec![panel], columns: 1, ..Figure::default() }
}
