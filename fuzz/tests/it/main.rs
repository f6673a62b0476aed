//! Replays the corpora: bytes that once led somewhere new, or broke something.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use agglio_fuzz::{TARGETS, Target};

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn stems(folder: &str) -> Vec<String> {
    files(folder).iter().map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect()
}

/// The bytes of a corpus that break a law.
fn broken(name: &str, target: Target) -> Vec<PathBuf> {
    let corpus = files(&format!("corpus/{name}"));
    assert!(!corpus.is_empty(), "the corpus of {name} is empty");
    let fails = |path: &PathBuf| {
        let data = fs::read(path).unwrap();
        catch_unwind(|| target(&data)).is_err()
    };
    corpus.into_iter().filter(fails).collect()
}

#[test]
fn the_laws_hold_on_every_corpus() {
    let broken: Vec<PathBuf> = TARGETS.iter().flat_map(|&(name, target)| broken(name, target)).collect();
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_target_has_a_binary_and_a_corpus_and_no_other_has() {
    let names: Vec<&str> = TARGETS.iter().map(|&(name, _)| name).collect();
    assert_eq!(stems("fuzz_targets"), names);
    assert_eq!(stems("corpus"), names);
}
