//! The program as its users meet it: flags and files in; words, numbers, files and an exit code out.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should not")]

mod answer;
mod auto;
// what the system says is part of the table
#[cfg(target_os = "linux")]
mod bad_input;
mod checkpoint;
mod compare;
mod compare_models;
mod contract;
mod curves;
mod degenerate;
mod durability;
mod effects;
mod files;
mod generate;
mod groups;
#[cfg(target_os = "linux")]
mod keys;
mod limits;
mod noise_choice;
mod outcomes;
mod pages;
mod paper;
mod predict;
mod printed;
mod roundtrip;
#[cfg(target_os = "linux")]
mod signals;
mod snapshot;
mod terms;
mod theory;
mod tune;
mod verdicts;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// Labels at and beyond the bounds of the sigmoid, on rows that no plane separates.
const BEYOND: &str = "a,b,y\n\
    0.5,-1.2,0\n-0.3,0.8,1\n1.1,0.4,-0.2\n-1.4,-0.6,1.3\n0.2,0.9,0.4\n0.9,-0.1,0.7\n-0.8,1.5,0.2\n-0.1,-0.7,0.9\n";

/// What a run of the program left.
struct Run {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// A folder of its own for each test, in which the program runs.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(TempDir::new().unwrap())
    }

    /// A folder with these files.
    fn with(files: &[(&str, &str)]) -> Folder {
        let folder = Folder::new();
        files.iter().for_each(|(name, text)| folder.write(name, text));
        folder
    }

    /// A folder with `data.csv`: 300 noisy rows x1, x2, x3, y through a sigmoid.
    fn with_data() -> Folder {
        let folder = Folder::new();
        let words = "simulate --rows 300 --features 3 --activation sigmoid --noise post:0.05 --seed 3 -o data.csv";
        assert_eq!(folder.run(words).code, Some(0));
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_agglio"));
        command.args(words).current_dir(self.0.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the program with words that are separated by spaces.
    fn run(&self, words: &str) -> Run {
        self.run_with_input(words, "")
    }

    fn run_with_input(&self, words: &str, input: &str) -> Run {
        let mut child = self.command(&words.split_whitespace().collect::<Vec<_>>()).spawn().unwrap();
        // a program that fails early does not read it
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Runs `fit` with the given words, which must leave a JSON object.
    fn fit(&self, words: &str) -> Value {
        let run = self.run(&format!("fit {words} --format json"));
        serde_json::from_str(&run.stdout).unwrap_or_else(|why| panic!("{words}: {why}: {}", run.stderr))
    }

    /// Names of all files.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Names and contents of all files.
    fn snapshot(&self) -> Vec<(String, Vec<u8>)> {
        let contents = |name: String| {
            let path = self.path(&name);
            // a pipe would be waited for
            let is_file = fs::metadata(&path).is_ok_and(|meta| meta.is_file());
            (name, if is_file { fs::read(path).unwrap() } else { Vec::new() })
        };
        self.names().into_iter().map(contents).collect()
    }
}

/// The commands that the help lists.
fn commands() -> Vec<String> {
    let help = Folder::new().run("--help").stdout;
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    names.map(str::to_owned).collect()
}

/// A table of numbers with a header.
struct Numbers {
    header: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Numbers {
    fn parse(csv: &str) -> Numbers {
        let mut lines = csv.lines();
        let header = lines.next().unwrap().split(',').map(str::to_owned).collect();
        let rows = lines.map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
        Numbers { header, rows }
    }

    fn column(&self, name: &str) -> Vec<f64> {
        let j = self.header.iter().position(|other| other == name).unwrap();
        self.rows.iter().map(|row| row[j]).collect()
    }

    /// b + Σ_j x_j·w_j for every row, by the coefficients' names.
    fn predictors(&self, fit: &Value) -> Vec<f64> {
        let mut z = vec![number(&fit["intercept"]); self.rows.len()];
        for (name, w) in fit["coefficients"].as_object().unwrap() {
            z.iter_mut().zip(self.column(name)).for_each(|(z, x)| *z += x * number(w));
        }
        z
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

fn sigmoid(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

fn mean_square(predictions: &[f64], labels: &[f64]) -> f64 {
    let squares = predictions.iter().zip(labels).map(|(p, y)| (p - y) * (p - y));
    squares.sum::<f64>() / labels.len() as f64
}

#[track_caller]
fn assert_close(found: f64, expected: f64, tolerance: f64) {
    let error = (found - expected).abs();
    assert!(error <= tolerance * expected.abs(), "{found} is not {expected}: off by {error}");
}
