//! Data and parameters that break fits: whatever is asked of whichever solver, there is an answer in finite numbers that
//! says what it is worth, the same on any number of threads, or a refusal that says what to do.

mod data;
mod settings;

use std::fmt::Write;

use agglio::Solver;
use serde_json::Value;

use crate::{Folder, number, sigmoid};

/// Solvers that these tests leave out, with the reason.
const LEFT_OUT: [(Solver, &str); 4] = [
    (Solver::Glmtron, "its minimum is that of the matching loss"),
    (Solver::Linear, "it refuses labels without a preimage, and its loss is that of another estimate"),
    (Solver::Ngd, "its steps do not become short enough to end at a minimum"),
    (Solver::Theory, "it needs a radius, and refuses an intercept and scaling"),
];

fn solvers() -> impl Iterator<Item = &'static str> {
    Solver::ALL.into_iter().filter(|solver| LEFT_OUT.iter().all(|(out, _)| out != solver)).map(Solver::name)
}

/// Whether a solver closes in on a minimum of squares to the last digit; the others may run into their limit.
fn is_exact(solver: &str) -> bool {
    solver.parse::<Solver>().unwrap().converges_linearly()
}

/// Whether a solver begins at a low temperature.
fn is_graduated(solver: &str) -> bool {
    let solver: Solver = solver.parse().unwrap();
    solver == Solver::Auto || solver.is_graduated()
}

/// Solvers whose steps have a length that can be too long; Adam and Yogi bound theirs.
fn stepping() -> impl Iterator<Item = &'static str> {
    Solver::paper().filter(|solver| ![Solver::Adam, Solver::Yogi].contains(solver)).map(Solver::name)
}

const STATUSES: [&str; 6] = ["converged", "plateau", "diverging", "not identified", "wrong scale", "iteration limit"];

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
    for solver in solvers() {
        let fitted = fitted(&folder, &format!("--solver {solver} {words}"));
        assert!(expected(solver, &fitted), "{solver} {words}: {}", fitted.json);
    }
}

/// Every solver must refuse a table in these words.
#[track_caller]
fn none(table: &str, words: &str, pieces: &[&str]) {
    let folder = folder(table);
    for solver in solvers() {
        refused(&folder, &format!("--solver {solver} {words}"), pieces);
    }
}

/// Whether the fit has the loss that it should: certified, or by a solver that may run into its limit, nearly.
fn solved(solver: &str, fitted: &Fitted, loss: f64) -> bool {
    let off = (fitted.loss() / loss - 1.0).abs();
    match is_exact(solver) {
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
