//! The same seed gives the same bits, whatever the number of threads.

use agglio::math::rng::{Permutation, Random, Stream};
use agglio::simulate::{LabelNoise, Shape};
use agglio::{Solver, Start};

use crate::bank::{self, Variant};

#[test]
fn every_variant_has_the_same_bits_for_any_number_of_threads() {
    // every label has a preimage, which two solvers ask for
    let data = bank::paper("sigmoid", 20_000, 10, LabelNoise::Post(0.05, Shape::Truncated), 1);
    let rows = bank::rows(&data);
    for variant in bank::all_variants() {
        let fits = [1, 2, 3, 8].map(|threads| {
            let options = variant.limited("sigmoid", Start::Random(None), 5, 12).threads(threads);
            let report = options.build().unwrap().fit(&rows).unwrap();
            (report.coefficients.iter().map(|w| w.to_bits()).collect::<Vec<_>>(), report.loss.to_bits(), report.passes)
        });
        for fit in &fits[1..] {
            assert_eq!(*fit, fits[0], "{variant:?}");
        }
    }
}

#[test]
fn a_seed_changes_what_is_drawn_and_nothing_else() {
    let data = bank::paper("softplus", 300, 5, LabelNoise::Post(0.05, Shape::Gauss), 2);
    let rows = bank::rows(&data);
    for solver in Solver::paper() {
        let fits = [1, 2].map(|seed| {
            let options = Variant { solver, batch: None }.options("softplus", Start::Zero, seed).epochs(20);
            options.build().unwrap().fit(&rows).unwrap().into_report().coefficients
        });
        assert_eq!(fits[0] != fits[1], solver.uses_batches(), "{solver}");
        let starts = [1, 2].map(|seed| {
            let options = Variant { solver, batch: None }.options("softplus", Start::Random(None), seed).epochs(1);
            options.build().unwrap().fit(&rows).unwrap().into_report().coefficients
        });
        assert_ne!(starts[0], starts[1], "{solver}");
    }
}

#[test]
fn keyed_permutations_are_permutations() {
    for len in [1, 2, 3, 7, 64, 65, 1000, 4097] {
        for key in [0, 1, u64::MAX] {
            let mut seen = vec![false; len];
            let permutation = Permutation::new(key, len);
            (0..len).for_each(|i| seen[permutation.at(i)] = true);
            assert!(seen.iter().all(|&s| s), "{len} by {key}");
        }
    }
    let orders = [3, 4].map(|key| (0..50).map(|i| Permutation::new(key, 50).at(i)).collect::<Vec<_>>());
    assert_ne!(orders[0], orders[1]);
}

#[test]
fn positions_of_a_permutation_are_spread_evenly() {
    // over 4000 keys each of 10 values should come first 400 times; a deviation of 5 sigma is 95
    let mut counts = [0_i32; 10];
    (0..4000).for_each(|key| counts[Permutation::new(agglio::math::rng::derive_key(9, key), 10).at(0)] += 1);
    assert!(counts.iter().all(|c| (c - 400).abs() < 95), "{counts:?}");
}

/// These numbers are a promise to users: data simulated by a seed never changes.
#[test]
fn streams_never_change() {
    let mut random = Random::new(42, Stream::Covariates);
    let golden = include_str!("golden/random.txt").lines().map(|line| line.parse::<f64>().unwrap());
    for golden in golden {
        assert_eq!(random.normal(), golden);
    }
}

#[test]
fn draws_have_the_moments_of_their_distributions() {
    let n = 100_000;
    let mut random = Random::new(1, Stream::Noise);
    let normal: Vec<f64> = (0..n).map(|_| random.normal()).collect();
    let moment = |k: i32| normal.iter().map(|x| x.powi(k)).sum::<f64>() / n as f64;
    // 5 standard errors each
    assert!(moment(1).abs() < 0.016 && (moment(2) - 1.0).abs() < 0.023 && (moment(4) - 3.0).abs() < 0.16);
    let uniform: f64 = (0..n).map(|_| random.uniform()).sum::<f64>() / n as f64;
    assert!((uniform - 0.5).abs() < 0.005);
}
