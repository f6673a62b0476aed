//! The *meat* of a sandwich covariance is the sum of the outer products of scores, in which residuals are squared.

use std::borrow::Cow;

use crate::math::linalg::Symmetric;
use crate::math::vector::sum_of;
use crate::oracle::loss::Objective;
use crate::oracle::partial_sums::{ClusterScore, PartialSums, Weighted};
use crate::oracle::query::{At, Memory, ResponseChoice, Want, Weighting};
use crate::oracle::response::{ResponseAt, ResponseBlock};
use crate::oracle::row_pass::{RowPass, weighted};
use crate::oracle::scratch::ScratchView;
use crate::rows::Run;

/// The sums over no rows.
pub(super) fn no_rows_of_meat(weighting: &Weighting<'_>, width: usize, has_response: bool) -> PartialSums {
    let bread = !matches!(weighting, Weighting::Leverage { .. });
    let meat = !matches!(weighting, Weighting::Clusters);
    PartialSums {
        curvature: Weighted::zero(width, bread),
        products: bread.then(|| Symmetric::zero(width)),
        meat: Weighted::zero(width, meat),
        meat_products: meat.then(|| Symmetric::zero(width)),
        response: if has_response { vec![Weighted::zero(width, true); 2] } else { Vec::new() },
        numbers: vec![0.0; if has_response { ResponseBlock::LEN } else { 0 }],
        meat_response: if has_response && meat { vec![Weighted::zero(width, true); 2] } else { Vec::new() },
        meat_numbers: vec![0.0; if has_response && meat { 3 } else { 0 }],
        ..PartialSums::default()
    }
}

impl RowPass<'_> {
    /// Bread and meat.
    pub(super) fn add_meat(
        &self,
        tau: f64,
        weighting: &Weighting<'_>,
        run: &Run<'_>,
        view: ScratchView<'_>,
        sums: &mut PartialSums,
    ) {
        let ScratchView { weight, offset: _, z, columns: [label, residual, derivative, value, b, a, h], products } =
            view;
        let (objective, memory, response) = (Objective::Loss, Memory::Unused, ResponseChoice::AsGiven);
        let at = At { theta: Cow::Borrowed(&[]), tau, want: Want::Gradient, objective, memory, response };
        let largest = sums.largest;
        // with a free response scale, `value` is φ afterwards
        self.compare(&at, run, [weight, z], [label, residual, derivative], [value, b, a], sums);
        // of leverages alone
        sums.largest = largest;
        let form = self.form(&at);
        form.weigh_curvature(weight, derivative, b);
        form.weigh_gradient(weight, residual, derivative, a);
        sums.pearson += form.pearson(weight, residual, derivative);
        if let Some(matrix) = &mut sums.products {
            self.rows.add_products(run, self.pivot(), b, matrix.lower_mut(), products);
            self.add(run, [(b, &mut sums.curvature)]);
        }
        if *weighting == Weighting::Clusters {
            return self.add_clusters(run, [weight, a, residual, value], &mut sums.clusters);
        }
        // ω r, the factor of a row of J in its score
        label.iter_mut().zip(weight).zip(&*residual).for_each(|((score, weight), r)| *score = weight * r);
        if let Weighting::Leverage { power, roots } = weighting {
            sums.largest = largest.max(self.leverages(run, roots, [weight, derivative, value], z, h));
            // a row of leverage one has no residual of its own; its share must be finite
            let left = |h: f64| (1.0 - h).max(f64::EPSILON).powi(*power).sqrt();
            label.iter_mut().zip(&*h).for_each(|(score, &h)| *score /= left(h));
            a.iter_mut().zip(&*h).for_each(|(a, &h)| *a /= left(h));
        }
        a.iter_mut().for_each(|a| *a *= *a);
        if let Some(matrix) = &mut sums.meat_products {
            self.rows.add_products(run, self.pivot(), a, matrix.lower_mut(), products);
            self.add(run, [(a, &mut sums.meat)]);
        }
        if let [offset, scale] = sums.meat_response.as_mut_slice() {
            for i in 0..run.len() {
                let square = label[i] * label[i];
                (b[i], h[i]) = (square * derivative[i], square * derivative[i] * value[i]);
                let terms = [1.0, value[i], value[i] * value[i]];
                sums.meat_numbers.iter_mut().zip(terms).for_each(|(sum, term)| *sum += square * term);
            }
            self.add(run, [(b, offset), (h, scale)]);
        }
    }

    /// Writes the leverages h = ω/ω̄·Σ (u·J)² of the roots u, with weights ω̄ of mean one in the bread. Returns the largest.
    fn leverages(
        &self,
        run: &Run<'_>,
        roots: &[Vec<f64>],
        [weight, derivative, value]: [&[f64]; 3],
        z: &mut [f64],
        h: &mut [f64],
    ) -> f64 {
        h.fill(0.0);
        for (root, whole) in self.others.iter().zip(roots) {
            let [alpha, beta] = self.response_entries(whole);
            self.rows.dots(run, self.pivot(), &root.v, z);
            for i in 0..run.len() {
                let along = derivative[i] * (z[i] + root.constant) + alpha + beta * value[i];
                h[i] += along * along;
            }
        }
        let mean_weight = self.prepared.frame.mean_weight;
        h.iter_mut().zip(weight).for_each(|(h, weight)| *h *= weight / mean_weight);
        h.iter().fold(0.0, |most: f64, h| most.max(*h))
    }

    /// The entries of a direction for α and β, times the derivatives of the response by α and by β divided by φ.
    fn response_entries(&self, direction: &[f64]) -> [f64; 2] {
        let (Some(at), Some(response)) = (self.response, &self.prepared.frame.response) else { return [0.0, 0.0] };
        let mut entries = direction.iter().skip(self.prepared.frame.coordinates.dim());
        let mut next = |free: bool, unit: f64| if free { unit * entries.next().copied().unwrap_or(0.0) } else { 0.0 };
        let [offset, scale] = response.free();
        [next(offset, at.units[0]), next(scale, at.units[1])]
    }

    /// Adds the gradients of the rows to the scores of their clusters. Rows without weight belong to no cluster.
    fn add_clusters(&self, run: &Run<'_>, [weight, a, residual, value]: [&[f64]; 4], clusters: &mut Vec<ClusterScore>) {
        let mut codes = vec![0; run.len()];
        self.rows.clusters(run, &mut codes);
        let mut order: Vec<usize> = (0..run.len()).filter(|&i| weight[i] > 0.0).collect();
        // stable, so that the rows of a cluster stay in order
        order.sort_by_key(|&i| codes[i]);
        for members in order.chunk_by(|&i, &j| codes[i] == codes[j]) {
            let Some(code) = members.first().map(|&i| codes[i]) else { continue };
            let rows: Vec<usize> = members.iter().map(|&i| run.row(i)).collect();
            let coefficients: Vec<f64> = members.iter().map(|&i| a[i]).collect();
            let at = clusters.binary_search_by_key(&code, |cluster| cluster.code).unwrap_or_else(|at| {
                let score = Weighted::zero(self.rows.width(), true);
                clusters.insert(at, ClusterScore { code, score, response: [0.0; 2] });
                at
            });
            if self.response.is_some() {
                for &i in members {
                    let score = weight[i] * residual[i];
                    clusters[at].response[0] += score;
                    clusters[at].response[1] += score * value[i];
                }
            }
            let addition = weighted((&coefficients, &mut clusters[at].score));
            self.rows.add_rows(&Run::Picked(&rows), self.pivot(), &mut [addition]);
        }
    }

    /// Σ ω φ′ and Σ ω φ″·(x, 1).
    pub(super) fn add_mean_slope(&self, run: &Run<'_>, view: ScratchView<'_>, sums: &mut PartialSums) {
        let ScratchView { weight, z, columns: [value, derivative, second, ..], .. } = view;
        let activation = &self.prepared.frame.activation;
        activation.respond_with_derivative(z, value, derivative);
        activation.graduate_second_derivative(1.0, z, second);
        if let Some(ResponseAt { scale, .. }) = self.response {
            derivative.iter_mut().chain(second.iter_mut()).for_each(|derivative| *derivative *= scale);
        }
        // a row without weight contributes nothing, even if φ overflows there
        let weigh = |weight: f64, x: f64| if weight > 0.0 { weight * x } else { 0.0 };
        let slope = sum_of(weight, derivative, weigh);
        sums.numbers.iter_mut().for_each(|sum| *sum += slope);
        second.iter_mut().zip(weight).for_each(|(second, &weight)| *second = weigh(weight, *second));
        self.add(run, [(second, &mut sums.curvature)]);
    }
}
