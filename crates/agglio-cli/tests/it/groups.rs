//! `fit --by`: one table of curves.

use serde_json::Value;

use crate::{Folder, number};

/// A curve for each of these levels, of ten points each, whose rows stand between each other.
fn lines(levels: &[&str]) -> Vec<String> {
    let line = |k: usize, g: usize, level: &str| {
        let dose = 0.05 * 2.1_f64.powi(k as i32);
        let noise = 0.03 * (5.7 * (k + 10 * g) as f64).sin();
        let y = 0.1 + 0.8 / (1.0 + (0.4 - (1.0 + 0.2 * g as f64) * dose.ln()).exp()) + noise;
        format!("{level},{dose:e},{y:e},{},{}\n", 1.0 + (k % 3) as f64, 0.1 * (k % 4) as f64)
    };
    (0..10).flat_map(|k| levels.iter().enumerate().map(move |(g, level)| line(k, g, level))).collect()
}

const HEADER: &str = "curve,dose,y,w,o\n";
const FOUR: &str = "--formula y~log(dose) --range free,free";

fn folder(levels: &[&str]) -> Folder {
    Folder::with(&[("d.csv", &(HEADER.to_owned() + &lines(levels).concat()))])
}

/// The lines of a table but the header, which begin with these levels.
fn rows_of<'t>(stdout: &'t str, levels: &[&str]) -> Vec<&'t str> {
    let is_one = |line: &&str| levels.iter().any(|level| line.starts_with(&format!("{level},")));
    stdout.lines().skip(1).filter(is_one).collect()
}

#[test]
fn groups_have_the_numbers_of_their_fits_alone() {
    let levels = ["b", "a", "c"];
    let folder = folder(&levels);
    for words in [
        "--formula y~log(dose)",
        FOUR,
        "--formula y~log(dose) --weights w",
        "--formula y~log(dose) --weights w --offset o",
        "--target y --features dose,o --activation probit --range 0,1.2",
        "--target y --features dose --noise pre --activation softplus",
        "--target y --features log(dose) --no-intercept --solver lm",
    ] {
        let run = folder.run(&format!("fit d.csv {words} --by curve --format json"));
        let groups: Vec<Value> =
            serde_json::from_str(&run.stdout).unwrap_or_else(|why| panic!("{why}: {}", run.stderr));
        let names: Vec<&str> = groups.iter().map(|group| group["curve"].as_str().unwrap()).collect();
        assert_eq!(names, ["a", "b", "c"], "{words}");
        for group in &groups {
            let level = format!("{},", group["curve"].as_str().unwrap());
            let own: Vec<String> = lines(&levels).into_iter().filter(|line| line.starts_with(&level)).collect();
            folder.write("one.csv", &(HEADER.to_owned() + &own.concat()));
            let alone = folder.fit(&format!("one.csv {words} --threads 1"));
            for (name, value) in alone["coefficients"].as_object().unwrap() {
                assert_eq!(number(value).to_bits(), number(&group[name]).to_bits(), "{words}: {name}");
            }
            match words.contains("no-intercept") {
                true => assert!(group["(intercept)"].is_null()),
                false => assert_eq!(alone["intercept"], group["(intercept)"]),
            }
            for key in ["loss", "status", "certified"] {
                assert_eq!(alone[key], group[key], "{words}");
            }
            assert_eq!(group["observations"], 10);
        }
    }
}

#[test]
fn columns_are_those_of_the_model() {
    let folder = folder(&["a", "b"]);
    let header = |words: &str| {
        let run = folder.run(&format!("fit d.csv {words} --by curve"));
        assert_eq!(run.code, Some(0), "{words}: {}{}", run.stdout, run.stderr);
        run.stdout.lines().next().unwrap().to_owned()
    };
    let end = "loss,r_squared,sigma,status,certified,note";
    assert_eq!(
        header(FOUR),
        format!(
            "curve,observations,log(dose),log(dose)_se,(intercept),(intercept)_se,lower,lower_se,upper,upper_se,ec50,ec50_se,{end}"
        )
    );
    assert_eq!(
        header("--target y --features log(dose) --affine 0,free --no-intercept"),
        format!("curve,observations,log(dose),log(dose)_se,scale,scale_se,ec50,ec50_se,{end}")
    );
    // another covariate, an offset or an unbounded activation has no EC50
    for words in [
        "--formula y~log(dose)+o",
        "--formula y~log(dose)+offset(o)",
        "--formula y~dose",
        "--formula y~log(dose) --activation softplus",
    ] {
        assert!(!header(words).contains("ec50"), "{words}");
    }
    // every other column is a covariate, but not that of the groups
    assert!(header("--target y").starts_with("curve,observations,dose,dose_se,w,w_se,o,o_se,(intercept)"));
}

#[test]
fn broken_groups_change_no_other_row_and_the_exit_code() {
    let levels = ["g1", "g2", "g3"];
    let folder = folder(&levels);
    for words in ["--formula y~log(dose)", FOUR, "--formula y~log(dose) --weights w"] {
        let before = folder.run(&format!("fit d.csv {words} --by curve"));
        assert_eq!((before.code, before.stdout.lines().count()), (Some(0), 4), "{}", before.stderr);
        let broken = "one,1,0.5,1,0\nconst,1,.5,1,0\nconst,2,.5,1,0\nconst,3,.5,1,0\nconst,4,.5,1,0\nconst,5,.5,1,0\n\
                      \"a, b\",1,.5,1,0\n\"a, b\",1,.6,1,0\n\"a, b\",1,.3,1,0\n\"a, b\",1,.2,1,0\n\"a, b\",1,.4,1,0\n";
        folder.write("e.csv", &(HEADER.to_owned() + broken + &lines(&levels).concat()));
        let after = folder.run(&format!("fit e.csv {words} --by curve"));
        assert_eq!((after.code, after.stdout.lines().count()), (Some(3), 7), "{}", after.stderr);
        assert_eq!(rows_of(&before.stdout, &levels), rows_of(&after.stdout, &levels));
        let one = rows_of(&after.stdout, &["one"])[0];
        assert!(one.starts_with("one,1,,,") && one.contains(",failed,false,1 row is not enough"), "{one}");
        assert!(rows_of(&after.stdout, &["const"])[0].ends_with("`y` is always 0.5: there is nothing to explain"));
        let same = after.stdout.lines().nth(1).unwrap();
        assert!(
            same.starts_with("\"a, b\",5,") && same.ends_with("`log(dose)` is constant or zero: its coefficient is 0")
        );
        let table = folder.run(&format!("fit e.csv {words} --by curve --format table"));
        assert!(table.stdout.lines().all(|line| line.chars().count() <= 80), "{}", table.stdout);
        assert!(table.stdout.contains("1 row is not enough") && table.stdout.contains("failed"), "{}", table.stdout);
    }
    // text in a cell is an error of the whole file
    folder.write("t.csv", &(HEADER.to_owned() + "one,x,0.5,1,0\n" + &lines(&levels).concat()));
    let run = folder.run("fit t.csv --formula y~log(dose) --by curve");
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("t.csv:2: column `dose`"), "{}", run.stderr);
}

#[test]
fn threads_change_no_byte() {
    let names: Vec<String> = (0..40).map(|g| format!("{g}")).collect();
    let levels: Vec<&str> = names.iter().map(String::as_str).collect();
    let folder = folder(&levels);
    let runs = [1, 2, 3].map(|threads| folder.run(&format!("fit d.csv {FOUR} --by curve --threads {threads}")));
    assert_eq!(runs[0].stdout.lines().count(), 41);
    assert!(runs.iter().all(|run| run.stdout == runs[0].stdout && run.code == runs[0].code));
    // levels that are numbers are sorted as numbers
    let found: Vec<&str> = runs[0].stdout.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(found, levels);
}

#[test]
fn rows_with_missing_values_are_refused_or_dropped() {
    let levels = ["a", "b"];
    let whole = folder(&levels);
    let expected = whole.run(&format!("fit d.csv {FOUR} --by curve")).stdout;
    for gap in ["a,,0.5,1,0\n", ",1,0.5,1,0\n", "b,1,NA,1,0\n", "gone,1,,1,0\n"] {
        whole.write("m.csv", &(HEADER.to_owned() + &lines(&levels).concat() + gap));
        let run = whole.run(&format!("fit m.csv {FOUR} --by curve"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{gap}");
        let run = whole.run(&format!("fit m.csv {FOUR} --by curve --missing drop"));
        assert_eq!((run.code, &run.stdout), (Some(0), &expected), "{gap}");
        assert!(run.stderr.contains("1 of 21 rows have a missing value and were dropped"), "{}", run.stderr);
    }
}

#[test]
fn groups_that_share_parameters_have_the_same_numbers() {
    let folder = folder(&["b", "a", "c"]);
    let run = folder.run(&format!("fit d.csv {FOUR} --by curve --share lower,upper,slope --format json"));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
    let fit: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(fit["shared"], serde_json::json!(["log(dose)", "lower", "upper"]));
    assert_eq!((&fit["reference"], &fit["comparison_note"]), (&Value::from("a"), &Value::Null));
    let groups = fit["groups"].as_array().unwrap();
    for key in ["log(dose)", "log(dose)_se", "lower", "lower_se", "upper", "upper_se", "loss", "sigma", "status"] {
        assert!(groups.iter().all(|group| !group[key].is_null() && group[key] == groups[0][key]), "{key}");
    }
    assert_eq!((&groups[0]["potency"], &groups[0]["potency_lower"]), (&Value::from(1.0), &Value::Null));
    for group in &groups[1..] {
        let [potency, low, high] = ["potency", "potency_lower", "potency_upper"].map(|key| number(&group[key]));
        let ratio = number(&groups[0]["ec50"]) / number(&group["ec50"]);
        assert!((potency / ratio - 1.0).abs() < 1e-12 && low < potency && potency < high);
        assert!((low * high / (potency * potency) - 1.0).abs() < 1e-12);
    }
    // the F statistic is that of the residual sums of squares
    let test = &fit["comparison"];
    let [shared, separate] =
        ["shared", "separate"].map(|key| [&test[key]["residual_sum"], &test[key]["df"]].map(number));
    assert_eq!((shared[1], separate[1]), (24.0, 18.0));
    assert_eq!(test["df"], serde_json::json!([6.0, 18.0]));
    let statistic = (shared[0] - separate[0]) / 6.0 / (separate[0] / 18.0);
    assert!((number(&test["f"]) / statistic - 1.0).abs() < 1e-12);
    assert!((shared[0] / 30.0 / number(&groups[0]["loss"]) - 1.0).abs() < 1e-12);
    let apart = folder.run(&format!("fit d.csv {FOUR} --by curve --format json"));
    let apart: Vec<Value> = serde_json::from_str(&apart.stdout).unwrap();
    let sum: f64 = apart.iter().map(|group| 10.0 * number(&group["loss"])).sum();
    assert!((separate[0] / sum - 1.0).abs() < 1e-12);
    // a wider confidence level
    let wide = folder.run(&format!("fit d.csv {FOUR} --by curve --share lower,upper,slope --format json --level 0.99"));
    let wide: Value = serde_json::from_str(&wide.stdout).unwrap();
    assert!(number(&wide["groups"][1]["potency_lower"]) < number(&groups[1]["potency_lower"]));
}

#[test]
fn a_shared_fit_is_a_table_in_every_format() {
    let folder = folder(&["a", "b"]);
    let run = |words: &str| folder.run(&format!("fit d.csv {FOUR} --by curve --share lower,upper,slope {words}"));
    let csv = run("");
    assert!(csv.stdout.starts_with("curve,observations,log(dose),log(dose)_se,(intercept),(intercept)_se,lower,lower_se,upper,upper_se,ec50,ec50_se,potency,potency_se,potency_lower,potency_upper,loss,"));
    assert!(csv.stderr.starts_with("note: parallelism: F(3, 12) = "), "{}", csv.stderr);
    assert_eq!((run("--quiet").stderr.as_str(), run("--quiet").stdout), ("", csv.stdout.clone()));
    assert_eq!((run("--format tidy").stdout, run("--format tidy").stderr), (csv.stdout, csv.stderr.clone()));
    let tidy: Value = serde_json::from_str(&run("--format tidy:json").stdout).unwrap();
    assert_eq!(tidy.as_array().map(Vec::len), Some(2));
    let table = run("--format table");
    assert!(table.stdout.lines().all(|line| line.chars().count() <= 80), "{}", table.stdout);
    let line = csv.stderr.strip_prefix("note: parallelism: ").and_then(|line| line.split(';').next()).unwrap();
    for piece in ["shared       log(dose) ", line, "reference    a (potency 1)"] {
        assert!(table.stdout.contains(piece), "{piece}: {}", table.stdout);
    }
    // only shifted curves over the logarithm of a dose have a potency
    for words in ["--share lower,upper", "--share slope", "--share lower,upper,slope,intercept"] {
        assert!(!folder.run(&format!("fit d.csv {FOUR} --by curve {words}")).stdout.contains("potency"), "{words}");
    }
    assert!(!folder.run("fit d.csv --formula y~dose --by curve --share slope").stdout.contains("potency"));
    let line = folder.run("fit d.csv --formula y~log(dose) --activation identity --by curve --share slope");
    assert!(line.stdout.contains("potency") && !line.stdout.contains("ec50"), "{}", line.stdout);
}

#[test]
fn a_curve_shares_parameters_by_its_own_names() {
    let folder = folder(&["a", "b"]);
    for (curve, own, names) in [
        ("LL.4", "b,c,d", "slope,lower,upper"),
        ("LL.3", "b,d", "slope,upper"),
        ("SSlogis", "Asym,scal", "upper,slope"),
        ("gompertz", "Asym,b2,b3", "upper,intercept,slope"),
        ("michaelis-menten", "Vm", "upper"),
        ("michaelis-menten", "K", "(intercept)"),
        ("emax", "E0,EC50", "offset,intercept"),
        ("hill", "Emax,h", "scale,slope"),
    ] {
        let run = |share: &str| {
            let words = format!("fit d.csv --target y --features dose --curve {curve} --by curve --share {share}");
            folder.run(&words)
        };
        let (one, other) = (run(own), run(names));
        assert_eq!((&one.stdout, one.code), (&other.stdout, other.code), "{curve}");
        assert_ne!(one.code, Some(2), "{curve}: {}", one.stderr);
    }
    let run = folder.run("fit d.csv --target y --features dose --curve LL.4 --by curve --share e");
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("`e` of LL.4 cannot be shared") && run.stderr.contains("b, c, d can"),
        "{}",
        run.stderr
    );
    let run = folder.run("fit d.csv --target y --features dose --curve LL.4 --by curve --share f");
    assert!(run.code == Some(2) && run.stderr.contains("LL.4 has no parameter `f`; b, c, d can"), "{}", run.stderr);
    let run = folder.run("fit d.csv --target y --features dose --curve LL.4 --by curve --level 0.9");
    assert!(run.code == Some(2) && run.stderr.contains("--level is for intervals"), "{}", run.stderr);
}

#[test]
fn a_broken_group_changes_no_byte_of_a_shared_fit() {
    let levels = ["g1", "g2", "g3"];
    let folder = folder(&levels);
    let words = format!("{FOUR} --by curve --share lower,upper,slope");
    let before = folder.run(&format!("fit d.csv {words} --threads 1"));
    assert_eq!((before.code, before.stdout.lines().count()), (Some(0), 4), "{}", before.stderr);
    // a group below the lower asymptote of the others has no EC50
    let flat: String = (0..9)
        .map(|k| format!("flat,{},{},1,0\n", 0.1 * f64::from(k + 1), [0.0, 0.01, 0.02][k as usize % 3]))
        .collect();
    let broken = "a,1,0.5,1,0\nconst,1,.5,1,0\nconst,2,.5,1,0\nconst,3,.5,1,0\n";
    folder.write("e.csv", &(HEADER.to_owned() + broken + &flat + &lines(&levels).concat()));
    let after = folder.run(&format!("fit e.csv {words}"));
    assert_eq!((after.code, after.stdout.lines().count()), (Some(3), 7), "{}{}", after.stdout, after.stderr);
    assert_eq!(rows_of(&before.stdout, &levels), rows_of(&after.stdout, &levels));
    assert_eq!(before.stderr, after.stderr);
    for (level, reason) in [
        ("a", ",failed,false,1 row is not enough"),
        ("const", ",failed,false,the response is always 0.5"),
        ("flat", "its own parameters are not determined, so it is not in the joint fit"),
    ] {
        assert!(rows_of(&after.stdout, &[level])[0].contains(reason), "{}", after.stdout);
    }
    // the first group of the joint fit is the reference
    assert_eq!(rows_of(&after.stdout, &["g1"])[0].split(',').nth(12), Some("1.0000000000000000"));
}

#[test]
fn what_cannot_be_shared_is_refused_before_data_is_read() {
    let folder = folder(&["a", "b"]);
    for (words, reason) in [
        ("--formula y~log(dose) --share slope", "pass the column of the groups with --by"),
        ("--formula y~log(dose) --by curve --share lower", "`lower` is not fitted, so there is nothing to share"),
        ("--formula y~log(dose) --range 0,free --by curve --share lower", "leave it free with `range`"),
        ("--formula y~log(dose) --by curve --share slope --solver lm", "use solver `auto`"),
        ("--formula y~log(dose) --by curve --share slope --noise pre", "use noise `post`"),
        ("--formula y~log(dose) --by curve --share slope --l2 0.1", "a penalty biases"),
    ] {
        let run = folder.run(&format!("fit missing.csv {words}"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{words}");
        assert!(run.stderr.contains(reason) && !run.stderr.contains("missing.csv"), "{words}: {}", run.stderr);
    }
    let run = folder.run("fit d.csv --formula y~log(dose)+o --by curve --share slope");
    assert!(
        run.stderr.contains("the parameters that can be shared are `log(dose)`, `o` and `(intercept)`"),
        "{}",
        run.stderr
    );
}
