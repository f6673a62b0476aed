//! The README's command lines, run as they stand, and the version that a citation names.

use std::path::Path;
use std::process::Command;

use crate::Folder;

#[test]
fn every_command_of_the_readme_succeeds() {
    let readme = include_str!("../../../../README.md");
    let section = readme.split("## On the command line").nth(1).unwrap();
    let script = section.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    assert!(script.lines().count() >= 8, "{script}");
    let folder = Folder::new();
    let program = Path::new(env!("CARGO_BIN_EXE_agglio")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    for line in script.lines() {
        let run =
            Command::new("sh").args(["-c", line]).current_dir(folder.path(".")).env("PATH", &path).output().unwrap();
        assert!(run.status.success(), "{line}: {}", String::from_utf8_lossy(&run.stderr));
    }
    for file in ["train.csv", "truth.json", "model.json", "predictions.csv", "steps.csv", "normal.csv"] {
        assert!(folder.path(file).exists(), "{file}");
    }
}

#[test]
fn the_citation_has_the_version_of_the_program() {
    let citation = include_str!("../../../../CITATION.cff");
    let version = citation.lines().find_map(|line| line.strip_prefix("version: "));
    assert_eq!(version, Some(env!("CARGO_PKG_VERSION")));
}
