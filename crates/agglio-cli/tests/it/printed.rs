//! The paper's methods as printed, through the program: keys of `--solver` that have no flag.

use serde_json::Value;

use crate::{Folder, number};

/// A table without noise, with the coefficients that it was made with.
fn folder(activation: &str, noise: &str) -> Folder {
    let folder = Folder::new();
    let words = format!("--rows 800 --features 4 --norm 1 --design normal --activation {activation} --noise {noise}");
    assert_eq!(folder.run(&format!("simulate {words} --seed 3 -o d.csv --truth w.json")).code, Some(0));
    folder
}

fn compare(folder: &Folder, words: &str) -> Vec<Value> {
    let run = folder.run(&format!("compare d.csv --target y --no-intercept --truth w.json --format json {words}"));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

fn distances(folder: &Folder, words: &str) -> Vec<f64> {
    compare(folder, words).iter().map(|run| number(&run["distance"])).collect()
}

#[test]
fn constant_steps_end_elsewhere_than_those_that_decay() {
    let folder = folder("sigmoid", "post:0.1");
    for solver in ["sgd", "adam", "yogi", "ngd"] {
        let fit = |keys: &str| {
            let fit = folder.fit(&format!("d.csv --target y --no-intercept --solver {solver}:epochs=150{keys}"));
            assert_eq!(fit["solver"], solver, "{fit}");
            fit
        };
        let [printed, stall, default] = [",decay=none", ",decay=stall", ""].map(fit);
        assert_eq!(stall["coefficients"], default["coefficients"], "{solver}");
        assert!(number(&printed["loss"]) > number(&default["loss"]), "{solver}: {printed} {default}");
    }
    // a textbook's ε has a constant step anyway
    let fit = |keys: &str| folder.fit(&format!("d.csv --target y --solver adam:epsilon=1e-8,epochs=20{keys}"));
    assert_eq!(fit("")["coefficients"], fit(",decay=none")["coefficients"]);
}

#[test]
fn both_algorithms_are_solvers_like_any_other() {
    let folder = folder("sigmoid", "none");
    let one = folder.fit("d.csv --target y --no-intercept --solver theory:radius=1");
    assert_eq!((one["solver"].as_str(), one["status"].as_str()), (Some("theory"), Some("converged")), "{one}");
    assert_eq!((&one["certified"], &one["tau"]), (&Value::from(true), &Value::from(1.0)));
    let solvers = "theory:radius=1,theory:radius=1;algorithm=2;epochs=40,theory:radius=1;constants=printed";
    let found = distances(&folder, &format!("--solvers {solvers}"));
    let promised = 2.0 / 1.1_f64.powi(40);
    assert!(found[0] <= 1e-12 && found[1] <= promised && found[2] <= 1e-3, "{found:?}");
    let run =
        folder.run("tune d.csv --target y --no-intercept --solver theory:epochs=9 --grid radius=1,2 --format json");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("theory:epochs=9,radius=2"), "{}", run.stdout);
    // the paper has no grid for its theorems
    let run = folder.run("tune d.csv --target y --no-intercept --solver theory:radius=1");
    assert!(run.code == Some(2) && run.stderr.contains("`theory`") && run.stderr.contains("--grid"), "{}", run.stderr);
}

/// A bound on the true w is none on the way: nothing is projected.
#[test]
fn the_radius_of_the_theory_projects_nothing() {
    let folder = folder("sigmoid", "none");
    let fit = folder.fit("d.csv --target y --no-intercept --solver theory:radius=0.5");
    let square: f64 = fit["coefficients"].as_object().unwrap().values().map(|w| number(w).powi(2)).sum();
    assert!((square.sqrt() - 1.0).abs() <= 1e-9, "{fit}");
}

#[test]
fn noise_caps_the_temperature() {
    let folder = folder("sigmoid", "pre:0.1");
    let fit = |words: &str| folder.fit(&format!("d.csv --target y --no-intercept --solver theory:radius=1,{words}"));
    let [small, large] = ["sigma=0.1", "sigma=0.2"].map(|sigma| number(&fit(&format!("{sigma},noise=pre"))["tau"]));
    assert!(0.0 < large && large < small && small < 0.2, "{small} {large}");
    assert!(number(&fit("sigma=0.1,noise=pre,constants=printed")["tau"]) < small);
    assert!(number(&fit("sigma=0.05")["tau"]) < 1.0);
}

#[test]
fn either_preimage_of_silu_works_as_the_footnote_says() {
    let folder = folder("silu", "none");
    let found = distances(&folder, "--activation silu --solvers gd,gd:branch=nearer,gd:branch=left,gd:branch=right");
    assert!(found.iter().all(|&off| off <= 1e-12), "{found:?}");
    let first = |keys: &str| folder.fit(&format!("d.csv --target y --activation silu --solver gd:epochs=5{keys}"));
    assert_eq!(first("")["coefficients"], first(",branch=nearer")["coefficients"]);
    assert_ne!(first(",branch=right")["coefficients"], first(",branch=left")["coefficients"]);
    let grid = "tune d.csv --target y --activation silu --solver gd:epochs=30 --grid branch=left,right;eta=0.1,0.2";
    assert_eq!(folder.run(grid).code, Some(0));
}

#[test]
fn competitors_take_the_choices_of_their_papers() {
    let folder = folder("sigmoid", "post:0.1");
    for [one, other] in [
        ["yogi:tau0=1,eta=0.05,epsilon=1e-3,epochs=5", "v0=gradient"],
        ["gradopt:scaling=none,eta=8,epochs=30", "passes=5"],
    ] {
        let fit = |solver: &str| folder.fit(&format!("d.csv --target y --no-intercept --solver {solver}"));
        assert_ne!(fit(one)["coefficients"], fit(&format!("{one},{other}"))["coefficients"], "{one}");
    }
    let fit = |keys: &str| folder.fit(&format!("d.csv --target y --solver {keys}"))["coefficients"].clone();
    assert_eq!(fit("yogi:epochs=5"), fit("yogi:epochs=5,v0=zero"));
    assert_eq!(fit("gradopt:epochs=30"), fit("gradopt:epochs=30,passes=10"));
}

#[test]
fn keys_without_a_flag_are_told_by_the_help() {
    let help = Folder::new().run("fit --help").stdout;
    for key in
        ["decay=none|stall", "v0=zero|gradient", "passes=K", "branch=nearer|left|right", "algorithm=1|2", "sigma=S"]
    {
        assert!(help.contains(key), "{key}");
    }
    assert!(help.contains("constants=corrected|printed"));
}
