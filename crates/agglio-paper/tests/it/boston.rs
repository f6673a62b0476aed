//! The Boston data is prepared as numpy would, and split without a row lost.

use agglio::activation::named;
use agglio::rows::Dense;
use agglio::{Options, Solver};
use agglio_paper::boston::{Boston, Parted};
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(include_str!("golden/boston.json")).unwrap()
}

#[track_caller]
fn assert_near(found: f64, expected: &Value) {
    let expected = expected.as_f64().unwrap();
    assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{found} is not {expected}");
}

#[test]
fn rows_and_labels_are_those_of_numpy() {
    let (all, golden) = (Boston::prepared().unwrap(), golden());
    assert_eq!((all.labels.len(), all.width), (506, 13));
    all.values[..13]
        .iter()
        .zip(golden["first_row"].as_array().unwrap())
        .for_each(|(x, expected)| assert_near(*x, expected));
    assert_near(all.labels[0], &golden["first_label"]);
    assert_near(all.labels.iter().sum::<f64>() / 506.0, &golden["mean_label"]);
}

#[test]
fn linear_regression_leaves_what_numpy_leaves() {
    let all = Boston::prepared().unwrap();
    let rows = Dense::new(all.values, all.width, all.labels).unwrap();
    let fit = Options::new(named("identity").unwrap()).solver(Solver::Linear).build().unwrap().fit(&rows).unwrap();
    let expected = golden()["linear_regression"].as_f64().unwrap();
    assert!((fit.loss - expected).abs() <= 1e-9 * expected, "{} is not {expected}", fit.loss);
}

#[test]
fn a_split_has_every_row_once_and_is_the_seeds() {
    let sorted = |Parted { training, test }: Parted| {
        assert_eq!((training.labels.len(), test.labels.len()), (405, 101));
        let mut labels: Vec<f64> = training.labels.into_iter().chain(test.labels).collect();
        labels.sort_by(f64::total_cmp);
        labels
    };
    let mut all = Boston::prepared().unwrap().labels;
    all.sort_by(f64::total_cmp);
    assert_eq!(sorted(Boston::parted(3).unwrap()), all);
    let tests = [1, 1, 2].map(|seed| Boston::parted(seed).unwrap().test.labels);
    assert!(tests[0] == tests[1] && tests[0] != tests[2]);
}
