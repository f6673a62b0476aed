//! The *Boston* housing data, as the paper has it: rows of length one, and prices passed through a sigmoid.
//!
//! See data/boston.md for where it comes from, and why scikit-learn withdrew it.

use std::path::Path;

use agglio::activation::named;
use agglio::math::rng::{Permutation, Random, Stream};
use agglio::read::{Csv, Selection, Table};
use agglio::rows::Dense;

use crate::error::Result;
use crate::problem::{Aim, Drawn, Problem};

const DATA: &str = include_str!("../data/boston.csv");
const TARGET: &str = "medv";

/// The share of the rows that models are held to.
const TEST: f64 = 0.2;

/// Boston, with another split for every seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boston;

/// Rows and labels after the paper's preparation.
#[derive(Debug)]
pub struct Prepared {
    /// Covariates, row by row.
    pub values: Vec<f64>,
    /// Labels.
    pub labels: Vec<f64>,
    /// Covariates in a row.
    pub width: usize,
}

/// Rows to fit, and rows to test on.
#[derive(Debug)]
pub struct Parted {
    /// Four fifths.
    pub training: Prepared,
    /// One fifth.
    pub test: Prepared,
}

impl Boston {
    /// All rows: each divided by its length, labels σ((y − mean)/deviation).
    ///
    /// # Errors
    /// If the table that is part of this crate cannot be read.
    pub fn prepared() -> Result<Prepared> {
        let selection = Selection { target: Some(TARGET.into()), ..Selection::default() };
        let table = Csv::new().read(DATA.as_bytes(), Path::new("boston.csv"), &selection)?;
        let Table { names, mut values, mut labels, .. } = table;
        let width = names.len();
        for row in values.chunks_mut(width) {
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            row.iter_mut().for_each(|x| *x /= length);
        }
        let count = labels.len() as f64;
        let mean = labels.iter().sum::<f64>() / count;
        let deviation = (labels.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / count).sqrt();
        let sigmoid = named("sigmoid")?;
        labels.iter_mut().for_each(|y| *y = sigmoid.value((*y - mean) / deviation));
        Ok(Prepared { values, labels, width })
    }

    /// A split by chance.
    ///
    /// # Errors
    /// As [`Boston::prepared`].
    pub fn parted(seed: u64) -> Result<Parted> {
        let all = Self::prepared()?;
        let rows = all.labels.len();
        let key = Random::new(seed, Stream::Holdout).bits();
        let order = Permutation::new(key, rows).run(0, rows);
        let (test, training) = order.split_at((TEST * rows as f64).round() as usize);
        Ok(Parted { training: all.pick(training), test: all.pick(test) })
    }
}

impl Prepared {
    fn pick(&self, rows: &[usize]) -> Prepared {
        let values =
            rows.iter().flat_map(|&row| self.values[row * self.width..][..self.width].iter().copied()).collect();
        Prepared { values, labels: rows.iter().map(|&row| self.labels[row]).collect(), width: self.width }
    }
}

impl Problem for Boston {
    fn activation(&self) -> &'static str {
        "sigmoid"
    }

    fn draw(&self, seed: u64) -> Result<Drawn> {
        let Parted { training, test } = Self::parted(seed)?;
        let rows = Dense::new(training.values, training.width, training.labels)?;
        let aim = Aim::Unseen { activation: named("sigmoid")?, values: test.values, labels: test.labels };
        Ok(Drawn { rows, aim })
    }

    fn title(&self) -> String {
        "sigmoid, Boston housing, n = 405 and 101 to test on, d = 13".into()
    }

    fn described(&self) -> String {
        "Boston housing, 506 × 13, rows of length one, labels σ of the standardised price; 80 % to fit, 20 % to test on"
            .into()
    }

    fn measured(&self) -> &'static str {
        "root mean square on test rows"
    }
}
