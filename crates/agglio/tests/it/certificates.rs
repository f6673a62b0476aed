//! What a certificate says about the curvature, held to a Hessian that is made here, and about points that are no minima.

use agglio::activation::{Activation, named};
use agglio::rows::Dense;
use agglio::simulate::{LabelNoise, Shape, Simulated};
use agglio::{Noise, Options, Report, Solver};

use crate::bank;

/// Columns of mean zero and mean square one, and ones for the intercept.
fn standardised(data: &Simulated) -> Vec<Vec<f64>> {
    let (width, n) = (data.truth.len(), data.labels.len() as f64);
    let column = |j: usize| data.values.iter().skip(j).step_by(width).copied().collect::<Vec<f64>>();
    let standard = |x: Vec<f64>| {
        let mean = x.iter().sum::<f64>() / n;
        let deviation = (x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n).sqrt();
        x.iter().map(|x| (x - mean) / deviation).collect()
    };
    (0..width).map(|j| standard(column(j))).chain([vec![1.0; data.labels.len()]]).collect()
}

/// Σ_i (φ′² + r·φ″)·x_i x_iᵀ where a fit ended.
fn hessian(data: &Simulated, phi: &dyn Activation, report: &Report) -> Vec<Vec<f64>> {
    let rows = data.values.chunks(data.truth.len());
    let z = rows.map(|x| report.intercept + x.iter().zip(&report.coefficients).map(|(x, w)| x * w).sum::<f64>());
    let bend = |z: f64| (phi.derivative(z + 1e-5) - phi.derivative(z - 1e-5)) / 2e-5;
    let own = |(z, y): (f64, &f64)| phi.derivative(z).powi(2) + (phi.value(z) - y) * bend(z);
    let weights: Vec<f64> = z.zip(&data.labels).map(own).collect();
    let columns = standardised(data);
    let product =
        |a: &[f64], b: &[f64]| a.iter().zip(b).zip(&weights).map(|((a, b), weight)| a * b * weight).sum::<f64>();
    columns.iter().map(|a| columns.iter().map(|b| product(a, b)).collect()).collect()
}

/// Eigenvalues by Jacobi's rotations, in rising order.
fn eigenvalues(mut a: Vec<Vec<f64>>) -> Vec<f64> {
    let n = a.len();
    for _ in 0..30 {
        for (p, q) in (0..n).flat_map(|p| (p + 1..n).map(move |q| (p, q))) {
            let angle = 0.5 * (2.0 * a[p][q]).atan2(a[q][q] - a[p][p]);
            let (sine, cosine) = angle.sin_cos();
            for row in &mut a {
                (row[p], row[q]) = (cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]);
            }
            let (of_p, of_q) = (a[p].clone(), a[q].clone());
            for k in 0..n {
                (a[p][k], a[q][k]) = (cosine * of_p[k] - sine * of_q[k], sine * of_p[k] + cosine * of_q[k]);
            }
        }
    }
    let mut values: Vec<f64> = (0..n).map(|k| a[k][k]).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Noise so large that the residuals bend the Hessian, on fewer columns and on more than those whose curvature is kept.
#[test]
fn the_least_curvature_is_that_of_the_full_hessian() {
    for (activation, noise) in [("sigmoid", 0.3), ("softplus", 1.0), ("tanh", 0.5), ("silu", 1.0)] {
        for (rows, width) in [(100, 20), (120, 40), (300, 50)] {
            let data = bank::paper(activation, rows, width, LabelNoise::Post(noise, Shape::Gauss), 5);
            let phi = named(activation).unwrap();
            for solver in [Solver::Auto, Solver::Lm] {
                let options = Options::new(phi.clone()).solver(solver).noise(Noise::Post);
                let report = options.build().unwrap().fit(&bank::rows(&data)).unwrap();
                let values = eigenvalues(hessian(&data, phi.as_ref(), &report));
                let expected = values[0] / values[width].abs().max(values[0].abs());
                let told = report.certificate.smallest_eigenvalue.unwrap();
                let what = format!("{activation} {rows}x{width} by {solver}: {told:e} instead of {expected:e}");
                assert!((told - expected).abs() <= 1e-4 * expected.abs() + 1e-9, "{what}");
            }
        }
    }
}

/// Rows and their mirror images with the same labels: without an intercept w = 0 is stationary, and for a curve that
/// bends upwards and labels above it, it is a maximum.
#[test]
fn a_maximum_is_not_certified() {
    let mut maxima = 0;
    for width in [1, 5, 40] {
        let half = bank::paper("softplus", 60, width, LabelNoise::None, 2).values;
        let values: Vec<f64> = half.iter().copied().chain(half.iter().map(|x| -x)).collect();
        let rows = Dense::new(values, width, vec![9.0; 120]).unwrap();
        for solver in [Solver::Auto, Solver::Lm, Solver::Newton, Solver::Gd] {
            let options = Options::new(named("softplus").unwrap()).intercept(false).solver(solver);
            let report = options.noise(Noise::Post).build().unwrap().fit(&rows).unwrap();
            let away = bank::distance(&report.coefficients, &vec![0.0; width]);
            let at_zero = away < 1e-9;
            assert!(!(at_zero && report.certificate.certified()), "{width} by {solver}: {}", report.verdict());
            if at_zero {
                assert!(report.certificate.smallest_eigenvalue.unwrap() < 0.0, "{width} by {solver}");
                maxima += 1;
            }
        }
    }
    assert!(maxima > 0, "no solver has ended at the maximum, so that nothing was tried");
}

/// Rows that count for nothing, or next to nothing, are far away and come first.
#[test]
fn distant_rows_without_weight_change_nothing() {
    let data = bank::paper("sigmoid", 3000, 2, LabelNoise::Post(0.05, Shape::Gauss), 4);
    let plan = Options::new(named("sigmoid").unwrap()).noise(Noise::Post).build().unwrap();
    let plain = plan.fit(&bank::rows(&data)).unwrap();
    for (distance, weight) in [(1e9, 0.0), (1e9, 1e-30), (1e12, 0.0)] {
        let values = [vec![distance; 2 * 1024], data.values.clone()].concat();
        let labels = [vec![0.5; 1024], data.labels.clone()].concat();
        let weights = [vec![weight; 1024], vec![1.0; 3000]].concat();
        let rows = Dense::new(values, 2, labels).unwrap().with_weights(weights).unwrap();
        let report = plan.fit(&rows).unwrap();
        let off = bank::largest_difference(&report.coefficients, &plain.coefficients);
        assert!(off <= 1e-6 && report.certificate.certified(), "{distance:e}, {weight:e}: {off:e}");
    }
}

/// Ten rows of a hundred thousand, which a sample may miss, tell what a category is worth.
#[test]
fn a_rare_category_is_identified() {
    let rare = |i: usize| f64::from(u8::from(i < 10));
    let common = |i: usize| (i * 7919 % 1000) as f64 / 500.0 - 1.0;
    for activation in ["identity", "sigmoid", "tanh", "softplus", "silu"] {
        let phi = named(activation).unwrap();
        let noise = |i: usize| 0.02 * ((i * 31 % 7) as f64 - 3.0) / 3.0;
        let values = (0..100_000).flat_map(|i| [common(i), rare(i)]).collect();
        let labels = (0..100_000).map(|i| phi.value(0.5 * common(i) + 1.5 * rare(i) + 0.2) + noise(i)).collect();
        let report = Options::new(phi).build().unwrap().fit(&Dense::new(values, 2, labels).unwrap()).unwrap();
        let (found, certified) = (report.coefficients[1], report.certificate.certified());
        assert!((found - 1.5).abs() <= 0.15 && certified, "{activation}: {found}, {}", report.verdict());
    }
}

/// The same beside so many columns that the curvature of a sample, which has not seen the category, leads the first step.
#[test]
fn a_rare_category_is_identified_beside_many_columns() {
    for activation in ["sigmoid", "softplus", "silu"] {
        let phi = named(activation).unwrap();
        let mut data = bank::paper(activation, 60_000, 40, LabelNoise::None, 3);
        for (i, x) in data.values.chunks_mut(40).enumerate() {
            x[39] = f64::from(u8::from(i < 5));
            let z: f64 = x[..39].iter().zip(&data.truth).map(|(x, w)| x * w).sum();
            data.labels[i] = phi.value(z + 1.5 * x[39]) + 0.02 * ((i * 31 % 7) as f64 - 3.0) / 3.0;
        }
        let report = Options::new(phi).build().unwrap().fit(&bank::rows(&data)).unwrap();
        let (found, certified) = (report.coefficients[39], report.certificate.certified());
        assert!((found - 1.5).abs() <= 0.15 && certified, "{activation}: {found}, {}", report.verdict());
    }
}

/// A sample of these rows would hold one or two that count.
#[test]
fn many_rows_without_weight_change_nothing() {
    for activation in ["identity", "sigmoid", "tanh", "gelu"] {
        let data = bank::paper(activation, 40, 2, LabelNoise::Post(0.05, Shape::Gauss), 5);
        let plan = Options::new(named(activation).unwrap()).noise(Noise::Post).build().unwrap();
        let plain = plan.fit(&bank::rows(&data)).unwrap();
        for (more, weight) in [(10_000, 0.0), (10_000, 1e-20), (100_000, 0.0)] {
            let values = [data.values.clone(), [7.0, -3.0].repeat(more)].concat();
            let labels = [data.labels.clone(), vec![0.5; more]].concat();
            let weights = [vec![1.0; 40], vec![weight; more]].concat();
            let report = plan.fit(&Dense::new(values, 2, labels).unwrap().with_weights(weights).unwrap()).unwrap();
            let off = bank::largest_difference(&report.coefficients, &plain.coefficients);
            assert!(off <= 1e-6, "{activation}, {more} rows of weight {weight:e}: {off:e}");
            assert_eq!(report.certificate.certified(), plain.certificate.certified(), "{activation}, {more}");
        }
    }
}
