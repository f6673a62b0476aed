//! The largest memory of a fit, beside that of its table, in double or single precision.
//!
//! The storage and the number of rows are arguments, `f64` and 200 000 unless given; there are 50 columns. Where the system
//! does not tell the memory of a process there is nothing to print.
//!
//! ```sh
//! cargo run --release -p agglio --example storage -- f32 1000000
//! ```

use agglio::activation::named;
use agglio::rows::Dense;
use agglio::{Options, Result};

const COLUMNS: usize = 50;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let Some((single, rows)) = asked(&words) else {
        eprintln!("usage: storage [f64|f32 [ROWS]]");
        std::process::exit(2);
    };
    let phi = named("sigmoid")?;
    let before = peak();
    let labels = (0..rows).map(|i| {
        let z: f64 = (0..COLUMNS).map(|j| if j % 2 == 0 { entry(i, j) } else { -entry(i, j) }).sum();
        phi.value(z) + 0.1 * (entry(i, COLUMNS) - 0.5)
    });
    let labels = labels.collect();
    let cells = (0..rows * COLUMNS).map(|k| entry(k / COLUMNS, k % COLUMNS));
    let table = match single {
        true => Dense::new_f32(cells.map(|x| x as f32).collect(), COLUMNS, labels)?,
        false => Dense::new(cells.collect(), COLUMNS, labels)?,
    };
    let report = Options::new(phi).build()?.fit(&table)?;
    let bytes = rows * (COLUMNS * if single { 4 } else { 8 } + 8);
    println!("{} after {:.1} passes, loss {:e}", report.status(), report.passes, report.loss);
    if let (Some(before), Some(after)) = (before, peak()) {
        let (data, most) = (bytes as f64 / 1e6, after - before);
        println!("table and labels {data:.0} MB, most memory {most:.0} MB, {:.2} times", most / data);
    }
    Ok(())
}

/// Numbers that fill [0, 1) evenly, in a sequence of its own for each column.
fn entry(row: usize, column: usize) -> f64 {
    (row as f64 * (2.0 + column as f64 * 1.7).sqrt()).fract()
}

/// The most memory that this process has held, in MB.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kilobytes| kilobytes / 1e3)
}

/// Whether in single precision, and how many rows.
fn asked(words: &[&str]) -> Option<(bool, usize)> {
    match *words {
        [] => Some((false, 200_000)),
        [storage @ ("f64" | "f32")] => Some((storage == "f32", 200_000)),
        [storage @ ("f64" | "f32"), rows] => Some((storage == "f32", rows.parse().ok()?)),
        _ => None,
    }
}
