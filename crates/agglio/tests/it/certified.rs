//! Published data: values that others have certified, and the 401(k) data under every disguise.

use agglio::activation::named;
use agglio::math::rng::{Permutation, Random, Stream};
use agglio::rows::Dense;
use agglio::{Noise, Options, Status};
use serde_json::Value;

/// NIST StRD DanWood: y = b₁·x^b₂, which is exp(ln b₁ + b₂·ln x); certified to eleven digits.
#[test]
fn danwood_has_its_certified_values() {
    let x = [1.309, 1.471, 1.490, 1.565, 1.611, 1.680_f64];
    let y = vec![2.138, 3.421, 3.597, 4.340, 4.882, 5.660];
    let rows = Dense::new(x.iter().map(|x| x.ln()).collect(), 1, y).unwrap();
    let report = Options::new(named("exp").unwrap()).build().unwrap().fit(&rows).unwrap();
    assert_eq!(report.noise, Noise::Post);
    assert!((report.intercept.exp() / 0.76886226176 - 1.0).abs() <= 1e-8, "{}", report.intercept.exp());
    assert!((report.coefficients[0] / 3.8604055871 - 1.0).abs() <= 1e-8, "{}", report.coefficients[0]);
    // the certified residual sum of squares
    assert!((6.0 * report.loss / 4.3173084083e-3 - 1.0).abs() <= 1e-8);
}

/// Features and labels of the 401(k) data, with the squares of match rate, age and log employment beside them.
fn participation() -> (Vec<[f64; 7]>, Vec<f64>) {
    let text = include_str!("../../../agglio-cli/data/k401k.csv");
    let numbers = |line: &str| line.split(',').map(|cell| cell.parse::<f64>().unwrap()).collect::<Vec<_>>();
    let rows = text.lines().skip(1).map(numbers);
    rows.map(|r| ([r[0], r[1], r[2], r[3], r[0] * r[0], r[1] * r[1], r[2] * r[2]], r[4])).unzip()
}

fn table(x: &[[f64; 7]], y: &[f64]) -> Dense {
    Dense::new(x.iter().flatten().copied().collect(), 7, y.to_vec()).unwrap()
}

fn shuffled<T: Copy>(items: &[T], key: u64) -> Vec<T> {
    let order = Permutation::new(key, items.len());
    (0..items.len()).map(|i| items[order.at(i)]).collect()
}

/// Units, shifts, and the order of rows and columns change nothing but the names of the numbers; the loss is the best
/// that scipy finds from a hundred starts on scaled features (`golden/participation.py`).
#[test]
fn the_401k_fit_is_the_same_under_every_disguise() {
    let golden: Value = serde_json::from_str(include_str!("golden/participation.json")).unwrap();
    let best = golden["loss"].as_f64().unwrap();
    let (x, y) = participation();
    let plan = Options::new(named("sigmoid").unwrap()).build().unwrap();
    let plain = plan.fit(&table(&x, &y)).unwrap();
    assert_eq!(plain.status(), Status::Converged);
    assert!((plain.loss / best - 1.0).abs() <= 1e-10, "{} {best}", plain.loss);
    for trial in 0..100 {
        let mut random = Random::new(trial, Stream::Noise);
        let scales: [f64; 7] = std::array::from_fn(|_| 10f64.powf(12.0 * random.uniform() - 6.0));
        let shifts: [f64; 7] = std::array::from_fn(|_| 4.0 * random.uniform() - 2.0);
        let columns = shuffled(&[0, 1, 2, 3, 4, 5, 6], trial);
        let moved: Vec<[f64; 7]> = x
            .iter()
            .map(|x| std::array::from_fn(|k| scales[columns[k]] * (x[columns[k]] + shifts[columns[k]])))
            .collect();
        let report = plan.fit(&table(&shuffled(&moved, trial), &shuffled(&y, trial))).unwrap();
        assert!((report.loss / plain.loss - 1.0).abs() <= 1e-10, "trial {trial}: {} {}", report.loss, plain.loss);
        for (k, &j) in columns.iter().enumerate() {
            let back = report.coefficients[k] * scales[j];
            assert!(
                (back / plain.coefficients[j] - 1.0).abs() <= 1e-8,
                "trial {trial}: {back} {}",
                plain.coefficients[j]
            );
        }
    }
}
