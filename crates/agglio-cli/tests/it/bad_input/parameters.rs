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
        fit("a first temperature of NaN", "--tau0 nan").refused(["tau0 is NaN"]),
        fit("a first temperature above the last", "--solver gd --tau0 0.5 --tau-max 0.4")
            .refused(["tau0 is 0.5", "at most 0.4"]),
        fit("a last temperature above 1", "--tau-max 2").refused(["tau-max is 2", "between 0 and 1"]),
        fit("a growth of 1", "--beta 1").refused(["beta is 1", "above 1"]),
        fit("random signs without a number of refits", "--se bootstrap:wild").refused(["between 2 and 1000000"]),
        fit("random signs of the residuals of shares", "--se bootstrap:50:wild --loss bernoulli")
            .refused(["needs least squares", "use --se bootstrap"]),
        fit("an infinite growth", "--beta inf").refused(["beta is inf"]),
        fit("a learning rate of 0", "--eta 0").refused(["eta is 0"]),
        fit("a negative learning rate", "--eta -0.5").refused(["eta is -0.5"]),
        fit("a learning rate of NaN", "--eta NaN").refused(["eta is NaN"]),
        fit("an infinite learning rate", "--eta inf").refused(["eta is inf"]),
        fit("a word as learning rate", "--eta big").refused(["'big'", "--eta", "must be a number"]),
        fit("a thousand letters as learning rate", &format!("--eta {}", "x".repeat(1000))).refused(["xxx…"]),
        fit("a negative tolerance", "--tol -1").refused(["tol is -1"]),
        fit("a tolerance of NaN", "--tol nan").refused(["tol is NaN"]),
        fit("a radius of 0", "--radius 0").refused(["radius is 0"]),
        fit("a negative penalty", "--l2 -1").refused(["l2 is -1"]),
        fit("negative epochs", "--epochs -1").refused(["'-1'", "--epochs", "whole number"]),
        fit("2^64 epochs", "--epochs 18446744073709551616").refused(["--epochs", "whole number"]),
        case("no epochs: the start is returned", "fit data.csv --target y --solver gd --epochs 0").fine(3),
        fit("no threads", "--threads 0").refused(["threads is 0"]),
        case("10000 threads", "fit data.csv --target y --threads 10000").warned(0, ["10000 threads are too many"]),
        fit("a word as seed", "--seed x").refused(["--seed", "whole number"]),
        fit("empty batches", "--solver sgd --batch 0").refused(["batch is 0"]),
        case("batches larger than the data", "fit data.csv --target y --solver sgd --tol 1e-2 --batch 5000")
            .warned(0, ["a batch of 5000 rows is larger than the data (300 rows)"]),
    ]
}

fn names() -> Vec<Case> {
    vec![
        fit("a misspelt activation", "--activation sigmod").refused(["did you mean `sigmoid`?"]),
        fit("an activation that graduation does not change", "--activation relu")
            .refused(["positively homogeneous", "softplus"]),
        fit("an activation's parameter out of range", "--activation leaky-softplus:2").refused(["2"]),
        fit("a misspelt solver", "--solver adm").refused(["did you mean `adam`?"]),
        fit("a misspelt solver key", "--solver gd:tua0=1")
            .refused(["no solver key is called `tua0`; did you mean `tau0`?"]),
        fit("a flag that is not a solver key", "--solver gd:seed=1").refused(["no solver key is called `seed`"]),
        fit("a solver key without a value", "--solver gd:tau0").refused(["`tau0` has no value"]),
        fit("a word as the value of a solver key", "--solver gd:tau0=x").refused(["gd:tau0=x", "must be a number"]),
        fit("a key without a flag, used as a flag", "--solver sgd --decay none").refused(["--decay"]),
        fit("an unknown decay", "--solver sgd:decay=no").refused(["`decay`", "`none` or `stall`"]),
        fit("an unknown v0", "--solver yogi:v0=1").refused(["`v0`", "`zero` or `gradient`"]),
        fit("an unknown branch", "--activation silu --solver gd:branch=up")
            .refused(["`branch`", "`nearer`, `left` or `right`"]),
        fit("a third algorithm", "--no-intercept --solver theory:radius=1,algorithm=3")
            .refused(["`algorithm`", "`1` or `2`"]),
        fit("unknown constants", "--no-intercept --solver theory:radius=1,constants=exact")
            .refused(["`constants`", "`corrected` or `printed`"]),
        fit("no passes per stage", "--solver gradopt:passes=0").refused(["passes is 0"]),
        fit("negative noise in the theory", "--no-intercept --solver theory:radius=1,sigma=-1")
            .refused(["sigma is -1"]),
        fit("a word as restarts", "--restarts some").refused(["--restarts", "whole number or `auto`"]),
        fit("an unknown place of the noise", "--noise during").refused(["it must be `post`, `pre` or `auto`"]),
        fit("a misspelt scaling", "--scaling std").refused(["standard"]),
        fit("a start that does not exist", "--init nowhere.json")
            .refused(["`nowhere.json`", "zero, random[:S] or a coefficients file"]),
        fit("a word as the scale of a random start", "--init random:x").refused(["'random:x'", "number"]),
        fit("a random start with a negative scale", "--init random:-1").refused(["init is random:-1", "not negative"]),
        fit("a start with a coefficient missing", "--solver gd --init weights.json")
            .refused(["no coefficient for the covariate `x3`"]),
        fit("a start with an extra coefficient", "--solver gd --features x1 --init weights.json")
            .refused(["`x2`", "not a covariate"]),
        case("a start that is not finite", "fit data.csv --target y --solver gd --init w.json")
            .file("w.json", r#"{"coefficients": {"x1": 1e999, "x2": 0, "x3": 0}}"#)
            .refused(["w.json", "not a coefficients file"]),
        fit("a model as start", "--init model.json").refused(["not a coefficients file"]),
        case("a start that `auto` does not need", "fit data.csv --target y --init zero")
            .warned(0, ["--init zero is ignored"]),
        fit("a misspelt flag", "--taget y").refused(["--taget", "'--target'"]),
        case("a misspelt command", "predit model.json data.csv").refused(["predit", "'predict'"]),
        case("a misspelt solver to compare", "compare data.csv --target y --solvers auto,lmm")
            .refused(["did you mean `lm`?"]),
        case("a misspelt key in a grid", "tune data.csv --target y --solver gd --grid et=1,2")
            .refused(["et", "did you mean `eta`?"]),
        case("a grid with a call that does not end", "tune data.csv --target y --solver gd --grid eta=linspace(1,2")
            .refused(["linspace(FROM,TO,COUNT)"]),
        case("a range without --random", "tune data.csv --target y --solver gd --grid eta=uniform(1,2)")
            .refused(["--random N"]),
        case("all rows held out", "tune data.csv --target y --solver gd --holdout 1").refused(["holdout", "below 1"]),
        case("more folds than rows", "tune data.csv --target y --solver gd --grid eta=1 --folds 1000000")
            .refused(["folds", "rows"]),
        case("the theory of an activation without constants", "theory --activation silu --radius 1")
            .refused(["silu", "--check"]),
        case("noise without a bound in the theory", "theory --activation sigmoid --radius 1 --noise post:0.1")
            .refused(["post:S:uniform"]),
        case("a figure that does not exist", "paper fig11 --out new").refused([
            "`fig11`",
            "did you mean `fig1`?",
            "all",
        ]),
        case("no seeds", "paper fig1 --seeds 0 --out new").refused(["--seeds is 0"]),
        case("seeds above the largest one", "paper fig1 --seed 18446744073709551615 --out new").refused(["above 2^64"]),
    ]
}

fn pairs() -> Vec<Case> {
    vec![
        fit("a first temperature with noise before φ", "--solver gd --tau0 0.5 --noise pre")
            .refused(["tau0", "does not take"]),
        fit("an unknown loss", "--loss bernouli").refused(["`squares` or `bernoulli`"]),
        fit("the quasi-likelihood of an unbounded φ", "--loss bernoulli --activation softplus")
            .refused(["loss `bernoulli`", "`softplus`"]),
        fit("the quasi-likelihood with noise before φ", "--loss bernoulli --noise pre")
            .refused(["loss `bernoulli`", "noise `pre`"]),
        fit("the quasi-likelihood by `sgd`", "--loss bernoulli --solver sgd").refused(["loss `bernoulli`", "`sgd`"]),
        fit("an option as a key and as a flag", "--solver gd:tau0=1 --tau0 1").refused(["tau0 is given twice"]),
        fit("the same key twice", "--solver gd:tau0=1,tau0=0.5")
            .refused(["tau0 is given twice after the solver's name"]),
        fit("noise `auto` for `gd`", "--solver gd --noise auto").refused(["`gd`", "noise `auto`"]),
        fit("restarts for `lm`", "--solver lm --restarts 5").refused(["`lm`", "restarts"]),
        fit("a penalty for `saga`", "--solver saga --l2 0.1").refused(["`saga`", "l2"]),
        fit("a radius for `lbfgs`", "--solver lbfgs --radius 1").refused(["`lbfgs`", "radius"]),
        case(
            "a constant learning rate with exp, before the missing file is looked for",
            "fit nowhere.csv --target y --solver adam --activation exp",
        )
        .refused(["`adam`", "unbounded derivative"]),
        fit("a constant learning rate with exp", "--solver adam --activation exp")
            .refused(["`adam`", "unbounded derivative"]),
        fit("a branch for an activation with one preimage", "--solver gd:branch=left").refused([
            "`sigmoid`",
            "branch",
            "has one preimage",
        ]),
        fit("the theory without a radius", "--no-intercept --solver theory")
            .refused(["radius is not given", "`theory`"]),
        fit("the theory with an intercept", "--solver theory:radius=1").refused(["`theory`", "intercept"]),
        fit("scaling for the theory", "--no-intercept --solver theory:radius=1,scaling=standard").refused([
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
        fit("noise for Algorithm 2 of the theory", "--no-intercept --solver theory:radius=1,algorithm=2,sigma=0.1")
            .refused(["`theory`", "sigma", "without noise"]),
        fit("minibatches for Algorithm 1 of the theory", "--no-intercept --solver theory:radius=1 --batch 5")
            .refused(["`theory`", "batch", "algorithm 2"]),
        fit("a last temperature in the theory", "--no-intercept --solver theory:radius=1 --tau-max 0.5")
            .refused(["`theory`", "tau-max", "sigma"]),
    ]
}

/// A flag that a solver does not use is an error that names both.
fn unused() -> Vec<Case> {
    let mut cases = vec![
        fit("minibatches for `auto`", "--batch 20").refused(["`auto`", "batch", "does not take"]),
        fit("minibatches for `gd`", "--solver gd --batch 20").refused(["`gd`", "batch", "does not take"]),
        fit("minibatches for `momentum`", "--solver momentum --batch 20").refused(["`momentum`", "batch"]),
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
