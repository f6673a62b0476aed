//! The *labels* of the graduated problem: the preimages φ⁻¹(y) at τ = 0, and the responses y at τ = 1.
//!
//! ```text
//! c = clip(y, lo + ε, hi − ε),    y^τ = φ̂_τ(φ⁻¹(c)) + τ(y − c)
//! ```
//!
//! Clipping keeps the preimage finite. At τ = 1 it has no effect: the residual is φ(xᵀw) − y with the original
//! responses.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::activation::{Activation, Preimages};
use crate::math::tree::{LEAF, in_pool, sum_of};
use crate::oracle::clip::Clip;
use crate::oracle::frame::Frame;
use crate::oracle::query::{LabelChoice, Margin, PreimageBranch};
use crate::rows::{Rows, Run, column};

/// The label margin ε of the graduated path, relative to the width of the range or, if that is infinite, to the spread
/// of y. A margin ten times larger or smaller changes the path but never the objective at its end.
pub const MARGIN: f64 = 0.01;

/// The margins that are tried together for the starting point.
pub const MARGINS: [f64; 4] = [0.1, 0.01, 0.001, 1e-6];

/// The preimages to which the linear stage is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PreimageChoice {
    /// The right one of two preimages, of labels clipped by a margin.
    Right(Margin),
    /// The left one of two preimages.
    Left,
    /// For labels near zero, a point far to the left, if φ tends to zero on the left of its minimum.
    FarLeft,
    /// The preimages under one of the first response scales.
    Rescaled(usize),
}

/// The preimages of the labels, row by row.
#[derive(Debug, Default)]
pub(super) struct LabelPreimages {
    /// φ⁻¹(y) for the narrowest margin. For a wider margin it is clipped.
    right: Vec<f64>,
    /// The left one of two preimages, or the only one; empty if no row has two.
    left: Vec<f64>,
}

/// Counts of labels by their preimages. The counts of several shards can be merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Number of labels with positive weight and no finite preimage.
    pub without_preimage: usize,
    /// Number of labels with positive weight and two preimages.
    pub with_two_preimages: usize,
    /// Whether any label has two preimages, even one without weight.
    pub some_have_two: bool,
    /// Σ ω·(φ⁻¹(y) − offset) for the widest margin, if the rows have offsets.
    pub preimage_sum: f64,
    /// Σ of the squared factors by which a relative error of y enters y^τ, on a path that ends below τ = 1.
    pub blurred_square: f64,
}

impl Tally {
    /// Merges the counts of further rows.
    pub fn merge(self, other: Tally) -> Tally {
        Tally {
            without_preimage: self.without_preimage + other.without_preimage,
            with_two_preimages: self.with_two_preimages + other.with_two_preimages,
            some_have_two: self.some_have_two || other.some_have_two,
            preimage_sum: self.preimage_sum + other.preimage_sum,
            blurred_square: self.blurred_square + other.blurred_square,
        }
    }

    /// Returns the (right, left) preimages of y. With one preimage both are equal; with none, they are those of the
    /// clipped y.
    fn preimages(&mut self, activation: &dyn Activation, narrowest: Clip, y: f64, counts: bool) -> (f64, f64) {
        let found = match activation.preimages(y) {
            // at or beyond a bound of the range, or larger than any double
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
    /// Computes the preimages of all labels. `both`: whether other rows of the table have two preimages.
    pub fn of(rows: &dyn Rows, frame: &Frame, both: bool) -> (LabelPreimages, Tally) {
        // under a free response scale they depend on θ
        if frame.response.is_some() {
            return (LabelPreimages::default(), Tally::default());
        }
        let labels = || column(rows.len(), |run, y| rows.labels(run, y));
        let weight = rows.has_weights().then(|| column(rows.len(), |run, weight| rows.weights(run, weight)));
        let counts = |i: usize| weight.as_ref().is_none_or(|weight| weight[i] > 0.0);
        let mut right = labels();
        let mut tally = invert(&mut right, frame, &counts, |(right, _)| right);
        // a second pass from the labels instead of a second column in the first: most fits need no left preimages
        let mut left = if both || tally.some_have_two { labels() } else { Vec::new() };
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

    /// Writes the chosen preimages of a run of rows.
    pub fn choose(&self, choice: PreimageChoice, frame: &Frame, run: &Run<'_>, out: &mut [f64]) {
        let limit = frame.activation.limits().0;
        let depth = limit - frame.activation.range().lo;
        match choice {
            PreimageChoice::Right(margin) => {
                run.gather(&self.right, out);
                let clip = frame.clip(margin);
                out.iter_mut().for_each(|z| *z = clip.apply_to_preimage(*z));
            }
            PreimageChoice::Left => {
                run.gather(self.left(), out);
                let argmin = frame.argmin().unwrap_or(0.0);
                // noise may have lifted a label from below zero to slightly above zero, where it has no left preimage:
                // the mirror image of its preimage about the minimum takes that place
                let lifted = |z: f64| z >= 0.0 && frame.activation.value(z) - limit < depth;
                out.iter_mut().filter(|z| lifted(**z)).for_each(|z| *z = 2.0 * argmin - *z);
            }
            PreimageChoice::FarLeft => {
                run.gather(&self.right, out);
                let far = frame.far_left().unwrap_or(0.0);
                out.iter_mut().filter(|z| frame.activation.value(**z) - limit < depth).for_each(|z| *z = far);
            }
            // made from the responses themselves
            PreimageChoice::Rescaled(_) => out.fill(0.0),
        }
    }

    fn left(&self) -> &[f64] {
        if self.left.is_empty() { &self.right } else { &self.left }
    }

    /// Writes both preimages of each row; they are equal if there is only one.
    pub fn both(&self, run: &Run<'_>, left: &mut [f64], right: &mut [f64]) {
        run.gather(&self.right, right);
        run.gather(self.left(), left);
    }

    /// Replaces y by y^τ. `near` is φ̂_τ(z), which decides between two preimages. At τ = 1 labels do not change, and
    /// they are compared with φ(z) instead of φ̂_1(z).
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

/// Replaces labels by their preimages on one side.
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

/// A relative error of y causes an error (∂y^τ/∂y)·y in y^τ. It is large for labels near a bound, whose preimages have
/// lost digits.
fn blurred_square(preimages: &[f64], frame: &Frame, tau: f64) -> f64 {
    let (phi, clip) = (&frame.activation, frame.clip(Margin::default()));
    let blurred = |z: f64| {
        let z = clip.apply_to_preimage(z);
        phi.value(z) * phi.derivative(tau * z) / phi.derivative(z)
    };
    let square = |i: usize| Some(blurred(preimages[i]).powi(2)).filter(|square| square.is_finite()).unwrap_or(0.0);
    sum_of(preimages.len(), square)
}
