//! *Passes over preimages*: the questions about φ⁻¹(y) instead of y.

use crate::oracle::density::PreimageDensity;
use crate::oracle::labels::PreimageChoice;
use crate::oracle::partial_sums::PartialSums;
use crate::oracle::query::Ends;
use crate::oracle::row_pass::RowPass;
use crate::oracle::scratch::ScratchView;
use crate::oracle::shard::Prepared;
use crate::rows::Run;

/// Number of sums in [`Ask::Departure`].
pub(super) const DEPARTURE: usize = 9;

impl RowPass<'_> {
    /// ẑ is the left or the right preimage. Given y, its odds are proportional to N(ẑ; z, σ²)/|φ′(ẑ)|.
    pub(super) fn add_mixture(&self, sigma: f64, run: &Run<'_>, view: ScratchView<'_>, sums: &mut PartialSums) {
        let ScratchView { weight, offset, z, columns: [left, right, expected, a, ..], .. } = view;
        self.prepared.labels.both(run, left, right);
        let mut log_jacobian = sums.numbers.first().copied().unwrap_or(0.0);
        for i in 0..run.len() {
            if weight[i] == 0.0 {
                expected[i] = 0.0;
                continue;
            }
            let density = |preimage: f64| self.density(preimage, z[i], sigma);
            let both = PreimageDensity::expect(density(left[i]), density(right[i]));
            sums.loss += weight[i] * both.square;
            log_jacobian += weight[i] * both.log_jacobian;
            expected[i] = both.preimage;
        }
        sums.numbers = vec![log_jacobian];
        a.iter_mut().enumerate().for_each(|(i, a)| *a = weight[i] * (expected[i] - offset[i]));
        if let Some(right) = sums.right_sides.first_mut() {
            self.add(run, [(a, right)]);
        }
    }

    fn density(&self, preimage: f64, z: f64, sigma: f64) -> PreimageDensity {
        PreimageDensity::new(self.prepared.frame.activation.as_ref(), preimage, z, sigma)
    }

    /// At τ = 0 the problem is linear least squares on φ⁻¹(c) and does not depend on θ.
    pub(super) fn add_normal_equations(
        &self,
        choices: &[PreimageChoice],
        run: &Run<'_>,
        view: ScratchView<'_>,
        sums: &mut PartialSums,
    ) {
        let ScratchView { weight, offset, columns: [a, b, ..], products, .. } = view;
        let Prepared { frame, labels, .. } = self.prepared;
        let weighted_preimages = |choice: PreimageChoice, a: &mut [f64]| {
            match (choice, &frame.response) {
                (PreimageChoice::Rescaled(start), Some(response)) => {
                    self.rows.labels(run, a);
                    let at = response.at_start(start);
                    a.iter_mut().for_each(|y| *y = response.preimage(at, frame.activation.as_ref(), *y).0);
                }
                _ => labels.choose(choice, frame, run, a),
            }
            for ((a, weight), offset) in a.iter_mut().zip(weight).zip(offset) {
                *a = if *weight > 0.0 { weight * (*a - offset) } else { 0.0 };
            }
        };
        let sides = sums.right_sides.chunks_mut(2).zip(choices.chunks(2));
        for pair in sides {
            match pair {
                ([left, right], &[first, second]) => {
                    weighted_preimages(first, a);
                    weighted_preimages(second, b);
                    self.add(run, [(a, left), (b, right)]);
                }
                ([single], &[choice]) => {
                    weighted_preimages(choice, a);
                    self.add(run, [(a, single)]);
                }
                _ => {}
            }
        }
        if let Some(matrix) = &mut sums.products {
            self.rows.add_products(run, self.pivot(), weight, matrix.lower_mut(), products);
            self.add(run, [(weight, &mut sums.curvature)]);
        }
    }

    /// Σ ω; ωD, ωD²; ωe², ωe³, ωe⁴; ωg, ωg², ωe²g.
    pub(super) fn add_departure(&self, ends: &Ends<'_>, run: &Run<'_>, view: ScratchView<'_>, sums: &mut PartialSums) {
        let ScratchView { weight, offset, z, columns: [label, mean, value, left, right, other, ..], .. } = view;
        let activation = &self.prepared.frame.activation;
        self.others.iter().for_each(|post| self.predict(post, run, offset, other));
        activation.respond(other, value);
        self.rows.labels(run, label);
        activation.average(ends.sigma, z, mean);
        self.prepared.labels.both(run, left, right);
        for i in (0..run.len()).filter(|&i| weight[i] > 0.0) {
            let excess = (mean[i] - label[i]).powi(2) - (value[i] - label[i]).powi(2);
            let terms = self.departure(z[i], excess, [left[i], right[i]], ends.residual);
            sums.numbers.iter_mut().zip(terms).for_each(|(sum, term)| *sum += weight[i] * term);
        }
    }

    fn departure(&self, z: f64, excess: f64, preimages: [f64; 2], residual: f64) -> [f64; DEPARTURE] {
        let [left, right] = preimages.map(|preimage| self.density(preimage, z, residual));
        let odds = PreimageDensity::odds(left, right);
        let moment = |power: i32| {
            let of = |side: PreimageDensity| ((side.preimage - z) / residual).powi(power);
            odds * of(left) + (1.0 - odds) * of(right)
        };
        let derivative = self.prepared.frame.activation.derivative(z);
        let (square, slope) = (moment(2), derivative.abs().max(f64::MIN_POSITIVE).ln());
        [1.0, excess, excess * excess, square, moment(3), moment(4), slope, slope * slope, square * slope]
    }
}
