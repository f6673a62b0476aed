//! Competitors from other papers: fifty steps of each as a few lines of numpy make them, from the same start and on the
//! same minibatches.

use std::ops::ControlFlow;
use std::sync::Mutex;

use agglio::activation::named;
use agglio::observe::{Observer, Step};
use agglio::rows::{Addition, Dense, Rows, Run, Scaling};
use agglio::simulate::{LabelNoise, Shape, Simulation};
use agglio::{Options, Solver, Start};
use serde_json::{Value, json};

use crate::bank;

/// Rows that write down which minibatches are asked for, and where.
#[derive(Debug)]
struct Recorder {
    rows: Dense,
    asked: Mutex<Vec<(Vec<usize>, Vec<f64>)>>,
}

impl Rows for Recorder {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn width(&self) -> usize {
        self.rows.width()
    }

    fn can_centre(&self) -> bool {
        self.rows.can_centre()
    }

    fn dots(&self, run: &Run<'_>, centre: &[f64], v: &[f64], z: &mut [f64]) {
        if let Run::Picked(rows) = run {
            self.asked.lock().unwrap().push((rows.to_vec(), v.to_vec()));
        }
        self.rows.dots(run, centre, v, z);
    }

    fn square_dots(&self, run: &Run<'_>, centre: &[f64], v: &[f64], z: &mut [f64]) {
        self.rows.square_dots(run, centre, v, z);
    }

    fn add_rows(&self, run: &Run<'_>, centre: &[f64], additions: &mut [Addition<'_>]) {
        self.rows.add_rows(run, centre, additions);
    }

    fn add_rows_and_squares(&self, run: &Run<'_>, pivot: &[f64], centre: &[f64], additions: [Addition<'_>; 2]) {
        self.rows.add_rows_and_squares(run, pivot, centre, additions);
    }

    fn add_products(&self, run: &Run<'_>, centre: &[f64], a: &[f64], h: &mut [f64], room: &mut Vec<f64>) {
        self.rows.add_products(run, centre, a, h, room);
    }

    fn labels(&self, run: &Run<'_>, y: &mut [f64]) {
        self.rows.labels(run, y);
    }

    fn weights(&self, run: &Run<'_>, weight: &mut [f64]) {
        self.rows.weights(run, weight);
    }

    fn offsets(&self, run: &Run<'_>, offset: &mut [f64]) {
        self.rows.offsets(run, offset);
    }
}

/// Writes down where each step led.
struct Track(Vec<Vec<f64>>);

impl Observer for Track {
    fn step(&mut self, step: &Step<'_>) -> ControlFlow<()> {
        self.0.push(step.theta.to_vec());
        ControlFlow::Continue(())
    }
}

const STEPS: usize = 50;
const ROWS: usize = 60;
const START: [f64; 5] = [1.5, -1.0, 0.5, 2.0, -0.5];

/// A competitor by the name that the golden file has for it.
fn options(name: &str) -> Options {
    let options = Options::new(named("sigmoid").unwrap()).intercept(false).scaling(Scaling::None).tolerance(0.0);
    let options = options.start(Start::At { coefficients: START.to_vec(), intercept: 0.0 }).epochs(STEPS);
    let textbook = |solver| options.clone().solver(solver).tau0(1.0).eta(0.05).beta1(0.8).beta2(0.95).epsilon(1e-5);
    match name {
        "adam" => textbook(Solver::Adam).batch(20),
        "yogi" => textbook(Solver::Yogi).batch(20),
        "sgd" => options.solver(Solver::Sgd).tau0(1.0).eta(3.0).batch(20),
        "svrg" => options.solver(Solver::Svrg).tau0(1.0).eta(3.0).batch(20),
        "ngd" => options.solver(Solver::Ngd).eta(0.1),
        "sngd" => options.solver(Solver::Ngd).eta(0.1).batch(20),
        "gradopt" => options.solver(Solver::Gradopt).eta(4.0).delta(2.0).batch(20),
        "glmtron" => options.solver(Solver::Glmtron).eta(1.0),
        // nothing damps its rounds, which is why they begin at zero
        "irls" => options.solver(Solver::Irls).start(Start::Zero),
        _ => panic!("{name}"),
    }
}

const NAMES: [&str; 9] = ["adam", "yogi", "sgd", "svrg", "ngd", "sngd", "gradopt", "glmtron", "irls"];

/// What a competitor did in its first steps: minibatches, how far from θ the gradient was asked, and where it was led.
struct Run50 {
    batches: Vec<Vec<usize>>,
    nearby: Vec<Vec<f64>>,
    thetas: Vec<Vec<f64>>,
}

fn run(name: &str, rows: Dense) -> Run50 {
    let (rows, mut track) = (Recorder { rows, asked: Mutex::default() }, Track(Vec::new()));
    options(name).build().unwrap().fit_observed(&rows, &mut track).unwrap();
    let mut asked = rows.asked.into_inner().unwrap();
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
        assert!(thetas.len() == STEPS || name == "irls" && thetas.len() >= 10, "{name}: {} steps", thetas.len());
    }
}
