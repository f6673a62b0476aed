//! Fits within a ball: the same constrained optimum by every solver that takes a radius.

use agglio::activation::named;
use agglio::rows::Scaling;
use agglio::simulate::{LabelNoise, Shape, Simulated};
use agglio::{Noise, Options, Report, Solver};

use crate::bank;

fn noisy(activation: &str) -> Simulated {
    bank::paper(activation, 300, 4, LabelNoise::Post(0.02, Shape::Gauss), 5)
}

fn options(activation: &str, solver: Solver) -> Options {
    Options::new(named(activation).unwrap()).solver(solver).scaling(Scaling::None)
}

fn fit(options: Options, data: &Simulated) -> Report {
    options.build().unwrap().fit(&bank::rows(data)).unwrap().into_report()
}

fn norm(report: &Report) -> f64 {
    report.coefficients.iter().map(|w| w * w).sum::<f64>().sqrt()
}

/// At the surface only the part of the gradient along it must vanish.
#[test]
fn every_solver_finds_the_optimum_on_the_surface() {
    for activation in ["sigmoid", "softplus", "silu", "identity"] {
        let data = noisy(activation);
        let projected = fit(options(activation, Solver::Gd).radius(0.5), &data);
        // these take no ball, or end elsewhere than squares do
        let others = [Solver::Lbfgs, Solver::Glmtron, Solver::Linear, Solver::Theory];
        for solver in Solver::ALL.into_iter().filter(|s| s.converges_linearly() && !others.contains(s)) {
            let report = fit(options(activation, solver).radius(0.5), &data);
            assert!(report.certificate.certified(), "{activation} by {solver}: {}", report.verdict());
            assert!(report.certificate.held_back && report.verdict().contains("on the bound ‖w‖ = R"));
            assert!((norm(&report) - 0.5).abs() <= 1e-9, "{activation} by {solver}: {}", norm(&report));
            let off = bank::largest_difference(&report.coefficients, &projected.coefficients);
            assert!(off <= 1e-6, "{activation} by {solver}: {off:e}");
        }
    }
}

/// Where the ball holds w back, its multiplier is a penalty.
#[test]
fn a_ball_is_a_penalty() {
    for activation in ["sigmoid", "softplus", "silu"] {
        let data = noisy(activation);
        let penalised = fit(options(activation, Solver::Auto).noise(Noise::Post).l2(0.01), &data);
        let held = fit(options(activation, Solver::Auto).radius(norm(&penalised)), &data);
        let off = bank::largest_difference(&held.coefficients, &penalised.coefficients);
        assert!(off <= 1e-8, "{activation}: {off:e}");
    }
}

#[test]
fn a_ball_that_is_wide_enough_changes_nothing() {
    let data = noisy("sigmoid");
    let free = fit(options("sigmoid", Solver::Auto).noise(Noise::Post), &data);
    let held = fit(options("sigmoid", Solver::Auto).radius(2.0 * norm(&free)), &data);
    assert_eq!(held.coefficients, free.coefficients);
    assert!(!held.certificate.held_back);
}

#[test]
fn the_end_at_zero_stays_in_the_ball_too() {
    for activation in ["sigmoid", "tanh"] {
        let data = bank::paper(activation, 300, 4, LabelNoise::Pre(0.2, Shape::Gauss), 6);
        let [auto, projected] = [Solver::Auto, Solver::Gd]
            .map(|solver| fit(options(activation, solver).noise(Noise::Pre).radius(0.5), &data));
        assert!((norm(&auto) - 0.5).abs() <= 1e-9, "{activation}: {}", norm(&auto));
        let off = bank::largest_difference(&auto.coefficients, &projected.coefficients);
        assert!(off <= 1e-8, "{activation}: {off:e}");
    }
}

/// The step that is predicted for must be the one that is taken, or a search for its length never ends well.
#[test]
fn descent_with_a_search_finds_the_surface_too() {
    let data = bank::paper("exp", 200, 3, LabelNoise::Post(0.05, Shape::Gauss), 4);
    let [auto, gd] =
        [Solver::Auto, Solver::Gd].map(|solver| fit(options("exp", solver).noise(Noise::Post).radius(0.5), &data));
    assert!(gd.certificate.certified(), "{}", gd.verdict());
    assert!(bank::largest_difference(&auto.coefficients, &gd.coefficients) <= 1e-6);
}
