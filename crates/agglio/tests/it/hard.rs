//! Hard cases that were once wrong: each of these hung, diverged, or was called converged.

use agglio::activation::named;
use agglio::rows::{Dense, Scaling};
use agglio::simulate::{LabelNoise, Shape};
use agglio::{Options, Solver, Start, Status};

use crate::bank::{self, Variant};

/// The loss of exp falls for ever towards labels of zero, and a growing step must not grow out of the numbers.
#[test]
fn labels_of_zero_under_exp_come_to_an_end() {
    let rows = Dense::new(vec![1.0, 2.0, 3.0], 1, vec![0.0; 3]).unwrap();
    for solver in [Solver::Gd, Solver::Auto, Solver::Lm] {
        let report = Options::new(named("exp").unwrap()).solver(solver).build().unwrap().fit(&rows).unwrap();
        assert!(!report.certificate.certified(), "{solver}: {}", report.verdict());
        assert!(report.coefficients[0].is_finite() && report.intercept.is_finite());
    }
}

/// Half of the rows fitted and steep, the other half saturated at the wrong end: every gradient is small beside the
/// steep rows' norms, and the point is worse than no covariate at all.
#[test]
fn a_half_saturated_plateau_is_not_certified() {
    let x: Vec<f64> = (0..100).map(|i| f64::from(u8::from(i >= 50))).collect();
    let y: Vec<f64> = (0..100).map(|i| 0.3 + 0.05 * f64::from(i % 7 - 3) / 3.0).collect();
    let rows = Dense::new(x, 1, y).unwrap();
    for scaling in [Scaling::Standard, Scaling::None] {
        let start = Start::At { coefficients: vec![60.0], intercept: 0.0 };
        let options =
            Options::new(named("sigmoid").unwrap()).solver(Solver::Gd).tau0(1.0).start(start).scaling(scaling);
        let report = options.build().unwrap().fit(&rows).unwrap();
        assert_eq!(report.status(), Status::Plateau, "{scaling:?}: {}", report.verdict());
        let auto = Options::new(named("sigmoid").unwrap()).scaling(scaling).build().unwrap().fit(&rows).unwrap();
        assert!(auto.certificate.certified() && auto.loss < 0.01);
    }
}

/// With n = 51 and batches of 50 a last batch of one row would be far steeper than the step allows.
#[test]
fn rows_that_do_not_divide_into_batches_are_no_trouble() {
    for (activation, n) in ["identity", "sigmoid", "gelu"].iter().flat_map(|a| [51, 60, 201, 1001].map(|n| (*a, n))) {
        let data = bank::paper(activation, n, 5, LabelNoise::Post(0.05, Shape::Gauss), 7);
        let rows = bank::rows(&data);
        let best = Variant { solver: Solver::Lm, batch: None }.options(activation, Start::Zero, 0).build().unwrap();
        let best = best.fit(&rows).unwrap();
        for solver in [Solver::Svrg, Solver::Saga] {
            let report = Variant { solver, batch: None }.options(activation, Start::Zero, 0).build().unwrap();
            let report = report.fit(&rows).unwrap();
            let off = bank::largest_difference(&report.coefficients, &best.coefficients);
            assert!(off <= 1e-6, "{activation}, n = {n}, by {solver}: {off:e}, {}", report.verdict());
        }
    }
}

/// Columns with one common factor of mixed signs, which a power iteration from a fixed vector can miss for long.
#[test]
fn the_largest_curvature_is_found_whatever_the_signs() {
    for signs in 0..64_u32 {
        let data = bank::paper("identity", 400, 7, LabelNoise::Post(0.05, Shape::Gauss), 3);
        let sign = |j: usize| if signs >> j & 1 == 0 { 1.0 } else { -1.0 };
        let mixed =
            data.values.chunks(7).flat_map(|x| (0..6).map(move |j| x[j] + sign(j) * 0.7 * x[6]).collect::<Vec<_>>());
        let rows = Dense::new(mixed.collect(), 6, data.labels.clone()).unwrap();
        for solver in [Solver::Gd, Solver::Nesterov, Solver::Momentum] {
            let report = Options::new(named("identity").unwrap()).solver(solver).intercept(false).build().unwrap();
            let report = report.fit(&rows).unwrap();
            assert_eq!(report.status(), Status::Converged, "signs {signs:b} by {solver}: {}", report.verdict());
        }
    }
}

/// At the surface of the ball only the part of the gradient along it must vanish.
#[test]
fn an_active_ball_is_an_optimum_too() {
    let data = bank::paper("softplus", 300, 4, LabelNoise::Post(0.05, Shape::Gauss), 5);
    let options = Options::new(named("softplus").unwrap()).solver(Solver::Gd).scaling(Scaling::None).radius(0.5);
    let report = options.build().unwrap().fit(&bank::rows(&data)).unwrap();
    assert_eq!(report.status(), Status::Converged, "{}", report.verdict());
    let norm = report.coefficients.iter().map(|w| w * w).sum::<f64>().sqrt();
    assert!((norm - 0.5).abs() <= 1e-9);
}

/// A row of weight zero may hold anything.
#[test]
fn rows_without_weight_have_no_say() {
    let data = bank::paper("exp", 60, 2, LabelNoise::Post(0.05, Shape::Gauss), 6);
    let plain = Options::new(named("exp").unwrap()).build().unwrap().fit(&bank::rows(&data)).unwrap();
    let values = data.values.iter().copied().chain([3000.0, 3000.0]).collect();
    let labels = data.labels.iter().copied().chain([-1e9]).collect();
    let weights = (0..61).map(|i| f64::from(u8::from(i < 60))).collect();
    let rows = Dense::new(values, 2, labels).unwrap().with_weights(weights).unwrap();
    let report = Options::new(named("exp").unwrap()).build().unwrap().fit(&rows).unwrap();
    assert!(bank::largest_difference(&report.coefficients, &plain.coefficients) <= 1e-8, "{}", report.verdict());
    assert_eq!(report.labels_outside, plain.labels_outside);
}

/// A column whose squares underflow has a gradient all the same.
#[test]
fn a_column_that_underflows_does_not_count_as_converged() {
    let data = bank::paper("sigmoid", 200, 2, LabelNoise::Post(0.05, Shape::Gauss), 4);
    let tiny = data.values.chunks(2).flat_map(|x| [x[0], 1e-200 * x[1]]).collect();
    let rows = Dense::new(tiny, 2, data.labels.clone()).unwrap();
    let options = Options::new(named("sigmoid").unwrap()).solver(Solver::Gd).intercept(false).scaling(Scaling::None);
    let report = options.build().unwrap().fit(&rows).unwrap();
    assert!(!report.certificate.certified(), "{}", report.verdict());
}

/// Steps of a fixed size would need millions of them to labels of this size.
#[test]
fn labels_of_any_size_are_reached_by_adaptive_steps() {
    let mut data = bank::paper("identity", 200, 3, LabelNoise::Post(0.05, Shape::Gauss), 9);
    data.labels.iter_mut().for_each(|y| *y = 1e6 * *y + 3e6);
    let rows = bank::rows(&data);
    let best = Options::new(named("identity").unwrap()).build().unwrap().fit(&rows).unwrap();
    for solver in [Solver::Adam, Solver::Yogi] {
        let report = Options::new(named("identity").unwrap()).solver(solver).build().unwrap().fit(&rows).unwrap();
        assert!(report.loss <= best.loss * (1.0 + 1e-3), "{solver}: {} {}", report.loss, best.loss);
    }
}

/// Labels in the dip of SiLU and GELU have two preimages each, and the nearer ones may be the wrong ones for good. With a
/// second start from the mixture over both, all of these 40 problems are solved; without it 29 are.
#[test]
fn problems_in_the_dip_are_solved() {
    let mut solved = 0;
    for (activation, seed) in ["silu", "gelu"].iter().flat_map(|a| (0..20).map(move |s| (*a, s))) {
        let phi = named(activation).unwrap();
        let data = bank::paper("identity", 60, 3, LabelNoise::None, seed);
        let noise = bank::paper("identity", 60, 1, LabelNoise::None, seed + 100).values;
        let z = data.labels.iter().map(|z| z - 1.2);
        let labels = z.zip(&noise).map(|(z, e)| phi.value(z) + 0.001 * e).collect();
        let rows = Dense::new(data.values.clone(), 3, labels).unwrap();
        let truth = Start::At { coefficients: data.truth.clone(), intercept: -1.2 };
        let best = Options::new(phi.clone()).solver(Solver::Lm).start(truth).build().unwrap().fit(&rows).unwrap();
        let report = Options::new(phi).noise(agglio::Noise::Post).build().unwrap().fit(&rows).unwrap();
        solved += u32::from(report.loss <= best.loss * (1.0 + 1e-6));
    }
    assert!(solved >= 38, "{solved} of 40");
}
