//! `tune`: many settings of one solver, and the one that does best on rows it has not seen.

use agglio::math::rng::Permutation;
use agglio::oracle::Batch;
use agglio::tune::Split;
use serde_json::Value;

use crate::{Folder, Run, assert_close, number};

/// Runs `tune` on `data.csv` with words of which none has a blank in it.
fn run(folder: &Folder, words: &str) -> Run {
    folder.run(&format!("tune data.csv --target y {words}"))
}

fn tune(folder: &Folder, words: &str) -> Value {
    let run = run(folder, &format!("{words} --format json"));
    assert_eq!(run.code, Some(0), "{words}: {}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

fn candidates(found: &Value) -> &Vec<Value> {
    found["candidates"].as_array().unwrap()
}

/// The settings alone, as they are typed.
fn settings(found: &Value) -> Vec<String> {
    candidates(found).iter().map(|one| one["settings"].to_string()).collect()
}

fn lowest(found: &Value) -> f64 {
    candidates(found).iter().filter_map(|one| one["loss"].as_f64()).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_grid_is_tried_in_order_and_the_best_is_ready_to_fit() {
    let folder = Folder::with_data();
    let words = "--solver gd:epochs=60 --grid eta=0.5,linspace(1,4,2);tau0=0.1,1;scaling=standard,none --seed 2";
    let found = tune(&folder, words);
    let fields: Vec<&String> = found.as_object().unwrap().keys().collect();
    assert_eq!(
        fields,
        ["best", "mean", "auto", "candidates", "holdout", "seed", "rows", "seconds", "warnings", "version"]
    );
    assert_eq!((&found["holdout"], &found["seed"], &found["rows"]), (&0.2.into(), &2.into(), &300.into()));
    let all = candidates(&found);
    assert_eq!(all.len(), 12);
    assert_eq!(all[5]["settings"].to_string(), r#"{"eta":1.0,"tau0":0.1,"scaling":"none"}"#);
    assert_eq!(all[5]["solver"], "gd:epochs=60,eta=1,tau0=0.1,scaling=none");
    for one in all {
        let fields: Vec<&String> = one.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["solver", "settings", "loss", "training_loss", "passes", "seconds", "status"]);
        assert!(number(&one["passes"]) > 0.0 && number(&one["seconds"]) > 0.0 && one["status"].is_string());
    }
    let best = &found["best"];
    assert_eq!(number(&best["loss"]), lowest(&found));
    let winner = all.iter().find(|one| one["solver"] == best["solver"]).unwrap();
    assert_eq!((&winner["loss"], &winner["settings"]), (&best["loss"], &best["settings"]));
    let fit = folder.fit(&format!("data.csv --target y --solver {}", best["solver"].as_str().unwrap()));
    assert!(number(&fit["loss"]) < 0.01, "{fit}");
}

#[test]
fn the_table_has_the_ten_best_and_the_winner() {
    let folder = Folder::with_data();
    let words = "--solver momentum --epochs 30 --grid eta=logspace(0.01,10,4);mu=0,0.5,0.9 --folds 3";
    let found = tune(&folder, words);
    assert_eq!((candidates(&found).len(), &found["folds"]), (12, &3.into()));
    assert!(found.get("holdout").is_none());
    let printed = run(&folder, words);
    assert_eq!((printed.code, printed.stderr.as_str()), (Some(0), ""));
    let lines: Vec<&str> = printed.stdout.lines().collect();
    assert_eq!(lines.len(), 20, "{}", printed.stdout);
    let header: Vec<&str> = lines[0].split_whitespace().collect();
    assert_eq!(header, ["eta", "mu", "held-out", "loss", "training", "loss", "passes", "time", "status"]);
    let losses: Vec<f64> =
        lines[2..12].iter().map(|line| line.split_whitespace().nth(2).unwrap().parse().unwrap()).collect();
    assert!(losses.is_sorted(), "{}", printed.stdout);
    assert_close(losses[0], lowest(&found), 1e-5);
    for (line, name, losses) in [
        (lines[15], "mean response", &found["mean"]),
        (lines[16], "solver auto", &found["auto"]),
        (lines[17], "best setting", &found["best"]),
    ] {
        let numbers: Vec<&str> = line.strip_prefix(name).unwrap().split_whitespace().collect();
        assert_close(numbers[0].parse().unwrap(), number(&losses["loss"]), 1e-5);
        assert!(losses["training_loss"].is_null() || numbers.len() >= 2, "{line}");
    }
    assert_eq!(lines[19], format!("best: {}", found["best"]["solver"].as_str().unwrap()));
}

#[test]
fn the_papers_grids_go_by_solver_and_leave_out_what_is_fixed() {
    let folder = Folder::with_data();
    for (solver, count, first) in [
        ("gd", 200, r#"{"eta":1.0,"tau0":0.1,"beta":1.01}"#),
        ("saga:eta=2", 20, r#"{"tau0":0.1,"beta":1.01}"#),
        ("sgd:tau0=1", 10, r#"{"eta":1.0}"#),
        ("adam", 1080, r#"{"eta":0.01,"tau0":0.1,"beta":1.01,"beta1":0.01,"beta2":0.01,"epsilon":0.001}"#),
        ("yogi:tau0=1", 375, r#"{"eta":0.01,"beta1":0.01,"beta2":0.01,"epsilon":0.001}"#),
        ("ngd", 20, r#"{"eta":0.01}"#),
        ("gradopt", 20, r#"{"eta":1.0}"#),
    ] {
        let run = run(&folder, &format!("--solver {solver} --grid paper --epochs 2 --format json"));
        let found: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!((candidates(&found).len(), settings(&found)[0].as_str()), (count, first), "{solver}");
        let text = candidates(&found)[0]["solver"].as_str().unwrap();
        assert!(text.starts_with(solver) && text.contains("scaling=none,"), "{text}");
        assert!(
            run.stderr.contains("scaling is none") && found["warnings"].to_string().contains("scaling"),
            "{solver}"
        );
    }
    let kept = tune(&folder, "--solver ngd --grid paper --scaling standard --epochs 2");
    assert!(kept["warnings"].as_array().unwrap().is_empty() && !kept.to_string().contains("scaling"));
    // a flag fixes a key as well
    assert_eq!(candidates(&tune(&folder, "--solver gd --grid paper --eta 3 --beta 1.5 --epochs 2")).len(), 4);
}

#[test]
fn settings_by_chance_are_the_seeds() {
    let folder = Folder::with_data();
    let lists = "--solver gd --epochs 5 --grid eta=linspace(0.1,2,20);tau0=0.1,0.01";
    let all = settings(&tune(&folder, lists));
    let some = settings(&tune(&folder, &format!("{lists} --random 9")));
    assert_eq!(some.len(), 9);
    let places: Vec<usize> = some.iter().map(|one| all.iter().position(|other| other == one).unwrap()).collect();
    assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{places:?}");
    assert_eq!(settings(&tune(&folder, &format!("{lists} --random 9"))), some);
    assert_ne!(settings(&tune(&folder, &format!("{lists} --random 9 --seed 1"))), some);
    let too_many = tune(&folder, &format!("{lists} --random 50"));
    assert_eq!(settings(&too_many), all);
    assert!(too_many["warnings"][0].as_str().unwrap().contains("only 40 settings"));
    let ranges = tune(&folder, "--solver gd --epochs 5 --grid eta=loguniform(0.1,2);beta=uniform(1.1,1.2) --random 6");
    assert!(candidates(&ranges).len() == 6 && settings(&ranges).windows(2).all(|pair| pair[0] != pair[1]));
    for one in candidates(&ranges) {
        assert!((0.1..=2.0).contains(&number(&one["settings"]["eta"])), "{one}");
    }
}

/// Writes the rows that are held out of `name`, and those that are not, to files of their own.
fn split(folder: &Folder, name: &str, split: Split) {
    let text = folder.read(name);
    let (header, rows) = (text.lines().next().unwrap(), text.lines().skip(1).collect::<Vec<_>>());
    let Batch::Part { key, start, len } = split.held_out(rows.len()).unwrap()[0] else { panic!("not a part") };
    let permutation = Permutation::new(key, rows.len());
    let held_out: Vec<usize> = (start..start + len).map(|position| permutation.at(position)).collect();
    for (name, inside) in [("held-out.csv", true), ("training.csv", false)] {
        let rows = (0..rows.len()).filter(|row| held_out.contains(row) == inside).map(|row| rows[row]);
        folder.write(name, &[header].into_iter().chain(rows).collect::<Vec<_>>().join("\n"));
    }
}

#[test]
fn a_score_is_that_of_the_model_that_the_setting_gives() {
    let folder = Folder::new();
    let words = "simulate --rows 200 --features 3 --activation sigmoid --noise pre:1.5 --seed 3 -o data.csv";
    assert_eq!(folder.run(words).code, Some(0));
    split(&folder, "data.csv", Split::holdout(0.2, 0).unwrap());
    for (solver, noise) in [("gd", "pre"), ("gd", "post"), ("lm", "pre"), ("auto", "pre"), ("auto", "auto")] {
        let words = format!("--noise {noise} --tol 1e-12");
        let found = tune(&folder, &format!("--solver {solver} --grid l2=0 {words}"));
        folder.fit(&format!("training.csv --target y --solver {solver} {words} --model m.json --force"));
        let score = |rows: &str| -> f64 {
            let run = folder.run(&format!("score m.json {rows}.csv --format json"));
            number(&serde_json::from_str::<Value>(&run.stdout).unwrap()["loss"])
        };
        let setting = &candidates(&found)[0];
        assert_close(number(&setting["loss"]), score("held-out"), 1e-8);
        assert_close(number(&setting["training_loss"]), score("training"), 1e-8);
    }
}

#[test]
fn scores_do_not_depend_on_threads() {
    let folder = Folder::with_data();
    let losses = |threads: usize| {
        let words = format!("--solver sgd --epochs 5 --grid eta=1,2,3;batch=10,50 --folds 4 --threads {threads}");
        candidates(&tune(&folder, &words)).iter().map(|one| one["loss"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(losses(1), losses(3));
}

#[test]
fn steps_that_lead_uphill_have_no_loss() {
    let folder = Folder::with_data();
    let found = tune(&folder, "--solver gd --epochs 30 --grid eta=1,1e6");
    assert!(candidates(&found)[1]["loss"].is_null() && candidates(&found)[1]["status"] == "diverging", "{found}");
    let run = run(&folder, "--solver gd --epochs 30 --grid eta=1e6,1e7");
    assert_eq!(run.code, Some(2));
    assert!(run.stdout.contains("not finite") && !run.stdout.contains("best:"), "{}", run.stdout);
    assert!(run.stderr.contains("no setting has a finite loss"), "{}", run.stderr);
}

#[test]
fn bad_usage_is_refused_before_data_is_read() {
    let folder = Folder::new();
    for (words, piece) in [
        ("", "--solver"),
        ("--solver gd --grid et=1,2", "no solver key is called `et`; did you mean `eta`?"),
        ("--solver gdd", "did you mean `gd`?"),
        ("--solver gd --grid eta=", "`eta=` is not a key with its values"),
        ("--solver gd --grid eta", "write `eta=V1,V2`"),
        ("--solver gd --grid =1", "write `KEY=V1,V2`"),
        ("--solver gd --grid ;", "the grid has no keys"),
        ("--solver gd --grid eta=1,,2", "a value is empty"),
        ("--solver gd --grid eta=1;eta=2", "`eta` occurs twice"),
        ("--solver gd:eta=1 --grid eta=1,2", "eta is given twice, in the grid"),
        ("--solver gd --eta 1 --grid eta=1,2", "eta is given twice"),
        ("--solver gd --grid eta=linspace(1,2)", "write linspace(FROM,TO,COUNT)"),
        ("--solver gd --grid eta=linspace(1,2,0)", "whole number from 1"),
        ("--solver gd --grid eta=linspace(1,x,3)", "`x` is not a number"),
        ("--solver gd --grid eta=linspace(1,2,3", "no closing parenthesis"),
        ("--solver gd --grid eta=logspace(0,1,3)", "has no logarithm"),
        ("--solver gd --grid eta=linspcae(1,2,3)", "did you mean `linspace`?"),
        ("--solver gd --grid eta=uniform(1,2)", "--random N"),
        ("--solver gd --grid eta=uniform(2,1) --random 3", "must be below"),
        ("--solver gd --grid eta=3,uniform(1,2) --random 3", "cannot be mixed"),
        ("--solver gd --grid eta=1,2 --random 0", "random is 0"),
        ("--solver gd --grid eta=linspace(1,2,9999);tau0=1,0.5", "more than 10000 settings"),
        ("--solver gd --grid eta=1,-1", "`gd:eta=-1`: eta is -1"),
        ("--solver gd --grid eta=1,x", "must be a number"),
        ("--solver gd --grid batch=10,20", "`gd` does not take `batch`"),
        ("--solver lm --grid paper", "the paper has no grid for solver `lm`, only for gd, sgd,"),
        ("--solver gd:eta=1,tau0=1 --grid paper", "every key of the paper's grid for solver `gd` is fixed"),
        ("--solver lm", "solver `lm` has no step length to tune; pass a grid"),
        ("--solver gd:eta=1,tau0=1", "every key of the standard grid for solver `gd` is fixed"),
        ("--solver sgd --activation exp", "`sgd` does not take an activation of unbounded derivative"),
        ("--solver adam --activation exp --grid eta=1,2", "`adam` does not take an activation of unbounded derivative"),
        ("--solver gd --holdout 0", "holdout is 0"),
        ("--solver gd --holdout 1", "holdout is 1"),
        ("--solver gd --folds 1", "folds is 1"),
        ("--solver gd --holdout 0.5 --folds 3", "'--holdout <F>' cannot be used with '--folds <K>'"),
    ] {
        let run = folder.run(&format!("tune nowhere.csv --target y {words}"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{words}");
        assert!(run.stderr.starts_with("error: ") && run.stderr.contains(piece), "{words}: {}", run.stderr);
    }
    let folder = Folder::with_data();
    let many = run(&folder, "--solver gd --grid eta=1 --folds 301");
    assert!(many.code == Some(2) && many.stderr.contains("only 300 rows"), "{}", many.stderr);
}

/// The 401(k) plans with the number of employees as it is, not its logarithm: columns whose sizes differ by thousands.
fn with_plans() -> Folder {
    let plans = include_str!("../../data/k401k.csv");
    let row = |line: &str| {
        let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
        cells[2] = cells[2].parse::<f64>().unwrap().exp().round().to_string();
        cells.join(",") + "\n"
    };
    let rows: String = plans.lines().skip(1).map(row).collect();
    Folder::with(&[("data.csv", &format!("match_rate,age,employment,sole_plan,y\n{rows}"))])
}

/// 1/Λ = 8/λ_max(XᵀX/n) of a sigmoid, X the standardised columns and one of ones.
fn safe_step(folder: &Folder) -> f64 {
    let table = crate::Numbers::parse(&folder.read("data.csv"));
    let n = table.rows.len() as f64;
    let standard = |name: &String| {
        let x = table.column(name);
        let mean = x.iter().sum::<f64>() / n;
        let deviation = (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
        x.iter().map(|x| (x - mean) / deviation).collect::<Vec<f64>>()
    };
    let mut columns: Vec<Vec<f64>> = table.header.iter().filter(|name| *name != "y").map(standard).collect();
    columns.push(vec![1.0; table.rows.len()]);
    let (mut v, mut largest) = (vec![1.0; columns.len()], 0.0);
    for _ in 0..2000 {
        let z: Vec<f64> = (0..table.rows.len()).map(|i| columns.iter().zip(&v).map(|(x, v)| x[i] * v).sum()).collect();
        v = columns.iter().map(|x| x.iter().zip(&z).map(|(x, z)| x * z).sum::<f64>() / n).collect();
        largest = v.iter().map(|v| v * v).sum::<f64>().sqrt();
        v.iter_mut().for_each(|v| *v /= largest);
    }
    8.0 / largest
}

#[test]
fn the_standard_grid_is_around_the_safe_step_and_does_as_well_as_auto() {
    let folder = with_plans();
    let found = tune(&folder, "--solver gd");
    assert_eq!(candidates(&found).len(), 54);
    let etas: Vec<f64> = candidates(&found).iter().step_by(9).map(|one| number(&one["settings"]["eta"])).collect();
    for (eta, share) in etas.iter().zip([0.25, 0.5, 1.0, 2.0, 4.0, 8.0]) {
        // three digits are typed
        assert_close(*eta, share * safe_step(&folder), 6e-3);
    }
    for (words, tolerance) in [("gd", 1e-8), ("nesterov", 1e-8), ("sgd --epochs 100", 0.01), ("glmtron", 0.02)] {
        let found = tune(&folder, &format!("--solver {words} --seed 3"));
        let [best, auto, mean] = ["best", "auto", "mean"].map(|name| number(&found[name]["loss"]));
        assert!(best <= (1.0 + tolerance) * auto && best < 0.95 * mean, "{words}: {best} {auto} {mean}");
    }
}

/// The standard grid leaves out what is fixed, or has no meaning.
#[test]
fn the_standard_grid_goes_by_solver() {
    let folder = Folder::with_data();
    for (solver, count, keys) in [
        ("sgd", 54, "eta tau0 beta"),
        ("sgd:tau0=1", 6, "eta"),
        ("sgd --noise pre", 6, "eta"),
        ("momentum:eta=2,beta=1.1 --tau-max 0.05", 2, "tau0"),
        ("adam:tau0=1", 24, "eta beta1 beta2"),
        ("yogi:beta1=0.9,beta2=0.99", 36, "eta tau0 beta"),
        ("ngd", 6, "eta"),
        ("gradopt", 6, "eta"),
        ("gd --activation exp", 9, "tau0 beta"),
    ] {
        let found = run(&folder, &format!("--solver {solver} --epochs 2 --format json"));
        let found: Value = serde_json::from_str(&found.stdout).unwrap_or_else(|why| panic!("{why}: {}", found.stderr));
        let first = candidates(&found)[0]["settings"].as_object().unwrap();
        let names: Vec<&str> = first.keys().map(String::as_str).collect();
        assert_eq!((candidates(&found).len(), names.join(" ").as_str()), (count, keys), "{solver}");
    }
}

/// The paper's steps on columns as they are lead to where every slope has vanished, and the loss is that of predicting 1.
#[test]
fn a_plateau_is_never_the_best() {
    let folder = with_plans();
    let words = "--solver gd --grid paper --format json";
    let run = run(&folder, words);
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &found["best"]), (Some(2), &Value::Null));
    assert!(run.stderr.contains("no setting is recommended"), "{}", run.stderr);
    assert!(candidates(&found).iter().all(|one| one["status"] == "plateau"), "{found}");
    assert!(lowest(&found) > number(&found["mean"]["loss"]) && number(&found["auto"]["loss"]) < lowest(&found));
    let table = self::run(&folder, "--solver gd --grid paper").stdout;
    assert!(!table.contains("best:") && table.contains("best setting") && table.contains("mean response"));
    // one good setting among plateaus is the first line, and the best
    let mixed = self::run(&folder, "--solver gd --grid eta=10;scaling=none,standard --quiet").stdout;
    let first = mixed.lines().nth(2).unwrap();
    assert!(first.contains("standard") && mixed.ends_with("best: gd:eta=10,scaling=standard\n"), "{mixed}");
}

#[test]
fn the_mean_is_that_of_the_rows_that_are_fitted() {
    let folder = Folder::with_data();
    split(&folder, "data.csv", Split::holdout(0.2, 0).unwrap());
    let labels = |name: &str| crate::Numbers::parse(&folder.read(name)).column("y");
    let (held_out, training) = (labels("held-out.csv"), labels("training.csv"));
    let mean = training.iter().sum::<f64>() / training.len() as f64;
    let found = tune(&folder, "--solver gd --epochs 20 --grid eta=1,4");
    let square = |labels: &[f64]| crate::mean_square(&vec![mean; labels.len()], labels);
    assert_close(number(&found["mean"]["loss"]), square(&held_out), 1e-12);
    assert_close(number(&found["mean"]["training_loss"]), square(&training), 1e-12);
}

/// A grid that the data cannot be fitted by at all says so, beside a mean that is as good.
#[test]
fn settings_that_do_no_better_than_the_mean_are_doubted() {
    let noise: String = (0..60).map(|i| format!("{},0.{}\n", (i * 37) % 60, 1 + (i * i * 7 + i) % 9)).collect();
    let folder = Folder::with(&[("data.csv", &format!("x,y\n{noise}"))]);
    let found = tune(&folder, "--solver gd --grid eta=4 --seed 1");
    let doubted = number(&found["best"]["loss"]) >= number(&found["mean"]["loss"]);
    assert_eq!(found["warnings"].to_string().contains("no better than the mean"), doubted, "{found}");
    let seeds = |seed: u64| tune(&folder, &format!("--solver gd --grid eta=4 --seed {seed}"))["warnings"].to_string();
    assert!((0..10).any(|seed| seeds(seed).contains("no better than the mean")));
}
