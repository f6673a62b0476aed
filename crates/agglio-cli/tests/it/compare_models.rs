//! `compare` with several models: statistics, and tests of nested models beside those of R.

use serde_json::Value;

use crate::{Folder, assert_close, number};

/// Fits of nls and glm with their anova; nested.R beside it made them.
const GOLDEN: &str = include_str!("golden/nested.json");

const FIELDS: [&str; 15] = [
    "model",
    "parameters",
    "deviance",
    "df_residual",
    "log_likelihood",
    "aic",
    "bic",
    "loss",
    "noise",
    "passes",
    "seconds",
    "status",
    "certified",
    "distance",
    "note",
];

/// A folder with `d.csv`, the data of a golden comparison, and the comparison itself.
fn golden(name: &str) -> (Folder, Value) {
    let golden = serde_json::from_str::<Value>(GOLDEN).unwrap()[name].take();
    let columns = golden["columns"].as_object().unwrap();
    let rows = columns.values().next().unwrap().as_array().unwrap().len();
    let line = |i: usize| columns.values().map(|column| column[i].to_string()).collect::<Vec<_>>().join(",") + "\n";
    let header = columns.keys().cloned().collect::<Vec<_>>().join(",") + "\n";
    (Folder::with(&[("d.csv", &(header + &(0..rows).map(line).collect::<String>()))]), golden)
}

/// Runs `compare` with words that may have spaces.
fn run(folder: &Folder, words: &[&str]) -> (Option<i32>, String, String) {
    let output = folder.command(&[&["compare", "d.csv"], words].concat()).output().unwrap();
    let [stdout, stderr] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (output.status.code(), stdout, stderr)
}

fn compare(folder: &Folder, words: &[&str]) -> Value {
    let (code, stdout, stderr) = run(folder, &[words, &["--format", "json"]].concat());
    assert_eq!(code, Some(0), "{words:?}: {stderr}");
    serde_json::from_str(&stdout).unwrap()
}

#[test]
fn nested_models_are_compared_as_by_anova_of_r() {
    let kinetics = ["--target", "rate", "--features", "conc", "--curve", "hill", "--curve", "michaelis-menten"];
    let growth = ["--target", "density", "--features", "conc", "--curve", "LL.3", "--curve", "LL.4"];
    let asymptotes = ["--target", "density", "--features", "log(conc)", "--range", "free,free", "--range", "0,free"];
    let (both, one, more) = ("share ~ hp + wt", "share ~ wt", "share ~ wt*hp + qsec");
    let terms = ["--weights", "weight", "--formula", both, "--formula", more, "--formula", one];
    for (name, words) in
        [("kinetics", &kinetics[..]), ("growth", &growth[..]), ("growth", &asymptotes[..]), ("terms", &terms[..])]
    {
        let (folder, golden) = golden(name);
        let found = compare(&folder, words);
        let (models, tests) = (found["models"].as_array().unwrap(), found["tests"].as_array().unwrap());
        assert_eq!((models.len(), tests.len()), (golden["models"].as_array().unwrap().len(), models.len() - 1));
        for (model, own) in models.iter().zip(golden["models"].as_array().unwrap()) {
            assert_eq!((&model["parameters"], &model["df_residual"]), (&own["parameters"], &own["df"]));
            assert_eq!(
                (&model["certified"], &model["note"], &model["error"]),
                (&true.into(), &Value::Null, &Value::Null)
            );
            for (field, of_r) in
                [("deviance", "rss"), ("log_likelihood", "log_likelihood"), ("aic", "aic"), ("bic", "bic")]
            {
                assert_close(number(&model[field]), number(&own[of_r]), 1e-9);
            }
        }
        for (k, test) in tests.iter().enumerate() {
            assert_eq!((&test["model"], &test["within"]), (&models[k]["model"], &models[k + 1]["model"]));
            let [f, ratio] = [&test["f"], &test["likelihood_ratio"]];
            assert_eq!(number(&f["df"][1]), number(&models[k + 1]["df_residual"]));
            assert_eq!(number(&f["df"][0]), number(&ratio["df"]));
            // differences of nearly equal numbers
            assert_close(number(&f["statistic"]), number(&golden["f"][k]), 1e-7);
            assert_close(number(&f["p_value"]), number(&golden["p"][k]), 1e-7);
            assert_close(number(&ratio["statistic"]), number(&golden["ratio"][k]), 1e-7);
            assert_close(number(&ratio["p_value"]), number(&golden["ratio_p"][k]), 1e-7);
        }
    }
}

/// A quasi-likelihood has no likelihood ratio, unless every response is zero or one.
#[test]
fn quasi_likelihoods_are_compared_by_the_analysis_of_deviance_of_r() {
    for (name, has_ratio) in [("shares", false), ("binary", true)] {
        let (folder, golden) = golden(name);
        let words = ["--loss", "bernoulli", "--formula", "y ~ hp + wt", "--formula", "y ~ wt"];
        let test = compare(&folder, &words)["tests"][0].take();
        // the dispersion of R has the weights of the last step but one
        assert_close(number(&test["f"]["statistic"]), number(&golden["f"]), 1e-7);
        assert_close(number(&test["f"]["p_value"]), number(&golden["p"]), 1e-6);
        if has_ratio {
            assert_close(number(&test["likelihood_ratio"]["statistic"]), number(&golden["ratio"]), 1e-8);
            assert_close(number(&test["likelihood_ratio"]["p_value"]), number(&golden["ratio_p"]), 1e-7);
        }
        assert_eq!(test["likelihood_ratio"].is_null(), !has_ratio);
        let table = run(&folder, &words).1;
        assert!(table.contains("−2 ln L") && !table.contains("RSS"), "{table}");
        assert_eq!(
            (table.contains("no likelihood-ratio test"), table.contains("χ²")),
            (!has_ratio, has_ratio),
            "{table}"
        );
    }
}

#[test]
fn each_model_is_the_fit_of_its_own_flags() {
    let (folder, _) = golden("growth");
    let curves = ["LL.3", "SSlogis", "LL.4"];
    let words: Vec<&str> = curves.iter().flat_map(|curve| ["--curve", curve]).collect();
    let found = compare(&folder, &[&["--target", "density", "--features", "conc"], words.as_slice()].concat());
    let keys: Vec<&str> = found.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["models", "tests", "solver", "rows", "version"]);
    assert_eq!((&found["solver"], &found["rows"]), (&"auto".into(), &16.into()));
    for (model, curve) in found["models"].as_array().unwrap().iter().zip(curves) {
        let keys: Vec<&str> = model.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, [&FIELDS[..], &["error"]].concat());
        let fit = folder.fit(&format!("d.csv --target density --features conc --curve {curve}"));
        assert_eq!(model["model"], curve);
        for name in ["loss", "noise", "passes", "status", "certified", "df_residual", "log_likelihood", "aic", "bic"] {
            assert_eq!(model[name], fit[name], "{curve}: {name}");
        }
    }
    let tests = found["tests"].as_array().unwrap();
    assert_eq!((&tests[0]["within"], &tests[0]["note"]), (&"LL.4".into(), &Value::Null));
    assert_eq!(
        (&tests[1]["model"], &tests[1]["within"], &tests[1]["f"]),
        (&"SSlogis".into(), &Value::Null, &Value::Null)
    );
    assert!(tests[1]["note"].as_str().unwrap().contains("AIC"), "{}", tests[1]);
}

/// All models are fitted to the rows that are complete for all of them.
#[test]
fn models_have_the_same_rows() {
    let text = "a,b,y\n1,2,0.1\n2,NA,0.2\n3,1,0.4\n4,3,0.5\nNA,4,0.5\n5,0,0.8\n6,5,0.9\n7,1,0.7\n";
    let complete: String = text.lines().filter(|line| !line.contains("NA")).map(|line| format!("{line}\n")).collect();
    let folder = Folder::with(&[("d.csv", text), ("complete.csv", &complete)]);
    let models = ["--formula", "y ~ a", "--formula", "y ~ b + a"];
    let (code, _, stderr) = run(&folder, &models);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("d.csv:3") || stderr.contains("line 3"), "{stderr}");
    let found = compare(&folder, &[&models[..], &["--missing", "drop"]].concat());
    assert_eq!(found["rows"], 6);
    let alone = folder.fit("complete.csv --target y --features a");
    assert_eq!((&found["models"][0]["loss"], &found["models"][0]["aic"]), (&alone["loss"], &alone["aic"]));
    let input = folder.run_with_input("compare - --target y --range 0,1 --range 0,free --features b", &complete);
    assert_eq!((input.code, input.stderr.as_str()), (Some(0), ""));
}

#[test]
fn the_table_has_a_line_for_each_model_and_one_for_each_test() {
    let (folder, golden) = golden("terms");
    let formulas = ["share ~ wt", "share ~ wt + hp", "share ~ qsec", "share ~ wt*hp + qsec"];
    let words: Vec<&str> = formulas.iter().flat_map(|formula| ["--formula", formula]).collect();
    let (code, table, stderr) = run(&folder, &[words.as_slice(), &["--weights", "weight"]].concat());
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    let lines: Vec<&str> = table.lines().collect();
    let words = |line: usize| lines[line].split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(0), "model parameters RSS df AIC BIC status");
    let rss = number(&golden["models"][0]["rss"]);
    assert_eq!(words(2), format!("1 share ~ wt 2 {rss:.6} 30 -72.1 -67.7 converged"));
    assert!(words(3).starts_with("2 share ~ qsec 2 ") && words(5).starts_with("4 share ~ wt*hp + qsec 5 "), "{table}");
    assert_eq!(words(7), "model F df p χ² df p");
    assert_eq!(words(9), "1 in 3 17.9 1, 29 <0.001 15.4 1 <0.001");
    assert!(words(10).starts_with("2 in 4 ") && words(11) == "3 in 4 9.67 2, 27 0.001 17.3 2 <0.001", "{table}");
}

/// A fit that is not certified has no statistics, and is not tested.
#[test]
fn where_there_is_no_test_the_reason_stands() {
    let (folder, _) = golden("terms");
    let models = ["--formula", "share ~ wt", "--formula", "share ~ wt + hp"];
    for (words, reason) in [
        (&["--solvers", "gd:epochs=3"][..], "not certified: iteration limit"),
        (&["--radius", "9"], "radius"),
        (&["--solvers", "auto:l2=0.1"], "penalty"),
        (&["--tau-max", "0.5"], "τ = 1"),
    ] {
        let words = [&models[..], words].concat();
        let found = compare(&folder, &words);
        for model in found["models"].as_array().unwrap() {
            assert!(model["note"].as_str().unwrap().contains(reason), "{words:?}: {model}");
            assert!(["deviance", "aic", "bic", "df_residual"].iter().all(|name| model[name].is_null()), "{model}");
        }
        let test = &found["tests"][0];
        assert!(test["f"].is_null() && test["likelihood_ratio"].is_null(), "{test}");
        assert_eq!(test["note"], "no test, because `share ~ wt` has no statistics");
        let table = run(&folder, &words).1;
        assert!(table.contains(reason) && table.contains("no test") && !table.contains("χ²"), "{table}");
    }
}

/// Noise before φ makes φ⁻¹(y) the response, which differs from scale to scale.
#[test]
fn models_of_different_responses_are_refused() {
    let folder = Folder::with_data();
    let refused = |words: &[&str], reason: &str| {
        let output = folder.command(&[&["compare", "data.csv"], words].concat()).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &[][..]), "{words:?}");
        assert!(stderr.starts_with("error: ") && stderr.contains(reason), "{words:?}: {stderr}");
    };
    let ranges = ["--target", "y", "--range", "-1,2", "--range", "-1,3"];
    refused(&[&ranges[..], &["--noise", "pre"]].concat(), "the response is φ⁻¹(y)");
    refused(&[&ranges[..], &["--solvers", "linear"]].concat(), "the response is φ⁻¹(y)");
    refused(&[&ranges[..], &["--noise", "auto"]].concat(), "choose post or pre");
    refused(&["--formula", "y ~ x1", "--formula", "x2 ~ x1"], "different responses, `y` and `x2`");
    refused(&[&ranges[..], &["--solvers", "auto,gd"]].concat(), "fitted by one solver, but --solvers has 2");
    refused(&["--target", "y"], "nothing to compare");
    refused(&["--target", "y", "--range", "0,1", "--range", "1,0"], "below the second");
    refused(&["--target", "y", "--range", "0,1", "--range", "0;1"], "--range");
    refused(
        &["--target", "y", "--affine", "0,1", "--affine", "0,2", "--range", "0,1", "--range", "0,2"],
        "--range and --affine are both repeated",
    );
    refused(&["--formula", "y ~ x1", "--formula", "y ~ x9"], "no column is called `x9`");
    refused(&["--formula", "y ~ x1", "--formula", "y ~"], "a term is missing");
    refused(&["--target", "y", "--features", "x1", "--curve", "LL.3", "--curve", "LL.9"], "did you mean `LL.3`?");
    refused(&[&ranges[..], &["--truth", "nowhere.json"]].concat(), "nowhere.json");
    let same = ["compare", "data.csv", "--noise", "pre", "--formula", "y ~ x1", "--formula", "y ~ x1 + x2"];
    let same = folder.command(&[&same[..], &["--range", "-2,3"]].concat()).output().unwrap();
    assert!(same.status.code() == Some(0) && String::from_utf8(same.stdout).unwrap().contains("1 in 2"));
}

#[test]
fn traces_are_files_of_a_folder_whole_or_not_at_all() {
    let folder = Folder::new();
    let words = "simulate --rows 200 --features 2 --activation sigmoid --noise post:0.05 -o d.csv --truth w.json";
    assert_eq!(folder.run(words).code, Some(0));
    let words = ["--target", "y", "--solvers", "auto,sgd:batch=20;epochs=9,auto", "--truth", "w.json", "--trace", "t"];
    assert_eq!(run(&folder, &words).0, Some(0));
    let names = || {
        let mut names: Vec<String> = folder
            .path("t")
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(), ["auto-2.csv", "auto.csv", "sgd-batch=20-epochs=9.csv"]);
    assert_eq!(
        folder.run("fit d.csv --target y --solver sgd:batch=20,epochs=9 --truth w.json --trace f.csv").code,
        Some(3)
    );
    let but_seconds = |name: &str| {
        let text = folder.read(name);
        let line =
            |line: &str| line.split(',').enumerate().filter(|(j, _)| *j != 3).map(|(_, x)| x.to_owned()).collect();
        text.lines().map(line).collect::<Vec<Vec<String>>>()
    };
    assert_eq!(but_seconds("t/sgd-batch=20-epochs=9.csv"), but_seconds("f.csv"));

    // one that exists is kept, and no other is written
    std::fs::remove_file(folder.path("t/auto.csv")).unwrap();
    let (code, stdout, stderr) = run(&folder, &words);
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("the file exists; pass --force"), "{stderr}");
    assert_eq!(names().len(), 2);
    assert_eq!(run(&folder, &[&words[..], &["--force"]].concat()).0, Some(0));
    assert_eq!(names().len(), 3);
    let models = ["--formula", "y ~ x1", "--formula", "y ~ log(x2)", "--trace", "m"];
    let (code, _, stderr) = run(&folder, &models);
    assert!(code == Some(2) && folder.path("m").read_dir().unwrap().next().is_none(), "{stderr}");
    let models = ["--formula", "y ~ x1", "--formula", "y ~ x1 + x2^2", "--trace", "m"];
    assert_eq!(run(&folder, &models).0, Some(0));
    assert!(folder.read("m/y-x1-x2-2.csv").lines().count() > 2 && folder.path("m/y-x1.csv").exists());
    let (code, _, stderr) = run(&folder, &["--target", "y", "--solvers", "auto", "--trace", "d.csv"]);
    assert!(code == Some(2) && stderr.contains("d.csv"), "{stderr}");
}

#[test]
fn the_distance_to_the_truth_is_in_the_result_and_in_the_trace() {
    let folder = Folder::new();
    let words = "simulate --rows 300 --features 3 --activation sigmoid --noise post:0.05 -o d.csv --truth w.json";
    assert_eq!(folder.run(words).code, Some(0));
    for words in ["--solver auto", "--solver gd:epochs=60 --no-intercept", "--solver lm --scaling none"] {
        let words = format!("d.csv --target y --features x3,x1,x2 {words}");
        let fit = folder.fit(&format!("{words} --truth w.json --trace t.csv --force"));
        let truth: Value = serde_json::from_str(&folder.read("w.json")).unwrap();
        let square = |(name, w): (&String, &Value)| (number(w) - number(&truth["coefficients"][name])).powi(2);
        let distance = fit["coefficients"].as_object().unwrap().iter().map(square).sum::<f64>().sqrt();
        assert_close(number(&fit["distance"]), distance, 1e-12);
        let trace = folder.read("t.csv");
        let header = trace.lines().next().unwrap();
        assert_eq!(header, "step,stage,passes,seconds,tau,rows,loss,gradient,accepted,distance");
        let distances: Vec<f64> =
            trace.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().parse().unwrap()).collect();
        assert!(distances.iter().all(|distance| distance.is_finite()) && distances.len() > 2, "{words}");
        // the last step of these fits is the result
        assert_close(*distances.last().unwrap(), distance, 1e-9);
        assert!(folder.fit(&words).get("distance").is_none());
    }
    assert!(folder.run("fit d.csv --target y --truth w.json").stdout.contains("‖w−w*‖"));
    for (words, reason) in [
        ("fit d.csv --target y --drop x1 --truth w.json", "`x1`"),
        ("fit d.csv --target y --truth nowhere.json", "nowhere.json"),
        ("fit d.csv --target y --truth w.json --trace w.json --force", "also an input"),
        ("fit d.csv --target y --truth w.json --by x1", "--truth is about one fit"),
    ] {
        let run = folder.run(words);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{words}");
        assert!(run.stderr.contains(reason), "{words}: {}", run.stderr);
    }
}
