//! *Labels* are graduated with the activation, from y alone.
//!
//! ```text
//! c   = y clipped into the range of φ, a margin ε away from bounds that φ does not reach
//! y^τ = φ̂_τ(φ⁻¹(c)) + τ·(y − c)
//! ```
//!
//! So the residual at τ = 1 is φ(z) − y, the user's own loss on the user's own labels; the margin matters only
//! on the way there. Where φ turns (SiLU, GELU) a label may have two preimages: the one whose graduated label
//! is nearer to φ̂_τ(z) counts, so that the loss is the smaller of two smooth ones.

use std::sync::Arc;

use crate::activation::{Activation, Preimages};
use crate::error::{Error, Result};
use crate::rows::{Rows, Run};

/// Label margin of the graduated path, relative to the width of the range or, where that is infinite, to the
/// spread of y. Ten times more or less changes the path, never its end.
pub const MARGIN: f64 = 0.01;

/// The activation with the preimages of every label, kept per row.
#[derive(Debug)]
pub struct Labels {
    activation: Arc<dyn Activation>,
    lowest: f64,
    highest: f64,
    preimages: Vec<f64>,
    /// The left preimage where there are two, else the only one; empty for a one-to-one activation.
    left_preimages: Vec<f64>,
    outside: usize,
    ambiguous: usize,
}

impl Labels {
    /// Finds the preimages of all labels, with labels kept `margin` away from the bounds of the range.
    pub fn new(activation: Arc<dyn Activation>, rows: &dyn Rows, margin: f64) -> Labels {
        let mut y = vec![0.0; rows.len()];
        rows.labels(&Run::Span(0..rows.len()), &mut y);
        let range = activation.range();
        let epsilon = if range.attained { 0.0 } else { margin * width(range.lo, range.hi, &y) };
        let (lowest, highest) = (range.lo + epsilon, range.hi - epsilon);
        let outside = y.iter().filter(|&&y| !range.contains(y)).count();
        let mut labels = Labels {
            activation,
            lowest,
            highest,
            preimages: Vec::with_capacity(y.len()),
            left_preimages: Vec::new(),
            outside,
            ambiguous: 0,
        };
        y.iter().for_each(|&y| labels.push(y));
        labels
    }

    fn push(&mut self, y: f64) {
        let (right, left) = match self.activation.preimages(y.clamp(self.lowest, self.highest)) {
            // a margin of zero at a bound that φ does not reach: refused before, see `require_preimages`
            Preimages::None => (0.0, 0.0),
            Preimages::One(z) => (z, z),
            Preimages::Two { left, right } => (right, left),
        };
        if left != right {
            self.ambiguous += 1;
            // rows before the first ambiguous one have a single preimage
            self.left_preimages.extend_from_slice(&self.preimages[self.left_preimages.len()..]);
        }
        self.preimages.push(right);
        if !self.left_preimages.is_empty() || left != right {
            self.left_preimages.push(left);
        }
    }

    /// The activation.
    pub fn activation(&self) -> &Arc<dyn Activation> {
        &self.activation
    }

    /// Number of labels without a finite preimage.
    pub fn outside(&self) -> usize {
        self.outside
    }

    /// Number of labels with two preimages.
    pub fn ambiguous(&self) -> usize {
        self.ambiguous
    }

    /// Pre-activation noise means y = φ(xᵀw + ε), so every label must have a preimage.
    ///
    /// # Errors
    /// If a label has none, with the count.
    pub fn require_preimages(&self) -> Result<()> {
        let (outside, all) = (self.outside, self.preimages.len());
        if outside == 0 {
            return Ok(());
        }
        let name = self.activation.name();
        Err(Error::data(format!(
            "noise before the activation needs labels inside the range of {name}, but {outside} of {all} are at or \
             beyond its bounds; fit with noise `post`"
        )))
    }

    /// Writes the residuals φ̂_τ(z) − y^τ, and y^τ over the labels y (at τ = 1 they are the same but for φ(0)).
    pub(super) fn residuals(&self, tau: f64, run: &Run<'_>, z: &[f64], labels: &mut [f64], residuals: &mut [f64]) {
        if tau == 1.0 {
            self.activation.respond(z, residuals);
        } else {
            self.activation.graduate(tau, z, residuals);
            self.graduate(tau, run, residuals, labels);
        }
        residuals.iter_mut().zip(&*labels).for_each(|(r, label)| *r -= label);
    }

    /// Turns y into y^τ for these rows; `near` is φ̂_τ(z), which decides between two preimages.
    fn graduate(&self, tau: f64, run: &Run<'_>, near: &[f64], labels: &mut [f64]) {
        let mut preimages = vec![0.0; labels.len()];
        let mut graduated = vec![0.0; labels.len()];
        run.gather(&self.preimages, &mut preimages);
        self.activation.graduate(tau, &preimages, &mut graduated);
        if !self.left_preimages.is_empty() {
            let mut left = vec![0.0; labels.len()];
            run.gather(&self.left_preimages, &mut preimages);
            self.activation.graduate(tau, &preimages, &mut left);
            for ((right, &left), &near) in graduated.iter_mut().zip(&left).zip(near) {
                if (left - near).abs() < (*right - near).abs() {
                    *right = left;
                }
            }
        }
        for (label, graduated) in labels.iter_mut().zip(graduated) {
            *label = graduated + tau * (*label - label.clamp(self.lowest, self.highest));
        }
    }
}

/// What ε is relative to.
fn width(lo: f64, hi: f64, y: &[f64]) -> f64 {
    if (hi - lo).is_finite() {
        return hi - lo;
    }
    if lo == f64::NEG_INFINITY && hi == f64::INFINITY {
        return 0.0;
    }
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let spread = (y.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>() / y.len() as f64).sqrt();
    let size = y.iter().fold(0.0_f64, |size, y| size.max(y.abs()));
    [spread, size].into_iter().find(|&s| s > 0.0 && s.is_finite()).unwrap_or(1.0)
}
