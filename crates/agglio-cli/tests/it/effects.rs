//! `effects`: average marginal effects of a model file, against statsmodels (`golden/inference.py` and `golden/effects.py`).

use agglio::inference::Distribution;
use serde_json::Value;

use crate::{Folder, assert_close, number};

const K401K: &str = include_str!("../../data/k401k.csv");
const SQUARES: &str = include_str!("../../../agglio/tests/it/golden/inference.json");
const SHARES: &str = include_str!("../../../agglio/tests/it/golden/effects.json");
const NAMES: [&str; 4] = ["match_rate", "age", "log_employment", "sole_plan"];

fn golden(text: &str, name: &str) -> Value {
    serde_json::from_str::<Value>(text).unwrap()[name].clone()
}

/// The 401(k) data with weights and offsets, as `golden/inference.py` makes them.
fn plans() -> Folder {
    let mut lines = K401K.lines();
    let header = format!("{},w,o\n", lines.next().unwrap());
    let line = |(i, line): (usize, &str)| format!("{line},{},{}\n", 0.5 + (i % 4) as f64, 0.1 * (i % 3) as f64);
    Folder::with(&[("k.csv", &(header + &lines.enumerate().map(line).collect::<String>()))])
}

fn effects(folder: &Folder, words: &str) -> Value {
    let run = folder.run(&format!("effects {words} --format json"));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{words}");
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn effects_are_those_of_statsmodels() {
    let folder = plans();
    let words =
        "k.csv --target participation --features match_rate,age,log_employment,sole_plan --force --model m.json";
    for (fit, flags, expected) in [
        ("", "", golden(SQUARES, "plain")["statsmodels_effects"].clone()),
        ("--weights w --offset o", "--weights w", golden(SQUARES, "weighted")["effects"].clone()),
        ("--loss bernoulli", "", golden(SHARES, "hc0")),
        ("--loss bernoulli --se classical", "", golden(SHARES, "classical")),
        ("--loss bernoulli", "--weights w", golden(SHARES, "weighted")),
    ] {
        assert_eq!(folder.run(&format!("fit {words} {fit}")).code, Some(0), "{fit}");
        let found = effects(&folder, &format!("m.json k.csv {flags}"));
        assert_eq!((&found["rows"], &found["target"]), (&1534.into(), &"participation".into()));
        for (j, name) in NAMES.into_iter().enumerate() {
            let own = &found["effects"][name];
            assert_close(number(&own["effect"]), number(&expected[0][j]), 1e-7);
            assert_close(number(&own["standard_error"]), number(&expected[1][j]), 1e-7);
            assert_close(number(&own["t"]), number(&own["effect"]) / number(&own["standard_error"]), 1e-12);
            let half = 0.5 * (number(&own["interval"][1]) - number(&own["interval"][0]));
            let t = Distribution::T { df: 1529.0 }.upper_quantile(0.025);
            assert_close(half, t * number(&own["standard_error"]), 1e-9);
        }
    }
}

/// A free response scale belongs to the effect and to its error, whatever its parameters are called.
#[test]
fn effects_of_a_curve_are_those_of_scipy() {
    let own = golden(SHARES, "four");
    let column = |name: &str| own[name].as_array().unwrap().iter().map(number).collect::<Vec<f64>>();
    let rows: String = column("x").iter().zip(column("y")).map(|(x, y)| format!("{x:e},{y:e}\n")).collect();
    let folder = Folder::with(&[("d.csv", &("x,y\n".to_owned() + &rows))]);
    for words in ["--range free,free", "--affine free,free"] {
        let fit = folder.run(&format!("fit d.csv --target y {words} --model m.json --force"));
        assert_eq!(fit.code, Some(0), "{words}: {}", fit.stdout);
        let effect = effects(&folder, "m.json d.csv")["effects"]["x"].clone();
        assert_close(number(&effect["effect"]), number(&own["effect"]), 1e-7);
        assert_close(number(&effect["standard_error"]), number(&own["error"]), 1e-6);
    }
    // the slope of a line has its own standard error
    let fit = folder.fit("d.csv --target y --activation identity --model m.json --force");
    let line = effects(&folder, "m.json d.csv")["effects"]["x"].clone();
    assert_close(number(&line["effect"]), number(&fit["coefficients"]["x"]), 1e-12);
    assert_close(number(&line["standard_error"]), number(&fit["standard_errors"]["x"]), 1e-9);
}

#[test]
fn effects_have_the_forms_of_a_table() {
    let folder = plans();
    let fit = "fit k.csv --formula participation~match_rate+log(age)+match_rate:sole_plan --model m.json";
    assert_eq!(folder.run(fit).code, Some(0));
    let table = folder.run("effects m.json k.csv --level 0.9").stdout;
    for word in
        ["effect", "std. error", "P>|t|", "[0.05", "0.95]", "log(age)", "match_rate:sole_plan", "rows", "classical"]
    {
        assert!(table.contains(word), "no {word} in\n{table}");
    }
    assert!(!table.contains("(intercept)") && table.lines().all(|line| line.chars().count() <= 80), "{table}");
    let tidy = folder.run("effects m.json k.csv --format tidy").stdout;
    assert!(tidy.starts_with("term,estimate,std.error,statistic,p.value,conf.low,conf.high\nmatch_rate,"), "{tidy}");
    let rows: Vec<Value> = serde_json::from_str(&folder.run("effects m.json k.csv --format tidy:json").stdout).unwrap();
    let found = effects(&folder, "m.json k.csv");
    for row in &rows {
        let own = &found["effects"][row["term"].as_str().unwrap()];
        assert_eq!(
            (&row["estimate"], &row["p.value"], &row["conf.low"]),
            (&own["effect"], &own["p_value"], &own["interval"][0])
        );
    }
    assert_eq!(rows.len(), 3);
    // a file in pieces, from a pipe, is the same sum
    let piped = folder.run_with_input("effects m.json - --format tidy", &folder.read("k.csv"));
    assert_eq!(piped.stdout, tidy);
}

#[test]
fn what_has_no_effects_says_why() {
    let folder = Folder::with_data();
    folder.run("fit data.csv --target y --noise pre --activation tanh --model pre.json");
    folder.run("fit data.csv --target y --noise pre --model pre.json --force");
    folder.run("fit data.csv --target y --se none --model none.json");
    folder.run("fit data.csv --target y --model m.json");
    folder.write("zero.csv", "x1,x2,x3,w\n1,2,3,0\n2,3,1,0\n");
    for (words, reason) in [
        ("none.json data.csv", "the fit had no standard errors"),
        ("pre.json data.csv", "noise after the activation only"),
        ("m.json data.csv --format glance", "table, json or tidy"),
        ("m.json data.csv --level 2", "between 0 and 1"),
        ("m.json data.csv --weights size", "no column is called `size`"),
        ("m.json data.csv --weights x1", "used"),
        ("m.json zero.csv --weights w", "no row has a weight above zero"),
    ] {
        let run = folder.run(&format!("effects {words}"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{words}");
        assert!(run.stderr.contains(reason), "{words}: {}", run.stderr);
    }
}
