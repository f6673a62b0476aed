//! *Residuals* of a run of rows, and the products that sums over the rows are made of.

use multiversion::multiversion;

use crate::vector::{LANES, total};

/// Weighted sums of squares.
pub(super) struct Squares {
    /// Of the residuals.
    pub loss: f64,
    /// Of the labels.
    pub label: f64,
}

/// Turns what φ gives into residuals, φ − y. A row without weight has no say, not even by overflowing.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn compare(weight: &[f64], label: &[f64], value: &mut [f64]) -> Squares {
    let (weight, weight_rest) = weight.as_chunks();
    let (label, label_rest) = label.as_chunks();
    let (value, value_rest) = value.as_chunks_mut();
    let mut sums = Lanes::default();
    for ((weight, label), value) in weight.iter().zip(label).zip(value) {
        sums.add(weight, label, value);
    }
    let mut last = padded(value_rest);
    sums.add(&padded(weight_rest), &padded(label_rest), &mut last);
    value_rest.iter_mut().zip(last).for_each(|(value, last)| *value = last);
    Squares { loss: total(&sums.loss), label: total(&sums.label) }
}

/// A short slice, followed by zeros.
#[inline(always)]
fn padded(rest: &[f64]) -> [f64; LANES] {
    let mut whole = [0.0; LANES];
    whole.iter_mut().zip(rest).for_each(|(whole, rest)| *whole = *rest);
    whole
}

#[derive(Default)]
struct Lanes {
    loss: [f64; LANES],
    label: [f64; LANES],
}

impl Lanes {
    #[inline(always)]
    fn add(&mut self, weight: &[f64; LANES], label: &[f64; LANES], value: &mut [f64; LANES]) {
        for k in 0..LANES {
            let counts = weight[k] > 0.0;
            let y = if counts { label[k] } else { 0.0 };
            value[k] = if counts { value[k] - label[k] } else { 0.0 };
            self.loss[k] += weight[k] * (value[k] * value[k]);
            self.label[k] += weight[k] * (y * y);
        }
    }
}

/// Takes the slopes of rows without weight away.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn mask(weight: &[f64], slope: &mut [f64]) {
    slope.iter_mut().zip(weight).for_each(|(slope, &weight)| *slope = if weight > 0.0 { *slope } else { 0.0 });
}

/// Writes the products of three factors.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn multiply(product: &mut [f64], a: &[f64], b: &[f64], c: &[f64]) {
    let factors = a.iter().zip(b).zip(c);
    product.iter_mut().zip(factors).for_each(|(product, ((a, b), c))| *product = a * b * c);
}
