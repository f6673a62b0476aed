//! The *exclusion* of regions that have no minimum below the cut: the tests (b) to (r).

use super::examined::Exclusion;
use super::examiner::{Candidate, Examiner, Rows, Scale, Sums, part};
use super::landscape::Landscape;
use super::region::Region;
use super::small::{self, Vector};
use super::sums;
use crate::activation::{Intervals, enclose_radial_derivative};
use crate::math::vector;

impl Examiner<'_> {
    /// Test (b): whether a derivative is nowhere zero. At a bound of a free asymptote a minimum need not be stationary.
    pub fn is_monotone(&self, region: &Region, sums: &Sums) -> bool {
        let error = self.margin * sums.size;
        (0..self.landscape.order()).any(|j| {
            let (middle, spread) = (sums.slope[0][j], sums.slope[1][j] + error);
            let [at_lower, at_upper] = self.at_bounds(region, j);
            (middle - spread > 0.0 && !at_lower) || (middle + spread < 0.0 && !at_upper)
        })
    }

    /// The same along the gradient at the centre.
    pub fn is_monotone_along(&mut self, region: &Region, sums: &Sums) -> bool {
        let Landscape { columns, penalty, predictors, .. } = self.landscape;
        let direction = &sums.gradient;
        let (mut middle, mut spread) = (0.0, 0.0);
        for block in self.blocks() {
            let [along, ..] = &mut self.block;
            let along = &mut along[..block.len()];
            along.fill(0.0);
            for (column, direction) in columns.iter().zip(direction) {
                sums::add(&column[block.clone()], *direction, along);
            }
            let [pull, spread_of_pull] = part(&self.rows.pull, block);
            middle += sums::along(along, pull);
            spread += sums::along_absolute(along, spread_of_pull);
        }
        let image = small::times(penalty, direction, *predictors);
        middle += small::dot(&image, &region.centre);
        spread += image.iter().zip(&region.radius).map(|(image, radius)| image.abs() * radius).sum::<f64>();
        for m in (*predictors..self.landscape.order()).filter(|&m| self.at_bounds(region, m) == [false; 2]) {
            middle += direction[m] * sums.slope[0][m];
            spread += direction[m].abs() * sums.slope[1][m];
        }
        middle - spread > self.margin * sums.size * small::norm(direction)
    }

    /// Whether a region reaches to the bounds of a free asymptote.
    pub fn at_bounds(&self, region: &Region, entry: usize) -> [bool; 2] {
        let Some(free) = entry.checked_sub(self.landscape.predictors) else { return [false; 2] };
        let ([low, high], [from, to]) = (self.landscape.response.bounds[free], region.ends(entry));
        let close = 1e-9 * (high - low);
        [from <= low + close, to >= high - close]
    }

    /// Test (c): whether the loss is concave along an entry.
    pub fn is_concave(&self, sums: &Sums) -> bool {
        let error = self.margin * sums.bend_size;
        sums.most[..self.landscape.predictors].iter().any(|most| *most < -error)
    }

    /// Test (n), a Newton step in intervals: whether the derivative along a row y of the inverse of a Hessian H̄ is nowhere
    /// zero.
    ///
    /// ```text
    /// yᵀF′(c + δ) = yᵀg + yᵀH̄δ + yᵀEδ,      |yᵀEδ| ≤ √(yᵀSy)·√(δᵀSδ)
    /// ```
    ///
    /// H̄ + E is the mean Hessian between the centre c and a point of the box. −S ≼ E ≼ S by the bounds of the second
    /// derivatives.
    pub fn has_no_newton_step(&mut self, region: &Region, sums: &Sums) -> bool {
        let (order, predictors, radius) = (self.landscape.order(), self.landscape.predictors, &region.radius);
        if (predictors..order).any(|m| self.at_bounds(region, m) != [false; 2]) {
            return false;
        }
        let deviation = self.deviation();
        let middle = small::sum(&small::mirrored(&sums.least), &deviation);
        let Some(inverse) = small::inverse(&middle, order) else { return false };
        let image = small::product(&inverse, &middle);
        let spread = small::mirrored(&sums.spread);
        // rounding errors, relative to sums of absolute values
        let rounding = self.margin * order as f64;
        let form = |y: &Vector| {
            let size = small::absolute_form(&deviation, y, y);
            (small::dot(y, &small::times(&deviation, y, order)) + rounding * size).max(0.0).sqrt()
        };
        let reach = small::absolute_form(&deviation, radius, radius).sqrt() * (1.0 + rounding);
        let length: f64 = radius[..order].iter().sum();
        let error = self.error_of_gradient(sums) + self.margin * sums.bend_size * length;
        inverse.iter().zip(&image).take(order).any(|(y, image)| {
            let along = small::dot(y, &sums.gradient);
            let moved: f64 = image.iter().zip(radius).map(|(image, radius)| image.abs() * radius).sum();
            let open = small::absolute_form(&spread, y, radius);
            let total: f64 = y.iter().map(|y| y.abs()).sum();
            let rounded = rounding * small::absolute_form(&middle, y, radius) + total * error;
            along.abs() > (moved + form(y) * reach + open + rounded) * (1.0 + rounding)
        })
    }

    /// Test (r): whether the derivative by the distance from zero is above zero.
    pub fn falls_inwards(&mut self, scale: &Scale, penalty: f64) -> bool {
        let Landscape { activation, shape, weight, offset, .. } = self.landscape;
        let (mut least, mut size) = (penalty, penalty);
        for block in self.blocks() {
            let (weight, offset) = (&weight[block.clone()], &offset[block.clone()]);
            let Rows { z, residual, slope, .. } = &self.rows;
            let [z, residual, slope] = [z, residual, slope].map(|ends| part(ends, block.clone()));
            let [radial_lo, radial_hi, middle, spread, ..] =
                self.block.each_mut().map(|column| &mut column[..weight.len()]);
            let intervals = Intervals { from: z[0], to: z[1], margin: self.ulps };
            enclose_radial_derivative(activation.as_ref(), shape, intervals, [&mut *radial_lo, &mut *radial_hi]);
            sums::least_product(weight, scale.slope, residual, [radial_lo, radial_hi], middle);
            least += vector::sum(middle);
            size += sums::total_absolute(middle);
            if offset.iter().any(|offset| *offset != 0.0) {
                sums::pull(weight, scale.slope, residual, slope, [&mut *middle, &mut *spread]);
                least -= sums::along(middle, offset) + sums::along_absolute(offset, spread);
                size += sums::along_absolute(offset, spread) + vector::sum_of(offset, middle, |o, m| (o * m).abs());
            }
        }
        least > self.margin * size
    }

    /// Tests (d) and (e): a lower bound of the loss by a quadratic function below it, and which of the two gave it.
    pub fn minorant(&self, region: &Region, sums: &Sums, candidate: &Candidate) -> (f64, Exclusion) {
        let (order, radius) = (self.landscape.order(), &region.radius);
        let mut least = small::mirrored(&sums.least);
        for j in 0..order {
            for k in 0..j {
                // 2|δ_j δ_k| ≤ (r_k/r_j)·δ_j² + (r_j/r_k)·δ_k²
                let spread = sums.spread[j][k];
                if spread > 0.0 {
                    least[j][j] -= spread * radius[k] / radius[j];
                    least[k][k] -= spread * radius[j] / radius[k];
                }
            }
            least[j][j] -= sums.spread[j][j] + self.margin * sums.bend_size;
        }
        let mut box_units = least;
        for j in 0..order {
            (0..order).for_each(|k| box_units[j][k] *= radius[j] * radius[k]);
        }
        let curvature = small::least_eigenvalue(&box_units, order);
        if curvature.is_nan() {
            return (f64::NEG_INFINITY, Exclusion::Minorant);
        }
        let slope_error = self.error_of_gradient(sums);
        let fall: f64 = (0..order).map(|j| 2.0 * (sums.gradient[j].abs() + slope_error) * radius[j]).sum();
        let centre = sums.centre - self.error_of_centre(region, sums);
        let mut lower = centre - fall + curvature.min(0.0) * order as f64;
        if curvature > 0.0 {
            let largest = radius.iter().fold(0.0, |largest: f64, radius| largest.max(*radius));
            // the smallest eigenvalue in the units of v
            let curvature = curvature / (largest * largest);
            if region.contains(&candidate.point) {
                let lowest = candidate.loss - candidate.error;
                return (lowest - candidate.gradient * (candidate.gradient / curvature), Exclusion::Convex);
            }
            if let Some(half) = small::most_half_inverse_form(&least, &sums.gradient, order) {
                let root = (2.0 * half).sqrt() + slope_error * (order as f64 / curvature).sqrt();
                lower = lower.max(centre - root * root * (1.0 + self.margin));
            }
        }
        (lower, Exclusion::Minorant)
    }
}
