//! Where the noise is taken to be, as the program tells of it.

use serde_json::Value;

use crate::{Folder, number};

/// A table with noise in this place, called `d.csv`.
fn simulated(noise: &str) -> Folder {
    let folder = Folder::new();
    let words = format!("simulate --rows 1000 --features 5 --activation softplus --norm 3 --noise {noise} -o d.csv");
    assert_eq!(folder.run(&words).code, Some(0));
    folder
}

/// What stands beside a word in the first column of a table.
fn beside<'a>(table: &'a str, word: &str) -> Option<&'a str> {
    let line = table.lines().find(|line| line.starts_with(word))?;
    Some(line[word.len()..].trim())
}

const FIT: &str = "fit d.csv --target y --activation softplus";

#[test]
fn the_default_is_post_and_auto_chooses() {
    for (noise, end, tau) in [("pre:0.5", "pre", 0.0), ("post:0.05", "post", 1.0)] {
        let folder = simulated(noise);
        let fit = |words: &str| folder.fit(&format!("d.csv --target y --activation softplus {words}"));
        let [default, post, auto] = ["", "--noise post", "--noise auto"].map(fit);
        assert_eq!((default["noise"].as_str(), number(&default["tau"])), (Some("post"), 1.0), "{default}");
        assert_eq!(
            (&default["coefficients"], &default["noise_choice"]),
            (&post["coefficients"], &post["noise_choice"])
        );
        assert_eq!((auto["noise"].as_str(), number(&auto["tau"])), (Some(end), tau), "{auto}");
        let told = fit(&format!("--noise {end}"));
        assert_eq!((&auto["coefficients"], &auto["noise_choice"]), (&told["coefficients"], &default["noise_choice"]));
        let [before, after] = ["pre", "post"].map(|name| default["noise_choice"][name].as_f64());
        assert!(after.is_some() && (end == "post" || before.unwrap() > after.unwrap() + 3.0), "{default}");
    }
}

#[test]
fn compare_has_the_same_default() {
    let folder = simulated("pre:0.5");
    let ends = |words: &str| {
        let run = folder.run(&format!("compare d.csv --target y --activation softplus --format json {words}"));
        let runs: Vec<Value> = serde_json::from_str(&run.stdout).unwrap();
        runs.iter().map(|run| run["noise"].as_str().unwrap().to_owned()).collect::<Vec<String>>()
    };
    assert_eq!(ends("--solvers auto,lm,gd"), ["post", "post", "post"]);
    assert_eq!(ends("--solvers auto --noise auto"), ["pre"]);
}

/// One line more, with both numbers, and no warning: nothing is wrong with the fit that was asked for.
#[test]
fn a_line_says_where_noise_before_the_activation_fits_better() {
    let folder = simulated("pre:0.5");
    let json = folder.fit("d.csv --target y --activation softplus");
    assert_eq!(json["warnings"], Value::Array(Vec::new()));
    let numbers = ["pre", "post"].map(|name| format!("{:.1}", number(&json["noise_choice"][name])));
    let table = folder.run(FIT).stdout;
    assert_eq!(beside(&table, "noise"), Some("after the activation"), "{table}");
    assert!(beside(&table, "note").unwrap().starts_with("noise before the activation fits better"), "{table}");
    assert!(numbers.iter().all(|number| table.contains(number)) && table.contains("--noise auto"), "{table}");
    for words in ["--noise auto", "--noise pre", "--solver lm", "--l2 0.001"] {
        assert_eq!(beside(&folder.run(&format!("{FIT} {words}")).stdout, "note"), None, "{words}");
    }
    let after = simulated("post:0.05").run(FIT).stdout;
    assert_eq!(beside(&after, "note"), None, "{after}");
}

/// The likelihood of noise before `exp` leads by far, but the mean of the labels predicts better than this model does.
#[test]
fn auto_does_not_take_a_model_that_is_worse_than_the_mean() {
    let folder = Folder::new();
    let words = "simulate --rows 500 --features 2 --activation exp --noise pre:2 --seed 3 -o d.csv";
    assert_eq!(folder.run(words).code, Some(0));
    let r_squared = |noise: &str| {
        let table = folder.run(&format!("fit d.csv --target y --activation exp --noise {noise}")).stdout;
        beside(&table, "r²").and_then(|text| text.parse::<f64>().ok()).unwrap()
    };
    assert!(r_squared("pre") < 0.0 && r_squared("auto") > 0.0);
    assert_eq!(folder.fit("d.csv --target y --activation exp --noise auto")["noise"], "post");
}

#[test]
fn both_log_likelihoods_are_told_where_both_were_fitted() {
    let folder = Folder::with_data();
    let choice = |words: &str| folder.fit(&format!("data.csv --target y {words}"))["noise_choice"].clone();
    for words in ["", "--noise post", "--noise auto", "--restarts 1"] {
        assert!(choice(words)["pre"].is_f64() && choice(words)["post"].is_f64(), "{words}");
    }
    for words in ["--solver gd", "--solver lm", "--noise pre", "--tau-max 1", "--l2 0.1"] {
        assert!(choice(words).is_null(), "{words}");
    }
    // a label at the bound rules noise before the activation out
    folder.write("bound.csv", "a,y\n-2,0.1\n-1,0.4\n0,0.3\n1,0.9\n2,1\n3,0.8\n");
    let fit = folder.fit("bound.csv --target y");
    assert!(fit["noise_choice"]["pre"].is_null() && fit["noise_choice"]["post"].is_f64(), "{fit}");
    let table = folder.run("fit data.csv --target y").stdout;
    assert!(table.contains("log-likelihood") && table.contains("before it:"), "{table}");
    assert!(!folder.run("fit data.csv --target y --solver gd").stdout.contains("before it:"));
}

/// Labels of exactly 1 that were squeezed into (0, 1): the likelihood leads by thousands, and the fit stays after φ.
#[test]
fn squeezed_labels_keep_the_noise_after_the_activation() {
    let text = include_str!("../../data/k401k.csv");
    let n = text.lines().count() as f64 - 1.0;
    let squeeze = |line: &str| {
        let (covariates, label) = line.rsplit_once(',').unwrap();
        let label = label.parse::<f64>().map_or(label.to_owned(), |y| ((y * (n - 1.0) + 0.5) / n).to_string());
        format!("{covariates},{label}\n")
    };
    let folder = Folder::with(&[("squeezed.csv", &text.lines().map(squeeze).collect::<String>())]);
    let fit = folder.fit("squeezed.csv --target participation --noise auto");
    assert_eq!((fit["noise"].as_str(), &fit["certified"]), (Some("post"), &Value::Bool(true)), "{fit}");
    assert!(number(&fit["loss"]) < number(&fit["certificate"]["baseline_loss"]), "{fit}");
    let table = folder.run("fit squeezed.csv --target participation").stdout;
    assert!(
        beside(&table, "note").is_none() && table.replace("\n            ", " ").contains("too many responses"),
        "{table}"
    );
}

/// A model has one r² on the same rows, whether a fit or a score tells it.
#[test]
fn fit_and_score_tell_the_same_r_squared() {
    for (activation, noise) in [("softplus", "pre:0.8"), ("sigmoid", "pre:1.5"), ("exp", "pre:0.4")] {
        let folder = Folder::new();
        let words = format!("simulate --rows 400 --features 3 --activation {activation} --noise {noise} -o d.csv");
        assert_eq!(folder.run(&words).code, Some(0));
        for noise in ["pre", "post", "auto"] {
            let words =
                format!("fit d.csv --target y --activation {activation} --noise {noise} --model m.json --force");
            let fit = folder.run(&words).stdout;
            let score = folder.run("score m.json d.csv").stdout;
            let [told, scored] = [&fit, &score].map(|table| beside(table, "r²").unwrap());
            assert!(told.parse::<f64>().is_ok(), "{fit}");
            assert_eq!(told, scored, "{activation}, {noise}");
            // a fit under noise before φ is told by its means, not by φ(xᵀw + b)
            let [loss, of_means] = [&fit, &score].map(|table| beside(table, "loss").unwrap().to_owned());
            assert_eq!(loss == of_means, noise == "post" || fit.contains("after the activation"), "{fit}{score}");
        }
    }
}
