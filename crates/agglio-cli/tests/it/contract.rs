//! The words of the contract: names, order, defaults and exit codes.

use serde_json::Value;

use crate::{BEYOND, Folder, commands, number};

const FIELDS: [&str; 39] = [
    "intercept",
    "coefficients",
    "affine",
    "standard_errors",
    "covariance",
    "se",
    "interval_level",
    "intervals",
    "inference_note",
    "midpoint",
    "slope",
    "activation",
    "solver",
    "noise",
    "tau",
    "noise_choice",
    "loss",
    "r_squared",
    "sigma",
    "df_residual",
    "log_likelihood",
    "aic",
    "aicc",
    "bic",
    "lower_at_infinity",
    "status",
    "certified",
    "certificate",
    "unique_within",
    "unique_within_rows",
    "ellipsoid_95",
    "proof",
    "rows",
    "passes",
    "seconds",
    "read_seconds",
    "seed",
    "warnings",
    "version",
];

const CERTIFICATE: [&str; 12] = [
    "verdict",
    "relative_gradient",
    "matching_gradient",
    "smallest_eigenvalue",
    "left_to_gain",
    "curvature_rows",
    "curvature_products",
    "saturated",
    "baseline_loss",
    "linear_loss",
    "restarts",
    "agreed",
];

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// What must not depend on the clock or on a seed that draws nothing.
fn timeless(mut fit: Value) -> String {
    for name in ["seconds", "read_seconds", "seed"] {
        fit.as_object_mut().unwrap().shift_remove(name).unwrap();
    }
    fit["proof"].as_object_mut().map(|proof| proof.shift_remove("seconds"));
    fit.to_string()
}

#[test]
fn json_has_the_fields_in_order() {
    let fit = Folder::with_data().fit("data.csv --target y --activation sigmoid");
    assert_eq!(keys(&fit), FIELDS);
    assert_eq!(keys(&fit["coefficients"]), ["x1", "x2", "x3"]);
    for name in ["standard_errors", "intervals"] {
        assert_eq!(keys(&fit[name]), ["x1", "x2", "x3", "(intercept)"]);
    }
    assert_eq!(keys(&fit["covariance"]), ["names", "matrix"]);
    assert_eq!((fit["se"].as_str(), number(&fit["interval_level"])), (Some("classical"), 0.95));
    assert_eq!(fit["affine"], serde_json::json!({"offset": 0.0, "scale": 1.0}));
    assert_eq!(keys(&fit["certificate"]), CERTIFICATE);
    assert_eq!(keys(&fit["noise_choice"]), ["pre", "post"]);
    let words = ["activation", "solver", "noise", "status", "version"].map(|name| fit[name].as_str().unwrap());
    assert_eq!(words, ["sigmoid", "auto", "post", "converged", env!("CARGO_PKG_VERSION")]);
    assert_eq!(fit["certified"], true);
    assert_eq!([&fit["tau"], &fit["rows"], &fit["seed"]].map(number), [1.0, 300.0, 0.0]);
    assert!(number(&fit["passes"]) >= 2.0 && number(&fit["seconds"]) > 0.0 && number(&fit["read_seconds"]) > 0.0);
}

#[test]
fn certified_is_exit_0() {
    let run = Folder::with_data().run("fit data.csv --target y");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    for word in [
        "(intercept)",
        "x3",
        "coefficient",
        "loss",
        "r²",
        "converged",
        "global minimum, proven to 1e-6",
        "auto",
        "300",
        "std. error",
        "P>|t|",
        "[0.025",
        "log-likelihood",
        "AIC",
        "AICc",
        "passes",
    ] {
        assert!(run.stdout.contains(word), "no {word} in\n{}", run.stdout);
    }
}

#[test]
fn not_certified_is_exit_3_with_result_and_model() {
    let folder = Folder::with_data();
    let run = folder.run("fit data.csv --target y --solver gd --epochs 5 --format json --model m.json");
    assert_eq!(run.code, Some(3));
    let fit: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&fit["status"], &fit["certified"]), (&"iteration limit".into(), &Value::Bool(false)));
    let model: Value = serde_json::from_str(&folder.read("m.json")).unwrap();
    assert_eq!((&model["status"], &model["coefficients"]), (&fit["status"], &fit["coefficients"]));
}

#[test]
fn the_activation_is_printed_as_typed() {
    let fit = Folder::with_data().fit("data.csv --target y --activation leaky-softplus:0.30");
    assert_eq!(fit["activation"], "leaky-softplus:0.30");
}

#[test]
fn aliases_are_the_same_activation_under_its_first_name() {
    let folder = Folder::with_data();
    for (alias, name) in [("logistic", "sigmoid"), ("logit", "sigmoid"), ("swish", "silu")] {
        let fit = |typed: &str, model: &str| {
            timeless(folder.fit(&format!("data.csv --target y --activation {typed} --model {model} --force")))
        };
        assert_eq!(fit(alias, "alias.json"), fit(name, "name.json"));
        assert_eq!(folder.read("alias.json"), folder.read("name.json"), "{alias}");
    }
}

#[test]
fn the_main_output_has_the_same_flags_in_every_command() {
    let folder = Folder::with_data();
    let code = |words: &str| folder.run(words).code;
    for flag in ["-o", "--output"] {
        assert_eq!(code(&format!("fit data.csv --target y {flag} m.json --force")), Some(0));
        assert_eq!(code(&format!("predict m.json data.csv {flag} p.csv --force")), Some(0));
        assert_eq!(code(&format!("simulate --rows 5 --features 2 --activation tanh {flag} s.csv --force")), Some(0));
        assert_eq!(code(&format!("generate bash {flag} completions --force")), Some(0));
        assert_eq!(code(&format!("paper fig1 --quick --seeds 1 {flag} data.csv")), Some(2));
    }
    assert_eq!(code("fit data.csv --target y --model m.json -o m.json --force"), Some(2));
}

#[test]
fn help_names_every_command_and_an_example() {
    let folder = Folder::new();
    let run = folder.run("--help");
    assert_eq!(run.code, Some(0));
    for word in ["demo", "fit", "compare", "predict", "score", "simulate", "bench", "Example:"] {
        assert!(run.stdout.contains(word), "no {word} in\n{}", run.stdout);
    }
    for command in ["demo", "fit", "compare", "predict", "score", "simulate", "bench"] {
        assert_eq!(folder.run(&format!("{command} --help")).code, Some(0), "{command}");
    }
    assert_eq!(folder.run("").code, Some(2));
}

#[test]
fn short_help_is_one_screen() {
    let folder = Folder::new();
    let commands = commands();
    assert!(commands.len() >= 11, "{commands:?}");
    for command in commands.iter().map(String::as_str).chain([""]) {
        // as wide as it likes, and on a terminal of the usual width
        for columns in ["100", "80"] {
            let mut words: Vec<&str> = command.split_whitespace().collect();
            words.push("-h");
            let run = folder.command(&words).env("COLUMNS", columns).output().unwrap();
            let help = String::from_utf8(run.stdout).unwrap();
            assert_eq!(run.status.code(), Some(0), "{command}");
            assert!(help.lines().count() <= 24, "{} lines\n{help}", help.lines().count());
            assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
            assert!(help.contains("Usage: agglio"), "{help}");
        }
    }
    let fit = folder.run("fit -h").stdout;
    let model = ["--target", "--features", "--formula", "--activation", "--range", "--curve", "--by", "--se"];
    for flag in model.into_iter().chain(["--format", "--model", "see more with '--help'"]) {
        assert!(fit.contains(flag), "no {flag} in\n{fit}");
    }
}

#[test]
fn what_short_help_says_of_a_flag_replaces_nothing() {
    let folder = Folder::new();
    let full = folder.run("fit --help").stdout;
    let full = full.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "Put a name with special characters in",
        "leaky-softplus[:K=0.2]",
        "key=value after the name",
        "Keys of --solver",
    ] {
        assert!(full.contains(words), "no {words} in\n{full}");
    }
    assert!(folder.run("tune --help").stdout.contains("shown for comparison"));
}

#[test]
fn help_of_fit_has_the_flags_that_work_and_no_others() {
    let help = Folder::new().run("fit --help").stdout;
    let at = |word: &str| help.find(word).unwrap_or_else(|| panic!("no {word} in\n{help}"));
    assert!(
        ["Model:\n", "Data:\n", "Noise:\n", "Method:\n", "Inference:\n", "Output:\n", "Run:\n"].map(at).is_sorted(),
        "{help}"
    );
    let there = "target features drop activation range affine no-intercept offset weights missing no-header delimiter noise tau-max \
        loss solver tau0 beta eta batch epochs tol init restarts scaling radius l2 se intervals level ec test format model trace force seed threads quiet";
    let words: Vec<&str> = help.split_whitespace().collect();
    for flag in there.split_whitespace() {
        assert!(words.contains(&format!("--{flag}").as_str()), "no {flag} in\n{help}");
    }
    for absent in "interactions poly log cov cluster report".split(' ') {
        assert!(!help.contains(&format!("--{absent}")), "{absent}");
    }
}

#[test]
fn demo_explains_and_is_certified() {
    let folder = Folder::new();
    let run = folder.run("demo");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let words =
        "1534 682 (intercept) match_rate age log_employment sole_plan loss converged minimum auto sigmoid τ passes";
    for word in words.split(' ').chain(["agglio fit "]) {
        assert!(run.stdout.contains(word), "no {word} in\n{}", run.stdout);
    }
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{}", run.stdout);
    assert!(folder.snapshot().is_empty());
}

#[test]
fn demo_is_the_fit_that_a_user_would_make() {
    let folder = Folder::with(&[("k401k.csv", include_str!("../../data/k401k.csv"))]);
    let demo = folder.run("demo").stdout;
    let fits = ["squares", "bernoulli"].map(|loss| {
        let fit = folder.run(&format!("fit k401k.csv --target participation --loss {loss}")).stdout;
        fit.lines().filter(|line| !line.starts_with("effort")).map(str::to_owned).collect::<Vec<_>>()
    });
    // the coefficients of both, side by side
    for (squares, bernoulli) in fits[0].iter().zip(&fits[1]).take(7).skip(2) {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let row = [&words(squares)[..2], &words(bernoulli)[1..2]].concat();
        assert!(demo.lines().any(|line| words(line) == row), "{row:?}\n{demo}");
    }
    assert!(fits[0].len() > 12);
    assert!(fits[0].iter().skip(8).all(|line| demo.lines().any(|other| other == line)), "{fits:?}\n{demo}");
}

#[test]
fn trace_has_a_line_for_every_step() {
    let folder = Folder::with_data();
    folder.fit("data.csv --target y --solver gd --epochs 7 --trace t.csv");
    let trace = folder.read("t.csv");
    let lines: Vec<Vec<&str>> = trace.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines[0], ["step", "stage", "passes", "seconds", "tau", "rows", "loss", "gradient", "accepted"]);
    assert_eq!(lines.len(), 8);
    for (i, line) in lines[1..].iter().enumerate() {
        assert_eq!((line[0], line[1], line[5], line[8]), (&*(i + 1).to_string(), &*i.to_string(), "300", "true"));
        assert!([2, 3, 4, 6, 7].iter().all(|&j| line[j].parse::<f64>().unwrap() > 0.0), "{line:?}");
    }
    assert_eq!(lines[2][4].parse::<f64>().unwrap(), 0.01 * 1.05);
}

#[test]
fn seed_changes_nothing_where_nothing_is_drawn() {
    let folder = Folder::with_data();
    let fit = |words: &str| timeless(folder.fit(&format!("data.csv --target y {words}")));
    assert_eq!(fit("--seed 1"), fit("--seed 2"));
    assert_eq!(fit("--solver gd --seed 1"), fit("--solver gd --seed 2"));
    assert_ne!(fit("--solver sgd --seed 1"), fit("--solver sgd --seed 2"));
    assert_ne!(
        fit("--solver gd --init random --seed 1 --epochs 9"),
        fit("--solver gd --init random --seed 2 --epochs 9")
    );
    assert_eq!(fit("--solver sgd"), fit("--solver sgd --seed 0"));
}

#[test]
fn keys_after_the_solver_are_flags() {
    let folder = Folder::with_data();
    let fit = |words: &str| timeless(folder.fit(&format!("data.csv --target y --epochs 20 {words}")));
    let flags = fit("--solver sgd --tau0 0.5 --beta 1.2 --batch 20 --scaling none --init random:2 --radius 3");
    assert_eq!(fit("--solver sgd:tau0=0.5,beta=1.2,batch=20,scaling=none,init=random:2,radius=3"), flags);
    assert_ne!(fit("--solver sgd:tau0=0.5,beta=1.2,batch=20,scaling=none,init=random:2"), flags);
}

#[test]
fn noise_is_a_temperature() {
    let folder = Folder::with_data();
    let end = |words: &str| {
        let fit = folder.fit(&format!("data.csv --target y {words}"));
        (fit["noise"].as_str().unwrap().to_owned(), number(&fit["tau"]))
    };
    assert_eq!(end("--noise pre"), ("pre".into(), 0.0));
    assert_eq!(end("--noise post"), ("post".into(), 1.0));
    assert_eq!(end("--noise pre --tau-max 0.5"), ("post".into(), 0.5));
}

#[test]
fn warnings_are_in_the_object_and_on_standard_error() {
    let folder = Folder::with(&[("beyond.csv", BEYOND)]);
    let run = folder.run("fit beyond.csv --target y --solver sgd:batch=100,epochs=3 --threads 2000 --format json");
    let fit: Value = serde_json::from_str(&run.stdout).unwrap();
    let listed: Vec<&str> = fit["warnings"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    let printed: Vec<&str> = run.stderr.lines().map(|line| line.strip_prefix("warning: ").unwrap()).collect();
    assert_eq!(listed, printed);
    assert_eq!(listed.len(), 3, "{listed:?}");
    for (warning, word) in listed.iter().zip(["2000 threads", "batch of 100", "4 of 8 values of `y`"]) {
        assert!(warning.contains(word), "{warning}");
    }
}

#[test]
fn data_that_looks_wrong_is_said_to() {
    let folder = Folder::with(&[
        ("flat.csv", "a,b,y\n1,2,0.5\n2,1,0.5\n3,5,0.5\n"),
        ("bare.csv", "1,2,y\n1,2,0.1\n2,1,0.3\n3,9,0.2\n"),
    ]);
    assert!(folder.run("fit flat.csv --target y").stderr.contains("the response is always 0.5"));
    folder.write("flat-but-one.csv", "a,w,y\n1,1,0.5\n2,1,0.5\n4,1,0.5\n9,0,0.1\n");
    assert!(folder.run("fit flat-but-one.csv --target y --weights w").stderr.contains("the response is always 0.5"));
    assert!(folder.run("fit bare.csv --target y").stderr.contains("--no-header"));
}

#[test]
fn quiet_leaves_errors_only() {
    let folder = Folder::with(&[("beyond.csv", BEYOND)]);
    assert!(folder.run("fit beyond.csv --target y --solver gd --epochs 3").stderr.starts_with("warning: "));
    let run = folder.run("fit beyond.csv --target y --solver gd --epochs 3 --quiet");
    assert_eq!((run.code, run.stderr.as_str()), (Some(3), ""));
    assert!(run.stdout.contains("iteration limit"));
    assert!(folder.run("fit beyond.csv --target z --quiet").stderr.starts_with("error: "));
}

/// Its end is one of another loss than squares, and both ways of printing say so.
#[test]
fn glmtron_says_where_it_is() {
    let folder = Folder::with_data();
    let fit = folder.fit("data.csv --target y --solver glmtron");
    let certificate = &fit["certificate"];
    assert_eq!((fit["status"].as_str(), &fit["certified"]), (Some("converged"), &false.into()));
    assert!(certificate["verdict"].as_str().unwrap().contains("optimum of the matching loss"), "{certificate}");
    assert!(number(&certificate["matching_gradient"]) <= 1e-10 && number(&certificate["relative_gradient"]) > 1e-6);
    let table = folder.run("fit data.csv --target y --solver glmtron");
    let words = table.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(table.code, Some(3));
    assert!(words.contains("optimum of the matching loss") && words.contains("not of least squares"), "{words}");
    assert!(folder.fit("data.csv --target y --solver lm")["certificate"]["matching_gradient"].is_null());
}
