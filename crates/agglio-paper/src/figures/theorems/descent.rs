//! Theorem 3: *descent* on all rows, step by step.

use agglio::simulate::LabelNoise;
use agglio::text::format::brief;
use agglio::theory::{Leg, PrintedSigmoid};

use super::{D, N, Part, measured, promised, setting, trial};
use crate::claim::{Bound, Claim};
use crate::error::Result;
use crate::figure::{Axis, Content, Panel};
use crate::request::Request;

/// Steps that are watched.
const STEPS: usize = 150;
/// Below this a distance is rounding.
const ROUNDING: f64 = 1e-13;
/// Steps after which the printed increment has stalled.
const MANY: usize = 10_000;
/// R of the sigmoid's own numbers.
const RADII: [f64; 3] = [0.5, 1.0, 2.0];

/// The general statement: every step contracts ‖w − w*‖² by exp(−λ/Λ).
pub fn general(request: &Request, hear: &dyn Fn(&str)) -> Result<Part> {
    hear("Theorem 3");
    let legs: Vec<Leg> = setting(1.0, LabelNoise::None)?.on_sample(N, D)?.path().take(STEPS).collect();
    let courses = courses(1.0, &legs, request)?;
    let steps = courses.iter().flat_map(|course| course.windows(2).zip(&legs));
    let used = steps.filter_map(|(pair, leg)| match pair {
        [from, to] if *from > ROUNDING => Some((to / from).powi(2) / (-leg.constants.ratio()).exp()),
        _ => None,
    });
    let used = used.fold(0.0, f64::max);
    let x: Vec<f64> = (0..STEPS).map(|step| step as f64).collect();
    let name = "corrected constants, R = 1";
    let lines = vec![
        measured(name, &x, farthest(&courses)),
        promised("promised, corrected constants", name, &x, legs.iter().map(|leg| leg.radius).collect()),
    ];
    let contracts = Claim::new(
        "Theorem 3",
        "with corrected constants every step contracts ‖w − w*‖² by exp(−λ/Λ), R = 1",
        format!("the worst step of {} × {STEPS} leaves {} of what is allowed", courses.len(), brief(used)),
        used,
        Bound::AtMost(1.0),
    );
    Ok(Part {
        panels: vec![panel("Theorem 3, R = 1", lines)],
        tables: Vec::new(),
        claims: vec![contracts, increment()?],
    })
}

/// Whether the printed β_t = exp(λ/Λ) leaves the ball convex all the way to w*: with it r shrinks by exp(−λ/2Λ) only.
fn increment() -> Result<Claim> {
    let setting = setting(1.0, LabelNoise::None)?;
    let begin = 2.0 * setting.radius();
    let (mut radius, mut tau) = (begin, setting.temperature(begin, 1.0));
    for _ in 0..MANY {
        let ratio = setting.constants(radius, tau).ratio();
        (radius, tau) = (radius * (-0.5 * ratio).exp(), tau * ratio.exp());
    }
    let claim = Claim::new(
        "Theorem 3",
        "the printed increment β = exp(λ/Λ) leads to w* (a thousandth of the first ball in 10 000 steps), R = 1",
        format!("the ball in which λ is above zero stays at {} of the first", brief(radius / begin)),
        radius / begin,
        Bound::AtMost(1e-3),
    );
    Ok(claim
        .remark("the theorem contracts the square of the distance, so that the ball shrinks by the root of exp(−λ/Λ)"))
}

/// The sigmoid's own numbers: ‖w_T − w*‖² ≤ exp(−ζT)·‖w_0 − w*‖² with ζ = e^{−R}/(1 + R).
pub fn own(request: &Request, hear: &dyn Fn(&str)) -> Result<Part> {
    hear("Theorem 3, the sigmoid's own numbers");
    let (mut lines, mut claims) = (Vec::new(), Vec::new());
    let x: Vec<f64> = (0..STEPS).map(|step| step as f64).collect();
    for radius in RADII {
        let printed = PrintedSigmoid { radius };
        let legs: Vec<Leg> = printed.path().take(STEPS).collect();
        let courses = courses(radius, &legs, request)?;
        let slowest = courses.iter().map(|course| rate(course)).fold(f64::INFINITY, f64::min);
        let name = format!("own numbers, R = {radius}");
        let promise = x.iter().map(|step| radius * (-0.5 * printed.rate() * step).exp()).collect();
        lines.push(measured(name.clone(), &x, farthest(&courses)));
        lines.push(promised(format!("promised, R = {radius}"), &name, &x, promise));
        claims.push(claim(radius, slowest));
    }
    Ok(Part { panels: vec![panel("Theorem 3, the sigmoid's own numbers", lines)], tables: Vec::new(), claims })
}

fn claim(radius: f64, slowest: f64) -> Claim {
    let promised = PrintedSigmoid { radius }.rate();
    let claim = Claim::new(
        "Theorem 3",
        format!("with the sigmoid's own numbers ‖w − w*‖² falls at the rate ζ = e^(−R)/(1 + R), R = {radius}"),
        format!("the slowest course falls at a rate of {}, ζ is {}", brief(slowest), brief(promised)),
        slowest / promised,
        Bound::AtLeast(1.0),
    );
    claim.remark(
        "as τ → 0 the Hessian is τ²·XᵀX/8n, so that steps of 1/τ²(1 + R) leave (1 − 1/8(1 + R))² of ‖w − w*‖², at \
         best: as little as is promised only where R is above ln 4",
    )
}

/// The rate at which the square of a distance falls, over the steps until it is rounding; the slowest from the start on.
fn rate(course: &[f64]) -> f64 {
    let start = course.first().copied().unwrap_or(f64::NAN);
    let falls = course.iter().enumerate().skip(1).take_while(|(_, distance)| **distance > ROUNDING);
    falls.map(|(step, distance)| 2.0 * (start / distance).ln() / step as f64).fold(f64::INFINITY, f64::min)
}

/// ‖w − w*‖ from zero on, for each seed.
fn courses(radius: f64, legs: &[Leg], request: &Request) -> Result<Vec<Vec<f64>>> {
    let course = |seed| Ok(trial(radius, LabelNoise::None, N, seed)?.descend(legs, vec![0.0; D])?);
    request.all_seeds().map(course).collect()
}

/// The farthest of the courses, step by step.
fn farthest(courses: &[Vec<f64>]) -> Vec<f64> {
    let at = |step: usize| courses.iter().filter_map(|course| course.get(step)).copied().fold(0.0, f64::max);
    (0..STEPS).map(at).collect()
}

fn panel(title: &str, lines: Vec<crate::figure::Line>) -> Panel {
    Panel {
        title: title.into(),
        x: Axis::new("step", false),
        y: Axis::new("‖w − w*‖", true),
        content: Content::Lines(lines),
    }
}
