//! Files and pipes: whole or not at all, replaced only when asked, and readers that go away.

use std::fs;
use std::io::Read;
use std::process::Stdio;

use crate::Folder;

#[test]
fn nothing_but_the_outputs_is_left() {
    let folder = Folder::with_data();
    assert_eq!(folder.run("fit data.csv --target y --model m.json --trace t.csv").code, Some(0));
    assert_eq!(folder.run("predict m.json data.csv -o p.csv").code, Some(0));
    assert_eq!(folder.names(), ["data.csv", "m.json", "p.csv", "t.csv"]);
}

#[test]
fn force_replaces() {
    let folder = Folder::with_data();
    for (name, words) in [
        ("m.json", "fit data.csv --target y --model m.json"),
        ("t.csv", "fit data.csv --target y --trace t.csv"),
        ("p.csv", "predict m.json data.csv -o p.csv"),
        ("s.csv", "simulate --rows 3 --features 1 --activation tanh -o s.csv"),
        ("w.json", "simulate --rows 3 --features 1 --activation tanh -o - --truth w.json"),
    ] {
        assert_eq!(folder.run(words).code, Some(0), "{words}");
        let written = folder.read(name);
        folder.write(name, "old");
        assert_eq!(folder.run(words).code, Some(2), "{words}");
        assert_eq!(folder.read(name), "old", "{words}");
        assert_eq!(folder.run(&format!("{words} --force")).code, Some(0), "{words}");
        assert_eq!(folder.read(name).lines().count(), written.lines().count(), "{words}");
    }
}

#[test]
fn a_fit_that_fails_leaves_no_file() {
    let folder = Folder::with(&[("d.csv", "a,y\n1,0\n2,1\n3,0.5\n")]);
    // refused only when the labels have been seen, after the outputs were found fit
    let run = folder.run("fit d.csv --target y --noise pre --model m.json --trace t.csv");
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert_eq!(folder.names(), ["d.csv"]);
}

#[test]
fn output_is_checked_before_data_is_read() {
    let folder = Folder::with(&[("m.json", "old")]);
    let run = folder.run("fit nowhere.csv --target y --model m.json");
    assert!(run.stderr.contains("m.json: the file exists"), "{}", run.stderr);
}

#[test]
fn predictions_are_the_same_on_standard_output() {
    let folder = Folder::with_data();
    folder.fit("data.csv --target y --model m.json");
    let run = folder.run("predict m.json data.csv");
    assert_eq!(run.code, Some(0));
    assert_eq!(folder.run("predict m.json data.csv -o p.csv").stdout, "");
    assert_eq!(folder.read("p.csv"), run.stdout);
    for name in ["/dev/stdout", "/proc/self/fd/1"] {
        let file = fs::File::create(folder.path("q.csv")).unwrap();
        let mut redirected = folder.command(&["predict", "m.json", "data.csv", "-o", name]);
        assert!(redirected.stdout(file).status().unwrap().success());
        assert_eq!(folder.read("q.csv"), run.stdout);
    }
    assert_eq!(folder.run("predict m.json data.csv -o -").stdout, run.stdout);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::new();
    let words = ["simulate", "--rows", "50000", "--features", "3", "--activation", "sigmoid", "-o", "-"];
    let mut child = folder.command(&words).spawn().unwrap();
    let mut start = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut start).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(&start, b"x1,x2,x3,y");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[test]
fn a_reader_that_goes_away_costs_no_model() {
    let folder = Folder::with_data();
    let mut command = folder.command(&["fit", "data.csv", "--target", "y", "--model", "m.json"]);
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
    assert_eq!(folder.run("score m.json data.csv").code, Some(0));
}

#[test]
fn a_reader_that_goes_away_still_learns_how_the_fit_ended() {
    let folder = Folder::with_data();
    let mut child =
        folder.command(&["fit", "data.csv", "--target", "y", "--solver", "gd", "--epochs", "2"]).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(3));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = Folder::with_data();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = folder.command(&["demo"]).stdout(Stdio::from(full)).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: standard output: No space left"));
    let run = folder.run("fit data.csv --target y --trace /dev/full");
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.starts_with("error: /dev/full: No space left"), "{}", run.stderr);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let fit = ["fit", "data.csv", "--target", "y", "--model", "m.json", "--quiet"];
    let output = folder.command(&fit).stdout(Stdio::from(full)).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.starts_with("error: the files were written, but not the result: standard output"), "{told}");
    assert!(folder.path("m.json").exists());
}

#[cfg(unix)]
#[test]
fn devices_and_links_stay_what_they_are() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt};
    let folder = Folder::with_data();
    folder.fit("data.csv --target y --model m.json");
    // a pipe of our own: a device of the system would be lost if this failed as root
    let made = std::process::Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap();
    assert!(made.success());
    let reader = folder.path("pipe");
    let reader = std::thread::spawn(move || fs::read_to_string(reader).unwrap());
    assert_eq!(folder.run("predict m.json data.csv -o pipe --force").code, Some(0));
    assert!(fs::metadata(folder.path("pipe")).unwrap().file_type().is_fifo());
    assert!(reader.join().unwrap().starts_with("prediction\n"));

    folder.write("real.csv", "old");
    fs::set_permissions(folder.path("real.csv"), fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("real.csv", folder.path("link.csv")).unwrap();
    assert_eq!(folder.run("predict m.json data.csv -o link.csv --force").code, Some(0));
    assert!(fs::symlink_metadata(folder.path("link.csv")).unwrap().is_symlink());
    assert!(folder.read("real.csv").starts_with("prediction\n"));
    assert_eq!(fs::metadata(folder.path("real.csv")).unwrap().permissions().mode() & 0o777, 0o640);
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_to_is_refused_before_the_fit() {
    // nobody, not even root, makes files there
    let run = Folder::new().run("fit nowhere.csv --target y --model /proc/m.json");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("/proc/m.json: the folder /proc cannot be written to"), "{}", run.stderr);
}

#[test]
fn standard_output_and_input_are_not_replaced() {
    let folder = Folder::with_data();
    folder.fit("data.csv --target y --model m.json");
    let file = fs::File::create(folder.path("o.txt")).unwrap();
    let mut fit = folder.command(&["fit", "data.csv", "--target", "y", "--model", "/dev/stdout", "--force"]);
    assert_eq!(fit.stdout(file).output().unwrap().status.code(), Some(2));
    let before = folder.read("data.csv");
    let mut predict = folder.command(&["predict", "m.json", "-", "-o", "data.csv", "--force"]);
    let output = predict.stdin(fs::File::open(folder.path("data.csv")).unwrap()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(folder.read("data.csv"), before);
}

#[test]
fn a_reader_that_goes_away_does_not_cost_a_file() {
    let folder = Folder::new();
    let words =
        ["simulate", "--rows", "100000", "--features", "3", "--activation", "sigmoid", "-o", "-", "--truth", "w.json"];
    let mut child = folder.command(&words).spawn().unwrap();
    child.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(folder.read("w.json").contains("\"x3\""));
}

/// Under noise before φ a model needs the noise's deviation.
#[test]
fn a_model_that_cannot_be_does_not_cost_the_result() {
    let folder = Folder::with(&[("d.csv", "x,y\n1,-1e150\n2,1\n3,2\n5,1\n")]);
    let run = folder.run("fit d.csv --target y --activation leaky-softplus:1e-8 --noise pre --model m.json");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("no model was written"), "{}", run.stderr);
    assert!(run.stdout.contains("diverging"), "{}", run.stdout);
    assert_eq!(folder.names(), ["d.csv"]);
}
