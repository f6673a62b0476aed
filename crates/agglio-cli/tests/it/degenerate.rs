//! Data and parameters that break fits: whatever is asked of whichever solver, there is an answer in finite numbers that
//! says what it is worth, the same on any number of threads, or a refusal that says what to do.

use std::fmt::Write;

use serde_json::Value;

use crate::{Folder, number};

const SOLVERS: [&str; 14] = [
    "auto",
    "gd",
    "sgd",
    "svrg",
    "saga",
    "momentum",
    "nesterov",
    "adam",
    "yogi",
    "lbfgs",
    "newton",
    "newton-cg",
    "lm",
    "multistart",
];

/// Solvers that close in on a minimum to the last digit; the others may run into their limit.
const EXACT: [&str; 11] =
    ["auto", "gd", "svrg", "saga", "momentum", "nesterov", "lbfgs", "newton", "newton-cg", "lm", "multistart"];

/// Solvers whose steps have a length that can be too long; Adam and Yogi bound theirs.
const STEPPING: [&str; 6] = ["gd", "sgd", "svrg", "saga", "momentum", "nesterov"];

const STATUSES: [&str; 5] = ["converged", "plateau", "diverging", "not identified", "iteration limit"];

/// Rows of an ordinary problem: a, b, noise e and z = 0.7a − 0.4b + 0.2.
const ROWS: usize = 40;

/// A number in (−1, 1) that looks drawn.
fn drawn(i: usize, column: usize) -> f64 {
    let wave = (i as f64 + 1.0) * (12.9898 + 7.31 * column as f64);
    2.0 * (wave.sin() * 43758.5453).rem_euclid(1.0) - 1.0
}

struct Row {
    i: usize,
    a: f64,
    b: f64,
    z: f64,
    noise: f64,
}

fn sigmoid(z: f64) -> f64 {
    crate::sigmoid(z)
}

impl Row {
    fn at(i: usize) -> Row {
        let (a, b) = (2.0 * drawn(i, 0), 2.0 * drawn(i, 1));
        Row { i, a, b, z: 0.7 * a - 0.4 * b + 0.2, noise: 0.03 * drawn(i, 2) }
    }

    /// A label through a sigmoid, inside its range.
    fn y(&self) -> f64 {
        sigmoid(self.z) + self.noise
    }

    fn softplus(&self) -> f64 {
        self.z.exp().ln_1p() + 0.1 + self.noise
    }
}

/// A label for each row.
type Label = fn(&Row) -> f64;

/// A table of [`ROWS`] rows, or of as many as asked for.
fn table(header: &str, rows: usize, cells: impl Fn(&Row) -> Vec<f64>) -> String {
    let mut text = format!("{header}\n");
    for i in 0..rows {
        let cells = cells(&Row::at(i)).iter().map(|x| format!("{x:e}")).collect::<Vec<_>>().join(",");
        writeln!(text, "{cells}").unwrap();
    }
    text
}

/// What came of a fit.
enum Answer {
    Refused(String),
    Fitted(Box<Fitted>),
}

struct Fitted {
    code: i32,
    json: Value,
}

impl Fitted {
    fn status(&self) -> &str {
        self.json["status"].as_str().unwrap()
    }

    fn loss(&self) -> f64 {
        number(&self.json["loss"])
    }

    fn coefficient(&self, name: &str) -> f64 {
        number(&self.json["coefficients"][name])
    }

    fn warns(&self, word: &str) -> bool {
        self.json["warnings"].as_array().unwrap().iter().any(|warning| warning.as_str().unwrap().contains(word))
    }
}

/// Fits `data.csv`; whatever comes of it must be one of the answers that there are.
#[track_caller]
fn fit(folder: &Folder, words: &str) -> Answer {
    let words = format!("fit data.csv --target y --format json {words}");
    let [one, two] = ["1", "2"].map(|threads| folder.run(&format!("{words} --threads {threads}")));
    assert!(!one.stderr.contains("panicked"), "{words}: {}", one.stderr);
    assert_eq!(one.code, two.code, "{words}");
    let Some(code @ (0 | 3)) = one.code else {
        assert_eq!(one.code, Some(2), "{words}: {}", one.stderr);
        assert!(one.stderr.starts_with("error: ") && one.stdout.is_empty(), "{words}: {}", one.stderr);
        return Answer::Refused(one.stderr);
    };
    let [json, again] = [one, two].map(|run| serde_json::from_str::<Value>(&run.stdout).unwrap());
    for key in ["intercept", "coefficients", "tau", "loss", "status", "certificate", "passes", "warnings"] {
        assert_eq!(json[key], again[key], "{words}: {key}");
    }
    let fitted = Fitted { code, json };
    fitted.check(&words);
    Answer::Fitted(Box::new(fitted))
}

impl Fitted {
    #[track_caller]
    fn check(&self, words: &str) {
        let json = &self.json;
        let coefficients = json["coefficients"].as_object().unwrap().values();
        let finite = coefficients.chain([&json["intercept"], &json["tau"]]).all(Value::is_number);
        assert!(finite, "{words}: {json}");
        assert!(json["loss"].is_number() || self.status() == "diverging", "{words}: {json}");
        assert!(STATUSES.contains(&self.status()), "{words}: {json}");
        assert_eq!(self.code == 0, json["certified"] == true, "{words}");
        assert!(self.code == 3 || self.status() == "converged", "{words}");
    }
}

/// A fit that must be one.
#[track_caller]
fn fitted(folder: &Folder, words: &str) -> Box<Fitted> {
    match fit(folder, words) {
        Answer::Fitted(fitted) => fitted,
        Answer::Refused(why) => panic!("{words}: {why}"),
    }
}

/// A fit that must be refused, in these words.
#[track_caller]
fn refused(folder: &Folder, words: &str, pieces: &[&str]) {
    match fit(folder, words) {
        Answer::Fitted(fitted) => panic!("{words}: {}", fitted.json),
        Answer::Refused(why) => assert!(pieces.iter().all(|piece| why.contains(piece)), "{words}: {why}"),
    }
}

fn folder(table: &str) -> Folder {
    Folder::with(&[("data.csv", table)])
}

/// Fits a table by every solver, with more words; each must satisfy `expected`.
#[track_caller]
fn every(table: &str, words: &str, expected: impl Fn(&str, &Fitted) -> bool) {
    let folder = folder(table);
    for solver in SOLVERS {
        let fitted = fitted(&folder, &format!("--solver {solver} {words}"));
        assert!(expected(solver, &fitted), "{solver} {words}: {}", fitted.json);
    }
}

/// Every solver must refuse a table in these words.
#[track_caller]
fn none(table: &str, words: &str, pieces: &[&str]) {
    let folder = folder(table);
    for solver in SOLVERS {
        refused(&folder, &format!("--solver {solver} {words}"), pieces);
    }
}

/// Whether the fit has the loss that it should: certified, or by a solver that may run into its limit, nearly.
fn solved(solver: &str, fitted: &Fitted, loss: f64) -> bool {
    let off = (fitted.loss() / loss - 1.0).abs();
    match EXACT.contains(&solver) {
        true => fitted.code == 0 && off <= 1e-6,
        false => ["converged", "iteration limit"].contains(&fitted.status()) && off <= 1e-2,
    }
}

/// The loss of an ordinary fit of this table, as solver `auto` finds it.
fn lowest(table: &str, words: &str) -> f64 {
    fitted(&folder(table), words).loss()
}

fn plain() -> String {
    table("a,b,y", ROWS, |row| vec![row.a, row.b, row.y()])
}

#[test]
fn labels_that_are_all_the_same() {
    let constant = table("a,b,y", ROWS, |row| vec![row.a, row.b, 0.3]);
    every(&constant, "", |solver, fit| {
        let flat = ["a", "b"].iter().all(|name| fit.coefficient(name).abs() <= 1e-9);
        let exact = if EXACT.contains(&solver) { fit.code == 0 && fit.loss() <= 1e-28 } else { fit.loss() <= 1e-14 };
        fit.warns("every label is 0.3") && flat && exact
    });
    for bound in [1.0, 0.0] {
        let at_bound = table("a,b,y", ROWS, |row| vec![row.a, row.b, bound]);
        every(&at_bound, "", |_, fit| fit.status() == "diverging" && fit.warns("40 of 40 labels"));
    }
    let repeated = table("a,b,y", ROWS, |_| vec![1.5, -2.0, 0.4]);
    every(&repeated, "", |_, fit| fit.loss() <= 1e-14 && fit.coefficient("a") == 0.0 && fit.warns("`a`, `b`"));
}

#[test]
fn one_row_repeated_with_labels_of_its_own() {
    let repeated = table("a,b,y", ROWS, |row| vec![1.5, -2.0, row.y()]);
    let loss = lowest(&repeated, "");
    every(&repeated, "", |solver, fit| {
        solved(solver, fit, loss) && fit.coefficient("b") == 0.0 && fit.warns("`a`, `b`")
    });
}

#[test]
fn labels_that_are_zero_or_one() {
    let separable = table("a,b,y", ROWS, |row| vec![row.a, row.b, f64::from(u8::from(row.z > 0.0))]);
    every(&separable, "", |_, fit| fit.code == 3 && ["diverging", "iteration limit"].contains(&fit.status()));
    let binary = table("a,b,y", ROWS, |row| vec![row.a, row.b, f64::from(u8::from(drawn(row.i, 3) < 0.5 * row.z))]);
    let loss = lowest(&binary, "");
    every(&binary, "", |solver, fit| solved(solver, fit, loss));
}

#[test]
fn columns_that_say_the_same() {
    let copy = table("a,b,c,y", ROWS, |row| vec![row.a, row.b, row.a, row.y()]);
    let sum = table("a,b,c,y", ROWS, |row| vec![row.a, row.b, row.a + row.b, row.y()]);
    for (table, names) in [(copy, "`a`, `c`: 40 rows do not identify"), (sum, "`a`, `b`, `c`: 40 rows")] {
        every(&table, "", |solver, fit| match EXACT.contains(&solver) {
            true => fit.status() == "not identified" && fit.warns(names),
            false => fit.code == 3 && ["not identified", "iteration limit"].contains(&fit.status()),
        });
    }
}

#[test]
fn columns_that_say_nothing() {
    let loss = lowest(&plain(), "");
    for value in [0.0, 3.25, -1e300, 1e-300] {
        let table = table("a,b,c,y", ROWS, |row| vec![row.a, row.b, value, row.y()]);
        every(&table, "", |solver, fit| {
            solved(solver, fit, loss) && fit.coefficient("c") == 0.0 && fit.warns("nothing varies in `c`")
        });
    }
}

#[test]
fn fewer_rows_than_columns() {
    let names: Vec<String> = (1..=20).map(|j| format!("x{j}")).collect();
    let short = table(&format!("{},y", names.join(",")), 6, |row| {
        (0..20).map(|j| drawn(row.i, 10 + j)).chain([row.y()]).collect()
    });
    every(&short, "", |solver, fit| match EXACT.contains(&solver) {
        true => fit.status() == "not identified" && fit.warns("`x12` and 8 more: 6 rows do not identify"),
        false => fit.code == 3,
    });
}

/// Whatever their units, columns are standardised, and the fit is the same one.
#[test]
fn columns_of_every_size() {
    let loss = lowest(&plain(), "");
    let before = fitted(&folder(&plain()), "").coefficient("b");
    for size in [1e-300, 1e-200, 1e-170, 1e-150, 1e150, 1e200, 1e300, 1e307] {
        let table = table("a,b,y", ROWS, |row| vec![row.a, size * row.b, row.y()]);
        every(&table, "", |solver, fit| {
            let off = (fit.coefficient("b") * size / before - 1.0).abs();
            solved(solver, fit, loss) && off <= 1e-2
        });
    }
    let both = table("a,b,y", ROWS, |row| vec![1e250 * row.a, 1e-250 * row.b, row.y()]);
    every(&both, "", |solver, fit| solved(solver, fit, loss));
    let far = table("a,b,y", ROWS, |row| vec![1e300 + 1e294 * row.a, row.b, row.y()]);
    every(&far, "", |solver, fit| solved(solver, fit, loss));
}

#[test]
fn columns_beyond_every_size() {
    for size in [1e-310, 1e-322] {
        let table = table("a,b,y", ROWS, |row| vec![row.a, size * row.b, row.y()]);
        none(&table, "", &["column `b`: its values are so small that its coefficient overflows", "multiply"]);
    }
    let huge = table("a,b,y", ROWS, |row| vec![row.a, 1e200 * row.b, row.y()]);
    none(&huge, "--scaling none", &["column `b`: its values are too large to square", "divide"]);
    let tiny = table("a,b,y", ROWS, |row| vec![row.a, 1e-200 * row.b, row.y()]);
    every(&tiny, "--scaling none", |_, fit| fit.code == 3);
}

#[test]
fn labels_of_every_size() {
    for size in [1e-150, 1e150] {
        let line = table("a,b,y", ROWS, |row| vec![row.a, row.b, size * (row.z + row.noise)]);
        let loss = lowest(&line, "--activation identity");
        let words = "--activation identity";
        every(&line, words, |solver, fit| solved(solver, fit, loss) && fit.loss() <= 1e-3 * size * size);
        let soft = table("a,b,y", ROWS, |row| vec![row.a, row.b, size * row.softplus()]);
        every(&soft, "--activation softplus", |_, _| true);
        every(&soft, "--activation sigmoid", |_, fit| size < 1.0 || fit.code == 3);
        let folder = folder(&soft);
        SOLVERS.iter().for_each(|solver| drop(fit(&folder, &format!("--solver {solver} --activation exp"))));
    }
    for size in [1e-300, 1e-160, 1e160, 1e300, 1e307] {
        let positive = table("a,b,y", ROWS, |row| vec![row.a, row.b, size * row.softplus()]);
        for activation in ["identity", "softplus", "exp", "sigmoid"] {
            none(
                &positive,
                &format!("--activation {activation}"),
                &["the largest label is", "to square", "the target by"],
            );
        }
    }
}

/// Only the ratios of weights count, of whatever size they are.
#[test]
fn weights_of_every_size() {
    let weighted = |size: f64| table("a,b,w,y", ROWS, |row| vec![row.a, row.b, size * (1 + row.i % 3) as f64, row.y()]);
    let loss = lowest(&weighted(1.0), "--weights w");
    for size in [1e-320, 1e-300, 1e-100, 1e100, 1e300, 5e307] {
        let folder = folder(&weighted(size));
        for solver in SOLVERS {
            let run = fitted(&folder, &format!("--solver {solver} --weights w"));
            assert!(solved(solver, &run, loss), "{size:e} {solver}: {}", run.json);
        }
    }
    for enormous in [1e15, 1e300] {
        let one = |row: &Row| if row.i == 7 { enormous } else { 1.0 };
        let table = table("a,b,w,y", ROWS, |row| vec![row.a, row.b, one(row), row.y()]);
        every(&table, "--weights w", |_, _| true);
    }
}

#[test]
fn weights_that_are_none() {
    let weighted = |weight: fn(&Row) -> f64| table("a,b,w,y", ROWS, |row| vec![row.a, row.b, weight(row), row.y()]);
    none(
        &weighted(|row| if row.i == 7 { -1.0 } else { 1.0 }),
        "--weights w",
        &["data.csv:9: column `w`", "is negative"],
    );
    none(&weighted(|_| 0.0), "--weights w", &["all weights are zero"]);
    none(&weighted(|row| if row.i == 7 { 1.0 } else { 0.0 }), "--weights w", &["only 1 row has a weight above zero"]);
    none(&weighted(|row| if row.i == 7 { f64::NAN } else { 1.0 }), "--weights w", &["column `w`", "not finite"]);
    none(&plain(), "--weights v", &["no column is called `v`"]);
    none("a,w,y\n1,1,0.5\n2,0.4\n", "--weights w", &["2 fields where the header has 3"]);
}

#[test]
fn offsets_beyond_the_exponential() {
    let loss = lowest(&plain(), "");
    let with_offset = |offset: fn(&Row) -> f64| table("a,b,o,y", ROWS, |row| vec![row.a, row.b, offset(row), row.y()]);
    for offset in [with_offset(|_| 1e3), with_offset(|_| -1e3)] {
        every(&offset, "--offset o", |solver, fit| match solver {
            // without graduation nothing leads back from where every slope has vanished
            "lbfgs" | "newton" | "newton-cg" | "lm" | "multistart" => fit.code == 3,
            _ => solved(solver, fit, loss),
        });
        every(&offset, "--offset o --activation softplus", |_, _| true);
    }
    let mixed = with_offset(|row| if row.i % 2 == 0 { 1e3 } else { -1e3 });
    // a few rows brought back from either side may be a minimum of their own
    every(&mixed, "--offset o", |_, fit| fit.loss() <= 1.0);
    for solver in SOLVERS {
        fit(&folder(&mixed), &format!("--offset o --activation exp --solver {solver}"));
    }
    none(&with_offset(|_| 1e300), "--offset o", &["the largest offset is 1e300", "too large to square"]);
}

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
        for (solver, eta) in STEPPING.iter().flat_map(|solver| ["1e6", "1e300"].map(|eta| (solver, eta))) {
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
        fit.status() == "iteration limit" && (at_start || ["auto", "multistart"].contains(&solver))
    });
    every(&plain(), "--init random:1e200", |solver, fit| ["auto", "multistart"].contains(&solver) == (fit.code == 0));
    every(&plain(), "--tau-max 1e-300", |_, fit| number(&fit.json["tau"]) == 1e-300);
    let folder = folder(&plain());
    for solver in SOLVERS {
        for words in ["--radius 1e-300", "--radius 1e300", "--l2 1e300", "--l2 1e-300", "--batch 1000"] {
            match fit(&folder, &format!("--solver {solver} {words}")) {
                Answer::Refused(why) => assert!(why.contains("do not go together"), "{solver} {words}: {why}"),
                Answer::Fitted(fit) if words == "--batch 1000" => assert!(fit.warns("more than the 40 rows")),
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
    refuse("--init random:inf", &["random start is inf"]);
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
    assert!(many.stderr.contains("10000 threads are too many; 1024 are used"), "{}", many.stderr);
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
    folder.write("far.json", r#"{"intercept": -1e300, "coefficients": {"a": 1e300, "b": -1e300}}"#);
    for solver in SOLVERS.iter().filter(|&&solver| solver != "auto") {
        let init = |file: &str| format!("--solver {solver} --init {file}");
        refused(&folder, &init("short.json"), &["no coefficient for the feature `b`"]);
        refused(&folder, &init("long.json"), &["a coefficient for `c`, which is not a feature"]);
        refused(&folder, &init("text.json"), &["not a weights file: the coefficient of `b`"]);
        refused(&folder, &init("nan.json"), &["not a weights file"]);
        refused(&folder, &init("huge.json"), &["not a weights file"]);
        fitted(&folder, &init("far.json"));
    }
}
