//! Labels inside, at and beyond the activation's range.

use agglio::activation::{Preimages, named};
use agglio::rows::Dense;
use agglio::simulate::{LabelNoise, Shape};
use agglio::{Noise, Options, Solver, Start, Status};

use crate::bank::{self, Variant};

/// Rows of a sigmoid problem whose labels are spread over [−0.2, 1.3], 0 and 1 among them.
fn beyond() -> Dense {
    let data = bank::paper("sigmoid", 400, 3, LabelNoise::Post(0.1, Shape::Gauss), 21);
    let labels = data.labels.iter().enumerate().map(|(i, &y)| match i % 8 {
        0 => 0.0,
        1 => 1.0,
        2 => -0.2,
        3 => 1.3,
        _ => y,
    });
    Dense::new(data.values.clone(), 3, labels.collect()).unwrap()
}

#[test]
fn labels_at_and_beyond_the_range_are_fitted_as_they_are() {
    for variant in bank::variants() {
        let options = variant.options("sigmoid", Start::Zero, 0).intercept(true);
        let report = options.build().unwrap().fit(&beyond()).unwrap();
        assert_eq!(report.labels_without_preimage, 200 + beyond_by_noise(), "{variant:?}");
        // stationary for the user's own loss, not for a clipped one
        assert!(report.certificate.relative_gradient.is_some_and(|g| g < 2e-3), "{variant:?}");
    }
}

fn beyond_by_noise() -> usize {
    let data = bank::paper("sigmoid", 400, 3, LabelNoise::Post(0.1, Shape::Gauss), 21);
    let noisy = data.labels.iter().enumerate().filter(|(i, _)| i % 8 > 3);
    noisy.filter(|(_, y)| **y <= 0.0 || **y >= 1.0).count()
}

#[test]
fn pre_activation_noise_is_least_squares_on_the_preimages() {
    for activation in bank::monotone() {
        let data = bank::paper(activation, 1000, 10, LabelNoise::Pre(0.5, Shape::Gauss), 22);
        let phi = named(activation).unwrap();
        let preimages = data.labels.iter().map(|&y| match phi.preimages(y) {
            Preimages::One(z) => z,
            other => panic!("{activation}: {other:?}"),
        });
        let linear = Dense::new(data.values.clone(), 10, preimages.collect()).unwrap();
        let ordinary = Options::new(named("identity").unwrap()).solver(Solver::Gd).intercept(false).tolerance(1e-15);
        let ordinary = ordinary.build().unwrap().fit(&linear).unwrap();
        let variant = Variant { solver: Solver::Gd, batch: None };
        let options = variant.options(activation, Start::Random(None), 1).noise(Noise::Pre);
        let report = options.build().unwrap().fit(&bank::rows(&data)).unwrap();
        let difference = bank::largest_difference(&report.coefficients, &ordinary.coefficients);
        assert!(difference <= 1e-10, "{activation}: {difference:e}");
        assert_eq!((report.tau, report.noise, report.status()), (0.0, Noise::Pre, Status::Converged));
    }
}

#[test]
fn pre_activation_noise_refuses_labels_without_a_preimage() {
    for options in [
        Options::new(named("sigmoid").unwrap()).noise(Noise::Pre),
        Options::new(named("sigmoid").unwrap()).tau_max(0.0),
    ] {
        let error = options.build().unwrap().fit(&beyond()).unwrap_err().to_string();
        assert!(error.contains(&format!("{} of 400", 200 + beyond_by_noise())), "{error}");
    }
}

#[test]
fn a_cap_between_the_ends_is_where_the_fit_ends() {
    let data = bank::paper("sigmoid", 300, 3, LabelNoise::Pre(0.3, Shape::Gauss), 23);
    let options = Options::new(named("sigmoid").unwrap()).intercept(false).tau_max(0.4);
    let report = options.build().unwrap().fit(&bank::rows(&data)).unwrap();
    assert_eq!((report.tau, report.status()), (0.4, Status::Converged));
    // stationary at its own temperature, and so not at another
    assert_ne!(report.loss, report.path_loss);
}

#[test]
fn both_preimages_of_a_label_are_used_from_y_alone() {
    for activation in bank::nonmonotone() {
        let data = bank::paper(activation, 1000, 10, LabelNoise::None, 24);
        let report = Options::new(named(activation).unwrap()).intercept(false).build().unwrap();
        let report = report.fit(&bank::rows(&data)).unwrap();
        assert!(report.labels_with_two_preimages > 300, "{activation}: {}", report.labels_with_two_preimages);
        assert!(bank::distance(&report.coefficients, &data.truth) <= 1e-12);
        assert!(report.warnings(&[]).iter().any(|w| w.contains("two preimages")));
    }
}

#[test]
fn constant_labels_and_constant_columns_give_a_finite_model() {
    let data = bank::paper("sigmoid", 100, 2, LabelNoise::None, 25);
    let mut values = data.values.clone();
    values.chunks_mut(2).for_each(|x| x[1] = 7.0);
    for label in [0.0, 0.3, 1.0] {
        let rows = Dense::new(values.clone(), 2, vec![label; 100]).unwrap();
        for variant in bank::variants() {
            let options = variant.options("sigmoid", Start::Random(None), 0).intercept(true).epochs(300);
            let report = options.build().unwrap().fit(&rows).unwrap();
            assert_eq!(report.coefficients[1], 0.0, "{variant:?}");
            assert_eq!(report.dead_columns, [1]);
            assert!(report.coefficients[0].is_finite() && report.intercept.is_finite() && report.loss < 0.01);
        }
    }
}
