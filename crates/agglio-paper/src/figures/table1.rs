//! Table 1: how convex and how smooth graduated losses are around w*, by the paper's constants, by corrected ones, and as
//! measured on data.

use agglio::activation::named;
use agglio::simulate::{LabelNoise, Shape};
use agglio::text::format::brief;
use agglio::theory::trial::{Draw, Trial};
use agglio::theory::{Constants, Setting};

use crate::claim::{Bound, Claim};
use crate::error::Result;
use crate::figure::{Axis, Cell, Content, Figure, Line, Panel, Stroke, Table};
use crate::grid::logspace;
use crate::request::Request;
use crate::statistics::Spread;

/// The size of the data that constants are held against.
const N: usize = 4000;
const D: usize = 10;
/// Number of random points of a ball, in addition to w*.
const POINTS: usize = 4;

/// ‖w*‖ at which the printed bound of the sigmoid fails.
const FAR: f64 = 80.0;

const ACTIVATIONS: [&str; 3] = ["sigmoid", "softplus", "leaky-softplus"];

/// No noise, noise before φ and noise after it, with the numbers that the theory needs.
const NOISES: [(&str, LabelNoise); 3] = [
    ("none", LabelNoise::None),
    ("before φ, N(0, 0.1²)", LabelNoise::Pre(0.1, Shape::Gauss)),
    ("after φ, U(−0.05, 0.05)", LabelNoise::Post(0.05, Shape::Uniform)),
];

/// One activation under one noise with ‖w*‖ = R: the theory, and data.
struct Case {
    /// Over the population, as the paper has it.
    population: Setting,
    /// On a sample of this size.
    sample: Setting,
    trial: Trial,
}

/// The number of balls in which bounds hold, and the ratio of the corrected Λ to the measured one.
#[derive(Default)]
struct Tally {
    balls: usize,
    corrected: usize,
    printed: usize,
    positive: usize,
    room: Vec<f64>,
}

/// Table 1.
///
/// # Errors
/// If somebody wants it to end.
pub fn draw(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    let tallies = tallies(request, hear)?;
    hear("curvature over the temperature");
    Ok(Figure {
        name: "table1",
        title: format!("Convexity and smoothness: printed, corrected, measured on n = {N}, d = {D}, no noise"),
        caption: "Extreme eigenvalues of the Hessian of the graduated loss at w* and at random points of the ball of radius 1 \
                  around it, ‖w*‖ = 1, over the temperature. A bound from above must lie above the greatest, one from below \
                  below the least; λ is drawn where it is above zero. The scale is the paper's divided by γ², so that \
                  temperatures can be compared."
            .into(),
        parameters: parameters(request.seed),
        panels: ACTIVATIONS.into_iter().map(|activation| panel(activation, request.seed)).collect::<Result<_>>()?,
        columns: 3,
        tables: vec![constants(request.seed)?, counts(&tallies), far(request.seed)?],
        claims: claims(&tallies, request.seed)?,
        ..Figure::default()
    })
}

impl Case {
    fn new(activation: &'static str, radius: f64, noise: LabelNoise, seed: u64) -> Result<Case> {
        let population = Setting::new(named(activation)?.as_ref(), radius, noise, Some(D))?;
        let trial = Draw { activation, norm: radius, noise, rows: N, features: D, seed }.trial()?;
        Ok(Case { population, sample: population.on_sample(N, D)?, trial })
    }

    /// The extreme curvatures in a ball, as far as some points show them.
    fn measured(&self, radius: f64, tau: f64) -> Result<Constants> {
        Ok(self.trial.curvature(radius, tau, POINTS)?)
    }

    fn tally(&self, radius: f64, tally: &mut Tally) -> Result<()> {
        for r in [2.0, 1.0, 0.25, 0.0].map(|share| share * radius) {
            for tau in [0.0, 0.01, 0.1, 0.5, 1.0, self.sample.temperature(r, 1.0)] {
                let (found, bound) = (self.measured(r, tau)?, self.sample.constants(r, tau));
                let fits = bound.convexity <= found.convexity && found.smoothness <= bound.smoothness;
                tally.balls += 1;
                tally.corrected += usize::from(fits);
                tally.printed += usize::from(found.smoothness <= self.population.printed(r, tau).smoothness);
                tally.positive += usize::from(bound.convexity > 0.0);
                tally.room.push(bound.smoothness / found.smoothness);
            }
        }
        Ok(())
    }
}

/// For each activation and noise.
fn tallies(request: &Request, hear: &dyn Fn(&str)) -> Result<Vec<(&'static str, &'static str, Tally)>> {
    let mut tallies = Vec::new();
    for activation in ACTIVATIONS {
        for (name, noise) in NOISES {
            hear(&format!("{activation}, noise {name}"));
            let mut tally = Tally::default();
            let after = matches!(noise, LabelNoise::Post(..));
            for radius in [0.5, 1.0, 2.0, 5.0].into_iter().filter(|&radius| !after || radius <= 1.0) {
                Case::new(activation, radius, noise, request.seed)?.tally(radius, &mut tally)?;
                request.check()?;
            }
            tallies.push((activation, name, tally));
        }
    }
    Ok(tallies)
}

fn panel(activation: &'static str, seed: u64) -> Result<Panel> {
    let case = Case::new(activation, 1.0, LabelNoise::None, seed)?;
    let taus = logspace(0.01, 1.0, 25);
    let found: Vec<Constants> = taus.iter().map(|&tau| case.measured(1.0, tau)).collect::<Result<_>>()?;
    let line = |name: &str, y: Vec<f64>| Line { name: name.into(), x: taus.clone(), y, ..Line::default() };
    let bound = |name: &str, at: &dyn Fn(f64) -> f64| {
        let line = line(name, taus.iter().map(|&tau| at(tau)).collect());
        Line { stroke: Stroke::Dashed, ..line }
    };
    let lines = vec![
        line("greatest, measured", found.iter().map(|found| found.smoothness).collect()),
        bound("Λ, corrected", &|tau| case.sample.constants(1.0, tau).smoothness),
        bound("Λ, printed", &|tau| case.population.printed(1.0, tau).smoothness),
        line("least, measured", found.iter().map(|found| found.convexity).collect()),
        bound("λ, corrected", &|tau| case.sample.constants(1.0, tau).convexity),
    ];
    Ok(Panel {
        title: format!("{activation}, R = 1, r = 1"),
        x: Axis::new("temperature τ", true),
        y: Axis::new("curvature of L_τ/γ²", true),
        content: Content::Lines(lines),
    })
}

/// The numbers at R = 1, r = 0.5 and the theory's own temperature.
fn constants(seed: u64) -> Result<Table> {
    let mut rows = Vec::new();
    for activation in ACTIVATIONS {
        for (name, noise) in NOISES {
            let case = Case::new(activation, 1.0, noise, seed)?;
            let r = 0.5;
            let tau = case.population.temperature(r, 1.0);
            let (corrected, printed) = (case.sample.constants(r, tau), case.population.printed(r, tau));
            let found = case.measured(r, tau)?;
            let cap = case.population.caps().strictest();
            let numbers = [
                tau,
                corrected.convexity,
                found.convexity,
                found.smoothness,
                corrected.smoothness,
                printed.smoothness,
                cap,
            ];
            let words = [Cell::Text(activation.into()), Cell::Text(name.into())];
            rows.push(words.into_iter().chain(numbers.map(Cell::Number)).collect());
        }
    }
    let columns = ["activation", "noise", "τ_r", "λ", "least measured", "greatest measured", "Λ", "Λ printed", "τ_max"];
    let title = format!(
        "R = 1, r = 0.5, on n = {N}, d = {D}: N(0, I), after φ N(0, I)/√d; docs/theory.md derives the formulas"
    );
    Ok(Table { title, columns: columns.map(String::from).into(), rows })
}

fn counts(tallies: &[(&str, &str, Tally)]) -> Table {
    let row = |(activation, noise, tally): &(&str, &str, Tally)| {
        let share = |count: usize| Cell::Text(format!("{count} of {}", tally.balls));
        let words = [Cell::Text((*activation).into()), Cell::Text((*noise).into())];
        let shares = [tally.corrected, tally.printed, tally.positive].map(share);
        words.into_iter().chain(shares).chain([Spread::of(tally.room.iter().copied()).into()]).collect()
    };
    let columns =
        ["activation", "noise", "corrected λ and Λ hold", "printed Λ holds", "λ above zero", "corrected Λ/measured"];
    Table {
        title: "Balls in which the bounds hold, over R from 0.5 to 5 (after φ to 1), r from 0 to 2R, τ from 0 to 1"
            .into(),
        columns: columns.map(String::from).into(),
        rows: tallies.iter().map(row).collect(),
    }
}

/// The greatest curvature at w* for near and far models, at τ = 1.
fn far(seed: u64) -> Result<Table> {
    let mut rows = Vec::new();
    for (activation, radius) in
        [("sigmoid", 1.0), ("sigmoid", 40.0), ("sigmoid", FAR), ("softplus", 1.0), ("softplus", 3.0)]
    {
        let case = Case::new(activation, radius, LabelNoise::None, seed)?;
        let found = case.measured(0.0, 1.0)?;
        let bounds = [case.sample.constants(0.0, 1.0), case.population.printed(0.0, 1.0)];
        let numbers = [radius, found.smoothness].into_iter().chain(bounds.map(|bound| bound.smoothness));
        rows.push([Cell::Text(activation.into())].into_iter().chain(numbers.map(Cell::Number)).collect());
    }
    let columns = ["activation", "R", "measured", "Λ corrected", "Λ printed"];
    let title = "The greatest curvature at w*, τ = 1, without noise".into();
    Ok(Table { title, columns: columns.map(String::from).into(), rows })
}

fn claims(tallies: &[(&str, &str, Tally)], seed: u64) -> Result<Vec<Claim>> {
    let share = |count: usize, balls: usize| count as f64 / balls as f64;
    let corrected = tallies.iter().map(|(_, _, tally)| (tally.corrected, tally.balls));
    let (held, balls) = corrected.fold((0, 0), |(held, balls), (one, of)| (held + one, balls + of));
    let mut claims = vec![Claim::new(
        "beyond the paper",
        "the corrected constants bound the measured curvature in every ball",
        format!("{held} of {balls}"),
        share(held, balls),
        Bound::AtLeast(1.0),
    )];
    claims.extend(tallies.iter().filter(|(_, noise, _)| *noise == "none").map(|(activation, _, tally)| {
        let claim = Claim::new(
            "Table 1",
            format!("{activation}: the printed Λ bounds the greatest curvature"),
            format!("in {} of {} balls", tally.printed, tally.balls),
            share(tally.printed, tally.balls),
            Bound::AtLeast(1.0),
        );
        match *activation {
            "sigmoid" => claim,
            _ => claim.remark("what is printed is the lower bound with + for −, and far below the greatest curvature"),
        }
    }));
    claims.push(reach(seed)?);
    Ok(claims)
}

/// Where the printed bound of the sigmoid fails.
fn reach(seed: u64) -> Result<Claim> {
    let case = Case::new("sigmoid", FAR, LabelNoise::None, seed)?;
    let ratio = case.population.printed(0.0, 1.0).smoothness / case.measured(0.0, 1.0)?.smoothness;
    let claim = Claim::new(
        "Table 1",
        format!("sigmoid: the printed Λ bounds the greatest curvature at ‖w*‖ = {FAR}, τ = 1 too"),
        format!("it is {} of what is measured", brief(ratio)),
        ratio,
        Bound::AtLeast(1.0),
    );
    Ok(claim.remark("it falls as e^{−τm/10}, the curvature only as 1/m; it is no bound where τm is over 59"))
}

fn parameters(seed: u64) -> Vec<(String, String)> {
    let data = format!("n = {N}, d = {D}, x ~ N(0, I), under noise after φ N(0, I)/√d; seed {seed}");
    let points = format!("w* and {POINTS} random points of each ball");
    let sample = "least is multiplied by (1 − q)², all else by (1 + q)², q = √(d/n) + 4/√n".to_owned();
    [("data", data), ("points", points), ("corrected, on a sample", sample)]
        .map(|(key, value)| (key.to_owned(), value))
        .into()
}
