//! The *mean* of the labels as a model. A setting that is no better than the mean is useless.

use crate::error::Result;
use crate::rows::{Part, Rows, column};
use crate::tune::{Halves, Split};

/// The loss of the mean of the labels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanLoss {
    /// Weighted mean of (ȳ − y)² over the held-out rows, where ȳ is the weighted mean of the other labels; the mean of all
    /// folds.
    pub loss: f64,
    /// The same over the other rows: the variance of their labels.
    pub training_loss: f64,
}

/// The loss if every held-out label is predicted by the mean of the other labels.
///
/// # Errors
/// If there are too few rows to hold any out, or if all rows of a part have weight zero.
pub fn mean_loss(rows: &dyn Rows, split: Split) -> Result<MeanLoss> {
    let folds = split.spans(rows.len())?;
    let rows = rows.gather(&split.order(rows.len()));
    let count = folds.len() as f64;
    let mut mean = MeanLoss { loss: 0.0, training_loss: 0.0 };
    for fold in folds {
        let Halves { held_out, training } = Halves::new(rows.as_ref(), fold)?;
        let (held_out, training) = (Labels::of(&held_out), Labels::of(&training));
        let constant = training.mean(|label| label);
        let square = |label: f64| (constant - label) * (constant - label);
        mean.loss += held_out.mean(square) / count;
        mean.training_loss += training.mean(square) / count;
    }
    Ok(mean)
}

/// Labels with their weights.
struct Labels {
    labels: Vec<f64>,
    weights: Vec<f64>,
}

impl Labels {
    fn of(rows: &Part) -> Labels {
        let labels = column(rows.len(), |run, label| rows.labels(run, label));
        let mut weights = column(rows.len(), |run, weight| rows.weights(run, weight));
        // divided by the largest, since a sum of finite weights need not be finite
        let most = weights.iter().fold(0.0, |most: f64, weight| most.max(*weight));
        weights.iter_mut().for_each(|weight| *weight /= most);
        Labels { labels, weights }
    }

    /// The weighted mean of a function of the labels. A row of weight zero does not count, even if the function overflows.
    fn mean(&self, of: impl Fn(f64) -> f64) -> f64 {
        let counted = self.labels.iter().zip(&self.weights).filter(|(_, weight)| **weight > 0.0);
        let terms = counted.map(|(&label, &weight)| (weight * of(label), weight));
        let (sum, total) = terms.fold((0.0, 0.0), |(sum, total), (term, weight)| (sum + term, total + weight));
        sum / total
    }
}
