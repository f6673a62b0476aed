//! Terms on their way from the command line to the model file and back.

use serde_json::Value;

use crate::{Folder, assert_close, number};

/// Rows with a column and its logarithm, to 17 digits.
fn doses() -> Folder {
    let line = |i: usize| {
        let (dose, age) = (0.05 * 1.21_f64.powi(i as i32), ((i * 37) % 17) as f64);
        let y = 0.9 / (1.0 + (0.4 - 1.2 * dose.ln() + 0.05 * age).exp()) + 0.01 * ((i * 7) % 5) as f64;
        format!("{dose:e},{:e},{age},{:e},{y:e}\n", dose.ln(), dose.ln() * age)
    };
    let text = (0..40).fold("dose,ld,age,product,y\n".to_owned(), |text, i| text + &line(i));
    Folder::with(&[("d.csv", text.as_str())])
}

fn coefficients(fit: &Value) -> Vec<(String, f64)> {
    fit["coefficients"].as_object().unwrap().iter().map(|(name, w)| (name.clone(), number(w))).collect()
}

#[test]
fn terms_are_fitted_as_the_columns_that_they_stand_for() {
    let folder = doses();
    let columns = folder.fit("d.csv --target y --features ld,age,product");
    for words in [
        "d.csv --target y --features log(dose),age,log(dose):age",
        "d.csv --target y --features log(dose)*age",
        "d.csv --formula y~log(dose)*age",
        "d.csv --formula y~.+log(dose):age-ld-product-dose+log(dose)",
    ] {
        let fit = folder.fit(words);
        assert_close(number(&fit["loss"]), number(&columns["loss"]), 1e-12);
        let mut terms: Vec<f64> = coefficients(&fit).into_iter().map(|(_, w)| w).collect();
        let mut expected: Vec<f64> = coefficients(&columns).into_iter().map(|(_, w)| w).collect();
        terms.sort_by(f64::total_cmp);
        expected.sort_by(f64::total_cmp);
        assert_eq!(terms.len(), expected.len(), "{words}");
        terms.iter().zip(&expected).for_each(|(found, expected)| assert_close(*found, *expected, 1e-9));
    }
    let without = folder.fit("d.csv --formula y~ld-1");
    assert_eq!(without["coefficients"], folder.fit("d.csv --target y --features ld --no-intercept")["coefficients"]);
    let offset = folder.fit("d.csv --formula y~age+offset(log(dose))");
    assert_eq!(offset["coefficients"], folder.fit("d.csv --target y --features age --offset ld")["coefficients"]);
}

#[test]
fn models_with_terms_predict_and_score_from_columns() {
    let folder = doses();
    folder.fit("d.csv --formula y~log(dose):age+sqrt(dose)+offset(log(dose)) --model t.json");
    let score: Value = serde_json::from_str(&folder.run("score t.json d.csv --format json").stdout).unwrap();
    let fit = folder.fit("d.csv --formula y~log(dose):age+sqrt(dose)+offset(log(dose))");
    assert!((number(&score["loss"]) - number(&fit["loss"])).abs() < 1e-15);
    // only the columns that the terms need, in another order
    folder.write("p.csv", "age,name,dose\n3,Ada,2\n4,Bob,0.5\n");
    let run = folder.run("predict t.json p.csv");
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 3), "{}", run.stderr);
    folder.write("p.csv", "age,d0se\n3,2\n");
    let run = folder.run("predict t.json p.csv");
    assert!(run.stderr.contains("no column is called `dose`; did you mean `d0se`?"), "{}", run.stderr);
}

#[test]
fn a_dose_of_zero_is_predicted_by_the_asymptote() {
    let folder = doses();
    folder.fit("d.csv --formula y~log(dose) --model t.json");
    folder.write("p.csv", "dose\n0\n");
    assert_eq!(folder.run("predict t.json p.csv").stdout.lines().nth(1), Some("0.0000000000000000"));
}

#[test]
fn the_exact_header_wins_in_predictions_too() {
    let folder = Folder::with(&[("d.csv", "log(x),y\n1,.2\n2,.3\n3,.6\n4,.7\n"), ("p.csv", "x,log(x)\n5,2\n7,3\n")]);
    folder.fit("d.csv --target y --model m.json");
    let (own, other) = (folder.run("predict m.json d.csv"), folder.run("predict m.json p.csv"));
    let lines = |run: &crate::Run| run.stdout.lines().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(lines(&own)[2..4], lines(&other)[1..3]);
    // a file with x only is read by the term
    folder.write("q.csv", "x\n7.38905609893065\n");
    let term = folder.run("predict m.json q.csv");
    assert_eq!(lines(&term)[1][..12], lines(&own)[2][..12]);
}

#[test]
fn files_without_a_header_have_terms_of_numbers() {
    let folder = Folder::with(&[("d.csv", "1,.2\n2,.3\n4,.6\n8,.7\n")]);
    folder.fit("d.csv --no-header --target 2 --features log(1) --model m.json");
    assert_eq!(folder.run("predict m.json d.csv --no-header").code, Some(0));
    folder.write("p.csv", "3\n");
    let run = folder.run("predict m.json p.csv --no-header");
    assert!(run.stderr.contains("was fitted to 2 columns"), "{}", run.stderr);
}

#[test]
fn a_model_of_an_offset_is_printed_saved_and_used() {
    let folder = doses();
    let fit = folder.fit("d.csv --formula y~1+offset(log(dose)) --model c.json");
    assert_eq!(coefficients(&fit), []);
    let run = folder.run("fit d.csv --formula y~1+offset(log(dose))");
    assert!(run.stdout.starts_with("column") && run.stdout.contains("(intercept)"), "{}", run.stdout);
    folder.write("p.csv", "dose\n1\n2\n");
    let run = folder.run("predict c.json p.csv");
    let first: f64 = run.stdout.lines().nth(1).unwrap().parse().unwrap();
    assert!((first - crate::sigmoid(number(&fit["intercept"]))).abs() < 1e-15);
    let run = folder.run("compare d.csv --formula y~1+offset(log(dose)) --solvers auto,lm,gd,lbfgs,newton-cg,adam");
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let run = folder.run("tune d.csv --formula y~1+offset(log(dose)) --solver gd --grid eta=1,2");
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let run = folder.run("fit d.csv --target y --features age --drop age");
    assert_eq!(run.code, Some(2));
}
