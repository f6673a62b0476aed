//! Ctrl-C and SIGTERM: what is there is printed, what is not whole is not written.

use std::io::{Read, Write};
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Folder;

/// A path so slow that it ends by a signal or not at all.
const SLOW: &str = "fit data.csv --target y --solver gd --tau0 1e-9 --beta 1.0000001 --epochs 1000000000 --format json \
    --model m.json --trace t.csv";
/// Longest time that a test waits for what must happen; far more than it takes.
const PATIENCE: Duration = Duration::from_secs(60);

fn start(folder: &Folder, words: &str) -> Child {
    folder.command(&words.split_whitespace().collect::<Vec<_>>()).spawn().unwrap()
}

#[track_caller]
fn wait_for(what: &str, mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain for {what}");
        sleep(Duration::from_millis(2));
    }
}

/// SIGINT and SIGTERM in the system's sets of signals.
const BOTH: u64 = (1 << 1) | (1 << 14);

/// A set of signals of the program, by what the system knows of it.
fn signals(child: &Child, set: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(set)?.strip_prefix(':')).unwrap();
    u64::from_str_radix(line.trim(), 16).unwrap()
}

/// Waits until the program listens to signals.
fn wait_until_it_listens(child: &Child) {
    wait_for("handlers", || signals(child, "SigCgt") & BOTH == BOTH);
}

/// Waits until a program that was blocked has handled the signals sent to it. It takes them while it runs, and so it is blocked
/// again only after their handlers.
fn wait_until_it_has_handled_signals(child: &Child) {
    wait_for("signals to be taken", || (signals(child, "ShdPnd") | signals(child, "SigPnd")) & BOTH == 0);
    wait_until_it_is_blocked(child);
}

/// Waits until the program has written something that is not there under its name yet.
fn wait_until_it_writes(folder: &Folder, child: &Child) {
    wait_until_it_listens(child);
    let length = |name: &String| std::fs::metadata(folder.path(name)).map_or(0, |meta| meta.len());
    wait_for("a draft", || folder.names().iter().any(|name| name.starts_with('.') && length(name) > 0));
}

/// What the system knows of the program: its state, then ten numbers, then its time in user mode.
fn stat(child: &Child) -> Vec<String> {
    let text = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    // after the program's name, which may contain anything
    let (_, fields) = text.rsplit_once(')').unwrap();
    fields.split_whitespace().map(ToOwned::to_owned).collect()
}

/// Waits until the program can go no farther.
fn wait_until_it_is_blocked(child: &Child) {
    wait_for("a program that sleeps", || stat(child)[0] == "S");
}

/// Waits until the program has used so much of a processor that a small fit is behind it.
fn wait_until_it_has_worked(child: &Child) {
    const HUNDREDTHS: u64 = 50;
    wait_for("work", || stat(child)[11].parse::<u64>().unwrap() >= HUNDREDTHS);
}

fn signal(child: &Child, name: &str) {
    // the shell's own, which is there where the program of that name is not
    assert!(Command::new("sh").args(["-c", &format!("kill {name} {}", child.id())]).status().unwrap().success());
}

#[test]
fn a_signal_ends_a_fit_with_the_best_so_far() {
    for (name, code) in [("-INT", 130), ("-TERM", 143)] {
        let folder = Folder::with_data();
        let child = start(&folder, SLOW);
        wait_until_it_writes(&folder, &child);
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        let fit: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(code));
        assert_eq!((&fit["status"], &fit["certified"]), (&"interrupted".into(), &false.into()));
        assert!(fit["loss"].is_number() && fit["coefficients"]["x1"].is_number(), "{fit}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "warning: interrupted, so no model was written\n");
        // no model of a fit that was cut short; the trace is of what has been done
        assert_eq!(folder.names(), ["data.csv", "t.csv"]);
    }
}

#[test]
fn a_signal_ends_a_bootstrap() {
    let folder = Folder::with_data();
    let child = start(&folder, "fit data.csv --target y --se bootstrap:1000000 --format json --model m.json");
    wait_until_it_listens(&child);
    wait_until_it_has_worked(&child);
    signal(&child, "-INT");
    let begun = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(begun.elapsed() < PATIENCE);
    assert_eq!(output.status.code(), Some(130));
    let fit: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&fit["status"], &fit["certified"]), (&"converged".into(), &true.into()));
    assert_eq!(
        (&fit["standard_errors"], &fit["inference_note"]),
        (&Value::Null, &"interrupted before they were computed".into())
    );
    assert_eq!(String::from_utf8_lossy(&output.stderr), "warning: interrupted, so no model was written\n");
    assert_eq!(folder.names(), ["data.csv"]);
}

#[test]
fn a_signal_ends_a_proof_and_the_fit_stands() {
    let folder = Folder::new();
    let words = "simulate --rows 300 --features 9 --activation sigmoid --noise post:0.3 --seed 1 -o data.csv";
    assert_eq!(folder.run(words).code, Some(0));
    let words = "fit data.csv --target y --prove --format json --model m.json";
    let child = start(&folder, words);
    wait_until_it_listens(&child);
    wait_until_it_has_worked(&child);
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let fit: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&fit["status"], &fit["certified"]), (&"converged".into(), &true.into()));
    let proof = &fit["proof"];
    assert_eq!(proof["complete"], false);
    assert!(proof["gap"].as_f64().unwrap() > 1e-6 && proof["lower_bound"].as_f64() < fit["loss"].as_f64(), "{proof}");
    assert!(fit["standard_errors"]["x1"].is_number());
    assert_eq!(folder.names(), ["data.csv", "m.json"]);
    assert_eq!(folder.fit("data.csv --target y --prove=none")["coefficients"], fit["coefficients"]);
}

#[test]
fn an_old_model_outlives_an_interrupt() {
    let folder = Folder::with_data();
    folder.write("m.json", "old");
    let child = start(&folder, &format!("{SLOW} --force"));
    wait_until_it_writes(&folder, &child);
    signal(&child, "-INT");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    assert_eq!(folder.read("m.json"), "old");
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let folder = Folder::new();
    // nobody reads what it writes, so that it can never wind up
    let mut child = start(&folder, "simulate --rows 300000 --features 5 --activation sigmoid -o -");
    child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    // the pipe is full then; and the exit code is that of the signal that ended it
    wait_until_it_is_blocked(&child);
    signal(&child, "-INT");
    // of two signals that wait together the handler of the later one runs first
    wait_until_it_has_handled_signals(&child);
    assert!(child.try_wait().unwrap().is_none());
    signal(&child, "-TERM");
    assert_eq!(child.wait().unwrap().code(), Some(143));
}

#[test]
fn waiting_for_input_ends_at_once() {
    let folder = Folder::new();
    let mut child = start(&folder, "fit - --target y --model m.json");
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"a,y\n1,2\n").unwrap();
    wait_until_it_listens(&child);
    signal(&child, "-INT");
    let mut printed = String::new();
    child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
    assert_eq!((child.wait().unwrap().code(), printed.as_str()), (Some(130), ""));
    assert!(folder.names().is_empty());
}

#[test]
fn predictions_that_wait_for_input_leave_no_file() {
    let folder = Folder::with_data();
    folder.fit("data.csv --target y --model m.json");
    let before = folder.names();
    let mut child = start(&folder, "predict m.json - -o p.csv");
    let mut input = child.stdin.take().unwrap();
    let rows = "1,2,3\n".repeat(100_000);
    input.write_all(format!("x1,x2,x3\n{rows}").as_bytes()).unwrap();
    wait_until_it_writes(&folder, &child);
    signal(&child, "-TERM");
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert_eq!(folder.names(), before);
}

#[test]
fn a_signal_leaves_no_half_of_a_file() {
    let folder = Folder::new();
    let child = start(&folder, "simulate --rows 3000000 --features 10 --activation sigmoid -o s.csv --truth w.json");
    wait_until_it_writes(&folder, &child);
    signal(&child, "-TERM");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "error: interrupted; no file was written\n");
    assert!(folder.names().is_empty());
}

#[test]
fn compare_prints_the_solvers_that_ran() {
    let folder = Folder::with_data();
    let words = "compare data.csv --target y --format json --solvers \
        lm,gd:tau0=1e-9;beta=1.0000001;epochs=1000000000,newton";
    let child = start(&folder, words);
    wait_until_it_has_worked(&child);
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let runs: Value = serde_json::from_slice(&output.stdout).unwrap();
    let statuses: Vec<&Value> = runs.as_array().unwrap().iter().map(|run| &run["status"]).collect();
    assert_eq!(statuses, ["converged", "interrupted"]);
}

#[test]
fn tune_prints_the_best_so_far() {
    let folder = Folder::with_data();
    let words = "tune data.csv --target y --format json --solver gd:beta=1.0000001 --threads 1 --grid \
        eta=1;tau0=1e-3,1e-9;epochs=50,1000000000";
    let child = start(&folder, words);
    wait_until_it_has_worked(&child);
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("interrupted: 2 of 4 settings were tried"), "{stderr}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["best"]["solver"], "gd:beta=1.0000001,eta=1,tau0=1e-3,epochs=50");
    let statuses: Vec<&Value> = found["candidates"].as_array().unwrap().iter().map(|one| &one["status"]).collect();
    assert_eq!(statuses, ["iteration limit", "interrupted", "iteration limit", "interrupted"]);
}

#[test]
fn a_figure_that_is_not_finished_is_not_written() {
    let folder = Folder::new();
    let child = start(&folder, "paper fig1 --seeds 1000000000 --out out");
    wait_until_it_has_worked(&child);
    signal(&child, "-TERM");
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(143), b"".as_slice()));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "error: interrupted; no file was written\n");
    assert_eq!(std::fs::read_dir(folder.path("out")).unwrap().count(), 0);
}
