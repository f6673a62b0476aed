//! Laws that a fit obeys whatever the data: units, order of columns, repetition of rows.

use agglio::activation::named;
use agglio::rows::Dense;
use agglio::simulate::{LabelNoise, Shape};
use agglio::{Options, Report, Solver};
use proptest::prelude::*;

use crate::bank;

fn fit(rows: &Dense, activation: &str, solver: Solver) -> Report {
    Options::new(named(activation).unwrap()).solver(solver).build().unwrap().fit(rows).unwrap().into_report()
}

fn close(found: &[f64], expected: &[f64]) -> bool {
    found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1e-8 * (1.0 + b.abs()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// x_j ↦ s·x_j + c gives w_j/s and moves the intercept by −c·w_j/s.
    #[test]
    fn units_do_not_matter(seed in 0u64..1000, which in 0usize..3, exponent in -6.0..6.0f64, shift in -5.0..5.0f64) {
        let data = bank::paper("softplus", 200, 3, LabelNoise::Post(0.1, Shape::Gauss), seed);
        let scale = 10f64.powf(exponent);
        let mut values = data.values.clone();
        values.chunks_mut(3).for_each(|x| x[which] = scale * (x[which] + shift));
        let moved = Dense::new(values, 3, data.labels.clone()).unwrap();
        for solver in bank::exact("softplus") {
            let (plain, moved) = (fit(&bank::rows(&data), "softplus", solver), fit(&moved, "softplus", solver));
            let mut expected = plain.coefficients.clone();
            let intercept = plain.intercept - shift * expected[which];
            expected[which] /= scale;
            let back: Vec<f64> = moved.coefficients.iter().enumerate().map(|(j, w)| if j == which { w * scale } else { *w }).collect();
            prop_assert!(close(&back, &plain.coefficients), "{solver}: {:?} {:?}", moved.coefficients, expected);
            prop_assert!(close(&[moved.intercept], &[intercept]), "{solver}: {} {}", moved.intercept, intercept);
        }
    }

    /// The order of the columns is the order of the coefficients, nothing more.
    #[test]
    fn the_order_of_columns_does_not_matter(seed in 0u64..1000, turn in 1usize..4) {
        let data = bank::paper("sigmoid", 200, 4, LabelNoise::Post(0.05, Shape::Gauss), seed);
        let mut values = data.values.clone();
        values.chunks_mut(4).for_each(|x| x.rotate_left(turn));
        let turned = Dense::new(values, 4, data.labels.clone()).unwrap();
        for solver in bank::exact("sigmoid") {
            let mut expected = fit(&bank::rows(&data), "sigmoid", solver).coefficients;
            expected.rotate_left(turn);
            let found = fit(&turned, "sigmoid", solver).coefficients;
            prop_assert!(close(&found, &expected), "{solver}: {found:?} {expected:?}");
        }
    }

    /// A row of weight k is k rows.
    #[test]
    fn weights_are_repeated_rows(counts in prop::collection::vec(1usize..4, 60), seed in 0u64..1000) {
        let data = bank::paper("silu", 60, 2, LabelNoise::Post(0.05, Shape::Gauss), seed);
        let each: Vec<usize> = counts.iter().enumerate().flat_map(|(i, &c)| std::iter::repeat_n(i, c)).collect();
        let values = each.iter().flat_map(|&i| data.values[2 * i..2 * i + 2].to_vec()).collect();
        let repeated = Dense::new(values, 2, each.iter().map(|&i| data.labels[i]).collect()).unwrap();
        let weighted = bank::rows(&data).with_weights(counts.iter().map(|&c| c as f64).collect()).unwrap();
        for solver in bank::exact("silu") {
            let (a, b) = (fit(&weighted, "silu", solver), fit(&repeated, "silu", solver));
            prop_assert!(close(&a.coefficients, &b.coefficients) && close(&[a.loss], &[b.loss]), "{solver}");
        }
    }
}
