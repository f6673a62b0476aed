//! The oracle's answers: against the user's own loss, and under changes of precision and of weights.
//! The laws of any oracle are in the conformance suite.

use agglio::activation::{NAMES, named};
use agglio::oracle::{Batch, Driver, Hessian, LabelChoice, Model, Oracle, PreimageBranch, Problem, Query, Value, Want};
use agglio::rows::{Dense, Scaling};
use agglio::simulate::{LabelNoise, Shape};
use proptest::prelude::*;

use crate::bank;

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

fn model(oracle: &dyn Oracle, theta: &[f64], tau: f64, want: Want<'_>) -> Model {
    oracle.ask(&Query::at(theta, tau, Batch::All, want)).unwrap().model().unwrap()
}

fn point(dim: usize) -> Vec<f64> {
    (0..dim).map(|j| 0.4 * (j as f64 + 1.0).sin()).collect()
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
fn queries_without_a_choice_of_labels_take_that_of_the_problem() {
    let rows = noisy("silu", 200, 3, 2);
    let labels = LabelChoice { branch: PreimageBranch::Left, ..LabelChoice::default() };
    let [usual, left] = [LabelChoice::default(), labels]
        .map(|labels| Problem { labels, ..Problem::new(named("silu").unwrap()) }.on(&rows).unwrap());
    let (theta, query) = (point(4), |theta| Query::at(theta, 0.3, Batch::All, Want::Loss));
    let chosen = usual.ask(&query(&theta).with_labels(labels)).unwrap().value().unwrap();
    assert_eq!(left.labels(), labels);
    assert_eq!(value(&left, &theta, 0.3), chosen);
    assert_ne!(value(&usual, &theta, 0.3), chosen);
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
fn mean_and_deviation_take_one_pass_together() {
    let rows = noisy("sigmoid", 5000, 3, 9);
    assert_eq!(driver(&rows, "sigmoid", Scaling::Standard, true).visited(), 5000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

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
    fn graduation_ends_at_the_users_loss(activation in prop::sample::select(NAMES), w in prop::collection::vec(-2.0..2.0f64, 2)) {
        let rows = bank::paper(activation, 50, 2, LabelNoise::Post(0.3, Shape::Gauss), 13);
        let table = bank::rows(&rows);
        let oracle = driver(&table, activation, Scaling::None, false);
        let phi = named(activation).unwrap();
        let own = rows.values.chunks(2).zip(&rows.labels);
        let own: f64 = own.map(|(x, y)| (phi.value(x[0] * w[0] + x[1] * w[1]) - y).powi(2)).sum::<f64>() / 50.0;
        let found = value(&oracle, &w, 1.0).loss;
        prop_assert!((found - own).abs() <= 1e-13 * (1.0 + own), "{} {}", found, own);
    }
}
