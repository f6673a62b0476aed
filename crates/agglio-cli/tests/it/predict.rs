//! `predict`: intervals, linear predictors, doses of responses and kept columns, against R (`golden/predict.R`).

use agglio::inference::Distribution;
use serde_json::Value;

use crate::{Folder, Numbers, assert_close, number, sigmoid};

const K401K: &str = include_str!("../../data/k401k.csv");
const GOLDEN: &str = include_str!("../../../agglio/tests/it/golden/predict.json");

fn golden(name: &str) -> Value {
    serde_json::from_str::<Value>(GOLDEN).unwrap()[name].clone()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

/// A file of columns of numbers.
fn table(columns: &[(&str, Vec<f64>)]) -> String {
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let line = |i: usize| columns.iter().map(|(_, column)| format!("{:e}", column[i])).collect::<Vec<_>>().join(",");
    let lines: Vec<String> = (0..columns[0].1.len()).map(line).collect();
    format!("{}\n{}\n", names.join(","), lines.join("\n"))
}

/// The rows that `predict` prints, which must all be numbers.
fn predict(folder: &Folder, words: &str) -> Numbers {
    let run = folder.run(&format!("predict {words}"));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{words}");
    Numbers::parse(&run.stdout)
}

/// `linear` of the golden file: its data, new covariates and responses, and a model of it.
fn line() -> (Folder, Value) {
    let own = golden("linear");
    let of = |name: &str| numbers(&own[name]);
    let folder = Folder::with(&[
        ("d.csv", &table(&[("x", of("x")), ("y", of("y"))])),
        ("at.csv", &table(&[("x", of("at"))])),
        ("y.csv", &table(&[("y", of("responses"))])),
    ]);
    assert_eq!(folder.run("fit d.csv --target y --activation identity --model m.json").code, Some(0));
    (folder, own)
}

#[test]
fn intervals_of_a_line_are_those_of_r() {
    let (folder, own) = line();
    for (words, kind) in
        [("confidence", "confidence"), ("prediction", "prediction"), ("confidence --linear", "confidence")]
    {
        let found = predict(&folder, &format!("m.json at.csv --level 0.9 --interval {words}"));
        assert_eq!(found.header, ["prediction", "std_error", "lower", "upper"]);
        for ((row, expected), error) in
            found.rows.iter().zip(own[kind].as_array().unwrap()).zip(numbers(&own["std_error"]))
        {
            let expected = numbers(expected);
            [0, 2, 3].into_iter().zip(expected).for_each(|(j, expected)| assert_close(row[j], expected, 1e-11));
            assert_close(row[1], error, 1e-11);
        }
    }
}

#[test]
fn doses_of_a_line_are_those_of_r() {
    let (folder, own) = line();
    for of in ["confidence", "prediction"] {
        let found = predict(&folder, &format!("m.json y.csv --inverse --level 0.9 --interval {of}"));
        assert_eq!(found.header, ["x", "std_error", "lower", "upper"]);
        for (row, expected) in found.rows.iter().zip(own[format!("inverse_{of}")].as_array().unwrap()) {
            row.iter().zip(numbers(expected)).for_each(|(found, expected)| assert_close(*found, expected, 1e-10));
        }
    }
    // the default treats the response as a mean
    let default = folder.run("predict m.json y.csv --inverse").stdout;
    assert_eq!(default, folder.run("predict m.json y.csv --inverse --interval confidence --level 0.95").stdout);
}

/// An assay (ELISA) of three parameters: concentrations with intervals that are transformed from the logarithm.
#[test]
fn concentrations_of_an_assay_are_those_of_r() {
    let own = golden("elisa");
    let of = |name: &str| numbers(&own[name]);
    let folder = Folder::with(&[
        ("d.csv", &table(&[("conc", of("conc")), ("density", of("density"))])),
        ("y.csv", &table(&[("density", of("responses"))])),
    ]);
    let fits = ["--features log(conc) --range 0,free", "--features log(conc) --affine 0,free"];
    for words in fits {
        assert_eq!(folder.run(&format!("fit d.csv --target density {words} --model m.json --force")).code, Some(0));
        for kind in ["confidence", "prediction"] {
            let found = predict(&folder, &format!("m.json y.csv --inverse --level 0.9 --interval {kind}"));
            assert_eq!(found.header[0], "conc");
            for (row, expected) in found.rows.iter().zip(own[format!("inverse_{kind}")].as_array().unwrap()) {
                let expected = numbers(expected);
                assert_close(row[0], expected[0].exp(), 1e-7);
                assert_close(row[1], expected[0].exp() * expected[1], 1e-7);
                [2, 3].into_iter().for_each(|j| assert_close(row[j], expected[j].exp(), 1e-7));
            }
        }
    }
}

/// What `predict` makes of the responses of a curve is where they came from, on falling curves, with offsets and before φ too.
#[test]
fn doses_are_the_way_back() {
    let doses: Vec<f64> = (0..30).map(|k| 0.02 * 1.3_f64.powi(k)).collect();
    let noise = |k: usize| 0.04 * (7.1 * k as f64).sin();
    let wave = |k: usize| 0.3 * (k % 3) as f64;
    let response = |k: usize| 9.0 - 7.0 * sigmoid(1.3 * doses[k].ln() + wave(k) + 0.4) + 3.0 * noise(k);
    let offsets: Vec<f64> = (0..30).map(wave).collect();
    let logarithms: Vec<f64> = doses.iter().map(|dose| dose.ln()).collect();
    let columns = |y| table(&[("dose", doses.clone()), ("y", y), ("o", offsets.clone()), ("ld", logarithms.clone())]);
    let share: Vec<f64> = (0..30).map(|k| sigmoid(0.8 * doses[k].ln() + noise(k))).collect();
    let growth: Vec<f64> = (0..30).map(|k| (0.002 * doses[k] + noise(k)).exp()).collect();
    let folder = Folder::with(&[
        ("four.csv", &columns((0..30).map(response).collect())),
        ("share.csv", &columns(share)),
        ("growth.csv", &columns(growth)),
    ]);
    for (words, column) in [
        ("four.csv --features log(dose) --range free,free --offset o", "dose"),
        ("four.csv --features ld --range free,free --offset o", "ld"),
        ("growth.csv --features sqrt(dose) --activation exp", "sqrt(dose)"),
        ("share.csv --features log(dose) --noise pre", "dose"),
        ("share.csv --features log(dose) --no-intercept", "dose"),
        ("share.csv --features log(dose) --activation cloglog --loss bernoulli", "dose"),
        ("growth.csv --features dose --activation exp", "dose"),
        ("growth.csv --features dose --activation softplus", "dose"),
    ] {
        let fit = folder.run(&format!("fit {words} --target y --model m.json --force"));
        assert_eq!(fit.code, Some(0), "{words}: {}", fit.stdout);
        let file = words.split(' ').next().unwrap();
        let median = folder.run(&format!("predict m.json {file} --median -o p.csv --force"));
        assert_eq!(median.code, Some(0), "{words}");
        let predicted = Numbers::parse(&folder.read("p.csv")).column("prediction");
        folder.write("back.csv", &table(&[("y", predicted), ("o", offsets.clone())]));
        let found = predict(&folder, "m.json back.csv --inverse");
        let column = &found.column(column);
        let original = |dose: &f64| match found.header[0].as_str() {
            "sqrt(dose)" => dose.sqrt(),
            "ld" => dose.ln(),
            _ => *dose,
        };
        // where the curve is flat, the response has few digits of the dose
        let steep = column.iter().zip(&doses).filter(|(_, dose)| (0.1..5.0).contains(*dose));
        assert!(steep.clone().count() > 8, "{words}");
        steep.for_each(|(found, dose)| assert!((found - original(dose)).abs() < 1e-7 * original(dose).abs().max(0.1)));
        let (error, lower, upper) = (found.column("std_error"), found.column("lower"), found.column("upper"));
        let one = predict(&folder, "m.json back.csv --inverse --interval prediction").column("std_error");
        for i in 0..30 {
            assert!(
                error[i] > 0.0 && one[i] > error[i] && lower[i] < column[i] && column[i] < upper[i],
                "{words}: {i}"
            );
        }
    }
}

#[test]
fn responses_beyond_an_asymptote_have_empty_cells() {
    let (columns, words) = (golden("elisa"), "fit d.csv --formula density~log(conc) --range 0,free --model m.json");
    let of = |name: &str| numbers(&columns[name]);
    let folder = Folder::with(&[
        ("d.csv", &table(&[("conc", of("conc")), ("density", of("density"))])),
        ("y.csv", "well,density\nA1,0.5\n\"A 2, b\",0\nA3,-1\n,7\nA5,2.34\n"),
    ]);
    let run = folder.run(words);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let run = folder.run("predict m.json y.csv --inverse --keep well,density");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], "well,density,conc,std_error,lower,upper");
    assert!(lines[1].starts_with("A1,0.5,1.1311"), "{}", lines[1]);
    assert_eq!(lines[2..5], ["\"A 2, b\",0,,,,", "A3,-1,,,,", ",7,,,,"]);
    assert!(lines[5].starts_with("A5,2.34,") && !lines[5].ends_with(",,,,"), "{}", lines[5]);
    assert_eq!(run.stderr.lines().count(), 1);
    assert!(run.stderr.contains("3 of 5 responses are at or beyond an asymptote"), "{}", run.stderr);
}

#[test]
fn intervals_of_shares_are_those_of_r() {
    let own = golden("shares");
    let folder = Folder::with(&[("k.csv", K401K)]);
    let fit = folder.run("fit k.csv --target participation --loss bernoulli --se classical --model m.json");
    assert_eq!(fit.code, Some(0));
    let [mean, linear] =
        ["", "--linear"].map(|words| predict(&folder, &format!("m.json k.csv --interval confidence {words}")));
    let further = predict(&folder, "m.json k.csv --interval prediction");
    let t = Distribution::T { df: 1529.0 }.upper_quantile(0.025);
    for (k, row) in numbers(&own["rows"]).into_iter().map(|row| row as usize).enumerate() {
        for (found, name) in [(&mean, "mean"), (&linear, "linear")] {
            let expected = numbers(&own[name][k]);
            [0, 1].into_iter().for_each(|j| assert_close(found.rows[row][j], expected[j], 1e-8));
            assert_close(found.rows[row][3] - found.rows[row][2], 2.0 * t * expected[1], 1e-8);
        }
        // the variance of a share is the dispersion times μ(1 − μ)
        let expected = numbers(&own["mean"][k]);
        let variance = expected[1].powi(2) + number(&own["dispersion"]) * expected[0] * (1.0 - expected[0]);
        assert_close(further.rows[row][3] - further.rows[row][2], 2.0 * t * variance.sqrt(), 1e-8);
    }
    let shown = folder.run("show m.json").stdout;
    assert!(shown.contains("quasi-log-likelihood") && !shown.contains("mean square"), "{shown}");
}

#[test]
fn kept_columns_are_copied_as_they_are() {
    let data = "id,x1,x2,note,y\n007,0.5,1e0,\"a \"\"b\"\", c\",0.3\nNA,-1,2,,0.1\n\" z\",1.50,0,é;|,0.9\n";
    let folder = Folder::with(&[("d.csv", data)]);
    folder.write("fit.csv", "x1,x2,y\n0.5,1,0.3\n-1,2,0.1\n1.5,0,0.9\n0.1,0.7,0.5\n-0.3,0.2,0.4\n");
    assert_eq!(folder.run("fit fit.csv --target y --model m.json").code, Some(0));
    let kept = "--keep id,note,x1 --keep x2";
    let plain: Vec<String> = folder.run("predict m.json d.csv").stdout.lines().skip(1).map(str::to_owned).collect();
    let run = folder.run(&format!("predict m.json d.csv {kept}"));
    let expected = [
        "id,note,x1,x2,prediction".to_owned(),
        format!("007,\"a \"\"b\"\", c\",0.5,1e0,{}", plain[0]),
        format!("NA,,-1,2,{}", plain[1]),
        // blanks around a cell do not belong to it
        format!("z,\"é;|\",1.50,0,{}", plain[2]),
    ];
    assert_eq!(run.stdout.lines().collect::<Vec<_>>(), expected);
    assert_eq!(folder.run(&format!("predict m.json d.csv {kept} -o p.csv")).stdout, "");
    assert_eq!(folder.read("p.csv"), run.stdout);
    // what was written can be read, and kept, again
    let twice = folder.run("predict m.json p.csv --keep id,note,x1,x2");
    assert_eq!(twice.stdout, run.stdout);
}

/// More rows than a block has, on several threads, with quotes on the way: every row beside its own text.
#[test]
fn kept_columns_stay_beside_their_rows() {
    let folder = Folder::with_data();
    assert_eq!(folder.run("fit data.csv --target y --model m.json").code, Some(0));
    let row = |i: usize| {
        let id = if i % 9973 == 17 { format!("\"row, {i}\"") } else { format!("row {i}") };
        format!("{id},{},{},{}\n", (i % 101) as f64 / 50.0 - 1.0, (i % 17) as f64 / 9.0 - 1.0, (i % 5) as f64 - 2.0)
    };
    let rows = 60_000;
    folder.write("big.csv", &("id,x1,x2,x3\n".to_owned() + &(0..rows).map(row).collect::<String>()));
    let plain = folder.run("predict m.json big.csv --interval prediction").stdout;
    let kept = folder.run("predict m.json big.csv --interval prediction --keep id -o kept.csv");
    assert_eq!((kept.code, kept.stderr.as_str()), (Some(0), ""));
    let kept = folder.read("kept.csv");
    assert_eq!(kept.lines().count(), rows + 1);
    for (i, (kept, plain)) in kept.lines().skip(1).zip(plain.lines().skip(1)).enumerate() {
        let id = row(i).split(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']).next().unwrap().to_owned();
        assert!(kept.starts_with(&id) && kept.ends_with(&format!(",{plain}")), "{i}: {kept}");
        assert!(kept.contains(&i.to_string()));
    }
}

#[test]
fn columns_without_names_are_kept_and_inverted_by_number() {
    let rows = "1,0.1,0.2\n2,0.9,0.4\n3,2.1,0.5\n4,2.9,0.8\n5,4.2,0.9\n";
    let folder = Folder::with(&[("d.csv", rows)]);
    let fit = folder.run("fit d.csv --no-header --target 3 --features 2 --model m.json");
    assert_eq!(fit.code, Some(0), "{}", fit.stderr);
    let found = predict(&folder, "m.json d.csv --no-header --keep 1");
    assert_eq!(found.header, ["1", "prediction"]);
    assert_eq!(found.column("1"), [1.0, 2.0, 3.0, 4.0, 5.0]);
    let found = predict(&folder, "m.json d.csv --no-header --keep 1,3 --inverse");
    assert_eq!(found.header, ["1", "3", "2", "std_error", "lower", "upper"]);
}

#[test]
fn flags_that_mean_nothing_are_refused_before_a_file_is_opened() {
    let folder = Folder::new();
    for (words, reason) in [
        ("--linear --median", "--linear has no --median"),
        ("--linear --interval prediction", "--linear has no --interval prediction"),
        ("--inverse --linear", "leave one of them out"),
        ("--inverse --median", "--inverse has no --median"),
        ("--level 0.9", "pass --interval"),
        ("--linear --level 0.9", "pass --interval"),
        ("--interval 0.9", "`confidence` or `prediction`"),
        ("--interval confidence --level 95", "between 0 and 1"),
        ("--keep ,", "a name is empty"),
    ] {
        let run = folder.run(&format!("predict absent.json absent.csv {words}"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{words}");
        assert!(run.stderr.contains(reason) && !run.stderr.contains("absent"), "{words}: {}", run.stderr);
    }
}

#[test]
fn what_a_model_cannot_answer_is_refused_before_the_data_is_read() {
    let folder = Folder::with_data();
    let silu = "x,y\n-4,-0.1\n-3,-0.2\n-2,-0.1\n-1,-0.3\n0,0.1\n1,0.6\n2,1.9\n3,2.8\n4,4.1\n";
    folder.write("s.csv", silu);
    let models = [
        ("none.json", "data.csv --target y --se none"),
        ("short.json", "data.csv --target y --solver gd:tau0=1 --epochs 5"),
        ("wide.json", "data.csv --target y"),
        ("silu.json", "s.csv --target y --activation silu"),
    ];
    for (model, words) in models {
        folder.run(&format!("fit {words} --model {model}"));
    }
    for (words, reason) in [
        ("none.json --interval confidence", "the fit had no standard errors; fit it again"),
        ("short.json --interval prediction", "not certified (status `iteration limit`)"),
        ("none.json --inverse", "exactly one covariate has an inverse: this has 3"),
        ("wide.json --inverse", "exactly one covariate has an inverse: this has 3"),
        ("silu.json --inverse", "takes some values twice"),
    ] {
        let (model, flags) = words.split_once(' ').unwrap();
        let run = folder.run(&format!("predict {model} absent.csv {flags}"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{words}");
        assert!(run.stderr.contains(reason) && !run.stderr.contains("absent"), "{words}: {}", run.stderr);
    }
    // they can still predict
    for model in ["none.json", "short.json"] {
        assert_eq!(folder.run(&format!("predict {model} data.csv --linear --keep x1")).code, Some(0));
    }
}
