//! Models without covariates: an intercept and an offset.

use std::sync::Arc;

use agglio::activation::{NAMES, named};
use agglio::model::{Centre, Model, Origin};
use agglio::rows::{Dense, Rows};
use agglio::table::{Formula, Table};
use agglio::{Options, Solver};
use serde_json::Value;

/// A sample of scipy's own fits; see `golden/constant.py`.
fn golden() -> Value {
    serde_json::from_str(include_str!("golden/constant.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn table(case: &Value) -> Table {
    let (x, y) = (numbers(&case["x"]), numbers(&case["y"]));
    Formula::parse("y ~ 1 + offset(log(x))").unwrap().table(&[("x", &x), ("y", &y)]).unwrap()
}

#[test]
fn an_intercept_and_an_offset_are_fitted_as_by_scipy() {
    for case in golden().as_array().unwrap() {
        let activation = case["activation"].as_str().unwrap();
        let table = table(case);
        assert_eq!((table.names.len(), table.values.len(), table.rows), (0, 0, 60));
        let rows = table.into_rows().unwrap();
        let fitted = Options::new(named(activation).unwrap()).build().unwrap().fit(&rows).unwrap();
        let expected = case["intercept"].as_f64().unwrap();
        assert!(
            (fitted.intercept - expected).abs() < 1e-7 * (1.0 + expected.abs()),
            "{activation}: {}",
            fitted.intercept
        );
        let loss = case["loss"].as_f64().unwrap();
        assert!((fitted.loss - loss).abs() < 1e-12 * (1.0 + loss), "{activation}: {} {loss}", fitted.loss);
        assert!(fitted.coefficients.is_empty());
        assert!(fitted.certificate.certified(), "{activation}: {:?}", fitted.status());
        let predictions = fitted.predict(&rows, Centre::Mean).unwrap();
        assert!((predictions[7] - case["prediction"].as_f64().unwrap()).abs() < 1e-7);
    }
}

#[test]
fn every_solver_reaches_the_intercept() {
    let golden = golden();
    for solver in Solver::ALL.into_iter().filter(|&solver| solver != Solver::Theory && solver != Solver::Linear) {
        for activation in NAMES {
            let case = golden.as_array().unwrap().iter().find(|case| case["activation"] == *activation);
            let Some(case) = case else { continue };
            let rows = table(case).into_rows().unwrap();
            let Ok(plan) = Options::new(named(activation).unwrap()).solver(solver).build() else { continue };
            let fitted = plan.fit(&rows).unwrap();
            assert!(fitted.intercept.is_finite(), "{solver} {activation}");
            let loss = case["loss"].as_f64().unwrap();
            if fitted.certificate.certified() {
                assert!(fitted.loss < loss * (1.0 + 1e-6) + 1e-12, "{solver} {activation}: {} {loss}", fitted.loss);
            }
        }
    }
}

#[test]
fn many_rows_without_covariates_do_not_depend_on_threads() {
    let n = 5000;
    let offsets: Vec<f64> = (0..n).map(|i| f64::from(i % 97) / 20.0 - 2.0).collect();
    let labels: Vec<f64> = offsets.iter().map(|t| 1.0 / (1.0 + (0.3 - t).exp())).collect();
    let rows = Dense::new(Vec::new(), 0, labels).unwrap().with_offsets(offsets).unwrap();
    assert_eq!((rows.len(), rows.width()), (n as usize, 0));
    let fit = |threads| {
        let plan = Options::new(named("sigmoid").unwrap()).threads(threads).build().unwrap();
        plan.fit(&rows).unwrap().intercept
    };
    assert!((fit(1) + 0.3).abs() < 1e-9);
    assert_eq!(fit(1).to_bits(), fit(2).to_bits());
}

#[test]
fn without_covariates_and_intercept_there_is_nothing_to_fit() {
    let rows = Dense::new(Vec::new(), 0, vec![0.1, 0.2, 0.3]).unwrap();
    let plan = Options::new(named("sigmoid").unwrap()).intercept(false).build().unwrap();
    let error = plan.fit(&rows).unwrap_err().to_string();
    assert!(error.contains("neither a covariate nor an intercept"), "{error}");
}

#[test]
fn a_model_without_covariates_is_saved_and_predicts() {
    let golden = golden();
    let case = &golden[0];
    let (table, phi) = (table(case), named("sigmoid").unwrap());
    let offsets = table.offsets.clone();
    let report =
        Options::new(Arc::clone(&phi)).build().unwrap().fit(&table.into_rows().unwrap()).unwrap().into_report();
    let origin = Origin {
        activation: "sigmoid",
        solver: "auto",
        target: "y",
        offset: Some("log(x)"),
        columns: None,
        names: &[],
    };
    let model = Model::new(&report, &origin).unwrap();
    let again = Model::from_json(&model.to_json(), std::path::Path::new("m.json")).unwrap();
    assert_eq!(again.offset(), Some("log(x)"));
    let predictions = again.predict(&[], offsets.as_deref(), Centre::Mean);
    assert_eq!(predictions.len(), 60);
    assert!((predictions[7] - case["prediction"].as_f64().unwrap()).abs() < 1e-7);
}
