//! Wall time of the *kernels* that a fit is made of, and of small fits.
//!
//! Everything runs on one thread: these are for comparing a change of the code with what was before it, and a second
//! thread would mostly measure what else the machine does. `agglio bench` compares with what the machine can do at all.
//!
//! ```sh
//! make bench                  # all of it
//! make bench ONLY=gradient    # what has this in its name
//! ```

mod problem;

use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use agglio::activation::{NAMES, named};
use agglio::oracle::{Batch, Driver, Hessian, LEAF, Oracle, Query, Want};
use agglio::read::{Csv, Selection};
use agglio::rows::Dense;
use agglio::simulate::LabelNoise;
use agglio::{Options, Result};
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};

use problem::NOISE;

/// Bytes of a table that stays in the cache of a core.
const CACHED: usize = 400_000;
/// Bytes of a table that is read from memory, or nearly so.
const STREAMED: usize = 40_000_000;
/// Columns and bytes of the tables.
const SIZES: [(usize, usize); 5] = [(10, CACHED), (50, CACHED), (100, CACHED), (500, CACHED), (50, STREAMED)];
/// Rows of a minibatch.
const BATCH: usize = 64;

fn main() -> Result<()> {
    // few samples: a median within a few per cent is enough to see what a change does, and patience is short
    let mut criterion = Criterion::default()
        .sample_size(20)
        .nresamples(10_000)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    for (width, bytes) in SIZES {
        passes(&mut criterion, "f64", &doubles(bytes / 8 / width, width)?, bytes)?;
        passes(&mut criterion, "f32", &singles(bytes / 4 / width, width)?, bytes)?;
    }
    minibatch(&mut criterion)?;
    activations(&mut criterion)?;
    reading(&mut criterion)?;
    fits(&mut criterion)?;
    criterion.final_summary();
    Ok(())
}

fn doubles(rows: usize, width: usize) -> Result<Dense> {
    let data = problem::draw(rows, width, NOISE)?;
    Dense::new(data.values, width, data.labels)
}

fn singles(rows: usize, width: usize) -> Result<Dense> {
    let data = problem::draw(rows, width, NOISE)?;
    Dense::new_f32(data.values.into_iter().map(|x| x as f32).collect(), width, data.labels)
}

/// What solvers ask of all rows, at one point and temperature.
fn passes(criterion: &mut Criterion, storage: &str, rows: &Dense, bytes: usize) -> Result<()> {
    let oracle = problem::oracle(rows)?;
    let theta = problem::point(&oracle);
    let wants = [
        ("loss", Want::Loss),
        ("gradient", Want::Gradient),
        ("stationarity", Want::Stationarity),
        ("curvature-times", Want::CurvatureTimes(Hessian::GaussNewton, theta.as_slice().into())),
        ("curvature", Want::Curvature(Hessian::GaussNewton)),
    ];
    let mut group = criterion.benchmark_group(format!("{storage}-{}", size(&oracle)));
    group.throughput(Throughput::Bytes(bytes as u64));
    // samples of more and more passes would take too long where a pass is slow
    group.sampling_mode(SamplingMode::Flat);
    for (name, want) in wants {
        let query = Query::at(&theta, 1.0, Batch::All, want);
        group.bench_function(name, |bencher| bencher.iter(|| oracle.ask(black_box(&query))));
    }
    group.finish();
    Ok(())
}

/// A gradient of a few rows, other ones each time: those of the larger table are seldom in cache.
fn minibatch(criterion: &mut Criterion) -> Result<()> {
    let mut group = criterion.benchmark_group(format!("minibatch-{BATCH}"));
    for bytes in [CACHED, STREAMED] {
        let rows = doubles(bytes / 8 / 50, 50)?;
        let oracle = problem::oracle(&rows)?;
        let theta = problem::point(&oracle);
        let mut starts = (0..oracle.rows() - BATCH).step_by(BATCH).cycle();
        group.bench_function(BenchmarkId::new("f64", size(&oracle)), |bencher| {
            bencher.iter(|| {
                let batch = Batch::Part { key: 1, start: starts.next().unwrap_or(0), len: BATCH };
                oracle.ask(&Query::at(black_box(&theta), 1.0, batch, Want::Gradient))
            })
        });
    }
    group.finish();
    Ok(())
}

fn size(oracle: &Driver) -> String {
    format!("{}x{}", oracle.rows(), oracle.facts().layout.coefficients)
}

/// φ and its slope for a leaf of predictors.
fn activations(criterion: &mut Criterion) -> Result<()> {
    // in one piece: with each column 16 bytes farther away, where an allocator likes to put it, a plain copy took ten
    // times as long; loads seem to wait for stores to the same place of another page
    let mut columns = problem::predictors();
    columns.resize(3 * LEAF, 0.0);
    let (z, room) = columns.split_at_mut(LEAF);
    let (value, slope) = room.split_at_mut(LEAF);
    let mut group = criterion.benchmark_group("respond-with-slope");
    group.throughput(Throughput::Elements(LEAF as u64));
    for name in NAMES {
        let phi = named(name)?;
        group.bench_function(*name, |bencher| {
            bencher.iter(|| {
                phi.respond_with_derivative(black_box(z), value, slope);
                black_box((&*value, &*slope));
            })
        });
    }
    group.finish();
    Ok(())
}

/// A small file, already in memory: what is measured is the parsing.
fn reading(criterion: &mut Criterion) -> Result<()> {
    let text = csv(1000, 20)?;
    let selection = Selection { target: Some("y".into()), ..Selection::default() };
    let reader = Csv::new().threads(Some(1));
    reader.read(text.as_bytes(), Path::new("table.csv"), &selection)?;
    let mut group = criterion.benchmark_group("csv");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("1000x20", |bencher| {
        bencher.iter(|| reader.read(black_box(text.as_bytes()), Path::new("table.csv"), &selection))
    });
    group.finish();
    Ok(())
}

/// A table as text, every number with all its digits.
fn csv(rows: usize, width: usize) -> Result<String> {
    let data = problem::draw(rows, width, NOISE)?;
    let mut text: String = (1..=width).map(|j| format!("x{j},")).collect();
    text.push_str("y\n");
    for (x, y) in data.values.chunks(width).zip(&data.labels) {
        // writing to a string does not fail
        x.iter().for_each(|x| _ = write!(text, "{x},"));
        _ = writeln!(text, "{y}");
    }
    Ok(text)
}

/// Whole fits by the default solver, from rows in memory to the certificate.
fn fits(criterion: &mut Criterion) -> Result<()> {
    let plan = Options::new(named("sigmoid")?).intercept(false).threads(1).build()?;
    let mut group = criterion.benchmark_group("auto-1000x50");
    for (name, noise) in [("noiseless", LabelNoise::None), ("noisy", NOISE)] {
        let data = problem::draw(1000, 50, noise)?;
        let rows = Dense::new(data.values, 50, data.labels)?;
        plan.fit(&rows)?;
        group.bench_function(name, |bencher| bencher.iter(|| plan.fit(black_box(&rows))));
    }
    group.finish();
    Ok(())
}
