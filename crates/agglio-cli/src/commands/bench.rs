//! `bench`: the speed of the kernels, compared with the limits of this machine.

use std::io::Write;
use std::process::ExitCode;

use agglio::bench::{Bench, Storage, Timing};
use agglio::text::format;
use anyhow::{Result, bail};
use serde::Serialize;

use crate::args::BenchArgs;
use crate::tabular::{flush_left, left, right, ruled};
use crate::{memory, output, print, threads};

const WIDTHS: [usize; 4] = [10, 50, 100, 500];
/// Bytes of a table that no cache holds.
const TABLE: usize = 400_000_000;
/// Bytes of the tables that are in memory at the same time: two, and the numbers of a plain sum. The labels of narrow rows
/// are not included.
const HELD: usize = 4 * TABLE;
/// Multiplications that a curvature is measured by.
const MULTIPLICATIONS: usize = 4_000_000_000;
const REPEATS: usize = 15;
const ROWS: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// Columns of the fits.
const FITTED: usize = 50;

/// A kernel and its bound.
#[derive(Debug, Serialize)]
struct Kernel {
    kernel: &'static str,
    bound: &'static str,
    columns: usize,
    rows: usize,
    storage: Storage,
    threads: usize,
    /// Median times of the kernel, and of its bound for the same amount of work.
    seconds: f64,
    bound_seconds: f64,
    fraction: f64,
}

/// One gradient, and a whole fit.
#[derive(Debug, Serialize)]
struct Fit {
    columns: usize,
    rows: usize,
    threads: usize,
    pass_seconds: f64,
    fit_seconds: f64,
    passes: f64,
}

#[derive(Debug, Default, Serialize)]
struct Measured {
    kernels: Vec<Kernel>,
    fits: Vec<Fit>,
    version: &'static str,
}

pub fn run(args: &BenchArgs) -> Result<ExitCode> {
    let all = threads::count(None);
    if memory::available(all) < HELD as u64 {
        bail!("the measurements need {} MB of memory, and less is free", HELD / 1_000_000);
    }
    let threads: Vec<usize> = if all == 1 { vec![1] } else { vec![1, all] };
    let mut measured = Measured { version: env!("CARGO_PKG_VERSION"), ..Measured::default() };
    for width in WIDTHS {
        say(args, &format!("measuring kernels of {width} columns"));
        measured.kernels.extend(kernels(width, &threads)?);
    }
    for rows in ROWS {
        say(args, &format!("measuring fits of {rows} rows"));
        measured.fits.push(fit(rows, all)?);
    }
    output::print(&if args.json { print::pretty(&measured)? } else { measured.table() })?;
    Ok(ExitCode::SUCCESS)
}

/// A line about the current measurement, on standard error.
fn say(args: &BenchArgs, what: &str) {
    if !args.quiet {
        // there is nobody left to tell if this fails
        let _ = writeln!(std::io::stderr(), "{what}");
    }
}

fn kernels(width: usize, threads: &[usize]) -> Result<Vec<Kernel>> {
    let mut kernels = Vec::new();
    for storage in [Storage::F64, Storage::F32] {
        let rows = TABLE / storage.bytes() / width;
        let few = rows.min(MULTIPLICATIONS / (width * width));
        let (large, small) = (Bench::new(rows, width, storage, REPEATS)?, Bench::new(few, width, storage, REPEATS)?);
        for &threads in threads {
            let kernel = |kernel, bound, rows, timing: Timing| Kernel {
                kernel,
                bound,
                columns: width,
                rows,
                storage,
                threads,
                seconds: timing.seconds,
                bound_seconds: timing.bound,
                fraction: timing.fraction(),
            };
            kernels.push(kernel("gradient", "sum", rows, large.gradient(threads)?));
            kernels.push(kernel("curvature", "gemm", few, small.curvature(threads)?));
        }
    }
    Ok(kernels)
}

fn fit(rows: usize, threads: usize) -> Result<Fit> {
    let bench = Bench::new(rows, FITTED, Storage::F64, REPEATS)?;
    let (fit_seconds, passes) = bench.fit(threads)?;
    let pass_seconds = bench.gradient(threads)?.seconds;
    Ok(Fit { columns: FITTED, rows, threads, pass_seconds, fit_seconds, passes })
}

impl Measured {
    fn table(&self) -> String {
        let mut kernels = ruled([
            left("kernel"),
            right("columns"),
            left("storage"),
            right("threads"),
            right("time per row"),
            right("reached"),
            left("of the limit"),
        ]);
        for kernel in &self.kernels {
            kernels.add_row([
                left(kernel.kernel),
                right(kernel.columns),
                left(kernel.storage.name()),
                right(kernel.threads),
                right(format!("{:.1} ns", 1e9 * kernel.seconds / kernel.rows as f64)),
                right(format!("{:.0} %", 100.0 * kernel.fraction)),
                left(kernel.possible()),
            ]);
        }
        let mut fits = ruled([
            right("rows"),
            right("columns"),
            right("threads"),
            right("time per pass"),
            right("passes"),
            right("fit"),
        ]);
        for fit in &self.fits {
            fits.add_row([
                right(fit.rows),
                right(fit.columns),
                right(fit.threads),
                right(format::seconds(fit.pass_seconds)),
                right(format!("{:.1}", fit.passes)),
                right(format::seconds(fit.fit_seconds)),
            ]);
        }
        format!("{}\n\n{}\n", flush_left(&mut kernels), flush_left(&mut fits))
    }
}

impl Kernel {
    /// The limit of the machine: bytes that it reads, or operations.
    fn possible(&self) -> String {
        let (bytes, columns, rows) = (self.storage.bytes() as f64, self.columns as f64, self.rows as f64);
        match self.bound {
            "sum" => format!("{:.1} GB/s", 1e-9 * bytes * columns * rows / self.bound_seconds),
            _ => format!("{:.1} GFLOP/s", 1e-9 * columns * (columns + 1.0) * rows / self.bound_seconds),
        }
    }
}
