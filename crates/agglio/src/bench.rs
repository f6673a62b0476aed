//! A *bench* compares the speed of the kernels of this crate with the speed that the machine allows.
//!
//! The gradient reads every number of the table once, so it cannot be faster than a plain sum of the numbers. The
//! curvature is a matrix product, so it cannot be faster than `gemm`. A kernel and its bound are timed alternately, and
//! the ratio of their medians is reported: noise of the machine affects both.

use std::hint::black_box;
use std::time::Instant;

use rayon::prelude::*;
use serde::Serialize;

use crate::activation::{Activation, Sigmoid, named};
use crate::error::{Error, Result};
use crate::math::linalg;
use crate::math::rng::{Random, Stream};
use crate::oracle::{Batch, Driver, Hessian, LEAF, Oracle, Problem, Query, Want};
use crate::rows::Dense;
use crate::spec::Options;

/// The number type of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Storage {
    /// Double precision.
    F64,
    /// Single precision.
    F32,
}

impl Storage {
    /// `f64` or `f32`.
    pub fn name(self) -> &'static str {
        match self {
            Storage::F64 => "f64",
            Storage::F32 => "f32",
        }
    }

    /// Bytes per number.
    pub fn bytes(self) -> usize {
        match self {
            Storage::F64 => 8,
            Storage::F32 => 4,
        }
    }
}

/// A table for measurements.
#[derive(Debug)]
pub struct Bench {
    rows: Dense,
    labels: usize,
    width: usize,
    storage: Storage,
    repeats: usize,
}

/// The median times of a kernel and of its bound, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Time of the kernel.
    pub seconds: f64,
    /// Time of the bound for the same amount of work.
    pub bound: f64,
}

impl Timing {
    /// Speed of the kernel as a fraction of the bound.
    pub fn fraction(&self) -> f64 {
        self.bound / self.seconds
    }
}

impl Bench {
    /// Creates a table of `rows` × `width` numbers with sigmoid responses and noise after the activation. Every
    /// measurement is the median of `repeats` runs.
    ///
    /// # Errors
    /// If the table has no rows or no columns.
    pub fn new(rows: usize, width: usize, storage: Storage, repeats: usize) -> Result<Bench> {
        let mut random = Random::new(0, Stream::Covariates);
        let scale = (12.0 / width.max(1) as f64).sqrt();
        let mut draw = || scale * (random.uniform() - 0.5);
        let numbers = rows * width;
        let table = match storage {
            Storage::F64 => {
                let values: Vec<f64> = (0..numbers).map(|_| draw()).collect();
                let labels = labels(&values, width);
                Dense::new(values, width, labels)?
            }
            Storage::F32 => {
                let values: Vec<f32> = (0..numbers).map(|_| draw() as f32).collect();
                let labels = labels(&values, width);
                Dense::new_f32(values, width, labels)?
            }
        };
        Ok(Bench { rows: table, labels: rows, width, storage, repeats })
    }

    /// Times loss and gradient against a plain sum of all numbers.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn gradient(&self, threads: usize) -> Result<Timing> {
        let oracle = self.oracle()?;
        let theta = self.theta(&oracle);
        let words: Vec<u64> = vec![1; self.labels * self.width * self.storage.bytes() / 8];
        self.alternate(
            threads,
            || drop(black_box(oracle.ask(&Query::at(&theta, 1.0, Batch::All, Want::Gradient)))),
            || _ = black_box(words.par_chunks(1 << 16).map(|part| part.iter().sum::<u64>()).sum::<u64>()),
        )
    }

    /// Times loss, gradient and curvature against matrix products with the multiplications that a symmetric result
    /// needs.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn curvature(&self, threads: usize) -> Result<Timing> {
        let oracle = self.oracle()?;
        let theta = self.theta(&oracle);
        let query = Query::at(&theta, 1.0, Batch::All, Want::Curvature(Hessian::GaussNewton));
        let leaves = self.labels.div_ceil(LEAF);
        let block = vec![1.0; LEAF * self.width];
        // `multiply` computes a full square; `share` below corrects for the symmetric half
        let multiply = |_| {
            let mut product = vec![0.0; self.width * self.width];
            linalg::multiply(&block, &block, self.width, &mut product);
            product[0]
        };
        let timing = self.alternate(
            threads,
            || drop(black_box(oracle.ask(&query))),
            || _ = black_box((0..leaves).into_par_iter().map(multiply).sum::<f64>()),
        )?;
        let share = 0.5 * (1.0 + 1.0 / self.width as f64) * self.labels as f64 / (leaves * LEAF) as f64;
        Ok(Timing { bound: share * timing.bound, ..timing })
    }

    /// Times a fit by the default solver, which also fits noise before φ. Returns the seconds and the number of passes.
    ///
    /// # Errors
    /// Those of a fit.
    pub fn fit(&self, threads: usize) -> Result<(f64, f64)> {
        let plan = Options::new(named("sigmoid")?).threads(threads).build()?;
        let mut passes = 0.0;
        let mut times = Vec::new();
        for _ in 0..self.repeats {
            let begun = Instant::now();
            passes = plan.fit(&self.rows)?.passes;
            times.push(begun.elapsed().as_secs_f64());
        }
        Ok((median(times), passes))
    }

    fn oracle(&self) -> Result<Driver> {
        Problem::new(named("sigmoid")?).on(&self.rows)
    }

    fn theta(&self, oracle: &Driver) -> Vec<f64> {
        (0..oracle.dim()).map(|j| 0.1 * ((j % 7) as f64 - 3.0) / (self.width as f64).sqrt()).collect()
    }

    fn alternate(&self, threads: usize, kernel: impl Fn() + Sync, bound: impl Fn() + Sync) -> Result<Timing> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|why| Error::parameter("threads", threads, &why.to_string()))?;
        let time = |work: &(dyn Fn() + Sync)| {
            let begun = Instant::now();
            work();
            begun.elapsed().as_secs_f64()
        };
        let pairs: Vec<(f64, f64)> =
            pool.install(|| (0..self.repeats).map(|_| (time(&kernel), time(&bound))).collect());
        let (kernel, bound) = pairs.into_iter().unzip();
        Ok(Timing { seconds: median(kernel), bound: median(bound) })
    }
}

/// Sigmoid responses with noise after the activation.
fn labels<T: Copy + Into<f64>>(values: &[T], width: usize) -> Vec<f64> {
    let mut random = Random::new(0, Stream::Noise);
    let label = |x: &[T]| {
        let signed = x.iter().enumerate().map(|(j, &x)| if j % 2 == 0 { x.into() } else { -x.into() });
        Sigmoid.value(2.0 * signed.sum::<f64>()) + 0.1 * (random.uniform() - 0.5)
    };
    values.chunks(width.max(1)).map(label).collect()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
