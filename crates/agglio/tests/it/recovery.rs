//! Noiseless data: every variant finds w_* from every start, to the last digits.

use agglio::fit::{Step, Watch};
use agglio::rows::{Dense, Scaling};
use agglio::simulate::LabelNoise;
use agglio::{Options, Solver, Start, Status, activation::named};

use crate::bank::{self, Variant};

/// n = 1000, d = 50: five seeds, three starts, all variants, default parameters.
fn recovers(activation: &str) {
    for seed in 0..5 {
        let data = bank::paper(activation, 1000, 50, LabelNoise::None, seed);
        let rows = bank::rows(&data);
        for (variant, start) in bank::variants().iter().flat_map(|v| bank::starts().map(|s| (v, s))) {
            let report = variant.options(activation, start.clone(), seed).build().unwrap().fit(&rows).unwrap();
            let error = bank::distance(&report.coefficients, &data.truth);
            let case = format!("{activation}, {variant:?} from {start:?}, seed {seed}");
            assert!(error <= allowed(variant.solver), "{case}: error {error:e}");
            assert_eq!(report.status(), Status::Converged, "{case}: {:?}", report.reason);
        }
    }
}

fn allowed(solver: Solver) -> f64 {
    match solver {
        Solver::Sgd | Solver::Adam | Solver::Yogi => 1e-10,
        _ => 1e-12,
    }
}

#[test]
fn every_variant_recovers_the_sigmoid_model() {
    recovers("sigmoid");
}

#[test]
fn every_variant_recovers_the_softplus_model() {
    recovers("softplus");
}

#[test]
fn every_variant_recovers_the_leaky_softplus_model() {
    recovers("leaky-softplus");
}

#[test]
fn every_variant_recovers_the_silu_model() {
    recovers("silu");
}

/// On the flat parts of the sigmoid steps of 1/Λ are short: some variants reach their limit, many digits in.
#[test]
fn every_variant_recovers_a_long_model_from_near_and_far() {
    // labels of these are 1 to the last digit, or overflow
    let lost = ["tanh", "probit", "cloglog", "gompertz", "exp", "expm1"];
    for activation in bank::activations().filter(|activation| !lost.contains(activation)) {
        let data = bank::long(activation, 11);
        let rows = bank::rows(&data);
        let starts = || [Start::Zero, Start::Random(Some(100.0))];
        for (solver, start) in Solver::paper().flat_map(|solver| starts().map(|start| (solver, start))) {
            let options = Variant { solver, batch: None }.options(activation, start.clone(), 11);
            let report = options.build().unwrap().fit(&rows).unwrap();
            let error = bank::distance(&report.coefficients, &data.truth) / 35.0;
            let allowed = match report.status() {
                Status::Converged => 1e-12,
                Status::IterationLimit if activation == "sigmoid" => 1e-7,
                _ => 0.0,
            };
            assert!(error <= allowed, "{activation}, {solver} from {start:?}: {error:e}, {:?}", report.reason);
        }
    }
}

#[test]
fn the_papers_own_parameters_reach_the_papers_figures() {
    let mut finals = Vec::new();
    for seed in 0..5 {
        let data = bank::paper("sigmoid", 1000, 50, LabelNoise::None, seed);
        let mut first = None;
        let mut watch = Watch(|step: &Step<'_>| {
            if first.is_none() && bank::distance(step.theta, &data.truth) <= 1e-12 {
                first = Some(step.step);
            }
        });
        let options =
            Options::new(named("sigmoid").unwrap()).solver(Solver::Gd).intercept(false).scaling(Scaling::None);
        let options = options.eta(200.0).tau0(0.01).beta(1.01).start(Start::Random(None)).seed(seed);
        let report = options.build().unwrap().fit_observed(&bank::rows(&data), &mut watch).unwrap();
        assert!(first.is_some_and(|step| step <= 90), "seed {seed}: 1e-12 after {first:?} steps");
        finals.push(bank::distance(&report.coefficients, &data.truth));
    }
    finals.sort_by(f64::total_cmp);
    assert!(finals[2] <= 1e-15 && finals[4] <= 2e-15, "final errors {finals:?}");
}

#[test]
fn an_intercept_and_uneven_columns_are_recovered() {
    let data = bank::paper("sigmoid", 2000, 4, LabelNoise::None, 7);
    let phi = named("sigmoid").unwrap();
    // x' = 1000·x + 5000 in one column: the same model with w' = w/1000 and b = −5000·w'
    let mut values = data.values.clone();
    values.chunks_mut(4).for_each(|x| x[2] = 1000.0 * x[2] + 5000.0);
    let rows = Dense::new(values, 4, data.labels.clone()).unwrap();
    let report = Options::new(phi).build().unwrap().fit(&rows).unwrap();
    let mut truth = data.truth.clone();
    truth[2] /= 1000.0;
    assert!(bank::largest_difference(&report.coefficients, &truth) <= 1e-11, "{:?}", report.coefficients);
    assert!((report.intercept + 5000.0 * truth[2]).abs() <= 1e-8, "{}", report.intercept);
}
