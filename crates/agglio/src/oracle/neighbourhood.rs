//! The *neighbourhood* of a point is an ellipsoid around it, in which each linear predictor stays in an interval. It has a
//! lower bound of the curvature of the loss there.
//!
//! ```text
//! ½f_i″(z) = φ′² + (φ − y_i)·φ″,        f_i(z) = (φ(z) − y_i)²
//! ```
//!
//! The interval of a row is cut into [`PARTS`] equal parts. In each part the bound is computed from the exact ranges of φ, φ′
//! and φ″, as if they were independent. The bound of the row is the smallest of these, and that of the loss is their sum. Shorter parts
//! lose less, and take more time: for the sigmoid, the radius of uniqueness with 1, 4, 8 and 16 parts is .65, .84, .91 and .95
//! of the one by exact minima (medians over the problems of `bench/uniqueness.py`).

use std::ops::Range;

use multiversion::multiversion;

use crate::activation::{Activation, Intervals, MARGIN, Shape, range_between};
use crate::math::linalg::{Symmetric, add_weighted_gram};
use crate::math::tree::fold;
use crate::oracle::projection::Projection;

/// Number of equal parts of an interval.
const PARTS: usize = 4;
/// Number of rows that are bounded together. Their ranges must stay in the first cache.
const CHUNK: usize = 128;

/// The rows around a point, in the coordinates of some directions.
pub(crate) struct Neighbourhood<'a> {
    projection: &'a Projection,
    shape: Shape,
    /// a_i = (x_iᵀu_k)_k for the directions u, row by row.
    rows: Vec<f64>,
    /// ‖a_i‖, the largest change of z_i within radius one.
    reach: Vec<f64>,
}

impl Projection {
    /// The neighbourhood of the point, with the lines as its axes. None if the shape of φ is not known, or for another loss than
    /// squares on a fixed response scale.
    pub(crate) fn neighbourhood(&self) -> Option<Neighbourhood<'_>> {
        let shape = self.activation.shape().filter(|_| !self.loss.is_convex() && self.response.is_none())?;
        let width = self.along.len();
        let mut rows = vec![0.0; width * self.at.len()];
        let mut reach = vec![0.0; self.at.len()];
        for (i, row) in rows.chunks_exact_mut(width.max(1)).enumerate() {
            row.iter_mut().zip(&self.along).for_each(|(entry, along)| *entry = along[i]);
        }
        for along in &self.along {
            reach.iter_mut().zip(along).for_each(|(sum, along)| *sum += along * along);
        }
        reach.iter_mut().for_each(|sum| *sum = sum.sqrt());
        Some(Neighbourhood { projection: self, shape, rows, reach })
    }
}

impl Neighbourhood<'_> {
    /// `Σ ω_i m_i a_i a_iᵀ,    m_i ≤ ½f_i″(z)  for  |z − z_i| ≤ radius·‖a_i‖`
    ///
    /// A lower bound of half of the curvature by c at θ + Σ c_k·u_k, for every c up to this length. An entry is not finite if the
    /// curvature overflows.
    pub fn least_curvature(&self, radius: f64) -> Symmetric {
        let merge = |mut left: Symmetric, right: Symmetric| {
            left.add(&right);
            left
        };
        fold(&|leaf| self.sum(radius, leaf), &merge, 0..self.reach.len())
    }

    fn sum(&self, radius: f64, leaf: Range<usize>) -> Symmetric {
        let Projection { activation, at, along, label, weight, .. } = self.projection;
        let width = along.len();
        let (mut sum, mut scaled, mut bounds) = (Symmetric::zero(width), vec![0.0; width * CHUNK], Bounds::default());
        for begin in leaf.clone().step_by(CHUNK) {
            let own = begin..leaf.end.min(begin + CHUNK);
            let least = &mut [f64::INFINITY; CHUNK][..own.len()];
            let interval = [&at[own.clone()], &self.reach[own.clone()]];
            bounds.find(activation.as_ref(), &self.shape, interval, radius, &label[own.clone()], least);
            // a row without weight may overflow
            let weighed = least.iter_mut().zip(&weight[own.clone()]);
            weighed.for_each(|(least, weight)| *least = if *weight > 0.0 { weight * *least } else { 0.0 });
            let rows = &self.rows[own.start * width..own.end * width];
            add_weighted_gram(rows, least, sum.lower_mut(), &mut scaled[..rows.len()]);
        }
        sum
    }
}

/// φ, φ′ and φ″ of some rows.
type Values = [[f64; CHUNK]; 3];

/// Memory for the bounds of some rows.
struct Bounds {
    /// The ends of the part.
    from: [f64; CHUNK],
    to: [f64; CHUNK],
    /// The values at the right ends.
    right: Values,
    /// The smallest and largest values within the part.
    lo: Values,
    hi: Values,
}

impl Default for Bounds {
    fn default() -> Bounds {
        let zero = [0.0; CHUNK];
        Bounds { from: zero, to: zero, right: [zero; 3], lo: [zero; 3], hi: [zero; 3] }
    }
}

impl Bounds {
    /// Writes a lower bound of ½f″ over [z − radius·reach, z + radius·reach] for each row.
    fn find(
        &mut self,
        phi: &dyn Activation,
        shape: &Shape,
        [z, reach]: [&[f64]; 2],
        radius: f64,
        label: &[f64],
        least: &mut [f64],
    ) {
        self.advance(phi, [z, reach], -radius);
        for part in 1..=PARTS {
            (self.from, self.lo) = (self.to, self.right);
            self.advance(phi, [z, reach], radius * (2.0 * part as f64 / PARTS as f64 - 1.0));
            self.hi = self.right;
            let rows = z.len();
            let part = Intervals { from: &self.from[..rows], to: &self.to[..rows], margin: MARGIN };
            let functions = [&shape.value, &shape.derivative, &shape.second_derivative];
            for ((function, lo), hi) in functions.into_iter().zip(&mut self.lo).zip(&mut self.hi) {
                range_between(function, part, [&mut lo[..rows], &mut hi[..rows]]);
            }
            include(label, &self.lo, &self.hi, least);
        }
    }

    /// Moves the right ends to z + share·reach.
    fn advance(&mut self, phi: &dyn Activation, [z, reach]: [&[f64]; 2], share: f64) {
        let (rows, [value, derivative, second]) = (z.len(), &mut self.right);
        self.to.iter_mut().zip(z).zip(reach).for_each(|((to, z), reach)| *to = z + share * reach);
        phi.respond_with_derivative(&self.to[..rows], &mut value[..rows], &mut derivative[..rows]);
        phi.graduate_second_derivative(1.0, &self.to[..rows], &mut second[..rows]);
    }
}

/// Lowers the bounds to those of a part with these ranges of φ, φ′ and φ″.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
fn include(label: &[f64], lo: &Values, hi: &Values, least: &mut [f64]) {
    let smaller = |a: f64, b: f64| if a < b { a } else { b };
    let [values, slopes, bends] = [0, 1, 2].map(|k| lo[k].iter().zip(&hi[k]));
    for ((((least, label), value), slope), bend) in least.iter_mut().zip(label).zip(values).zip(slopes).zip(bends) {
        let (below, above) = (value.0 - label, value.1 - label);
        let left = smaller(below * bend.0, below * bend.1);
        let right = smaller(above * bend.0, above * bend.1);
        // zero if φ′ may change its sign
        let rising = if *slope.0 > 0.0 { *slope.0 } else { 0.0 };
        let falling = if *slope.1 < 0.0 { *slope.1 } else { 0.0 };
        let own = rising * rising + falling * falling + smaller(left, right);
        // what has overflowed has no bound
        *least = if *least <= own {
            *least
        } else if own < *least {
            own
        } else {
            f64::NEG_INFINITY
        };
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::activation::{NAMES, named};
    use crate::math::rng::{Random, Stream};

    /// The bound is below f″ at any point, and with one point it is f″ itself.
    #[test]
    fn bounds_are_below_the_second_derivative() {
        for phi in NAMES.iter().map(|name| named(name).unwrap()) {
            let Some(shape) = phi.shape() else { continue };
            let mut random = Random::new(5, Stream::Noise);
            let mut draw = |size: f64| -> Vec<f64> { (0..CHUNK).map(|_| size * random.normal()).collect() };
            let (z, reach, label) = (draw(2.0), draw(1.0), draw(1.0));
            let reach: Vec<f64> = reach.into_iter().map(f64::abs).collect();
            let bend = |i: usize, z: f64| {
                let (slope, bend) = (phi.derivative(z), phi.second_derivative(z));
                slope * slope + (phi.value(z) - label[i]) * bend
            };
            for radius in [0.0, 0.3, 3.0] {
                let mut least = [f64::INFINITY; CHUNK];
                Bounds::default().find(phi.as_ref(), &shape, [&z, &reach], radius, &label, &mut least);
                for (i, least) in least.into_iter().enumerate() {
                    let within = (-50..=50).map(|k| bend(i, z[i] + radius * reach[i] * f64::from(k) / 50.0));
                    let own = within.fold(f64::INFINITY, f64::min);
                    assert!(least <= own, "{} at {} ± {radius}: {least} > {own}", phi.name(), z[i]);
                    assert!(radius > 0.0 || least >= own - 1e-13 * (1.0 + own.abs()), "{}: {least} {own}", phi.name());
                }
            }
        }
    }
}
