//! From a fit to an answer: standard errors, intervals, tests and doses, against statsmodels, scipy, NIST and drc.

use serde_json::Value;

use crate::{Folder, assert_close, number};

const K401K: &str = include_str!("../../data/k401k.csv");
const GOLDEN: &str = include_str!("../../../agglio/tests/it/golden/inference.json");
const NAMES: [&str; 5] = ["match_rate", "age", "log_employment", "sole_plan", "(intercept)"];
const RAT42: &str = "x,y\n9,8.93\n14,10.80\n21,18.59\n28,22.33\n42,39.35\n57,56.11\n63,61.73\n70,64.62\n79,67.08\n";

fn golden() -> Value {
    serde_json::from_str::<Value>(GOLDEN).unwrap()["plain"].clone()
}

fn plans() -> Folder {
    Folder::with(&[("k.csv", K401K)])
}

/// ryegrass of R's package drc: root length against concentration.
fn ryegrass() -> String {
    let doses = ["0", "0.94", "1.88", "3.75", "7.5", "15", "30"];
    let roots = [
        "7.58 8 8.3285714 7.25 7.375 7.9625",
        "8.3555556 6.9142857 7.75",
        "6.8714286 6.45 5.9222222",
        "1.925 2.8857143 4.2333333",
        "1.1875 0.8571429 1.0571429",
        "0.6875 0.525 0.825",
        "0.25 0.22 0.44",
    ];
    let pairs = doses.iter().zip(roots).flat_map(|(dose, roots)| roots.split(' ').map(move |root| (dose, root)));
    pairs.fold("conc,rootl\n".to_owned(), |text, (dose, root)| format!("{text}{dose},{root}\n"))
}

#[test]
fn standard_errors_of_every_kind_are_those_of_statsmodels() {
    let (folder, golden) = (plans(), golden());
    let words = "k.csv --target participation --features match_rate,age,log_employment,sole_plan";
    for kind in ["classical", "hessian", "hc0", "hc1", "hc2", "hc3", "cluster"] {
        let typed = if kind == "cluster" { "cluster:age" } else { kind };
        let fit = folder.fit(&format!("{words} --se {typed}"));
        let own = &golden["kinds"][kind];
        assert_eq!((fit["se"].as_str(), number(&fit["interval_level"])), (Some(kind), 0.95));
        assert_eq!(fit["covariance"]["names"], serde_json::json!(NAMES));
        // second derivatives of the golden file are differences
        let tolerance = if kind == "hessian" { 1e-6 } else { 1e-8 };
        for (j, name) in NAMES.into_iter().enumerate() {
            assert_close(number(&fit["standard_errors"][name]), number(&own["standard_errors"][j]), tolerance);
            assert_close(number(&fit["covariance"]["matrix"][j][0]), number(&own["covariance"][j][0]), tolerance);
            // statsmodels has no intervals of this kind
            for side in (0..2).filter(|_| kind != "hessian") {
                assert_close(number(&fit["intervals"][name][side]), number(&own["intervals"][j][side]), tolerance);
            }
        }
    }
}

#[test]
fn statistics_tests_and_profiles_are_those_of_statsmodels_and_scipy() {
    let (folder, golden) = (plans(), golden());
    let hypotheses = ["match_rate = sole_plan", "2*age - log_employment = 0.2, sole_plan = 0"];
    let mut words = vec!["fit", "k.csv", "--target", "participation", "--format", "json", "--intervals", "profile"];
    hypotheses.iter().for_each(|text| words.extend(["--test", text]));
    let run = folder.command(&words).output().unwrap();
    let fit: Value = serde_json::from_slice(&run.stdout).unwrap();
    for name in ["r_squared", "sigma", "log_likelihood", "aic", "aicc", "bic"] {
        assert_close(number(&fit[name]), number(&golden["goodness"][name]), 1e-9);
    }
    assert_eq!(fit["df_residual"], 1529);
    for (text, test) in hypotheses.iter().zip(fit["tests"].as_array().unwrap()) {
        let own = &golden["kinds"]["classical"]["tests"][*text];
        assert_eq!(test["hypothesis"], *text);
        assert_close(number(&test["f"]), number(&own[0]), 1e-8);
        assert_close(number(&test["p_value"]), number(&own[1]), 1e-7);
    }
    for (j, name) in NAMES.into_iter().enumerate() {
        for side in 0..2 {
            assert_close(number(&fit["intervals"][name][side]), number(&golden["profile"][j][side]), 1e-6);
        }
    }
}

#[test]
fn rat42_has_its_certified_values() {
    let fit = Folder::with(&[("rat42.csv", RAT42)]).fit("rat42.csv --target y --range 0,free");
    let certified = [
        (number(&fit["affine"]["scale"]), 7.2462237576E+01),
        (number(&fit["standard_errors"]["upper"]), 1.7340283401E+00),
        (-number(&fit["intercept"]), 2.6180768402E+00),
        (number(&fit["standard_errors"]["(intercept)"]), 8.8295217536E-02),
        (number(&fit["coefficients"]["x"]), 6.7359200066E-02),
        (number(&fit["standard_errors"]["x"]), 3.4465663377E-03),
        (number(&fit["sigma"]), 1.1587725499E+00),
    ];
    certified.into_iter().for_each(|(found, expected)| assert_close(found, expected, 2e-9));
    let (w, b) = (number(&fit["coefficients"]["x"]), number(&fit["intercept"]));
    assert_eq!(fit["midpoint"]["name"], "midpoint");
    assert_close(number(&fit["midpoint"]["estimate"]), -b / w, 1e-12);
    assert_close(number(&fit["slope"]["estimate"]), 0.25 * w * number(&fit["affine"]["scale"]), 1e-12);
}

/// `ED(drm(rootl ~ conc, fct = LL.4()), c(10, 50, 90))` of drc; the standard error of the dose is on its original scale.
#[test]
fn effective_doses_are_those_of_drc() {
    let folder = Folder::with(&[("rye.csv", &ryegrass())]);
    let words = "rye.csv --target rootl --features log(conc) --range free,free";
    let fit = folder.fit(&format!("{words} --ec 10,50,90"));
    assert_eq!(fit["midpoint"]["name"], "ec50");
    assert_close(number(&fit["midpoint"]["estimate"]), 3.05795517, 1e-7);
    assert_close(number(&fit["midpoint"]["standard_error"]), 0.18573, 1e-3);
    let doses = fit["ec"].as_array().unwrap();
    let hill = number(&fit["coefficients"]["log(conc)"]).abs();
    for (dose, odds) in doses.iter().zip([1.0_f64 / 9.0, 1.0, 9.0]) {
        assert_close(number(&dose["estimate"]), 3.05795517 * odds.powf(1.0 / hill), 1e-7);
    }
    let ends = [0, 1].map(|side| number(&fit["midpoint"]["interval"][side]));
    let log_error = number(&fit["midpoint"]["standard_error"]) / 3.05795517;
    // t with 20 degrees of freedom
    assert_close((ends[1] / ends[0]).ln(), 2.0 * 2.085_963_447 * log_error, 1e-7);
    let table = folder.run(&format!("fit {words}")).stdout;
    for word in ["lower", "upper", "ec50", "slope at ec50", "[0.025", "P>|t|"] {
        assert!(table.contains(word), "no {word} in\n{table}");
    }
}

#[test]
fn where_there_is_no_inference_the_reason_stands() {
    let folder = Folder::with_data();
    for (words, reason) in [
        ("--solver gd:tau0=1 --epochs 5", "certified"),
        ("--l2 0.01", "penalty"),
        ("--radius 9", "radius"),
        ("--tau-max 0.5", "τ = 1"),
        ("--se none", "asked for"),
    ] {
        let fit = folder.fit(&format!("data.csv --target y {words}"));
        for name in
            ["standard_errors", "covariance", "se", "sigma", "aic", "aicc", "interval_level", "intervals", "midpoint"]
        {
            assert!(fit[name].is_null(), "{words}: {name}");
        }
        assert!(fit["inference_note"].as_str().unwrap().contains(reason), "{words}: {}", fit["inference_note"]);
        let table = folder.run(&format!("fit data.csv --target y {words}")).stdout;
        assert!(table.contains("std. errors") && table.contains("none: ") && !table.contains("P>|t|"), "{table}");
    }
    let fit = folder.fit("data.csv --target y");
    assert!(fit["inference_note"].is_null());
}

#[test]
fn bad_usage_is_refused_before_data_is_read() {
    let folder = Folder::new();
    for (words, reason) in [
        ("--se robust", "classical, hessian"),
        ("--se cluster", "name the column"),
        ("--se bootstrap:1", "between 2 and 1000000"),
        ("--se bootstrap:200:tame", "only `wild` may follow"),
        ("--se bootstrap:1:wild", "between 2 and 1000000"),
        ("--se bootstrap:wild", "between 2 and 1000000"),
        ("--se bootstrap:200:wild --loss bernoulli", "needs least squares"),
        ("--se hc3:firm", "only cluster takes a column"),
        ("--level 95", "between 0 and 1"),
        ("--level 0", "between 0 and 1"),
        ("--intervals exact", "`wald` or `profile`"),
        ("--intervals profile --se hc3", "equal variance"),
        ("--intervals profile --se none", "leave out --se none"),
        ("--ec 0,50", "percentage"),
        ("--ec 50 --activation softplus", "asymptote"),
        ("--ec 50 --se none", "leave out --se none"),
        ("--test x1", "equation"),
        ("--format tidy:xml", "tidy"),
        ("--format json:json", "table, json"),
    ] {
        let run = folder.run(&format!("fit absent.csv --target y {words}"));
        assert_eq!(run.code, Some(2), "{words}");
        assert!(run.stderr.contains(reason) && !run.stderr.contains("absent.csv"), "{words}: {}", run.stderr);
    }
}

#[test]
fn bad_questions_are_refused_before_the_fit() {
    let folder = Folder::with_data();
    let refused = |words: &[&str], reason: &str| {
        let run = folder.command(&[&["fit", "data.csv", "--target", "y"], words].concat()).output().unwrap();
        let stderr = String::from_utf8(run.stderr).unwrap();
        assert!(
            run.status.code() == Some(2) && run.stdout.is_empty() && stderr.contains(reason),
            "{words:?}: {stderr}"
        );
    };
    refused(&["--ec", "50"], "exactly one covariate");
    refused(&["--test", "x1 = x9"], "no coefficient is called `x9`");
    refused(&["--test", "x1 = x1"], "no coefficient is left");
    refused(&["--se", "cluster:firm"], "no column is called `firm`");
}

#[test]
fn broom_has_its_columns() {
    let folder = plans();
    let lines = |format: &str| {
        let run = folder.run(&format!("fit k.csv --target participation --format {format}"));
        run.stdout.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    let fit = folder.fit("k.csv --target participation");
    let tidy = lines("tidy");
    assert_eq!(tidy[0], ["term", "estimate", "std.error", "statistic", "p.value", "conf.low", "conf.high"]);
    assert_eq!((tidy.len(), tidy[1][0].as_str(), tidy[2][0].as_str()), (6, "(intercept)", "match_rate"));
    assert_eq!(tidy[2][2].parse::<f64>().unwrap(), number(&fit["standard_errors"]["match_rate"]));
    let glance = lines("glance");
    let at = |name: &str| glance[1][glance[0].iter().position(|other| other == name).unwrap()].parse::<f64>().unwrap();
    assert_eq!([at("nobs"), at("df.residual"), at("AIC")], [1534.0, 1529.0, number(&fit["aic"])]);
    let names = "r.squared,adj.r.squared,sigma,isConv,finTol,logLik,AIC,BIC,deviance,df.residual,nobs";
    assert_eq!(glance[0].join(","), names);
    assert_close(at("adj.r.squared"), 0.18866884600019496, 1e-9);
    let augment = lines("augment");
    assert_eq!(augment[0][5..], [".fitted", ".resid", ".se.fit", ".hat", ".std.resid", ".cooksd"]);
    let column = |j: usize| augment[1..].iter().map(|row| row[j].parse::<f64>().unwrap()).collect::<Vec<f64>>();
    assert_close(column(6).iter().map(|r| r * r).sum::<f64>(), at("deviance"), 1e-9);
    // leverages sum to the number of coefficients
    assert_close(column(8).iter().sum::<f64>(), 5.0, 1e-9);
    let json = folder.run("fit k.csv --target participation --format tidy:json").stdout;
    let rows: Vec<Value> = serde_json::from_str(&json).unwrap();
    assert_eq!((rows.len(), &rows[0]["term"]), (5, &"(intercept)".into()));
}

/// The columns of augment are those of a linear model, and glance has the deviance of a GLM under the quasi-likelihood.
#[test]
fn broom_has_the_numbers_of_r() {
    let golden: Value = serde_json::from_str(include_str!("golden/broom.json")).unwrap();
    let column = |name: &str| golden["columns"][name].as_array().unwrap().iter().map(number).collect::<Vec<f64>>();
    let [y, wt, hp, w] = ["y", "wt", "hp", "w"].map(column);
    let line = |i: usize| format!("{},{},{},{},{}\n", y[i], y[i] / 40.0, wt[i], hp[i], w[i]);
    let text = "y,share,wt,hp,w\n".to_owned() + &(0..y.len()).map(line).collect::<String>();
    let folder = Folder::with(&[("cars.csv", &text)]);
    let rows = |words: &str| -> Vec<Value> {
        serde_json::from_str(&folder.run(&format!("fit cars.csv --features wt,hp --weights w {words}")).stdout).unwrap()
    };
    for (i, row) in rows("--target y --activation identity --format augment:json").iter().enumerate() {
        for (name, values) in golden["augment"].as_object().unwrap() {
            let (found, expected) = (number(&row[name]), number(&values[i]));
            assert!((found - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{name} {i}: {found} {expected}");
        }
    }
    let glance = rows("--target share --format glance:json");
    for (name, value) in golden["glance"].as_object().unwrap() {
        assert_close(number(&glance[0][name]), number(&value[0]), 1e-9);
    }
    assert_eq!(glance[0]["isConv"], true);
    let shares = rows("--target share --loss bernoulli --format glance:json");
    assert_close(number(&shares[0]["deviance"]), number(&golden["deviance"]), 1e-9);
}

#[test]
fn a_model_is_shown_as_it_was_fitted() {
    let folder = Folder::with(&[("rye.csv", &ryegrass()), ("k.csv", K401K)]);
    for words in
        ["rye.csv --target rootl --features log(conc) --range free,free", "k.csv --target participation --se hc3"]
    {
        let table = folder.run(&format!("fit {words} --model m.json --force")).stdout;
        let shown = folder.run("show m.json");
        assert_eq!((shown.code, shown.stderr.as_str()), (Some(0), ""));
        let head = |text: &str| text.split("\n\n").next().unwrap().to_owned();
        assert_eq!(head(&shown.stdout), head(&table));
        for line in table.lines().filter(|line| line.starts_with("residual") || line.starts_with("ec50")) {
            assert!(shown.stdout.contains(line), "no {line} in\n{}", shown.stdout);
        }
        let fit = folder.fit(words);
        let json: Value = serde_json::from_str(&folder.run("show m.json --format json").stdout).unwrap();
        for name in ["coefficients", "standard_errors", "covariance", "intervals", "se", "midpoint", "slope", "aic"] {
            assert_eq!(json[name], fit[name], "{name}");
        }
    }
    folder.run("fit k.csv --target participation --se none --model m.json --force");
    assert!(folder.run("show m.json").stdout.contains("none: the model file has no covariance"));
}

#[test]
fn tables_fit_80_columns() {
    let long = "a_very_long_name_of_a_column_that_nobody_would_like_to_type_twice_in_a_row_or_ever";
    let folder = Folder::with(&[("k.csv", &K401K.replace("match_rate", long))]);
    for words in ["", "--level 0.999", "--intervals profile"] {
        let table = folder.run(&format!("fit k.csv --target participation {words}")).stdout;
        assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    }
}

/// A middle beyond the last dose is extrapolated.
#[test]
fn a_midpoint_outside_the_data_is_told() {
    let table = |middle: f64| {
        let response = |dose: f64| 1.0 / (1.0 + (middle / dose).powi(2));
        let row = |k: i32| format!("{k},{}\n", response(f64::from(k)) + 0.001 * f64::from(k % 3 - 1));
        "dose,y\n".to_owned() + &(1..30).map(row).collect::<String>()
    };
    let folder = Folder::with(&[("outside.csv", &table(50.0)), ("inside.csv", &table(9.0))]);
    let outside = folder.run("fit outside.csv --formula y~log(dose)").stderr;
    assert!(outside.starts_with("warning: ec50 is 49.9") && outside.contains("outside the data (1.0"), "{outside}");
    for words in ["inside.csv --formula y~log(dose)", "outside.csv --formula y~dose"] {
        assert!(!folder.run(&format!("fit {words}")).stderr.contains("extrapolated"), "{words}");
    }
}

/// The sample of many rows is named, and the radius is null without standard errors, or if no bound is known.
#[test]
fn the_radius_of_uniqueness_is_printed_and_in_the_object() {
    let folder = plans();
    let words = "k.csv --target participation --features match_rate,age,log_employment,sole_plan";
    let fit = folder.fit(words);
    assert!(number(&fit["unique_within"]) > 0.1);
    assert_eq!(number(&fit["unique_within_rows"]), 1534.0);
    // scipy: sqrt(chi2.ppf(0.95, 5))
    assert_close(number(&fit["ellipsoid_95"]), 3.327235743604043, 1e-10);
    let others = [
        ("--se none", false),
        ("--loss bernoulli", false),
        ("--range free,free", false),
        ("--l2 0.1", false),
        ("--se hc3", true),
        ("--se hessian", true),
    ];
    for (flags, has_one) in others {
        let other = folder.fit(&format!("{words} {flags}"));
        for field in ["unique_within", "unique_within_rows", "ellipsoid_95"] {
            assert_eq!(other[field].is_null(), !has_one, "{flags}: {field}");
        }
        if has_one {
            assert_close(number(&other["unique_within"]), number(&fit["unique_within"]), 1e-6);
        }
        assert_eq!(folder.run(&format!("fit {words} {flags}")).stdout.contains("\nuniqueness "), has_one, "{flags}");
    }
    folder.run("simulate --rows 3000 --features 2 --activation sigmoid --noise post:.1 -o many.csv");
    let table = folder.run("fit many.csv --target y --activation sigmoid").stdout;
    let words: Vec<&str> = table.split_whitespace().collect();
    assert!(words.join(" ").contains("; on 2048 of the rows"), "{table}");
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
}

/// A dose of zero lies at minus infinity for one sign of the slope, so the radius ends where the slope is zero.
#[test]
fn the_radius_of_uniqueness_ends_where_a_slope_is_zero() {
    let mut lines = vec!["dose,y".to_owned()];
    for (dose, y) in [("0", 0.02), ("0", 0.01), ("1", 0.15), ("2", 0.32), ("4", 0.5), ("8", 0.71), ("16", 0.88)] {
        lines.push(format!("{dose},{y}"));
    }
    let folder = Folder::with(&[("dose.csv", &lines.join("\n"))]);
    let fit = folder.fit("dose.csv --target y --features log(dose) --activation sigmoid");
    let name = "log(dose)";
    let t = number(&fit["coefficients"][name]) / number(&fit["standard_errors"][name]);
    assert!(number(&fit["unique_within"]) <= t * (1.0 + 1e-9), "{} {t}", fit["unique_within"]);
}
