//! `paper`: a figure's files, the page about them, and what is said.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::Folder;

const FILES: [&str; 6] = ["claims.csv", "fig1.csv", "fig1.json", "fig1.png", "fig1.svg", "index.html"];

fn names(folder: &Folder, below: &str) -> Vec<String> {
    let entries = fs::read_dir(folder.path(below)).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_figure_leaves_its_files_and_a_page() {
    let folder = Folder::new();
    let run = folder.run("paper fig1 --quick --out new/figures");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert_eq!(names(&folder, "new/figures"), FILES);
    assert!(run.stdout.contains("fig1") && run.stdout.contains("7 of 9"), "{}", run.stdout);
    assert!(run.stdout.contains("\n7 of 9 claims held, 2 failed, 0 undecided\n"), "{}", run.stdout);
    // both softplus are convex wherever they were looked at
    assert!(run.stdout.contains("\nThese claims failed:\nfig1  the loss of softplus is non-convex"), "{}", run.stdout);
    assert!(run.stdout.ends_with("\nnew/figures/index.html\n"), "{}", run.stdout);
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{}", run.stdout);
    let object: Value = serde_json::from_str(&folder.read("new/figures/fig1.json")).unwrap();
    assert!(object["seconds"].as_f64().unwrap() > 0.0);
    let verdicts: Vec<&str> =
        object["claims"].as_array().unwrap().iter().map(|claim| claim["verdict"].as_str().unwrap()).collect();
    let count = |verdict: &str| verdicts.iter().filter(|found| **found == verdict).count();
    assert_eq!((count("held"), count("failed"), count("by construction")), (7, 2, 1), "{}", object["claims"]);
    let claims = folder.read("new/figures/claims.csv");
    assert!(
        claims.starts_with("verdict,figure,") && claims.lines().nth(1).unwrap().starts_with("failed,fig1,"),
        "{claims}"
    );
    let page = folder.read("new/figures/index.html");
    assert!(page.contains("agglio paper fig1 --quick --seeds 3 --seed 0") && page.contains("7 of 9 claims held"));
    assert!(page.contains(env!("CARGO_PKG_VERSION")));
}

#[test]
fn files_of_its_own_are_replaced_and_others_left() {
    let folder = Folder::new();
    fs::create_dir(folder.path("out")).unwrap();
    for name in FILES.iter().chain(&["fig2a.svg", "notes.txt"]) {
        folder.write(&format!("out/{name}"), "old");
    }
    assert_eq!(folder.run("paper fig1 --quick --seeds 1 --out out").code, Some(0));
    for name in FILES {
        assert_ne!(fs::read(folder.path(&format!("out/{name}"))).unwrap(), b"old", "{name}");
    }
    assert_eq!((folder.read("out/fig2a.svg").as_str(), folder.read("out/notes.txt").as_str()), ("old", "old"));
    assert_eq!(names(&folder, "out").len(), FILES.len() + 2);
}

#[test]
fn the_same_seeds_make_the_same_numbers_on_any_number_of_threads() {
    let folder = Folder::new();
    for (out, words) in [("a", "--threads 1"), ("b", "--threads 2"), ("c", "--seed 7")] {
        assert_eq!(folder.run(&format!("paper fig1 --quick --seeds 1 --out {out} {words}")).code, Some(0));
    }
    for name in ["fig1.csv", "fig1.svg", "claims.csv"] {
        assert!(folder.read(&format!("a/{name}")) == folder.read(&format!("b/{name}")), "{name}");
        assert!(folder.read(&format!("a/{name}")) != folder.read(&format!("c/{name}")), "{name}");
    }
}

#[test]
fn the_table_of_constants_is_the_seed_s() {
    let folder = Folder::new();
    for (out, words) in [("a", "--seed 0"), ("b", "--seed 0"), ("c", "--seed 1")] {
        assert_eq!(folder.run(&format!("paper table1 --quick --out {out} {words}")).code, Some(0));
    }
    let read = |out: &str| folder.read(&format!("{out}/table1.csv"));
    assert!(read("a") == read("b") && read("a") != read("c"));
}

#[test]
fn quiet_leaves_the_summary() {
    let folder = Folder::new();
    let run = folder.run("paper fig1 --quick --seeds 1 --quiet --out out");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.ends_with("out/index.html\n"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_leaves_no_half_of_a_figure() {
    let folder = Folder::new();
    let shell = "ulimit -f 8; exec \"$0\" paper fig1 --quick --seeds 1 --out out";
    let program = env!("CARGO_BIN_EXE_agglio");
    let output = Command::new("sh").args(["-c", shell, program]).current_dir(folder.path(".")).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), b"".as_slice()), "{told}");
    assert!(told.starts_with("error: out/fig1.") && told.contains("File too large"), "{told}");
    assert_eq!(names(&folder, "out"), [""; 0]);
}
