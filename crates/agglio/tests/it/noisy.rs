//! Noisy data: every variant, and every exact solver, ends at the least-squares optimum that scipy finds, measured in standard errors.

use agglio::Start;
use agglio::simulate::{LabelNoise, Shape};
use serde_json::Value;

use crate::bank::{self, Variant};

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

/// n = 1000, d = 20, noise .05 after the activation; `golden/noisy_fits.py` made the optimum and its standard errors.
#[test]
fn every_variant_and_exact_solver_ends_within_a_twentieth_of_a_standard_error() {
    let golden: Value = serde_json::from_str(include_str!("golden/noisy_fits.json")).unwrap();
    for case in golden.as_array().unwrap() {
        let (activation, seed) = (case["activation"].as_str().unwrap(), case["seed"].as_u64().unwrap());
        let data = bank::paper(activation, 1000, 20, LabelNoise::Post(0.05, Shape::Gauss), seed);
        // the file was made from the same data
        assert!((data.labels.iter().sum::<f64>() - case["label_sum"].as_f64().unwrap()).abs() <= 1e-9);
        let (optimum, errors) = (numbers(&case["coefficients"]), numbers(&case["standard_errors"]));
        let rows = bank::rows(&data);
        // the others need not end at least squares, or not so near
        let exact = bank::exact(activation).map(|solver| Variant { solver, batch: None });
        for variant in bank::variants().into_iter().chain(exact.filter(|variant| !variant.solver.is_graduated())) {
            let report = variant.options(activation, Start::Zero, seed).build().unwrap().fit(&rows).unwrap();
            for ((found, best), error) in report.coefficients.iter().zip(&optimum).zip(&errors) {
                let off = (found - best).abs() / error;
                assert!(off <= 0.05, "{activation}, {variant:?}, seed {seed}: {off} standard errors off");
            }
            let excess = report.loss / case["loss"].as_f64().unwrap() - 1.0;
            assert!(excess.abs() <= 1e-4, "{activation}, {variant:?}: excess loss {excess:e}");
        }
    }
}
