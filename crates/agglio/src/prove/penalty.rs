//! The *penalty* vᵀPv in a region: its smallest value, and its share of the bounds of derivatives.

use super::examiner::{Examiner, Sums, scaled};
use super::region::{Kind, Region};
use super::small::{self, MOST, Vector, ZERO};

impl Examiner<'_> {
    /// The entries v of a region: their smallest and their largest values.
    pub fn entry(&self, region: &Region, entry: usize) -> [f64; 2] {
        let Kind::Cone { axis, sign } = region.kind else { return region.ends(entry) };
        let [near, far] = region.t(axis).map(|t| 1.0 / t);
        match entry == axis {
            true => scaled([far, near], f64::from(sign)),
            false => {
                let [low, high] = region.ends(entry);
                let low = if low >= 0.0 { low * far } else { low * near };
                [low, if high <= 0.0 { high * far } else { high * near }]
            }
        }
    }

    /// A lower bound of the penalty. It is convex, so a tangent bounds it.
    pub fn least_penalty(&self, region: &Region) -> f64 {
        let (penalty, order) = (&self.landscape.penalty, self.landscape.predictors);
        if *penalty == [ZERO; MOST] {
            return 0.0;
        }
        // of ψ in a cone
        let mut region = *region;
        let mut scale = 1.0;
        if let Kind::Cone { axis, sign } = region.kind {
            scale = region.t(axis)[1].powi(-2);
            (region.centre[axis], region.radius[axis]) = (f64::from(sign), 0.0);
        }
        let slope = small::times(penalty, &region.centre, order);
        let fall: f64 =
            slope.iter().zip(&region.radius).take(order).map(|(slope, radius)| 2.0 * slope.abs() * radius).sum();
        let own: f64 = slope.iter().zip(&region.centre).take(order).map(|(slope, centre)| slope * centre).sum();
        let mut ends = ZERO;
        let sizes = region.centre.iter().zip(&region.radius).map(|(centre, radius)| centre.abs() + 2.0 * radius);
        ends.iter_mut().zip(sizes).take(order).for_each(|(end, size)| *end = size);
        let error = self.margin * small::absolute_form(&self.landscape.penalty_size, &ends, &ends);
        scale * (own - fall - error).max(0.0) * (1.0 - self.margin)
    }

    /// The rounding error of the penalty at a point, at most.
    pub fn penalty_error(&self, point: &Vector) -> f64 {
        let mut own = ZERO;
        own.iter_mut().zip(point).take(self.landscape.predictors).for_each(|(own, v)| *own = *v);
        self.margin * small::absolute_form(&self.landscape.penalty_size, &own, &own)
    }

    /// Adds the penalty to all sums.
    pub fn add_penalty(&self, region: &Region, sums: &mut Sums) {
        let (penalty, order) = (&self.landscape.penalty, self.landscape.predictors);
        for (j, row) in penalty.iter().enumerate().take(order) {
            sums.least[j].iter_mut().zip(row).for_each(|(entry, own)| *entry += own);
            sums.most[j] += row[j];
            for (k, own) in row.iter().enumerate().take(order) {
                let [lo, hi] = self.entry(region, k);
                let (middle, spread) = (0.5 * (lo + hi), 0.5 * (hi - lo));
                sums.slope[0][j] += own * middle;
                sums.slope[1][j] += own.abs() * spread;
                sums.size += self.landscape.penalty_size[j][k] * (middle.abs() + spread);
                sums.gradient[j] += own * region.centre[k];
                sums.bend_size += self.landscape.penalty_size[j][k];
            }
        }
        sums.centre +=
            small::dot(&region.centre, &small::times(penalty, &region.centre, order)) + self.landscape.unexplained;
    }
}
