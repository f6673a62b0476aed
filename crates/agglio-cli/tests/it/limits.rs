//! Input without measure, in 512 MB of memory.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::{Folder, Run};

/// Kilobytes of addresses that the program may have, used or not.
const MEMORY: &str = "524288";

/// Runs the program within [`MEMORY`], with words that are separated by spaces, and feeds it.
fn run(folder: &Folder, words: &str, input: impl FnOnce(&mut dyn Write)) -> Run {
    run_within(MEMORY, folder, words, input)
}

fn run_within(memory: &str, folder: &Folder, words: &str, input: impl FnOnce(&mut dyn Write)) -> Run {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v $0; exec \"$@\"", memory, env!("CARGO_BIN_EXE_agglio")]);
    command.args(words.split_whitespace()).current_dir(folder.path("."));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    input(&mut child.stdin.take().unwrap());
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[test]
fn a_hundred_thousand_columns_are_fitted() {
    let columns = 100_000;
    let value = |i: usize, j: usize| ((i * 7919 + j * 104_729) % 1000) as f64 / 1000.0;
    let header: String = (0..columns).map(|j| format!("x{j},")).collect();
    let row = |i: usize| (0..columns).map(|j| format!("{},", value(i, j))).collect::<String>() + &format!("0.{i}\n");
    let folder = Folder::with(&[("wide.csv", &format!("{header}y\n{}", (1..=9).map(row).collect::<String>()))]);
    let fit = run(&folder, "fit wide.csv --target y --format json --model m.json", |_| {});
    assert_eq!(fit.code, Some(3), "{}", fit.stderr);
    assert!(fit.stdout.contains("\"status\": \"not identified\""), "{}", fit.stderr);
    assert!(fit.stderr.len() < 1000 && fit.stderr.contains("and 99988 more"), "{}", fit.stderr);
    assert_eq!(run(&folder, "predict m.json wide.csv", |_| {}).stdout.lines().count(), 10);
}

#[test]
fn a_line_of_200_megabytes_is_refused() {
    for (filler, what) in [(b'1', "the line is longer than 16 MB"), (b',', "the line has more than 1048576 fields")] {
        let megabyte = vec![filler; 1 << 20];
        let fit = run(&Folder::new(), "fit - --target y", |input| {
            // the program has gone long before the end
            while input.write_all(&megabyte).is_ok() {}
        });
        assert_eq!((fit.code, fit.stdout.as_str()), (Some(2), ""), "{}", fit.stderr);
        assert!(fit.stderr.contains(what), "{}", fit.stderr);
    }
}

#[test]
fn zeros_without_end_are_refused() {
    for words in ["fit /dev/zero --target y", "predict /dev/zero /dev/zero", "fit x.csv --target y --init /dev/zero"] {
        let fit = run(&Folder::new(), words, |_| {});
        assert_eq!((fit.code, fit.stdout.as_str()), (Some(2), ""), "{words}: {}", fit.stderr);
        assert!(fit.stderr.contains("/dev/zero"), "{words}: {}", fit.stderr);
    }
}

#[test]
fn rows_without_end_are_refused() {
    let rows = "0.25,0.5,0.125\n".repeat(1 << 16);
    let fit =
        run(&Folder::new(), "fit - --target 3 --no-header", |input| while input.write_all(rows.as_bytes()).is_ok() {});
    assert_eq!((fit.code, fit.stdout.as_str()), (Some(2), ""), "{}", fit.stderr);
    assert!(fit.stderr.contains("memory"), "{}", fit.stderr);
}

#[test]
fn predictions_of_more_rows_than_memory_holds_are_made() {
    const MANY: usize = 4 << 20;
    let folder = Folder::with_data();
    folder.fit("data.csv --target y --model m.json");
    let rows = "0.25,0.5,0.125\n".repeat(1 << 16);
    let feed = |input: &mut dyn Write| (0..MANY >> 16).for_each(|_| input.write_all(rows.as_bytes()).unwrap());
    let predict = run(&folder, "predict m.json - --no-header -o p.csv", feed);
    assert_eq!((predict.code, predict.stderr.as_str()), (Some(0), ""));
    let one = folder.run_with_input("predict m.json - --no-header", "0.25,0.5,0.125\n").stdout;
    let (header, line) = one.split_once('\n').unwrap();
    let all = folder.read("p.csv");
    assert!(all.starts_with(header) && all.len() == header.len() + 1 + MANY * line.len());
    assert!(all.lines().skip(1).all(|other| other == line.trim_end()));
}

/// A piece of the data is held at a time, and the numbers are those of the same rows once.
#[test]
fn scores_of_more_rows_than_memory_holds_are_made() {
    const MANY: usize = 4 << 20;
    let folder = Folder::with_data();
    folder.fit("data.csv --target y --model m.json");
    let text = folder.read("data.csv");
    let (header, rows) = text.split_once('\n').unwrap();
    let rows: String = rows.lines().take(256).map(|line| line.to_owned() + "\n").collect();
    let score = |run: Run| -> serde_json::Value {
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        serde_json::from_str(&run.stdout).unwrap()
    };
    let once = score(folder.run_with_input("score m.json - --format json", &format!("{header}\n{rows}")));
    let (block, words) = (rows.repeat(256), "score m.json - --format json");
    let many = score(run(&folder, words, |input| {
        input.write_all(format!("{header}\n").as_bytes()).unwrap();
        (0..MANY >> 16).for_each(|_| input.write_all(block.as_bytes()).unwrap());
    }));
    assert_eq!(many["rows"], MANY);
    for name in ["loss", "rmse", "mae", "r_squared"] {
        crate::assert_close(crate::number(&many[name]), crate::number(&once[name]), 1e-9);
    }
    let bad = run(&folder, words, |input| {
        let text = format!("{header}\n{}1,2,3,x\n", block.repeat(4));
        // the program has gone when it has seen the last row
        let _ = input.write_all(text.as_bytes());
    });
    assert_eq!((bad.code, bad.stdout.as_str()), (Some(2), ""));
    assert!(bad.stderr.contains("standard input:262146: column `y`: `x`"), "{}", bad.stderr);
}

#[test]
fn a_bad_row_after_many_leaves_no_predictions() {
    let folder = Folder::with_data();
    folder.fit("data.csv --target y --model m.json");
    let rows = "0.25,0.5,0.125\n".repeat(1 << 18);
    folder.write("long.csv", &format!("{rows}1,2,x\n"));
    folder.write("old.csv", "old");
    let before = folder.names();
    for output in ["", "-o new.csv", "-o old.csv --force"] {
        let predict = folder.run(&format!("predict m.json long.csv --no-header {output}"));
        assert_eq!((predict.code, predict.stdout.as_str()), (Some(2), ""));
        assert!(predict.stderr.contains("long.csv:262145: column `3`: `x`"), "{}", predict.stderr);
        assert_eq!((folder.names(), folder.read("old.csv").as_str()), (before.clone(), "old"));
    }
}

#[test]
fn a_curvature_that_does_not_fit_is_refused() {
    let folder = Folder::new();
    assert_eq!(folder.run("simulate --rows 60 --features 3000 --activation sigmoid -o wide.csv").code, Some(0));
    for solver in ["lm", "newton", "multistart"] {
        let fit = run(&folder, &format!("fit wide.csv --target y --solver {solver}"), |_| {});
        assert_eq!((fit.code, fit.stdout.as_str()), (Some(2), ""), "{}", fit.stderr);
        assert!(fit.stderr.contains("MB are free") && fit.stderr.contains("`newton-cg`"), "{}", fit.stderr);
    }
    assert_eq!(run(&folder, "fit wide.csv --target y --solver newton-cg --quiet", |_| {}).code, Some(3));
}

/// Whatever the limit and the number of threads, which keep addresses for themselves: a result or a word.
#[test]
fn no_limit_ends_the_program() {
    let folder = Folder::new();
    folder.run("simulate --rows 1500 --features 400 --activation sigmoid --noise post:0.1 --seed 1 -o d.csv");
    for words in ["fit d.csv --target y", "fit d.csv --target y --threads 5", "fit d.csv --target y --solver lm"] {
        let codes = ["26000", "34000", "42000", "58000", "108000", "188000", "1000000"].map(|memory| {
            let fit = run_within(memory, &folder, words, |_| {});
            let told = match fit.code {
                Some(0 | 3) => fit.stdout.contains("verdict"),
                Some(2) => fit.stderr.starts_with("error: ") && fit.stderr.contains("memory"),
                _ => false,
            };
            assert!(told, "{words} within {memory}: {:?} {}", fit.code, fit.stderr);
            fit.code
        });
        assert_eq!((codes[0], codes[6]), (Some(2), Some(0)), "{words}");
    }
}
