//! `compare`: one line for each solver.

use serde_json::Value;

use crate::{Folder, assert_close, number};

const FIELDS: [&str; 10] =
    ["solver", "loss", "noise", "passes", "seconds", "status", "certified", "smallest_eigenvalue", "distance", "error"];

fn compare(folder: &Folder, words: &str) -> Vec<Value> {
    let run = folder.run(&format!("compare {words} --format json"));
    serde_json::from_str(&run.stdout).unwrap_or_else(|why| panic!("{words}: {why}: {}", run.stderr))
}

#[test]
fn runs_are_the_fits_of_the_same_solvers() {
    let folder = Folder::with_data();
    let solvers = ["auto", "gd", "sgd:batch=20;tol=1e-2", "lm", "gd:epochs=5"];
    let runs = compare(&folder, &format!("data.csv --target y --drop x3 --seed 2 --solvers {}", solvers.join(",")));
    assert_eq!(runs.len(), solvers.len());
    for (run, solver) in runs.iter().zip(solvers) {
        assert_eq!(run.as_object().unwrap().keys().collect::<Vec<_>>(), FIELDS);
        let solver_of_fit = solver.replace(';', ",");
        let proven = if solver == "auto" { "--prove=none" } else { "" };
        let fit = folder.fit(&format!("data.csv --target y --drop x3 --seed 2 --solver {solver_of_fit} {proven}"));
        assert_eq!(run["solver"], solver);
        for name in ["loss", "noise", "passes", "status", "certified"] {
            assert_eq!(run[name], fit[name], "{solver}: {name}");
        }
        assert_eq!(run["smallest_eigenvalue"], fit["certificate"]["smallest_eigenvalue"]);
        assert!(number(&run["seconds"]) > 0.0 && run["distance"].is_null() && run["error"].is_null(), "{run}");
    }
    assert_eq!(runs[4]["status"], "iteration limit");
}

/// All of them on the same table, whatever each of them ends at; `linear` has one end, which --noise does not change.
#[test]
fn every_baseline_and_competitor_runs() {
    let folder = Folder::with_data();
    let solvers = "ngd,ngd:batch=20,gradopt,glmtron,irls,linear,lbfgs,lm,multistart,adam:tau0=1;epsilon=1e-8;eta=0.05,sgd:tau0=1,svrg:tau0=1";
    let runs = compare(&folder, &format!("data.csv --target y --drop x3 --noise post --solvers {solvers}"));
    assert_eq!(runs.len(), 12);
    let best = number(&runs[7]["loss"]);
    for run in &runs {
        assert!(run["error"].is_null() && number(&run["loss"]) >= best * (1.0 - 1e-9), "{run}");
        assert_eq!(run["noise"], if run["solver"] == "linear" { "pre" } else { "post" });
    }
    for certified in [4, 6, 7, 8] {
        assert_eq!(runs[certified]["certified"], true, "{}", runs[certified]);
    }
}

#[test]
fn the_table_has_a_line_for_each_whatever_the_status() {
    let folder = Folder::with_data();
    let run = folder.run("compare data.csv --target y --solvers auto,gd:epochs=5 --solvers newton-cg");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 5, "{}", run.stdout);
    let header = ["solver", "loss", "noise", "passes", "time", "certified", "λmin/λmax", "status"];
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), header);
    for (line, (solver, end)) in
        lines[2..].iter().zip([("auto", "converged"), ("gd:epochs=5", "iteration limit"), ("newton-cg", "converged")])
    {
        assert!(line.starts_with(solver) && line.ends_with(end) && line.contains("post"), "{line}");
    }
}

#[test]
fn the_distance_is_to_the_truth_by_name() {
    let folder = Folder::new();
    let words = "simulate --rows 400 --features 4 --activation silu --noise post:0.05 -o d.csv --truth w.json";
    assert_eq!(folder.run(words).code, Some(0));
    let common = "d.csv --target y --activation silu --features x3,x1,x4,x2";
    let runs = compare(&folder, &format!("{common} --solvers auto,lbfgs --truth w.json"));
    let truth: Value = serde_json::from_str(&folder.read("w.json")).unwrap();
    for (run, solver) in runs.iter().zip(["auto", "lbfgs"]) {
        let fit = folder.fit(&format!("{common} --solver {solver}"));
        let square = |(name, w): (&String, &Value)| (number(w) - number(&truth["coefficients"][name])).powi(2);
        let distance = fit["coefficients"].as_object().unwrap().iter().map(square).sum::<f64>().sqrt();
        assert_close(number(&run["distance"]), distance, 1e-12);
    }
    assert!(folder.run(&format!("compare {common} --solvers auto --truth w.json")).stdout.contains("‖w−w*‖"));
    let refused = folder.run("compare d.csv --target y --drop x1 --solvers auto --truth w.json");
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""));
    assert!(refused.stderr.contains("w.json") && refused.stderr.contains("`x1`"), "{}", refused.stderr);
}

#[test]
fn one_that_fails_says_why_and_the_others_go_on() {
    let folder = Folder::with(&[("beyond.csv", crate::BEYOND)]);
    let words = "beyond.csv --target y --solvers linear,auto,gd";
    let run = folder.run(&format!("compare {words}"));
    assert_eq!(run.code, Some(2));
    assert!(
        run.stdout.contains("`linear` and `theory` need") && run.stdout.matches("converged").count() == 2,
        "{}",
        run.stdout
    );
    let runs = compare(&folder, words);
    assert!(runs[0]["error"].as_str().unwrap().contains("`linear`"), "{}", runs[0]);
    assert!(["loss", "noise", "passes", "status"].iter().all(|name| runs[0][name].is_null()), "{}", runs[0]);
    assert!(runs[1]["error"].is_null() && runs[2]["certified"] == true);
}

#[test]
fn warnings_of_the_data_are_said_once() {
    let folder = Folder::with(&[("beyond.csv", crate::BEYOND)]);
    let run = folder.run("compare beyond.csv --target y --solvers auto,gd,lm");
    assert_eq!(run.stderr.matches("4 of 8 values").count(), 1, "{}", run.stderr);
    assert_eq!(folder.run("compare beyond.csv --target y --solvers auto,gd,lm --quiet").stderr, "");
}

#[test]
fn noise_is_for_all_of_them() {
    let folder = Folder::with_data();
    let runs = compare(&folder, "data.csv --target y --noise pre --solvers auto,gd,lm");
    assert!(runs.iter().all(|run| run["noise"] == "pre"), "{runs:?}");
    let best = number(&runs[0]["loss"]);
    runs.iter().for_each(|run| assert_close(number(&run["loss"]), best, 1e-9));
}

/// Units, start and ball are flags of `fit` too, and mean the same there.
#[test]
fn units_start_and_ball_are_for_all_of_them() {
    let folder = Folder::with_data();
    folder.write("w.json", r#"{"intercept": 0.5, "coefficients": {"x1": 1, "x2": -1, "x3": 2}}"#);
    for words in ["--scaling none --radius 0.5", "--init random:2 --seed 4", "--init w.json --scaling none"] {
        let runs = compare(&folder, &format!("data.csv --target y --solvers gd:epochs=3,lm {words}"));
        for (run, solver) in runs.iter().zip(["gd:epochs=3", "lm"]) {
            let fit = folder.fit(&format!("data.csv --target y --solver {solver} {words}"));
            for name in ["loss", "passes", "status", "certified"] {
                assert_eq!(run[name], fit[name], "{words} {solver}: {name}");
            }
        }
        let plain = compare(&folder, "data.csv --target y --solvers gd:epochs=3,lm");
        assert_ne!(plain[0]["loss"], runs[0]["loss"], "{words}");
    }
    let ignored = folder.run("compare data.csv --target y --solvers auto,gd --init random");
    assert!(ignored.stderr.contains("--init random is ignored: solver `auto`"), "{}", ignored.stderr);
}

#[test]
fn bad_usage_is_refused_before_anything_runs() {
    let folder = Folder::with_data();
    for (words, piece) in [
        ("data.csv --target y", "--solvers"),
        ("data.csv --target y --solvers auto,adm", "did you mean `adam`?"),
        ("data.csv --target y --solvers auto,", "solver is ``"),
        ("data.csv --target y --solvers lm:eta=1", "`lm` does not take `eta`"),
        ("data.csv --target y --solvers gd:tua0=1", "did you mean `tau0`?"),
        ("data.csv --target y --solvers auto,gd --noise auto", "`gd` does not take noise `auto`"),
        ("data.csv --target y --solvers gd,lbfgs --radius 1", "`lbfgs` does not take `radius`"),
        ("data.csv --target y --solvers gd,irls --init random", "`irls` does not take `init`"),
        ("data.csv --target y --solvers gd:radius=2 --radius 1", "radius is given twice"),
        ("data.csv --target y --solvers gd --init nowhere.json", "this file does not exist"),
        (
            "nowhere.csv --target y --solvers auto,adam --activation exp",
            "`adam` does not take an activation of unbounded derivative",
        ),
        ("data.csv --target z --solvers auto", "no column is called `z`"),
        ("data.csv --target y --solvers auto --truth nowhere.json", "nowhere.json: No such file"),
        ("nowhere.csv --target y --solvers auto", "nowhere.csv: No such file"),
    ] {
        let run = folder.run(&format!("compare {words}"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{words}");
        assert!(run.stderr.starts_with("error: ") && run.stderr.contains(piece), "{words}: {}", run.stderr);
    }
}
