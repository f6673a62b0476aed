//! `--checkpoint` and `--resume`: a fit that is killed goes on as if nothing had happened, and no other fit does.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Folder;

/// A fit of a few seconds.
const LONG: &str = "data.csv --target y --solver svrg:epochs=300,tol=1e-300";

fn with_table() -> Folder {
    let folder = Folder::new();
    let words = "simulate --rows 40000 --features 8 --activation sigmoid --noise post:0.1 --seed 5 -o data.csv";
    assert_eq!(folder.run(words).code, Some(0));
    folder
}

/// Lets a fit run until it has written its checkpoint, and kills it.
fn kill(folder: &Folder, words: &str) {
    let words: Vec<&str> = words.split_whitespace().collect();
    let mut child = folder.command(&words).spawn().unwrap();
    let begun = Instant::now();
    while !folder.path("c").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended without a checkpoint");
        assert!(begun.elapsed() < Duration::from_secs(60), "no checkpoint in a minute");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The result without times and without the pass that recognises the rows.
fn result(mut fit: Value) -> Value {
    for field in ["seconds", "read_seconds", "passes"] {
        fit.as_object_mut().unwrap().remove(field).unwrap();
    }
    fit
}

#[test]
fn a_killed_fit_goes_on_where_it_was() {
    let folder = with_table();
    let undisturbed = folder.fit(LONG);
    kill(&folder, &format!("fit {LONG} --threads 1 --checkpoint c"));
    let resumed = folder.fit(&format!("{LONG} --threads 2 --resume c --checkpoint c"));
    assert_eq!(result(resumed.clone()), result(undisturbed.clone()));
    assert_eq!(resumed["passes"].as_f64(), undisturbed["passes"].as_f64().map(|passes| passes + 1.0));
}

#[test]
fn no_other_fit_goes_on() {
    let folder = with_table();
    kill(&folder, &format!("fit {LONG} --checkpoint c"));
    let refusal = |words: &str| {
        let run = folder.run(&format!("fit {words}"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{words}");
        run.stderr
    };
    let whole = folder.read("c");
    let other = LONG.replace("epochs=300", "epochs=400");
    assert!(
        refusal(&format!("{other} --resume c")).contains("c: it is a checkpoint of a fit with other options: `epochs`")
    );
    let why = refusal(&format!("{LONG} --drop x1 --resume c"));
    assert!(why.contains("another table (the rows, their order or the columns differ)"), "{why}");
    let table = folder.read("data.csv");
    let (first, rest) = table.split_once('\n').unwrap();
    let (second, rest) = rest.split_once('\n').unwrap();
    let (third, rest) = rest.split_once('\n').unwrap();
    folder.write("swapped.csv", &format!("{first}\n{third}\n{second}\n{rest}"));
    assert!(refusal(&format!("{} --resume c", LONG.replace("data.csv", "swapped.csv"))).contains("another table"));
    folder.write("damaged", &whole.replacen('A', "B", 1));
    assert!(refusal(&format!("{LONG} --resume damaged")).contains("damaged: checksum mismatch"));
    assert!(refusal(&format!("{LONG} --resume data.csv")).contains("data.csv: not a checkpoint file"));
    assert!(refusal(&format!("{LONG} --resume nowhere")).contains("nowhere: "));
    assert!(refusal(&format!("{LONG} --checkpoint c")).contains("c: the file exists; pass --force to replace it"));
    assert!(refusal(&format!("{LONG} --resume c --model c --force")).contains("also an input or another output"));
    assert!(refusal(&format!("{LONG} --checkpoint no/where")).contains("no/where"));
    assert_eq!(folder.read("c"), whole);
    let names = ["c", "damaged", "data.csv", "swapped.csv"];
    assert_eq!(folder.names().into_iter().filter(|name| !name.starts_with('.')).collect::<Vec<_>>(), names);
    fs::remove_file(folder.path("c")).unwrap();
}
