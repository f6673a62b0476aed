//! Flags with values that cannot be, or that do not go together.

use super::{Case, Group, case};

/// Words after `fit data.csv --target y` that must leave no file.
fn fit(input: &'static str, words: &str) -> Case {
    case(input, format!("fit data.csv --target y {words} --model new.json --trace new.csv"))
}

pub fn group() -> Group {
    let mut cases = numbers();
    cases.extend(names());
    cases.extend(pairs());
    cases.extend(unused());
    Group { title: "Flags", cases }
}

fn numbers() -> Vec<Case> {
    vec![
        fit("a first temperature of 0", "--tau0 0").refused(["tau0 is 0", "above 0"]),
        fit("a negative first temperature", "--tau0 -1").refused(["tau0 is -1"]),
        fit("a first temperature that is not a number", "--tau0 nan").refused(["tau0 is NaN"]),
        fit("a first temperature above the last", "--solver gd --tau0 0.5 --tau-max 0.4")
            .refused(["tau0 is 0.5", "at most 0.4"]),
        fit("a last temperature above 1", "--tau-max 2").refused(["tau-max is 2", "between 0 and 1"]),
        fit("a growth of 1", "--beta 1").refused(["beta is 1", "above 1"]),
        fit("an infinite growth", "--beta inf").refused(["beta is inf"]),
        fit("a step of 0", "--eta 0").refused(["eta is 0"]),
        fit("a negative step", "--eta -0.5").refused(["eta is -0.5"]),
        fit("a step that is not a number", "--eta NaN").refused(["eta is NaN"]),
        fit("an infinite step", "--eta inf").refused(["eta is inf"]),
        fit("a step in words", "--eta big").refused(["'big'", "--eta", "must be a number"]),
        fit("a step of a thousand letters", &format!("--eta {}", "x".repeat(1000))).refused(["xxx…"]),
        fit("a negative tolerance", "--tol -1").refused(["tol is -1"]),
        fit("a tolerance that is not a number", "--tol nan").refused(["tol is NaN"]),
        fit("a radius of 0", "--radius 0").refused(["radius is 0"]),
        fit("a negative penalty", "--l2 -1").refused(["l2 is -1"]),
        fit("negative epochs", "--epochs -1").refused(["'-1'", "--epochs", "whole number"]),
        fit("2^64 epochs", "--epochs 18446744073709551616").refused(["--epochs", "whole number"]),
        case("no epochs: the start is returned", "fit data.csv --target y --solver gd --epochs 0").fine(3),
        fit("no threads", "--threads 0").refused(["threads is 0"]),
        case("10000 threads", "fit data.csv --target y --threads 10000").warned(0, ["10000 threads are too many"]),
        fit("a seed in words", "--seed x").refused(["--seed", "whole number"]),
        fit("batches of nothing", "--solver sgd --batch 0").refused(["batch is 0"]),
        case("batches of more than there is", "fit data.csv --target y --solver sgd --tol 1e-2 --batch 5000")
            .warned(0, ["a batch of 5000 rows is larger than the data (300 rows)"]),
    ]
}

fn names() -> Vec<Case> {
    vec![
        fit("an activation misspelt", "--activation sigmod").refused(["did you mean `sigmoid`?"]),
        fit("an activation that graduation does nothing to", "--activation relu")
            .refused(["positively homogeneous", "softplus"]),
        fit("an activation's parameter out of range", "--activation leaky-softplus:2").refused(["2"]),
        fit("a solver misspelt", "--solver adm").refused(["did you mean `adam`?"]),
        fit("a solver's key misspelt", "--solver gd:tua0=1")
            .refused(["no solver key is called `tua0`; did you mean `tau0`?"]),
        fit("a flag that is no solver's key", "--solver gd:seed=1").refused(["no solver key is called `seed`"]),
        fit("a solver's key without value", "--solver gd:tau0").refused(["`tau0` has no value"]),
        fit("a solver's key in words", "--solver gd:tau0=x").refused(["gd:tau0=x", "must be a number"]),
        fit("a key that has no flag as one", "--solver sgd --decay none").refused(["--decay"]),
        fit("a decay that is none of those", "--solver sgd:decay=no").refused(["`decay`", "`none` or `stall`"]),
        fit("a v0 that is none of those", "--solver yogi:v0=1").refused(["`v0`", "`zero` or `gradient`"]),
        fit("a branch that is none of those", "--activation silu --solver gd:branch=up")
            .refused(["`branch`", "`nearer`, `left` or `right`"]),
        fit("a third algorithm", "--no-intercept --solver theory:radius=1,algorithm=3")
            .refused(["`algorithm`", "`1` or `2`"]),
        fit("constants that are none of those", "--no-intercept --solver theory:radius=1,constants=exact")
            .refused(["`constants`", "`corrected` or `printed`"]),
        fit("stages without a pass", "--solver gradopt:passes=0").refused(["passes is 0"]),
        fit("negative noise of a theory", "--no-intercept --solver theory:radius=1,sigma=-1").refused(["sigma is -1"]),
        fit("restarts in words", "--restarts some").refused(["--restarts", "whole number or `auto`"]),
        fit("noise elsewhere", "--noise during").refused(["it must be `post`, `pre` or `auto`"]),
        fit("scaling misspelt", "--scaling std").refused(["standard"]),
        fit("a start that is not there", "--init nowhere.json")
            .refused(["`nowhere.json`", "zero, random[:S] or a coefficients file"]),
        fit("a random start in words", "--init random:x").refused(["'random:x'", "number"]),
        fit("a random start of negative size", "--init random:-1").refused(["init is random:-1", "not negative"]),
        fit("a start with a coefficient missing", "--solver gd --init weights.json")
            .refused(["no coefficient for the feature `x3`"]),
        fit("a start with a coefficient too many", "--solver gd --features x1 --init weights.json")
            .refused(["`x2`", "not a feature"]),
        case("a start that is not finite", "fit data.csv --target y --solver gd --init w.json")
            .file("w.json", r#"{"coefficients": {"x1": 1e999, "x2": 0, "x3": 0}}"#)
            .refused(["w.json", "not a coefficients file"]),
        fit("a start that is a model", "--init model.json").refused(["not a coefficients file"]),
        case("a start that `auto` does not need", "fit data.csv --target y --init zero")
            .warned(0, ["--init zero is ignored"]),
        fit("a flag misspelt", "--taget y").refused(["--taget", "'--target'"]),
        case("a command misspelt", "predit model.json data.csv").refused(["predit", "'predict'"]),
        case("a solver to compare misspelt", "compare data.csv --target y --solvers auto,lmm")
            .refused(["did you mean `lm`?"]),
        case("a key of a grid misspelt", "tune data.csv --target y --solver gd --grid et=1,2")
            .refused(["et", "did you mean `eta`?"]),
        case("a grid with a call that does not end", "tune data.csv --target y --solver gd --grid eta=linspace(1,2")
            .refused(["linspace(FROM,TO,COUNT)"]),
        case("a range without a number of draws", "tune data.csv --target y --solver gd --grid eta=uniform(1,2)")
            .refused(["--random N"]),
        case("all rows held out", "tune data.csv --target y --solver gd --holdout 1").refused(["holdout", "below 1"]),
        case("more folds than rows", "tune data.csv --target y --solver gd --grid eta=1 --folds 1000000")
            .refused(["folds", "rows"]),
        case("a theory without constants", "theory --activation silu --radius 1").refused(["silu", "--check"]),
        case("noise without a bound in a theory", "theory --activation sigmoid --radius 1 --noise post:0.1")
            .refused(["post:S:uniform"]),
        case("a figure that does not exist", "paper fig11 --out new").refused([
            "`fig11`",
            "did you mean `fig1`?",
            "all",
        ]),
        case("no runs of a figure", "paper fig1 --seeds 0 --out new").refused(["--seeds is 0"]),
        case("seeds beyond the last", "paper fig1 --seed 18446744073709551615 --out new").refused(["above 2^64"]),
    ]
}

fn pairs() -> Vec<Case> {
    vec![
        fit("a temperature for noise before φ", "--solver gd --tau0 0.5 --noise pre")
            .refused(["tau0", "does not take"]),
        fit("a key and a flag", "--solver gd:tau0=1 --tau0 1").refused(["tau0 is given twice"]),
        fit("a key twice", "--solver gd:tau0=1,tau0=0.5").refused(["tau0 is given twice after the solver's name"]),
        fit("a choice of noise by `gd`", "--solver gd --noise auto").refused(["`gd`", "noise `auto`"]),
        fit("restarts of `lm`", "--solver lm --restarts 5").refused(["`lm`", "restarts"]),
        fit("a penalty for `saga`", "--solver saga --l2 0.1").refused(["`saga`", "l2"]),
        fit("a ball for `lbfgs`", "--solver lbfgs --radius 1").refused(["`lbfgs`", "radius"]),
        case(
            "a blind step under exp, of a file that is not there",
            "fit nowhere.csv --target y --solver adam --activation exp",
        )
        .refused(["`adam`", "unbounded derivative"]),
        fit("a blind step under exp", "--solver adam --activation exp").refused(["`adam`", "unbounded derivative"]),
        fit("a branch where there is one", "--solver gd:branch=left").refused([
            "`sigmoid`",
            "branch",
            "has one preimage",
        ]),
        fit("the theory without a radius", "--no-intercept --solver theory")
            .refused(["radius is not given", "`theory`"]),
        fit("the theory with an intercept", "--solver theory:radius=1").refused(["`theory`", "intercept"]),
        fit("the theory in other units", "--no-intercept --solver theory:radius=1,scaling=standard").refused([
            "`theory`",
            "scaling `standard`",
            "scaling `none`",
        ]),
        fit("the theory from a random start", "--no-intercept --solver theory:radius=1 --init random")
            .refused(["`theory`", "init `random`"]),
        fit(
            "the theory from too far",
            "--no-intercept --features x1,x2 --solver theory:radius=0.01 --init weights.json",
        )
        .refused(["`theory`", "radius, 0.01"]),
        fit("the theory of SiLU", "--no-intercept --activation silu --solver theory:radius=1")
            .refused(["`silu`", "softplus"]),
        fit("noise in the theory of Algorithm 2", "--no-intercept --solver theory:radius=1,algorithm=2,sigma=0.1")
            .refused(["`theory`", "sigma", "without noise"]),
        fit("batches in the theory of Algorithm 1", "--no-intercept --solver theory:radius=1 --batch 5").refused([
            "`theory`",
            "batch",
            "algorithm 2",
        ]),
        fit("a last temperature in the theory", "--no-intercept --solver theory:radius=1 --tau-max 0.5")
            .refused(["`theory`", "tau-max", "sigma"]),
    ]
}

/// A flag that a solver does not use is an error that names both.
fn unused() -> Vec<Case> {
    let mut cases = vec![
        fit("batches for `auto`", "--batch 20").refused(["`auto`", "batch", "does not take"]),
        fit("batches for `gd`", "--solver gd --batch 20").refused(["`gd`", "batch", "does not take"]),
        fit("batches for `momentum`", "--solver momentum --batch 20").refused(["`momentum`", "batch"]),
    ];
    for solver in ["auto", "lbfgs", "newton", "newton-cg", "lm", "multistart"] {
        for (flag, name) in [("--eta 1", "eta"), ("--tau0 0.5", "tau0"), ("--beta 2", "beta")] {
            let case = fit("a flag that the solver does not use", &format!("--solver {solver} {flag}"));
            cases.push(case.refused([solver, name, "does not take"]));
        }
    }
    for (solver, key) in [
        ("gd", "decay=none"),
        ("svrg", "decay=none"),
        ("gradopt", "decay=none"),
        ("auto", "decay=none"),
        ("adam", "v0=gradient"),
        ("sgd", "passes=3"),
        ("lm", "branch=left"),
        ("auto", "branch=left"),
        ("gd", "algorithm=1"),
        ("gd", "sigma=0.1"),
        ("gd", "constants=printed"),
    ] {
        let case = fit("a key that the solver does not use", &format!("--activation silu --solver {solver}:{key}"));
        cases.push(case.refused([solver, key.split('=').next().unwrap_or_default(), "does not take"]));
    }
    cases
}
