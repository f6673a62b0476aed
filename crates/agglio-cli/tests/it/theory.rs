//! `theory`: promises as tables and JSON, checks on data, and what it refuses.

use serde_json::Value;

use crate::{Folder, assert_close, number};

const FIELDS: [&str; 8] = ["activation", "radius", "noise", "rows", "features", "promise", "check", "version"];

fn theory(folder: &Folder, words: &str) -> Value {
    let run = folder.run(&format!("theory {words} --format json"));
    assert_eq!(run.code, Some(0), "{words}: {}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap_or_else(|why| panic!("{words}: {why}: {}", run.stderr))
}

/// A table of the theory's own design.
fn simulated(words: &str) -> Folder {
    let folder = Folder::new();
    let run = folder.run(&format!("simulate --rows 2000 --features 4 --norm 1 --seed 2 -o d.csv {words}"));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    folder
}

#[test]
fn json_has_the_constants_of_the_appendix() {
    let theory = theory(&Folder::new(), "--activation sigmoid --radius 1");
    assert_eq!(theory.as_object().unwrap().keys().collect::<Vec<_>>(), FIELDS);
    let promise = &theory["promise"];
    let path = promise["path"].as_array().unwrap();
    let root = (2.0 / std::f64::consts::PI).sqrt();
    for leg in path {
        let [r, tau] = ["r", "tau"].map(|name| number(&leg[name]));
        let lambda = root * tau * tau * ((-3.0 * tau * (1.0 + r)).exp() / 8.0 - tau * r / 10.0);
        assert_close(number(&leg["lambda"]), lambda, 1e-9);
        assert_close(number(&leg["smoothness"]), tau * tau / 8.0 + root * tau.powi(3) * r / 10.0, 1e-9);
        assert_close(number(&leg["eta"]) * number(&leg["smoothness"]), 1.0, 1e-9);
    }
    assert_eq!((number(&path[0]["r"]), number(&path[1]["r"])), (2.0, 1.0));
    assert_eq!(promise["steps"][2]["steps"], 1424);
    let absent = ["caps", "approach", "epochs", "errors"];
    assert!(absent.iter().all(|name| promise[name].is_null()), "{promise}");
}

#[test]
fn what_is_vacuous_is_said_to_be() {
    let folder = Folder::new();
    let far = folder.run("theory --activation sigmoid --radius 7");
    assert_eq!((far.code, far.stderr.as_str()), (Some(0), ""));
    assert!(far.stdout.contains("over 5000000: too many for use"), "{}", far.stdout);
    let noisy = folder.run("theory --activation sigmoid --radius 7 --noise pre:0.5");
    assert!(noisy.stdout.contains("τ_max") && noisy.stdout.contains("almost no graduation"), "{}", noisy.stdout);
    let near = folder.run("theory --activation sigmoid --radius 1 --rows 4000 --features 10");
    assert!(near.stdout.contains("Algorithm 2") && near.stdout.contains("a sample of 4000 rows"), "{}", near.stdout);
    for line in [far, noisy, near].iter().flat_map(|run| run.stdout.lines()) {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

#[test]
fn noise_has_caps_and_errors() {
    let folder = Folder::new();
    for noise in ["pre:0.1", "pre:0.1:uniform", "pre:0.1:sign", "post:0.05:uniform"] {
        let theory =
            theory(&folder, &format!("--activation sigmoid --radius 1 --noise {noise} --rows 4000 --features 9"));
        let promise = &theory["promise"];
        let [convexity, smoothness] = ["convexity", "smoothness"].map(|name| number(&promise["caps"][name]));
        assert_close(number(&promise["tau_max"]), convexity.min(smoothness).min(1.0), 1e-12);
        let scale = number(&promise["noise_scale"]);
        assert_close(number(&promise["errors"]["rate"]), scale * (9.0_f64 / 4000.0).sqrt(), 1e-12);
        assert!(promise["epochs"].is_null() && promise["steps"].is_null());
        let capped = &promise["errors"]["capped"];
        assert!(capped.is_null() || (0.0..=2.0).contains(&number(capped)), "{capped}");
    }
}

#[test]
fn under_noise_no_steps_to_the_true_model_are_promised() {
    let folder = Folder::new();
    let cases = [
        ("--radius 1 --noise pre:0.01", "17, to r ≤ 0.442; closer to w*"),
        ("--radius 1 --noise pre:0.5", "none: noise may exceed the progress"),
        ("--radius 7 --noise pre:1e-99", "over 5000000: too many for use"),
    ];
    let [quiet, loud, silent] = cases.map(|(words, piece)| {
        let table = folder.run(&format!("theory --activation sigmoid {words}")).stdout;
        assert!(table.contains("steps promised") && table.contains(piece), "{table}");
        assert!(!table.contains("steps to r"), "{table}");
        theory(&folder, &format!("--activation sigmoid {words}"))["promise"]["approach"].clone()
    });
    assert!(quiet["steps"] == 17 && (0.44..0.45).contains(&number(&quiet["distance"])), "{quiet}");
    assert!(loud["steps"] == 0 && number(&loud["distance"]) == 2.0 && silent.is_null(), "{loud} {silent}");
}

#[test]
fn bounds_hold_on_data_of_the_design() {
    for (activation, words, noise) in [
        ("sigmoid", "--design normal", "none"),
        ("softplus", "--design normal --noise pre:0.1", "pre:0.1"),
        ("leaky-softplus", "--noise post:0.05:uniform", "post:0.05:uniform"),
    ] {
        let folder = simulated(&format!("--activation {activation} {words}"));
        let words = format!("--activation {activation} --radius 1 --noise {noise} --check d.csv --target y");
        let theory = theory(&folder, &words);
        assert_eq!((number(&theory["rows"]), number(&theory["features"])), (2000.0, 4.0));
        let balls = theory["check"]["balls"].as_array().unwrap();
        assert!(balls.len() >= 4 && balls.iter().all(|ball| ball["holds"] == true), "{activation}: {balls:?}");
        let table = folder.run(&format!("theory {words}"));
        assert_eq!(table.code, Some(0));
        assert!(
            table.stdout.contains("d.csv, 2000 rows, 4 covariates") && table.stdout.contains(" hold"),
            "{}",
            table.stdout
        );
        assert!(table.stdout.lines().all(|line| line.chars().count() <= 100), "{}", table.stdout);
    }
}

#[test]
fn activations_without_constants_are_measured() {
    let folder = simulated("--activation silu --design normal");
    let theory = theory(&folder, "--activation silu --radius 1 --check d.csv --target y");
    assert!(theory["promise"].is_null());
    let ball = &theory["check"]["balls"][0];
    assert!(ball["lambda"].is_null() && ball["holds"].is_null() && number(&ball["greatest"]) > 0.0);
    let words = "theory --activation silu --radius 1 --check d.csv --target y";
    assert!(folder.run(words).stdout.contains("no constants for this activation"));
    assert_eq!(folder.run(&format!("{words} --threads 1")).stdout, folder.run(words).stdout);
    assert_ne!(folder.run(&format!("{words} --seed 1")).stdout, folder.run(words).stdout);
}

#[test]
fn a_fit_beyond_the_radius_is_warned_of() {
    let folder = simulated("--activation sigmoid --design normal");
    let words = "theory --activation sigmoid --radius 0.5 --check d.csv --target y";
    let run = folder.run(words);
    assert_eq!(run.code, Some(0));
    assert!(run.stderr.starts_with("warning: ") && run.stderr.contains("more than the radius"), "{}", run.stderr);
    assert_eq!(folder.run(&format!("{words} --quiet")).stderr, "");
}

#[test]
fn what_it_cannot_do_is_refused() {
    let folder = Folder::with_data();
    for (words, piece) in [
        ("--activation sigmoid", "--radius"),
        ("--radius 1", "--activation"),
        ("--activation sigmod --radius 1", "did you mean `sigmoid`?"),
        ("--activation silu --radius 1", "--check DATA"),
        ("--activation sigmoid --radius 0", "radius is 0"),
        ("--activation sigmoid --radius -1", "radius is -1"),
        ("--activation sigmoid --radius inf", "radius is inf"),
        ("--activation sigmoid --radius nan", "radius is NaN"),
        ("--activation sigmoid --radius 1e9", "at most 1e6"),
        ("--activation sigmoid --radius 1 --noise post:0.1 --features 5", "post:S:uniform"),
        ("--activation sigmoid --radius 1 --noise post:0.1:truncated --features 5", "post:S:uniform"),
        ("--activation sigmoid --radius 1 --noise mult:0.1", "post:S:uniform"),
        ("--activation sigmoid --radius 1 --noise post:0.1:uniform", "number of covariates"),
        ("--activation sigmoid --radius 2 --noise post:0.1:uniform --features 5", "at most 1"),
        ("--activation sigmoid --radius 1 --noise post:0.19:uniform --features 5", "0.145"),
        ("--activation sigmoid --radius 1 --noise loud", "noise is `loud`"),
        ("--activation sigmoid --radius 1 --rows 4000", "--features"),
        ("--activation sigmoid --radius 1 --rows 20 --features 10", "at least 52 rows"),
        ("--activation sigmoid --radius 1 --rows 0 --features 0", "covariates is 0"),
        ("--activation sigmoid --radius 1 --check data.csv", "--target"),
        ("--activation sigmoid --radius 1 --target y", "--check"),
        ("--activation sigmoid --radius 1 --check data.csv --target y --rows 5 --features 3", "cannot be used with"),
        ("--activation sigmoid --radius 1 --check nowhere.csv --target y", "nowhere.csv: No such file"),
        ("--activation sigmoid --radius 1 --check data.csv --target z", "no column is called `z`"),
    ] {
        let run = folder.run(&format!("theory {words}"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{words}");
        assert!(run.stderr.starts_with("error: ") && run.stderr.contains(piece), "{words}: {}", run.stderr);
    }
}
