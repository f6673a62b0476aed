//! The *lemma* on the sigmoid (`lem:sigmoid-elsc`): what τ_r = min(e^{−R}/3r, 1) is said to ensure in the ball of radius r.

use agglio::simulate::LabelNoise;
use agglio::text::format::brief;
use agglio::theory::{Constants, PrintedSigmoid};

use super::{N, Part, measured, promised, setting, trial};
use crate::claim::{Bound, Claim};
use crate::error::Result;
use crate::figure::{Axis, Content, Panel};
use crate::grid::logspace;
use crate::request::Request;

/// R of the claims; the picture has the middle one.
const RADII: [f64; 3] = [0.5, 1.0, 2.0];
/// r as a share of R, from and to.
const SHARES: [f64; 2] = [0.02, 2.0];
/// Balls for each R, and random points in each.
const BALLS: usize = 12;
const POINTS: usize = 4;

/// A ball with the promised and the measured constants.
struct Ball {
    radius: f64,
    r: f64,
    said: Constants,
    found: Constants,
    /// λ̂ by the paper's own Table 1.
    by_table: f64,
}

/// All four statements.
pub fn sigmoid(request: &Request, hear: &dyn Fn(&str)) -> Result<Part> {
    hear("the lemma on the sigmoid");
    let mut balls = Vec::new();
    for radius in RADII {
        let printed = PrintedSigmoid { radius };
        let (trial, setting) = (trial(radius, LabelNoise::None, N, request.seed)?, setting(radius, LabelNoise::None)?);
        for r in logspace(SHARES[0] * radius, SHARES[1] * radius, BALLS) {
            let tau = printed.temperature(r);
            let found = trial.curvature(r, tau, POINTS)?;
            let by_table = setting.printed(r, tau).convexity;
            balls.push(Ball { radius, r, said: printed.constants(tau), found, by_table });
        }
        request.check()?;
    }
    Ok(Part { panels: vec![panel(&balls)], tables: Vec::new(), claims: claims(&balls) })
}

fn panel(balls: &[Ball]) -> Panel {
    let shown: Vec<&Ball> = balls.iter().filter(|ball| ball.radius == RADII[1]).collect();
    let x: Vec<f64> = shown.iter().map(|ball| ball.r).collect();
    let y = |of: fn(&Ball) -> f64| shown.iter().map(|ball| of(ball)).collect();
    let [least, greatest] = ["least curvature", "greatest curvature"];
    Panel {
        title: format!("Lemma on the sigmoid, R = {}, τ = τ_r", RADII[1]),
        x: Axis::new("radius r of the ball", true),
        y: Axis::new("curvature of L_τ/τ²", true),
        content: Content::Lines(vec![
            measured(least, &x, y(|ball| ball.found.convexity)),
            promised("λ of the lemma", least, &x, y(|ball| ball.said.convexity)),
            measured(greatest, &x, y(|ball| ball.found.smoothness)),
            promised("Λ of the lemma", greatest, &x, y(|ball| ball.said.smoothness)),
        ]),
    }
}

fn claims(balls: &[Ball]) -> Vec<Claim> {
    const SOURCE: &str = "lemma on the sigmoid";
    let over = format!("in {} balls, R from {} to {}", balls.len(), RADII[0], RADII[2]);
    let least = |of: &dyn Fn(&Ball) -> f64| balls.iter().map(of).fold(f64::INFINITY, f64::min);
    let convexity = least(&|ball| ball.found.convexity / ball.said.convexity);
    let smoothness = least(&|ball| ball.said.smoothness / ball.found.smoothness);
    let (positive, by_table) = (least(&|ball| ball.found.convexity), least(&|ball| ball.by_table));
    vec![
        Claim::new(
            SOURCE,
            "at τ_r the loss is strongly convex in the ball: its least curvature is above zero",
            format!("at least {} (of L_τ/τ²) {over}", brief(positive)),
            positive,
            Bound::AtLeast(1e-6),
        ),
        Claim::new(
            SOURCE,
            "at τ_r the convexity is at least λ = τ²·e^(−τR)/2",
            format!("{} of it {over}", brief(convexity)),
            convexity,
            Bound::AtLeast(1.0),
        )
        .remark("as τ → 0 the Hessian is τ²·XᵀX/8n: an eighth, where the lemma has a half \"up to universal constants\""),
        Claim::new(
            SOURCE,
            "at τ_r the smoothness is at most Λ = τ²·e^(−τR) + τ³R",
            format!("the bound is at least {} times what is measured {over}", brief(smoothness)),
            smoothness,
            Bound::AtLeast(1.0),
        ),
        Claim::new(
            SOURCE,
            "τ_r leaves λ of Table 1 above zero",
            format!("its least value is {} (of L_τ/τ²) {over}", brief(by_table)),
            by_table,
            Bound::AtLeast(0.0),
        )
        .remark("the lemma drops the constants of Table 1, and they matter; docs/theory.md has a τ_r for which λ is above zero"),
    ]
}
