//! The paper's methods as printed: solver `theory` and the branches of SiLU and GELU, held to numpy and to the theorems.

use std::sync::Arc;

use agglio::activation::named;
use agglio::oracle::PreimageBranch;
use agglio::rows::{Dense, Rows, Scaling};
use agglio::simulate::{Design, LabelNoise, Shape, Simulated, Simulation};
use agglio::theory::{Algorithm, Course, INCREMENT, Setting, Statement};
use agglio::{Noise, Options, Report, Solver, Start, Status, StopReason};
use serde_json::{Value, json};

use crate::bank;
use crate::recorder::{Recorder, Track};

const STEPS: usize = 50;
const START: [f64; 3] = [0.2, -0.5, 0.1];

/// Covariates N(0, I) and labels of a model of this length.
fn draw(activation: &str, rows: usize, features: usize, norm: f64, noise: LabelNoise, seed: u64) -> Simulated {
    let simulation = Simulation::new(named(activation).unwrap(), rows, features).norm(norm).noise(noise).seed(seed);
    simulation.design(Design::Normal).draw().unwrap()
}

fn theory(activation: &str, radius: f64) -> Options {
    Options::new(named(activation).unwrap()).solver(Solver::Theory).intercept(false).radius(radius)
}

/// A run by the name that the golden file has for it, and its activation.
fn options(name: &str) -> (&'static str, Options) {
    let start = Start::At { coefficients: START.to_vec(), intercept: 0.0 };
    let silu = |branch| {
        let options = Options::new(named("silu").unwrap()).solver(Solver::Gd).intercept(false).scaling(Scaling::None);
        options.tau0(0.1).beta(1.05).eta(0.5).branch(branch)
    };
    let (activation, options) = match name {
        "one" => ("sigmoid", theory("sigmoid", 1.0)),
        "one_printed" => ("sigmoid", theory("sigmoid", 1.0).constants(Statement::Printed)),
        "two" => ("sigmoid", theory("sigmoid", 1.0).algorithm(Algorithm::Two).batch(20)),
        "two_printed" => {
            ("sigmoid", theory("sigmoid", 1.0).algorithm(Algorithm::Two).constants(Statement::Printed).batch(20))
        }
        "sgd_rising" => {
            let options = Options::new(named("sigmoid").unwrap()).solver(Solver::Sgd).intercept(false).decay(false);
            ("sigmoid", options.scaling(Scaling::None).tau0(0.5).beta(1.3).eta(3.0).batch(20))
        }
        "silu_left" => ("silu", silu(PreimageBranch::Left)),
        "silu_right" => ("silu", silu(PreimageBranch::Right)),
        "silu_nearer" => ("silu", silu(PreimageBranch::Nearer)),
        _ => panic!("{name}"),
    };
    (activation, options.start(start).tolerance(0.0).epochs(STEPS))
}

const NAMES: [&str; 8] =
    ["one", "one_printed", "two", "two_printed", "sgd_rising", "silu_left", "silu_right", "silu_nearer"];

/// Minibatches, and where the steps led.
fn run(name: &str) -> (Simulated, Vec<Vec<usize>>, Vec<Vec<f64>>) {
    let (activation, options) = options(name);
    let data = draw(activation, 200, START.len(), 1.0, LabelNoise::None, 5);
    let (rows, mut track) = (Recorder { rows: bank::rows(&data), asked: Arc::default() }, Track(Vec::new()));
    options.build().unwrap().fit_observed(&rows, &mut track).unwrap();
    let mut batches: Vec<Vec<usize>> =
        std::mem::take(&mut *rows.asked.lock().unwrap()).into_iter().map(|(rows, _)| rows).collect();
    batches.truncate(STEPS);
    track.0.truncate(STEPS);
    (data, batches, track.0)
}

/// `golden/printed.json` is what `golden/printed.py` makes of what this test writes if AGGLIO_BLESS is set.
#[test]
fn fifty_steps_are_those_of_the_paper() {
    if std::env::var_os("AGGLIO_BLESS").is_some() {
        let input = NAMES.map(|name| {
            let (data, batches, _) = run(name);
            json!({"name": name, "values": data.values, "labels": data.labels, "start": START, "batches": batches})
        });
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/golden/printed-input.json");
        std::fs::write(file, serde_json::to_string(&input).unwrap() + "\n").unwrap();
    }
    let golden: Value = serde_json::from_str(include_str!("golden/printed.json")).unwrap();
    for name in NAMES {
        let ((_, batches, ours), theirs) = (run(name), &golden[name]);
        assert_eq!(json!(batches), theirs["batches"], "{name}");
        let theirs: Vec<Vec<f64>> = serde_json::from_value(theirs["thetas"].clone()).unwrap();
        assert_eq!((ours.len(), theirs.len()), (STEPS, STEPS), "{name}");
        for (step, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            let off = bank::largest_difference(ours, theirs);
            assert!(off <= 1e-10, "{name}, step {step}: {off:e} off");
        }
    }
    assert_ne!(golden["one"]["thetas"][9], golden["one_printed"]["thetas"][9]);
    assert_ne!(golden["silu_left"]["thetas"][9], golden["silu_right"]["thetas"][9]);
}

/// Theorem 3 for the solver: no point is farther from w_* than promised.
#[test]
fn algorithm_one_keeps_its_promise_as_a_solver() {
    for (activation, seed) in
        ["sigmoid", "softplus", "leaky-softplus"].into_iter().flat_map(|a| [1, 2, 3].map(|s| (a, s)))
    {
        let data = draw(activation, 4000, 10, 1.0, LabelNoise::None, seed);
        let setting = Setting::new(named(activation).unwrap().as_ref(), 1.0, LabelNoise::None, None).unwrap();
        let legs: Vec<_> = setting.on_sample(4000, 10).unwrap().path().take(301).collect();
        let mut track = Track(Vec::new());
        let plan = theory(activation, 1.0).epochs(300).build().unwrap();
        plan.fit_observed(&bank::rows(&data), &mut track).unwrap();
        let mut before = bank::distance(&[0.0; 10], &data.truth);
        assert!(track.0.len() >= 20, "{activation} {seed}: {} steps", track.0.len());
        for (step, theta) in track.0.iter().enumerate() {
            let distance = bank::distance(theta, &data.truth);
            assert!(distance <= legs[step + 1].radius, "{activation} {seed}, step {step}: {distance}");
            // the contraction itself, above rounding
            let most = (-0.5 * legs[step].constants.ratio()).exp() * before + 1e-14;
            assert!(distance <= most, "{activation} {seed}, step {step}: {distance} after {before}");
            before = distance;
        }
    }
}

/// Without noise the sigmoid's course arrives at τ = 1, and the fit is certified.
#[test]
fn algorithm_one_arrives() {
    let data = draw("sigmoid", 4000, 10, 1.0, LabelNoise::None, 3);
    let report = theory("sigmoid", 1.0).build().unwrap().fit(&bank::rows(&data)).unwrap();
    let off = bank::distance(&report.coefficients, &data.truth);
    assert!(off <= 1e-14 && report.certificate.certified(), "{off:e}: {}", report.verdict());
    assert_eq!((report.tau, report.status()), (1.0, Status::Converged));
}

/// `thm:conv-sgd-sigmoid` for the solver: epoch by epoch within r/β.
#[test]
fn algorithm_two_keeps_its_promise_as_a_solver() {
    let data = draw("sigmoid", 2000, 5, 1.0, LabelNoise::None, 4);
    for (batch, epochs) in [(None, 60), (Some(1), 8)] {
        let mut ends = vec![f64::INFINITY; epochs];
        let mut watch = agglio::fit::Watch(|step: &agglio::fit::Step<'_>| {
            ends[step.stage] = bank::distance(step.theta, &data.truth);
        });
        let options = theory("sigmoid", 1.0).algorithm(Algorithm::Two).epochs(epochs);
        let options = if let Some(batch) = batch { options.batch(batch) } else { options };
        options.build().unwrap().fit_observed(&bank::rows(&data), &mut watch).unwrap();
        let mut radius = 2.0;
        for (epoch, distance) in ends.into_iter().enumerate() {
            radius /= INCREMENT;
            assert!(distance <= radius, "{batch:?}, epoch {epoch}: {distance} is beyond {radius}");
        }
    }
}

/// Theorem 4: the noise decides the last temperature, and the error is no larger than promised.
#[test]
fn noise_caps_the_temperature_of_the_solver() {
    for (noise, label_noise, sigma) in [
        (Noise::Pre, LabelNoise::Pre(0.1, Shape::Gauss), 0.1),
        (Noise::Pre, LabelNoise::Pre(0.2, Shape::Gauss), 0.2),
        (Noise::Post, LabelNoise::Post(0.05, Shape::Uniform), 0.05),
    ] {
        let design = if noise == Noise::Post { Design::Scaled } else { Design::Normal };
        let simulation = Simulation::new(named("sigmoid").unwrap(), 4000, 10).norm(1.0).noise(label_noise).seed(2);
        let data = simulation.design(design).draw().unwrap();
        let setting = Setting::new(named("sigmoid").unwrap().as_ref(), 1.0, label_noise, Some(10)).unwrap();
        let report = theory("sigmoid", 1.0).noise(noise).sigma(sigma).build().unwrap().fit(&bank::rows(&data)).unwrap();
        let cap = setting.caps().strictest();
        assert!(cap < 1.0 && report.tau <= cap && report.tau > 0.1 * cap, "{label_noise:?}: {} {cap}", report.tau);
        let off = bank::distance(&report.coefficients, &data.truth);
        let promised = setting.on_sample(4000, 10).unwrap().errors(4000, 10).unwrap();
        assert!(promised.capped.is_none_or(|most| off <= most) && off <= 0.2, "{label_noise:?}: {off} {promised:?}");
        let printed = theory("sigmoid", 1.0).noise(noise).sigma(sigma).constants(Statement::Printed);
        let printed = printed.build().unwrap().fit(&bank::rows(&data)).unwrap();
        assert_ne!(printed.tau, report.tau, "{label_noise:?}");
    }
}

/// What is printed for softplus is no bound, so that its steps overshoot.
#[test]
fn printed_steps_of_softplus_do_not_converge() {
    let data = draw("softplus", 4000, 10, 1.0, LabelNoise::None, 3);
    let fit =
        |statement| theory("softplus", 1.0).constants(statement).build().unwrap().fit(&bank::rows(&data)).unwrap();
    let off = |statement| bank::distance(&fit(statement).coefficients, &data.truth);
    assert!(off(Statement::Corrected) <= 1e-12, "{:e}", off(Statement::Corrected));
    assert!(off(Statement::Printed) > 1.0 && !fit(Statement::Printed).certificate.certified());
}

/// The printed temperatures of Algorithm 1 stall below one for the sigmoid.
#[test]
fn printed_temperatures_stall() {
    let setting = Setting::new(named("sigmoid").unwrap().as_ref(), 1.0, LabelNoise::None, None).unwrap();
    let last = |statement| setting.path_of(statement).nth(20_000).unwrap();
    let (corrected, printed) = (last(Statement::Corrected), last(Statement::Printed));
    assert!(corrected.tau == 1.0 && corrected.radius < 1e-12, "{corrected:?}");
    assert!(printed.tau < 0.2 && printed.radius > 1.0 && printed.constants.convexity < 1e-3, "{printed:?}");
}

#[test]
fn what_the_theorems_do_not_cover_is_refused() {
    let start = |length| Start::At { coefficients: vec![length, 0.0], intercept: 0.0 };
    for (options, pieces) in [
        (Options::new(named("sigmoid").unwrap()).solver(Solver::Theory).intercept(false), ["radius", "not given"]),
        (theory("sigmoid", 1.0).intercept(true), ["`theory`", "intercept"]),
        (theory("sigmoid", 1.0).scaling(Scaling::Standard), ["`theory`", "scaling `none`"]),
        (theory("sigmoid", 1.0).l2(0.1), ["`theory`", "l2"]),
        (theory("sigmoid", 1.0).tau_max(0.5), ["`theory`", "sigma"]),
        (theory("sigmoid", 1.0).batch(5), ["`theory`", "algorithm 2"]),
        (theory("sigmoid", 1.0).algorithm(Algorithm::Two).sigma(0.1), ["Algorithm 2", "without noise"]),
        (theory("sigmoid", 1.0).noise(Noise::Pre), ["`theory`", "give sigma"]),
        (theory("sigmoid", 1.0).start(Start::Random(None)), ["`theory`", "init `random`"]),
        (theory("sigmoid", 1.0).start(start(1.5)), ["1.5", "radius, 1"]),
        (theory("sigmoid", 1.0).sigma(-1.0), ["sigma is -1", "not negative"]),
        (theory("sigmoid", 2.0).sigma(0.1), ["radius 2", "at most 1"]),
        (theory("sigmoid", 1.0).sigma(0.2), ["0.2", "0.145"]),
        (theory("silu", 1.0), ["silu", "softplus"]),
        (theory("sigmoid", 1.0).eta(1.0), ["`theory`", "eta"]),
        (theory("sigmoid", 1.0).tau0(0.1), ["`theory`", "tau0"]),
        (Options::new(named("sigmoid").unwrap()).solver(Solver::Gd).sigma(0.1), ["`gd`", "sigma"]),
        (Options::new(named("sigmoid").unwrap()).algorithm(Algorithm::One), ["`auto`", "algorithm"]),
        (Options::new(named("sigmoid").unwrap()).constants(Statement::Printed), ["`auto`", "constants"]),
        (
            Options::new(named("sigmoid").unwrap()).solver(Solver::Gd).branch(PreimageBranch::Left),
            ["sigmoid", "branch"],
        ),
        (Options::new(named("silu").unwrap()).branch(PreimageBranch::Left), ["`auto`", "branch"]),
    ] {
        let why = options.build().unwrap_err().to_string();
        assert!(pieces.iter().all(|piece| why.contains(piece)), "{pieces:?}: {why}");
    }
    assert!(theory("sigmoid", 1.0).start(start(0.9)).build().is_ok());
    let few = draw("sigmoid", 30, 3, 1.0, LabelNoise::None, 1);
    let why = theory("sigmoid", 1.0).build().unwrap().fit(&bank::rows(&few)).unwrap_err().to_string();
    assert!(why.contains("at least 33 rows"), "{why}");
    let mut edge = draw("sigmoid", 300, 3, 1.0, LabelNoise::None, 1);
    edge.labels[7] = 1.0;
    let why = theory("sigmoid", 1.0).build().unwrap().fit(&bank::rows(&edge)).unwrap_err().to_string();
    assert!(why.contains("`theory`") && why.contains("1 of 300"), "{why}");
}

/// The footnote: either preimage leads to w_* without noise, and at τ = 1 the loss is the same whichever was taken.
#[test]
fn either_preimage_leads_to_the_model() {
    for activation in bank::nonmonotone() {
        let data = draw(activation, 1000, 8, 2.0, LabelNoise::None, 6);
        for branch in [PreimageBranch::Nearer, PreimageBranch::Left, PreimageBranch::Right] {
            let options = Options::new(named(activation).unwrap()).solver(Solver::Gd).intercept(false).branch(branch);
            let report = options.build().unwrap().fit(&bank::rows(&data)).unwrap();
            let off = bank::distance(&report.coefficients, &data.truth);
            assert!(off <= 1e-12 && report.labels_with_two_preimages > 100, "{activation} {branch:?}: {off:e}");
        }
    }
}

/// At τ = 0 a branch is least squares on its preimages.
#[test]
fn a_branch_is_least_squares_on_its_preimages() {
    use agglio::activation::Preimages;
    let data = draw("silu", 1000, 8, 2.0, LabelNoise::None, 6);
    let phi = named("silu").unwrap();
    for branch in [PreimageBranch::Left, PreimageBranch::Right] {
        let preimage = |&y: &f64| match (phi.preimages(y), branch) {
            (Preimages::One(z), _) => z,
            (Preimages::Two { left, .. }, PreimageBranch::Left) => left,
            (Preimages::Two { right, .. }, _) => right,
            (Preimages::None, _) => panic!("{y}"),
        };
        let line = Dense::new(data.values.clone(), 8, data.labels.iter().map(preimage).collect()).unwrap();
        let fit = |options: Options, rows: &dyn Rows| {
            options.intercept(false).solver(Solver::Gd).build().unwrap().fit(rows).unwrap().into_report().coefficients
        };
        let ours = fit(Options::new(phi.clone()).noise(Noise::Pre).branch(branch), &bank::rows(&data));
        let off = bank::largest_difference(&ours, &fit(Options::new(named("identity").unwrap()), &line));
        assert!(off <= 1e-9, "{branch:?}: {off:e}");
    }
}

/// The printed steps of softplus diverge, and the verdict says that the theory planned them; so do corrected ones on
/// covariates that are not those of the theorem.
#[test]
fn planned_steps_that_diverge_are_told() {
    let mut data = draw("softplus", 1000, 5, 1.0, LabelNoise::None, 3);
    let fit = |data: &Simulated, constants: Statement| {
        theory("softplus", 1.0).constants(constants).build().unwrap().fit(&bank::rows(data)).unwrap()
    };
    assert_eq!(fit(&data, Statement::Corrected).status(), Status::Converged);
    let told = |report: Report| {
        assert_eq!((report.status(), report.reason), (Status::Diverging, StopReason::Planned));
        let verdict = report.verdict();
        assert!(verdict.contains("corrected constants") && verdict.contains("N(0, I)"), "{verdict}");
        assert!(!verdict.contains("rescale") && report.coefficients.iter().all(|w| w.is_finite()), "{verdict}");
    };
    told(fit(&data, Statement::Printed).into_report());
    data.values.iter_mut().for_each(|x| *x *= 10.0);
    told(fit(&data, Statement::Corrected).into_report());
}

/// Fits that take their steps together each have the labels that they asked for.
#[test]
fn branches_are_tuned_apart() {
    let data = draw("silu", 400, 4, 2.0, LabelNoise::Post(0.05, Shape::Gauss), 8);
    let phi = named("silu").unwrap();
    let plan = |branch| {
        let options = Options::new(phi.clone()).solver(Solver::Gd).intercept(false).branch(branch).epochs(30);
        options.build().unwrap()
    };
    let plans = [PreimageBranch::Nearer, PreimageBranch::Left, PreimageBranch::Right].map(plan);
    let split = agglio::tune::Split::holdout(0.2, 0).unwrap();
    let tune = |plans: &[agglio::Plan]| agglio::tune::tune(&bank::rows(&data), plans, split, &|_, _| {}).unwrap();
    let together: Vec<f64> = tune(&plans).iter().map(|score| score.unwrap().loss).collect();
    let apart: Vec<f64> = plans.iter().map(|plan| tune(std::slice::from_ref(plan))[0].unwrap().loss).collect();
    assert_eq!(together, apart);
    assert!(together[0] != together[1] && together[1] != together[2], "{together:?}");
}

/// A course says what it assumes of a table.
#[test]
fn corrected_constants_are_of_the_sample() {
    let setting = Setting::new(named("sigmoid").unwrap().as_ref(), 1.0, LabelNoise::None, None).unwrap();
    let course = |statement| Course { setting, algorithm: Algorithm::One, statement };
    assert_eq!(course(Statement::Printed).on(20, 10).unwrap(), setting);
    assert_eq!(course(Statement::Corrected).on(100, 10).unwrap(), setting.on_sample(100, 10).unwrap());
    assert!(course(Statement::Corrected).on(20, 10).is_err());
}
