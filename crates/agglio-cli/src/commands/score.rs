//! `score`: a model and a labelled table in, the size of its errors out.

use std::process::ExitCode;

use agglio::model::Centre;
use agglio::read::Selection;
use anyhow::Result;

use super::predict::{overflow_warning, require_target};
use super::{columns_of, read_model};
use crate::args::{Format, ScoreArgs};
use crate::output;
use crate::print::{self, Score};
use crate::source::Source;

pub fn run(args: &ScoreArgs) -> Result<ExitCode> {
    let source = Source::new(&args.data, args.csv)?;
    let model = read_model(&args.model)?;
    require_target(&model, args.csv)?;
    let selection = Selection { target: Some(model.target().to_owned()), ..columns_of(&model, args.csv)? };
    let errors = source.read_with(&selection, args.quiet, |pieces| {
        let (mut table, mut errors) = (pieces.table(), Errors::default());
        while pieces.append_to(&mut table)? {
            errors.take(&model.predict(&table.values, table.offsets.as_deref(), Centre::Mean), &table.labels);
            table.clear();
        }
        Ok(errors)
    })?;
    print::warnings(overflow_warning(errors.overflown, errors.labels.count).as_slice(), args.quiet);
    let score = errors.score();
    output::print(&match args.format {
        Format::Table => score.table(),
        Format::Json => score.json()?,
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Sums over the rows that have been read so far, so that memory does not grow with their number.
#[derive(Default)]
struct Errors {
    squares: f64,
    absolutes: f64,
    /// Predictions that are not finite.
    overflown: usize,
    labels: Labels,
}

/// Count, mean and Σ (y − mean)² of the labels so far.
#[derive(Default)]
struct Labels {
    count: usize,
    mean: f64,
    scatter: f64,
    first: Option<f64>,
    /// Whether one of them is not the first.
    varies: bool,
}

impl Errors {
    fn take(&mut self, predictions: &[f64], labels: &[f64]) {
        for (prediction, label) in predictions.iter().zip(labels) {
            let error = prediction - label;
            self.squares += error * error;
            self.absolutes += error.abs();
        }
        self.overflown += predictions.iter().filter(|prediction| !prediction.is_finite()).count();
        self.labels.take(labels);
    }

    fn score(&self) -> Score {
        let rows = self.labels.count;
        let [loss, mae] = [self.squares, self.absolutes].map(|sum| sum / rows as f64);
        let r_squared = print::r_squared(loss, self.labels.variance());
        Score { rows, loss, rmse: loss.sqrt(), mae, r_squared, predictions: "mean" }
    }
}

impl Labels {
    /// Takes in the labels of a piece, in two passes over it, and merges the two counts, means and scatters.
    ///
    /// Reference: Chan, Golub and LeVeque (1983).
    fn take(&mut self, piece: &[f64]) {
        let Some(&first) = piece.first() else { return };
        let first = *self.first.get_or_insert(first);
        self.varies |= piece.iter().any(|&label| label != first);
        let (before, new) = (self.count as f64, piece.len() as f64);
        let mean = piece.iter().sum::<f64>() / new;
        let scatter: f64 = piece.iter().map(|label| (label - mean) * (label - mean)).sum();
        let (apart, share) = (mean - self.mean, new / (before + new));
        // in this order, since the square of a mean may overflow where the scatter does not
        self.scatter += scatter + apart * (before * share) * apart;
        self.mean += apart * share;
        self.count += piece.len();
    }

    /// None where the labels do not vary.
    fn variance(&self) -> Option<f64> {
        // labels whose sum or squares overflow vary without bound
        let scatter = if self.scatter.is_nan() { f64::INFINITY } else { self.scatter };
        Some(scatter / self.count as f64).filter(|&variance| self.varies && variance > 0.0)
    }
}
