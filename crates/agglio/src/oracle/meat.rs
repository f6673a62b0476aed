//! The *meat* of a sandwich covariance is the sum of the outer products of scores, in which residuals are squared.

use std::borrow::Cow;

use crate::math::linalg::Symmetric;
use crate::math::vector::sum_of;
use crate::oracle::loss::Objective;
use crate::oracle::partial_sums::{ClusterScore, PartialSums, Weighted};
use crate::oracle::query::{At, Memory, Want, Weighting};
use crate::oracle::row_pass::{RowPass, weighted};
use crate::oracle::scratch::ScratchView;
use crate::rows::Run;

/// The sums over no rows.
pub(super) fn no_rows_of_meat(weighting: &Weighting<'_>, width: usize) -> PartialSums {
    let bread = !matches!(weighting, Weighting::Leverage { .. });
    let meat = !matches!(weighting, Weighting::Clusters);
    PartialSums {
        curvature: Weighted::zero(width, bread),
        products: bread.then(|| Symmetric::zero(width)),
        meat: Weighted::zero(width, meat),
        meat_products: meat.then(|| Symmetric::zero(width)),
        ..PartialSums::default()
    }
}

/// Writes c, where c_i·(x_i, 1) is row i of J = ∂φ̂_τ(z)/∂θ. Bread, scores, leverages and meat are all formed from it, so
/// further columns of J belong here.
fn jacobian(derivative: &[f64], c: &mut [f64]) {
    c.copy_from_slice(derivative);
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
        let ScratchView { weight, offset: _, z, columns: [label, residual, derivative, c, b, a, h], products } = view;
        let (objective, memory) = (Objective::Squares, Memory::Unused);
        let at = At { theta: Cow::Borrowed(&[]), tau, want: Want::Gradient, objective, memory };
        let largest = sums.largest;
        self.compare(&at, run, [weight, z], [label, residual, derivative], [c, b, a], sums);
        // of leverages alone
        sums.largest = largest;
        jacobian(derivative, c);
        objective.weigh_curvature(weight, c, b);
        objective.weigh_gradient(weight, residual, c, a);
        if let Some(matrix) = &mut sums.products {
            self.rows.add_products(run, self.pivot(), b, matrix.lower_mut(), products);
            self.add(run, [(b, &mut sums.curvature)]);
        }
        if *weighting == Weighting::Clusters {
            return self.add_clusters(run, weight, a, &mut sums.clusters);
        }
        if let Weighting::Leverage { power, .. } = weighting {
            sums.largest = largest.max(self.leverages(run, b, z, h));
            // a row of leverage one has no residual of its own; its share must be finite
            let left = |h: f64| (1.0 - h).max(f64::EPSILON);
            a.iter_mut().zip(&*h).for_each(|(a, &h)| *a /= left(h).powi(*power).sqrt());
        }
        a.iter_mut().for_each(|a| *a *= *a);
        if let Some(matrix) = &mut sums.meat_products {
            self.rows.add_products(run, self.pivot(), a, matrix.lower_mut(), products);
            self.add(run, [(a, &mut sums.meat)]);
        }
    }

    /// Writes the leverages h = b/ω̄·Σ (u·(x, 1))² of the roots u, with weights ω̄ of mean one in the bread. Returns the
    /// largest.
    fn leverages(&self, run: &Run<'_>, b: &[f64], z: &mut [f64], h: &mut [f64]) -> f64 {
        h.fill(0.0);
        for root in &self.others {
            self.rows.dots(run, self.pivot(), &root.v, z);
            h.iter_mut().zip(&*z).for_each(|(h, z)| *h += (z + root.constant) * (z + root.constant));
        }
        let mean_weight = self.prepared.frame.mean_weight;
        h.iter_mut().zip(b).for_each(|(h, b)| *h *= b / mean_weight);
        h.iter().fold(0.0, |most: f64, h| most.max(*h))
    }

    /// Adds the gradients of the rows to the scores of their clusters. Rows without weight belong to no cluster.
    fn add_clusters(&self, run: &Run<'_>, weight: &[f64], a: &[f64], clusters: &mut Vec<ClusterScore>) {
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
                clusters.insert(at, ClusterScore { code, score: Weighted::zero(self.rows.width(), true) });
                at
            });
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
        // a row without weight contributes nothing, even if φ overflows there
        let weigh = |weight: f64, x: f64| if weight > 0.0 { weight * x } else { 0.0 };
        let slope = sum_of(weight, derivative, weigh);
        sums.numbers.iter_mut().for_each(|sum| *sum += slope);
        second.iter_mut().zip(weight).for_each(|(second, &weight)| *second = weigh(weight, *second));
        self.add(run, [(second, &mut sums.curvature)]);
    }
}
