//! Files of figures: whole, replaced, and nothing else touched.

use std::fs;

use agglio_paper::folder::Folder;
use agglio_paper::page::Page;

use crate::samples;

#[test]
fn a_folder_gets_all_files_and_keeps_others() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("new/deep");
    let folder = Folder::open(&path).unwrap();
    assert_eq!(fs::read_dir(&path).unwrap().count(), 0, "nothing before there is something");
    fs::write(path.join("mine.txt"), "mine").unwrap();
    fs::write(path.join("everything.svg"), "old").unwrap();
    let figures = [samples::everything()];
    for _ in 0..2 {
        folder.put(&figures[0]).unwrap();
        folder.finish(&Page { figures: &figures, facts: &[], gap: None }).unwrap();
    }
    let mut names: Vec<String> =
        fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let expected = [
        "claims.csv",
        "everything.csv",
        "everything.json",
        "everything.png",
        "everything.svg",
        "index.html",
        "mine.txt",
    ];
    assert_eq!(names, expected);
    assert!(fs::read_to_string(path.join("everything.svg")).unwrap().starts_with("<svg"));
    assert_eq!(fs::read_to_string(path.join("mine.txt")).unwrap(), "mine");
    assert_eq!(folder.page(), path.join("index.html"));
}

#[test]
fn what_is_no_folder_is_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("file");
    fs::write(&path, "").unwrap();
    let why = Folder::open(&path).unwrap_err().to_string();
    assert!(why.ends_with("file: it is a file; name a folder"), "{why}");
    assert!(Folder::open(&path.join("below")).is_err());
    // nobody, not even root, makes files there
    #[cfg(target_os = "linux")]
    assert!(Folder::open(std::path::Path::new("/proc")).unwrap_err().to_string().contains("cannot be written to"));
    #[cfg(target_os = "linux")]
    assert!(Folder::open(std::path::Path::new("/proc/new")).unwrap_err().to_string().starts_with("/proc/new: "));
}

#[test]
fn a_folder_under_a_file_s_name_is_an_error_and_costs_no_other_file() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = Folder::open(scratch.path()).unwrap();
    fs::create_dir(scratch.path().join("alone.json")).unwrap();
    let why = folder.put(&samples::alone()).unwrap_err().to_string();
    assert!(why.contains("alone.json: this is a folder"), "{why}");
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
}
