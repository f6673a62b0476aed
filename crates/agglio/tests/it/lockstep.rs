//! Plans that run beside each other score as they do alone.

use std::sync::Arc;

use agglio::activation::{Activation, NAMES, Range, named};
use agglio::rows::{Dense, Scaling};
use agglio::simulate::{LabelNoise, Shape};
use agglio::tune::Split;
use agglio::{Options, Plan, Solver, Start};

use crate::bank;
use crate::tuning::{FEATURES, assert_near, bits, data, loss, options, pick, rows_of, scores, weights};

/// Plans score together as each does alone, to the last bit.
#[track_caller]
fn assert_independent(rows: &Dense, plans: &[Plan], what: &str) {
    let split = Split::holdout(0.2, 6).unwrap();
    let together = scores(rows, plans, split);
    for (i, (plan, together)) in plans.iter().zip(&together).enumerate() {
        let alone = scores(rows, std::slice::from_ref(plan), split)[0];
        assert_eq!(bits(together), bits(&alone), "{what}, plan {i}: {together:?} together, {alone:?} alone");
    }
}

#[test]
fn plans_that_run_beside_each_other_score_as_they_do_alone() {
    let data = data(2500);
    let (rows, split) = (bank::rows(&data), Split::holdout(0.2, 6).unwrap());
    for solver in [Solver::Gd, Solver::Sgd, Solver::Momentum, Solver::Adam, Solver::Ngd, Solver::Glmtron] {
        let plan = |eta: f64| options().solver(solver).epochs(5).eta(eta).build().unwrap();
        let plans: Vec<Plan> = (1..=40).map(|i| plan(0.1 * f64::from(i))).collect();
        assert_independent(&rows, &plans, solver.name());
        // and the same steps as a fit that nobody shares, but for the order of additions
        let fold = rows_of(split.held_out(2500).unwrap()[0], 2500);
        let training: Vec<usize> = (0..2500).filter(|row| !fold.contains(row)).collect();
        if solver != Solver::Sgd && solver != Solver::Adam {
            let report = plans[7].fit(&pick(&data, &training)).unwrap();
            assert_near(scores(&rows, &plans, split)[7].loss, loss(&report, &data, &fold));
        }
    }
}

#[test]
fn no_shape_of_the_table_makes_scores_depend_on_each_other() {
    // products of matrices are added up in orders that go by their shapes
    for (width, n) in
        [1, 2, 3, 7, 50, 100, 300, 600].into_iter().flat_map(|width| [3, 5, 11, 40, 150].map(|n| (width, n)))
    {
        let data = bank::paper("sigmoid", n, width, LabelNoise::Post(0.1, Shape::Gauss), 3);
        for (solver, most) in [(Solver::Gd, 33), (Solver::Sgd, 9)] {
            // of different lengths, so that there are fewer and fewer of them
            let plan =
                |i: usize| options().solver(solver).epochs(1 + i % 4).eta(0.05 * i as f64).threads(1).build().unwrap();
            let plans: Vec<Plan> = (1..=most).map(plan).collect();
            assert_independent(&bank::rows(&data), &plans, &format!("{solver}, {n} × {width}"));
        }
    }
}

#[test]
fn what_a_plan_asks_for_is_its_own() {
    let rows = bank::rows(&data(90));
    let at = || Start::At { coefficients: vec![0.1, -0.2, 0.3, 0.0], intercept: 0.5 };
    for solver in [Solver::Gd, Solver::Sgd, Solver::Yogi] {
        let options = || options().solver(solver).epochs(60).beta(1.2);
        let others = [
            options(),
            options().seed(1),
            options().seed(2).start(Start::Random(None)),
            options().start(at()),
            options().radius(0.3),
            options().tolerance(0.2),
            options().epochs(0),
            options().epochs(7),
            options().eta(1e4),
            options().eta(0.3),
            options().tau0(1.0),
            options().threads(1),
            options().tau_max(0.4),
        ];
        let plans: Vec<Plan> = others.into_iter().map(|options| options.build().unwrap()).collect();
        assert_independent(&rows, &plans, solver.name());
        let losses: Vec<u64> =
            scores(&rows, &plans, Split::holdout(0.2, 6).unwrap()).iter().map(|score| score.loss.to_bits()).collect();
        assert!(losses.iter().filter(|&&loss| loss == losses[0]).count() <= 4, "{solver}: {losses:?}");
    }
}

#[test]
fn plans_run_beside_each_other_on_every_kind_of_rows() {
    let data = data(1500);
    let single: Vec<f32> = data.values.iter().map(|&x| x as f32).collect();
    let offsets: Vec<f64> = data.values.chunks(FEATURES).map(|x| 0.7 * x[3]).collect();
    let plain = bank::rows(&data);
    let storages = [
        plain.clone().with_weights(weights(1500)).unwrap(),
        plain.clone().with_offsets(offsets).unwrap(),
        Dense::new_f32(single, FEATURES, data.labels.clone()).unwrap().with_weights(weights(1500)).unwrap(),
        plain,
    ];
    for (i, rows) in storages.iter().enumerate() {
        for (intercept, l2, scaling) in [(true, 0.01, Scaling::Standard), (false, 0.0, Scaling::None)] {
            let options = |eta: f64| options().intercept(intercept).l2(l2).scaling(scaling).epochs(9).eta(eta);
            let plans: Vec<Plan> = (1..=6).map(|k| options(f64::from(k)).build().unwrap()).collect();
            assert_independent(rows, &plans, &format!("storage {i}, intercept {intercept}"));
        }
    }
}

/// A sigmoid that is steeper by a factor which it keeps to itself.
struct Steep(f64);

impl std::fmt::Debug for Steep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Steep")
    }
}

impl Activation for Steep {
    fn name(&self) -> String {
        "steep".into()
    }

    fn value(&self, t: f64) -> f64 {
        1.0 / (1.0 + (-self.0 * t).exp())
    }

    fn derivative(&self, t: f64) -> f64 {
        self.0 * self.value(t) * (1.0 - self.value(t))
    }

    fn second_derivative(&self, t: f64) -> f64 {
        self.0 * self.derivative(t) * (1.0 - 2.0 * self.value(t))
    }

    fn range(&self) -> Range {
        Range { lo: 0.0, hi: 1.0, attained: false }
    }
}

#[test]
fn activations_that_differ_are_not_taken_for_one() {
    let plan =
        |factor: f64| Options::new(Arc::new(Steep(factor))).solver(Solver::Gd).epochs(9).eta(0.5).build().unwrap();
    let (rows, plans) = (bank::rows(&data(60)), [plan(1.0), plan(3.0), plan(3.0)]);
    assert_independent(&rows, &plans, "steep");
    let scores = scores(&rows, &plans, Split::holdout(0.2, 6).unwrap());
    assert_ne!(scores[0].loss, scores[1].loss);
    assert_eq!(bits(&scores[1]), bits(&scores[2]));
}

#[test]
fn a_name_stands_for_one_activation() {
    let same = |one: &str, other: &str| Arc::ptr_eq(&named(one).unwrap(), &named(other).unwrap());
    NAMES.iter().for_each(|name| assert!(same(name, name), "{name}"));
    assert!(same("leaky-softplus", "leaky-softplus:0.2") && same("leaky-softplus:k=0.30", "leaky-softplus:0.3"));
    assert!(!same("leaky-softplus", "leaky-softplus:0.3") && !same("sigmoid", "tanh"));
}
