//! A table that is read block by block, and the same table in memory: bits, passes and times of both fits.
//!
//! ```text
//! cargo build --release -p agglio-bench --example streamed
//! prlimit --as=536870912 target/release/examples/streamed stream 12500000 19
//! target/release/examples/streamed memory 12500000 19
//! ```
//!
//! The first writes 2 GB of rows to a temporary file, some at a time, and fits them from there; the second fits the same rows in
//! memory. Both print a checksum of all bits of the fit.

use std::env;
use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use agglio::activation::named;
use agglio::fit::Silent;
use agglio::math::rng::{Random, Stream as Numbers};
use agglio::oracle::Stream;
use agglio::read::{Cache, CacheWriter, Layout};
use agglio::rows::{Blocks, Columns, Dense, Rows};
use agglio::{Fitted, Options, Plan};

/// Rows that are drawn at a time.
const PART: usize = 1 << 15;

/// Rows of y = φ(xᵀw) + ε, with normal covariates.
struct Draw {
    random: Random,
    width: usize,
    left: usize,
}

impl Iterator for Draw {
    type Item = Columns;

    fn next(&mut self) -> Option<Columns> {
        let rows = self.left.min(PART);
        self.left -= rows;
        let values: Vec<f64> = (0..rows * self.width).map(|_| self.random.normal()).collect();
        let size = 2.0 / (self.width as f64).sqrt();
        let z = values.chunks(self.width).map(|x| size * x.iter().sum::<f64>());
        let labels = z.map(|z| 1.0 / (1.0 + (-z).exp())).collect::<Vec<f64>>();
        let labels = labels.into_iter().map(|y| y + 0.05 * self.random.normal()).collect();
        (rows > 0).then(|| Columns { values, labels, ..Columns::default() })
    }
}

/// A cache that counts the bytes of its rows that are read.
#[derive(Debug)]
struct Counted(Cache, AtomicUsize);

impl Blocks for Counted {
    fn rows(&self) -> usize {
        self.0.rows()
    }

    fn block_rows(&self) -> usize {
        self.0.block_rows()
    }

    fn row_bytes(&self) -> usize {
        self.0.row_bytes()
    }

    fn read(&self, block: usize) -> agglio::Result<Arc<dyn Rows>> {
        let rows = self.0.read(block)?;
        self.1.fetch_add(rows.len(), Ordering::Relaxed);
        Ok(rows)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let number = |k: usize, default: usize| arguments.get(k).map_or(Ok(default), |text| text.parse());
    let (rows, width) = (number(1, 200_000)?, number(2, 19)?);
    let draw = Draw { random: Random::new(7, Numbers::Covariates), width, left: rows };
    match arguments.first().map(String::as_str) {
        Some("memory") => memory(draw, rows, width),
        _ => stream(draw, width),
    }
}

fn plan() -> Result<Plan, Box<dyn Error>> {
    Ok(Options::new(named("sigmoid")?).build()?)
}

fn stream(mut draw: Draw, width: usize) -> Result<(), Box<dyn Error>> {
    let begun = Instant::now();
    let mut writer = CacheWriter::new(&env::temp_dir(), Layout { width, ..Layout::default() })?;
    draw.try_for_each(|part| writer.push(part))?;
    let cache = Arc::new(Counted(writer.finish()?, AtomicUsize::new(0)));
    println!("{} bytes drawn and written in {:.2} s", cache.0.bytes(), begun.elapsed().as_secs_f64());
    let begun = Instant::now();
    for block in 0..cache.rows().div_ceil(cache.block_rows()) {
        black_box(cache.0.read(block)?);
    }
    let pass = begun.elapsed().as_secs_f64();
    println!("one pass that only reads: {pass:.2} s");
    let begun = Instant::now();
    let fitted = plan()?.fit_shards(Box::new(Stream::new(cache.clone())?), &mut Silent)?;
    let took = begun.elapsed().as_secs_f64();
    let passes = cache.1.load(Ordering::Relaxed) as f64 / cache.rows() as f64;
    println!("fit in {took:.2} s, with {passes:.2} passes over the file: {:.2} of their time", took / (passes * pass));
    show(&fitted);
    Ok(())
}

fn memory(draw: Draw, rows: usize, width: usize) -> Result<(), Box<dyn Error>> {
    let (mut values, mut labels) = (Vec::with_capacity(rows * width), Vec::with_capacity(rows));
    for part in draw {
        values.extend(part.values);
        labels.extend(part.labels);
    }
    let plan = plan()?;
    let begun = Instant::now();
    let table = plan.install(rows, || Dense::new(values, width, labels))??;
    println!("table in {:.2} s", begun.elapsed().as_secs_f64());
    let begun = Instant::now();
    let fitted = plan.fit(&table)?;
    println!("fit in {:.2} s", begun.elapsed().as_secs_f64());
    show(&fitted);
    Ok(())
}

/// The status, the passes that a fit counts, the peak of the memory, and all bits of the result in one number.
fn show(fitted: &Fitted) {
    let numbers = [fitted.intercept, fitted.loss, fitted.passes];
    let bits = fitted
        .coefficients
        .iter()
        .chain(&numbers)
        .fold(0_u64, |sum, number| (sum ^ number.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17));
    println!("{}, {:.2} passes counted, bits {bits:016x}", fitted.status(), fitted.passes);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .filter(|line| line.starts_with("VmHWM") || line.starts_with("VmPeak"))
        .for_each(|line| println!("{line}"));
}
