//! Verdicts say what is true of the fit, and what to do that helps.

use std::fmt::Write;

use crate::{Folder, sigmoid};

/// A number in (−1, 1) that looks drawn.
fn drawn(i: usize, column: usize) -> f64 {
    let wave = (i as f64 + 1.0) * (12.9898 + 7.31 * column as f64);
    2.0 * (wave.sin() * 43758.5453).rem_euclid(1.0) - 1.0
}

/// `d.csv` with columns a, b, y made from rows of a and noise.
fn with(row: impl Fn(f64, &dyn Fn(usize) -> f64) -> [f64; 3]) -> Folder {
    let mut text = "a,b,y\n".to_owned();
    for i in 0..200 {
        let [a, b, y] = row(3.0 * drawn(i, 0), &|column| drawn(i, column));
        writeln!(text, "{a},{b},{y}").unwrap();
    }
    Folder::with(&[("d.csv", &text)])
}

fn verdict(folder: &Folder, words: &str) -> String {
    let fit = folder.fit(&format!("d.csv --target y {words}"));
    format!("{}: {}", fit["status"].as_str().unwrap(), fit["certificate"]["verdict"].as_str().unwrap())
}

fn assert_verdict(folder: &Folder, words: &str, contained: &[&str], absent: &[&str]) {
    let verdict = verdict(folder, words);
    assert!(contained.iter().all(|piece| verdict.contains(piece)), "{words}: {verdict}, not {contained:?}");
    assert!(absent.iter().all(|piece| !verdict.contains(piece)), "{words}: {verdict}, but {absent:?}");
}

#[test]
fn near_collinearity_is_not_called_exact() {
    let noisy = |a: f64, noise: f64| sigmoid(0.5 + a) + 0.05 * noise;
    let exact = with(|a, drawn| [a, a, noisy(a, drawn(2))]);
    assert_verdict(&exact, "", &["not identified", "fit equally well", "minimum-norm", "drop one"], &["almost"]);
    let near = with(|a, drawn| [a, a + 3e-7 * drawn(1), noisy(a, drawn(2))]);
    assert_verdict(&near, "", &["not identified", "to rounding", "almost equally well"], &["minimum-norm"]);
}

#[test]
fn the_scale_is_told_below_a_cap_too() {
    let percent = with(|a, drawn| [a, drawn(1), 100.0 * sigmoid(a)]);
    assert_verdict(&percent, "", &["wrong scale: `y` runs from"], &[]);
    assert_verdict(&percent, "--tau-max 0.3", &["`y` runs from", "divide it by its highest possible value"], &[]);
    let high = with(|a, drawn| [a, drawn(1), 1.2 + 0.3 * a + 0.2 * drawn(2)]);
    assert_verdict(&high, "--tau-max 0.3", &["At τ = 1 the scale is wrong"], &[]);
    // fewer labels beyond the range are fitted, with a word
    let twice = with(|a, drawn| [a, drawn(1), 2.0 * sigmoid(a) - 0.2]);
    let fit = twice.fit("d.csv --target y");
    assert_eq!(fit["status"], "converged");
    assert!(fit["warnings"].to_string().contains("check the scale: `y` runs from"), "{fit}");
}

#[test]
fn more_epochs_are_advised_only_where_they_help() {
    let folder = with(|a, drawn| [a, drawn(1), sigmoid(0.5 + a) + 0.1 * drawn(2)]);
    for solver in ["sgd", "adam", "yogi", "ngd"] {
        let words = format!("--solver {solver}");
        let pieces = ["iteration limit", "more epochs help", "use solver `auto`", "larger tolerance"];
        assert_verdict(&folder, &words, &pieces, &["allow more epochs"]);
    }
    for words in ["--solver sgd --epochs 20", "--solver gd --epochs 20", "--solver gd:tau0=1,epochs=3"] {
        assert_verdict(&folder, words, &["iteration limit", "allow more epochs, or use solver `auto`"], &[]);
    }
    assert_verdict(
        &folder,
        "--solver sgd:tau0=1,tol=0.5,eta=0.05",
        &["not at a minimum yet", "lower the tolerance"],
        &[],
    );
}
