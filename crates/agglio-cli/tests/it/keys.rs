//! The library's table of keys, as flags and as keys after the solver's name.

use agglio::spec::{Group, KEYS};

use crate::Folder;

/// Every key has a flag, but for `stream`: the program reads all files into memory so far.
#[test]
fn help_has_every_key() {
    let folder = Folder::new();
    let words = |command: &str| {
        let help = folder.run(&format!("{command} --help")).stdout;
        help.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let [fit, tune] = ["fit", "tune"].map(words);
    for key in KEYS.iter().filter(|key| key.name != "stream") {
        let flag = match key.name {
            "intercept" => "--no-intercept Fit".to_owned(),
            "solver" => "--solver <NAME[:key=value,…]>".to_owned(),
            "init" => {
                let help = key.help.replace("a point", "a coefficients file");
                format!("--init <zero|random[:S]|W.json> {help}")
            }
            "prove" => format!("--prove[=<GAP>] {}", key.help),
            name if key.group == Group::Paper => format!("{name}={} {}", key.value, key.help),
            name => format!("--{name} <{}> {}", key.value, key.help),
        };
        assert!(fit.contains(&flag), "no {flag} in {fit}");
        let is_of_fit = [Group::Paper, Group::Proof].contains(&key.group);
        assert!(is_of_fit || tune.contains(&flag), "no {flag} in {tune}");
        let default = format!("[default: {}]", key.default);
        assert!(key.name == "intercept" || fit.contains(&default), "no {default} in {fit}");
    }
}

/// A value that is not one is refused as a flag and as a key, with the same words on what it can be.
#[test]
fn flags_and_keys_are_read_alike() {
    let folder = Folder::with_data();
    for key in KEYS.iter().filter(|key| matches!(key.group, Group::Noise | Group::Method)) {
        let Err(allowed) = key.set(&mut agglio::Spec::default(), "no-such-value") else { panic!("{}", key.name) };
        if ["solver", "init"].contains(&key.name) {
            continue;
        }
        let flag = folder.run(&format!("fit data.csv --target y --{} no-such-value", key.name));
        let keyed = folder.run(&format!("fit data.csv --target y --solver gd:{}=no-such-value", key.name));
        for run in [flag, keyed] {
            assert!(run.code == Some(2) && run.stderr.contains(&allowed), "{}: {}", key.name, run.stderr);
        }
    }
}

/// Choices that do not go together are refused before the file is looked for.
#[test]
fn choices_are_checked_before_data_is_read() {
    let folder = Folder::with(&[("w.json", r#"{"coefficients": {"x1": 1}}"#)]);
    for (words, piece) in [
        ("fit nowhere.csv --target y --solver adam --activation exp", "unbounded derivative"),
        ("fit nowhere.csv --target y --solver gradopt --activation exp", "unbounded derivative"),
        ("compare nowhere.csv --target y --solvers auto,adam --activation exp", "unbounded derivative"),
        ("tune nowhere.csv --target y --solver yogi --activation exp --grid eta=1,2", "unbounded derivative"),
        ("fit nowhere.csv --target y --solver irls --init w.json", "`irls` does not take `init`"),
        ("compare nowhere.csv --target y --solvers lm,linear --init w.json", "`linear` does not take `init`"),
    ] {
        let run = folder.run(words);
        assert!(run.code == Some(2) && run.stderr.contains(piece), "{words}: {}", run.stderr);
    }
    let found = folder.run("fit nowhere.csv --target y --solver adam --activation exp --epsilon 1e-8");
    assert!(found.code == Some(2) && found.stderr.contains("nowhere.csv"), "{}", found.stderr);
}
