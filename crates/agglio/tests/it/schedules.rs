//! Temperatures: what the schedules do, and what the options refuse.

use agglio::activation::named;
use agglio::fit::{Step, Watch};
use agglio::simulate::{LabelNoise, Shape};
use agglio::solver::schedule::{Constant, Geometric, Next, Progress, Schedule};
use agglio::{Noise, Options, Solver, Start};

use crate::bank;

fn temperatures(options: Options) -> Vec<f64> {
    let data = bank::paper("sigmoid", 200, 3, LabelNoise::Post(0.05, Shape::Gauss), 31);
    let mut seen = Vec::new();
    let mut watch = Watch(|step: &Step<'_>| seen.push(step.tau));
    options.build().unwrap().fit_observed(&bank::rows(&data), &mut watch).unwrap();
    seen
}

fn progress(accepted: usize, settled: bool) -> Progress {
    Progress { accepted, loss: 1.0, settled, small: false }
}

fn sigmoid() -> Options {
    Options::new(named("sigmoid").unwrap()).solver(Solver::Gd).intercept(false)
}

#[test]
fn algorithm_one_raises_the_temperature_at_every_step() {
    let seen = temperatures(sigmoid().tau0(0.01).beta(1.5).epochs(20));
    assert_eq!(seen[..3], [0.01, 0.01 * 1.5, 0.01 * 1.5 * 1.5]);
    assert_eq!(seen[12..], [1.0; 8]);
}

#[test]
fn algorithm_two_raises_the_temperature_at_every_pass() {
    let seen = temperatures(sigmoid().solver(Solver::Sgd).batch(30).tau0(0.1).beta(2.0).epochs(5));
    // 200 rows are seven batches of thirty, the last one short
    let expected: Vec<f64> = [0.1, 0.2, 0.4, 0.8, 1.0].iter().flat_map(|&tau| [tau; 7]).collect();
    assert_eq!(seen, expected);
}

#[test]
fn a_cap_of_zero_stays_there() {
    let data = bank::paper("sigmoid", 200, 3, LabelNoise::Pre(0.05, Shape::Gauss), 31);
    let mut seen = Vec::new();
    let mut watch = Watch(|step: &Step<'_>| seen.push(step.tau));
    sigmoid().noise(Noise::Pre).build().unwrap().fit_observed(&bank::rows(&data), &mut watch).unwrap();
    assert!(!seen.is_empty() && seen.iter().all(|&tau| tau == 0.0));
}

#[test]
fn a_far_start_begins_colder() {
    let near = temperatures(sigmoid().start(Start::Random(Some(1.0))).epochs(1));
    let far = temperatures(sigmoid().start(Start::Random(Some(1e4))).epochs(1));
    assert_eq!(near, [0.01]);
    assert!(far[0] < 1e-3, "{far:?}");
    // an explicit first temperature is taken as it is
    assert_eq!(temperatures(sigmoid().start(Start::Random(Some(1e4))).tau0(0.01).epochs(1)), [0.01]);
}

#[test]
fn schedules_advance_when_a_stage_is_full_or_settled() {
    let mut geometric = Geometric { tau0: 0.5, beta: 1.5, tau_max: 0.6, steps: 2 };
    let first = geometric.first();
    assert_eq!(geometric.next(&first, &progress(1, false)), Next::Stay);
    let Next::Advance(second) = geometric.next(&first, &progress(2, false)) else { panic!() };
    assert_eq!((second.index, second.tau), (1, 0.6));
    assert!(!geometric.at_cap(&first) && geometric.at_cap(&second));
    assert!(matches!(geometric.next(&first, &progress(0, true)), Next::Advance(_)));
    let mut constant = Constant { tau: 0.3, steps: 1 };
    let first = constant.first();
    assert!(constant.at_cap(&first));
    assert!(matches!(constant.next(&first, &progress(1, false)), Next::Advance(s) if s.tau == 0.3));
}

#[test]
fn numbers_outside_their_range_are_refused_by_name() {
    let nan = f64::NAN;
    let bad = [
        (sigmoid().tau0(0.0), "tau0"),
        (sigmoid().tau0(nan), "tau0"),
        (sigmoid().tau0(0.5).tau_max(0.4), "tau0"),
        (sigmoid().tau_max(1.5), "tau-max"),
        (sigmoid().tau_max(nan), "tau-max"),
        (sigmoid().beta(1.0), "beta"),
        (sigmoid().beta(f64::INFINITY), "beta"),
        (sigmoid().eta(0.0), "eta"),
        (sigmoid().eta(nan), "eta"),
        (sigmoid().radius(-1.0), "radius"),
        (sigmoid().tolerance(-1.0), "tol"),
        (sigmoid().tolerance(1.0), "tol"),
        (sigmoid().tolerance(nan), "tol"),
        (sigmoid().batch(10), "batch"),
        (sigmoid().solver(Solver::Sgd).batch(0), "batch"),
        (sigmoid().threads(0), "threads"),
        (sigmoid().noise(Noise::Pre).tau0(0.1), "tau0"),
        (sigmoid().start(Start::Random(Some(nan))), "init is random"),
    ];
    for (options, name) in bad {
        let error = options.build().unwrap_err().to_string();
        assert!(error.contains(name), "{name}: {error}");
    }
}
