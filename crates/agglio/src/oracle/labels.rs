//! The *labels* of some rows on the way from φ⁻¹(y) at τ = 0 to y at τ = 1.
//!
//! ```text
//! c = clip(y, lo + ε, hi − ε),    y^τ = φ̂_τ(φ⁻¹(c)) + τ(y − c)
//! ```
//!
//! Clipping is needed only for the preimage to be finite. At τ = 1 the residual is φ(xᵀw) − y on the labels as they are.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::activation::{Activation, Preimages};
use crate::math::tree::{LEAF, in_pool, sum_of};
use crate::oracle::clip::Clip;
use crate::oracle::frame::Frame;
use crate::oracle::query::{LabelChoice, Margin, PreimageBranch};
use crate::rows::{Rows, Run, column};

/// The label margin ε of the graduated path, relative to the width of the range or, where that is infinite, to the
/// spread of y. Ten times more or less changes the path, never its end.
pub const MARGIN: f64 = 0.01;

/// The margins that are tried together where the start is computed.
pub const MARGINS: [f64; 4] = [0.1, 0.01, 0.001, 1e-6];

/// Which preimages the linear stage is fitted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PreimageChoice {
    /// The right one of two, of labels that are kept off the bounds by a margin.
    Right(Margin),
    /// The left one of two.
    Left,
    /// One far to the left for labels near zero, where φ falls to zero on the left of its minimum.
    FarLeft,
}

/// The preimages of labels, one row after the other.
#[derive(Debug)]
pub(super) struct LabelPreimages {
    /// φ⁻¹(y) under the narrowest margin; under a wider one it is this, clipped.
    right: Vec<f64>,
    /// The left preimage where there are two, else the only one; empty where no row has two.
    left: Vec<f64>,
}

/// Counts of labels by their preimages. Those of several holders of rows merge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Labels without a finite preimage, those without weight left out.
    pub without_preimage: usize,
    /// Labels with two preimages, those without weight left out.
    pub with_two_preimages: usize,
    /// Whether a label has two preimages, whatever its weight.
    pub some_have_two: bool,
    /// Σ ω·(φ⁻¹(y) − offset) under the widest margin, where rows have offsets.
    pub preimage_sum: f64,
    /// Σ of the squares by which a relative error of y is multiplied in y^τ, on a path that ends below τ = 1.
    pub blurred_square: f64,
}

impl Tally {
    /// Adds the counts of further rows.
    pub fn merge(self, other: Tally) -> Tally {
        Tally {
            without_preimage: self.without_preimage + other.without_preimage,
            with_two_preimages: self.with_two_preimages + other.with_two_preimages,
            some_have_two: self.some_have_two || other.some_have_two,
            preimage_sum: self.preimage_sum + other.preimage_sum,
            blurred_square: self.blurred_square + other.blurred_square,
        }
    }

    /// Returns the (right, left) preimages of y. With one preimage both are equal; with none, those of the nearest value
    /// that has one.
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
                self.some_have_two |= left != right;
                (right, left)
            }
        }
    }
}

impl LabelPreimages {
    /// Finds the preimages of all labels.
    pub fn of(rows: &dyn Rows, frame: &Frame) -> (LabelPreimages, Tally) {
        let labels = || column(rows.len(), |run, y| rows.labels(run, y));
        let weight = rows.has_weights().then(|| column(rows.len(), |run, weight| rows.weights(run, weight)));
        let counts = |i: usize| weight.as_ref().is_none_or(|weight| weight[i] > 0.0);
        let mut right = labels();
        let mut tally = invert(&mut right, frame, &counts, |(right, _)| right);
        // once more from the labels, where there are two: a second column for all would be memory that most fits do not need
        let mut left = if tally.some_have_two { labels() } else { Vec::new() };
        invert(&mut left, frame, &counts, |(_, left)| left);
        if rows.has_offsets() {
            let offset = column(rows.len(), |run, offset| rows.offsets(run, offset));
            let clip = frame.clip(Margin::default());
            let scale = rows.weight_unit() / frame.weight_unit;
            let term = |i: usize| clip.apply_to_preimage(right[i]) - offset[i];
            tally.preimage_sum = match &weight {
                Some(weight) => sum_of(rows.len(), |i| if weight[i] > 0.0 { scale * weight[i] * term(i) } else { 0.0 }),
                None => sum_of(rows.len(), term),
            };
        }
        if let Some(tau) = frame.tau_max {
            tally.blurred_square = blurred_square(&right, frame, tau);
        }
        (LabelPreimages { right, left }, tally)
    }

    /// Writes these preimages of a run of rows.
    pub fn choose(&self, choice: PreimageChoice, frame: &Frame, run: &Run<'_>, out: &mut [f64]) {
        let depth = -frame.activation.range().lo;
        match choice {
            PreimageChoice::Right(margin) => {
                run.gather(&self.right, out);
                let clip = frame.clip(margin);
                out.iter_mut().for_each(|z| *z = clip.apply_to_preimage(*z));
            }
            PreimageChoice::Left => {
                run.gather(self.left(), out);
                let argmin = frame.argmin().unwrap_or(0.0);
                // a label above zero by less than φ falls below it may have been lifted there by noise: the mirror image of
                // its preimage stands for the one that it does not have
                let lifted = |z: f64| z >= 0.0 && frame.activation.value(z) < depth;
                out.iter_mut().filter(|z| lifted(**z)).for_each(|z| *z = 2.0 * argmin - *z);
            }
            PreimageChoice::FarLeft => {
                run.gather(&self.right, out);
                let far = frame.far_left().unwrap_or(0.0);
                out.iter_mut().filter(|z| frame.activation.value(**z) < depth).for_each(|z| *z = far);
            }
        }
    }

    fn left(&self) -> &[f64] {
        if self.left.is_empty() { &self.right } else { &self.left }
    }

    /// Writes both preimages of these rows, the same twice where there is one.
    pub fn both(&self, run: &Run<'_>, left: &mut [f64], right: &mut [f64]) {
        run.gather(&self.right, right);
        run.gather(self.left(), left);
    }

    /// Turns y into y^τ for these rows; `near` is φ̂_τ(z), which decides between two preimages. At τ = 1 labels are as they
    /// are, and are compared with φ(z), not with φ̂_1(z).
    pub fn graduate(
        &self,
        choice: LabelChoice,
        frame: &Frame,
        tau: f64,
        run: &Run<'_>,
        [near, labels]: [&mut [f64]; 2],
        scratch: [&mut [f64]; 3],
    ) {
        if tau == 1.0 {
            return;
        }
        let ([preimages, graduated, left], clip) = (scratch, frame.clip(choice.margin));
        run.gather(&self.right, preimages);
        preimages.iter_mut().for_each(|z| *z = clip.apply_to_preimage(*z));
        frame.activation.graduate(tau, preimages, graduated);
        if !self.left.is_empty() && choice.branch != PreimageBranch::Right {
            run.gather(&self.left, preimages);
            frame.activation.graduate(tau, preimages, left);
            for ((right, &left), &near) in graduated.iter_mut().zip(&*left).zip(&*near) {
                if choice.branch == PreimageBranch::Left || (left - near).abs() < (*right - near).abs() {
                    *right = left;
                }
            }
        }
        for (label, graduated) in labels.iter_mut().zip(graduated) {
            *label = *graduated + tau * (*label - clip.apply(*label));
        }
    }
}

/// Turns labels into their preimages on one side.
fn invert(y: &mut [f64], frame: &Frame, counts: &(dyn Fn(usize) -> bool + Sync), side: fn((f64, f64)) -> f64) -> Tally {
    let visit = |first: usize, y: &mut [f64]| {
        let mut tally = Tally::default();
        for (i, y) in y.iter_mut().enumerate() {
            *y = side(tally.preimages(frame.activation.as_ref(), frame.narrowest, *y, counts(first + i)));
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
}

/// A relative error of y is one of (∂y^τ/∂y)·y in y^τ: labels near a bound have lost digits of their preimages.
fn blurred_square(preimages: &[f64], frame: &Frame, tau: f64) -> f64 {
    let (phi, clip) = (&frame.activation, frame.clip(Margin::default()));
    let blurred = |z: f64| {
        let z = clip.apply_to_preimage(z);
        phi.value(z) * phi.derivative(tau * z) / phi.derivative(z)
    };
    let square = |i: usize| Some(blurred(preimages[i]).powi(2)).filter(|square| square.is_finite()).unwrap_or(0.0);
    sum_of(preimages.len(), square)
}
