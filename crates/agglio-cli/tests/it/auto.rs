//! The default solver and its certificate, as the program tells of them.

use serde_json::Value;

use crate::{Folder, assert_close, mean_square, number};

/// Labels 0 and 1 that a line separates.
fn separable() -> String {
    let rows = (0..40).map(|i| f64::from(i) * 0.37 % 2.0 - 1.0).zip((0..40).map(|i| f64::from(i) * 0.71 % 2.0 - 1.0));
    let line = |(a, b): (f64, f64)| format!("{a},{b},{}\n", u8::from(a + 0.5 * b > 0.0));
    "a,b,y\n".chars().chain(rows.map(line).collect::<String>().chars()).collect()
}

/// `data.csv` with its first column once more.
fn doubled(folder: &Folder) {
    let double = |line: &str| format!("{},{line}\n", line.split(',').next().unwrap().replace("x1", "again"));
    folder.write("twice.csv", &folder.read("data.csv").lines().map(double).collect::<String>());
}

#[test]
fn exit_is_0_if_and_only_if_certified() {
    let folder = Folder::with_data();
    folder.write("separable.csv", &separable());
    folder.write("flat.csv", "a,y\n1,1\n2,1\n3,1\n4,1\n");
    doubled(&folder);
    for (words, certified) in [
        ("data.csv", true),
        ("data.csv --noise pre", true),
        ("data.csv --solver gd", true),
        ("data.csv --solver gd --epochs 3", false),
        ("data.csv --solver sgd:epochs=5", false),
        ("separable.csv", false),
        ("separable.csv --solver lm", false),
        ("flat.csv", false),
        ("twice.csv", false),
        ("twice.csv --solver nesterov", false),
    ] {
        let run = folder.run(&format!("fit {words} --target y --format json"));
        let fit: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(
            (&fit["certified"], run.code),
            (&Value::Bool(certified), Some(if certified { 0 } else { 3 })),
            "{fit}"
        );
        assert!(!certified || fit["status"] == "converged", "{words}: {fit}");
    }
}

#[test]
fn the_certificate_has_numbers_that_hold() {
    let folder = Folder::with_data();
    let fit = folder.fit("data.csv --target y");
    let certificate = &fit["certificate"];
    assert!(certificate["verdict"].as_str().unwrap().contains("global minimum"), "{certificate}");
    assert!(number(&certificate["relative_gradient"]) <= 1e-10, "{certificate}");
    let eigenvalue = number(&certificate["smallest_eigenvalue"]);
    assert!(eigenvalue > 0.0 && eigenvalue <= 1.0, "{certificate}");
    assert_eq!([&certificate["curvature_rows"], &certificate["saturated"]].map(number), [300.0, 0.0]);
    // the best constant is the mean
    let labels = crate::Numbers::parse(&folder.read("data.csv")).column("y");
    let mean = labels.iter().sum::<f64>() / 300.0;
    assert_close(number(&certificate["baseline_loss"]), mean_square(&vec![mean; 300], &labels), 1e-12);
    assert!(certificate["restarts"].is_null() && certificate["agreed"].is_null(), "{certificate}");
}

#[test]
fn an_optimum_at_infinity_is_diverging_with_finite_numbers() {
    let folder = Folder::with(&[("d.csv", &separable())]);
    let run = folder.run("fit d.csv --target y --format json");
    let fit: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, fit["status"].as_str()), (Some(3), Some("diverging")), "{fit}");
    let coefficients = fit["coefficients"].as_object().unwrap();
    assert!(coefficients.values().chain([&fit["intercept"], &fit["loss"]]).all(Value::is_f64), "{fit}");
    assert!(fit["certificate"]["verdict"].as_str().unwrap().contains("no finite optimum"), "{fit}");
    let table = folder.run("fit d.csv --target y").stdout;
    assert!(table.lines().any(|line| line.split_whitespace().eq(["status", "diverging"])), "{table}");
    assert!(table.contains("penalty (l2)"), "{table}");
    // a bound on the coefficients brings the optimum back
    assert_eq!(folder.fit("d.csv --target y --l2 0.01")["status"], "converged");
}

#[test]
fn columns_that_are_the_same_are_named() {
    let folder = Folder::with_data();
    doubled(&folder);
    let run = folder.run("fit twice.csv --target y --format json");
    let fit: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, fit["status"].as_str()), (Some(3), Some("not identified")), "{fit}");
    assert!(run.stderr.contains("warning: `again` and `x1` are collinear"), "{}", run.stderr);
    let once = folder.fit("data.csv --target y");
    assert_close(number(&fit["loss"]), number(&once["loss"]), 1e-12);
    // least norm gives each of the two a half
    let half = 0.5 * number(&once["coefficients"]["x1"]);
    for name in ["again", "x1"] {
        assert_close(number(&fit["coefficients"][name]), half, 1e-8);
    }
}

#[test]
fn a_start_is_named_as_ignored() {
    let folder = Folder::with_data();
    let none = folder.fit("data.csv --target y");
    for (words, ignored) in
        [("--init random", "random"), ("--init random:100 --seed 4", "random:100"), ("--solver auto:init=zero", "zero")]
    {
        let run = folder.run(&format!("fit data.csv --target y --format json {words}"));
        assert_eq!(run.stderr, format!("warning: --init {ignored} is ignored: solver `auto` needs no start\n"));
        let fit: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!((&fit["coefficients"], &fit["loss"]), (&none["coefficients"], &none["loss"]));
    }
    assert_eq!(folder.run("fit data.csv --target y --solver lm --init random").stderr, "");
}

#[test]
fn restarts_say_how_many_agreed() {
    let folder = Folder::with_data();
    let five = folder.fit("data.csv --target y --restarts 5");
    assert_eq!([&five["certificate"]["restarts"], &five["certificate"]["agreed"]].map(number), [5.0, 5.0]);
    // the verdict may break anywhere between two words
    let table = folder.run("fit data.csv --target y --restarts 5").stdout;
    let words = table.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("5 of 5 fits from other starts reached"), "{table}");
    let auto = folder.fit("data.csv --target y --restarts auto");
    assert!(number(&auto["certificate"]["restarts"]) >= 8.0, "{auto}");
    let many = folder.fit("data.csv --target y --solver multistart");
    assert_eq!(number(&many["certificate"]["restarts"]), 9.0);
    assert!(folder.fit("data.csv --target y --restarts 0")["certificate"]["restarts"].is_null());
}

#[test]
fn a_penalty_shrinks_and_is_not_part_of_the_loss() {
    let folder = Folder::with_data();
    let data = crate::Numbers::parse(&folder.read("data.csv"));
    let norm = |l2: f64| {
        let fit = folder.fit(&format!("data.csv --target y --noise post --l2 {l2}"));
        let fitted: Vec<f64> = data.predictors(&fit).into_iter().map(crate::sigmoid).collect();
        assert_close(number(&fit["loss"]), mean_square(&fitted, &data.column("y")), 1e-12);
        assert_eq!(fit["certified"], true, "{fit}");
        fit["coefficients"].as_object().unwrap().values().map(|w| number(w).powi(2)).sum::<f64>().sqrt()
    };
    let norms = [0.0, 0.001, 0.1, 10.0].map(norm);
    assert!(norms.is_sorted_by(|a, b| a > b), "{norms:?}");
}

#[test]
fn every_solver_runs_and_agrees() {
    let folder = Folder::with_data();
    let best = number(&folder.fit("data.csv --target y --noise post")["loss"]);
    for solver in "gd svrg saga momentum nesterov lbfgs newton newton-cg lm multistart".split(' ') {
        let fit = folder.fit(&format!("data.csv --target y --solver {solver}"));
        assert_eq!((fit["solver"].as_str(), &fit["certified"]), (Some(solver), &Value::Bool(true)), "{fit}");
        assert_close(number(&fit["loss"]), best, 1e-10);
    }
    for solver in ["sgd", "adam", "yogi"] {
        assert_close(number(&folder.fit(&format!("data.csv --target y --solver {solver}"))["loss"]), best, 1e-3);
    }
}
