//! `--checkpoint` and `--resume`: a fit that is killed goes on as if nothing had happened, and no other fit does.

use std::time::Duration;

use serde_json::Value;

use crate::Folder;

/// A table, and the words of a fit to it that was killed after its first checkpoint, `c`.
fn killed(threads: usize) -> (Folder, String) {
    let folder = Folder::new();
    let words = "simulate --rows 40000 --features 8 --activation sigmoid --noise post:0.1 --seed 5 -o data.csv";
    assert_eq!(folder.run(words).code, Some(0));
    // steps so short that none is the last, for as long as this machine needs for a checkpoint
    let fits = [500, 1000, 2000, 4000, 8000, 16000]
        .map(|epochs| format!("data.csv --target y --solver svrg:epochs={epochs},eta=1e-3"));
    let long = fits.into_iter().find(|fit| kill(&folder, &format!("fit {fit} --threads {threads} --checkpoint c")));
    (folder, long.unwrap())
}

/// Lets a fit run until it has written its checkpoint, and kills it. False if it ends before.
fn kill(folder: &Folder, words: &str) -> bool {
    let words: Vec<&str> = words.split_whitespace().collect();
    let mut child = folder.command(&words).spawn().unwrap();
    while !folder.path("c").exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    child.wait().unwrap();
    folder.path("c").exists()
}

/// The result without times and without the passes that recognise the rows.
fn result(mut fit: Value) -> Value {
    for field in ["seconds", "read_seconds", "passes"] {
        fit.as_object_mut().unwrap().remove(field).unwrap();
    }
    fit["proof"].as_object_mut().map(|proof| proof.remove("seconds"));
    fit
}

#[test]
fn a_killed_fit_goes_on_where_it_was() {
    let (folder, long) = killed(1);
    let undisturbed = folder.fit(&long);
    let resumed = folder.fit(&format!("{long} --threads 2 --resume c --checkpoint c"));
    assert_eq!(result(resumed.clone()), result(undisturbed.clone()));
    assert_eq!(resumed["passes"].as_f64(), undisturbed["passes"].as_f64().map(|passes| passes + 2.0));
    // a default that is typed out is the same option, and so is another name of the activation
    let resumed =
        folder.fit(&format!("{long} --activation logistic --seed 0 --noise post --resume ./c --checkpoint c"));
    assert_eq!(result(resumed), result(undisturbed));
}

/// One command, again and again.
#[test]
fn a_fit_that_is_resumed_from_its_own_file_may_begin() {
    let folder = Folder::with_data();
    let words = "data.csv --target y --checkpoint c --resume c";
    assert_eq!(result(folder.fit(words)), result(folder.fit("data.csv --target y")));
}

#[test]
fn no_other_fit_goes_on() {
    let (folder, long) = killed(2);
    let refusal = |words: &str| {
        let run = folder.run(&format!("fit {words}"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{words}");
        run.stderr
    };
    let whole = folder.read("c");
    let other = long.replace("epochs=", "epochs=1");
    assert!(
        refusal(&format!("{other} --resume c")).contains("c: it is a checkpoint of a fit with other options: `epochs`")
    );
    let why = refusal(&format!("{long} --drop x1 --resume c"));
    assert!(why.contains("another table (the rows, their order or the columns differ)"), "{why}");
    let table = folder.read("data.csv");
    let (first, rest) = table.split_once('\n').unwrap();
    let (second, rest) = rest.split_once('\n').unwrap();
    let (third, rest) = rest.split_once('\n').unwrap();
    folder.write("swapped.csv", &format!("{first}\n{third}\n{second}\n{rest}"));
    assert!(refusal(&format!("{} --resume c", long.replace("data.csv", "swapped.csv"))).contains("another table"));
    folder.write("damaged", &whole.replacen('A', "B", 1));
    assert!(refusal(&format!("{long} --resume damaged")).contains("damaged: checksum mismatch"));
    assert!(refusal(&format!("{long} --resume data.csv")).contains("data.csv: not a checkpoint file"));
    assert!(refusal(&format!("{long} --resume nowhere")).contains("nowhere: "));
    assert!(refusal(&format!("{long} --checkpoint c")).contains("c: the file exists; pass --force to replace it"));
    assert!(refusal(&format!("{long} --resume c --model c --force")).contains("also an input or another output"));
    assert!(refusal(&format!("{long} --checkpoint no/where")).contains("no/where"));
    assert!(
        refusal(&format!("{long} --checkpoint /dev/null")).contains("/dev/null: a checkpoint needs a regular file")
    );
    assert_eq!(folder.read("c"), whole);
    let names = ["c", "damaged", "data.csv", "swapped.csv"];
    assert_eq!(folder.names().into_iter().filter(|name| !name.starts_with('.')).collect::<Vec<_>>(), names);
}
