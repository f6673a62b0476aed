//! Laws of the sums behind standard errors: bread, meat, scores of clusters and the mean slope.

use super::super::Verdict;
use super::super::numbers::{differentiate, size};
use super::{Outcome, SMOOTH, ask, at, cases, direction, gradient_of, matrix_of, points, same, slack, weightings};
use crate::Symmetric;
use crate::oracle::{Ask, Batch, Hessian, MeanSlope, Meat, Memory, Objective, Oracle, Query, Want, Weighting};

/// Rows that are asked one by one.
const FEW: usize = 12;

fn meat_of(oracle: &dyn Oracle, batch: Batch, theta: &[f64], tau: f64, weighting: Weighting<'_>) -> Outcome<Meat> {
    let query = Query::new(batch, Ask::Meat { theta: theta.into(), tau, weighting }).with_labels(SMOOTH);
    ask(oracle, &query)?.meat().map_err(|error| error.to_string())
}

fn entries(matrix: &Symmetric) -> Vec<f64> {
    let order = matrix.order();
    (0..order).flat_map(|i| (0..=i).map(move |j| matrix.at(i, j))).collect()
}

/// Gradients of the rows of a batch, without a penalty.
fn score(oracle: &dyn Oracle, batch: Batch, theta: &[f64], tau: f64) -> Outcome<Vec<f64>> {
    let query = Query::at(theta, tau, batch, Want::Gradient).with_labels(SMOOTH).remembering(Memory::Renew);
    Ok(gradient_of(oracle, &query)?.gradient.iter().map(|g| 0.5 * g).collect())
}

fn outer(v: &[f64], scale: f64) -> Vec<f64> {
    (0..v.len()).flat_map(|i| (0..=i).map(move |j| scale * v[i] * v[j])).collect()
}

pub(super) fn meat(oracle: &dyn Oracle) -> Verdict {
    if oracle.is_wide() {
        return Ok(());
    }
    let count = oracle.rows().min(FEW);
    let part = |start: usize, len: usize| Batch::Part { key: 4, start, len };
    for (theta, tau) in cases(oracle) {
        let case = |what: String| at(&theta, tau) + &what;
        let plain = meat_of(oracle, Batch::All, &theta, tau, Weighting::Plain)?;
        let Some(bread) = &plain.bread else { return Err(case("there is no bread.".into())) };
        let curvature = matrix_of(oracle, &theta, tau, Hessian::GaussNewton)?;
        let penalty = |j: usize| if j < oracle.facts().layout.coefficients { oracle.facts().l2 } else { 0.0 };
        let half = (0..oracle.dim()).flat_map(|i| (0..=i).map(move |j| (i, j)));
        let half = half.map(|(i, j)| 0.5 * curvature.at(i, j) - if i == j { penalty(i) } else { 0.0 });
        let expected: Vec<f64> = half.collect();
        let scale = 1e-10 * (size(&expected) + oracle.facts().l2) + f64::MIN_POSITIVE;
        same("bread", &entries(bread), &expected, scale).map_err(case)?;
        for weighting in weightings(oracle).into_iter().filter(|weighting| *weighting != Weighting::Clusters) {
            let (mut sum, mut largest) = (vec![0.0; expected.len()], 0.0_f64);
            for row in 0..count {
                let own = meat_of(oracle, part(row, 1), &theta, tau, Weighting::Plain)?;
                let (root_sum, power) = match &weighting {
                    Weighting::Leverage { roots, power } => {
                        let length = |u: &Vec<f64>| own.bread.as_ref().map_or(f64::NAN, |b| dot(&b.times(u), u));
                        (roots.iter().map(length).sum::<f64>(), *power)
                    }
                    _ => (0.0, 0),
                };
                largest = largest.max(root_sum);
                let share = (1.0 - root_sum).powi(power) * count as f64;
                let squares = outer(&score(oracle, part(row, 1), &theta, tau)?, 1.0 / share);
                sum.iter_mut().zip(squares).for_each(|(sum, square)| *sum += square);
            }
            let found = meat_of(oracle, part(0, count), &theta, tau, weighting.clone())?;
            same("meat", &entries(&found.matrix), &sum, 1e-9 * size(&sum) + f64::MIN_POSITIVE).map_err(case)?;
            same("largest leverage", &[found.largest_leverage], &[largest], 1e-9).map_err(case)?;
        }
    }
    Ok(())
}

pub(super) fn clusters(oracle: &dyn Oracle) -> Verdict {
    if oracle.is_wide() {
        return Ok(());
    }
    for (theta, tau) in cases(oracle) {
        let case = |what: String| at(&theta, tau) + &what;
        let found = meat_of(oracle, Batch::All, &theta, tau, Weighting::Clusters)?;
        if found.clusters == 0 || found.clusters > oracle.rows() {
            return Err(case(format!("{} rows have {} clusters.", oracle.rows(), found.clusters)));
        }
        let all = outer(&score(oracle, Batch::All, &theta, tau)?, oracle.rows() as f64);
        let scale = 1e-9 * size(&entries(&found.matrix)) + 1e-9 * size(&all) + f64::MIN_POSITIVE;
        // rows without clusters are one cluster
        if !oracle.facts().has_clusters {
            same("meat of one cluster", &entries(&found.matrix), &all, scale).map_err(case)?;
        }
        // a row alone is a cluster
        let one = Batch::Part { key: 4, start: 0, len: 1 };
        let [own, plain] =
            [Weighting::Clusters, Weighting::Plain].map(|weighting| meat_of(oracle, one, &theta, tau, weighting));
        let (own, plain) = (entries(&own?.matrix), entries(&plain?.matrix));
        same("meat of one row", &own, &plain, 1e-9 * size(&plain) + f64::MIN_POSITIVE).map_err(case)?;
    }
    Ok(())
}

pub(super) fn mean_slope(oracle: &dyn Oracle) -> Verdict {
    let slope = |theta: &[f64]| -> Outcome<MeanSlope> {
        let query = Query::new(Batch::All, Ask::MeanSlope { theta: theta.into() });
        ask(oracle, &query)?.mean_slope().map_err(|error| error.to_string())
    };
    let along = direction(oracle);
    for theta in points(oracle) {
        let case = |what: String| at(&theta, 1.0) + &what;
        let here = slope(&theta)?;
        let moved = |h: f64| -> Outcome<Vec<f64>> {
            let theta: Vec<f64> = theta.iter().zip(&along).map(|(theta, v)| theta + h * v).collect();
            Ok(vec![slope(&theta)?.value])
        };
        let expected: f64 = here.gradient.iter().zip(&along).map(|(g, v)| g * v).sum();
        for estimate in differentiate(moved, 0.0625, &[here.value.abs() + 1e-3])? {
            if !estimate.agrees(expected) {
                return Err(case(format!(
                    "its derivative is {expected:e}, and differences give {:e}.",
                    estimate.value
                )));
            }
        }
        if oracle.facts().layout.intercept {
            let mut constant = oracle.facts().layout.constant(1.0);
            let want = Want::CurvatureTimes(Hessian::Full, constant.clone().into());
            let query = Query::at(&theta, 1.0, Batch::All, want).of(Objective::Matching);
            let product = ask(oracle, &query)?.product().map_err(|error| error.to_string())?;
            constant.iter_mut().zip(&product).for_each(|(one, product)| *one *= 0.5 * product);
            let found: f64 = constant.iter().sum();
            same("mean slope", &[here.value], &[found], slack(&[found, 1.0])).map_err(case)?;
        }
    }
    Ok(())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
