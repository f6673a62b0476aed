//! Competitors from other papers: fifty steps of each as a few lines of numpy make them, from the same start and on the
//! same minibatches.

use std::ops::ControlFlow;
use std::sync::Arc;

use agglio::activation::named;
use agglio::fit::{Observer, Step};
use agglio::rows::{Dense, Scaling};
use agglio::simulate::{LabelNoise, Shape, Simulation};
use agglio::solver::direction::V0;
use agglio::{Options, Solver, Start, Status, StopReason};
use serde_json::{Value, json};

use crate::bank;
use crate::recorder::{Recorder, Track};

const STEPS: usize = 50;
const ROWS: usize = 60;
const START: [f64; 5] = [1.5, -1.0, 0.5, 2.0, -0.5];

/// A competitor by the name that the golden file has for it.
fn options(name: &str) -> Options {
    let options = Options::new(named("sigmoid").unwrap()).intercept(false).scaling(Scaling::None).tolerance(0.0);
    let options = options.start(Start::At { coefficients: START.to_vec(), intercept: 0.0 }).epochs(STEPS);
    let textbook = |solver| options.clone().solver(solver).tau0(1.0).eta(0.05).beta1(0.8).beta2(0.95).epsilon(1e-5);
    let constant = |solver| {
        let options = options.clone().solver(solver).tau0(1.0).eta(0.05).beta1(0.8).beta2(0.95);
        options.batch(20).decay(false)
    };
    match name {
        "adam" => textbook(Solver::Adam).batch(20),
        "yogi" => textbook(Solver::Yogi).batch(20),
        "sgd" => options.solver(Solver::Sgd).tau0(1.0).eta(3.0).batch(20),
        "svrg" => options.solver(Solver::Svrg).tau0(1.0).eta(3.0).batch(20),
        // without ε the denominator has αΛ in its place, and the step would decay
        "adam_constant" => constant(Solver::Adam),
        "yogi_constant" => constant(Solver::Yogi),
        "yogi_gradient" => textbook(Solver::Yogi).batch(20).v0(V0::Gradient),
        "sgd_constant" => options.solver(Solver::Sgd).tau0(1.0).eta(3.0).batch(20).decay(false),
        "sngd_constant" => options.solver(Solver::Ngd).eta(0.1).batch(20).decay(false),
        "gradopt_passes" => options.solver(Solver::Gradopt).eta(4.0).delta(2.0).batch(20).passes(3),
        "ngd" => options.solver(Solver::Ngd).eta(0.1),
        "sngd" => options.solver(Solver::Ngd).eta(0.1).batch(20),
        "gradopt" => options.solver(Solver::Gradopt).eta(4.0).delta(2.0).batch(20),
        "glmtron" => options.solver(Solver::Glmtron).eta(1.0),
        "irls" => options.solver(Solver::Irls).start(Start::Zero),
        "lm" => options.solver(Solver::Lm),
        "lbfgs" => options.solver(Solver::Lbfgs),
        _ => panic!("{name}"),
    }
}

const NAMES: [&str; 17] = [
    "adam",
    "yogi",
    "sgd",
    "svrg",
    "ngd",
    "sngd",
    "gradopt",
    "glmtron",
    "irls",
    "lm",
    "lbfgs",
    "adam_constant",
    "yogi_constant",
    "yogi_gradient",
    "sgd_constant",
    "sngd_constant",
    "gradopt_passes",
];

/// These are at the optimum, or have made much of rounding, long before the fiftieth step.
const FAST: [&str; 3] = ["irls", "lm", "lbfgs"];

/// What a competitor did in its first steps: minibatches, how far from θ the gradient was asked, and where it was led.
struct Run50 {
    batches: Vec<Vec<usize>>,
    nearby: Vec<Vec<f64>>,
    thetas: Vec<Vec<f64>>,
}

fn run(name: &str, rows: Dense) -> Run50 {
    let (rows, mut track) = (Recorder { rows, asked: Arc::default() }, Track(Vec::new()));
    options(name).build().unwrap().fit_observed(&rows, &mut track).unwrap();
    let mut asked = std::mem::take(&mut *rows.asked.lock().unwrap());
    // SVRG asks the same rows at θ and at its anchor
    asked.dedup_by(|later, earlier| later.0 == earlier.0);
    asked.truncate(STEPS);
    track.0.truncate(STEPS);
    let before = std::iter::once(START.to_vec()).chain(track.0.iter().cloned());
    let away =
        |((_, at), theta): (&(Vec<usize>, Vec<f64>), Vec<f64>)| at.iter().zip(theta).map(|(a, b)| a - b).collect();
    Run50 {
        nearby: asked.iter().zip(before).map(away).collect(),
        batches: asked.into_iter().map(|(rows, _)| rows).collect(),
        thetas: track.0,
    }
}

fn data() -> (Vec<f64>, Vec<f64>) {
    let noise = LabelNoise::Post(0.05, Shape::Gauss);
    let drawn = Simulation::new(named("sigmoid").unwrap(), ROWS, START.len()).norm(2.0).noise(noise).seed(5);
    let drawn = drawn.design(agglio::simulate::Design::Normal).draw().unwrap();
    (drawn.values, drawn.labels)
}

/// `golden/competitors.json` is what `golden/competitors.py` makes of what this test writes if AGGLIO_BLESS is set.
#[test]
fn fifty_steps_are_those_of_numpy() {
    let (values, labels) = data();
    let rows = || Dense::new(values.clone(), START.len(), labels.clone()).unwrap();
    if std::env::var_os("AGGLIO_BLESS").is_some() {
        let runs = NAMES.map(|name| (name, run(name, rows())));
        let inputs = runs.map(|(name, run)| json!({"name": name, "batches": run.batches, "nearby": run.nearby}));
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/golden/competitors-input.json");
        let input = json!({"values": values, "labels": labels, "start": START, "runs": inputs});
        std::fs::write(file, serde_json::to_string(&input).unwrap() + "\n").unwrap();
    }
    let golden: Value = serde_json::from_str(include_str!("golden/competitors.json")).unwrap();
    for name in NAMES {
        let (ours, theirs) = (run(name, rows()), &golden[name]);
        let batches: Vec<Vec<usize>> = serde_json::from_value(theirs["batches"].clone()).unwrap();
        assert_eq!(ours.batches, batches, "{name}");
        let thetas: Vec<Vec<f64>> = serde_json::from_value(theirs["thetas"].clone()).unwrap();
        for (step, (ours, theirs)) in ours.thetas.iter().zip(&thetas).enumerate() {
            let off = bank::largest_difference(ours, theirs);
            assert!(off <= 1e-10, "{name}, step {step}: {off:e} off");
        }
        let least = if FAST.contains(&name) { 6 } else { STEPS };
        assert!(ours.thetas.len().min(thetas.len()) >= least, "{name}: {} steps", thetas.len());
    }
    // what the keys are for makes a difference within fifty steps
    for (one, other) in [
        ("sgd", "sgd_constant"),
        ("yogi", "yogi_gradient"),
        ("gradopt", "gradopt_passes"),
        ("adam", "adam_constant"),
        ("yogi", "yogi_constant"),
    ] {
        assert_ne!(golden[one]["thetas"][STEPS - 1], golden[other]["thetas"][STEPS - 1], "{one} {other}");
    }
}

/// As printed the result is the last point, whatever was seen on the way.
#[test]
fn a_constant_step_ends_at_its_last_point() {
    let data = bank::paper("sigmoid", 500, 5, LabelNoise::Post(0.3, Shape::Gauss), 6);
    for solver in [Solver::Sgd, Solver::Adam, Solver::Yogi, Solver::Ngd] {
        let options = plain(solver).scaling(Scaling::None).tolerance(0.0).epochs(150);
        let options = if solver == Solver::Ngd { options.eta(0.37) } else { options.batch(10) };
        let ends = |options: Options| {
            let mut track = Track(Vec::new());
            let report = options.build().unwrap().fit_observed(&bank::rows(&data), &mut track).unwrap();
            (report.coefficients.clone(), track.0.pop().unwrap())
        };
        let (kept, reached) = ends(options.clone().decay(false));
        assert_eq!(kept, reached, "{solver}");
        let (kept, reached) = ends(options);
        assert_ne!(kept, reached, "{solver} keeps its last point anyway");
    }
}

fn plain(solver: Solver) -> Options {
    Options::new(named("sigmoid").unwrap()).intercept(false).solver(solver)
}

/// The normal equations of φ⁻¹(y) on x, whoever solves them; labels at the edge of the range are refused.
#[test]
fn linear_is_least_squares_on_preimages() {
    let data = bank::paper("sigmoid", 300, 4, LabelNoise::Pre(0.5, Shape::Gauss), 3);
    let report = plain(Solver::Linear).build().unwrap().fit(&bank::rows(&data)).unwrap();
    let left = |(x, y): (&[f64], &f64)| {
        x.iter().zip(&report.coefficients).map(|(x, w)| x * w).sum::<f64>() - (y / (1.0 - y)).ln()
    };
    for j in 0..4 {
        let pull: f64 = data.values.chunks(4).zip(&data.labels).map(|(x, y)| x[j] * left((x, y))).sum();
        assert!(pull.abs() <= 1e-9, "column {j}: {pull:e}");
    }
    assert_eq!((report.tau, report.noise), (0.0, agglio::Noise::Pre));
    let mut binary = data.clone();
    binary.labels.iter_mut().for_each(|y| *y = y.round());
    let why = plain(Solver::Linear).build().unwrap().fit(&bank::rows(&binary)).unwrap_err().to_string();
    assert!(why.contains("300 of 300") && why.contains("linear"), "{why}");
}

#[test]
fn reweighting_leads_to_the_optimum_of_squares() {
    for (activation, noise) in [("sigmoid", 0.05), ("probit", 0.05), ("softplus", 0.1), ("exp", 0.1), ("tanh", 0.0)] {
        let data = bank::paper(activation, 500, 6, LabelNoise::Post(noise, Shape::Gauss), 8);
        let fit = |solver| {
            let options = Options::new(named(activation).unwrap()).intercept(false).solver(solver);
            options.noise(agglio::Noise::Post).build().unwrap().fit(&bank::rows(&data)).unwrap()
        };
        let (irls, auto) = (fit(Solver::Irls), fit(Solver::Auto));
        assert!(irls.certificate.certified(), "{activation}: {}", irls.verdict());
        let off = bank::largest_difference(&irls.coefficients, &auto.coefficients);
        assert!(off <= 1e-8, "{activation}: {off:e}");
    }
}

/// Where the gradient has no slope in it, it vanishes at w_* without noise, and with noise somewhere else.
#[test]
fn glmtron_recovers_what_has_no_noise() {
    let data = bank::paper("sigmoid", 1000, 10, LabelNoise::None, 4);
    let report = plain(Solver::Glmtron).build().unwrap().fit(&bank::rows(&data)).unwrap();
    let off = bank::distance(&report.coefficients, &data.truth);
    assert!(off <= 1e-12 && report.certificate.certified(), "{off:e}: {}", report.verdict());
    let data = bank::paper("sigmoid", 1000, 10, LabelNoise::Post(0.2, Shape::Gauss), 4);
    let report = plain(Solver::Glmtron).build().unwrap().fit(&bank::rows(&data)).unwrap();
    let best = plain(Solver::Lm).build().unwrap().fit(&bank::rows(&data)).unwrap();
    assert!(report.loss > best.loss && report.loss < 1.1 * best.loss, "{} {}", report.loss, best.loss);
}

/// It ends where Σ (φ(z) − y)·x vanishes, says so, and does not pass for an optimum of squares.
#[test]
fn glmtron_says_that_it_is_at_the_optimum_of_the_matching_loss() {
    for (activation, deviation) in [("sigmoid", 0.2), ("sigmoid", 1e-4), ("softplus", 0.1), ("silu", 0.05)] {
        let data = bank::paper(activation, 500, 4, LabelNoise::Post(deviation, Shape::Gauss), 4);
        let phi = named(activation).unwrap();
        let options = || Options::new(phi.clone()).solver(Solver::Glmtron).noise(agglio::Noise::Post);
        let report = options().build().unwrap().fit(&bank::rows(&data)).unwrap();
        let verdict = report.verdict();
        assert_eq!(
            (report.status(), report.reason),
            (Status::Converged, StopReason::Matching),
            "{activation}: {verdict}"
        );
        assert!(!report.certificate.certified() && verdict.contains("optimum of the matching loss"), "{verdict}");
        assert!(verdict.contains("not of least squares"), "{verdict}");
        let mut sums = [0.0; 5];
        for (x, y) in data.values.chunks(4).zip(&data.labels) {
            let z = report.intercept + x.iter().zip(&report.coefficients).map(|(x, w)| x * w).sum::<f64>();
            let row = [1.0].iter().chain(x);
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += (phi.value(z) - y) * x);
        }
        assert!(sums.iter().all(|sum| sum.abs() <= 1e-8 * deviation), "{activation}: {sums:?}");
        let early = options().epochs(3).build().unwrap().fit(&bank::rows(&data)).unwrap();
        assert_eq!(early.status(), Status::IterationLimit);
        assert!(early.verdict().contains("not yet at an optimum of the matching loss"), "{}", early.verdict());
        // a ball that holds it back is the end too
        let held = options().radius(0.1).build().unwrap().fit(&bank::rows(&data)).unwrap();
        assert_eq!(held.reason, StopReason::Matching, "{activation}: {}", held.verdict());
        let none = options().solver(Solver::Lm).build().unwrap().fit(&bank::rows(&data)).unwrap();
        assert!(none.certificate.matching_gradient.is_none() && none.certificate.certified());
    }
}

struct Lowest(f64);

impl Observer for Lowest {
    fn step(&mut self, step: &Step<'_>) -> ControlFlow<()> {
        self.0 = self.0.min(step.loss);
        ControlFlow::Continue(())
    }
}

/// Steps of one length cannot end well, but the best point that they pass is kept.
#[test]
fn normalised_descent_keeps_its_best_point() {
    let data = bank::paper("sigmoid", 500, 5, LabelNoise::Post(0.05, Shape::Gauss), 6);
    let mut lowest = Lowest(f64::INFINITY);
    let plan = plain(Solver::Ngd).eta(0.37).epochs(200).build().unwrap();
    let report = plan.fit_observed(&bank::rows(&data), &mut lowest).unwrap();
    assert_eq!(report.loss, lowest.0);
    let untuned = plain(Solver::Ngd).build().unwrap().fit(&bank::rows(&data)).unwrap();
    let best = plain(Solver::Lm).build().unwrap().fit(&bank::rows(&data)).unwrap();
    assert!(untuned.loss <= best.loss * (1.0 + 1e-4), "{} {}", untuned.loss, best.loss);
}

/// In the paper's units, with a step of its grid, from its start and from zero.
#[test]
fn gradopt_recovers_and_repeats_itself() {
    let data = bank::paper("sigmoid", 1000, 50, LabelNoise::None, 7);
    let options = plain(Solver::Gradopt).scaling(Scaling::None).eta(200.0).radius(20.0).seed(1);
    for start in [Start::Zero, Start::Random(None)] {
        let plan = options.clone().start(start).build().unwrap();
        let [first, again] = [0, 1].map(|_| plan.fit(&bank::rows(&data)).unwrap());
        assert_eq!(first.coefficients, again.coefficients);
        let off = bank::distance(&first.coefficients, &data.truth);
        assert!(off <= 1e-12, "{off:e}: {}", first.verdict());
    }
}

/// Labels of 0 and 1 that a plane separates: the rounds grow without end, and what follows says so.
#[test]
fn rounds_on_separable_labels_are_not_called_convergence() {
    let mut data = bank::paper("sigmoid", 200, 3, LabelNoise::None, 7);
    data.labels.iter_mut().for_each(|y| *y = y.round());
    let report = plain(Solver::Irls).build().unwrap().fit(&bank::rows(&data)).unwrap();
    assert!(!report.certificate.certified() && report.loss < 1e-4, "{}", report.verdict());
}

/// A number that a solver does not have is refused by its name and the solver's.
#[test]
fn numbers_of_other_solvers_are_refused() {
    for (options, name) in [
        (plain(Solver::Gd).mu(0.5), "mu"),
        (plain(Solver::Sgd).beta1(0.5), "beta1"),
        (plain(Solver::Ngd).beta2(0.5), "beta2"),
        (plain(Solver::Gd).epsilon(0.5), "epsilon"),
        (plain(Solver::Sgd).delta(0.5), "delta"),
        (plain(Solver::Ngd).tau0(0.5), "tau0"),
        (plain(Solver::Glmtron).batch(5), "batch"),
        (plain(Solver::Irls).eta(0.5), "eta"),
        (plain(Solver::Irls).start(Start::Random(None)), "init"),
        (plain(Solver::Linear).epochs(5), "epochs"),
        (plain(Solver::Linear).tolerance(0.1), "tol"),
        (plain(Solver::Linear).tau_max(1.0), "tau-max"),
        (plain(Solver::Linear).start(Start::Random(None)), "init"),
        (plain(Solver::Adam).beta1(1.0), "beta1"),
        (plain(Solver::Momentum).mu(-0.1), "mu"),
        (plain(Solver::Yogi).epsilon(0.0), "epsilon"),
        (plain(Solver::Gradopt).delta(f64::INFINITY), "delta"),
        (plain(Solver::Gd).decay(false), "decay"),
        (plain(Solver::Gradopt).decay(true), "decay"),
        (plain(Solver::Adam).v0(V0::Gradient), "v0"),
        (plain(Solver::Sgd).passes(3), "passes"),
        (plain(Solver::Gradopt).passes(0), "passes"),
    ] {
        let why = options.build().unwrap_err().to_string();
        assert!(why.contains(name), "{name}: {why}");
    }
}
