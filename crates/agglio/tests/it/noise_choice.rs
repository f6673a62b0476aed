//! Where the noise is taken to be: after φ unless the user leaves the choice to the data, and then by a strict rule.

use agglio::activation::{NAMES, Preimages, named};
use agglio::math::rng::{Random, Stream};
use agglio::rows::Dense;
use agglio::simulate::{LabelNoise, Shape};
use agglio::{Noise, Objection, Options, Report, Restarts, Solver, Status};

use crate::bank;

fn fit(activation: &str, noise: Noise, rows: &Dense) -> Report {
    Options::new(named(activation).unwrap()).noise(noise).build().unwrap().fit(rows).unwrap().into_report()
}

/// The default ends after φ for every solver, and is the same fit as where `post` is asked for.
#[test]
fn noise_after_the_activation_is_the_default_of_every_solver() {
    let rows = bank::rows(&bank::paper("sigmoid", 300, 3, LabelNoise::Pre(1.0, Shape::Gauss), 3));
    for solver in Solver::ALL.into_iter().filter(|solver| *solver != Solver::Linear) {
        let options = Options::new(named("sigmoid").unwrap()).solver(solver).epochs(50);
        // which is for models without an intercept, and of bounded length
        let options = if solver == Solver::Theory { options.intercept(false).radius(1.0) } else { options };
        let [default, told] =
            [options.clone(), options.noise(Noise::Post)].map(|o| o.build().unwrap().fit(&rows).unwrap());
        assert_eq!(default.noise, Noise::Post, "{solver}");
        assert_eq!(
            (&default.coefficients, default.intercept, default.passes, default.likelier),
            (&told.coefficients, told.intercept, told.passes, told.likelier),
            "{solver}"
        );
        let compared = (solver == Solver::Auto).then_some(Noise::Pre);
        assert_eq!((default.likelier, default.log_likelihoods.is_some()), (compared, compared.is_some()), "{solver}");
    }
}

/// Nobody compares where the user says where to end, or where the two fits shrink by different amounts.
#[test]
fn there_is_no_comparison_where_there_is_nothing_to_compare() {
    let rows = bank::rows(&bank::paper("sigmoid", 300, 3, LabelNoise::Pre(1.0, Shape::Gauss), 3));
    let options = || Options::new(named("sigmoid").unwrap());
    for options in [options().noise(Noise::Pre), options().tau_max(1.0), options().l2(1e-3), options().radius(0.5)] {
        let report = options.build().unwrap().fit(&rows).unwrap();
        assert_eq!((report.likelier, report.objection, report.log_likelihoods), (None, None, None));
    }
    // restarts do not keep the two from being compared
    let report = options().restarts(Restarts::Count(2)).build().unwrap().fit(&rows).unwrap();
    assert_eq!(report.likelier, Some(Noise::Pre));
}

#[test]
fn the_noise_is_found_where_it_is() {
    let pre = [0.05, 0.2, 0.5, 1.0].map(|s| (LabelNoise::Pre(s, Shape::Gauss), Noise::Pre));
    let post = [0.01, 0.02, 0.05].map(|s| (LabelNoise::Post(s, Shape::Gauss), Noise::Post));
    for (activation, (noise, truth)) in
        NAMES.iter().filter(|a| **a != "identity").flat_map(|a| pre.into_iter().chain(post).map(move |n| (*a, n)))
    {
        let mut right = 0;
        for seed in 0..10 {
            let data = bank::paper(activation, 1000, 20, noise, seed);
            let options = Options::new(named(activation).unwrap()).intercept(false).noise(Noise::Auto);
            let report = options.build().unwrap().fit(&bank::rows(&data)).unwrap();
            // a label that is rounded to a bound, as cloglog's beyond z = 3.7, cannot come from noise before φ
            let phi = named(activation).unwrap();
            let lost = truth == Noise::Pre && data.labels.iter().any(|y| phi.preimages(*y) == Preimages::None);
            let found = report.noise == truth && report.likelier == Some(truth);
            right += usize::from(if lost { report.noise == Noise::Post } else { found });
            assert_eq!(report.status(), Status::Converged, "{activation}, {noise:?}, seed {seed}");
        }
        assert!(right >= 9, "{activation}, {noise:?}: {right} of 10");
    }
}

/// Rows whose labels have means that a sigmoid or a probit fits, and whatever distribution `draw` has.
fn shares(activation: &str, seed: u64, draw: impl Fn(&mut Random, f64) -> f64) -> Dense {
    let data = bank::paper(activation, 1000, 3, LabelNoise::None, seed);
    let mut random = Random::new(seed, Stream::Noise);
    let labels = data.labels.iter().map(|&mean| draw(&mut random, mean)).collect();
    Dense::new(data.values, 3, labels).unwrap()
}

/// Shares that are counted, clipped or beta distributed have no noise before φ, though its likelihood often leads.
#[test]
fn shares_are_not_taken_for_noise_before_the_activation() {
    let counted = |trials: usize| {
        move |random: &mut Random, mean: f64| {
            let hits = (0..trials).filter(|_| random.uniform() < mean).count();
            (hits as f64 + 0.5) / (trials as f64 + 1.0)
        }
    };
    let clipped = |random: &mut Random, mean: f64| (mean + 0.3 * random.normal()).clamp(0.001, 0.999);
    // by the method of Jöhnk
    let beta = |random: &mut Random, mean: f64| loop {
        let [a, b] = [mean, 1.0 - mean].map(|mean| random.uniform().powf(1.0 / (5.0 * mean)));
        if a + b > 0.0 && a + b <= 1.0 {
            return (a / (a + b)).clamp(1e-12, 1.0 - 1e-12);
        }
    };
    for activation in ["sigmoid", "probit"] {
        let mut kinds = [0; 4];
        for seed in 0..20 {
            let sets = [
                shares(activation, seed, counted(20)),
                shares(activation, seed, counted(100)),
                shares(activation, seed, clipped),
                shares(activation, seed, beta),
            ];
            for (kind, rows) in kinds.iter_mut().zip(sets) {
                *kind += usize::from(fit(activation, Noise::Auto, &rows).noise == Noise::Pre);
            }
        }
        assert!(kinds.iter().all(|&wrong| wrong <= 2), "{activation}: {kinds:?} of 20");
    }
}

/// Fractions of exactly 0 and 1 that were squeezed into (0, 1): the likelihood before φ leads by thousands, and its means are
/// worse than a constant.
#[test]
fn squeezed_labels_are_not_taken_for_noise_before_the_activation() {
    let text = include_str!("../../../agglio-cli/data/k401k.csv");
    let lines = text.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse::<f64>().unwrap()));
    let cells: Vec<Vec<f64>> = lines.map(Iterator::collect).collect();
    let n = cells.len() as f64;
    let labels = cells.iter().map(|row| (row[4] * (n - 1.0) + 0.5) / n).collect();
    let rows = Dense::new(cells.iter().flat_map(|row| row[..4].to_vec()).collect(), 4, labels).unwrap();
    let report = fit("sigmoid", Noise::Auto, &rows);
    let both = report.log_likelihoods.unwrap();
    assert!(both.pre.unwrap() > both.post + 1000.0, "{both:?}");
    assert_eq!((report.noise, report.objection), (Noise::Post, Some(Objection::Tied)));
    assert!(report.certificate.certified() && report.loss < report.certificate.baseline_loss);
}

/// A weight of two is the row twice, one of zero is none: in the likelihoods, in the choice and in what is predicted.
#[test]
fn weights_count_rows_in_the_choice() {
    for (activation, seed) in ["sigmoid", "softplus", "silu"].iter().flat_map(|a| (0..12).map(move |s| (*a, s))) {
        // from clear to doubtful
        let noise =
            if seed % 2 == 0 { LabelNoise::Pre(0.3, Shape::Gauss) } else { LabelNoise::Post(0.1, Shape::Gauss) };
        let data = bank::paper(activation, 60 + 40 * seed as usize, 2, noise, seed);
        let labels: Vec<f64> = match activation {
            "sigmoid" => data.labels.iter().map(|y| y.clamp(0.02, 0.98)).collect(),
            "softplus" => data.labels.iter().map(|y| y.max(0.05)).collect(),
            _ => data.labels.iter().map(|y| y.max(-0.27)).collect(),
        };
        let mut random = Random::new(seed, Stream::Noise);
        let counts: Vec<usize> = labels.iter().map(|_| (4.0 * random.uniform()) as usize).collect();
        let repeated: Vec<usize> = (0..labels.len()).flat_map(|i| vec![i; counts[i]]).collect();
        let values = repeated.iter().flat_map(|&i| data.values[2 * i..2 * i + 2].to_vec()).collect();
        let twice = Dense::new(values, 2, repeated.iter().map(|&i| labels[i]).collect()).unwrap();
        let weights = counts.iter().map(|&count| count as f64).collect();
        let weighted = Dense::new(data.values.clone(), 2, labels).unwrap().with_weights(weights).unwrap();
        for noise in [Noise::Auto, Noise::Post] {
            let [a, b] = [&twice, &weighted].map(|rows| fit(activation, noise, rows));
            let case = format!("{activation}, seed {seed}, {noise:?}");
            assert_eq!((a.noise, a.likelier, a.objection), (b.noise, b.likelier, b.objection), "{case}");
            let [c, d] = [a.log_likelihoods.unwrap(), b.log_likelihoods.unwrap()];
            let close = |x: f64, y: f64| (x - y).abs() <= 1e-8 * (1.0 + x.abs());
            assert!(close(c.post, d.post) && close(c.pre.unwrap(), d.pre.unwrap()), "{case}: {c:?} {d:?}");
            assert!(close(a.sigma.unwrap_or(0.0), b.sigma.unwrap_or(0.0)), "{case}");
            assert!(close(a.prediction_loss, b.prediction_loss), "{case}");
            assert!(bank::largest_difference(&a.coefficients, &b.coefficients) <= 1e-7, "{case}");
        }
    }
}

/// Ten times the weights are ten times the rows: the same coefficients, ten times the log-likelihood.
#[test]
fn log_likelihoods_grow_with_the_weights() {
    let data = bank::paper("sigmoid", 200, 2, LabelNoise::Pre(0.5, Shape::Gauss), 1);
    let report = |weight: f64| {
        let rows = bank::rows(&data).with_weights(vec![weight; 200]).unwrap();
        fit("sigmoid", Noise::Post, &rows)
    };
    let [one, ten, little] = [1.0, 10.0, 1e-3].map(report);
    let [a, b] = [&one, &ten].map(|report| report.log_likelihoods.unwrap());
    assert!((10.0 * a.post - b.post).abs() <= 1e-9 * b.post.abs(), "{a:?} {b:?}");
    assert!((10.0 * a.pre.unwrap() - b.pre.unwrap()).abs() <= 1e-9 * b.post.abs(), "{a:?} {b:?}");
    assert!(bank::largest_difference(&one.coefficients, &ten.coefficients) <= 1e-12);
    // a fifth of an observation proves nothing
    assert_eq!((little.likelier, little.objection), (Some(Noise::Post), Some(Objection::Unlikely)));
}
