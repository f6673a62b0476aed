//! *Labels* are graduated with the activation, from y alone.
//!
//! ```text
//! c   = y clipped into the range of φ, a margin ε away from bounds that φ does not reach
//! y^τ = φ̂_τ(φ⁻¹(c)) + τ·(y − c)
//! ```
//!
//! So the residual at τ = 1 is φ(z) − y, the user's own loss on the user's own labels; the margin matters only
//! on the way there. A path that ends before, at 0 < τ < 1, clips only labels that have no preimage. Where φ turns (SiLU,
//! GELU) a label may have two preimages: the one whose graduated label is nearer to φ̂_τ(z) counts, so that the loss is the
//! smaller of two smooth ones; [`PreimageBranch`] has other choices.

use std::sync::Arc;

use rayon::prelude::*;

use crate::activation::{Activation, Preimages};
use crate::error::{Error, Result};
use crate::math::tree::{LEAF, in_pool};
use crate::oracle::clip::{Clip, clips};
use crate::rows::column;
use crate::rows::{Rows, Run};

/// Label margin ε of the graduated path, relative to the width of the range or, where that is infinite, to the
/// spread of y. Ten times more or less changes the path, never its end.
pub const MARGIN: f64 = 0.01;

/// The margins that are tried together where the start is computed.
pub const MARGINS: [f64; 4] = [0.1, 0.01, 0.001, 1e-6];

/// Which of two preimages a graduated label takes, where φ turns (SiLU, GELU).
///
/// Reference: the footnote to "invertible" in the paper, which says that either one works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PreimageBranch {
    /// The one whose graduated label is nearer to φ̂_τ(z).
    #[default]
    Nearer,
    /// The one on the falling branch, whatever z is.
    Left,
    /// The one on the rising branch, whatever z is.
    Right,
}

/// The activation with the preimages of every label, kept per row.
#[derive(Debug)]
pub struct Labels {
    activation: Arc<dyn Activation>,
    /// One for each margin that makes a difference, the widest first.
    clips: Vec<Clip>,
    /// The one in force.
    clip: Clip,
    /// φ⁻¹(y) under the narrowest margin; under a wider one it is this, clipped.
    preimages: Vec<f64>,
    /// The left preimage where there are two, else the only one; empty for a one-to-one activation.
    left_preimages: Vec<f64>,
    branch: PreimageBranch,
    counted: usize,
    without_preimage: usize,
    with_two_preimages: usize,
    clips_some: bool,
    /// See the function of this name.
    blurred_square: f64,
}

impl Labels {
    /// Finds the preimages of all labels. On the way to τ = 1 labels are kept off the bounds of the range by one of
    /// `margins`, the narrowest of them last; the first that makes a difference is in force.
    pub fn new(activation: Arc<dyn Activation>, rows: &dyn Rows, margins: &[f64]) -> Labels {
        let labels = || column(rows.len(), |run, y| rows.labels(run, y));
        let weight = rows.has_weights().then(|| column(rows.len(), |run, weight| rows.weights(run, weight)));
        let counts = |i: usize| weight.as_ref().is_none_or(|weight| weight[i] > 0.0);
        let mut right = labels();
        let (clips, counted) = match &weight {
            None => (clips(activation.as_ref(), &right, margins), right.len()),
            Some(_) => {
                let counted: Vec<f64> = (0..right.len()).filter(|&i| counts(i)).map(|i| right[i]).collect();
                (clips(activation.as_ref(), &counted, margins), counted.len())
            }
        };
        let narrowest = clips.last().copied().unwrap_or(Clip::NONE);
        let clips_some = right.iter().enumerate().any(|(i, &y)| counts(i) && narrowest.apply(y) != y);
        // turns labels into their preimages on one side
        let invert = |y: &mut [f64], side: fn((f64, f64)) -> f64| {
            let visit = |first: usize, y: &mut [f64]| {
                let mut tally = Tally::default();
                for (i, y) in y.iter_mut().enumerate() {
                    *y = side(tally.preimages(activation.as_ref(), narrowest, *y, counts(first + i)));
                }
                tally
            };
            match in_pool() {
                true => {
                    let leaves = y.par_chunks_mut(LEAF).enumerate();
                    leaves.map(|(leaf, y)| visit(leaf * LEAF, y)).reduce(Tally::default, Tally::merge)
                }
                false => visit(0, y),
            }
        };
        let tally = invert(&mut right, |(right, _)| right);
        // once more from the labels, where there are two: a second column for all would be memory that most fits do not need
        let mut left = if tally.double { labels() } else { Vec::new() };
        invert(&mut left, |(_, left)| left);
        Labels {
            clip: clips.first().copied().unwrap_or(Clip::NONE),
            clips,
            preimages: right,
            left_preimages: left,
            branch: PreimageBranch::Nearer,
            counted,
            without_preimage: tally.without_preimage,
            with_two_preimages: tally.with_two_preimages,
            clips_some,
            blurred_square: 0.0,
            activation,
        }
    }

    /// The same with labels clipped only where they have no preimage: for fits that end at this τ below 1, where a clipped
    /// label is never put right.
    pub fn sparing_preimages(mut self, tau: f64) -> Labels {
        let range = self.activation.range();
        self.clips.iter_mut().chain([&mut self.clip]).for_each(|clip| *clip = clip.sparing(range));
        // a relative error of y is one of (∂y^τ/∂y)·y in y^τ
        let (phi, clip) = (&self.activation, self.clip);
        let blurred = |z: &f64| {
            let z = clip.apply_to_preimage(*z);
            phi.value(z) * phi.derivative(tau * z) / phi.derivative(z)
        };
        let squares = self.preimages.iter().map(|z| blurred(z).powi(2)).filter(|square| square.is_finite());
        self.blurred_square = squares.sum::<f64>() / self.preimages.len().max(1) as f64;
        self
    }

    /// Mean square of what a relative error of the labels is multiplied by in the graduated ones, on a path that ends below
    /// τ = 1: labels near a bound have lost digits of their preimages.
    pub(super) fn blurred_square(&self) -> f64 {
        self.blurred_square
    }

    /// The same labels with a choice between two preimages. Default: the nearer.
    pub fn with_branch(mut self, branch: PreimageBranch) -> Labels {
        self.branch = branch;
        self
    }

    /// How many margins make a difference, at least one.
    pub fn margins(&self) -> usize {
        self.clips.len()
    }

    /// Whether the narrowest margin changes a label.
    pub fn clips_some(&self) -> bool {
        self.clips_some
    }

    /// Puts the `index`-th margin in force.
    pub fn choose(&mut self, index: usize) {
        self.clip = self.clips.get(index).copied().unwrap_or(self.clip);
    }

    /// The choice of preimages that the margin in force stands for.
    pub fn in_force(&self) -> usize {
        self.clips.iter().position(|clip| *clip == self.clip).unwrap_or(self.clips.len())
    }

    /// Keeps labels off no bound: for fits that end at τ = 0, where a clipped label would never be put right.
    pub fn unclip(&mut self) {
        self.clip = Clip::NONE;
    }

    /// The margin in force.
    pub(crate) fn clip(&self) -> Clip {
        self.clip
    }

    /// Puts a margin in force again.
    pub(crate) fn restore(&mut self, clip: Clip) {
        self.clip = clip;
    }

    /// Where φ turns, if it does and some label is in the dip.
    pub fn argmin(&self) -> Option<f64> {
        match self.activation.preimages(self.activation.range().lo) {
            Preimages::One(argmin) if self.with_two_preimages > 0 => Some(argmin),
            _ => None,
        }
    }

    /// Where φ turns and falls to zero on the left: a z so far to the left that φ(z) is next to zero.
    pub fn far_left(&self) -> Option<f64> {
        match self.activation.preimages(0.01 * self.activation.range().lo) {
            Preimages::Two { left, .. } => Some(left),
            _ => None,
        }
    }

    /// Whether φ does not turn.
    pub fn is_monotone(&self) -> bool {
        self.far_left().is_none()
    }

    /// Number of choices of preimages that a line can be fitted to: one for each margin, one without, and where φ turns, one
    /// on the left and one far to the left.
    pub(super) fn choices(&self) -> usize {
        self.clips.len() + 1 + usize::from(self.argmin().is_some()) + usize::from(self.far_left().is_some())
    }

    /// Writes the `index`-th choice of preimages of these rows.
    pub(super) fn preimages(&self, index: usize, run: &Run<'_>, out: &mut [f64]) {
        match (self.argmin(), self.far_left()) {
            (Some(argmin), _) if index == self.clips.len() + 1 => self.preimages_left_of(argmin, run, out),
            (_, Some(far)) if index > self.clips.len() => {
                run.gather(&self.preimages, out);
                let depth = -self.activation.range().lo;
                out.iter_mut().filter(|z| self.activation.value(**z) < depth).for_each(|z| *z = far);
            }
            _ => {
                run.gather(&self.preimages, out);
                let clip = self.clips.get(index).copied().unwrap_or(Clip::NONE);
                out.iter_mut().for_each(|z| *z = clip.apply_to_preimage(*z));
            }
        }
    }

    /// The left of two preimages. A label above zero by less than the dip is deep may have been lifted there by noise:
    /// the mirror image of its preimage stands for the one that it does not have.
    fn preimages_left_of(&self, argmin: f64, run: &Run<'_>, out: &mut [f64]) {
        run.gather(&self.left_preimages, out);
        let depth = -self.activation.range().lo;
        let lifted = |z: f64| z >= 0.0 && self.activation.value(z) < depth;
        out.iter_mut().filter(|z| lifted(**z)).for_each(|z| *z = 2.0 * argmin - *z);
    }

    /// Writes both preimages of these rows, the same twice where there is one.
    pub(super) fn both_preimages(&self, run: &Run<'_>, left: &mut [f64], right: &mut [f64]) {
        run.gather(&self.preimages, right);
        match self.left_preimages.is_empty() {
            true => left.copy_from_slice(right),
            false => run.gather(&self.left_preimages, left),
        }
    }

    /// The activation.
    pub fn activation(&self) -> &Arc<dyn Activation> {
        &self.activation
    }

    /// Number of labels whose weight is not zero.
    pub fn counted(&self) -> usize {
        self.counted
    }

    /// Number of labels without a finite preimage.
    pub fn without_preimage(&self) -> usize {
        self.without_preimage
    }

    /// Number of labels with two preimages.
    pub fn with_two_preimages(&self) -> usize {
        self.with_two_preimages
    }

    /// Pre-activation noise means y = φ(xᵀw + ε), so every label must have a preimage.
    ///
    /// # Errors
    /// If a label has none, with the count.
    pub fn require_preimages(&self) -> Result<()> {
        let (without_preimage, all) = (self.without_preimage, self.preimages.len());
        if without_preimage == 0 {
            return Ok(());
        }
        let name = self.activation.name();
        Err(Error::data(format!(
            "noise before the activation, and solvers `linear` and `theory`, need labels inside the range of {name}, but {without_preimage} of \
             {all} are at or beyond its bounds; fit with noise `post`, by another solver"
        )))
    }

    /// Turns y into y^τ for these rows; `near` is φ̂_τ(z), which decides between two preimages. At τ = 1 labels are what
    /// they are, and so is what they are compared with: φ(z), not φ̂_1(z).
    pub(super) fn graduate(&self, tau: f64, run: &Run<'_>, near: &[f64], labels: &mut [f64], room: [&mut [f64]; 3]) {
        if tau == 1.0 {
            return;
        }
        let [preimages, graduated, left] = room;
        run.gather(&self.preimages, preimages);
        preimages.iter_mut().for_each(|z| *z = self.clip.apply_to_preimage(*z));
        self.activation.graduate(tau, preimages, graduated);
        if !self.left_preimages.is_empty() && self.branch != PreimageBranch::Right {
            run.gather(&self.left_preimages, preimages);
            self.activation.graduate(tau, preimages, left);
            for ((right, &left), &near) in graduated.iter_mut().zip(&*left).zip(near) {
                if self.branch == PreimageBranch::Left || (left - near).abs() < (*right - near).abs() {
                    *right = left;
                }
            }
        }
        for (label, graduated) in labels.iter_mut().zip(graduated) {
            *label = *graduated + tau * (*label - self.clip.apply(*label));
        }
    }
}

/// What labels there are.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    without_preimage: usize,
    with_two_preimages: usize,
    /// Whether a label has two preimages, whatever its weight.
    double: bool,
}

impl Tally {
    /// The right preimage of a label and the left one, the same twice where there is one; of a label that has none, that of
    /// the nearest which has.
    fn preimages(&mut self, activation: &dyn Activation, narrowest: Clip, y: f64, counts: bool) -> (f64, f64) {
        let found = match activation.preimages(y) {
            // at or beyond a bound, or beyond the doubles
            Preimages::None => {
                self.without_preimage += usize::from(counts);
                activation.preimages(narrowest.apply(y))
            }
            found => found,
        };
        match found {
            Preimages::None => (0.0, 0.0),
            Preimages::One(z) => (z, z),
            Preimages::Two { left, right } => {
                self.with_two_preimages += usize::from(counts && left != right);
                self.double |= left != right;
                (right, left)
            }
        }
    }

    fn merge(self, other: Tally) -> Tally {
        Tally {
            without_preimage: self.without_preimage + other.without_preimage,
            with_two_preimages: self.with_two_preimages + other.with_two_preimages,
            double: self.double || other.double,
        }
    }
}
