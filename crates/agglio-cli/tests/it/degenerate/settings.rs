//! Settings that are odd: steps, tolerances, balls, threads and starts.

use super::{
    Answer, Label, ROWS, Row, every, fit, fitted, folder, lowest, plain, refused, solved, solvers, stepping, table,
};
use crate::number;

/// Steps that are too long are seen to be, and the advice is to leave their length alone.
#[test]
fn steps_that_are_too_long() {
    let labels: [(&str, Label); 4] = [
        ("sigmoid", Row::y),
        ("identity", |row| row.z + row.noise),
        ("softplus", Row::softplus),
        ("exp", |row| row.z.exp() + row.noise),
    ];
    for (activation, label) in labels {
        let folder = folder(&table("a,b,y", ROWS, |row| vec![row.a, row.b, label(row)]));
        for (solver, eta) in stepping().flat_map(|solver| ["1e6", "1e300"].map(|eta| (solver, eta))) {
            let run = fitted(&folder, &format!("--activation {activation} --solver {solver} --eta {eta}"));
            assert_eq!(run.status(), "diverging", "{activation} {solver} {eta}: {}", run.json);
            assert!(run.warns("too long") && run.warns("leave eta out"), "{activation} {solver} {eta}: {}", run.json);
        }
        for (solver, eta) in ["adam", "yogi"].iter().flat_map(|s| ["1e6", "1e300"].map(|eta| (s, eta))) {
            let bounded = fit(&folder, &format!("--activation {activation} --solver {solver} --eta {eta}"));
            assert_eq!(matches!(bounded, Answer::Refused(_)), activation == "exp", "{activation} {solver} {eta}");
        }
        let short = fitted(&folder, &format!("--activation {activation} --solver gd --eta 1e-300"));
        assert!(short.code == 3 && !short.warns("too long"), "{}", short.json);
    }
}

#[test]
fn settings_at_the_edge_of_what_they_may_be() {
    let loss = lowest(&plain(), "");
    every(&plain(), "--tol 0", |solver, fit| solved(solver, fit, loss));
    every(&plain(), "--epochs 0", |solver, fit| {
        let at_start = fit.coefficient("a") == 0.0 && number(&fit.json["intercept"]) == 0.0;
        // irls has made its rounds on the matching loss before, which is why it does not take a start either
        fit.status() == "iteration limit" && (at_start || ["auto", "multistart", "irls"].contains(&solver))
    });
    for solver in solvers().filter(|&solver| solver != "irls") {
        let far = fitted(&folder(&plain()), &format!("--solver {solver} --init random:1e200"));
        assert_eq!(far.code == 0, ["auto", "multistart"].contains(&solver), "{solver}: {}", far.json);
    }
    every(&plain(), "--tau-max 1e-300", |_, fit| number(&fit.json["tau"]) == 1e-300);
    let folder = folder(&plain());
    for solver in solvers() {
        for words in ["--radius 1e-300", "--radius 1e300", "--l2 1e300", "--l2 1e-300", "--batch 1000"] {
            match fit(&folder, &format!("--solver {solver} {words}")) {
                Answer::Refused(why) => assert!(why.contains("does not take"), "{solver} {words}: {why}"),
                Answer::Fitted(fit) if words == "--batch 1000" => assert!(fit.warns("larger than the data (40 rows)")),
                Answer::Fitted(_) => {}
            }
        }
    }
}

#[test]
fn settings_beyond_what_they_may_be() {
    let refuse = |words: &str, pieces: &[&str]| refused(&folder(&plain()), words, pieces);
    refuse("--solver gd --beta 1", &["beta is 1"]);
    refuse("--solver gd --beta inf", &["beta is inf"]);
    refuse("--solver gd --beta NaN", &["beta is NaN"]);
    refuse("--solver gd --tau0 0.5 --tau-max 0.25", &["tau0 is 0.5", "at most 0.25"]);
    refuse("--solver gd --tau0 NaN", &["tau0 is NaN"]);
    refuse("--tau-max NaN", &["tau-max is NaN"]);
    refuse("--solver gd --eta inf", &["eta is inf"]);
    refuse("--solver gd --eta -1", &["eta is -1"]);
    refuse("--tol NaN", &["tol is NaN"]);
    refuse("--radius NaN", &["radius is NaN"]);
    refuse("--radius inf", &["radius is inf"]);
    refuse("--l2 inf", &["l2 is inf"]);
    refuse("--init random:inf", &["init is random:inf"]);
    refuse("--restarts 3 --tau-max 0", &["restarts", "last temperature of 0"]);
    refuse("--restarts 3 --noise pre", &["restarts", "last temperature of 0"]);
}

/// Beyond a thousand rows the threads share them.
#[test]
fn many_rows_are_no_other_matter() {
    let many = |cells: fn(&Row) -> Vec<f64>| table("a,b,c,y", 2500, cells);
    let copy = many(|row| vec![row.a, row.b, row.a, row.y()]);
    every(&copy, "--epochs 200", |_, fit| fit.code == 3);
    let separable = many(|row| vec![row.a, row.b, 0.0, f64::from(u8::from(row.z > 0.0))]);
    every(&separable, "--epochs 200", |_, fit| fit.code == 3);
    let sizes = many(|row| vec![1e200 * row.a, 1e-200 * row.b, 1e300, row.y()]);
    every(&sizes, "--epochs 200", |_, fit| fit.coefficient("c") == 0.0 && fit.loss() <= 1e-3);
}

#[test]
fn threads_that_are_none_or_too_many() {
    let folder = folder(&table("a,b,y", 2500, |row| vec![row.a, row.b, row.y()]));
    let run = |threads: &str| folder.run(&format!("fit data.csv --target y --threads {threads}"));
    let (many, none) = (run("10000"), run("0"));
    assert_eq!(many.code, Some(0), "{}", many.stderr);
    assert!(many.stderr.contains("10000 threads are too many; 1024 threads are used"), "{}", many.stderr);
    assert!(none.code == Some(2) && none.stderr.contains("threads is 0"), "{}", none.stderr);
}

#[test]
fn starts_that_are_none() {
    let folder = folder(&plain());
    folder.write("short.json", r#"{"coefficients": {"a": 1}}"#);
    folder.write("long.json", r#"{"coefficients": {"a": 1, "b": 2, "c": 3}}"#);
    folder.write("text.json", r#"{"coefficients": {"a": 1, "b": "NaN"}}"#);
    folder.write("nan.json", r#"{"coefficients": {"a": 1, "b": NaN}}"#);
    folder.write("huge.json", r#"{"coefficients": {"a": 1, "b": 1e400}}"#);
    folder.write("far.json", r#"{"intercept": -1e250, "coefficients": {"a": 1e250, "b": -1e250}}"#);
    folder.write("farther.json", r#"{"intercept": -1e300, "coefficients": {"a": 1e300, "b": -1e300}}"#);
    for solver in solvers().filter(|solver| !["auto", "irls"].contains(solver)) {
        let init = |file: &str| format!("--solver {solver} --init {file}");
        refused(&folder, &init("short.json"), &["no coefficient for the covariate `b`"]);
        refused(&folder, &init("long.json"), &["a coefficient for `c`, which is not a covariate"]);
        refused(&folder, &init("text.json"), &["not a coefficients file: the coefficient of `b`"]);
        refused(&folder, &init("nan.json"), &["not a coefficients file"]);
        refused(&folder, &init("huge.json"), &["not a coefficients file"]);
        fitted(&folder, &init("far.json"));
        refused(&folder, &init("farther.json"), &["of the start is too large"]);
    }
}
