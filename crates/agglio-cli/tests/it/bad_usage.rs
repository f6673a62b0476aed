//! What is refused: exit 2, one line that says what is wrong, and not a file changed.

use crate::{BEYOND, Folder};

fn folder() -> Folder {
    let folder = Folder::with_data();
    folder.write("beyond.csv", BEYOND);
    folder.write("empty.csv", "");
    folder.write("header.csv", "a,b,y\n");
    folder.write("text.csv", "a,b,y\n1,2,0.5\n2,abc,0.1\n");
    folder.write("missing.csv", "a,b,y\n1,2,0.5\n2,NA,0.1\n");
    folder.write("inf.csv", "a,b,y\n1,2,0.5\n2,inf,0.1\n");
    folder.write("huge.csv", "a,b,y\n1,2,0.5\n2,1e400,0.1\n");
    folder.write("ragged.csv", "a,b,y\n1,2,0.5\n2,0.1\n");
    folder.write("twice.csv", "a,a,y\n1,2,0.5\n2,1,0.1\n");
    folder.write("one.csv", "a,y\n1,0.5\n");
    folder.write("negative.csv", "a,n,y\n1,1,0.5\n2,-1,0.4\n3,1,0.1\n");
    folder.write("weights.json", r#"{"coefficients": {"x1": 1, "x2": 2}}"#);
    assert_eq!(folder.run("fit data.csv --target y --model model.json").code, Some(0));
    folder
}

/// Runs words that must be refused with a line that has all of these pieces.
#[track_caller]
fn refused(folder: &Folder, words: &str, pieces: &[&str]) {
    let before = folder.snapshot();
    let run = folder.run(words);
    let line = run.stderr.lines().next().unwrap_or_default();
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{words}: {}", run.stderr);
    assert!(line.starts_with("error: "), "{words}: {}", run.stderr);
    assert!(!run.stderr.contains("panicked") && !run.stderr.contains("Error {"), "{words}: {}", run.stderr);
    for piece in pieces {
        assert!(run.stderr.contains(piece), "{words}: no `{piece}` in: {}", run.stderr);
    }
    assert!(folder.snapshot() == before, "{words}: files changed");
}

/// As [`refused`], with words after `fit data.csv --target y`.
#[track_caller]
fn fit_refused(folder: &Folder, words: &str, pieces: &[&str]) {
    refused(folder, &format!("fit data.csv --target y --model new.json --trace new.csv {words}"), pieces);
}

#[test]
fn files_that_are_not_data() {
    let folder = folder();
    refused(&folder, "fit nowhere.csv --target y", &["nowhere.csv: No such file"]);
    refused(&folder, "fit . --target y", &["directory"]);
    refused(&folder, "fit empty.csv --target y", &["empty.csv: no rows"]);
    refused(&folder, "fit header.csv --target y", &["header.csv: 0 data rows"]);
    refused(&folder, "fit text.csv --target y", &["text.csv:3: column `b`: `abc` is not a number", "--drop"]);
    refused(&folder, "fit missing.csv --target y", &["missing.csv:3: column `b`: `NA` is a missing value"]);
    refused(&folder, "fit inf.csv --target y", &["inf.csv:3: column `b`: `inf` is not finite"]);
    refused(&folder, "fit huge.csv --target y", &["huge.csv:3: column `b`: `1e400` overflows"]);
    refused(&folder, "fit ragged.csv --target y", &["ragged.csv:3: 2 fields where the header has 3"]);
    refused(&folder, "fit twice.csv --target y", &["two columns are called `a`"]);
    refused(&folder, "fit one.csv --target y", &["too few"]);
    for name in ["d.parquet", "d.arrow", "d.libsvm", "d.svm", "d.npy", "d.csv.gz", "d.csv.zst", "D.NPY"] {
        refused(&folder, &format!("fit {name} --target y"), &[name, "only CSV is read so far"]);
    }
}

#[test]
fn columns_that_are_not_there() {
    let folder = folder();
    refused(&folder, "fit data.csv --target Y", &["no column is called `Y`; did you mean `y`?"]);
    refused(&folder, "fit data.csv --target label", &["no column is called `label`; there are `x1`, `x2`, `x3`, `y`"]);
    fit_refused(&folder, "--features x1,x22", &["did you mean `x2`?"]);
    fit_refused(&folder, "--features x1,y", &["column `y` is asked for as target and as a feature"]);
    fit_refused(&folder, "--drop x9", &["no column is called `x9`"]);
    fit_refused(&folder, "--drop y", &["column `y`", "--drop"]);
    fit_refused(&folder, "--drop x1,x2,x3", &["no feature columns are left"]);
    fit_refused(&folder, "--drop x1 --features x2", &["--drop", "--features"]);
    fit_refused(&folder, "--weights y", &["column `y` is asked for as target and as weights"]);
    fit_refused(&folder, "--offset z", &["no column is called `z`"]);
    refused(&folder, "fit negative.csv --target y --weights n", &["weight of row 2 is -1"]);
    refused(&folder, "fit data.csv", &["--target"]);
}

#[test]
fn numbers_out_of_their_range() {
    let folder = folder();
    fit_refused(&folder, "--tau0 0", &["tau0 is 0", "above 0"]);
    fit_refused(&folder, "--tau0 -1", &["tau0 is -1"]);
    fit_refused(&folder, "--solver gd --tau0 0.5 --tau-max 0.4", &["tau0 is 0.5", "at most 0.4"]);
    fit_refused(&folder, "--solver gd --tau0 0.5 --noise pre", &["tau0", "do not go together"]);
    fit_refused(&folder, "--tau-max 2", &["tau-max is 2", "between 0 and 1"]);
    fit_refused(&folder, "--beta 1", &["beta is 1", "above 1"]);
    fit_refused(&folder, "--beta inf", &["beta is inf"]);
    fit_refused(&folder, "--eta NaN", &["eta is NaN"]);
    fit_refused(&folder, "--eta 0", &["eta is 0"]);
    fit_refused(&folder, "--eta big", &["'big'", "--eta", "must be a number"]);
    fit_refused(&folder, "--tol -1", &["tol is -1"]);
    fit_refused(&folder, "--radius 0", &["radius is 0"]);
    fit_refused(&folder, "--l2 -1", &["l2 is -1"]);
    fit_refused(&folder, "--epochs -1", &["'-1'", "--epochs", "whole number"]);
    fit_refused(&folder, "--epochs 18446744073709551616", &["--epochs", "whole number"]);
    fit_refused(&folder, "--threads 0", &["threads is 0"]);
    fit_refused(&folder, "--seed x", &["--seed", "whole number"]);
}

#[test]
fn choices_that_do_not_exist() {
    let folder = folder();
    fit_refused(&folder, "--activation relu", &["`relu` is positively homogeneous", "softplus"]);
    fit_refused(&folder, "--activation sigmod", &["did you mean `sigmoid`?"]);
    fit_refused(&folder, "--activation leaky-softplus:2", &["2"]);
    fit_refused(&folder, "--solver adm", &["did you mean `adam`?"]);
    fit_refused(&folder, "--solver atuo", &["did you mean `auto`?"]);
    fit_refused(&folder, "--restarts some", &["--restarts", "whole number or `auto`"]);
    fit_refused(&folder, "--noise during", &["`pre` or `post`"]);
    fit_refused(&folder, "--scaling std", &["standard"]);
    fit_refused(&folder, "--init nowhere.json", &["`nowhere.json`", "zero, random[:S] or a weights file"]);
    fit_refused(&folder, "--init random:x", &["`random:x`", "number"]);
    fit_refused(&folder, "--init random:-1", &["random start is -1"]);
    fit_refused(&folder, "--solver gd --init weights.json", &["no coefficient for the feature `x3`"]);
    fit_refused(&folder, "--init model.json", &["not a weights file"]);
    fit_refused(&folder, "--taget y", &["--taget", "'--target'"]);
    refused(&folder, "predit model.json data.csv", &["predit", "'predict'"]);
}

#[test]
fn choices_that_do_not_go_together() {
    let folder = folder();
    fit_refused(&folder, "--batch 20", &["`auto`", "batch", "do not go together"]);
    fit_refused(&folder, "--solver gd --batch 20", &["`gd`", "batch", "do not go together"]);
    for solver in ["auto", "lbfgs", "newton", "newton-cg", "lm", "multistart"] {
        for (flag, name) in [("--eta 1", "eta"), ("--tau0 0.5", "tau0"), ("--beta 2", "beta")] {
            let solver_named = format!("solver `{solver}`");
            fit_refused(&folder, &format!("--solver {solver} {flag}"), &[&solver_named, name, "do not go together"]);
        }
    }
    fit_refused(&folder, "--solver gd --noise auto", &["`gd`", "noise auto"]);
    fit_refused(&folder, "--solver lm --restarts 5", &["`lm`", "restarts"]);
    fit_refused(&folder, "--solver saga --l2 0.1", &["`saga`", "l2"]);
    fit_refused(&folder, "--solver momentum --batch 20", &["`momentum`", "batch"]);
    fit_refused(&folder, "--solver sgd --batch 0", &["batch is 0"]);
    fit_refused(&folder, "--solver adam --activation exp", &["`adam`", "unbounded slope"]);
    fit_refused(&folder, "--solver gd:tau0=1 --tau0 1", &["tau0 is given twice"]);
    fit_refused(&folder, "--solver gd:tau0=1,tau0=0.5", &["--tau0", "multiple times"]);
    fit_refused(&folder, "--solver gd:tua0=1", &["no solver key is called `tua0`; did you mean `tau0`?"]);
    fit_refused(&folder, "--solver gd:seed=1", &["no solver key is called `seed`"]);
    fit_refused(&folder, "--solver gd:tau0", &["`tau0` has no value"]);
    fit_refused(&folder, "--solver gd:tau0=x", &["gd:tau0=x", "must be a number"]);
    refused(&folder, "fit beyond.csv --target y --noise pre", &["4 of 8 are at or beyond its bounds", "`post`"]);
}

#[test]
fn outputs_that_cannot_be() {
    let folder = folder();
    let fit = "fit data.csv --target y";
    refused(&folder, &format!("{fit} --model model.json"), &["model.json: it exists; use --force"]);
    refused(&folder, &format!("{fit} --model new.json --trace beyond.csv"), &["beyond.csv: it exists"]);
    refused(&folder, &format!("{fit} --model nowhere/m.json"), &["nowhere/m.json", "folder"]);
    refused(&folder, &format!("{fit} --model ."), &["folder"]);
    refused(&folder, &format!("{fit} --model new/"), &["not the name of a file"]);
    refused(&folder, &format!("{fit} --model -"), &["needs a file"]);
    refused(&folder, &format!("{fit} --model new.json --trace ./new.json"), &["new.json", "written to already"]);
    refused(&folder, &format!("{fit} --model data.csv --force"), &["data.csv: it is read"]);
    refused(&folder, "predict model.json data.csv -o beyond.csv", &["beyond.csv: it exists"]);
    refused(&folder, "predict model.json data.csv -o data.csv --force", &["data.csv: it is read"]);
    refused(&folder, "predict model.json data.csv -o new.parquet", &["only CSV is written so far"]);
    let simulate = "simulate --rows 5 --features 2 --activation sigmoid";
    refused(&folder, &format!("{simulate} -o data.csv"), &["data.csv: it exists"]);
    refused(&folder, &format!("{simulate} -o new.csv --truth weights.json"), &["weights.json: it exists"]);
    refused(&folder, &format!("{simulate} -o new.npy"), &["only CSV is written so far"]);
    refused(&folder, simulate, &["-o"]);
}

#[test]
fn models_that_are_none() {
    let folder = folder();
    let model = folder.read("model.json");
    folder.write("old.json", &model.replace("\"version\": 2", "\"version\": 9"));
    folder.write("cut.json", &model[..model.len() / 2]);
    folder.write("odd.json", &model.replace("\"sigmoid\"", "\"sigmund\""));
    folder.write("twice.json", r#"{"coefficients": {"x1": 1, "x2": 0, "x3": 0, "x1": 2}}"#);
    refused(&folder, "predict nowhere.json data.csv", &["nowhere.json: No such file"]);
    refused(&folder, "predict weights.json data.csv", &["weights.json: not a model"]);
    refused(&folder, "predict data.csv data.csv", &["data.csv: not a model"]);
    refused(&folder, "predict old.json data.csv", &["newer agglio (version 9", "upgrade"]);
    refused(&folder, "predict cut.json data.csv", &["cut.json: checksum mismatch: ", "incomplete"]);
    refused(&folder, "score odd.json data.csv", &["odd.json: checksum mismatch: the file was changed"]);
    fit_refused(
        &folder,
        "--solver gd --init twice.json",
        &["twice.json: not a weights file", "two coefficients of `x1`"],
    );
    refused(&folder, "predict model.json beyond.csv", &["no column is called `x1`"]);
    refused(&folder, "predict model.json header.csv -o new.csv", &["header.csv"]);
    folder.write("unlabelled.csv", "x1,x2,x3\n1,2,3\n");
    refused(&folder, "score model.json unlabelled.csv", &["no column is called `y`"]);
}

#[test]
fn simulations_that_cannot_be() {
    let folder = folder();
    let refuse = |words: &str, pieces: &[&str]| refused(&folder, &format!("simulate -o new.csv {words}"), pieces);
    refuse("--rows 0 --features 2 --activation sigmoid", &["0 × 2"]);
    refuse("--rows 1000000000000 --features 100000 --activation sigmoid", &["memory"]);
    refuse("--rows 18446744073709551615 --features 2 --activation sigmoid", &["memory"]);
    refuse("--rows 5 --features 2 --activation relu", &["`relu`"]);
    refuse("--rows 5 --features 2 --activation sigmoid --norm -1", &["norm is -1"]);
    refuse("--rows 5 --features 2 --activation sigmoid --design corr:2", &["correlation is 2"]);
    refuse("--rows 5 --features 2 --activation sigmoid --design odd", &["design is `odd`"]);
    refuse("--rows 5 --features 2 --activation sigmoid --noise post:0.1:sign", &["noise is `post:0.1:sign`"]);
    refuse("--rows 5 --features 2 --activation sigmoid --noise pre:x", &["`x`", "number"]);
}

#[test]
fn errors_of_input_are_one_line() {
    let folder = folder();
    folder.write("odd.csv", "a,\"two\nlines\",y\n1,x,0.5\n");
    let run = folder.run("fit odd.csv --target y");
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert!(run.stderr.contains("two\\nlines"), "{}", run.stderr);
}

#[test]
fn columns_too_large_to_square_are_named() {
    let folder = Folder::new();
    folder.write("huge.csv", "a,b,y\n1,1e200,0.2\n2,-1e200,0.4\n3,2e200,0.5\n");
    let run = folder.run("fit huge.csv --target y");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("column `b`: its values are too large to square"), "{}", run.stderr);
}

#[test]
fn columns_without_digits_of_their_own_are_warned_of() {
    let folder = Folder::new();
    let line = |i: u32| format!("{},{}\n", 1e10 + f64::from(i) * 0.01, 0.2 + 0.01 * f64::from(i * i % 7));
    folder.write("coarse.csv", &("a,y\n".to_owned() + &(0..30).map(line).collect::<String>()));
    let run = folder.run("fit coarse.csv --target y");
    assert!(run.stderr.contains("`a`: the values vary by less than 1e-8 of their mean"), "{}", run.stderr);
}
