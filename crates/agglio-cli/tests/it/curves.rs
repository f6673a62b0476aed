//! `fit --curve`: the parameters of a curve in every form of the result.

use serde_json::Value;

use crate::{Folder, assert_close, number};

/// Two falling curves over doses that include zero, one beside the other.
fn folder() -> Folder {
    let row = |group: &str, e: f64, k: u32| {
        let x = 0.4 * f64::from(k);
        let y = 1.0 + 7.0 / (1.0 + (x / e).powf(2.5)) + 0.1 * f64::from(7 * k % 5) - 0.2;
        (format!("{group},{x},{y}\n"), format!("{x},{y}\n"))
    };
    let rows: Vec<(String, String)> = (0..20).flat_map(|k| [row("a", 2.0, k), row("b", 3.0, k)]).collect();
    let both: String = rows.iter().map(|(both, _)| both.as_str()).collect();
    let one: String = rows.iter().step_by(2).map(|(_, one)| one.as_str()).collect();
    let more: String = one.lines().map(|line| format!("{line},{}\n", line.len())).collect();
    Folder::with(&[
        ("d.csv", &format!("group,dose,y\n{both}")),
        ("one.csv", &format!("dose,y\n{one}")),
        ("more.csv", &format!("dose,y,z\n{more}")),
    ])
}

/// The lines of CSV by their first cell.
fn cells(csv: &str) -> Vec<Vec<&str>> {
    csv.lines().skip(1).map(|line| line.split(',').collect()).collect()
}

#[test]
fn the_table_has_the_parameters_of_the_curve() {
    let folder = folder();
    let words = "fit one.csv --formula y~dose --curve LL.4 --quiet";
    let table = folder.run(&format!("{words} --model m.json"));
    assert_eq!(table.code, Some(0), "{}", table.stderr);
    let names: Vec<&str> = table.stdout.lines().skip(2).take(4).filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, ["b", "c", "d", "e"], "{}", table.stdout);
    assert!(table.stdout.starts_with("parameter   estimate"), "{}", table.stdout);
    assert!(!table.stdout.contains("(intercept)") && table.stdout.contains("slope at e "), "{}", table.stdout);
    // the model file remembers the curve
    let shown = folder.run("show m.json");
    let head = |text: &str| text.lines().take(6).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(head(&shown.stdout), head(&table.stdout));
    let json = folder.fit("one.csv --formula y~dose --curve LL.4");
    let shown: Value = serde_json::from_str(&folder.run("show m.json --format json").stdout).unwrap();
    assert_eq!(shown["parameters"], json["parameters"]);
    assert!(json["coefficients"]["log(dose)"].is_number());
    let tidy = folder.run(&format!("{words} --format tidy"));
    for row in cells(&tidy.stdout) {
        let own = &json["parameters"][row[0]];
        assert_close(row[1].parse().unwrap(), number(&own["estimate"]), 1e-15);
        assert_close(row[2].parse().unwrap(), number(&own["standard_error"]), 1e-15);
        assert_close(row[6].parse().unwrap(), number(&own["interval"][1]), 1e-15);
    }
}

#[test]
fn a_fit_without_standard_errors_has_the_parameters_too() {
    let folder = folder();
    for form in ["table", "tidy"] {
        let run = folder.run(&format!("fit one.csv --target y --curve LL.3 --se none --quiet --format {form}"));
        let names: Vec<&str> = run.stdout.lines().filter_map(|line| line.split([' ', ',']).next()).collect();
        assert!(names.windows(3).any(|names| names == ["b", "d", "e"]), "{}", run.stdout);
    }
}

#[test]
fn profile_intervals_go_through_monotone_functions() {
    let folder = folder();
    for (curve, name, of, reciprocal) in
        [("LL.4", "d", "upper", false), ("LL.4", "b", "log(dose)", false), ("SSlogis", "scal", "dose", true)]
    {
        let words = format!("one.csv --formula y~dose --curve {curve}");
        let [wald, profile] = ["wald", "profile"].map(|kind| folder.fit(&format!("{words} --intervals {kind}")));
        let ends = |value: &Value| [number(&value[0]), number(&value[1])];
        let own = ends(&profile["parameters"][name]["interval"]);
        let fitted = ends(&profile["intervals"][of]);
        // scal falls with the coefficient; so does b where the curve does not turn it over
        let expected = if reciprocal { [1.0 / fitted[1], 1.0 / fitted[0]] } else { fitted };
        let turned = [-fitted[1], -fitted[0]];
        let is_near = |expected: [f64; 2]| (0..2).all(|k| (own[k] / expected[k] - 1.0).abs() < 1e-14);
        assert!(is_near(expected) || (name == "b" && is_near(turned)), "{curve} {name}: {own:?} {fitted:?}");
        assert_ne!(own, ends(&wald["parameters"][name]["interval"]), "{curve} {name}");
        let midpoint = if curve == "LL.4" { "e" } else { "xmid" };
        assert_eq!(profile["parameters"][midpoint], wald["parameters"][midpoint]);
        let table = folder.run(&format!("fit {words} --intervals profile"));
        assert!(table.stdout.contains(&format!("profile; of {midpoint} Wald")), "{}", table.stdout);
        assert!(!folder.run(&format!("fit {words}")).stdout.contains("Wald"));
    }
}

#[test]
fn groups_have_the_parameters_as_columns() {
    let folder = folder();
    let run = folder.run("fit d.csv --target y --curve LL.4 --by group");
    let end = "loss,r_squared,sigma,status,certified,note";
    assert_eq!(
        run.stdout.lines().next(),
        Some(format!("group,observations,b,b_se,c,c_se,d,d_se,e,e_se,{end}").as_str())
    );
    let one = folder.fit("one.csv --target y --curve LL.4");
    let group = cells(&run.stdout)[0].clone();
    for (k, name) in ["b", "c", "d", "e"].into_iter().enumerate() {
        let own = &one["parameters"][name];
        assert_close(group[2 + 2 * k].parse().unwrap(), number(&own["estimate"]), 1e-12);
        assert_close(group[3 + 2 * k].parse().unwrap(), number(&own["standard_error"]), 1e-8);
    }
    // gompertz has no parameter for the dose of half of the effect, and shares by its own names
    let shared = folder.run("fit d.csv --target y --curve LL.4 --by group --share b,c,d --format json");
    let shared: Value = serde_json::from_str(&shared.stdout).unwrap();
    assert_eq!(shared["shared"], serde_json::json!(["b", "c", "d"]));
    let [first, second] = [0, 1].map(|k| &shared["groups"][k]);
    assert_eq!((&first["b"], &first["d_se"]), (&second["b"], &second["d_se"]));
    let ratio = number(&first["e"]) / number(&second["e"]);
    assert_close(number(&second["potency"]), ratio, 1e-12);
}

#[test]
fn a_curve_takes_the_only_other_column() {
    let folder = folder();
    for curve in ["LL.4", "SSlogis", "michaelis-menten"] {
        let words = format!("one.csv --curve {curve} --quiet");
        let typed = folder.fit(&format!("{words} --target y --features dose"));
        for sole in ["--target y", "--formula y~."] {
            assert_eq!(folder.fit(&format!("{words} {sole}"))["parameters"], typed["parameters"], "{curve} {sole}");
        }
        let others = folder.fit(&format!("more.csv --curve {curve} --quiet --target y --drop z"));
        assert_eq!(others["parameters"], typed["parameters"], "{curve}");
    }
    let run = folder.run("fit more.csv --target y --curve LL.4");
    assert_eq!(run.code, Some(2));
    let words =
        "the curve has one covariate, but 2 columns are left (`dose`, `z`): name it, for example with --features dose";
    assert!(run.stderr.contains(words), "{}", run.stderr);
    // its offset is known to the model
    assert_eq!(folder.run("fit one.csv --target y --curve emax --model e.json --quiet").stderr, "");
    let predicted = folder.run("predict e.json one.csv");
    assert_eq!(predicted.code, Some(0), "{}", predicted.stderr);
}

#[test]
fn free_asymptotes_that_are_not_seen_get_advice_of_their_own() {
    let advice = |y: &dyn Fn(i32) -> f64| {
        let line: String = (1..13).map(|k| format!("{k},{}\n", y(k))).collect();
        let fit = Folder::with(&[("d.csv", &format!("x,y\n{line}"))]).fit("d.csv --target y --range free,free --quiet");
        let verdict = fit["certificate"]["verdict"].as_str().unwrap().to_owned();
        assert_eq!(fit["status"], "diverging", "{verdict}");
        assert!(!verdict.contains("runs from"), "{verdict}");
        verdict
    };
    let line = advice(&|k| 300.0 + 20.0 * f64::from(k) + 3.0 * (-1.0_f64).powi(k));
    assert!(line.contains("the data does not show both asymptotes: fix one of them"), "{line}");
    let jump = advice(&|k| if k < 6 { 1.0 } else { 9.0 } + 0.1 * f64::from(k % 5));
    assert!(jump.contains("measure in between"), "{jump}");
}
