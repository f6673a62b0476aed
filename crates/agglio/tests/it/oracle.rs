//! The oracle's answers: against differences, against each other, and under changes of units.

use agglio::activation::named;
use agglio::oracle::{Batch, Driver, Gradient, Hessian, Memory, Model, Objective, Oracle, Problem, Query, Value, Want};
use agglio::rows::{Dense, Scaling};
use agglio::simulate::{LabelNoise, Shape};
use proptest::prelude::*;

use crate::bank;

const ALL: [&str; 9] = ["sigmoid", "softplus", "leaky-softplus", "silu", "gelu", "tanh", "probit", "exp", "identity"];
const TAUS: [f64; 4] = [0.0, 1e-6, 0.3, 1.0];

fn noisy(activation: &str, n: usize, d: usize, seed: u64) -> Dense {
    let data = bank::paper(activation, n, d, LabelNoise::Post(0.05, Shape::Gauss), seed);
    let weights = (0..n).map(|i| 0.5 + (i % 4) as f64).collect();
    let offsets = (0..n).map(|i| (i % 3) as f64 * 0.1).collect();
    bank::rows(&data).with_weights(weights).unwrap().with_offsets(offsets).unwrap()
}

fn driver(rows: &Dense, activation: &str, scaling: Scaling, intercept: bool) -> Driver {
    Problem { scaling, intercept, ..Problem::new(named(activation).unwrap()) }.on(rows).unwrap()
}

fn value(oracle: &dyn Oracle, theta: &[f64], tau: f64) -> Value {
    oracle.ask(&Query::at(theta, tau, Batch::All, Want::Loss)).unwrap().value().unwrap()
}

fn gradient(oracle: &dyn Oracle, theta: &[f64], tau: f64, batch: Batch) -> Gradient {
    oracle.ask(&Query::at(theta, tau, batch, Want::Gradient)).unwrap().gradient().unwrap()
}

fn model(oracle: &dyn Oracle, theta: &[f64], tau: f64, want: Want<'_>) -> Model {
    oracle.ask(&Query::at(theta, tau, Batch::All, want)).unwrap().model().unwrap()
}

fn point(dim: usize) -> Vec<f64> {
    (0..dim).map(|j| 0.4 * (j as f64 + 1.0).sin()).collect()
}

/// θ + h·e_j.
fn moved(theta: &[f64], j: usize, h: f64) -> Vec<f64> {
    let mut theta = theta.to_vec();
    theta[j] += h;
    theta
}

#[test]
fn gradients_and_curvatures_are_derivatives_of_the_loss() {
    let h = 1e-5;
    for (activation, tau) in ALL.iter().flat_map(|a| TAUS.map(|t| (*a, t))) {
        for intercept in [false, true] {
            let rows = noisy(activation, 300, 4, 1);
            let oracle = driver(&rows, activation, Scaling::Standard, intercept);
            let theta = point(oracle.dim());
            let case = format!("{activation} at {tau}, intercept {intercept}");
            let here = model(&oracle, &theta, tau, Want::Curvature(Hessian::Full));
            let hessian = here.matrix().unwrap();
            for j in 0..oracle.dim() {
                let [up, down] = [h, -h].map(|h| gradient(&oracle, &moved(&theta, j, h), tau, Batch::All));
                let slope = (up.loss - down.loss) / (2.0 * h);
                assert!((here.gradient[j] - slope).abs() <= 1e-8 * (1.0 + slope.abs()), "{case}: gradient {j}");
                for i in 0..oracle.dim() {
                    let bend = (up.gradient[i] - down.gradient[i]) / (2.0 * h);
                    assert!((hessian.at(i, j) - bend).abs() <= 1e-7 * (1.0 + bend.abs()), "{case}: curvature {i} {j}");
                }
            }
        }
    }
}

#[test]
fn curvature_times_a_vector_is_the_product_with_the_curvature() {
    for (activation, objective) in ALL.iter().flat_map(|a| [Objective::Squares, Objective::Matching].map(|o| (*a, o))) {
        for hessian in [Hessian::GaussNewton, Hessian::Full] {
            let rows = noisy(activation, 200, 3, 2);
            let oracle = driver(&rows, activation, Scaling::Standard, true);
            let (theta, v) = (point(oracle.dim()), [0.3, -1.0, 2.0, 0.7]);
            let ask = |want| oracle.ask(&Query::at(&theta, 0.5, Batch::All, want).of(objective)).unwrap();
            let matrix = ask(Want::Curvature(hessian)).model().unwrap().into_matrix().unwrap();
            let product = ask(Want::CurvatureTimes(hessian, v.as_slice().into())).product().unwrap();
            for (i, product) in product.iter().enumerate() {
                let expected: f64 = v.iter().enumerate().map(|(j, v)| matrix.at(i, j) * v).sum();
                assert!((product - expected).abs() <= 1e-13 * (1.0 + expected.abs()), "{activation} {objective:?}");
            }
        }
    }
}

#[test]
fn gauss_newton_is_the_full_curvature_without_bends() {
    let rows = noisy("identity", 200, 3, 2);
    let oracle = driver(&rows, "identity", Scaling::Standard, true);
    let theta = point(4);
    let [a, b] =
        [Hessian::GaussNewton, Hessian::Full].map(|h| model(&oracle, &theta, 0.5, Want::Curvature(h)).into_matrix());
    assert_eq!(a, b);
    let rows = noisy("sigmoid", 200, 3, 2);
    let oracle = driver(&rows, "sigmoid", Scaling::Standard, true);
    let [a, b] =
        [Hessian::GaussNewton, Hessian::Full].map(|h| model(&oracle, &theta, 0.5, Want::Curvature(h)).into_matrix());
    assert_ne!(a, b);
}

#[test]
fn matching_is_least_squares_without_the_slope() {
    let rows = noisy("identity", 200, 3, 5);
    let oracle = driver(&rows, "identity", Scaling::None, false);
    let theta = point(3);
    let ask = |oracle: &Driver, objective| {
        let query = Query::at(&theta, 1.0, Batch::All, Want::Gradient).of(objective);
        oracle.ask(&query).unwrap().gradient().unwrap()
    };
    assert_eq!(ask(&oracle, Objective::Matching).gradient, ask(&oracle, Objective::Squares).gradient);
    let rows = noisy("softplus", 200, 3, 5);
    let oracle = driver(&rows, "softplus", Scaling::None, false);
    let [matching, squares] = [Objective::Matching, Objective::Squares].map(|objective| ask(&oracle, objective));
    assert_ne!(matching.gradient, squares.gradient);
    assert_eq!(matching.loss, squares.loss);
}

#[test]
fn memory_answers_with_differences() {
    let rows = noisy("softplus", 100, 3, 6);
    let oracle = driver(&rows, "softplus", Scaling::Standard, false);
    let (first, second) = (point(3), vec![0.1, -0.2, 0.5]);
    let ask = |theta: &[f64], memory| {
        let query = Query::at(theta.to_vec(), 0.7, Batch::All, Want::Gradient).remembering(memory);
        oracle.ask(&query).unwrap().gradient().unwrap()
    };
    let plain = [&first, &second].map(|theta| ask(theta, Memory::Unused).gradient);
    let renewed = ask(&first, Memory::Renew);
    assert_eq!(renewed.gradient, plain[0]);
    let difference = ask(&second, Memory::Difference(renewed.remembered.into()));
    let expected: Vec<f64> = plain[1].iter().zip(&plain[0]).map(|(second, first)| second - first).collect();
    assert!(bank::largest_difference(&difference.gradient, &expected) <= 1e-14);
    assert_eq!(ask(&second, Memory::Difference(difference.remembered.into())).gradient, vec![0.0; 3]);
}

#[test]
fn single_precision_storage_answers_for_the_rounded_table() {
    let data = bank::paper("sigmoid", 3000, 7, LabelNoise::None, 8);
    let narrow: Vec<f32> = data.values.iter().map(|&x| x as f32).collect();
    let wide: Vec<f64> = narrow.iter().map(|&x| f64::from(x)).collect();
    let rows = [Dense::new_f32(narrow, 7, data.labels.clone()), Dense::new(wide, 7, data.labels.clone())];
    let [single, double] = rows.map(|rows| {
        let rows = rows.unwrap();
        let oracle = driver(&rows, "sigmoid", Scaling::Standard, true);
        model(&oracle, &point(8), 0.4, Want::Curvature(Hessian::Full))
    });
    assert_eq!(single, double);
}

#[test]
fn rows_visited_are_counted() {
    let rows = noisy("sigmoid", 5000, 3, 9);
    let oracle = driver(&rows, "sigmoid", Scaling::Standard, true);
    // mean and deviation took a pass together
    assert_eq!(oracle.visited(), 5000);
    value(&oracle, &point(4), 0.5);
    gradient(&oracle, &point(4), 0.5, Batch::Part { key: 1, start: 4990, len: 50 });
    assert_eq!(oracle.visited(), 10_010);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Sums over parts that make up the whole merge to the sums over the whole.
    #[test]
    fn parts_merge_to_the_whole(n in 2usize..3000, pieces in 1usize..6, key: u64, tau in 0.0..=1.0f64) {
        let rows = noisy("silu", n, 3, 11);
        let oracle = driver(&rows, "silu", Scaling::Standard, true);
        let theta = point(4);
        let whole = gradient(&oracle, &theta, tau, Batch::All);
        let size = n.div_ceil(pieces);
        let (mut loss, mut sum) = (0.0, vec![0.0; 4]);
        for start in (0..n).step_by(size) {
            let part = gradient(&oracle, &theta, tau, Batch::Part { key, start, len: size });
            let share = part.rows as f64 / n as f64;
            loss += share * part.loss;
            sum.iter_mut().zip(&part.gradient).for_each(|(sum, g)| *sum += share * g);
        }
        prop_assert!((loss - whole.loss).abs() <= 1e-12 * (1.0 + whole.loss));
        prop_assert!(bank::largest_difference(&sum, &whole.gradient) <= 1e-12);
    }

    /// A weight of k counts as k copies of the row.
    #[test]
    fn weights_are_repetitions(counts in prop::collection::vec(0usize..4, 30), tau in 0.0..=1.0f64) {
        prop_assume!(counts.iter().sum::<usize>() > 1);
        let data = bank::paper("softplus", 30, 2, LabelNoise::Post(0.1, Shape::Gauss), 12);
        let weights = counts.iter().map(|&c| c as f64).collect();
        let weighted = bank::rows(&data).with_weights(weights).unwrap();
        let each: Vec<usize> = counts.iter().enumerate().flat_map(|(i, &c)| std::iter::repeat_n(i, c)).collect();
        let values = each.iter().flat_map(|&i| data.values[2 * i..2 * i + 2].to_vec()).collect();
        let repeated = Dense::new(values, 2, each.iter().map(|&i| data.labels[i]).collect()).unwrap();
        // the label margin is relative to the spread of y, which repetition may change: ask where it does not matter
        let tau = if tau > 0.5 { 1.0 } else { tau };
        let phi = named("softplus").unwrap();
        let [a, b] = [&weighted, &repeated].map(|rows| {
            let oracle = Problem { margins: vec![1e-9], ..Problem::new(phi.clone()) }.on(rows).unwrap();
            model(&oracle, &point(3), tau, Want::Stationarity)
        });
        prop_assert!((a.loss - b.loss).abs() <= 1e-7 * (1.0 + a.loss), "{} {}", a.loss, b.loss);
        if tau == 1.0 {
            prop_assert!((a.loss - b.loss).abs() <= 1e-13 * (1.0 + a.loss));
            prop_assert!(bank::largest_difference(&a.gradient, &b.gradient) <= 1e-12);
            prop_assert!(bank::largest_difference(&a.column_norms, &b.column_norms) <= 1e-12);
        }
    }

    /// At τ = 1 graduation is the identity: the loss is the user's own.
    #[test]
    fn graduation_ends_at_the_users_loss(which in 0..ALL.len(), w in prop::collection::vec(-2.0..2.0f64, 2)) {
        let rows = bank::paper(ALL[which], 50, 2, LabelNoise::Post(0.3, Shape::Gauss), 13);
        let table = bank::rows(&rows);
        let oracle = driver(&table, ALL[which], Scaling::None, false);
        let phi = named(ALL[which]).unwrap();
        let own = rows.values.chunks(2).zip(&rows.labels);
        let own: f64 = own.map(|(x, y)| (phi.value(x[0] * w[0] + x[1] * w[1]) - y).powi(2)).sum::<f64>() / 50.0;
        let found = value(&oracle, &w, 1.0).loss;
        prop_assert!((found - own).abs() <= 1e-13 * (1.0 + own), "{} {}", found, own);
    }
}
